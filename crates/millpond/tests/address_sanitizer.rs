//! Uses of dead slots are reported by AddressSanitizer, in builds that have it: `ci/sanitizers`. (Uses of live
//! slots, and of slots that are live again, are not: the other programs that it runs make them.)
//!
//! Each use is made by a process of its own, which the sanitizer ends.
#![cfg(millpond_asan)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use millpond::reuse::{Fifo, Lifo, LowestFirst, ReuseOrder, Roster};
use millpond::{Handle, PackedPool, PackedVecPool, Pool, SideTable, VecPool};
use millpond_classic::{BytemapPool, PoolAllocator, PoolBox};
use millpond_memory::SizeClasses;

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

/// Reads a word of what is there no longer.
fn read(word: *const u64) {
    // SAFETY: none. This is the use of a dead slot that must be caught.
    std::hint::black_box(unsafe { word.read_volatile() });
}

/// Reads the last word of the last of three values after the end of that value, in a pool that stays.
macro_rules! read_after {
    ($pool:expr, |$it:ident, $handle:ident| $value:expr, $end:expr) => {
        || {
            let mut $it = $pool;
            let [_, _, $handle] = [1_u64, 2, 3].map(|id| $it.insert([id; 4]).unwrap());
            let word: *const u64 = &raw const $value[3];
            $end;
            read(word);
        }
    };
}

fn removed<R: ReuseOrder>() {
    let pool = Pool::<Value, R>::with_capacity(4);
    read_after!(pool, |pool, handle| pool[handle], pool.remove(handle))();
}

const USES: &[(&str, fn())] = &[
    ("remove_lifo", removed::<Lifo>),
    ("remove_fifo", removed::<Fifo>),
    ("remove_lowest_first", removed::<LowestFirst>),
    ("remove_roster", removed::<Roster>),
    ("clear", read_after!(Pool::<Value>::new(4), |pool, handle| pool[handle], pool.clear())),
    (
        "retain",
        read_after!(Pool::<Value>::new(4), |pool, handle| pool[handle], pool.retain(|_, _| false)),
    ),
    ("drain", read_after!(Pool::<Value>::new(4), |pool, handle| pool[handle], drop(pool.drain()))),
    (
        "bytemap",
        read_after!(
            BytemapPool::<Value>::new(4),
            |pool, handle| pool.get(handle).unwrap(),
            pool.remove(handle)
        ),
    ),
    (
        "vec_pool",
        read_after!(VecPool::<Value>::new(), |pool, handle| pool[handle], pool.remove(handle)),
    ),
    // The last value moves to where the first was.
    (
        "packed_pool",
        read_after!(PackedPool::<Value>::new(4), |pool, handle| pool[handle], pool.remove_at(0)),
    ),
    (
        "packed_pool_clear",
        read_after!(PackedPool::<Value>::new(4), |pool, handle| pool[handle], pool.clear()),
    ),
    (
        "packed_pool_restored",
        read_after!(
            PackedPool::<Value>::new(4),
            |pool, handle| pool[handle],
            pool.restore(&PackedPool::new(4).snapshot()).unwrap()
        ),
    ),
    ("vec_pool_after_growth", || {
        let mut pool = VecPool::<Value>::new();
        let handles = [0; 5].map(|id| pool.push([id; 4]));
        let word: *const u64 = &raw const pool[handles[3]][3];
        pool.remove(handles[3]);
        read(word);
    }),
    ("packed_vec_pool_after_growth", || {
        let mut pool = PackedVecPool::<Value>::new();
        let handles = [0; 5].map(|id| pool.push([id; 4]));
        let word: *const u64 = &raw const pool[handles[4]][3];
        pool.remove(handles[3]);
        read(word);
    }),
    ("packed_vec_pool_after_shrinking", || {
        let mut pool = PackedVecPool::<Value>::new();
        let handles = [0; 5].map(|id| pool.push([id; 4]));
        pool.remove(handles[0]);
        pool.reserve(100).unwrap();
        pool.shrink_to_fit();
        let word: *const u64 = &raw const pool[handles[3]][3];
        read(word.wrapping_add(4));
    }),
    ("write", || {
        let mut pool = Pool::<Value>::new(4);
        let handle = pool.insert([1; 4]).unwrap();
        let word: *mut u64 = &raw mut pool[handle][3];
        pool.remove(handle);
        // SAFETY: none, as in `read`.
        unsafe { word.write_volatile(5) };
    }),
    ("never_live", || {
        let mut pool = Pool::<Value>::new(4);
        let handle = pool.insert([1; 4]).unwrap();
        read((&raw const pool[handle][3]).wrapping_add(1));
    }),
    ("packed_pool_never_live", || {
        let mut pool = PackedPool::<Value>::new(4);
        let handle = pool.insert([1; 4]).unwrap();
        read((&raw const pool[handle][3]).wrapping_add(1));
    }),
    ("side_table", || {
        let mut table = SideTable::<Handle<()>, Value>::with_capacity(4);
        let handle = Handle::from_parts(1, 1).unwrap();
        table.insert(handle, [1; 4]).unwrap();
        let word: *const u64 = &raw const table[handle][3];
        table.remove(handle);
        read(word);
    }),
    ("pool_allocator", || {
        let pool = PoolAllocator::<Value>::new();
        let guard = pool.alloc([1; 4]);
        let word: *const u64 = &raw const guard[3];
        drop(guard);
        read(word);
    }),
    ("pool_allocator_into_inner", || {
        let pool = PoolAllocator::<Value>::new();
        let guard = pool.alloc([1; 4]);
        let word: *const u64 = &raw const guard[3];
        assert_eq!(PoolBox::into_inner(guard), [1; 4]);
        read(word);
    }),
    ("size_classes", || {
        let memory = SizeClasses::new();
        let layout = Layout::new::<Value>();
        let slot = memory.allocate(layout).unwrap().cast::<u64>();
        // SAFETY: the slot was allocated with this layout.
        unsafe { memory.deallocate(slot.cast(), layout) };
        read(slot.as_ptr().wrapping_add(3));
    }),
    ("size_classes_never_live", || {
        let memory = SizeClasses::new();
        let slot = memory.allocate(Layout::new::<Value>()).unwrap().cast::<u64>();
        read(slot.as_ptr().wrapping_add(4));
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
    let mut packed = PackedPool::<Value>::new(70);
    let mut grown = VecPool::<Value>::new();
    let mut bytes = BytemapPool::<Value>::new(70);
    let mut table = SideTable::<Handle<Value>, Value>::with_capacity(70);
    for id in 0..40 {
        let handle = packed.insert([id; 4]).unwrap();
        table.insert(handle, [id; 4]).unwrap();
        let of_others = (grown.insert([id; 4]), bytes.insert([id; 4]));
        if let (0, (Ok(in_grown), Ok(in_bytes))) = (id % 2, of_others) {
            assert!(grown.remove(in_grown).is_some() && bytes.remove(in_bytes).is_some());
            assert!(table.remove(handle).is_some());
        }
    }
    drop(packed.clone().into_iter());
    drop((packed, grown, bytes, table));
    let allocator = PoolAllocator::<Value>::new();
    drop((allocator.alloc([1; 4]), allocator));
    let memory = SizeClasses::new();
    let slot = memory.allocate(Layout::new::<Value>()).unwrap();
    // SAFETY: the slot was allocated with this layout.
    unsafe { memory.deallocate(slot.cast(), Layout::new::<Value>()) };
    drop(memory);
    assert_eq!(POISONED.load(Ordering::Relaxed), 0);
}
