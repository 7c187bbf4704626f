//! Overflow policies, on every pool that can be full, against plain models.

use std::collections::VecDeque;

use crate::allocations;
use crate::common::Random;
use millpond::overflow::Bounded;
use millpond::reuse::{Fifo, LowestFirst, Roster};
use millpond::{
    Handle, Handle32, PackedPool, PackedVecPool, Pool, Recycler, StaticPool, Stats, VecPool,
};
use millpond_overflow::{
    EvictLeast, EvictLesser, EvictOldest, Overflow, Policy, PolicyPool, Refuse, Spill,
};

/// Runs a generic test on every pool of `u64` with 8-byte handles, 7 slots each.
macro_rules! on_every_pool {
    ($test:ident) => {
        $test(Pool::<u64>::new(7));
        $test(Pool::<u64>::builder().reuse(Fifo).capacity(7).build());
        $test(Pool::<u64>::builder().reuse(LowestFirst).capacity(7).build());
        $test(Pool::<u64>::builder().reuse(Roster).capacity(7).build());
        $test(Pool::<u64>::builder().handle::<Handle32<u64, 16>>().capacity(7).build());
        $test(PackedPool::<u64>::new(7));
        $test(StaticPool::<u64, 7>::new());
        $test(VecPool::<u64>::builder().capacity_max(7).build());
        $test(PackedVecPool::<u64>::builder().capacity_max(7).build());
        $test(Spill::new(Pool::<u64>::new(4), Pool::<u64>::new(3)));
        $test(Spill::new(
            VecPool::<u64>::builder().capacity_max(4).build(),
            VecPool::<u64>::builder().capacity_max(3).build(),
        ));
        $test(Spill::new(Pool::<u64>::new(0), PackedPool::<u64>::new(7)));
    };
}

#[test]
fn a_policy_sees_of_a_pool_what_its_owner_sees() {
    fn test<P: Bounded<Value = u64>>(mut pool: P) {
        assert_eq!((pool.len(), pool.is_empty(), pool.is_full()), (0, true, false));
        let handles: Vec<_> = (0..7).map(|n| pool.insert(n).unwrap()).collect();
        assert_eq!((pool.len(), pool.is_empty(), pool.is_full()), (7, false, true));
        assert_eq!((pool.capacity(), pool.capacity_max()), (7, 7));
        pool.iter_mut().for_each(|(handle, n)| {
            assert_eq!(handle, handles[*n as usize]);
            *n += 10;
        });
        let mut seen: Vec<_> = pool.iter().map(|(handle, n)| (*n, handle)).collect();
        seen.sort_unstable();
        assert!(seen.into_iter().eq((10..).zip(handles.iter().copied())));
        *pool.get_mut(handles[3]).unwrap() = 99;
        pool.retain(|_, n| *n >= 13);
        assert_eq!(
            (pool.len(), pool.contains(handles[2]), pool.get(handles[3])),
            (4, false, Some(&99))
        );
        assert_eq!((pool.remove(handles[3]), pool.remove(handles[3])), (Some(99), None));
        pool.clear();
        assert!(pool.is_empty() && !handles.iter().any(|handle| pool.contains(*handle)));
    }
    on_every_pool!(test);
}

/// "Forcibly kill an existing one whose loss is noticed least (the quietest sound)."
#[test]
fn the_object_with_the_smallest_key_goes() {
    fn test<P: Bounded<Value = u64>>(mut pool: P) {
        let mut random = Random(3);
        let mut least = EvictLeast(|_, n: &u64| n % 1000);
        let mut model: Vec<(P::Handle, u64)> = Vec::new();
        for _ in 0..100 {
            let value = random.next();
            let (handle, evicted) = least.insert(&mut pool, value).unwrap();
            let victim = (0..model.len()).min_by_key(|at| model[*at].1 % 1000);
            let victim = victim.filter(|_| model.len() == 7);
            assert_eq!(evicted, victim.map(|at| model.swap_remove(at)));
            model.push((handle, value));
            assert!(model.iter().all(|(handle, n)| pool.get(*handle) == Some(n)));
        }
        assert_eq!((pool.stats().evicted, pool.stats().refused), (93, 0));
    }
    on_every_pool!(test);
}

