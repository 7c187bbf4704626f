//! Saved games that outlive a change: a pool takes over the objects of one that had other slots, another name, reuse order
//! or handle layout, or was of another kind, and no handle that was ever issued is issued again.

use std::collections::BTreeSet;

use millpond::recorder::Recorder;
use millpond::reuse::{Fifo, LowestFirst, Roster};
use millpond::snapshot::MigrateError;
use millpond::sync::SyncSnapshot;
use millpond::{
    Handle, Handle32, HandleAllocator, HandleLayout, PackedPool, PackedVecPool, Pool, Recycler,
    SideTable, StaticPool, SyncPool, VecPool,
};
use millpond_overflow::EvictOldest;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::common::{Random, panics, quiet_panic};

/// A handle in parts, whatever its layout.
type Parts = (u32, u32);

fn parts<H: HandleLayout>(handle: H) -> Parts {
    (handle.index(), handle.generation())
}

/// What a saved pool is read as, in both forms.
fn saved<P: Serialize + DeserializeOwned>(pool: &P) -> [P; 2] {
    let json = serde_json::to_string(pool).unwrap();
    let compact = postcard::to_allocvec(pool).unwrap();
    [serde_json::from_str(&json).unwrap(), postcard::from_bytes(&compact).unwrap()]
}

/// Insertions and removals at random; every handle that is issued goes into the set.
macro_rules! churn {
    ($pool:ident, $seed:expr, $steps:expr, $issued:ident) => {{
        let mut random = Random($seed);
        for value in 0..$steps {
            if random.below(2) == 0 {
                if let Ok(handle) = $pool.insert(value) {
                    assert!($issued.insert(parts(handle)), "{handle:?} was issued before");
                }
            } else {
                let live: Vec<_> = $pool.iter().map(|(handle, _)| handle).collect();
                if !live.is_empty() {
                    $pool.remove(live[random.below(live.len())]).unwrap();
                }
            }
        }
    }};
}

/// The old pool's objects and stale handles are in the new one what they were, and stay so.
macro_rules! migrates {
    ($($old:expr => $new:expr;)+) => {$(
        for seed in 0..8 {
            let mut old = $old;
            let mut issued = BTreeSet::new();
            churn!(old, seed, 60_u64, issued);
            for old in saved(&old) {
                let mut issued = issued.clone();
                let live: Vec<_> = old.iter().map(|(handle, value)| (parts(handle), *value)).collect();
                let stats = old.stats();
                let mut new = $new;
                new.migrate_from(old).unwrap();
                new.validate().unwrap();
                let handle = |(index, generation)| HandleLayout::from_parts(index, generation);
                assert_eq!(new.len(), live.len());
                for (parts, value) in &live {
                    assert_eq!(new.get(handle(*parts).unwrap()), Some(value));
                }
                assert_eq!((new.stats().inserted, new.stats().peak), (stats.inserted, stats.peak));
                let stale: Vec<_> =
                    issued.iter().filter(|parts| !live.iter().any(|(live, _)| live == *parts)).collect();
                let is_refused = |parts: &&Parts| handle(**parts).is_none_or(|stale| !new.contains(stale));
                assert!(stale.iter().all(is_refused));
                churn!(new, !seed, 300_u64, issued);
                new.validate().unwrap();
            }
        }
    )+};
}

type Short<T> = Handle32<T, 26>;

#[test]
fn no_handle_of_the_old_pool_is_issued_again() {
    let pool = || Pool::<u64>::builder().capacity(6);
    migrates! {
        pool().build() => Pool::new(6);
        pool().build() => Pool::new(7);
        pool().build() => Pool::new(200);
        pool().name("crew").build() => pool().name("sailors").capacity(12).build();
        pool().build() => pool().name("sailors").capacity(12).build();
        pool().name("crew").build() => Pool::new(8);
        pool().salt(7).build() => pool().salt(8).build();
        pool().lifetimes(3).build() => pool().lifetimes(9).name("more").build();
        pool().name("crew").lifetimes(3).build() => pool().capacity(9).build();
    }
}

