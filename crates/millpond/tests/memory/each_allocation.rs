//! A system without memory at any one request: what promises an error returns one, and what promises a panic panics. Nothing
//! ends the program.

use std::panic::{AssertUnwindSafe, catch_unwind};

use millpond::debug::DebugAids;
use millpond::reuse::{Fifo, Lifo, LowestFirst, Roster};
use millpond::{
    Handle, HandleAllocator, PackedPool, PackedVecPool, Pool, Recycler, SideTable, SyncPool,
    SyncRecycler, VecPool,
};
use millpond_memory::FrameMemory;
use millpond_memory::FramePool;
use millpond_memory::size_classes::SizeClasses;
use millpond_overflow::{EvictOldest, Overflow, PolicyPool};

use crate::allocations::refusing_one;

/// Makes something once for each request that it takes, and is refused that one; returns how many there were. `make` says
/// whether it was made.
fn each_is_refused(what: &str, mut make: impl FnMut() -> bool) -> usize {
    for after in 0.. {
        let (is_made, was_refused) = refusing_one(after, &mut make);
        assert_eq!(is_made, !was_refused, "{what}, without request {after}");
        if !was_refused {
            return after;
        }
    }
    unreachable!("there are not so many requests");
}

#[test]
fn each_builder_returns_an_error_without_memory_for_any_one_of_its_requests() {
    // The standard library finds out once how many processors there are, which takes memory of its own.
    let _ = SyncPool::<u64>::builder();
    let aids = || DebugAids::all().report_on_drop(|_| ());
    macro_rules! built {
        ($($builder:expr;)*) => {$(
            assert!(each_is_refused(stringify!($builder), || $builder.try_build().is_ok()) > 0);
            each_is_refused(stringify!($builder), || $builder.debug_aids(aids()).try_build().is_ok());
        )*};
    }
    built! {
        Pool::<u64>::builder().capacity(9);
        Pool::<u64>::builder().capacity(9).untouched();
        Pool::<u64>::builder().capacity(9).reuse(Fifo);
        Pool::<u64>::builder().capacity(9).reuse(LowestFirst);
        Pool::<u64>::builder().capacity(9).reuse(Roster);
        VecPool::<u64>::builder().capacity(9);
        HandleAllocator::<Lifo>::builder().capacity(9);
        PackedPool::<u64>::builder().capacity(9);
        PackedVecPool::<u64>::builder().capacity(9);
        SyncPool::<u64>::builder().capacity(9);
        SyncPool::<u64>::builder().capacity(200).homes(4).drop_in_settle();
    }
    let of_objects = [
        each_is_refused("Recycler", || {
            Recycler::<u64>::builder().capacity(9).try_build_with(|_| 1).is_ok()
        }),
        each_is_refused("Recycler with aids", || {
            let builder = Recycler::<u64>::builder().capacity(9).debug_aids(aids());
            builder.try_build_with(|_| 1).is_ok()
        }),
        each_is_refused("SyncRecycler", || {
            SyncRecycler::<u64>::builder().capacity(9).try_build_with(|_| 1).is_ok()
        }),
        each_is_refused("SyncRecycler, lazily", || {
            // What it captures has a size.
            let number = std::hint::black_box(7);
            SyncRecycler::builder().capacity(9).try_build_lazily(move |n| n + number).is_ok()
        }),
        each_is_refused("SyncRecycler with a hook", || {
            let number = std::hint::black_box(7_u64);
            let builder = SyncRecycler::builder().capacity(9).on_release(move |n| *n += number);
            builder.try_build_with(|_| 1).is_ok()
        }),
        each_is_refused("SizeClasses", || SizeClasses::builder().class(64, 9).try_build().is_ok()),
        each_is_refused("EvictOldest", || EvictOldest::<Handle<u64>>::try_new(9).is_ok()),
        each_is_refused("SideTable", || {
            SideTable::<Handle<u64>, u64>::try_with_capacity(9).is_ok()
        }),
        each_is_refused("FrameMemory", || FrameMemory::try_new(900).is_some()),
        each_is_refused("FramePool", || FramePool::<u64>::try_new(9).is_ok()),
    ];
    assert!(of_objects.iter().all(|requests| *requests > 0), "{of_objects:?}");
    for policy in [Overflow::Spill, Overflow::Grow, Overflow::EvictOldest, Overflow::Refuse] {
        let spilled = if policy == Overflow::Spill { 9 } else { 0 };
        let requests = each_is_refused("PolicyPool", || {
            PolicyPool::<u64>::try_new(policy, Pool::builder().capacity(9), spilled).is_ok()
        });
        assert!(requests > 0);
    }
}

/// What is done to a pool that was made before, and panics without memory.
fn each_panics<P>(what: &str, mut make: impl FnMut() -> P, mut work: impl FnMut(&mut P)) {
    let requests = each_is_refused_in(what, &mut make, &mut work);
    assert!(requests > 0, "{what} takes memory");
}

fn each_is_refused_in<P>(
    what: &str,
    make: &mut impl FnMut() -> P,
    work: &mut impl FnMut(&mut P),
) -> usize {
    for after in 0.. {
        let mut pool = make();
        let (done, was_refused) =
            refusing_one(after, || catch_unwind(AssertUnwindSafe(|| work(&mut pool))).is_ok());
        assert_eq!(done, !was_refused, "{what}, without request {after}");
        if !was_refused {
            return after;
        }
    }
    unreachable!("there are not so many requests");
}

/// Of a pool with objects that are out of it, and slots that it had.
#[test]
fn a_clone_panics_without_memory_for_any_one_of_its_requests() {
    let detached = || {
        let mut pool = Pool::new(9);
        let handles: Vec<_> = (0..5_u64).map(|n| pool.insert(n).unwrap()).collect();
        assert!(pool.detach(handles[2]).is_some());
        pool
    };
    each_panics("a clone", detached, |pool| drop(pool.clone()));
    let former = || {
        let mut pool = VecPool::new();
        let handles: Vec<_> = (0..9_u64).map(|n| pool.push(n)).collect();
        handles[4..].iter().for_each(|handle| _ = pool.remove(*handle));
        assert!(pool.shrink_to_fit() > 0 && pool.detach(handles[0]).is_some());
        pool
    };
    each_panics("a clone of a VecPool", former, |pool| drop(pool.clone()));
    each_panics("its snapshot", former, |pool| drop(pool.snapshot()));
    let packed = || {
        let mut pool = PackedVecPool::new();
        let handles: Vec<_> = (0..9_u64).map(|n| pool.push(n)).collect();
        handles[4..].iter().for_each(|handle| _ = pool.remove(*handle));
        assert!(pool.shrink_to_fit() > 0 && pool.detach(handles[0]).is_some());
        pool
    };
    each_panics("a clone of a PackedVecPool", packed, |pool| drop(pool.clone()));
    let first = || {
        let mut pool = Pool::new(2);
        let handle = pool.insert(1_u64).unwrap();
        (pool, handle)
    };
    each_panics("the first object that is out", first, |(pool, handle)| {
        assert!(pool.detach(*handle).is_some());
    });
}
