//! `clone_from`: a pool becomes a clone of another in its own memory, if both are alike, and anew if not.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;

use crate::allocations::during;
use crate::common::in_every_order;
use millpond::recorder::Recorder;
use millpond::reuse::ReuseOrder;
use millpond::{
    Handle, Handle32, HandleAllocator, PackedPool, PackedVecPool, Pool, Recycler, SideTable,
    StaticPool, VecPool,
};

const SLOTS: usize = 200;

/// Which of the values stay: all, with holes, few.
const PATTERNS: [fn(usize) -> bool; 3] = [|_| true, |i| i % 3 != 1, |i| i / 64 == 1];

macro_rules! filled {
    ($pool:expr, $values:expr, $stays:expr, $value:expr) => {{
        let mut pool = $pool;
        let handles: Vec<_> =
            (0..$values).map(|i| pool.insert(($value)(i)).ok().unwrap()).collect();
        for (_, handle) in handles.into_iter().enumerate().filter(|(i, _)| !($stays)(*i)) {
            pool.remove(handle);
        }
        pool
    }};
}

/// Asserts that the second pool becomes a twin of the first, with so many requests for memory.
macro_rules! becomes_a_twin {
    ($source:expr, $target:expr, $requests:expr, $value:expr) => {{
        let (mut source, mut target) = ($source, $target);
        let ((), asked) = during(|| target.clone_from(&source));
        assert_eq!(asked.taken + asked.resized, $requests);
        assert_eq!((target.name(), target.stats()), (source.name(), source.stats()));
        assert!(target.iter().eq(source.iter()));
        while let Ok(next) = source.insert(($value)(7)) {
            assert_eq!(target.insert(($value)(7)).ok(), Some(next));
            if source.len() == SLOTS {
                break;
            }
        }
        assert_eq!(target.len(), source.len());
    }};
}

fn in_place<R: ReuseOrder>() {
    let pool = || Pool::<u64, R>::with_capacity(SLOTS);
    let (same, other) = (|i: usize| i as u64, |i: usize| 1000 + i as u64);
    for from in PATTERNS {
        for to in PATTERNS {
            for (source, target) in [(180, 190), (190, 20), (0, 130), (130, 0)] {
                let source = filled!(pool(), source, from, same);
                becomes_a_twin!(source, filled!(pool(), target, to, other), 0, same);
            }
        }
    }
}

#[test]
fn a_pool_becomes_a_twin_of_another_without_memory() {
    in_every_order!(in_place());
    let same = |i: usize| i as u64;
    let grown = |values| filled!(VecPool::<u64>::new(), values, PATTERNS[1], same);
    becomes_a_twin!(grown(180), grown(200), 0, same);
    let fixed = |values| filled!(StaticPool::<u64, SLOTS>::new(), values, PATTERNS[1], same);
    becomes_a_twin!(fixed(180), fixed(90), 0, same);
    // Values that own something become clones by themselves.
    let text = |i: usize| "x".repeat(i % 9);
    let other_text = |i: usize| "yyyyyyyyy"[i % 2..].to_owned();
    let owning = || Pool::<String>::new(SLOTS);
    let source = filled!(owning(), SLOTS, PATTERNS[0], text);
    becomes_a_twin!(source, filled!(owning(), SLOTS, PATTERNS[0], other_text), 0, text);
    becomes_a_twin!(owning(), filled!(owning(), 180, PATTERNS[1], other_text), 0, text);
}

#[test]
fn a_packed_pool_becomes_a_twin_of_another_without_memory() {
    let (same, other) = (|i: usize| i as u64, |i: usize| 1000 + i as u64);
    let pool = || PackedPool::<u64>::new(SLOTS);
    for (from, to) in PATTERNS.into_iter().flat_map(|from| PATTERNS.map(|to| (from, to))) {
        for (source, target) in [(180, 190), (190, 20), (0, 130), (130, 0)] {
            let source = filled!(pool(), source, from, same);
            becomes_a_twin!(source, filled!(pool(), target, to, other), 0, same);
        }
    }
    let grown = |values| filled!(PackedVecPool::<u64>::new(), values, PATTERNS[1], same);
    becomes_a_twin!(grown(180), grown(200), 0, same);
    let text = |i: usize| "x".repeat(i % 9);
    let other_text = |i: usize| "yyyyyyyyy"[i % 2..].to_owned();
    let owning = || PackedPool::<String>::new(SLOTS);
    let source = filled!(owning(), 180, PATTERNS[1], text);
    becomes_a_twin!(source, filled!(owning(), SLOTS, PATTERNS[0], other_text), 0, text);
    // Values, slots and order.
    let of = |slots| filled!(PackedPool::<u64>::new(slots), slots, |i| i % 2 == 0, same);
    becomes_a_twin!(of(SLOTS), of(100), 3, same);
    let named = |name| PackedPool::<u64>::builder().name(name).capacity(SLOTS).build();
    becomes_a_twin!(named("left"), named("right"), 3, same);
    becomes_a_twin!(named("left"), named("left"), 0, same);
}

