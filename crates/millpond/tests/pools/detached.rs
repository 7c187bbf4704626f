//! Objects that are out of the pool for a while: nobody takes their slots, and nothing finds them there.

use millpond::debug::DebugAids;
use millpond::recorder::Recorder;
use millpond::reuse::{Fifo, LowestFirst, Roster};
use millpond::snapshot::MigrateError;
use millpond::{
    Handle, Handle32, InsertAtErrorKind, PackedPool, PackedVecPool, Pool, Refusal, StaticPool,
    VecPool,
};

use crate::allocations::during;
use crate::common::{Ledger, panics, quiet_panic};

/// The same for a pool of each kind and order, with room for three.
macro_rules! in_each {
    (|$pool:ident: $value:ty| $test:block) => {
        in_each!(@ $pool $test
            Pool::<$value>::new(3);
            Pool::<$value>::builder().reuse(Fifo).capacity(3).build();
            Pool::<$value>::builder().reuse(LowestFirst).capacity(3).build();
            Pool::<$value>::builder().reuse(Roster).capacity(3).build();
            Pool::<$value>::builder().handle::<Handle32<$value, 16>>().name("a").capacity(3).build();
            Pool::<$value>::builder().lifetimes(2).wrap().capacity(3).build();
            VecPool::<$value>::builder().capacity_max(3).build();
            StaticPool::<$value, 3>::new();
            PackedPool::<$value>::new(3);
            PackedVecPool::<$value>::builder().capacity_max(3).build();
            PackedVecPool::<$value>::builder().lifetimes(2).wrap().capacity_max(3).build();
        )
    };
    (@ $pool:ident $test:block $($new:expr;)+) => {$({
        #[allow(unused_mut, reason = "each test does its own")]
        let mut $pool = $new;
        $test
    })+};
}

#[test]
fn the_slot_is_kept_and_the_object_comes_back() {
    in_each!(|pool: u64| {
        let handles: Vec<_> = (0..3).map(|value| pool.insert(value).unwrap()).collect();
        assert_eq!(pool.detach(handles[1]), Some(1));
        assert_eq!((pool.len(), pool.contains(handles[1])), (2, false));
        assert_eq!(pool.check(handles[1]), Err(Refusal::Stale));
        assert_eq!(pool.detach(handles[1]), None);
        assert_eq!(pool.remove(handles[1]), None);
        assert!(!pool.iter().any(|(handle, _)| handle == handles[1]));
        assert!(pool.insert(7).is_err(), "there is no other slot");
        let refused = pool.insert_at(handles[1], 7).unwrap_err();
        assert_eq!(refused.kind(), InsertAtErrorKind::Occupied);
        let refused = pool.revive(handles[1], 7).unwrap_err();
        assert_eq!(refused.kind(), InsertAtErrorKind::Occupied);
        pool.validate().unwrap();
        // Another object in its place is as good.
        assert_eq!(pool.reattach(handles[1], 5).unwrap(), handles[1]);
        assert_eq!((pool.len(), pool[handles[1]], pool.detached().len()), (3, 5, 0));
        let refused = pool.reattach(handles[1], 5).unwrap_err();
        assert_eq!((refused.kind(), refused.into_inner()), (InsertAtErrorKind::Occupied, 5));
        pool.validate().unwrap();
        // It is an object like any other.
        assert_eq!(pool.remove(handles[1]), Some(5));
        let next = pool.insert(8).unwrap();
        assert!(next.index() == handles[1].index() && next != handles[1]);
        let refused = pool.reattach(handles[1], 5).unwrap_err();
        assert_eq!(refused.kind(), InsertAtErrorKind::Occupied);
        pool.validate().unwrap();
    });
}