#[test]
fn the_object_that_has_lived_longest_goes_whatever_was_removed_before() {
    fn test<P: Bounded<Value = u64>>(mut pool: P) {
        let mut random = Random(5);
        let mut oldest = EvictOldest::beside(&pool);
        let mut model: VecDeque<(P::Handle, u64)> = VecDeque::new();
        let mut evictions = 0;
        for _ in 0..4000 {
            match random.next() % 16 {
                0..8 => {
                    let value = random.next();
                    let (handle, evicted) = oldest.insert(&mut pool, value).unwrap();
                    let full = model.len() == 7;
                    assert_eq!(evicted, if full { model.pop_front() } else { None });
                    evictions += u64::from(full);
                    model.push_back((handle, value));
                }
                8..12 if !model.is_empty() => {
                    let at = random.next() as usize % model.len();
                    let (handle, value) = model.remove(at).unwrap();
                    assert_eq!(pool.remove(handle), Some(value));
                }
                12 => {
                    pool.retain(|_, n| *n % 3 != 0);
                    model.retain(|(_, n)| n % 3 != 0);
                }
                13 if random.next() % 8 == 0 => {
                    pool.clear();
                    model.clear();
                }
                // Used again: the newest from now on.
                14 if !model.is_empty() => {
                    let at = random.next() as usize % model.len();
                    let known = model.remove(at).unwrap();
                    oldest.note(known.0);
                    model.push_back(known);
                }
                _ => {}
            }
            assert_eq!(oldest.oldest(&pool), model.front().map(|(handle, _)| *handle));
        }
        assert!(evictions > 100, "{evictions}");
        assert_eq!(pool.stats().evicted, evictions);
    }
    on_every_pool!(test);
}

/// As its clone is, but in place: for the C library's snapshots.
#[test]
fn a_list_takes_on_the_state_of_another() {
    let mut pool = Pool::new(3);
    let handles = [0, 1, 2].map(|value| pool.insert(value).unwrap());
    let [mut list, mut other] = [(); 2].map(|()| EvictOldest::beside(&pool));
    handles.iter().for_each(|handle| list.note(*handle));
    handles.iter().rev().for_each(|handle| other.note(*handle));
    other.copy_state_from(&list);
    // Another order from here on is the first list's own.
    list.note(handles[0]);
    for oldest in handles {
        assert_eq!(other.oldest(&pool), Some(oldest));
        pool.remove(oldest);
    }
    assert_eq!(other.oldest(&pool), None);
}

#[test]
fn objects_that_the_list_was_not_told_of_go_when_no_other_is_left() {
    let mut pool = Pool::new(2);
    let mut oldest = EvictOldest::beside(&pool);
    pool.insert("first").unwrap();
    let (second, _) = oldest.insert(&mut pool, "second").unwrap();
    let (_, evicted) = oldest.insert(&mut pool, "third").unwrap();
    assert_eq!(evicted, Some((second, "second")));
    // A slot's place does not pass on to an object that came another way.
    pool.clear();
    pool.insert("a").unwrap();
    pool.insert("b").unwrap();
    let (_, evicted) = oldest.insert(&mut pool, "c").unwrap();
    assert_eq!(evicted.unwrap().1, "a", "the lowest index");
    assert_eq!(pool.len(), 2);
}

fn message(work: impl FnOnce()) -> String {
    let payload = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).unwrap_err();
    match payload.downcast::<String>() {
        Ok(text) => *text,
        Err(payload) => (*payload.downcast::<&str>().unwrap()).to_owned(),
    }
}

