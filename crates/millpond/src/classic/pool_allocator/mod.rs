//! [`PoolAllocator`] and its guard.

#[allow(unsafe_code)]
mod chunks;
#[allow(unsafe_code)]
mod pool_box;

pub use pool_box::PoolBox;

use alloc::rc::Rc;
use core::fmt;
use core::marker::PhantomData;
use core::pin::Pin;

use crate::pools::settings::BuildError;
use crate::reports::errors::{Full, FullPool};
use crate::reports::stats::Stats;
use chunks::{Chunks, FreeSlot};

/// How many slots a chunk has unless the pool is told otherwise.
const CHUNK_SLOTS: usize = 256;

/// Design 3, the pool allocator: objects of one type, each in a guard like a `Box` that puts itself
/// back.
///
/// Freed slots are on a stack. [`alloc`](Self::alloc) pops one and constructs the object in it; the
/// guard, a [`PoolBox`], destroys the object when it goes and pushes the slot back. When the stack is
/// empty a new chunk of slots comes from the heap, so the pool grows to what the program needs, and
/// stays there. [`reserve`](Self::reserve) grows it ahead, so that it does not happen in the middle of
/// play. What is allocated never moves.
///
/// Pick it to port code that is written with `Box`: trees and lists whose nodes own their children,
/// torn down and rebuilt again and again. Where objects are also gone over, saved, or referred to from
/// several places, a [`Pool`](crate::Pool) with handles is better.
///
/// A tree of guards, rebuilt from the same timber in every frame:
///
/// ```
/// use millpond::classic::{PoolAllocator, PoolBox};
///
/// struct Node {
///     key: u32,
///     children: [Option<PoolBox<Node>>; 2], // 8 bytes each
/// }
///
/// fn add(pool: &PoolAllocator<Node>, place: &mut Option<PoolBox<Node>>, key: u32) {
///     match place {
///         Some(node) => {
///             let side = usize::from(key > node.key);
///             add(pool, &mut node.children[side], key);
///         }
///         None => *place = Some(pool.alloc(Node { key, children: [None, None] })),
///     }
/// }
///
/// let pool = PoolAllocator::new();
/// pool.reserve(1000);
/// for frame in 0..60 {
///     let mut tree = None;
///     for i in 0..1000 {
///         add(&pool, &mut tree, (i + frame) * 7919 % 1009);
///     }
///     assert_eq!(pool.len(), 1000);
/// } // the tree goes, and every node of it is back on the stack
/// assert_eq!((pool.len(), pool.chunks()), (0, 1));
/// ```
///
/// **Ownership**: the memory belongs to the pool, its clones and the guards together, and is given back
/// when the last of them goes. So guards need no lifetime: they can be stored beside the pool, and
/// outlive it. A guard that is leaked ([`mem::forget`](core::mem::forget)) leaks its slot, and with it
/// the pool's memory: neither is ever used for something else.
///
/// **Memory**: per slot the object, 8 bytes by which its guard finds the way back (more if the object is
/// aligned to more), and 8 for the stack. A chunk is touched when it is taken.
///
/// **Time**: allocation and free are O(1), but for an allocation that has to grow the pool.
///
/// **Threads**: the stack has no lock, which is most of its speed. A guard pushes to it when it is
/// dropped, so neither the pool nor a guard may go to another thread: they are not `Send`. What is in
/// guards may be *read* by other threads: a `PoolBox` of what is `Sync` is `Sync`.
///
/// ```compile_fail
/// use millpond::classic::PoolAllocator;
///
/// let pool = PoolAllocator::new();
/// let guard = pool.alloc(1);
/// std::thread::spawn(move || drop(guard));
/// ```
pub struct PoolAllocator<T> {
    chunks: Rc<Chunks>,
    chunk_slots: usize,
    values: PhantomData<T>,
}