#[test]
fn a_slot_is_free_again_without_its_object() {
    in_each!(|pool: u64| {
        let handles: Vec<_> = (0..3).map(|value| pool.insert(value).unwrap()).collect();
        assert!(!pool.free_detached(handles[0]), "it is not out");
        pool.detach(handles[2]).unwrap();
        pool.detach(handles[0]).unwrap();
        assert!(pool.detached().eq([handles[0], handles[2]]));
        assert!(pool.free_detached(handles[0]));
        assert!(!pool.free_detached(handles[0]));
        pool.validate().unwrap();
        assert_eq!(pool.reattach(handles[0], 5).unwrap_err().kind(), InsertAtErrorKind::Stale);
        let next = pool.insert(7).unwrap();
        assert!(next.index() == handles[0].index() && next != handles[0]);
        assert!(pool.insert(7).is_err());
        pool.reattach(handles[2], 2).unwrap();
        assert_eq!(pool.len(), 3);
        pool.validate().unwrap();
    });
}

#[test]
fn an_object_in_its_last_lifetime_comes_back_too() {
    let mut pool = Pool::<u64>::builder().lifetimes(1).capacity(2).build();
    let [first, second] = [1, 2].map(|value| pool.insert(value).unwrap());
    pool.detach(first).unwrap();
    pool.detach(second).unwrap();
    pool.reattach(first, 1).unwrap();
    // Without its object, the slot retires.
    assert!(pool.free_detached(second));
    pool.validate().unwrap();
    assert_eq!((pool.stats().retired, pool[first]), (1, 1));
    assert!(pool.insert(7).is_err());
}

#[test]
fn what_empties_a_pool_leaves_what_is_out() {
    in_each!(|pool: u64| {
        let handles: Vec<_> = (0..3).map(|value| pool.insert(value).unwrap()).collect();
        pool.detach(handles[1]).unwrap();
        pool.retain(|_, value| *value == 2);
        assert_eq!(pool.drain().count(), 1);
        pool.clear();
        pool.validate().unwrap();
        assert!(pool.insert(7).is_ok() && pool.insert(7).is_ok() && pool.insert(7).is_err());
        pool.reattach(handles[1], 1).unwrap();
        assert_eq!((pool.len(), pool[handles[1]]), (3, 1));
        pool.validate().unwrap();
    });
}

/// The generations of a pool with a salt go on at 1 after the largest, which the pool forgets of its slots when it is cleared.
#[test]
fn a_slot_that_has_gone_round_keeps_its_last_lifetime_while_its_object_is_out() {
    macro_rules! in_each_order {
        ($($pool:expr;)+) => {$(
            let mut pool = $pool.handle::<Handle32<u64, 24>>().salt(7).capacity(1).build();
            let first = pool.generations().first();
            assert!(first > 2);
            let last = loop {
                let handle = pool.insert(1).unwrap();
                if handle.generation() == first - 1 {
                    break handle;
                }
                pool.remove(handle);
            };
            let value = pool.detach(last).unwrap();
            pool.clear();
            pool.reattach(last, value).unwrap();
            pool.validate().unwrap();
            pool.remove(last).unwrap();
            pool.validate().unwrap();
            assert_eq!(pool.stats().retired, 1);
        )+};
    }
    in_each_order! {
        Pool::<u64>::builder();
        Pool::<u64>::builder().reuse(Fifo);
        Pool::<u64>::builder().reuse(Roster);
        PackedPool::<u64>::builder();
        PackedVecPool::<u64>::builder();
    }
}

#[test]
fn a_snapshot_has_what_is_out() {
    in_each!(|pool: u64| {
        let handles: Vec<_> = (0..2).map(|value| pool.insert(value).unwrap()).collect();
        let before = pool.snapshot();
        pool.detach(handles[0]).unwrap();
        let during = pool.snapshot();
        assert_ne!(before.checksum(), during.checksum());
        pool.reattach(handles[0], 5).unwrap();
        let mut twin = during.as_pool().clone();

        // Back to when it was there: nothing is out.
        pool.detach(handles[0]).unwrap();
        pool.restore(&before).unwrap();
        pool.validate().unwrap();
        assert_eq!(pool.reattach(handles[0], 7).unwrap_err().kind(), InsertAtErrorKind::Occupied);
        assert_eq!(pool[handles[0]], 0);

        // Back to when it was out.
        pool.restore(&during).unwrap();
        pool.validate().unwrap();
        assert!(!pool.contains(handles[0]));
        pool.reattach(handles[0], 7).unwrap();
        assert_eq!(pool[handles[0]], 7);

        // A copy has its own.
        twin.validate().unwrap();
        assert!(twin.free_detached(handles[0]));
        assert!(pool.contains(handles[0]) && !twin.contains(handles[0]));
        // That the slot is out in one of two pools that are alike otherwise is a difference.
        pool.restore(&during).unwrap();
        assert_eq!(pool.checksum(), during.checksum());
    });
}