#[test]
fn a_list_beside_a_pool_that_grows_grows_with_it() {
    fn test<P: Bounded<Value = u64>>(mut pool: P) {
        assert!(pool.capacity() < 8);
        let mut oldest = EvictOldest::beside(&pool);
        (0..8).for_each(|n| assert!(oldest.insert(&mut pool, n).unwrap().1.is_none()));
        assert_eq!(oldest.insert(&mut pool, 8).unwrap().1.unwrap().1, 0);
    }
    let vec_pool = |slots| VecPool::<u64>::builder().capacity_max(slots).build();
    test(vec_pool(8));
    test(PackedVecPool::<u64>::builder().capacity_max(8).build());
    test(Spill::new(Pool::new(3), vec_pool(5)));
    // A list of another pool takes more places before anything is inserted.
    let mut oldest = EvictOldest::beside(&Pool::<u64>::new(2));
    let mut pool = Pool::new(3);
    (0..3).for_each(|n| assert!(oldest.insert(&mut pool, n).unwrap().1.is_none()));
    assert_eq!(oldest.insert(&mut pool, 3).unwrap().1.unwrap().1, 0);
}

#[test]
fn a_list_refuses_the_dangling_handle() {
    fn refused<H: millpond::HandleLayout>(oldest: &mut EvictOldest<H>, handle: H) -> String {
        message(|| oldest.note(handle))
    }
    let mut pool = Pool::<u64>::new(2);
    let mut oldest = EvictOldest::beside(&pool);
    let (first, _) = oldest.insert(&mut pool, 1).unwrap();
    let dangling = "the dangling handle names no object";
    assert_eq!(refused(&mut oldest, Handle::DANGLING), dangling);
    assert_eq!(oldest.oldest(&pool), Some(first), "the list is unchanged");
    // The slot that the dangling handle of this layout names is there.
    let mut all = EvictOldest::<Handle32<u64, 4>>::try_new(16).unwrap();
    assert_eq!(refused(&mut all, Handle32::DANGLING), dangling);
}

#[test]
fn a_pool_of_no_slots_refuses_by_every_policy() {
    let mut pool = Pool::<u64>::new(0);
    assert!(Refuse.insert(&mut pool, 1).is_err());
    assert!(EvictLeast(|_, n: &u64| *n).insert(&mut pool, 1).is_err());
    assert!(EvictOldest::beside(&pool).insert(&mut pool, 1).is_err());
    assert!(Spill::new(Pool::<u64>::new(0), Pool::new(0)).insert(1).is_err());
    assert_eq!(pool.stats().refused, 3);
}

#[test]
fn recyclers_release_what_the_list_was_not_told_of_when_no_other_is_left() {
    let mut voices = Recycler::from_fn(2, |_| 0);
    let mut oldest = EvictOldest::beside(&voices);
    let known = [voices.acquire().unwrap().0, voices.acquire().unwrap().0];
    let (_, _, evicted) = oldest.acquire(&mut voices).unwrap();
    assert_eq!(evicted, Some(known[0]), "the lowest index");
    let (_, _, evicted) = oldest.acquire(&mut voices).unwrap();
    assert!(evicted.is_some_and(|handle| handle.index() == 0), "what the list knows goes first");
    assert!(voices.contains(known[1]));
    let mut last = Recycler::builder().capacity(1).lifetimes(1).build_with(|_| 0);
    last.acquire().unwrap();
    assert!(EvictOldest::beside(&last).acquire(&mut last).is_none());
}

#[test]
fn pools_of_other_kinds_are_told_which_object_is_the_oldest() {
    let mut pool = Recycler::<u64>::new(2);
    let mut handles = millpond::HandleAllocator::new(2);
    let (mut of_pool, mut of_handles) = (EvictOldest::beside(&pool), EvictOldest::beside(&handles));
    let mut before = VecDeque::new();
    for _ in 0..20 {
        if let (Some((in_pool, handle)), true) = (before.front().copied(), pool.is_full()) {
            assert_eq!(of_pool.oldest(&pool), Some(in_pool));
            assert_eq!(of_handles.oldest(&handles), Some(handle));
            assert!(pool.release(in_pool) && handles.release(handle));
            before.pop_front();
        }
        let (in_pool, handle) = (pool.acquire().unwrap().0, handles.acquire().unwrap());
        of_pool.note(in_pool);
        of_handles.note(handle);
        before.push_back((in_pool, handle));
    }
}

