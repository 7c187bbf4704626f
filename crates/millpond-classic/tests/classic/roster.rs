//! Design 1 of the classic pools, the swap-delete pool: each requirement of the design as a test that
//! quotes it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use crate::allocations::{Allocations, during};
use crate::common::Random;
use millpond::Handle;
use millpond_classic::RosterPool;

/// "The whole pool is allocated once at start, usually initialised to nil values, and keeps that size
/// for the session."
#[test]
fn the_whole_pool_is_allocated_once_at_start_and_keeps_that_size() {
    let (mut pool, start) = during(|| RosterPool::<[u64; 8]>::new(1000));
    assert!(start.taken > 0 && start.bytes_taken >= 64_000);
    assert!(pool.as_slice().iter().all(|object| *object == [0; 8]), "nil values");
    let mut live = Vec::with_capacity(1000);
    let mut random = Random(1);
    let ((), session) = during(|| {
        for _ in 0..20_000 {
            if random.below(2) == 0 {
                live.extend(pool.allocate());
            } else if !live.is_empty() {
                assert!(pool.free(live.swap_remove(random.below(live.len()))));
            }
        }
    });
    assert_eq!(session, Allocations::default());
    assert_eq!(pool.capacity(), 1000);
}

/// The three arrays of the design, and nothing more.
struct Published {
    roster: Vec<u32>,
    reverse: Vec<u32>,
    partition: usize,
}

impl Published {
    fn new(slots: u32) -> Self {
        Self {
            roster: (0..slots).rev().collect(),
            reverse: (0..slots).rev().collect(),
            partition: 0,
        }
    }

    fn allocate(&mut self) -> Option<u32> {
        let slot = *self.roster.get(self.partition)?;
        self.partition += 1;
        Some(slot)
    }

    fn free(&mut self, slot: u32) {
        let a = self.reverse[slot as usize] as usize;
        let b = self.partition - 1;
        self.roster.swap(a, b);
        self.reverse[self.roster[a] as usize] = a as u32;
        self.reverse[self.roster[b] as usize] = b as u32;
        self.partition -= 1;
    }
}

/// "Three arrays: the objects; the roster, a permutation of all slot indices; and the reverse table from slot index to
/// roster index. A partition splits the roster: entries below it are live, the entry at it is the next to hand out."
/// And: "Allocate: hand out roster[partition], then partition += 1. Free: look up the roster index of the freed slot,
/// swap that roster entry with the one at partition - 1, keep the reverse table in step, then partition -= 1." So "the
/// slot freed last is handed out next", and "when the partition reaches the end, allocation fails". "It is contiguous;
/// nothing ever moves; a handle stays valid until its object is freed." "Handles carry a generation, so that a stale
/// handle to a reused slot is refused instead of silently reading someone else's object."
#[test]
fn roster_and_partition_are_those_of_the_published_algorithm_after_every_operation() {
    for slots in [0, 1, 2, 3, 6, 64, 65, 200] {
        let mut pool = RosterPool::<u64>::new(slots as usize);
        let start = pool.as_slice().as_ptr();
        let mut published = Published::new(slots);
        let mut random = Random(u64::from(slots));
        let mut live: Vec<(Handle<u64>, u64)> = Vec::new();
        let mut stale: Vec<Handle<u64>> = Vec::new();
        let mut refused = 0;
        for value in 0..5_000 {
            assert_eq!(pool.roster(), published.roster);
            assert_eq!(pool.partition(), published.partition);
            let next = published.roster.get(published.partition).copied();
            assert_eq!(pool.next_slot(), next);
            if random.below(2) == 0 {
                let handle = pool.allocate();
                assert_eq!(handle.map(Handle::index), published.allocate());
                refused += u64::from(handle.is_none());
                live.extend(handle.map(|handle| {
                    *pool.get_mut(handle).unwrap() = value;
                    (handle, value)
                }));
            } else if !live.is_empty() {
                let (handle, _) = live.swap_remove(random.below(live.len()));
                assert!(pool.free(handle));
                published.free(handle.index());
                assert_eq!(pool.next_slot(), Some(handle.index()), "freed last, handed out next");
                stale.push(handle);
            }
            assert_eq!((pool.stats().refused, pool.is_empty()), (refused, live.is_empty()));
            for (handle, value) in &live {
                let object = pool.get(*handle).unwrap();
                assert_eq!(object, value);
                assert_eq!(&raw const *object, start.wrapping_add(handle.index() as usize));
            }
            for old in stale.iter().rev().take(20) {
                assert!(pool.get(*old).is_none() && pool.get_mut(*old).is_none());
                assert!(!pool.free(*old), "freed twice");
            }
            let mut below: Vec<u32> = pool.roster()[..pool.partition()].to_vec();
            below.sort_unstable();
            let mut slots: Vec<u32> = live.iter().map(|(handle, _)| handle.index()).collect();
            slots.sort_unstable();
            assert_eq!(below, slots, "entries below the partition are live");
        }
    }
}