#[test]
fn what_is_out_is_not_saved() {
    in_each!(|pool: u64| {
        let lamp = pool.insert(1).unwrap();
        let value = pool.detach(lamp).unwrap();
        let error = serde_json::to_string(&pool).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the object of slot 0 is detached: reattach it, or free its slot, before you save the pool",
        );
        assert!(postcard::to_allocvec(&pool.snapshot()).is_err());
        let mut other = Pool::<u64>::new(9);
        let error = other.migrate_from(pool.clone()).unwrap_err();
        assert_eq!(error, MigrateError::Detached { slot: 0 });
        pool.reattach(lamp, value).unwrap();
        assert!(serde_json::to_string(&pool).is_ok());
    });
}

#[test]
fn every_value_is_dropped_once() {
    in_each!(|pool: crate::common::Counted| {
        let ledger = Ledger::default();
        let handles: Vec<_> =
            (1..4).map(|id| pool.insert(ledger.value(id)).map_err(drop).unwrap()).collect();
        let first = pool.detach(handles[0]).unwrap();
        let second = pool.detach(handles[1]).unwrap();
        assert_eq!(ledger.alive(), 3);
        pool.reattach(handles[0], first).map_err(drop).unwrap();
        drop(second);
        assert_eq!(ledger.alive(), 2);
        // A panic of the object's own code loses the object, not the slot.
        assert!(panics(|| {
            let _object = pool.detach(handles[2]).unwrap();
            quiet_panic()
        }));
        assert_eq!((ledger.alive(), pool.len()), (1, 1));
        assert!(pool.free_detached(handles[2]));
        pool.validate().unwrap();
        drop(pool);
        assert_eq!(ledger.alive(), 0);
    });
}

/// The same for both pools that grow.
macro_rules! in_each_that_grows {
    (|$pool:ident| $test:block) => {
        in_each_that_grows!(@ $pool $test VecPool, PackedVecPool)
    };
    (@ $pool:ident $test:block $($kind:ident),+) => {$({
        let build = || $kind::<u64>::builder().lifetimes(2);
        let mut $pool = build().build();
        $test
    })+};
}

#[test]
fn a_growing_pool_keeps_slots_that_are_out() {
    in_each_that_grows!(|pool| {
        let handles: Vec<_> = (0..9).map(|value| pool.push(value)).collect();
        let last = pool.detach(handles[8]).unwrap();
        pool.clear();
        assert_eq!((pool.shrink_to_fit(), pool.capacity()), (7, 9));
        pool.reserve(100).unwrap();
        pool.validate().unwrap();
        assert!(pool.detached().eq([handles[8]]));
        pool.reattach(handles[8], last).unwrap();
        assert_eq!((pool.len(), pool[handles[8]]), (1, 8));
        pool.validate().unwrap();
        // Without its object, the slot is freed like others, and its handles stay stale.
        pool.detach(handles[8]).unwrap();
        assert!(pool.free_detached(handles[8]));
        pool.shrink_to_fit();
        assert_eq!(pool.capacity(), 0);
        let refused = pool.reattach(handles[8], 8).unwrap_err();
        assert_eq!(refused.kind(), InsertAtErrorKind::OutOfRange);
        let next: Vec<_> = (0..9).map(|value| pool.push(value)).collect();
        assert!(next[8].index() == 8 && next[8].generation() == 2 && !pool.contains(handles[8]));
        pool.validate().unwrap();
    });
}