/// "Grow at run time or open a second overflow pool": where the first is full, the second takes what comes.
#[test]
fn two_pools_look_like_one() {
    let mut spill = Spill::new(Pool::new(2), PackedPool::new(3));
    let handles: Vec<Handle<u64>> = (0..5).map(|n| spill.insert(n).unwrap()).collect();
    let spilled = handles.iter().map(|handle| spill.is_spilled(*handle));
    assert!(spilled.eq([false, false, true, true, true]));
    assert_eq!(spill.insert(9).unwrap_err().into_inner(), 9);
    assert_eq!((spill.remove(handles[0]), spill.remove(handles[3])), (Some(0), Some(3)));
    // The first has room again, and takes what comes.
    let again = spill.insert(5).unwrap();
    assert_eq!((spill.is_spilled(again), again.index(), spill[again]), (false, 0, 5));
    let mut seen: Vec<_> = spill.iter().map(|(handle, n)| (*n, handle)).collect();
    seen.sort_unstable();
    assert_eq!(seen, [(1, handles[1]), (2, handles[2]), (4, handles[4]), (5, again)]);
    let (first, second) = spill.into_inner();
    assert_eq!((first.len(), second.len(), second.as_slice()), (2, 2, &[2, 4][..]));
}

#[test]
fn two_pools_tell_what_both_have_done_together() {
    let [first, second] = [(3, 2), (4, 3)].map(|(slots, refusals)| {
        let mut pool = Pool::builder().capacity(slots).lifetimes(2).build();
        for _ in 0..2 {
            let handle = pool.insert(0).unwrap();
            pool.remove(handle);
        }
        while !pool.is_full() {
            pool.insert(0).unwrap();
        }
        (0..refusals).for_each(|_| assert!(pool.insert(0).is_err()));
        pool.insert_or_evict(0, |_, n| *n);
        pool
    });
    let (a, b) = (first.stats(), second.stats());
    assert_eq!((a.live, a.retired, a.refused, a.evicted), (2, 1, 2, 1));
    let mut expected = Stats::default();
    expected.capacity = 7;
    expected.live = a.live + b.live;
    expected.peak = a.peak + b.peak;
    expected.retired = a.retired + b.retired;
    expected.inserted = a.inserted + b.inserted;
    expected.removed = a.removed + b.removed;
    expected.refused = a.refused + b.refused;
    expected.evicted = a.evicted + b.evicted;
    assert_eq!(Spill::new(first, second).stats(), expected);
}

#[test]
#[should_panic(expected = "two pools of 300 slots together, but this handle layout can name 256")]
fn two_pools_that_no_handle_can_tell_apart_are_refused() {
    let pool = || Pool::<u64>::builder().handle::<Handle32<u64, 8>>().capacity(150).build();
    let _ = Spill::new(pool(), pool());
}

#[test]
#[should_panic(expected = "no part of the pool has a live object for handle 3v1")]
fn an_index_that_is_refused_names_the_handle() {
    let spill = Spill::new(Pool::<u64>::new(2), Pool::<u64>::new(2));
    let _ = spill[Handle::from_parts(3, 1).unwrap()];
}

#[test]
fn a_policy_is_chosen_at_run_time() {
    for &policy in Overflow::ALL {
        let more = if matches!(policy, Overflow::Spill | Overflow::Grow) { 2 } else { 0 };
        let builder = Pool::<u64>::builder().capacity(3).name("keys");
        let mut pool = PolicyPool::new(policy, builder, more);
        assert_eq!((pool.capacity_max(), pool.name()), (3 + more, Some("keys")));
        let keys = [5_u64, 1, 9, 7, 3, 8];
        let mut evicted = Vec::new();
        let mut refused = Vec::new();
        for key in keys {
            match pool.insert_by(key, |_, value| *value) {
                Ok((handle, gone)) => {
                    assert_eq!(pool[handle], key);
                    evicted.extend(gone.map(|(_, value)| value));
                }
                Err(full) => refused.push(full.into_inner()),
            }
        }
        let expected: (&[u64], &[u64]) = match policy {
            Overflow::Refuse => (&[], &[7, 3, 8]),
            Overflow::EvictLeast => (&[1, 5, 3], &[]),
            Overflow::EvictOldest => (&[5, 1, 9], &[]),
            Overflow::Spill | Overflow::Grow => (&[], &[8]),
            other => unreachable!("{other}"),
        };
        assert_eq!((&evicted[..], &refused[..]), expected, "{policy}");
        assert_eq!((pool.policy(), pool.is_full()), (policy, true));
        pool.validate().unwrap();
        let handle = pool.iter().next().unwrap().0;
        *pool.get_mut(handle).unwrap() += 1;
        pool[handle] += 1;
        let sum: u64 = pool.iter_mut().map(|(_, value)| *value).sum();
        assert_eq!(sum, pool.iter().map(|(_, value)| *value).sum::<u64>());
        pool.retain(|other, _| other == handle);
        assert_eq!((pool.len(), pool.remove(handle).is_some(), pool.is_empty()), (1, true, true));
    }
}