/// "Worked example to reproduce exactly: six slots, roster 5,4,3,2,1,0, five allocated (partition 5,
/// next is slot 0); freeing slot 4 swaps roster positions 1 and 4, partition becomes 4, the next
/// allocation returns slot 4."
#[test]
fn worked_example_step_by_step() {
    let mut pool = RosterPool::<&str>::from_fn(6, |_| "nil");
    assert_eq!(pool.roster(), [5, 4, 3, 2, 1, 0]);
    assert_eq!((pool.partition(), pool.next_slot()), (0, Some(5)));

    let handles: Vec<_> = (0..5).map(|_| pool.allocate().unwrap()).collect();
    let slots: Vec<u32> = handles.iter().map(|handle| handle.index()).collect();
    assert_eq!(slots, [5, 4, 3, 2, 1]);
    assert_eq!(pool.roster(), [5, 4, 3, 2, 1, 0]);
    assert_eq!((pool.partition(), pool.next_slot()), (5, Some(0)));

    assert!(pool.free(handles[1]));
    assert_eq!(pool.roster(), [5, 1, 3, 2, 4, 0], "roster positions 1 and 4 were swapped");
    assert_eq!((pool.partition(), pool.next_slot()), (4, Some(4)));

    assert_eq!(pool.allocate().unwrap().index(), 4);
    assert_eq!(pool.roster(), [5, 1, 3, 2, 4, 0]);
    assert_eq!((pool.partition(), pool.next_slot()), (5, Some(0)));
}

/// "Non-intrusive: nothing about freed objects may be stored in the object array, because the game
/// iterates over the entire array, live and dead alike, to avoid branching. So a dead slot always
/// holds a valid, initialised object."
#[test]
fn nothing_about_freed_objects_is_stored_in_the_object_array() {
    let mut pool = RosterPool::from_fn(100, |slot| vec![slot; 3]);
    let mut expected: Vec<Vec<usize>> = (0..100).map(|slot| vec![slot; 3]).collect();
    let mut live: Vec<Handle<Vec<usize>>> = Vec::new();
    let mut random = Random(3);
    for _ in 0..2_000 {
        if random.below(2) == 0 {
            live.extend(pool.allocate());
        } else if !live.is_empty() {
            pool.free(live.swap_remove(random.below(live.len())));
        }
        // The whole array, without asking what is live.
        for object in pool.as_mut_slice() {
            object[0] += 1;
        }
        for object in &mut expected {
            object[0] += 1;
        }
        assert_eq!(pool.as_slice(), expected);
    }
    let handle = live.pop().or_else(|| pool.allocate()).unwrap();
    let before = pool.get(handle).unwrap().clone();
    pool.free(handle);
    assert_eq!(pool.as_slice()[handle.index() as usize], before, "dead, as it was");
    assert_eq!(pool.allocate().unwrap().index(), handle.index());
    assert_eq!(pool.as_slice()[handle.index() as usize], before, "and live again, as it was");
}

/// "Hundreds to thousands of allocations and frees per frame; a linear search for a free entry is not
/// acceptable." A million slots of which one is dead would take a search of a million steps each
/// time: 10^12 in this test, which then never ends.
#[test]
fn allocating_needs_no_search_for_a_free_entry() {
    const SLOTS: usize = 1_000_000;
    let mut pool = RosterPool::<u8>::new(SLOTS);
    let handles: Vec<_> = (0..SLOTS).map(|_| pool.allocate().unwrap()).collect();
    let mut random = Random(4);
    for _ in 0..SLOTS {
        let handle = handles[random.below(SLOTS)];
        if pool.free(handle) {
            assert_eq!(pool.allocate().unwrap().index(), handle.index());
        }
    }
    assert_eq!(pool.partition(), SLOTS);
}