/// Slots that have retired for ever, some that are kept, some that exist again: each among the others.
#[test]
fn a_slot_that_is_out_is_not_one_that_has_retired() {
    in_each_that_grows!(|pool| {
        let first: Vec<_> = (0..8).map(|value| pool.push(value)).collect();
        pool.clear();
        let second: Vec<_> = (0..8).map(|value| pool.push(value)).collect();
        // Slots 1, 5 and 7 have retired, 3 and 6 are kept, in their last lifetimes.
        for at in [1, 5, 7] {
            pool.remove(second[at]).unwrap();
        }
        let out = [3, 6].map(|at| (second[at], pool.detach(second[at]).unwrap()));
        pool.remove(second[4]).unwrap();
        assert_eq!((pool.stats().retired, pool.shrink_to_fit()), (6, 1));
        pool.validate().unwrap();
        assert!(pool.push(9).index() > 7, "there is no other slot");
        assert_eq!(pool.stats().retired, 6);
        pool.validate().unwrap();
        for (handle, value) in out {
            pool.reattach(handle, value).unwrap();
            pool.validate().unwrap();
        }
        assert_eq!(pool.stats().retired, 4);
        let live: Vec<_> = second.iter().filter(|handle| pool.contains(**handle)).collect();
        assert_eq!(live, [&second[0], &second[2], &second[3], &second[6]]);
        assert!(live.iter().all(|handle| pool[**handle] == u64::from(handle.index())));
        assert!(first.iter().all(|handle| !pool.contains(*handle)));
    });
}

#[test]
fn a_snapshot_of_another_size_has_what_is_out() {
    in_each_that_grows!(|pool| {
        let handles: Vec<_> = (0..6).map(|value| pool.push(value)).collect();
        pool.detach(handles[5]).unwrap();
        pool.retain(|_, value| *value == 0);
        let large = pool.snapshot();
        assert!(pool.free_detached(handles[5]));
        pool.shrink_to_fit();
        let small = pool.snapshot();
        assert_eq!(pool.capacity(), 1);
        for _ in 0..2 {
            pool.restore(&large).unwrap();
            pool.validate().unwrap();
            assert!(pool.capacity() == 8 && pool.detached().eq([handles[5]]));
            assert_eq!(pool.checksum(), large.checksum());
            pool.reattach(handles[5], 7).unwrap();
            pool.restore(&small).unwrap();
            pool.validate().unwrap();
            assert!(pool.capacity() == 1 && pool.detached().len() == 0);
            assert_eq!(pool.check(handles[5]), Err(Refusal::Stale));
            assert_eq!(pool.checksum(), small.checksum());
        }
    });
}

#[test]
fn aids_and_recorders_see_an_object_that_stays() {
    let aids = DebugAids::none().fill_dead_slots().remember_origins();
    let recorder = Recorder::builder().events(64).to_writer(std::io::sink()).unwrap();
    let mut pool = Pool::<u64>::builder().capacity(2).debug_aids(aids).build();
    let mut packed = PackedPool::<u64>::builder().capacity(2).debug_aids(aids).build();
    let mut growing = PackedVecPool::<u64>::builder().capacity(1).debug_aids(aids).build();
    macro_rules! goes_and_comes {
        ($($pool:ident),+) => {$(
            $pool.record(&recorder);
            let lamp = $pool.insert(1).unwrap();
            for _ in 0..5 {
                let value = $pool.detach(lamp).unwrap();
                $pool.reattach(lamp, value).unwrap();
            }
            assert_eq!($pool.live_report().unwrap().origins()[0].count(), 1);
            $pool.validate().unwrap();
            $pool.remove(lamp).unwrap();
        )+};
    }
    goes_and_comes!(pool, packed, growing);
    assert_eq!(recorder.finish().unwrap().events, 6);
}

