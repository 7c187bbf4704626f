//! Uses millpond as a program without the standard library would: a pool in a `static` behind a lock,
//! handles that travel as bits, and with the feature `alloc` a pool on a heap.
#![no_std]

use core::cell::RefCell;
use core::panic::PanicInfo;
use core::sync::atomic::{AtomicBool, Ordering};

use millpond::{Full, Handle, StaticPool};
use millpond_overflow::{EvictLeast, Policy};

/// A lock as small as can be: whoever finds it taken waits.
struct Spin<T> {
    taken: AtomicBool,
    value: RefCell<T>,
}

// SAFETY: `value` is used only between taking the lock and giving it back, by one thread at a time.
unsafe impl<T: Send> Sync for Spin<T> {}

impl<T> Spin<T> {
    const fn new(value: T) -> Self {
        Self { taken: AtomicBool::new(false), value: RefCell::new(value) }
    }

    fn with<V>(&self, work: impl FnOnce(&mut T) -> V) -> V {
        while self.taken.swap(true, Ordering::Acquire) {
            core::hint::spin_loop();
        }
        let value = work(&mut self.value.borrow_mut());
        self.taken.store(false, Ordering::Release);
        value
    }
}

struct Spark {
    frames_left: u32,
}

static SPARKS: Spin<StaticPool<Spark, 4096>> = Spin::new(StaticPool::new());

/// Lights a spark, and gives its handle as bits; 0 if there are too many.
#[unsafe(no_mangle)]
pub extern "C" fn spark_light(frames_left: u32) -> u64 {
    let lit = SPARKS.with(|sparks| sparks.insert(Spark { frames_left }));
    lit.map_or(0, Handle::to_bits)
}

/// Lights a spark in any case: if there are too many, the one goes that has the fewest frames left.
#[unsafe(no_mangle)]
pub extern "C" fn spark_light_anyway(frames_left: u32) -> u64 {
    let mut shortest = EvictLeast(|_, spark: &Spark| spark.frames_left);
    let lit = SPARKS.with(|sparks| shortest.insert(sparks, Spark { frames_left }));
    lit.map_or(0, |(handle, _)| handle.to_bits())
}

/// How many frames a spark has left; 0 if it is out, or the bits are not those of a spark.
#[unsafe(no_mangle)]
pub extern "C" fn spark_frames_left(bits: u64) -> u32 {
    let left = |spark| SPARKS.with(|sparks| sparks.get(spark).map(|spark| spark.frames_left));
    Handle::from_bits(bits).and_then(left).unwrap_or(0)
}

/// Lets a frame pass, and says how many sparks are left.
#[unsafe(no_mangle)]
pub extern "C" fn sparks_animate() -> usize {
    SPARKS.with(|sparks| {
        sparks.retain(|_, spark| {
            spark.frames_left = spark.frames_left.saturating_sub(1);
            spark.frames_left > 0
        });
        sparks.len()
    })
}

/// What a full pool says of itself needs no heap either.
#[unsafe(no_mangle)]
pub extern "C" fn message_bytes() -> usize {
    struct Count(usize);
    impl core::fmt::Write for Count {
        fn write_str(&mut self, text: &str) -> core::fmt::Result {
            self.0 += text.len();
            Ok(())
        }
    }

    let mut count = Count(0);
    let mut none = StaticPool::<u8, 0>::named("none");
    let full: Result<_, Full<u8>> = none.insert(1);
    if let Err(full) = full {
        let _ = core::fmt::Write::write_fmt(&mut count, format_args!("{full}"));
    }
    count.0
}

#[cfg(feature = "alloc")]
mod heap {
    use core::alloc::{GlobalAlloc, Layout};
    use core::cell::UnsafeCell;
    use core::ptr;
    use core::sync::atomic::{AtomicUsize, Ordering};

    use millpond::{PackedPool, Pool};

    const HEAP_BYTES: usize = 1 << 20;

    /// Hands out one piece after the other, and takes none back.
    #[repr(align(4096))]
    struct Bump {
        memory: UnsafeCell<[u8; HEAP_BYTES]>,
        used: AtomicUsize,
    }

    // SAFETY: no two pieces that are handed out overlap.
    unsafe impl Sync for Bump {}

    #[global_allocator]
    static HEAP: Bump =
        Bump { memory: UnsafeCell::new([0; HEAP_BYTES]), used: AtomicUsize::new(0) };

    // SAFETY: a piece is inside of `memory`, aligned as asked (the whole is aligned to 4096), and not
    // handed out again.
    unsafe impl GlobalAlloc for Bump {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            let piece = |used: usize| {
                let start = used.checked_next_multiple_of(layout.align())?;
                let end = start.checked_add(layout.size())?;
                (layout.align() <= 4096 && end <= HEAP_BYTES).then_some((start, end))
            };
            let end = |used| piece(used).map(|(_, end)| end);
            match self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, end) {
                Ok(used) => match piece(used) {
                    // SAFETY: the piece starts inside of the memory.
                    Some((start, _)) => unsafe { self.memory.get().cast::<u8>().add(start) },
                    None => ptr::null_mut(),
                },
                Err(_) => ptr::null_mut(),
            }
        }

        unsafe fn dealloc(&self, _piece: *mut u8, _layout: Layout) {}
    }

    /// Pools on the heap; says how many values are left in them.
    #[unsafe(no_mangle)]
    pub extern "C" fn heap_pools() -> usize {
        let mut pool = Pool::new(100);
        let mut packed = PackedPool::new(100);
        let first = pool.insert(1_u32);
        for id in 0..10_u32 {
            let _ = packed.insert(id);
        }
        packed.sort_by_key(|id| core::cmp::Reverse(*id));
        if let Ok(first) = first {
            pool.remove(first);
        }
        pool.len() + packed.len()
    }
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {
        core::hint::spin_loop();
    }
}
