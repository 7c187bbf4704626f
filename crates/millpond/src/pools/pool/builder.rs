//! The builder of a pool, on the heap or in memory that the caller lends.
//!
//! Invariant of the unsafe code here: until the pool is dropped, nothing but its storage uses the
//! lent memory, which has the size and alignment that `memory_layout` returns.

use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

use super::{OneBlock, Pool};
use crate::base::address::behind;
use crate::handle::{Handle, HandleLayout};
use crate::pools::builder::{Builder, Kind, Ordered};
use crate::pools::settings::{BuildError, Settings};
use crate::slots::Block;
use crate::slots::reuse::{Lifo, ReuseOrder};
use crate::values::Storage;

impl<T> Pool<T> {
    /// Creates a pool of `capacity` slots, with the default reuse order and eight-byte handles. All
    /// of its memory is allocated and touched here.
    ///
    /// For another reuse order or handle, write [`Pool::<u8, Fifo>::with_capacity(4)`](Pool::with_capacity) or use the
    /// [`builder`](Self::builder). `new` makes pools of the defaults only, so that `Pool::new(4)` needs no types.
    ///
    /// ```
    /// use millpond::Pool;
    ///
    /// let pool = Pool::<String>::new(512);
    /// assert_eq!((pool.capacity(), pool.len()), (512, 0));
    /// ```
    ///
    /// # Panics
    ///
    /// If there is not enough memory for that many slots, or they are more than 4,294,967,295. The builder's
    /// [`try_build`](PoolBuilder::try_build) returns an error instead.
    #[must_use]
    #[track_caller]
    pub fn new(capacity: usize) -> Self {
        Self::with_capacity(capacity)
    }

    /// Returns a builder, to choose the reuse order, the handle layout, a name and more.
    ///
    /// ```
    /// use millpond::reuse::Fifo;
    /// use millpond::{Handle32, Pool};
    ///
    /// struct Bullet;
    /// let mut bullets = Pool::<Bullet>::builder()
    ///     .capacity(4096)
    ///     .reuse(Fifo)
    ///     .handle::<Handle32<Bullet, 16>>()
    ///     .name("bullets")
    ///     .build();
    /// let bullet: Handle32<Bullet, 16> = bullets.insert(Bullet).unwrap();
    /// ```
    pub fn builder() -> PoolBuilder<T> {
        Self::typed_builder()
    }
}

/// Builds a [`Pool`] with a capacity, a reuse order, a handle layout, a name, a salt, and a rule
/// for slots whose generations are used up.
///
/// ```
/// use millpond::Pool;
/// use millpond::reuse::LowestFirst;
///
/// let pool = Pool::<[f32; 4]>::builder().capacity(1000).reuse(LowestFirst).name("sparks").build();
/// assert_eq!(pool.name(), Some("sparks"));
/// ```
pub type PoolBuilder<T, R = Lifo, H = Handle<T>> = Builder<T, OfPool, Ordered<R>, H>;

/// The kind of a [`Pool`].
#[derive(Clone, Copy, Debug)]
pub struct OfPool {
    untouched: bool,
}

impl<T, R: ReuseOrder, H: HandleLayout> Kind<T, Ordered<R>, H> for OfPool {
    type Pool = Pool<T, R, H>;