/// Handles of so many slots.
fn handles() -> Vec<Handle<()>> {
    let mut slots = HandleAllocator::new(SLOTS);
    (0..SLOTS).map(|_| slots.acquire().unwrap()).collect()
}

/// A table of `slots` with the values of those that stay.
fn table<V>(
    slots: usize,
    stays: fn(usize) -> bool,
    value: impl Fn(usize) -> V,
) -> SideTable<Handle<()>, V> {
    let mut table = SideTable::with_capacity(slots);
    let handles = handles().into_iter().enumerate().take(slots);
    handles.filter(|(i, _)| stays(*i)).for_each(|(i, handle)| {
        assert!(table.insert(handle, value(i)).is_ok_and(|before| before.is_none()));
    });
    table
}

#[test]
fn a_side_table_becomes_a_twin_of_another_without_memory() {
    for (from, to) in PATTERNS.into_iter().flat_map(|from| PATTERNS.map(|to| (from, to))) {
        for (slots, requests) in [(SLOTS, 0), (100, 1)] {
            let (source, mut target) = (table(SLOTS, from, |i| i), table(slots, to, |i| i + 1000));
            let ((), asked) = during(|| target.clone_from(&source));
            assert_eq!(asked.taken + asked.resized, requests);
            assert!(target == source && target.capacity() == SLOTS);
            target.validate().unwrap();
            for (i, handle) in handles().into_iter().enumerate() {
                assert_eq!(target.get(handle).copied(), from(i).then_some(i));
            }
        }
    }
}

/// A recycler with the objects that stay.
fn recycler<T>(slots: usize, stays: fn(usize) -> bool, make: impl Fn(usize) -> T) -> Recycler<T> {
    let mut recycler = Recycler::from_fn(slots, make);
    let handles: Vec<_> = (0..slots - 10).map(|_| recycler.acquire().unwrap().0).collect();
    handles.iter().enumerate().filter(|(i, _)| !stays(*i)).for_each(|(_, handle)| {
        assert!(recycler.release(*handle));
    });
    recycler
}

#[test]
fn a_recycler_becomes_a_twin_of_another_without_memory() {
    for (from, to) in PATTERNS.into_iter().flat_map(|from| PATTERNS.map(|to| (from, to))) {
        for (slots, requests) in [(SLOTS, 0), (100, 2)] {
            let mut source = recycler(SLOTS, from, |i| i);
            let mut target = recycler(slots, to, |i| i + 1000);
            let ((), asked) = during(|| target.clone_from(&source));
            assert_eq!(asked.taken + asked.resized, requests);
            target.validate().unwrap();
            assert_eq!((target.name(), target.stats()), (source.name(), source.stats()));
            assert_eq!(target.as_slice(), source.as_slice());
            assert!(target.handles().eq(source.handles()));
            while let Some((next, _)) = source.acquire() {
                assert_eq!(target.acquire().map(|(handle, _)| handle), Some(next));
            }
            assert!(target.acquire().is_none());
        }
    }
}

/// What is called for released objects is that of the other.
#[test]
fn a_recycler_takes_on_a_hook() {
    let with = |hook: fn(&mut u32)| {
        Recycler::<u32>::builder().capacity(1).on_release(hook).build_with(|_| 0)
    };
    let (source, mut target) = (with(|object| *object += 1), with(|object| *object += 10));
    target.clone_from(&source);
    let handle = target.acquire().unwrap().0;
    assert!(target.release(handle));
    assert_eq!(target.as_slice(), [1]);
}

#[test]
fn a_pool_that_is_not_alike_is_made_anew() {
    let same = |i: usize| i as u64;
    let of = |slots| filled!(Pool::<u64>::new(slots), slots, |i| i % 2 == 0, same);
    becomes_a_twin!(of(SLOTS), of(100), 1, same);
    let named = |name| Pool::<u64>::builder().name(name).capacity(SLOTS).build();
    becomes_a_twin!(named("left"), named("right"), 1, same);
    becomes_a_twin!(named("left"), of(SLOTS), 1, same);
    becomes_a_twin!(named("left"), named("left"), 0, same);
    // With one generation, names tell no pools apart.
    let narrow = |name| {
        let builder = Pool::<u64>::builder().handle::<Handle32<u64, 31>>();
        builder.name(name).capacity(SLOTS).build()
    };
    becomes_a_twin!(narrow("left"), narrow("right"), 0, same);
    let narrow = |name| {
        let builder = PackedPool::<u64>::builder().handle::<Handle32<u64, 31>>();
        builder.name(name).capacity(SLOTS).build()
    };
    becomes_a_twin!(narrow("left"), narrow("right"), 0, same);
    let narrow = |name| {
        let builder = Recycler::<u64>::builder().handle::<Handle32<u64, 31>>();
        builder.name(name).capacity(1).build_with(|_| 0)
    };
    let mut recycler = narrow("left");
    let ((), asked) = during(|| recycler.clone_from(&narrow("right")));
    assert_eq!((recycler.name(), asked.taken), (Some("right"), 2), "those of the other");
    let grown = |values| filled!(VecPool::<u64>::new(), values, PATTERNS[1], same);
    becomes_a_twin!(grown(180), grown(20), 1, same);
}

