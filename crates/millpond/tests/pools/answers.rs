//! Explanations, statistics and reasons as text, and the classic pools.

use millpond::{Handle, HandleAllocator, PackedPool, Pool, SideTable, Stats, SyncPool, VecPool};
use millpond_classic::{BytemapPool, ParticlePool, PoolAllocator, RosterPool};

#[test]
fn an_explanation_tells_the_slot() {
    let mut pool = Pool::new(8);
    let handles: Vec<_> = (0..4).map(|value| pool.insert(value).unwrap()).collect();
    pool.remove(handles[2]);
    assert_eq!(handles.iter().map(|handle| pool.explain(*handle).slot()).max(), Some(3));
    assert_eq!(pool.explain(handles[2]).slot(), 2, "also of a stale handle");
}

/// One line, in which what most pools never have is missing.
#[test]
fn statistics_are_told_in_a_line() {
    let mut stats = Stats::default();
    (stats.capacity, stats.live, stats.peak) = (8, 2, 5);
    (stats.inserted, stats.removed) = (9, 7);
    assert_eq!(stats.to_string(), "2 of 8 slots live, peak 5; 9 inserted, 7 removed");
    (stats.retired, stats.refused, stats.evicted) = (1, 3, 4);
    let told = "2 of 8 slots live, peak 5, 1 retired; 9 inserted, 7 removed, 3 refused, 4 evicted";
    assert_eq!(stats.to_string(), told);
}

#[test]
fn first_generations_are_told() {
    assert_eq!(Pool::<u64>::new(1).generations().first(), 1);
    let pool = Pool::<u64>::builder().capacity(1).salt(7).build();
    let first = pool.generations().first();
    assert!(first > 1, "a salt moves it");
}

#[test]
fn a_refused_claim_names_the_handle_and_says_why() {
    fn refusal<T: std::fmt::Debug>(result: Result<T, millpond::InsertAtError<char>>) -> String {
        let error = result.unwrap_err();
        let text = error.to_string();
        assert!(text.ends_with(&format!(": {}", error.kind())), "{text}");
        assert_eq!(error.into_inner(), 'b');
        text
    }
    let beyond = Handle::from_parts(1, 1).unwrap();

    let mut pool = Pool::new(1);
    let handle = pool.insert('a').unwrap();
    let live = "handle 0v1 is refused: the slot is live: remove its object first";
    assert_eq!(refusal(pool.insert_at(handle, 'b')), live);
    pool.remove(handle);
    let before = "handle 0v1 is refused: the slot has had this lifetime already";
    assert_eq!(refusal(pool.insert_at(handle, 'b')), before);
    assert_eq!(
        refusal(pool.insert_at(beyond, 'b')),
        "handle 1v1 is refused: there is no such slot"
    );
    let dangling = "the dangling handle is refused: there is no such slot";
    assert_eq!(refusal(pool.insert_at(Handle::DANGLING, 'b')), dangling);

    // The generations of pools with names are large numbers: the lifetime is named.
    let never = r#"pool "ships" refuses handle 0v2: the slot has not had this lifetime yet"#;
    macro_rules! named {
        ($($pool:ident),*) => {$(
            let mut pool = $pool::builder().capacity(1).name("ships").build();
            let first = pool.insert('a').unwrap();
            pool.remove(first);
            let second = Handle::from_parts(0, first.generation() + 1).unwrap();
            assert_eq!(refusal(pool.revive(second, 'b')), never);
        )*};
    }
    named!(Pool, VecPool, PackedPool, SyncPool);
    let mut slots = HandleAllocator::builder().capacity(1).name("ships").build();
    let slot = slots.acquire().unwrap();
    let error = slots.acquire_at(slot).unwrap_err();
    assert_eq!(error.to_string(), format!("pool \"ships\" refuses handle 0v1: {}", error.kind()));

    // A table beside a pool says nothing of the pool.
    let mut table = SideTable::with_capacity(1);
    assert_eq!(refusal(table.insert(beyond, 'b')), "handle 1v1 is refused: there is no such slot");

    let mut bytes = BytemapPool::new(1);
    let handle = bytes.insert('a').unwrap();
    assert_eq!(
        bytes.insert_at(handle, 'b').unwrap_err().to_string(),
        "the slot is live: remove its object first"
    );
}

#[test]
fn classic_pools() {
    let mut bytes = BytemapPool::new(2);
    assert!(bytes.is_empty() && bytes.get_at(0).is_none() && bytes.handle_at(0).is_none());
    let handle = bytes.insert(5_u8).unwrap();
    assert!(!bytes.is_empty() && !bytes.is_full());
    assert_eq!((bytes.get_at(0), bytes.handle_at(0)), (Some(&5), Some(handle)));

    let mut particles = ParticlePool::<2>::new();
    assert!(particles.is_empty());
    particles.create(0.0, 0.0, 1.0, 1.0, 3).unwrap();
    assert!(!particles.is_empty());

    let mut roster = RosterPool::<u8>::new(2);
    assert_eq!(roster.next_slot(), Some(1));
    roster.allocate().unwrap();
    assert_eq!(roster.next_slot(), Some(0));
    roster.allocate().unwrap();
    assert_eq!(roster.next_slot(), None);

    let nodes = PoolAllocator::with_chunk_slots(2);
    assert!(nodes.is_empty());
    let same = nodes.clone();
    let node = same.alloc(1_u8);
    assert!(!nodes.is_empty() && nodes.len() == 1, "a clone is the same allocator");
    drop(node);
    assert!(nodes.is_empty());
}