#[test]
fn nor_in_another_reuse_order() {
    let pool = || Pool::<u64>::builder().capacity(6);
    migrates! {
        pool().build() => pool().reuse(Fifo).capacity(9).build();
        pool().reuse(Fifo).build() => pool().reuse(LowestFirst).build();
        pool().reuse(LowestFirst).build() => pool().reuse(Roster).capacity(8).build();
        pool().reuse(Roster).lifetimes(3).build() => pool().reuse(Fifo).lifetimes(3).build();
        pool().reuse(LowestFirst).build() => pool().name("lifo").capacity(9).build();
        pool().lifetimes(2).build() => pool().reuse(Roster).lifetimes(2).capacity(8).build();
    }
}

#[test]
fn nor_in_another_handle_layout() {
    let wide = || Pool::<u64>::builder().capacity(6);
    // 63 generations: the cycle goes round at once in a pool with a name.
    let short = || wide().handle::<Short<u64>>();
    migrates! {
        short().build() => wide().build();
        short().build() => short().capacity(50).build();
        wide().build() => short().build();
        short().name("a").build() => wide().build();
        short().name("a").build() => wide().name("b").capacity(9).build();
        short().name("b").lifetimes(40).build() => short().name("a").lifetimes(40).build();
        short().name("c").lifetimes(3).build() => short().lifetimes(60).build();
        wide().handle::<Handle32<u64, 8>>().name("a").build() => wide().build();
    }
}

#[test]
fn nor_in_a_pool_of_another_kind() {
    let pool = || Pool::<u64>::builder().capacity(6);
    let packed = || PackedPool::<u64>::builder().capacity(6);
    let growing = || VecPool::<u64>::builder();
    let embers = || PackedVecPool::<u64>::builder();
    migrates! {
        embers().build() => embers().name("embers").build();
        embers().lifetimes(2).build() => embers().capacity(9).lifetimes(3).capacity_max(99).build();
        embers().capacity_max(6).build() => packed().build();
        embers().name("embers").capacity_max(6).build() => pool().lifetimes(50).build();
        embers().build() => growing().name("trees").build();
        packed().name("sparks").build() => embers().build();
        packed().lifetimes(2).build() => embers().lifetimes(2).build();
        pool().lifetimes(2).build() => embers().capacity(1).lifetimes(4).name("embers").build();
        growing().build() => embers().handle::<Handle32<u64, 16>>().build();
        StaticPool::<u64, 5>::new() => embers().build();
        pool().build() => VecPool::new();
        pool().build() => growing().capacity(100).capacity_max(101).build();
        growing().build() => growing().name("trees").build();
        growing().capacity_max(6).build() => pool().capacity(8).build();
        growing().capacity_max(5).lifetimes(2).build() => packed().lifetimes(2).build();
        packed().build() => packed().capacity(9).name("sparks").build();
        packed().lifetimes(2).build() => packed().lifetimes(2).capacity(8).build();
        packed().build() => pool().reuse(Roster).build();
        pool().name("a").build() => packed().build();
        StaticPool::<u64, 5>::new() => StaticPool::<u64, 7>::new();
        pool().name("a").build() => StaticPool::<u64, 6>::new();
        StaticPool::<u64, 5>::named("static") => pool().build();
    }
}

#[test]
fn a_named_static_pool_can_be_copied_afterwards() {
    let mut old = Pool::<u64>::builder().capacity(2).name("old").build();
    let first = old.insert(1).unwrap();
    old.remove(first);
    let second = old.insert(2).unwrap();
    let mut pool = StaticPool::<u64, 3>::named("new");
    pool.migrate_from(old).unwrap();
    let mut copy = pool.clone();
    copy.validate().unwrap();
    let mut past = pool.snapshot();
    pool.save_into(&mut past).unwrap();
    assert_eq!((pool.checksum(), copy[second]), (copy.checksum(), 2));
    assert_eq!(pool.insert(3).unwrap(), copy.insert(3).unwrap());
}

