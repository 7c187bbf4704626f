//! The small questions: what each pool answers when it is empty, in between, and full.

use millpond::classic::{BytemapPool, ParticlePool, PoolAllocator, RosterPool};
use millpond::{
    BlockPool, Handle, HandleAllocator, PackedPool, Pool, Recycler, SideTable, StaticPool, Stats,
    VecPool,
};

/// A pool for two objects, to which the macro adds them: how full it is, and how it lends them.
macro_rules! pool_of_two {
    ($test:ident: $pool:expr, capacity before: $before:expr) => {
        #[test]
        fn $test() {
            let mut pool = $pool;
            assert_eq!((pool.len(), pool.is_empty(), pool.is_full()), (0, true, false));
            assert_eq!(pool.capacity(), $before);
            let entry = pool.vacant_entry().expect("room for two");
            let promised = entry.handle();
            let first = entry.insert(1_u64);
            assert_eq!((promised, pool.handle_at(0)), (first, Some(first)));
            assert_eq!((pool.len(), pool.is_empty(), pool.is_full()), (1, false, false));
            assert!(pool.get_mut(first).is_some() && pool.get_at(0).is_some());
            let second = pool.insert(2_u64).unwrap();
            assert_eq!((pool.len(), pool.is_empty(), pool.is_full()), (2, false, true));
            assert!(pool.vacant_entry().is_none() && pool.insert(3_u64).is_err());
            assert_eq!(pool.handles().last(), Some(second));
            pool.validate().unwrap();
            assert!(pool.get_mut(second).is_some());
            pool.clear();
            assert_eq!((pool.len(), pool.is_empty(), pool.is_full()), (0, true, false));
            assert!(pool.get_mut(first).is_none() && pool.get_at(0).is_none());
            assert!(pool.handle_at(0).is_none() && pool.handles().last().is_none());
        }
    };
}
pool_of_two!(pool: Pool::new(2), capacity before: 2);
pool_of_two!(packed_pool: PackedPool::new(2), capacity before: 2);
pool_of_two!(static_pool: StaticPool::<u64, 2>::new(), capacity before: 2);
pool_of_two!(block_pool: BlockPool::with_blocks(2, 1), capacity before: 0);
pool_of_two!(vec_pool: VecPool::builder().capacity_max(2).build(), capacity before: 0);

#[test]
fn recycler_and_allocator() {
    let mut recycler = Recycler::<u64>::new(2);
    let mut slots = HandleAllocator::new(2);
    for live in 0..=2 {
        let expected = (live, live == 0, live == 2);
        assert_eq!((recycler.len(), recycler.is_empty(), recycler.is_full()), expected);
        assert_eq!((slots.len(), slots.is_empty(), slots.is_full()), expected);
        assert_eq!((recycler.acquire().is_some(), slots.acquire().is_some()), (live < 2, live < 2));
    }
    let handles: Vec<Handle<()>> = slots.handles().collect();
    assert_eq!(slots.handles().last(), handles.last().copied());
}

#[test]
fn what_is_in_a_slot_is_changed_and_removed_by_its_number() {
    let mut packed = PackedPool::new(3);
    let handles = [1, 2, 3].map(|value| packed.insert(value).unwrap());
    packed.remove(handles[0]);
    // The last value has taken the first one's place, but has its slot still.
    *packed.get_at_mut(2).unwrap() += 10;
    assert!(packed.get_at_mut(0).is_none() && packed.get_at_mut(3).is_none());
    assert_eq!((packed.remove_at(2), packed.remove_at(2)), (Some(13), None));
    assert_eq!((packed.len(), packed.get(handles[1])), (1, Some(&2)));
}

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
fn side_table() {
    let mut table = SideTable::<Handle<()>, u64>::with_capacity(2);
    assert!(table.is_empty() && table.capacity() == 2);
    table.insert(HandleAllocator::new(1).acquire().unwrap(), 5).unwrap();
    assert!(!table.is_empty() && table.len() == 1);
}

#[test]
fn first_generations_are_told() {
    assert_eq!(Pool::<u64>::new(1).generations().first(), 1);
    let pool = Pool::<u64>::builder().capacity(1).salt(7).build();
    let first = pool.generations().first();
    assert!(first > 1, "a salt moves it");
}

#[test]
fn a_refused_claim_says_why() {
    let mut pool = Pool::new(1);
    let handle = pool.insert('a').unwrap();
    assert_eq!(
        pool.insert_at(handle, 'b').unwrap_err().to_string(),
        "the slot is live: remove its object first"
    );
    pool.remove(handle);
    let error = pool.insert_at(handle, 'b').unwrap_err();
    assert_eq!(error.to_string(), "the slot has had this lifetime already");
    assert_eq!((error.kind().to_string(), error.into_inner()), (error.to_string(), 'b'));
    let beyond = Handle::from_parts(1, 1).unwrap();
    assert_eq!(pool.insert_at(beyond, 'b').unwrap_err().to_string(), "the pool has no such slot");

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