#[test]
fn a_full_pool_tells_of_all_its_slots() {
    for &policy in Overflow::ALL {
        let builder = Pool::builder().capacity(3).lifetimes(2).name("sparks");
        let mut pool = PolicyPool::new(policy, builder, 18);
        // What is full cannot make room once every slot is in its last lifetime.
        (0..21).for_each(|n| assert!(pool.insert_by(n, |_, n| *n).is_ok()));
        pool.clear();
        (0..21).for_each(|n| assert!(pool.insert_by(n, |_, n| *n).is_ok()));
        let full = pool.insert_by(99, |_, n| *n).unwrap_err();
        assert!(!full.is_out_of_memory());
        assert_eq!(full.to_string(), "pool \"sparks\" is full: all 21 slots are live", "{policy}");
        assert_eq!((full.into_inner(), pool.stats().refused), (99, 1));
        assert!(!pool.is_spilled(pool.iter().next().unwrap().0));
        let handle = pool.iter().nth(20).unwrap().0;
        assert!(pool.is_spilled(handle) && pool.remove(handle).is_some());
        let full = pool.insert_by(99, |_, n| *n).unwrap_err();
        let says = "pool \"sparks\" is full: of 21 slots, 20 are live and 1 retired, 21 were live at the peak";
        assert_eq!(full.to_string(), says, "{policy}");
    }
}

#[test]
fn a_capacity_that_holds_takes_no_memory_later() {
    let mut pool = PolicyPool::new(Overflow::Grow, Pool::builder().capacity(64), 1 << 20);
    for round in 0..100 {
        (0..64).for_each(|n| assert!(pool.insert_by(n + round, |_, _| 0).is_ok()));
        pool.clear();
    }
    assert_eq!(pool.capacity(), 64);
    // Room that was made ahead is room that nothing waits for.
    pool.reserve(1000).unwrap();
    let reserved = pool.capacity();
    (0..1000).for_each(|n| assert!(pool.insert_by(n, |_, _| 0).is_ok()));
    assert_eq!(pool.capacity(), reserved);
    let error = pool.reserve(1 << 20).unwrap_err();
    assert!(!error.is_out_of_memory() && error.to_string().contains("1048640 slots, and 1000 are"));
    // What was taken is given back.
    pool.clear();
    assert_eq!((pool.shrink_to_fit(), pool.capacity()), (reserved - 64, 64));
    // The others have what they have.
    let mut fixed = PolicyPool::new(Overflow::Spill, Pool::builder().capacity(2), 2);
    fixed.insert_by(1, |_, _| 0).unwrap();
    assert!(fixed.reserve(3).is_ok() && fixed.reserve(4).is_err());
    assert_eq!((fixed.shrink_to_fit(), fixed.capacity()), (0, 4));
}

#[test]
fn room_that_is_made_ahead_does_without_the_slots_that_have_retired() {
    let builder = Pool::builder().capacity(4).lifetimes(1).name("trees");
    let mut pool = PolicyPool::new(Overflow::Grow, builder, 32);
    let handles = [1, 2, 3].map(|tree| pool.insert_by(tree, |_, _| 0).unwrap().0);
    handles[..2].iter().for_each(|handle| assert!(pool.remove(*handle).is_some()));
    // One vacant slot of the four, and 32 to grow by.
    let error = pool.reserve(34).unwrap_err();
    assert_eq!(
        error.to_string(),
        "pool \"trees\" cannot make room for 34 more values: it may have 36 slots, and 1 are live, \
         2 retired"
    );
    pool.reserve(10).unwrap();
    let reserved = pool.capacity();
    (0..10).for_each(|tree| assert!(pool.insert_by(tree, |_, _| 0).is_ok()));
    assert_eq!(pool.capacity(), reserved);
    pool.reserve(23).unwrap();
}