    fn build(builder: PoolBuilder<T, R, H>) -> Result<Self::Pool, BuildError> {
        Pool::from_settings(&builder.settings, builder.kind.untouched)
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> Pool<T, R, H> {
    /// Returns a builder for pools of exactly this type: `builder` starts with the default type
    /// parameters, this one with those of `Self`.
    ///
    /// ```
    /// use millpond::*;
    ///
    /// handle_type! { struct Key; }
    /// type Keyed = Pool<u8, reuse::Fifo, Key>;
    /// let pool = Keyed::typed_builder().name("nodes").capacity(8).build();
    /// assert_eq!(pool.name(), Some("nodes"));
    /// ```
    pub fn typed_builder() -> PoolBuilder<T, R, H> {
        Builder::of(Settings::NONE, OfPool { untouched: false })
    }
}

impl<T, R, H> PoolBuilder<T, R, H> {
    /// Leaves the pool's memory untouched, so that a large capacity costs addresses and no memory: the system provides each
    /// page when a value first needs it. For a pool whose size nobody knows, but a limit is; its values never move, and no
    /// insertion has to copy the others.
    ///
    /// **Time**: the page fault comes in play, once for each page of 4 KiB. It took 1.4 to 1.5 µs on average on a virtual
    /// machine (AMD EPYC, Linux 6.18), one in a hundred 4.7 µs or more; measure your own with `bench/src/bin/untouched.rs`. An insertion
    /// into a new slot can meet three: for the value, its generation, and what the order or the bitmap keeps of it.
    ///
    /// | system | |
    /// | --- | --- |
    /// | Linux, macOS | memory when a page is first written to; addresses beyond what the machine has may be refused |
    /// | Windows | the same, but all of the capacity counts as committed, and the system may refuse it |
    /// | WebAssembly, no system | no gain: all memory is there, and is written to |
    ///
    /// **Memory**: what was used stays until the pool is dropped; [`clear`](crate::Pool::clear) and removals give back
    /// nothing. [`slots_used`](crate::Pool::slots_used) says how many slots that are.
    ///
    /// | reuse order | what is touched |
    /// | --- | --- |
    /// | `Lifo` | the slots that were in use at once, since a freed one comes before a new one |
    /// | `LowestFirst` | the same, and a bit for each 64 slots when the pool is built |
    /// | [`Fifo`](crate::reuse::Fifo) | with time all slots, since it goes round, and a list of 8 bytes per slot when the pool is built |
    /// | [`Roster`](crate::reuse::Roster) | as `Lifo`, and a list of 8 bytes per slot when the pool is built (4 with handles of at most 16 index bits) |
    ///
    /// Values that are aligned to more than 64 bytes are all written to when the pool is built, and the debug aids that fill
    /// dead slots or remember origins touch memory for each slot. So does a clone or a snapshot of such a pool, and of one with
    /// an order that keeps a list; all others are untouched beyond the slots that were used. The following cost more memory or
    /// time than the number of live objects lets you expect:
    ///
    /// - [`insert_at`](crate::Pool::insert_at) of a slot far behind the others makes all slots up to it count as used: their
    ///   generations may be written, 4 bytes each, copies and files have them, and walks read their bits.
    /// - [`clear`](crate::Pool::clear) with `Lifo` writes an entry of 4 bytes for each slot that was used.
    /// - [`SideTable`](crate::SideTable)s, [lists of
    ///   ages](https://docs.rs/millpond-overflow/latest/millpond_overflow/struct.EvictOldest.html) and a
    ///   [`Recycler`](crate::Recycler) of the same capacity have memory for each slot.
    ///
    /// **Files** (feature `serde`) have the used part only, except with orders that keep a list; a pool that is read is
    /// untouched as well, and [`migrate_from`](crate::Pool::migrate_from) and [`restore`](crate::Pool::restore) leave
    /// the pages beyond alone. See [saving to a file](crate::snapshot#saving-to-a-file). In a
    /// [budget](https://docs.rs/millpond-overflow/latest/millpond_overflow/budget/struct.Entry.html#method.untouched),
    /// such a pool has two figures. A recorder needs no memory for it.
    ///
    /// It has no effect on memory that the caller [provides](Self::build_in).
    ///
    /// ```
    /// use millpond::Pool;
    ///
    /// // A thousand million bytes of addresses, and a few KiB of memory so far.
    /// let mut chunks = Pool::<[u8; 64]>::builder().capacity(1 << 24).untouched().build();
    /// let chunk = chunks.insert([0; 64]).unwrap();
    /// assert!(chunks.contains(chunk) && chunks.capacity() == 16_777_216);
    /// ```
    pub fn untouched(mut self) -> Self {
        self.kind.untouched = true;
        self
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> PoolBuilder<T, R, H> {
    /// Returns the layout of the memory that the pool needs, for [`build_in`](Self::build_in): one
    /// block with its values, its generation words and the reuse order's data.
    ///
    /// # Errors
    ///
    /// If no capacity was set, the handle layout cannot name that many slots, or the block is
    /// larger than the address space.
    pub fn memory_layout(&self) -> Result<Layout, BuildError> {
        self.settings.layout::<R, H>(Storage::<T, OneBlock<R, H>>::VALUE)
    }

    /// Builds the pool in memory that the caller provides instead of the heap, such as a static
    /// array. Bytes before the first aligned one, and behind the last that the pool
    /// [needs](Self::memory_layout), are not used. A clone or a snapshot of the pool allocates on
    /// the heap.
    ///
    /// ```
    /// use std::mem::MaybeUninit;
    /// use millpond::Pool;
    ///
    /// let builder = Pool::<[f32; 4]>::builder().capacity(100);
    /// let layout = builder.memory_layout()?;
    /// let bytes = layout.size() + layout.align() - 1; // enough wherever it begins
    /// let memory: &'static mut [MaybeUninit<u8>] = Box::leak(Box::new_uninit_slice(bytes));
    /// let mut sparks = builder.build_in(memory)?;
    /// let spark = sparks.insert([0.0; 4]).unwrap();
    /// assert!(sparks.contains(spark));
    /// # Ok::<(), millpond::BuildError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Same as for [`try_build`](Self::try_build), and if the memory is too small.
    pub fn build_in(
        self,
        memory: &'static mut [MaybeUninit<u8>],
    ) -> Result<Pool<T, R, H>, BuildError> {
        let (bytes, start) = (memory.len(), NonNull::from(memory).cast());
        // SAFETY: the memory is lent alone, and to the end of the program.
        unsafe { self.build_at(start, bytes) }
    }

    /// Like [`build_in`](Self::build_in), for memory that need not be `'static`.
    ///
    /// # Errors
    ///
    /// Same as for [`build_in`](Self::build_in).
    ///
    /// # Safety
    ///
    /// The `bytes` bytes from `start` must be valid for reads and writes, and nothing else may use
    /// them until the pool is dropped.
    pub unsafe fn build_at(
        self,
        start: NonNull<u8>,
        bytes: usize,
    ) -> Result<Pool<T, R, H>, BuildError> {
        let layout = self.memory_layout()?;
        // A pool of size 0 may begin anywhere.
        let skipped = if layout.size() == 0 { 0 } else { start.align_offset(layout.align()) };
        let needed = layout.size().saturating_add(skipped);
        if needed > bytes {
            return Err(BuildError::MemoryTooSmall { needed, bytes });
        }
        // There are as many bytes, as just tested.
        let start = behind(start, skipped);
        let slots = self.settings.slots::<R, H::Erased>(
            Storage::<T, OneBlock<R, H>>::VALUE,
            |slots, value| {
                // SAFETY: the caller lends the memory until the pool is dropped, and with it the block. It is aligned,
                // and as large as the layout says.
                unsafe { Block::try_in(start, slots, value, false) }
            },
        )?;
        Ok(Pool::of_unused(slots))
    }
}