#[test]
fn a_wrapping_pool_goes_on_in_a_wrapping_pool() {
    let build = |lifetimes| Pool::<u64>::builder().capacity(3).lifetimes(lifetimes).wrap();
    let mut old = build(5).build();
    for round in 0..7 {
        let handle = old.insert(round).unwrap();
        old.remove(handle);
    }
    let last = old.insert(7).unwrap();
    let mut new = build(9).build();
    new.migrate_from(old.clone()).unwrap();
    new.validate().unwrap();
    assert_eq!(new[last], 7);
    // A slot that has had more lifetimes than the new pool's slots have starts again.
    old.clear();
    let mut fewer = build(2).build();
    fewer.migrate_from(old).unwrap();
    fewer.validate().unwrap();
    assert_eq!(fewer.len(), 0);
}

#[test]
fn a_slot_that_is_beyond_the_new_limit_retires() {
    let mut old = Pool::new(2);
    let mut issued = Vec::new();
    for value in 0..5 {
        issued.push(old.insert(value).unwrap());
        old.remove(issued[value]);
    }
    let mut new = Pool::<usize>::builder().capacity(2).lifetimes(3).build();
    new.migrate_from(old.clone()).unwrap();
    new.validate().unwrap();
    assert_eq!(new.stats().retired, 1);
    assert_eq!(new.insert(7).unwrap().index(), 1);
    assert!(new.insert(7).is_err());
    // And in a layout with fewer generations, though handles of those are not among its own.
    let mut narrow = Pool::<usize>::builder().capacity(2).handle::<Handle32<usize, 30>>().build();
    narrow.migrate_from(old).unwrap();
    narrow.validate().unwrap();
    assert_eq!(narrow.stats().retired, 1);
}

/// In a pool that is built as the old one was, the same handles come next.
#[test]
fn what_comes_next_stays() {
    macro_rules! continues {
        ($($build:expr;)+) => {$(
            for seed in 0..8 {
                let mut old = $build;
                let mut issued = BTreeSet::new();
                churn!(old, seed, 60_u64, issued);
                let mut new = $build;
                new.migrate_from(old.clone()).unwrap();
                assert_eq!(new.stats(), old.stats());
                assert_eq!(new.checksum(), old.checksum());
                for value in 0..9 {
                    assert_eq!(new.insert(value).ok(), old.insert(value).ok());
                }
            }
        )+};
    }
    let pool = || Pool::<u64>::builder().capacity(8).name("same");
    continues! {
        pool().build();
        pool().lifetimes(2).build();
        pool().reuse(Fifo).build();
        pool().reuse(LowestFirst).build();
        pool().reuse(Roster).lifetimes(3).build();
        PackedPool::<u64>::builder().capacity(8).lifetimes(3).build();
        PackedVecPool::<u64>::builder().capacity(8).capacity_max(8).lifetimes(3).build();
        StaticPool::<u64, 8>::new();
    }
}

#[test]
fn new_slots_come_after_the_old_ones() {
    let mut old = Pool::new(4);
    let handles: Vec<_> = (0..3).map(|value| old.insert(value).unwrap()).collect();
    old.remove(handles[0]);
    old.remove(handles[2]);
    let mut new = Pool::new(6);
    new.migrate_from(old).unwrap();
    let slots: Vec<_> = (0..5).map(|value| new.insert(value).unwrap().index()).collect();
    assert_eq!(slots, [2, 0, 3, 4, 5]);
}

