//! Uses of dead slots are reported by AddressSanitizer, in builds that have it: `ci/sanitizers`.
//!
//! Each use is made by a process of its own, which the sanitizer ends.
#![cfg(millpond_asan)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use millpond::classic::{BytemapPool, PoolAllocator, PoolBox};
use millpond::reuse::{Fifo, Intrusive, Lifo, LowestFirst, NextFit, ReuseOrder, Roster};
use millpond::{
    AnyPool, AnyValue, BlockPool, Handle, PackedPool, Pool, SideTable, SizeClasses, VecPool,
};

unsafe extern "C" {
    /// The first byte of the region that may not be used, or null.
    fn __asan_region_is_poisoned(start: *const u8, bytes: usize) -> *const u8;
}

/// How often memory was given back that could not be used.
static POISONED: AtomicUsize = AtomicUsize::new(0);

/// The system's allocator, which looks at what comes back.
struct Looking;

// SAFETY: the system's allocator does it all.
unsafe impl GlobalAlloc for Looking {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as for the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        // SAFETY: the sanitizer looks at its own notes.
        if !unsafe { __asan_region_is_poisoned(start, layout.size()) }.is_null() {
            POISONED.fetch_add(1, Ordering::Relaxed);
        }
        // SAFETY: as for the caller.
        unsafe { System.dealloc(start, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Looking = Looking;

/// Larger than a link, and a multiple of the eight bytes that the sanitizer tells apart.
type Value = [u64; 4];

/// Reads the last word of a slot of a pool after its object has gone.
fn read_after<R: ReuseOrder>(end: fn(&mut Pool<Value, R>, Handle<Value>)) {
    let mut pool: Pool<Value, R> = Pool::with_capacity(4);
    pool.insert([1; 4]).unwrap();
    let handle = pool.insert([2; 4]).unwrap();
    let word: *const u64 = &raw const pool[handle][3];
    end(&mut pool, handle);
    // SAFETY: none. This is the use of a dead slot that must be caught.
    std::hint::black_box(unsafe { word.read_volatile() });
}

const USES: &[(&str, fn())] = &[
    ("remove_lifo", || read_after::<Lifo>(|pool, handle| _ = pool.remove(handle))),
    ("remove_fifo", || read_after::<Fifo>(|pool, handle| _ = pool.remove(handle))),
    ("remove_lowest_first", || read_after::<LowestFirst>(|pool, handle| _ = pool.remove(handle))),
    ("remove_roster", || read_after::<Roster>(|pool, handle| _ = pool.remove(handle))),
    ("remove_next_fit", || read_after::<NextFit>(|pool, handle| _ = pool.remove(handle))),
    ("remove_intrusive", || read_after::<Intrusive>(|pool, handle| _ = pool.remove(handle))),
    ("clear", || read_after::<Lifo>(|pool, _| pool.clear())),
    ("retain", || read_after::<Lifo>(|pool, _| pool.retain(|_, _| false))),
    ("drain", || read_after::<Lifo>(|pool, _| drop(pool.drain()))),
    ("write", || {
        let mut pool = Pool::<Value>::new(4);
        let handle = pool.insert([1; 4]).unwrap();
        let word: *mut u64 = &raw mut pool[handle][3];
        pool.remove(handle);
        // SAFETY: none, as above.
        unsafe { word.write_volatile(5) };
    }),
    ("never_live", || {
        let mut pool = Pool::<Value>::new(4);
        let handle = pool.insert([1; 4]).unwrap();
        let word: *const u64 = &raw const pool[handle][3];
        // SAFETY: none: the next slot was never live.
        std::hint::black_box(unsafe { word.add(1).read_volatile() });
    }),
    ("side_table", || {
        let mut table = SideTable::<Handle<()>, Value>::with_capacity(4);
        let handle = Handle::from_parts(1, 1).unwrap();
        table.insert(handle, [1; 4]).unwrap();
        let word: *const u64 = &raw const table.get(handle).unwrap()[3];
        table.remove(handle);
        // SAFETY: none, as above.
        std::hint::black_box(unsafe { word.read_volatile() });
    }),
    ("bytemap", || {
        let mut pool = BytemapPool::new(4);
        let handle = pool.insert([1_u64; 4]).unwrap();
        let word: *const u64 = &raw const pool.get(handle).unwrap()[3];
        pool.remove(handle);
        // SAFETY: none, as above.
        std::hint::black_box(unsafe { word.read_volatile() });
    }),
    ("block_pool", || {
        let mut pool = BlockPool::<Value>::with_blocks(2, 3);
        let handles = [0; 5].map(|id| pool.insert([id; 4]).unwrap());
        let word: *const u64 = &raw const pool[handles[3]][3];
        pool.remove(handles[3]);
        // SAFETY: none, as above.
        std::hint::black_box(unsafe { word.read_volatile() });
    }),
    ("vec_pool_after_growth", || {
        let mut pool = VecPool::<Value>::new();
        let handles = [0; 5].map(|id| pool.push([id; 4]));
        let word: *const u64 = &raw const pool[handles[3]][3];
        pool.remove(handles[3]);
        // SAFETY: none, as above.
        std::hint::black_box(unsafe { word.read_volatile() });
    }),
    ("packed_pool", || {
        let mut pool = PackedPool::<Value>::new(4);
        let handles = [0; 3].map(|id| pool.insert([id; 4]).unwrap());
        let word: *const u64 = &raw const pool[handles[2]][3];
        // The last value moves to where the first was.
        pool.remove(handles[0]);
        // SAFETY: none, as above.
        std::hint::black_box(unsafe { word.read_volatile() });
    }),
    ("packed_pool_clear", || {
        let mut pool = PackedPool::<Value>::new(4);
        let handle = pool.insert([1; 4]).unwrap();
        let word: *const u64 = &raw const pool[handle][3];
        pool.clear();
        // SAFETY: none, as above.
        std::hint::black_box(unsafe { word.read_volatile() });
    }),
    ("packed_pool_never_live", || {
        let mut pool = PackedPool::<Value>::new(4);
        let handle = pool.insert([1; 4]).unwrap();
        let word: *const u64 = &raw const pool[handle][3];
        // SAFETY: none: the next slot was never live.
        std::hint::black_box(unsafe { word.add(1).read_volatile() });
    }),
    ("packed_pool_restored", || {
        let mut pool = PackedPool::<Value>::new(4);
        pool.insert([1; 4]).unwrap();
        let snapshot = pool.snapshot();
        let handle = pool.insert([2; 4]).unwrap();
        let word: *const u64 = &raw const pool[handle][3];
        pool.restore(&snapshot).unwrap();
        // SAFETY: none, as above.
        std::hint::black_box(unsafe { word.read_volatile() });
    }),
    ("any_pool_remove", || {
        let mut pool = AnyPool::<dyn std::any::Any, 32>::new(4);
        let handle = pool.insert(AnyValue::new([1_u64; 4])).unwrap();
        let word: *const u64 = &raw const pool[handle].downcast_ref::<Value>().unwrap()[3];
        pool.remove(handle);
        // SAFETY: none, as above.
        std::hint::black_box(unsafe { word.read_volatile() });
    }),
    ("pool_allocator", || {
        let pool = PoolAllocator::<Value>::new();
        let guard = pool.alloc([1; 4]);
        let word: *const u64 = &raw const guard[3];
        drop(guard);
        // SAFETY: none, as above.
        std::hint::black_box(unsafe { word.read_volatile() });
    }),
    ("pool_allocator_into_inner", || {
        let pool = PoolAllocator::<Value>::new();
        let guard = pool.alloc([1; 4]);
        let word: *const u64 = &raw const guard[3];
        assert_eq!(PoolBox::into_inner(guard), [1; 4]);
        // SAFETY: none, as above.
        std::hint::black_box(unsafe { word.read_volatile() });
    }),
    ("size_classes", || {
        let memory = SizeClasses::new();
        let layout = Layout::new::<Value>();
        let slot = memory.allocate(layout).unwrap().cast::<u64>();
        // SAFETY: the slot was allocated with this layout. The use after it is the one to be caught.
        unsafe { memory.deallocate(slot.cast(), layout) };
        // SAFETY: none, as above.
        std::hint::black_box(unsafe { slot.add(3).read_volatile() });
    }),
    ("size_classes_never_live", || {
        let memory = SizeClasses::new();
        let slot = memory.allocate(Layout::new::<Value>()).unwrap().cast::<u64>();
        // SAFETY: none: the next slot was never live.
        std::hint::black_box(unsafe { slot.add(4).read_volatile() });
    }),
];

const CHILD: &str = "MILLPOND_USE_OF_A_DEAD_SLOT";

#[test]
fn use_of_a_dead_slot_is_reported() {
    if let Ok(wanted) = std::env::var(CHILD) {
        let (_, work) = USES.iter().find(|(name, _)| *name == wanted).unwrap();
        work();
        return;
    }
    for (name, _) in USES {
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["use_of_a_dead_slot_is_reported", "--exact", "--nocapture"])
            .env(CHILD, name)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{name}: nothing was noticed");
        assert!(said.contains("use-after-poison"), "{name}: {said}");
    }
}

#[test]
fn use_of_live_slots_is_not() {
    let mut pool = Pool::<Value>::new(70);
    for round in 0..3 {
        let handles: Vec<_> = (0..70).map(|id| pool.insert([id + round; 4]).unwrap()).collect();
        assert_eq!(pool.values().map(|value| value[3]).sum::<u64>(), 69 * 35 + 70 * round);
        handles.iter().step_by(2).for_each(|handle| _ = pool.remove(*handle));
        let copy = pool.clone();
        assert!(copy.values().eq(pool.values()));
        pool.runs_mut().for_each(|(_, run)| run.iter_mut().for_each(|value| value[0] += 1));
        pool.clear();
    }
}

/// What was poisoned and is used again is live, in every kind of pool that poisons.
#[test]
fn use_of_slots_that_are_live_again_is_not() {
    let mut packed = PackedPool::<Value>::new(70);
    let mut any = AnyPool::<dyn std::any::Any, 32>::new(70);
    let mut blocks = BlockPool::<Value>::with_blocks(8, 9);
    let mut vec = VecPool::<Value>::new();
    let allocator = PoolAllocator::<Value>::new();
    let memory = SizeClasses::new();
    let layout = Layout::new::<Value>();
    for round in 0..3 {
        let of_packed: Vec<_> = (0..70).map(|id| packed.insert([id; 4]).unwrap()).collect();
        of_packed.iter().step_by(2).for_each(|handle| _ = packed.remove(*handle));
        let copy = packed.clone();
        assert_eq!(copy.as_slice(), packed.as_slice());
        packed.clear();
        packed.restore(&copy.snapshot()).unwrap();
        assert_eq!(packed.into_iter().map(|(_, value)| value[3]).sum::<u64>(), 35 * 35);
        packed = copy;
        packed.drain().for_each(drop);

        let value = |id| AnyValue::new([id; 4]);
        let of_any: Vec<_> = (0..70_u64).map(|id| any.insert(value(id)).unwrap()).collect();
        assert!(of_any.iter().all(|handle| any[*handle].is::<Value>()));
        of_any.iter().step_by(2).for_each(|handle| _ = any.remove(*handle));
        any.clear();

        (0..70).for_each(|id| _ = blocks.insert([id; 4]).unwrap());
        assert_eq!(blocks.values().map(|value| value[3]).sum::<u64>(), 69 * 35);
        blocks.clear();
        blocks.shrink_to_fit();

        (0..70).for_each(|id| _ = vec.push([id; 4]));
        vec.retain(|_, value| value[0] % 2 == 0);
        vec.reserve(100).unwrap();
        assert_eq!(vec.values().map(|value| value[3]).sum::<u64>(), 34 * 35);
        vec.retain(|_, value| value[0] < 9);
        vec.shrink_to_fit();
        assert_eq!(vec.values().map(|value| value[3]).sum::<u64>(), 20);
        vec.clear();
        vec.shrink_to_fit();

        let boxes: Vec<_> = (0..70).map(|id| allocator.alloc([id + round; 4])).collect();
        assert_eq!(boxes.iter().map(|value| value[3]).sum::<u64>(), 69 * 35 + 70 * round);

        let slots: Vec<_> = (0..7000).map(|_| memory.allocate_zeroed(layout).unwrap()).collect();
        for slot in slots {
            // SAFETY: the slot was allocated with this layout.
            unsafe { memory.deallocate(slot.cast(), layout) };
        }
        memory.shrink_to_fit();
    }
}

/// The allocator need not be the sanitizer's own: what it gets back, it may hand out at once.
#[test]
fn memory_goes_back_as_it_came() {
    fn of_pool<R: ReuseOrder>() {
        let mut pool = Pool::<Value, R>::with_capacity(70);
        let handles: Vec<_> = (0..40).map(|id| pool.insert([id; 4]).unwrap()).collect();
        handles.iter().step_by(2).for_each(|handle| _ = pool.remove(*handle));
        drop(pool.clone().into_iter());
    }
    of_pool::<Lifo>();
    of_pool::<Fifo>();
    of_pool::<LowestFirst>();
    of_pool::<Roster>();
    of_pool::<NextFit>();
    of_pool::<Intrusive>();
    let mut packed = PackedPool::<Value>::new(70);
    let mut any = AnyPool::<dyn std::any::Any, 32>::new(70);
    let mut blocks = BlockPool::<Value>::with_blocks(8, 9);
    let mut bytes = BytemapPool::<Value>::new(70);
    let mut table = SideTable::<Handle<Value>, Value>::with_capacity(70);
    for id in 0..40 {
        let handle = packed.insert([id; 4]).unwrap();
        table.insert(handle, [id; 4]).unwrap();
        let of_others =
            (any.insert(AnyValue::new([id; 4])), blocks.insert([id; 4]), bytes.insert([id; 4]));
        if let (0, (Ok(in_any), Ok(in_block), Ok(in_bytes))) = (id % 2, of_others) {
            assert!(any.remove(in_any).is_some() && blocks.remove(in_block).is_some());
            assert!(bytes.remove(in_bytes).is_some() && table.remove(handle).is_some());
        }
    }
    drop(packed.clone().into_iter());
    drop((packed, any, blocks, bytes, table));
    let allocator = PoolAllocator::<Value>::new();
    drop((allocator.alloc([1; 4]), allocator));
    let memory = SizeClasses::new();
    let slot = memory.allocate(Layout::new::<Value>()).unwrap();
    // SAFETY: the slot was allocated with this layout.
    unsafe { memory.deallocate(slot.cast(), Layout::new::<Value>()) };
    drop(memory);
    assert_eq!(POISONED.load(Ordering::Relaxed), 0);
}
