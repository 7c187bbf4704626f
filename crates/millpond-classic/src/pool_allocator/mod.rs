//! [`PoolAllocator`] and its guard.

#[allow(unsafe_code)]
mod chunks;
#[allow(unsafe_code)]
mod pool_box;

pub use pool_box::PoolBox;

use core::fmt;
use core::marker::PhantomData;
use core::pin::Pin;

use chunks::{FreeSlot, Owner};
use millpond::__parts::or_panic;
use millpond::BuildError;
use millpond::Full;
use millpond::Stats;

/// The default number of slots in a chunk.
const CHUNK_SLOTS: usize = 256;

/// Design 3, the pool allocator: objects of one type, each in a guard like a `Box` that returns its
/// slot to the pool.
///
/// Freed slots are on a stack. [`alloc`](Self::alloc) pops one and constructs the object in it; the
/// guard, a [`PoolBox`], drops the object when it is dropped itself, and pushes the slot back. When
/// the stack is empty, a new chunk of slots is allocated on the heap, so the pool grows to what the
/// program needs, and keeps that size. [`reserve`](Self::reserve) grows it in advance, so that
/// growth does not happen during play. Objects never move.
///
/// Use it to port code that is written with `Box`: trees and lists whose nodes own their children
/// and that are rebuilt again and again. If objects are also iterated over, saved, or referred to
/// from several places, a [`Pool`](millpond::Pool) with handles is better.
///
/// A tree of guards, rebuilt from the same slots in every frame:
///
/// ```
/// use millpond_classic::{PoolAllocator, PoolBox};
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
/// pool.reserve(1000).unwrap();
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
/// **Ownership**: the pool, its clones and the guards own the memory together; it is freed when the
/// last of them is dropped. So guards have no lifetime parameter: they can be stored beside the
/// pool, and outlive it. A leaked guard ([`mem::forget`](core::mem::forget)) leaks its slot, and
/// with it the pool's memory: neither is ever used for something else.
///
/// **Memory**: a slot takes as much as its object, and at least 8 bytes: while it is free, the link of the
/// stack is there. Guards find their pool by a header, which slots of up to 128 bytes share: they lie in
/// groups of 8 KiB, of which it takes 6 %, and a chunk of them is aligned to 8 KiB. A larger slot, and
/// each one where addresses have 32 bits, has a header of its own, of the size of an address or of the
/// object's alignment. (With the feature `debug-aids`, the link is beside the object.) A chunk is touched
/// when it is allocated.
///
/// **Time**: allocation and freeing are O(1), except for an allocation that grows the pool.
///
/// **Threads**: the stack has no lock, which is why it is fast. A guard pushes to it when dropped,
/// so neither the pool nor a guard may move to another thread: they are not `Send`. Other threads
/// may *read* guarded values: `PoolBox<T>` is `Sync` if `T` is.
///
/// ```compile_fail
/// use millpond_classic::PoolAllocator;
///
/// let pool = PoolAllocator::new();
/// let guard = pool.alloc(1);
/// std::thread::spawn(move || drop(guard));
/// ```
pub struct PoolAllocator<T> {
    chunks: Owner,
    chunk_slots: usize,
    values: PhantomData<T>,
}