/// Slots that were freed are among those of an old pool, and those of the new one are forgotten.
#[test]
fn slots_that_were_freed_keep_their_generations() {
    macro_rules! migrates_freed {
        ($($old:ident => $new:ident;)+) => {$(
            let mut old = $old::<u64>::builder().lifetimes(2).build();
            let first: Vec<_> = (0..8).map(|value| old.push(value)).collect();
            old.retain(|_, value| [0, 3, 6].contains(value));
            // The second lifetime of slot 5 is its last.
            let last = old.insert_at(Handle::from_parts(5, 2).unwrap(), 5).unwrap();
            for handle in [last, first[6], first[3]] {
                old.remove(handle).unwrap();
            }
            assert_eq!((old.shrink_to_fit(), old.capacity()), (7, 1));
            for old in saved(&old) {
                let mut new = $new::<u64>::builder().lifetimes(2).capacity_max(30).build();
                // Its own generations are gone, those of freed slots as well.
                (0..20).for_each(|value| _ = new.push(value));
                new.clear();
                assert_eq!(new.shrink_to_fit(), 30);
                new.migrate_from(old).unwrap();
                new.validate().unwrap();
                assert_eq!((new.capacity(), new.len(), new[first[0]]), (8, 1, 0));
                assert_eq!(new.stats().retired, 1);
                while let Ok(handle) = new.insert(9) {
                    let is_new = handle.index() > 7;
                    assert_eq!(handle.generation(), if is_new { 1 } else { 2 }, "{handle:?}");
                    assert_ne!(handle.index(), 5, "it has retired");
                }
                assert_eq!((new.len(), new.capacity()), (29, 30));
                new.validate().unwrap();
            }
        )+};
    }
    migrates_freed! {
        VecPool => VecPool;
        VecPool => PackedVecPool;
        PackedVecPool => VecPool;
        PackedVecPool => PackedVecPool;
    }
}

/// What is out of the new pool was its own, and is gone; what is out of the old one has to come back first.
#[test]
fn detached_objects_do_not_migrate() {
    macro_rules! forgets_detached {
        ($($new:expr;)+) => {$(
            let mut new = $new;
            let own: Vec<_> = (0..3).map(|value| new.insert(value).unwrap()).collect();
            let value = new.detach(own[2]).unwrap();
            let mut old = PackedVecPool::new();
            let first = old.push(7);
            let out = old.detach(first).unwrap();
            let error = new.migrate_from(old.clone()).unwrap_err();
            assert_eq!(error, MigrateError::Detached { slot: 0 });
            assert!(new.detached().eq([own[2]]) && new.len() == 2);
            old.reattach(first, out).unwrap();
            new.migrate_from(old).unwrap();
            new.validate().unwrap();
            assert_eq!((new.detached().len(), new.len(), new[first]), (0, 1, 7));
            assert!(new.reattach(own[2], value).is_err());
            assert_eq!((0..2).map(|value| new.insert(value).unwrap().index()).sum::<u32>(), 3);
        )+};
    }
    forgets_detached! {
        Pool::new(3);
        VecPool::new();
        PackedPool::new(3);
        PackedVecPool::new();
    }
}

#[test]
fn values_of_a_packed_pool_keep_their_order() {
    let mut old = PackedPool::new(9);
    let handles: Vec<_> = (0..7).map(|value| old.insert(value).unwrap()).collect();
    old.remove(handles[1]);
    old.sort_by(|a, b| b.cmp(a));
    old.remove(handles[4]);
    let mut growing = PackedVecPool::new();
    growing.migrate_with(old.clone(), |handle, value: u64| (handle.index(), value)).unwrap();
    let values: Vec<_> = old.iter().map(|(handle, value)| (handle.index(), *value)).collect();
    assert_eq!(growing.as_slice(), values);
    let handles: Vec<_> = old.handles().map(|handle| handle.to_bits()).collect();
    assert!(growing.handles().map(|handle| handle.to_bits()).eq(handles));
    growing.validate().unwrap();
}

