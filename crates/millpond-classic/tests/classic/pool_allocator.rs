//! Design 3, the pool allocator, requirement by requirement.

#[path = "../../examples/quadtree/square.rs"]
#[allow(dead_code, reason = "the tree that lasts uses the rest")]
mod square;
#[path = "../../examples/quadtree/tree.rs"]
mod tree;

use std::cell::{Cell, RefCell};
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::rc::Rc;

use crate::allocations;
use crate::common::{Counted, Ledger, Random};
use millpond::BuildError;
use millpond_classic::{PoolAllocator, PoolBox};

fn address<T>(guard: &PoolBox<T>) -> usize {
    (&raw const **guard).addr()
}

/// "A typed stack of freed objects. Allocate pops one … Free pushes it back instead of returning memory."
#[test]
fn freed_slots_are_a_stack() {
    let pool = PoolAllocator::with_chunk_slots(8);
    let guards: Vec<_> = (0..8_u64).map(|i| pool.alloc(i)).collect();
    let addresses: Vec<_> = guards.iter().map(address).collect();
    assert!(addresses.is_sorted(), "a new chunk is handed out from its start");
    let mut guards: Vec<_> = guards.into_iter().map(Some).collect();
    for freed in [3, 0, 5] {
        guards[freed] = None;
    }
    for expected in [5, 0, 3] {
        let guard = pool.alloc(9);
        assert_eq!(address(&guard), addresses[expected]);
        guards.push(Some(guard));
    }
}

/// "When the stack is empty, a new object comes from the heap, so the pool grows to what the program needs and then
/// stays there."
#[test]
fn grows_when_the_stack_is_empty_and_then_stays_there() {
    let pool = PoolAllocator::with_chunk_slots(4);
    assert_eq!((pool.capacity(), pool.chunks()), (0, 0));
    let mut guards = Vec::new();
    for i in 0..9 {
        guards.push(pool.alloc(i));
        assert_eq!(pool.capacity(), (i + 1_usize).next_multiple_of(4));
    }
    assert_eq!((pool.len(), pool.chunks()), (9, 3));
    guards.clear();
    assert_eq!((pool.len(), pool.capacity(), pool.chunks()), (0, 12, 3));
    let (_, again) = allocations::during(|| {
        for _ in 0..10 {
            let guards: [_; 12] = std::array::from_fn(|i| pool.alloc(i));
            assert!(guards.iter().enumerate().all(|(i, guard)| **guard == i));
        }
    });
    assert_eq!(again, allocations::Allocations::default());
    assert_eq!(pool.chunks(), 3);
}

/// "Room can be reserved ahead in chunks, so that growth never happens in the middle of play."
#[test]
fn room_is_reserved_ahead_in_one_chunk() {
    let pool = PoolAllocator::with_chunk_slots(4);
    pool.reserve(0).unwrap();
    assert_eq!(pool.chunks(), 0);
    pool.reserve(100).unwrap();
    assert_eq!((pool.capacity(), pool.chunks()), (100, 1));
    let (guards, taken) = allocations::during(|| [(); 100].map(|()| pool.alloc(1_u8)));
    assert_eq!(taken, allocations::Allocations::default());
    pool.reserve(1).unwrap(); // at least a chunk
    assert_eq!((pool.capacity(), pool.chunks()), (104, 2));
    drop(guards);
    pool.reserve(104).unwrap();
    assert_eq!(pool.chunks(), 2);
    // A pool that must not grow any more says so, and gives the value back.
    let all: Vec<_> = (0..104).map(|i| pool.try_alloc(i).unwrap()).collect();
    let full = pool.try_alloc(7).unwrap_err();
    assert_eq!(full.to_string(), "the pool is full: all 104 slots are live");
    assert_eq!((full.into_inner(), pool.stats().refused, pool.chunks()), (7, 1, 2));
    drop(all);
}

/// "Construct in place on allocation, destroy on free: constructors and destructors run exactly once each."
#[test]
fn constructors_and_destructors_run_exactly_once_each() {
    let ledger = Ledger::default();
    let pool = PoolAllocator::with_chunk_slots(3);
    let made = Cell::new(0);
    let mut random = Random(1);
    let mut guards: Vec<PoolBox<Counted>> = Vec::new();
    for id in 0..if cfg!(miri) { 200 } else { 2000 } {
        if random.below(5) < 3 {
            guards.push(pool.alloc_with(|| {
                made.set(made.get() + 1);
                ledger.value(id)
            }));
        } else if !guards.is_empty() {
            let guard = guards.swap_remove(random.below(guards.len()));
            if random.below(2) == 0 {
                let value = PoolBox::into_inner(guard);
                assert_eq!(pool.len(), guards.len());
                assert_eq!(ledger.alive(), guards.len() + 1);
                drop(value);
            }
        }
        assert_eq!((ledger.alive(), pool.len()), (guards.len(), guards.len()));
    }
    let stats = pool.stats();
    assert_eq!(stats.inserted, made.get());
    assert_eq!(stats.inserted - stats.removed, stats.live as u64);
    drop(guards);
    assert_eq!((ledger.alive(), pool.len()), (0, 0));
}

