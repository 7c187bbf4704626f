//! `PackedPool`: values without holes, in an order that the docs state, under handles that stay good.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use crate::allocations;
use crate::common::Random;
use millpond::{Handle, Handle32, HandleLayout, PackedPool, PackedPoolBuilder};

/// The pool's values stand in this order, wherever one asks.
fn check<H: HandleLayout>(pool: &PackedPool<u64, H>, order: &[(H, u64)]) {
    pool.validate().unwrap();
    assert!(pool.iter().map(|(handle, value)| (handle, *value)).eq(order.iter().copied()));
    assert!(pool.handles().eq(order.iter().map(|(handle, _)| *handle)));
    assert!(pool.as_slice().iter().eq(order.iter().map(|(_, value)| value)));
    for (position, (handle, value)) in order.iter().enumerate() {
        assert_eq!((pool.get(*handle), pool.position_of(*handle)), (Some(value), Some(position)));
        assert_eq!(pool.index_of(&pool[*handle]), Some(handle.index() as usize));
    }
}

/// Beside a vector whose `swap_remove` is the pool's `remove`, through all that the order depends on.
fn keeps_the_documented_order<H: HandleLayout>(
    builder: PackedPoolBuilder<u64, H>,
    capacity: usize,
) {
    let mut random = Random(capacity as u64 + 1);
    let mut pool = builder.capacity(capacity).build();
    let (mut order, mut gone): (Vec<(H, u64)>, Vec<H>) = (Vec::new(), Vec::new());
    for step in 0..1500 {
        match random.below(20) {
            0..9 => order.extend(pool.insert(step).ok().map(|handle| (handle, step))),
            9..14 if !order.is_empty() => {
                let (handle, value) = order.swap_remove(random.below(order.len()));
                assert_eq!(pool.remove(handle), Some(value));
                gone.push(handle);
            }
            14 => {
                let modulus = 1 + random.below(5) as u64;
                pool.sort_by_key(|value| value % modulus);
                order.sort_by_key(|(_, value)| value % modulus);
            }
            15 => {
                pool.sort_unstable_by(|a, b| b.cmp(a));
                order.sort_by_key(|(_, value)| std::cmp::Reverse(*value));
            }
            16 if !order.is_empty() => {
                let (a, b) = (random.below(pool.len()), random.below(pool.len()));
                pool.swap_positions(a, b);
                order.swap(a, b);
            }
            17 | 18 => {
                // Both remove as they come to the values, and then look at the one that has taken the place.
                let (parity, retains) = (random.below(2) as u64, random.below(2) == 0);
                let mut expected = Vec::new();
                let mut at = 0;
                while at < order.len() {
                    if order[at].1 % 2 == parity {
                        at += 1;
                    } else {
                        expected.push(order.swap_remove(at));
                    }
                }
                let mut removed = Vec::new();
                if retains {
                    pool.retain(|handle, value| {
                        let keeps = *value % 2 == parity;
                        removed.extend((!keeps).then_some((handle, *value)));
                        keeps
                    });
                } else {
                    removed.extend(pool.extract_if(|_, value| *value % 2 != parity));
                }
                assert_eq!(removed, expected);
                gone.extend(removed.into_iter().map(|(handle, _)| handle));
            }
            _ => {
                let taken = random.below(pool.len() + 1);
                assert!(pool.drain().take(taken).eq(order[..taken].iter().copied()));
                gone.extend(order.drain(..).map(|(handle, _)| handle));
            }
        }
        check(&pool, &order);
        for dead in gone.iter().rev().take(20) {
            assert_eq!((pool.get(*dead), pool.position_of(*dead)), (None, None), "{dead} is stale");
        }
        if let Some(next) = pool.vacant_entry().map(|entry| entry.handle()) {
            assert_eq!((pool.get(next), pool.position_of(next)), (None, None), "{next} is to come");
        }
    }
    assert!(pool.into_iter().eq(order));
}

#[test]
fn values_stand_in_the_documented_order_at_every_capacity() {
    for capacity in [0, 1, 2, 3, 17, 64, 65, 130] {
        keeps_the_documented_order(PackedPool::builder(), capacity);
        let narrow = PackedPool::builder().handle::<Handle32<u64, 16>>();
        keeps_the_documented_order(narrow, capacity);
        let short = PackedPool::builder().handle::<Handle32<u64, 24>>().lifetimes(6);
        keeps_the_documented_order(short, capacity);
    }
}