#[test]
fn a_recycler_keeps_its_own_dead_objects() {
    let mut old = Recycler::<u64, Fifo>::with_capacity(3, |slot| slot as u64);
    let first = old.acquire().unwrap().0;
    let second = old.acquire().unwrap().0;
    old.release(first);
    for old in saved(&old) {
        let released = |object: &mut u64| *object += 1000;
        let mut new = Recycler::<u64>::typed_builder()
            .capacity(5)
            .name("voices")
            .on_release(released)
            .build_with(|slot| 10 + slot as u64);
        let own = new.acquire().unwrap().0;
        new.migrate_from(old).unwrap();
        new.validate().unwrap();
        assert!(new.contains(second) && !new.contains(first) && !new.contains(own));
        assert_eq!(new.as_slice(), [1010, 1, 12, 13, 14]);
        let next: Vec<_> = std::iter::from_fn(|| Some(new.acquire()?.0)).collect();
        assert!(next.len() == 4 && !next.contains(&first) && !next.contains(&second));
    }
    // A pool gets the live ones.
    let mut pool = Pool::new(3);
    pool.migrate_from(old).unwrap();
    assert_eq!(
        pool.iter().map(|(handle, value)| (handle, *value)).collect::<Vec<_>>(),
        [(second, 1)]
    );
}

#[test]
fn an_allocator_and_what_lies_beside_it_go_on() {
    let mut old = HandleAllocator::new(3);
    let first = old.acquire().unwrap();
    let second = old.acquire().unwrap();
    old.release(first);
    let mut ages = EvictOldest::beside(&old);
    ages.note(second);
    let mut names = SideTable::with_capacity(3);
    names.insert(first, "stale").unwrap();
    names.insert(second, "second").unwrap();
    names.remove(first);

    let mut new = HandleAllocator::<LowestFirst, Handle<()>>::with_capacity(9);
    let mut new_names = SideTable::with_capacity(9);
    new.migrate_from(old).unwrap();
    new_names.migrate_from(names).unwrap();
    new.validate().unwrap();
    new_names.validate().unwrap();
    assert!(new.contains(second) && !new.contains(first));
    assert_eq!((new_names.len(), new_names.get(second)), (1, Some(&"second")));
    assert_eq!(ages.oldest(&new), Some(second));
    // What the table has seen stays seen.
    let reused = new.acquire().unwrap();
    assert_eq!((reused.index(), reused.generation()), (0, 2));
    new_names.insert(reused, "reused").unwrap();
    assert!(new_names.insert(first, "stale").is_err());
}

#[test]
fn a_table_keeps_to_its_own_limit_and_layout() {
    let handle = |slot, generation| Handle::<u8>::from_parts(slot, generation).unwrap();
    let old = || SideTable::from_iter([(handle(0, 70_000), 'a'), (handle(5, 3), 'b')]);
    let mut small = SideTable::<Handle<u8>, char>::with_limit(5);
    let error = small.migrate_from(old()).unwrap_err();
    assert_eq!(error, MigrateError::TooFewSlots { needed: 6, capacity_max: 5 });
    let mut narrow = SideTable::<Handle32<u8>, char>::new();
    let error = narrow.migrate_from(old()).unwrap_err();
    assert_eq!(error, MigrateError::BeyondLifetimes { slot: 0, generation: 70_000 });
    let mut old = old();
    old.remove(handle(0, 70_000));
    narrow.migrate_from(old).unwrap();
    narrow.validate().unwrap();
    assert_eq!(narrow.get(Handle32::from_parts(5, 3).unwrap()), Some(&'b'));
}