#[test]
fn growth_without_memory_is_said_to_be_that() {
    let builder = Pool::builder().capacity(16).name("big");
    let mut pool = PolicyPool::new(Overflow::Grow, builder, 64);
    let ((), asked) = allocations::during(|| {
        (0..16).for_each(|n| assert!(pool.insert_by([n; 1000], |_, _| 0).is_ok()));
    });
    assert_eq!(asked, allocations::Allocations::default());
    for from in [8, 64, 1000] {
        let (told, first) = allocations::refusing(from, || {
            let full = pool.insert_by([99; 1000], |_, _| 0).unwrap_err();
            assert!(full.is_out_of_memory() && !pool.is_full());
            ((full.capacity(), full.peak()), full.into_inner()[0])
        });
        assert_eq!((told, first, pool.len()), ((16, 16), 99, 16));
        let error = allocations::refusing(from, || pool.reserve(9).unwrap_err());
        assert!(error.is_out_of_memory());
        let says = "pool \"big\" cannot make room for 9 more values: there is no memory";
        assert_eq!(error.to_string(), says);
    }
    pool.insert_by([99; 1000], |_, _| 0).unwrap();
    // Of such large values, the first slot comes alone.
    assert_eq!((pool.capacity(), pool.stats().refused), (17, 3));
}

#[test]
fn a_pool_may_grow_to_as_many_slots_as_its_handles_can_name() {
    let builder = Pool::<u64>::builder().handle::<Handle32<u64, 8>>().capacity(100);
    let mut pool = PolicyPool::new(Overflow::Grow, builder, 156);
    (0..=255).for_each(|n| assert!(pool.insert_by(n, |_, _| 0).is_ok()));
    assert_eq!((pool.capacity(), pool.is_full()), (256, true));
}

#[test]
#[should_panic(expected = "a capacity of 300 is more than the 256 slots")]
fn a_pool_that_may_grow_beyond_its_handles_is_refused() {
    let builder = Pool::<u64>::builder().handle::<Handle32<u64, 8>>().capacity(150);
    let _ = PolicyPool::new(Overflow::Grow, builder, 150);
}

#[test]
fn names_are_read_back() {
    for &policy in Overflow::ALL {
        assert_eq!(policy.name().parse(), Ok(policy));
    }
    assert!("Refuse".parse::<Overflow>().is_err() && "".parse::<Overflow>().is_err());
}

#[test]
fn a_policy_refuses_the_least_newcomer_of_every_pool() {
    fn test<P: Bounded<Value = u64>>(mut pool: P) {
        let mut lesser = EvictLesser(|value: &u64| *value);
        (10..17).for_each(|n| assert!(lesser.insert(&mut pool, n).unwrap().1.is_none()));
        assert_eq!(lesser.insert(&mut pool, 9).unwrap_err().into_inner(), 9);
        assert_eq!(lesser.insert(&mut pool, 10).unwrap().1.unwrap().1, 10);
        assert_eq!(lesser.insert(&mut pool, 99).unwrap().1.unwrap().1, 10);
        let Stats { refused, evicted, .. } = pool.stats();
        assert_eq!((refused, evicted), (1, 2));
    }
    on_every_pool!(test);
}

#[test]
fn other_policies_do_not_compare_the_newcomer() {
    for (policy, refuses) in [(Overflow::Refuse, true), (Overflow::EvictOldest, false)] {
        let mut pool = PolicyPool::new(policy, Pool::<u64>::builder().capacity(1), 0);
        pool.insert_unless_least(90, |value| *value).unwrap();
        assert_eq!(pool.insert_unless_least(5, |value| *value).is_err(), refuses);
        assert_eq!(pool.insert_unless_least(95, |value| *value).is_err(), refuses);
    }
}