#[test]
fn a_panic_in_a_constructor_gives_the_slot_back() {
    let pool = PoolAllocator::with_chunk_slots(1);
    let first = pool.alloc(1);
    drop(first);
    let failed = catch_unwind(AssertUnwindSafe(|| pool.alloc_with(|| panic!("cannot be made"))));
    assert!(failed.is_err());
    let stats = pool.stats();
    assert_eq!((stats.live, stats.inserted, stats.removed), (0, 1, 1));
    let _second = pool.alloc(2);
    assert_eq!(pool.chunks(), 1);
}

#[test]
fn a_panic_in_a_destructor_gives_the_slot_back() {
    struct Bomb(Rc<Cell<u32>>);
    impl Drop for Bomb {
        fn drop(&mut self) {
            self.0.set(self.0.get() + 1);
            panic!("bang");
        }
    }

    let drops = Rc::new(Cell::new(0));
    let pool = PoolAllocator::with_chunk_slots(1);
    for round in 1..4 {
        let bomb = pool.alloc(Bomb(Rc::clone(&drops)));
        assert!(catch_unwind(AssertUnwindSafe(|| drop(bomb))).is_err());
        assert_eq!((drops.get(), pool.len(), pool.chunks()), (round, 0, 1));
    }
}

#[test]
fn constructors_and_destructors_may_use_the_pool() {
    struct Link {
        pool: PoolAllocator<Link>,
        next: Option<PoolBox<Link>>,
        grows: bool,
    }
    impl Drop for Link {
        fn drop(&mut self) {
            if self.grows {
                let link = Link { pool: self.pool.clone(), next: None, grows: false };
                drop(self.pool.alloc(link));
            }
        }
    }

    let pool = PoolAllocator::with_chunk_slots(1);
    let link = |next, grows| Link { pool: pool.clone(), next, grows };
    let chain = pool.alloc_with(|| {
        let inner = pool.alloc_with(|| link(Some(pool.alloc(link(None, true))), true));
        link(Some(inner), true)
    });
    assert_eq!((pool.len(), pool.stats().peak), (3, 3));
    assert!(chain.next.as_ref().unwrap().next.is_some());
    drop(chain);
    assert_eq!(pool.len(), 0);
}

/// The last owner of a pool goes while one of its values is dropped; its memory goes after that.
#[test]
fn a_value_may_be_the_last_to_own_its_pool() {
    struct Owner {
        id: u32,
        _pool: PoolAllocator<Owner>,
        others: Vec<PoolBox<Owner>>,
        dropped: Rc<RefCell<Vec<u32>>>,
    }
    impl Drop for Owner {
        fn drop(&mut self) {
            self.dropped.borrow_mut().push(self.id);
            assert_ne!(self.id, 1, "bang");
        }
    }

    for first in [0, 1] {
        let dropped = Rc::new(RefCell::new(Vec::with_capacity(3)));
        let pool = PoolAllocator::with_chunk_slots(1);
        let owner = |id, others| {
            let dropped = Rc::clone(&dropped);
            Owner { id, _pool: pool.clone(), others, dropped }
        };
        let others = vec![pool.alloc(owner(2, Vec::new())), pool.alloc(owner(3, Vec::new()))];
        let guard = pool.alloc(owner(first, others));
        assert_eq!(guard.others.len(), 2);
        drop(pool);
        let (ended, freed) =
            allocations::during(|| catch_unwind(AssertUnwindSafe(|| drop(guard))).is_err());
        assert_eq!((ended, &*dropped.borrow()), (first == 1, &vec![first, 2, 3]));
        // The bookkeeping, three chunks, their list, and the list of the others; and what the panic took.
        assert!(if ended { freed.freed > 6 } else { freed.freed == 6 }, "{}", freed.freed);
    }
}