#[test]
fn a_shared_pool_goes_on_in_a_larger_one() {
    for name in [None, Some("jobs")] {
        let build = |capacity| {
            let builder = SyncPool::<u64>::builder().capacity(capacity).homes(2);
            name.into_iter().fold(builder, |builder, name| builder.name(name)).build()
        };
        let old = build(70);
        let handles: Vec<_> = (0..66).map(|value| old.insert(value).unwrap()).collect();
        assert!(handles[..30].iter().all(|handle| old.remove(*handle)));
        let mut old = old;
        let past = old.snapshot();
        for past in saved(&past) {
            let mut new = build(200);
            let own = new.insert(0).unwrap();
            new.migrate_from(past).unwrap();
            new.validate().unwrap();
            assert_eq!((new.len(), new.stats().inserted), (36, 66));
            assert!(handles[..30].iter().all(|handle| !new.contains(*handle)));
            assert!(!new.contains(own));
            assert!((30..66).all(|at| *new.get(handles[at]).unwrap() == at as u64));
            let next: Vec<_> = (0..100).map(|value| new.insert(value).unwrap()).collect();
            assert!(next.iter().all(|handle| !handles.contains(handle)));
        }
        // As many slots: which of them the 66 objects were in depends on the home of the thread.
        let mut pool = Pool::new(70);
        pool.migrate_from(old.snapshot()).unwrap();
        pool.validate().unwrap();
        assert_eq!(pool.len(), 36);
        // Back again: the first generation is the same.
        let mut back = build(70);
        let next = pool.insert(0).unwrap();
        back.migrate_from(pool).unwrap();
        assert!(back.contains(next));
    }
    let mut old = SyncPool::<u64>::builder().capacity(4).name("old").build();
    old.insert(1).unwrap();
    let mut new = SyncPool::<u64>::builder().capacity(4).name("new").build();
    let own = new.insert(5).unwrap();
    assert_eq!(new.migrate_from(old.snapshot()), Err(MigrateError::OtherFirstGeneration));
    assert!(new.contains(own));
    let guard = new.get_owned(own);
    let unnamed = SyncPool::<u64>::new(4).snapshot();
    assert_eq!(new.migrate_from(unnamed.clone()), Err(MigrateError::Busy));
    drop(guard);
    new.migrate_from(unnamed).unwrap();
    assert!(!new.contains(own));
    let _: SyncSnapshot<u64> = new.snapshot();
}

/// What cannot be kept is refused in one line that says what to do, and nothing has changed.
#[test]
fn what_is_not_possible_is_refused() {
    let says = |error: MigrateError| error.to_string();
    let mut old = Pool::<u64>::builder().capacity(4).lifetimes(9).build();
    let handles: Vec<_> = (0..3).map(|value| old.insert(value).unwrap()).collect();
    old.remove(handles[2]);
    for _ in 0..5 {
        let handle = old.remove(old.handle_at(1).unwrap()).and_then(|value| old.insert(value).ok());
        assert!(handle.is_some());
    }
    let handle = old.handle_at(1).or(old.handle_at(2)).unwrap();
    let refused = |mut new: Pool<u64>| {
        let own = new.insert(77).unwrap();
        let error = new.migrate_from(old.clone()).unwrap_err();
        new.validate().unwrap();
        assert_eq!((new.len(), new.get(own)), (1, Some(&77)));
        says(error)
    };
    let build = Pool::<u64>::builder;
    assert_eq!(
        refused(build().capacity(2).build()),
        "slot 2 of the old pool was used, but this pool may have 2 slots: give it at least 3",
    );
    assert_eq!(
        refused(build().capacity(4).lifetimes(2).build()),
        format!(
            "slot {} of the old pool is in generation {}, which this pool does not have: give it a handle \
             layout with more generations, or a higher limit of lifetimes",
            handle.index(),
            handle.generation(),
        ),
    );
    assert_eq!(
        refused(build().capacity(4).lifetimes(9).wrap().build()),
        "slots of the old pool retire, those of this pool start their generations again: build it without `wrap`",
    );
    let mut growing = PackedVecPool::<u64>::builder().capacity_max(2).build();
    let own = growing.push(77);
    assert_eq!(
        says(growing.migrate_from(old.clone()).unwrap_err()),
        "slot 2 of the old pool was used, but this pool may have 2 slots: give it at least 3",
    );
    assert_eq!((growing[own], growing.capacity()), (77, 2));
    let wrapping = build().capacity(1).wrap().build();
    let mut wrapping = wrapping;
    wrapping.insert(1).unwrap();
    assert_eq!(
        says(Pool::new(1).migrate_from(wrapping).unwrap_err()),
        "slots of the old pool start their generations again, those of this pool retire: build it with `wrap`",
    );
    // A name begins at a generation that a narrow layout does not have.
    let mut named = build().capacity(1).name("named").build();
    named.insert(1).unwrap();
    let mut narrow = build().capacity(1).handle::<Short<u64>>().build();
    let error = narrow.migrate_from(named).unwrap_err();
    assert!(matches!(error, MigrateError::BeyondLifetimes { slot: 0, .. }));
}