/// (Nor do the methods that other pools have, too: see the families.)
#[test]
fn sorting_takes_no_memory() {
    let mut pool = PackedPool::<[u64; 3]>::new(1000);
    (0..1000).for_each(|value| _ = pool.insert([1, value, 0]).unwrap());
    let ((), asked) = allocations::during(|| {
        pool.sort_by(|a, b| b[1].cmp(&a[1]));
        pool.sort_unstable_by(|a, b| (a[1] % 10).cmp(&(b[1] % 10)));
        pool.sort_by_key(|value| value[1] % 7);
        pool.swap_positions(0, 999);
    });
    assert_eq!(asked, allocations::Allocations::default());
}

#[test]
fn takes_exactly_the_documented_bytes() {
    let slots = 6400;
    let (pool, asked) = allocations::during(|| PackedPool::<[u8; 24]>::new(slots));
    assert_eq!(asked.resized, 0);
    assert_eq!(asked.bytes_taken, slots * (24 + 16));
    drop(pool);
    let narrow = PackedPool::<[u8; 24]>::builder().handle::<Handle32<[u8; 24], 16>>();
    let (_pool, asked) = allocations::during(|| narrow.capacity(slots).build());
    assert_eq!(asked.bytes_taken, slots * (24 + 8));
}

/// What a `retain` does, in its order: looks at a value, or drops one.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Event {
    Kept(u64),
    Refused(u64),
    Dropped(u64),
}

/// Writes its drop down, and panics in it if it is to.
#[derive(Debug)]
struct Noisy {
    id: u64,
    panics: bool,
    log: Rc<RefCell<Vec<Event>>>,
}

impl Clone for Noisy {
    fn clone(&self) -> Self {
        Self { id: self.id, panics: false, log: Rc::default() }
    }
}

impl Drop for Noisy {
    fn drop(&mut self) {
        self.log.borrow_mut().push(Event::Dropped(self.id));
        assert!(!self.panics, "a drop panics");
    }
}

/// Where a retain panics.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Panics {
    Never,
    /// In this call of the function.
    Keep(usize),
    /// In the drop of this value.
    Drop(u64),
}

/// Up to so many slots a pool removes one by one, from there on in batches (of 64).
const CAPACITIES: [usize; 2] = [300, 5000];

/// A pool of so many values whose order and whose vacant slots are well mixed.
fn mixed<H: HandleLayout>(
    builder: PackedPoolBuilder<Noisy, H>,
    capacity: usize,
    len: usize,
    panics: Panics,
    log: &Rc<RefCell<Vec<Event>>>,
) -> PackedPool<Noisy, H> {
    let mut random = Random(len as u64 + 1);
    let mut pool = builder.capacity(capacity).build();
    let value = || Noisy { id: 0, panics: false, log: log.clone() };
    let most = capacity.min(len + 40);
    let mut handles: Vec<_> = (0..most).map(|_| pool.insert(value()).unwrap()).collect();
    while pool.len() > len.saturating_sub(20) {
        let any = random.below(handles.len());
        pool.remove(handles.swap_remove(any));
    }
    while pool.len() < len {
        pool.insert(value()).unwrap();
    }
    for _ in 0..len {
        pool.swap_positions(random.below(len), random.below(len));
    }
    for (id, value) in (0..).zip(pool.values_mut()) {
        (value.id, value.panics) = (id, panics == Panics::Drop(id));
    }
    log.borrow_mut().clear();
    pool
}