/// While a value is made, its slot is nobody else's, whatever happens to the rest of the pool.
#[test]
fn a_constructor_may_grow_and_empty_the_pool_and_panic_afterwards() {
    let pool = PoolAllocator::with_chunk_slots(1);
    for fails in [false, true] {
        let mut others: Vec<_> = (0..5).map(|i| pool.alloc([i; 3])).collect();
        let made = catch_unwind(AssertUnwindSafe(|| {
            pool.alloc_with(|| {
                others.clear();
                others.extend((0..40).map(|i| pool.alloc([i; 3])));
                pool.reserve(100).unwrap();
                assert!(!fails, "cannot be made");
                [7; 3]
            })
        }));
        assert_eq!((made.is_err(), pool.len()), (fails, 40 + usize::from(!fails)));
        assert!(others.iter().zip(0..).all(|(guard, i)| **guard == [i; 3]));
        assert!(made.is_err() || made.is_ok_and(|made| *made == [7; 3]));
    }
}

#[test]
fn guards_outlive_the_pool() {
    let ledger = Ledger::default();
    let (guard, taken) = allocations::during(|| {
        let pool = PoolAllocator::with_chunk_slots(4);
        let twin = pool.clone();
        let guard = twin.alloc(ledger.value(1));
        drop(pool.alloc(ledger.value(2)));
        guard
    });
    assert_eq!((guard.id(), ledger.alive()), (1, 1));
    // One for the bookkeeping, the chunk, and the list of chunks. (And what the ledger took.)
    let ((), freed) = allocations::during(|| drop(guard));
    assert_eq!((ledger.alive(), freed.freed), (0, 3));
    assert!(taken.taken >= 3);
}

/// What `Pin` asks for: the memory of a pinned value is not used again before it was destroyed.
#[test]
#[cfg_attr(millpond_asan, ignore = "LeakSanitizer reports the leak, which is on purpose")]
fn a_pinned_value_keeps_its_place_even_if_its_guard_is_leaked() {
    let pool = PoolAllocator::with_chunk_slots(2);
    let pinned: Pin<PoolBox<u64>> = pool.alloc_pin(7);
    let value: *const u64 = &raw const *pinned;
    mem::forget(pinned);
    let ((), freed) = allocations::during(|| drop(pool));
    assert_eq!(freed.freed, 0);
    // SAFETY: the value was never destroyed, and its memory not given back.
    assert_eq!(unsafe { value.read() }, 7);
}

fn each_guard_has_a_place_of_its_own_and_finds_its_pool<T: Copy + PartialEq>(make: fn(u32) -> T) {
    for chunk_slots in [1, 3, 600] {
        let pools = [(); 2].map(|()| PoolAllocator::with_chunk_slots(chunk_slots));
        let mut guards: Vec<_> =
            (0..1_200).map(|i| (i, pools[i as usize % 2].alloc(make(i)))).collect();
        let mut starts: Vec<_> = guards.iter().map(|(_, guard)| address(guard)).collect();
        starts.sort_unstable();
        assert!(starts.is_sorted_by(|one, next| one + size_of::<T>() <= *next && one < next));
        assert!(starts.iter().all(|start| start % align_of::<T>() == 0));
        assert!(guards.iter().all(|(i, guard)| **guard == make(*i)));
        guards.retain(|(i, _)| i % 2 == 0 || i % 3 == 0);
        assert_eq!(pools.map(|pool| pool.len()), [600, 200]);
        assert!(guards.iter().all(|(i, guard)| **guard == make(*i)));
    }
}