#[test]
fn an_unused_pool_leaves_all_as_it_is() {
    let old = Pool::<u64>::builder().capacity(100).name("other").wrap().build();
    let mut new = Pool::<u64>::builder().capacity(2).name("own").build();
    let generations = new.generations();
    new.migrate_from(old).unwrap();
    assert_eq!(new.generations(), generations);
    // Slots that were never used may be missing.
    let mut old = Pool::new(100);
    let only = old.insert(5).unwrap();
    new.migrate_from(old).unwrap();
    assert_eq!(new[only], 5);
}

#[test]
fn what_was_built_stays() {
    let mut old = Pool::new(2);
    let first = old.insert(1_u64).unwrap();
    let recorder = Recorder::builder().events(64).to_writer(std::io::sink()).unwrap();
    let aids = millpond::debug::DebugAids::none().fill_dead_slots().remember_origins();
    let mut new = Pool::<u64>::builder().capacity(4).name("crew").debug_aids(aids).build();
    new.insert(7).unwrap();
    new.record(&recorder);
    new.migrate_from(old).unwrap();
    assert_eq!((new.name(), new[first]), (Some("crew"), 1));
    assert_eq!(new.generations().first(), 1);
    // Nothing says that a dead slot was written to.
    while new.insert(3).is_ok() {}
    new.clear();
    while new.insert(3).is_ok() {}
    let mut packed = PackedPool::<u64>::builder().capacity(9).debug_aids(aids).build();
    packed.insert(7).unwrap();
    packed.record(&recorder);
    packed.migrate_from(new).unwrap();
    while packed.insert(3).is_ok() {}
    packed.validate().unwrap();
    let mut growing = PackedVecPool::<u64>::builder().capacity(1).debug_aids(aids).build();
    growing.push(7);
    growing.record(&recorder);
    growing.migrate_from(packed).unwrap();
    (0..9).for_each(|value| _ = growing.push(value));
    growing.validate().unwrap();
    let summary = recorder.finish().unwrap();
    assert!(summary.events > 0);
}

#[test]
fn whoever_panics_leaves_a_pool_that_works() {
    struct Heavy(bool);
    impl Drop for Heavy {
        fn drop(&mut self) {
            if std::mem::take(&mut self.0) {
                quiet_panic()
            }
        }
    }
    let old = || {
        let mut old = Pool::new(3);
        for value in 0..3 {
            old.insert(value).unwrap();
        }
        old
    };
    macro_rules! works {
        ($($new:expr;)+) => {$(
            let mut new = $new;
            let own = new.insert(Heavy(true)).map_err(drop).unwrap();
            // In the conversion: nothing has changed.
            let failed = panics(|| {
                let converted = new.migrate_with(old(), |_, value| match value {
                    0 | 1 => Heavy(false),
                    _ => quiet_panic(),
                });
                converted.unwrap();
            });
            assert!(failed && new.contains(own));
            new.validate().unwrap();
            // In the drop of the pool's own value.
            assert!(panics(|| new.migrate_with(old(), |_, _| Heavy(false)).unwrap()));
            new.validate().unwrap();
            assert!(new.is_empty());
            new.migrate_with(old(), |_, _| Heavy(false)).unwrap();
            assert_eq!(new.len(), 3);
        )+};
    }
    works! {
        Pool::new(4);
        VecPool::builder().capacity(1).build();
        PackedPool::new(4);
        PackedVecPool::builder().capacity(1).build();
    }
}