/// Retains by the function of the value's place in the sequence of calls, and does the same to a copy by
/// single removals, as the docs describe it; the two must be the same in everything.
fn retains_as_removals<H: HandleLayout>(
    builder: PackedPoolBuilder<Noisy, H>,
    capacity: usize,
    len: usize,
    panics: Panics,
    goes: impl Fn(usize) -> bool,
) {
    let log = Rc::default();
    let mut pool = mixed(builder, capacity, len, panics, &log);
    let mut expected = pool.clone();
    let (mut expected_log, mut expected_seen) = (Vec::new(), Vec::new());
    let (mut position, mut call) = (0, 0);
    while position < expected.len() && Panics::Keep(call) != panics {
        let (handle, id) = (expected.as_handle_slice()[position], expected.as_slice()[position].id);
        expected_seen.push((handle, id));
        if goes(call) {
            expected.remove(handle).unwrap();
            expected_log.extend([Event::Refused(id), Event::Dropped(id)]);
            if panics == Panics::Drop(id) {
                break;
            }
        } else {
            expected_log.push(Event::Kept(id));
            position += 1;
        }
        call += 1;
    }

    let mut call = 0;
    let mut seen = Vec::new();
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        pool.retain(|handle, value| {
            assert_ne!(panics, Panics::Keep(call), "a call panics");
            let keeps = !goes(call);
            call += 1;
            seen.push((handle, value.id));
            log.borrow_mut().push(if keeps { Event::Kept } else { Event::Refused }(value.id));
            keeps
        });
    }));
    let context = format!("{capacity} slots, {len} values, {panics:?}");
    assert!(panics != Panics::Never || outcome.is_ok(), "{context}");
    assert_eq!(*log.borrow(), expected_log, "{context}");
    assert_eq!(seen, expected_seen, "{context}");
    pool.validate().unwrap();
    assert!(pool.handles().eq(expected.handles()), "{context}");
    assert!(pool.values().map(|v| v.id).eq(expected.values().map(|v| v.id)), "{context}");
    assert_eq!(pool.stats(), expected.stats(), "{context}");
    for (handle, id) in seen {
        assert_eq!(pool.position_of(handle), expected.position_of(handle), "{context}");
        assert_eq!(pool.get(handle).map(|v| v.id), expected.get(handle).map(|_| id), "{context}");
    }
    let value = || Noisy { id: 0, panics: false, log: Rc::default() };
    for _ in 0..len + 50 {
        let (next, expected) = (pool.insert(value()).ok(), expected.insert(value()).ok());
        assert_eq!(next, expected, "{context}");
    }
    pool.retain(|_, value| {
        value.panics = false;
        true
    });
    pool.validate().unwrap();
}

#[test]
fn retain_is_the_documented_removals_at_every_border_of_a_batch() {
    let lens = [0, 1, 63, 64, 65, 128, 129, 200];
    for capacity in CAPACITIES {
        for len in lens {
            let check = |goes: &dyn Fn(usize) -> bool| {
                let builder = PackedPool::<Noisy>::builder();
                retains_as_removals(builder, capacity, len, Panics::Never, goes);
            };
            for deaths in lens.into_iter().filter(|deaths| *deaths <= len) {
                check(&|call| call < deaths);
                check(&|call| call + deaths >= len);
                check(&|call| call >= 5 && call < 2 * deaths + 5 && call % 2 == 0);
            }
            for seed in 0..4 {
                let part = 1 + 2 * seed as usize;
                let goes = |call| Random(seed * 1000 + call as u64 + 1).below(part) == 0;
                check(&goes);
                let short = PackedPool::builder().handle::<Handle32<Noisy, 24>>().lifetimes(2);
                retains_as_removals(short, capacity, len, Panics::Never, goes);
            }
        }
    }
}

#[test]
fn retain_that_panics_anywhere_has_done_what_came_before() {
    let len = 140;
    // The batches at each value; the removals one by one, which know no borders, at some.
    for (capacity, step) in CAPACITIES.into_iter().zip([21, 3]) {
        for part in [1, 2, 5] {
            let goes = |call: usize| Random(call as u64 + 1).below(part) == 0;
            let check = |panics| {
                retains_as_removals(PackedPool::builder(), capacity, len, panics, goes);
            };
            (0..=len).step_by(step).for_each(|call| check(Panics::Keep(call)));
            (0..len as u64).step_by(step).for_each(|id| check(Panics::Drop(id)));
        }
    }
}

#[test]
fn retain_of_values_without_size_and_with_large_alignment() {
    for capacity in CAPACITIES {
        let mut units = PackedPool::new(capacity);
        let handles: Vec<_> = (0..200).map(|_| units.insert(()).unwrap()).collect();
        units.retain(|handle, ()| handle.index() % 3 == 0);
        units.validate().unwrap();
        let live = |handle: &&Handle<()>| handle.index() % 3 == 0;
        assert_eq!(units.len(), handles.iter().filter(live).count());
        assert!(handles.iter().all(|handle| units.contains(*handle) == live(&handle)));

        #[derive(Debug)]
        #[repr(align(256))]
        struct Wide(u32);
        let mut wide = PackedPool::new(capacity);
        let handles: Vec<_> = (0..200).map(|id| wide.insert(Wide(id)).unwrap()).collect();
        wide.retain(|_, value| value.0 % 3 == 0);
        wide.validate().unwrap();
        for (id, handle) in (0..).zip(handles) {
            let value = wide.get(handle);
            assert_eq!(value.map(|value| value.0), (id % 3 == 0).then_some(id));
            assert!(value.is_none_or(|value| std::ptr::from_ref(value).addr().is_multiple_of(256)));
        }
    }
}
