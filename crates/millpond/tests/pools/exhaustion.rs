//! What happens when the generations of a slot are used up: it retires, or starts again if that was
//! chosen; and every layout's end is reached without 2^31 steps.

use std::collections::HashSet;

use crate::common::in_every_order;
use millpond::reuse::{Fifo, Lifo, ReuseOrder};
use millpond::{Handle, Handle32, HandleLayout, InsertAtErrorKind, Pool, PoolBuilder, Refusal};

/// Every handle that a pool of 3 slots gives until it is used up. Each is checked to be good when
/// issued and refused when removed; those of before are checked now and then.
fn all_handles<R: ReuseOrder, H: HandleLayout>(pool: &mut Pool<u64, R, H>) -> Vec<H> {
    let mut handles = Vec::new();
    let mut value = 0;
    while let Ok(handle) = pool.insert(value) {
        assert_eq!(pool.get(handle), Some(&value));
        let mut second = None;
        if value % 3 == 0 {
            second = pool.insert(value + 1).ok();
        }
        if value % 100 == 0 && (value / 100).is_power_of_two() {
            assert!(handles.iter().all(|old| !pool.contains(*old)));
        }
        let stats = pool.stats();
        assert!(stats.live + stats.retired <= stats.capacity);
        handles.push(handle);
        assert_eq!(pool.remove(handle), Some(value));
        assert_eq!(pool.check(handle), Err(Refusal::Stale));
        if let Some(second) = second {
            handles.push(second);
            assert_eq!(pool.remove(second), Some(value + 1));
        }
        value += 2;
    }
    handles
}

/// Under `retire`, each slot has exactly so many lifetimes, and no handle comes twice.
fn has_exactly<R: ReuseOrder, H: HandleLayout>(
    builder: PoolBuilder<u64, R, H>,
    slots: usize,
    lifetimes: u32,
) {
    let mut pool = builder.capacity(slots).build();
    let handles = all_handles(&mut pool);
    let distinct: HashSet<H> = handles.iter().copied().collect();
    assert_eq!(handles.len(), distinct.len(), "every handle is another");
    for slot in 0..slots as u32 {
        let of_slot = distinct.iter().filter(|handle| handle.index() == slot).count();
        assert_eq!(of_slot, lifetimes as usize, "slot {slot}");
    }
    assert!(pool.is_full() && pool.is_empty());
    assert_eq!(pool.stats().retired, slots);
    let full = pool.insert(1).unwrap_err();
    assert_eq!((full.retired(), full.capacity(), full.peak()), (slots, slots, slots.min(2)));
    let text = full.to_string();
    assert!(text.contains(&format!("of {slots} slots, 0 are live and {slots} retired")), "{text}");
    assert!(handles.iter().all(|handle| pool.check(*handle) == Err(Refusal::Stale)));
    for &handle in &handles {
        let error = pool.insert_at(handle, 1).unwrap_err();
        assert_eq!(error.kind(), InsertAtErrorKind::Retired);
    }
    pool.clear();
    assert!(pool.insert(1).is_err(), "a clear brings no retired slot back");
}

fn layout_ends<R: ReuseOrder>() {
    has_exactly(Pool::<u64>::builder().reuse(R::default()).handle::<Handle32<u64, 24>>(), 3, 255);
}

#[test]
fn slot_retires_after_all_generations_of_its_layout() {
    layout_ends::<Lifo>();
    layout_ends::<Fifo>();
    has_exactly(Pool::<u64>::builder().handle::<Handle32<u64, 31>>(), 3, 1);
    has_exactly(Pool::<u64>::builder().handle::<Handle32<u64, 30>>(), 3, 3);
}

fn limited<R: ReuseOrder, H: HandleLayout>(salt: Option<u64>) {
    for lifetimes in [1, 2, 3, 7, 100] {
        for name in [None, Some("a"), Some("bullets"), Some("rockets")] {
            let builder = Pool::<u64>::builder().reuse(R::default()).handle::<H>();
            let mut builder = builder.lifetimes(lifetimes);
            if let Some(name) = name {
                builder = builder.name(name);
            }
            if let Some(salt) = salt {
                builder = builder.salt(salt);
            }
            has_exactly(builder, 3, lifetimes);
        }
    }
}

#[test]
fn slot_of_a_pool_with_a_limit_has_exactly_so_many_lifetimes() {
    in_every_order!(limited::<Handle<u64>>(None));
    limited::<Lifo, Handle32<u64, 24>>(Some(3));
    limited::<Fifo, Handle32<u64, 24>>(Some(3));
}

/// Names and salts whose generations start in the middle, and go on at 1 after the largest.
#[test]
fn slot_of_a_named_pool_goes_round_the_whole_circle() {
    let mut starts = HashSet::new();
    for salt in 0..200 {
        let builder = Pool::<u64>::builder().handle::<Handle32<u64, 24>>().salt(salt);
        let mut pool = builder.capacity(1).build();
        let generations: Vec<u32> =
            all_handles(&mut pool).into_iter().map(Handle32::generation).collect();
        let start = generations[0];
        let circle = (start..=255).chain(1..start);
        assert!(generations.into_iter().eq(circle), "salt {salt}");
        starts.insert(start);
    }
    assert!(starts.len() > 80, "200 salts start at {} points only", starts.len());
}

#[test]
fn limit_beyond_the_layouts_own_is_the_layouts_own_and_one_of_0_is_1() {
    let builder = || Pool::<u64>::builder().handle::<Handle32<u64, 24>>();
    has_exactly(builder().lifetimes(256), 2, 255);
    has_exactly(builder().lifetimes(u32::MAX), 2, 255);
    has_exactly(builder().lifetimes(0), 2, 1);
    has_exactly(builder().name("x").lifetimes(0), 2, 1);
    // The same again, in the same order: what wrapping means.
    let mut pool = builder().name("wrapped").wrap().lifetimes(5).capacity(1).build();
    let round: Vec<_> = (0..15)
        .map(|value| {
            let handle = pool.insert(value).unwrap();
            pool.remove(handle);
            handle
        })
        .collect();
    assert_eq!((&round[5..], round[..5].iter().collect::<HashSet<_>>().len()), (&round[..10], 5));
}

#[test]
fn retire_takes_wrap_back() {
    has_exactly(Pool::<u64>::builder().lifetimes(4).wrap().retire(), 2, 4);
}