/// The recorder that it has records nothing from then on, as if another had been assigned.
#[test]
fn a_pool_that_is_recorded_is_made_anew() {
    macro_rules! events {
        ($pool:expr, $begin:expr, $times:expr) => {{
            let recorder = Recorder::to_writer(std::io::sink()).unwrap();
            let (source, mut pool) = ($pool, $pool);
            pool.record(&recorder);
            pool.clone_from(&source);
            (0..$times).for_each(|_| assert!(($begin)(&mut pool)));
            recorder.finish().unwrap().events
        }};
    }
    macro_rules! ends {
        ($pool:expr, $begin:expr) => {
            assert_eq!(events!($pool, $begin, 0), events!($pool, $begin, 5));
        };
    }
    ends!(Pool::<u8>::new(9), |pool: &mut Pool<u8>| pool.insert(1).is_ok());
    ends!(PackedPool::<u8>::new(9), |pool: &mut PackedPool<u8>| pool.insert(1).is_ok());
    ends!(Recycler::<u8>::new(9), |pool: &mut Recycler<u8>| pool.acquire().is_some());
}

/// What says which clone panics.
type Victim = Cell<Option<usize>>;

fn panic_if(victim: &Victim, number: usize) {
    if victim.get() == Some(number) {
        resume_unwind(Box::new("on purpose"));
    }
}

/// It counts how many of it there are.
struct Counted(Rc<Victim>, usize);

impl Clone for Counted {
    fn clone(&self) -> Self {
        panic_if(&self.0, self.1);
        Self(self.0.clone(), self.1)
    }
}

/// It has no drop code.
struct Plain<'a>(&'a Victim, usize);

impl Clone for Plain<'_> {
    fn clone(&self) -> Self {
        panic_if(self.0, self.1);
        Self(self.0, self.1)
    }
}

/// The pool is empty and works, whichever clone panics; its old handles are stale, and nothing is dropped twice or never.
#[test]
fn a_clone_that_panics_leaves_an_empty_pool() {
    let victim = Rc::new(Cell::new(None));
    macro_rules! panics {
        ($pool:expr, $value:expr, $counted:expr) => {
            for (from, to) in PATTERNS.into_iter().flat_map(|from| PATTERNS.map(|to| (from, to))) {
                let source = filled!($pool, 150, from, $value);
                for number in (0..150).filter(|i| from(*i)).step_by(7) {
                    let mut target = filled!($pool, 190, to, $value);
                    let old: Vec<_> = target.handles().collect();
                    victim.set(Some(number));
                    let over = AssertUnwindSafe(|| target.clone_from(&source));
                    assert!(catch_unwind(over).is_err());
                    victim.set(None);
                    assert!(target.is_empty());
                    assert!(!$counted || Rc::strong_count(&victim) == 1 + source.len());
                    let target = filled!(target, SLOTS, |_| true, $value);
                    assert_eq!(target.len(), SLOTS);
                    assert!(old.iter().all(|handle| target.get(*handle).is_none()));
                }
            }
        };
    }
    panics!(Pool::new(SLOTS), |i| Plain(&victim, i), false);
    panics!(Pool::new(SLOTS), |i| Counted(victim.clone(), i), true);
    panics!(PackedPool::new(SLOTS), |i| Plain(&victim, i), false);
    panics!(PackedPool::new(SLOTS), |i| Counted(victim.clone(), i), true);
}

#[test]
fn a_clone_that_panics_leaves_an_empty_table_and_a_recycler_with_all_objects_released() {
    let victim = Rc::new(Cell::new(None));
    let counted = |i| Counted(victim.clone(), i);
    for (from, to) in PATTERNS.into_iter().flat_map(|from| PATTERNS.map(|to| (from, to))) {
        let source = table(SLOTS, from, counted);
        for number in (0..SLOTS).filter(|i| from(*i)).step_by(7) {
            let mut target = table(SLOTS, to, counted);
            victim.set(Some(number));
            assert!(catch_unwind(AssertUnwindSafe(|| target.clone_from(&source))).is_err());
            victim.set(None);
            target.validate().unwrap();
            assert!(target.is_empty() && Rc::strong_count(&victim) == 1 + source.len());
        }
        drop(source);
        let source = recycler(SLOTS, from, counted);
        for number in (0..SLOTS).step_by(7) {
            let mut target = recycler(SLOTS, to, counted);
            victim.set(Some(number));
            assert!(catch_unwind(AssertUnwindSafe(|| target.clone_from(&source))).is_err());
            victim.set(None);
            target.validate().unwrap();
            assert!(target.is_empty() && Rc::strong_count(&victim) == 1 + 2 * SLOTS);
            while target.acquire().is_some() {}
            assert_eq!(target.len(), SLOTS);
        }
    }
}