impl<T> PoolAllocator<T> {
    /// A pool that has no memory yet, and grows by chunks of 256 slots.
    ///
    /// ```
    /// use millpond::classic::PoolAllocator;
    ///
    /// let pool = PoolAllocator::new();
    /// let ship = pool.alloc("ship");
    /// assert_eq!((*ship, pool.len(), pool.capacity()), ("ship", 1, 256));
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::with_chunk_slots(CHUNK_SLOTS)
    }

    /// A pool that has no memory yet, and grows by chunks of this many slots; 0 counts as 1.
    ///
    /// ```
    /// use millpond::classic::PoolAllocator;
    ///
    /// let pool = PoolAllocator::with_chunk_slots(8);
    /// let guards: Vec<_> = (0..9).map(|i| pool.alloc(i)).collect();
    /// assert_eq!((pool.chunks(), pool.capacity()), (2, 16));
    /// ```
    #[must_use]
    pub fn with_chunk_slots(slots: usize) -> Self {
        Self { chunks: Rc::default(), chunk_slots: slots.max(1), values: PhantomData }
    }

    /// Moves a value in; the pool grows if it has no free slot. O(1), but for growing.
    ///
    /// ```
    /// use millpond::classic::PoolAllocator;
    ///
    /// let pool = PoolAllocator::new();
    /// let mut health = pool.alloc(10);
    /// *health -= 3;
    /// assert_eq!(*health, 7);
    /// ```
    ///
    /// # Panics
    ///
    /// If the pool has to grow and there is no memory.
    #[inline]
    #[track_caller]
    pub fn alloc(&self, value: T) -> PoolBox<T> {
        self.alloc_with(|| value)
    }

    /// Constructs a value in its slot; the pool grows if it has no free slot. If the function panics,
    /// the slot goes back. It may use the pool itself.
    ///
    /// ```
    /// use millpond::classic::PoolAllocator;
    ///
    /// let pool = PoolAllocator::new();
    /// let map = pool.alloc_with(|| [0_u8; 4096]);
    /// assert_eq!(map[4095], 0);
    /// ```
    ///
    /// # Panics
    ///
    /// If the pool has to grow and there is no memory.
    #[inline]
    #[track_caller]
    pub fn alloc_with(&self, make: impl FnOnce() -> T) -> PoolBox<T> {
        PoolBox::construct(self.free_slot(), make)
    }

    /// Like [`alloc`](Self::alloc), pinned: for values that rely on their address, such as futures.
    ///
    /// ```
    /// use std::pin::Pin;
    /// use std::task::{Context, Poll, Waker};
    ///
    /// use millpond::classic::PoolAllocator;
    ///
    /// let pool = PoolAllocator::new();
    /// let mut task = pool.alloc_pin(async { 6 * 7 });
    /// let mut context = Context::from_waker(Waker::noop());
    /// assert_eq!(task.as_mut().poll(&mut context), Poll::Ready(42));
    /// # use std::future::Future;
    /// ```
    ///
    /// # Panics
    ///
    /// If the pool has to grow and there is no memory.
    #[track_caller]
    pub fn alloc_pin(&self, value: T) -> Pin<PoolBox<T>> {
        PoolBox::into_pin(self.alloc(value))
    }

    /// Moves a value in if there is a free slot: never grows. O(1).
    ///
    /// ```
    /// use millpond::classic::PoolAllocator;
    ///
    /// let pool = PoolAllocator::with_chunk_slots(1);
    /// pool.reserve(1);
    /// let first = pool.try_alloc('a').unwrap();
    /// assert_eq!(pool.try_alloc('b').unwrap_err().into_inner(), 'b');
    /// ```
    ///
    /// # Errors
    ///
    /// If there is none: the error returns the value.
    #[inline]
    pub fn try_alloc(&self, value: T) -> Result<PoolBox<T>, Full<T>> {
        match FreeSlot::pop(&self.chunks) {
            Some(slot) => Ok(PoolBox::construct(slot, || value)),
            None => {
                self.chunks.count_refusal();
                let Stats { capacity, peak, .. } = self.stats();
                Err(Full {
                    value,
                    pool: FullPool { name: None, capacity, peak, retired: 0, out_of_memory: false },
                })
            }
        }
    }

    /// Takes the memory for this many values more than there are now, in one chunk, unless the pool
    /// has it.
    ///
    /// ```
    /// use millpond::classic::PoolAllocator;
    ///
    /// let pool = PoolAllocator::<[f32; 16]>::new();
    /// pool.reserve(10_000);
    /// assert_eq!((pool.capacity(), pool.chunks()), (10_000, 1));
    /// ```
    ///
    /// # Panics
    ///
    /// If there is not enough memory.
    #[track_caller]
    pub fn reserve(&self, additional: usize) {
        if let Err(error) = self.try_reserve(additional) {
            panic!("{error}");
        }
    }

    /// Takes the memory for this many values more than there are now, in one chunk, unless the pool
    /// has it.
    ///
    /// ```
    /// use millpond::BuildError;
    /// use millpond::classic::PoolAllocator;
    ///
    /// let pool = PoolAllocator::<u64>::new();
    /// let capacity = usize::MAX / 8;
    /// assert_eq!(pool.try_reserve(capacity), Err(BuildError::OutOfMemory { capacity }));
    /// ```
    ///
    /// # Errors
    ///
    /// If there is no memory for so many: the pool is as it was.
    pub fn try_reserve(&self, additional: usize) -> Result<(), BuildError> {
        let missing = additional.saturating_sub(self.chunks.free_slots());
        if missing == 0 {
            return Ok(());
        }
        let capacity = self.capacity().saturating_add(missing);
        let slots = missing.max(self.chunk_slots);
        Chunks::try_grow::<T>(&self.chunks, slots).map_err(|_| BuildError::OutOfMemory { capacity })
    }

    /// From now on, each free slot is filled with `0x1deadb0b`, over and over, and the allocation of a slot that was
    /// written to meanwhile panics and says where; see
    /// [`DebugAids::fill_dead_slots`](crate::debug::DebugAids::fill_dead_slots).
    ///
    /// ```
    /// use millpond::classic::PoolAllocator;
    ///
    /// let pool = PoolAllocator::new();
    /// pool.fill_dead_slots();
    /// drop(pool.alloc([1_u64; 4]));
    /// let again = pool.alloc([2_u64; 4]); // looks whether the slot was left alone meanwhile
    /// assert_eq!(*again, [2; 4]);
    /// ```
    #[cfg(feature = "debug-aids")]
    pub fn fill_dead_slots(&self) {
        self.chunks.fill_free_slots::<T>();
    }

    /// A free slot, of a new chunk if there is no other.
    #[inline]
    #[track_caller]
    fn free_slot(&self) -> FreeSlot<T> {
        match FreeSlot::pop(&self.chunks) {
            Some(slot) => slot,
            None => self.free_slot_of_new_chunk(),
        }
    }

    #[cold]
    #[track_caller]
    fn free_slot_of_new_chunk(&self) -> FreeSlot<T> {
        self.reserve(1);
        FreeSlot::pop(&self.chunks).expect("the chunk that was just taken has a free slot")
    }

    /// The number of values.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.chunks.live()
    }

    /// Whether there are no values.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many values there is memory for. It never shrinks.
    #[inline]
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.chunks.slots()
    }

    /// How many times the pool has grown: pieces of memory that it has taken from the heap.
    #[must_use]
    pub fn chunks(&self) -> usize {
        self.chunks.count()
    }

    /// The counters: slots by state, the peak, insertions, refusals and evictions. O(1).
    ///
    /// ```
    /// use millpond::classic::PoolAllocator;
    ///
    /// let pool = PoolAllocator::with_chunk_slots(16);
    /// drop((pool.alloc(1), pool.alloc(2)));
    /// let third = pool.alloc(3);
    /// let stats = pool.stats();
    /// assert_eq!((stats.live, stats.peak, stats.capacity), (1, 2, 16));
    /// assert_eq!((stats.inserted, stats.removed), (3, 2));
    /// ```
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.chunks.stats()
    }
}

impl<T> Default for PoolAllocator<T> {
    fn default() -> Self {
        Self::new()
    }
}

/// Another owner of the same pool, for parts of a program that share it. O(1).
impl<T> Clone for PoolAllocator<T> {
    fn clone(&self) -> Self {
        let chunks = Rc::clone(&self.chunks);
        Self { chunks, chunk_slots: self.chunk_slots, values: PhantomData }
    }
}

impl<T> fmt::Debug for PoolAllocator<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PoolAllocator")
            .field("chunks", &self.chunks())
            .field("stats", &self.stats())
            .finish_non_exhaustive()
    }
}
