//! Counts the bytes that 4,000 pools of few objects take, in the pools themselves and from the allocator, beside those of
//! `slotmap`. Fails if pools of one object take more than [`MOST`] of its.

use std::alloc::{GlobalAlloc, Layout, System};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};

use millpond::VecPool;
use slotmap::{DefaultKey, SlotMap};

/// 48 bytes.
type Value = [u64; 6];

const POOLS: usize = 4000;
const MOST: f64 = 1.15;

/// The system's allocator, and how many bytes it has given out.
struct Held;

static HELD: AtomicUsize = AtomicUsize::new(0);

#[global_allocator]
static ALLOCATOR: Held = Held;

// SAFETY: every request is passed on to the system's allocator as it is.
unsafe impl GlobalAlloc for Held {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        HELD.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(block, layout) }
    }
}

/// The bytes of one such pool.
fn bytes<P>(make: impl Fn() -> P) -> usize {
    let before = HELD.load(Ordering::Relaxed);
    let pools: Vec<P> = (0..POOLS).map(|_| make()).collect();
    let bytes = HELD.load(Ordering::Relaxed) - before;
    drop(pools);
    bytes / POOLS
}

fn main() -> ExitCode {
    let mut of_one = 0.0;
    for objects in [1, 2, 3, 4, 8] {
        let own = bytes(|| {
            let mut pool = VecPool::<Value>::new();
            (0..objects).for_each(|_| _ = pool.push([0; 6]));
            pool
        });
        let slotmap = bytes(|| {
            let mut map = SlotMap::<DefaultKey, Value>::new();
            (0..objects).for_each(|_| _ = map.insert([0; 6]));
            map
        });
        let ratio = own as f64 / slotmap as f64;
        println!("{POOLS} pools of {objects}: {own} bytes each, slotmap {slotmap} ({ratio:.2})");
        of_one = if objects == 1 { ratio } else { of_one };
    }
    if of_one > MOST {
        println!("pools of one object take more than {MOST} of slotmap's");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