#[test]
fn a_handle_of_another_pool_is_refused() {
    let mut pool = Pool::<u64>::new(2);
    let lamp = pool.insert(1).unwrap();
    pool.detach(lamp).unwrap();
    let mut other = Pool::<u64>::builder().lifetimes(1).capacity(2).build();
    let own = other.insert(1).unwrap();
    other.remove(own);
    // Its slot has retired, and was never kept.
    assert_eq!(other.reattach(lamp, 7).unwrap_err().kind(), InsertAtErrorKind::Stale);
    let beyond = Handle::from_parts(2, 1).unwrap();
    assert_eq!(other.reattach(beyond, 7).unwrap_err().kind(), InsertAtErrorKind::OutOfRange);
    other.validate().unwrap();
}

/// The pool is empty then, and what was out may come back, or leave its slot, as after `clear`.
#[test]
fn a_restore_that_panics_leaves_what_is_out() {
    macro_rules! restores {
        ($($pool:expr;)+) => {$(
            let ledger = Ledger::default();
            let mut pool = $pool.lifetimes(2).wrap().build();
            let handles = [0, 1, 2].map(|id| pool.insert(ledger.value(id)).unwrap());
            let past = pool.snapshot_cloned();
            let [first, second] = [0, 1].map(|at| pool.detach(handles[at]).unwrap());
            ledger.panic_in_clone_of(0);
            assert!(panics(|| pool.restore(&past).unwrap()));
            pool.validate().unwrap();
            assert!(pool.is_empty() && pool.detached().len() == 2);
            pool.reattach(handles[0], first).unwrap();
            drop(second);
            assert!(pool.free_detached(handles[1]));
            [3, 4].iter().for_each(|id| assert!(pool.insert(ledger.value(*id)).is_ok()));
            pool.validate().unwrap();
            drop((pool, past));
            assert_eq!(ledger.alive(), 0);
        )+};
    }
    restores! {
        Pool::builder().capacity(3);
        VecPool::builder().capacity_max(3);
        PackedPool::builder().capacity(3);
        PackedVecPool::builder().capacity_max(3);
    }
}

/// A slot that is as in the snapshot when the restore panics is out in its lifetime there. (The slots of packed pools follow
/// the values, so that none is.)
#[test]
fn a_restore_that_panics_keeps_what_was_out_in_the_snapshot() {
    macro_rules! restores {
        ($($pool:expr, $is_out:expr;)+) => {$(
            let ledger = Ledger::default();
            let mut pool = $pool.lifetimes(2).wrap().build();
            let handles = [0, 1, 2].map(|id| pool.insert(ledger.value(id)).unwrap());
            let out = pool.detach(handles[1]).unwrap();
            let past = pool.snapshot_cloned();
            pool.reattach(handles[1], out).unwrap();
            ledger.panic_in_clone_of(2);
            assert!(panics(|| pool.restore(&past).unwrap()));
            pool.validate().unwrap();
            assert!(pool.is_empty());
            assert_eq!(pool.free_detached(handles[1]), $is_out);
            assert_eq!(pool.detached().len(), 0);
            [3, 4, 5].iter().for_each(|id| assert!(pool.insert(ledger.value(*id)).is_ok()));
            pool.validate().unwrap();
            drop((pool, past));
            assert_eq!(ledger.alive(), 0);
        )+};
    }
    restores! {
        Pool::builder().capacity(3), true;
        VecPool::builder().capacity_max(3), true;
        PackedPool::builder().capacity(3), false;
        PackedVecPool::builder().capacity_max(3), false;
    }
}

/// The pool lists what is out: the first object that goes takes the list's memory, and a later one none while no more are
/// out than were.
#[test]
fn only_the_first_object_that_goes_out_takes_memory() {
    let mut pool = Pool::new(8);
    let handles = [1, 2].map(|value| pool.insert(value).unwrap());
    let (value, first) = during(|| pool.detach(handles[0]).unwrap());
    assert!(first.taken > 0);
    pool.reattach(handles[0], value).unwrap();
    let (value, later) = during(|| pool.detach(handles[1]).unwrap());
    assert_eq!((later.taken, later.resized), (0, 0));
    let (_, back) = during(|| pool.reattach(handles[1], value).unwrap());
    assert_eq!((back.taken, back.resized, back.freed), (0, 0, 0));
}