/// "The game iterates over the entire array, live and dead alike": such a pass frees what it finds finished, by the
/// places of the objects alone.
#[test]
fn pass_over_the_whole_array_frees_what_it_finds_finished() {
    #[derive(Clone, Default)]
    struct Spark {
        age: u32,
        frames: u32,
    }
    let mut pool = RosterPool::<Spark>::new(64);
    let mut frames_left: Vec<Option<u32>> = vec![None; 64];
    let mut random = Random(5);
    for _ in 0..2_000 {
        for _ in 0..random.below(8) {
            if let Some(handle) = pool.allocate() {
                let frames = 1 + random.below(20) as u32;
                *pool.get_mut(handle).unwrap() = Spark { age: 0, frames };
                assert!(frames_left[handle.index() as usize].replace(frames).is_none());
            }
        }
        pool.as_mut_slice().iter_mut().for_each(|spark| spark.age += 1);
        for (slot, left) in frames_left.iter().enumerate() {
            let spark = &pool.as_slice()[slot];
            let is_over = spark.age >= spark.frames;
            let handle = pool.handle_at(slot);
            assert_eq!(handle.is_some(), left.is_some());
            if is_over {
                assert_eq!(pool.free_at(slot), handle.is_some(), "dead ones are not freed again");
                assert!(handle.is_none_or(|handle| pool.get(handle).is_none()));
            }
        }
        for left in &mut frames_left {
            *left = left.and_then(|left| (left > 1).then(|| left - 1));
        }
        let live: Vec<usize> = (0..64).filter(|&slot| frames_left[slot].is_some()).collect();
        assert!(pool.handles().map(|handle| handle.index() as usize).eq(live.iter().copied()));
        assert!(pool.iter().map(|(handle, _)| handle).eq(pool.handles()));
        assert_eq!(pool.len(), live.len());
    }
    assert!(!pool.free_at(64) && pool.handle_at(64).is_none());
}

/// "A dead object that still refers to others keeps them alive: clear such references on release."
#[test]
fn hook_clears_what_a_freed_object_refers_to_in_whatever_way_it_is_freed() {
    let target = Rc::new(());
    let mut pool = RosterPool::<Option<Rc<()>>>::new(4).on_free(|object| *object = None);
    let mut handles = Vec::new();
    for _ in 0..4 {
        let handle = pool.allocate().unwrap();
        *pool.get_mut(handle).unwrap() = Some(Rc::clone(&target));
        handles.push(handle);
    }
    assert!(pool.free(handles[0]));
    assert_eq!(Rc::strong_count(&target), 4);
    assert!(pool.free_at(handles[1].index() as usize));
    assert_eq!(Rc::strong_count(&target), 3);
    pool.retain(|handle, _| handle == handles[3]);
    assert_eq!(Rc::strong_count(&target), 2);
    assert!(!pool.free(handles[0]), "no hook for what is not freed");
    let mut twin = pool.clone();
    assert!(twin.free(handles[3]));
    assert_eq!((Rc::strong_count(&target), pool.len(), twin.len()), (2, 1, 0));
}

#[test]
fn object_whose_hook_panics_stays_live() {
    let mut pool = RosterPool::<u8>::new(2).on_free(|_| panic!("on purpose"));
    let handle = pool.allocate().unwrap();
    assert!(catch_unwind(AssertUnwindSafe(|| pool.free(handle))).is_err());
    assert_eq!((pool.get(handle), pool.partition()), (Some(&0), 1));
    pool.validate().unwrap();
}

/// "Forgot to initialise: data of a past life looks right": a scramble shows what an initialiser forgets.
#[test]
fn scramble_shows_what_an_initialiser_forgets() {
    let health_of_the_second = |scrambles: bool| {
        let mut pool = RosterPool::<(i32, i32)>::new(1).on_free(|enemy| enemy.0 = 1);
        if scrambles {
            pool.scramble_freed(|enemy| *enemy = (i32::MIN, i32::MIN));
        }
        let first = pool.allocate().unwrap();
        assert_eq!(pool.get(first), Some(&(0, 0)), "never freed, as it was made");
        *pool.get_mut(first).unwrap() = (100, 7);
        pool.free(first);
        let second = pool.clone().allocate().unwrap();
        pool.allocate().unwrap();
        *pool.get(second).unwrap()
    };
    assert_eq!(health_of_the_second(false), (1, 7), "looks right, and is not");
    assert_eq!(health_of_the_second(true), (i32::MIN, i32::MIN), "and after the hook");
}