impl<T> PoolAllocator<T> {
    /// Creates a pool that has not allocated yet, and grows by chunks of 256 slots.
    ///
    /// ```
    /// use millpond_classic::PoolAllocator;
    ///
    /// let pool = PoolAllocator::new();
    /// let ship = pool.alloc("ship");
    /// assert_eq!((*ship, pool.len(), pool.capacity()), ("ship", 1, 256));
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::with_chunk_slots(CHUNK_SLOTS)
    }

    /// Creates a pool that has not allocated yet, and grows by chunks of `slots` slots; 0 counts as
    /// 1.
    ///
    /// ```
    /// use millpond_classic::PoolAllocator;
    ///
    /// let pool = PoolAllocator::with_chunk_slots(8);
    /// let guards: Vec<_> = (0..9).map(|i| pool.alloc(i)).collect();
    /// assert_eq!((pool.chunks(), pool.capacity()), (2, 16));
    /// ```
    #[must_use]
    pub fn with_chunk_slots(slots: usize) -> Self {
        Self { chunks: Owner::default(), chunk_slots: slots.max(1), values: PhantomData }
    }

    /// Moves `value` into a slot and returns its guard; the pool grows if it has no free slot.
    /// O(1), except for growth.
    ///
    /// ```
    /// use millpond_classic::PoolAllocator;
    ///
    /// let pool = PoolAllocator::new();
    /// let mut health = pool.alloc(10);
    /// *health -= 3;
    /// assert_eq!(*health, 7);
    /// ```
    ///
    /// # Panics
    ///
    /// If the pool must grow and there is not enough memory.
    #[inline]
    #[track_caller]
    pub fn alloc(&self, value: T) -> PoolBox<T> {
        self.alloc_with(|| value)
    }

    /// Constructs the value that `make` returns in its slot; the pool grows if it has no free slot.
    /// If `make` panics, the slot is free again. `make` may use the pool itself.
    ///
    /// ```
    /// use millpond_classic::PoolAllocator;
    ///
    /// let pool = PoolAllocator::new();
    /// let map = pool.alloc_with(|| [0_u8; 4096]);
    /// assert_eq!(map[4095], 0);
    /// ```
    ///
    /// # Panics
    ///
    /// If the pool must grow and there is not enough memory.
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
    /// use millpond_classic::PoolAllocator;
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
    /// If the pool must grow and there is not enough memory.
    #[track_caller]
    pub fn alloc_pin(&self, value: T) -> Pin<PoolBox<T>> {
        PoolBox::into_pin(self.alloc(value))
    }

    /// Moves `value` in if there is a free slot; never grows. O(1).
    ///
    /// ```
    /// use millpond_classic::PoolAllocator;
    ///
    /// let pool = PoolAllocator::with_chunk_slots(1);
    /// pool.reserve(1).unwrap();
    /// let first = pool.try_alloc('a').unwrap();
    /// assert_eq!(pool.try_alloc('b').unwrap_err().into_inner(), 'b');
    /// ```
    ///
    /// # Errors
    ///
    /// If there is no free slot. The error returns `value`.
    #[inline]
    pub fn try_alloc(&self, value: T) -> Result<PoolBox<T>, Full<T>> {
        match FreeSlot::pop(&self.chunks) {
            Some(slot) => Ok(PoolBox::construct(slot, || value)),
            None => {
                self.chunks.count_refusal();
                Err(Full::new(value, &self.stats()))
            }
        }
    }

    /// Allocates memory for `additional` more values, in one chunk, unless the pool has it already.
    ///
    /// ```
    /// use millpond::BuildError;
    /// use millpond_classic::PoolAllocator;
    ///
    /// let pool = PoolAllocator::<[f32; 16]>::new();
    /// pool.reserve(10_000)?;
    /// assert_eq!((pool.capacity(), pool.chunks()), (10_000, 1));
    ///
    /// let more = usize::MAX / 64;
    /// assert!(matches!(pool.reserve(more), Err(BuildError::OutOfMemory { .. })));
    /// # Ok::<(), BuildError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If there is not enough memory. The pool is then unchanged.
    pub fn reserve(&self, additional: usize) -> Result<(), BuildError> {
        let missing = additional.saturating_sub(self.chunks.free_slots());
        if missing == 0 {
            return Ok(());
        }
        let capacity = self.capacity().saturating_add(missing);
        let slots = missing.max(self.chunk_slots);
        self.chunks.try_grow::<T>(slots).map_err(|_| BuildError::OutOfMemory { capacity })
    }

    /// Fills free slots with the repeated pattern `0x1deadb0b` from now on. The allocation of a
    /// slot that was written to meanwhile panics with the place of the change; see
    /// [`DebugAids::fill_dead_slots`](millpond::debug::DebugAids::fill_dead_slots).
    ///
    /// ```
    /// use millpond_classic::PoolAllocator;
    ///
    /// let pool = PoolAllocator::new();
    /// pool.fill_dead_slots();
    /// drop(pool.alloc([1_u64; 4]));
    /// let again = pool.alloc([2_u64; 4]); // checks that nothing wrote to the slot in the meantime
    /// assert_eq!(*again, [2; 4]);
    /// ```
    #[cfg(feature = "debug-aids")]
    pub fn fill_dead_slots(&self) {
        self.chunks.fill_free_slots::<T>();
    }

    /// A free slot, in a new chunk if there is no other.
    #[inline]
    #[track_caller]
    fn free_slot(&self) -> FreeSlot<'_, T> {
        match FreeSlot::pop(&self.chunks) {
            Some(slot) => slot,
            None => self.free_slot_of_new_chunk(),
        }
    }

    #[cold]
    #[track_caller]
    fn free_slot_of_new_chunk(&self) -> FreeSlot<'_, T> {
        or_panic(self.reserve(1));
        FreeSlot::pop(&self.chunks).expect("the chunk that was just taken has a free slot")
    }

    /// Returns the number of values, including one that is being constructed or dropped.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.chunks.live()
    }

    /// Returns whether there are no values.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns how many values there is memory for. It never shrinks.
    #[inline]
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.chunks.slots()
    }

    /// Returns the number of chunks that the pool has allocated on the heap.
    #[must_use]
    pub fn chunks(&self) -> usize {
        self.chunks.count()
    }

    /// Returns the counters: slots by state, the peak, insertions, refusals and evictions. O(1).
    ///
    /// ```
    /// use millpond_classic::PoolAllocator;
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

/// The clone is another owner of the same pool, for parts of a program that share it. O(1).
impl<T> Clone for PoolAllocator<T> {
    fn clone(&self) -> Self {
        let chunks = self.chunks.clone();
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