/// Files in which any number is another one: what is read at all either fits or is refused. (Among them are files with
/// counts that lie, slots that occur twice, and generations that the new layout does not have.)
#[test]
fn damaged_files_are_refused_or_fit() {
    macro_rules! damaged {
        ($($old:expr;)+) => {$(
            let mut old = $old;
            let mut issued = BTreeSet::new();
            churn!(old, 3, 40_u64, issued);
            let (mut read, mut refused) = (0, 0);
            for damaged in damaged(&serde_json::to_string(&old).unwrap()) {
                let Some(old) = like(&old, &damaged) else { continue };
                read += 1;
                let mut narrow = Pool::<u64>::builder().capacity(5).handle::<Short<u64>>().build();
                let mut growing = VecPool::<u64>::builder().capacity_max(4).name("new").build();
                let mut packed = PackedPool::<u64>::builder().capacity(9).lifetimes(5).build();
                let mut embers = PackedVecPool::<u64>::builder().capacity_max(5).build();
                let mut fixed = StaticPool::<u64, 3>::new();
                let mut voices = Recycler::<u64>::from_fn(6, |_| 0);
                let mut shared = SyncPool::<u64>::new(6);
                refused += [
                    narrow.migrate_from(old.clone()),
                    growing.migrate_from(old.clone()),
                    packed.migrate_from(old.clone()),
                    embers.migrate_from(old.clone()),
                    fixed.migrate_from(old.clone()),
                    voices.migrate_from(old.clone()),
                    shared.migrate_from(old),
                ]
                .iter()
                .filter(|migrated| migrated.is_err())
                .count();
                narrow.validate().unwrap();
                growing.validate().unwrap();
                packed.validate().unwrap();
                embers.validate().unwrap();
                fixed.validate().unwrap();
                voices.validate().unwrap();
                shared.validate().unwrap();
            }
            assert!(read > 20 && refused > 20, "{read}, {refused}");
        )+};
    }
    damaged! {
        Pool::<u64>::builder().capacity(4).lifetimes(6).name("old").build();
        Pool::<u64>::builder().capacity(4).reuse(Roster).lifetimes(6).build();
        VecPool::<u64>::builder().capacity_max(5).lifetimes(9).build();
        PackedPool::<u64>::builder().capacity(4).lifetimes(6).build();
        PackedVecPool::<u64>::builder().capacity_max(5).lifetimes(9).build();
    }
    let handle = |slot, generation| Handle::<u8>::from_parts(slot, generation).unwrap();
    let table = SideTable::from_iter([(handle(0, 70), 7_u64), (handle(2, 3), 8)]);
    for damaged in damaged(&serde_json::to_string(&table).unwrap()) {
        let Some(old) = like(&table, &damaged) else { continue };
        let mut fixed = SideTable::<Short<u8>, u64>::with_capacity(3);
        let _ = fixed.migrate_from(old);
        fixed.validate().unwrap();
    }
}

/// The text, with each of its numbers in turn replaced by others.
fn damaged(text: &str) -> impl Iterator<Item = String> {
    let is_digit = |at: usize| text.as_bytes()[at].is_ascii_digit();
    let starts = (1..text.len()).filter(move |&at| is_digit(at) && !is_digit(at - 1));
    starts.flat_map(move |start| {
        let end = (start..).find(|&at| !is_digit(at)).unwrap();
        let others = ["0", "1", "2", "3", "5", "63", "64", "255", "2147483647", "4294967295"];
        others.map(|other| [&text[..start], other, &text[end..]].concat())
    })
}

/// What is read as this one was written.
fn like<P: DeserializeOwned>(_: &P, text: &str) -> Option<P> {
    serde_json::from_str(text).ok()
}