/// "One pool, one type; never a general-purpose allocator": whatever the type is.
#[test]
fn slots_of_every_size_and_alignment() {
    #[repr(align(4096))]
    struct Page(#[allow(dead_code)] u8);

    let nothing = PoolAllocator::with_chunk_slots(2);
    let guards = [nothing.alloc(()), nothing.alloc(()), nothing.alloc(())];
    assert_eq!((nothing.len(), guards.len()), (3, 3));
    let pages = PoolAllocator::with_chunk_slots(2);
    let guards: Vec<_> = (0..5).map(|i| pages.alloc(Page(i))).collect();
    assert!(guards.iter().all(|guard| address(guard) % 4096 == 0));

    #[repr(align(64))]
    #[derive(Clone, Copy, PartialEq)]
    struct Line(u32);
    #[repr(align(128))]
    #[derive(Clone, Copy, PartialEq)]
    struct Lines(u32);
    #[repr(align(128))]
    #[derive(Clone, Copy, PartialEq)]
    struct Nothing;
    // Small slots share headers, and a chunk of several hundred has several of them.
    each_guard_has_a_place_of_its_own_and_finds_its_pool(|i| i as u8);
    each_guard_has_a_place_of_its_own_and_finds_its_pool(|i| [i as u8; 13]);
    each_guard_has_a_place_of_its_own_and_finds_its_pool(|i| [i; 8]);
    each_guard_has_a_place_of_its_own_and_finds_its_pool(|i| [i; 30]);
    each_guard_has_a_place_of_its_own_and_finds_its_pool(|i| [i; 32]);
    each_guard_has_a_place_of_its_own_and_finds_its_pool(|i| [i; 33]);
    each_guard_has_a_place_of_its_own_and_finds_its_pool(Line);
    each_guard_has_a_place_of_its_own_and_finds_its_pool(Lines);
    each_guard_has_a_place_of_its_own_and_finds_its_pool(|_| Nothing);
    each_guard_has_a_place_of_its_own_and_finds_its_pool(|_| ());
    let pool = PoolAllocator::with_chunk_slots(0);
    assert_eq!((*pool.alloc(1), pool.capacity()), (1, 1));
}

#[test]
#[cfg_attr(miri, ignore = "asks for more memory than the interpreter has")]
fn more_than_there_is_memory_for_is_refused_and_changes_nothing() {
    let pool = PoolAllocator::<[u8; 1000]>::with_chunk_slots(2);
    let _one = pool.alloc([1; 1000]);
    for additional in [usize::MAX, usize::MAX / 1000, isize::MAX as usize / 1016 + 1] {
        let error = pool.reserve(additional).unwrap_err();
        assert!(matches!(error, BuildError::OutOfMemory { .. }), "{error}");
        assert_eq!((pool.capacity(), pool.chunks()), (2, 1));
    }
    let huge = PoolAllocator::<u8>::with_chunk_slots(usize::MAX);
    assert!(catch_unwind(AssertUnwindSafe(|| huge.alloc(1))).is_err());
    assert_eq!(huge.len(), 0);
}

#[test]
fn values_may_be_read_by_other_threads() {
    struct Node {
        value: u64,
        next: Option<PoolBox<Node>>,
    }
    let pool = PoolAllocator::new();
    let list = (0..100).fold(None, |next, value| Some(pool.alloc(Node { value, next })));
    let sum = |mut node: &Option<PoolBox<Node>>| {
        let mut sum = 0;
        while let Some(here) = node {
            sum += here.value;
            node = &here.next;
        }
        sum
    };
    let sums: Vec<u64> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..3).map(|_| scope.spawn(|| sum(&list))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(sums, [4950; 3]);
}

/// "The caller gets an owning smart pointer that puts itself back."
#[test]
fn a_guard_looks_like_its_value() {
    let pool = PoolAllocator::new();
    let (mut one, two) = (pool.alloc(1), pool.alloc(2));
    assert!(one < two && one != two);
    assert_eq!(format!("{one} {two:?}"), "1 2");
    *one.as_mut() += 1;
    assert_eq!(one, two);
    assert_eq!(std::collections::HashSet::from([one]).get(&2).map(|guard| **guard), Some(2));
    // Like a `Box`, a guard of what lives long is a guard of what lives shorter.
    fn longer<'a>(long: PoolBox<&'static str>, short: &'a str) -> PoolBox<&'a str> {
        if long.len() > short.len() { long } else { PoolAllocator::new().alloc(short) }
    }
    let short = "short".to_string();
    assert_eq!(*longer(PoolAllocator::new().alloc("long"), &short), "short");
}

/// Fewer where each step is watched.
const FRAMES: u64 = if cfg!(miri) { 3 } else { 60 };

/// "Motivating use: a quadtree for collision that is torn down and rebuilt from the same timber every frame."
#[test]
fn the_quadtree_is_rebuilt_from_the_same_timber_without_taking_memory() {
    let mut random = Random(3);
    let mut actors: Vec<square::Point> = (0..150)
        .map(|_| (random.below(4000) as i32 - 2000, random.below(4000) as i32 - 2000))
        .chain([(9, 9); 20]) // a crowd on one spot
        .collect();
    let mut tree = tree::Quadtree::with_timber(1000);
    for frame in 0..FRAMES {
        let ((), taken) = allocations::during(|| tree.rebuild(&actors));
        assert_eq!(taken, allocations::Allocations::default(), "frame {frame}");
        for &at in actors.iter().step_by(3) {
            let near = |other: &&square::Point| square::are_near(**other, at, 300);
            assert_eq!(tree.count_near(at, 300), actors.iter().filter(near).count());
        }
        for actor in &mut actors {
            actor.0 += random.below(100) as i32 - 50;
            actor.1 += random.below(100) as i32 - 50;
        }
    }
    let stats = tree.stats();
    assert_eq!(tree.chunks(), 1);
    assert!(stats.peak > 50 && stats.inserted > FRAMES * 50 && stats.live <= stats.peak);
}
