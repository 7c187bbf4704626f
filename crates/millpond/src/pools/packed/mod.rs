//! [`PackedPool`] and [`PackedVecPool`], whose values are always one slice, and what their methods return.
//!
//! Both are names of [`PackedSlotPool`]: they differ in whether they get more slots ([`PackedGrowth`]).

#![allow(private_interfaces, private_bounds, reason = "nobody outside can name or implement them")]

mod builder;
mod compact;
#[cfg(not(debug_assertions))]
mod compiled;
mod debug;
mod detach;
mod drain;
mod growth;
mod iter;
mod retain;
mod roster;
mod slots;
mod snapshot;
mod sort;
mod together;
mod traits;
mod vec;

pub use crate::pools::doubling::Doubling;
pub use crate::pools::doubling::{Growing, ReserveError};
pub use builder::{OfPackedPool, PackedPoolBuilder, PackedVecPoolBuilder};
pub use drain::{Drain, ExtractIf, IntoIter, VacantEntry};
pub use growth::PackedGrowth;
pub use iter::{Iter, IterMut};
pub use vec::PackedVecPool;

use core::iter::Copied;
use core::slice;

use crate::base::memory;
use crate::base::{OutOfMemory, or_panic};
use crate::handle::erased::with_label;
use crate::handle::{Handle, HandleLayout, Refusal};
use crate::pools::methods::pool_methods;
use crate::pools::settings::{BuildError, Settings};
use crate::pools::slot_pool::{CannotGrow, Fixed};
use crate::reports::errors::{Full, FullPool, GetDisjointMutError, InsertAtError};
use crate::reports::stats::Stats;
use crate::slots::{CheckWord, check_disjoint};
use crate::snapshot::methods::snapshots;
use crate::values::packed::PackedValues;
use retain::Removals;
use roster::PackedRoster;

/// A pool whose live values are always adjacent, in a slice without holes. Handles stay valid while
/// the values move.
///
/// Use it when every frame iterates over all values and few are looked up by handle (particles,
/// sprites to draw, components of a system), when the order matters (draw order, by distance), or
/// when the values are passed on as one slice. If values must keep their address, or are looked up
/// more often than iterated over, a [`Pool`](crate::Pool) is better: a lookup takes one step fewer.
///
/// ```text
/// handle 3v1 ──▶ slot 3, generation 1
///                               │
///   slots    [1: 1][2: 3][2: 0][1: 2]…     1 = 1, and 2 < 3 values: the handle is good, its value at 2
///                                  │
///   values   [ c ] [ a ] [ d ] ◀───┘       as_slice(): no holes
///   order    [2v2] [0v1] [3v1] │ [1v2]…    the handles of the values, then those that come next
/// ```
///
/// A removal moves the **last** value into the gap, so the order changes with every removal.
/// [`sort_by`](Self::sort_by) and its variants restore an order; handles stay valid.
///
/// **Memory**: allocated and touched when the pool is created, and none later. Each slot takes the
/// value, a handle (8 bytes; 4 with [`Handle32`](crate::Handle32)), and 8 bytes for its generation
/// and position (4 with a `Handle32` of 16 index bits): `size_of::<T>()` + 16 bytes with the
/// defaults, + 12 with a `Handle32`, + 8 with `Handle32<T, 16>`.
///
/// **Reuse order**: the slot freed last is reused first, as with [`Lifo`](crate::reuse::Lifo). This
/// is fixed: the free slots' next handles follow the live handles in the same array, which makes
/// insertion and removal twice as fast as a separate reuse order would.
///
/// **Time**: insert, get and remove are O(1). Iterating costs O(live): it is iterating over a
/// slice.
///
/// **Safety**: as for [`Pool`](crate::Pool): a handle is valid for one lifetime of one slot. No
/// unsafe code reads or writes its values, except what the feature `debug-aids` does with the bytes
/// after the last one.
///
/// ```
/// use millpond::PackedPool;
///
/// let mut sparks = PackedPool::new(100);
/// let red = sparks.insert("red").unwrap();
/// let green = sparks.insert("green").unwrap();
/// let blue = sparks.insert("blue").unwrap();
///
/// assert_eq!(sparks.remove(red), Some("red"));
/// assert_eq!(sparks.as_slice(), ["blue", "green"]); // the last took the place of the first
/// assert_eq!((sparks[green], sparks[blue]), ("green", "blue"));
/// assert_eq!(sparks.get(red), None); // stale: rejected
/// ```
pub type PackedPool<T, H = Handle<T>> = PackedSlotPool<T, Fixed, H>;

/// The pool behind [`PackedPool`] and [`PackedVecPool`], which are names of it: write these, and read here what they
/// share.
///
/// `T` are the values, `G` says whether the pool gets more slots, and `H` are the handles.
pub struct PackedSlotPool<T, G = Fixed, H: HandleLayout = Handle<T>> {
    /// Has as many live slots as there are values, except between the two writes of one of the
    /// methods below, where no user code runs but that of `retain`. The first field, so that its
    /// debug aids report live values before these are dropped.
    roster: PackedRoster<H::Erased>,
    /// The value of each live slot, in the roster's order. Has room for one in each slot, so that an insertion into a
    /// slot never reallocates.
    values: PackedValues<T>,
    growth: G,
}

impl<T, H: HandleLayout> PackedPool<T, H> {
    /// Creates a pool with the handle layout of `Self`, for use where the type is named.
    ///
    /// ```
    /// use millpond::{Handle32, PackedPool};
    ///
    /// let pool: PackedPool<u32, Handle32<u32>> = PackedPool::with_capacity(512);
    /// assert_eq!(pool.capacity(), 512);
    /// ```
    ///
    /// # Panics
    ///
    /// If the handle layout cannot name that many slots, or there is not enough memory for them.
    #[must_use]
    #[track_caller]
    pub fn with_capacity(capacity: usize) -> Self {
        or_panic(Self::from_settings(&Settings::of_capacity(capacity)))
    }

    fn from_settings(settings: &Settings) -> Result<Self, BuildError> {
        let capacity = settings.checked_capacity(H::CAPACITY_MAX)?;
        Self::try_new(capacity, settings)
            .map_err(|OutOfMemory| BuildError::OutOfMemory { capacity })
    }

    fn try_new(capacity: usize, settings: &Settings) -> Result<Self, OutOfMemory> {
        let roster = PackedRoster::try_new(capacity, &settings.generations)?;
        let values = PackedValues::try_new(capacity)?;
        let mut pool = Self { roster, values, growth: Fixed };
        pool.watch(settings.debug_aids)?;
        Ok(pool)
    }
}

impl<T, G: PackedGrowth<H::Word>, H: HandleLayout> PackedSlotPool<T, G, H> {
    /// Returns the number of slots: live, free and retired.
    #[inline]
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.roster.handles().len()
    }

    /// Returns the number of values.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns whether there are no values.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Returns whether an insertion would fail because each slot is live or retired, and there can be no more slots. (A
    /// pool that grows may also lack memory.)
    #[inline]
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.roster.next(self.len()).is_none() && self.usable_beyond() == 0
    }

    /// Returns the pool's counters: slots by state, the peak, insertions, refusals and evictions.
    /// O(1).
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.roster.stats(self.roster.slots())
    }

    /// Returns all values as a slice, in their current order. O(1).
    ///
    /// ```
    /// # use millpond::PackedPool;
    /// let mut pool = PackedPool::new(8);
    /// pool.insert(1).unwrap();
    /// pool.insert(2).unwrap();
    /// assert_eq!(pool.as_slice(), [1, 2]);
    /// assert_eq!(pool.as_slice().iter().max(), Some(&2));
    /// ```
    #[inline]
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        &self.values
    }

    /// Returns all values as a mutable slice, in their current order. O(1).
    ///
    /// A handle names a position in this slice: swapping two values here swaps the values that
    /// their handles name. To reorder values together with their handles, use
    /// [`sort_by`](Self::sort_by) or [`swap_positions`](Self::swap_positions).
    ///
    /// ```
    /// # use millpond::PackedPool;
    /// let mut pool = PackedPool::new(8);
    /// let handle = pool.insert(1.0).unwrap();
    /// for value in pool.as_mut_slice() {
    ///     *value += 0.5;
    /// }
    /// assert_eq!(pool[handle], 1.5);
    /// ```
    #[inline]
    #[must_use]
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.values
    }

    /// Returns the handles of all values, in the order of [`as_slice`](Self::as_slice). O(1).
    ///
    /// ```
    /// # use millpond::PackedPool;
    /// let mut pool = PackedPool::new(8);
    /// let a = pool.insert("a").unwrap();
    /// let b = pool.insert("b").unwrap();
    /// assert_eq!(pool.as_handle_slice(), [a, b]);
    /// ```
    #[inline]
    #[must_use]
    pub fn as_handle_slice(&self) -> &[H] {
        with_label(&self.roster.handles()[..self.len()])
    }

    /// Returns the position of the handle's value in [`as_slice`](Self::as_slice), or `None` if the
    /// handle is refused. O(1). The position changes when values are removed or sorted.
    ///
    /// ```
    /// # use millpond::PackedPool;
    /// let mut pool = PackedPool::new(8);
    /// let a = pool.insert("a").unwrap();
    /// let b = pool.insert("b").unwrap();
    /// assert_eq!(pool.position_of(b), Some(1));
    /// pool.remove(a);
    /// assert_eq!((pool.position_of(a), pool.position_of(b)), (None, Some(0)));
    /// ```
    #[inline]
    #[must_use]
    pub fn position_of(&self, handle: H) -> Option<usize> {
        let position = self.roster.find(handle.erase())?;
        (position < self.len()).then_some(position)
    }

    /// Moves `value` into a free slot and returns its handle. The value becomes the last in the slice. O(1); if no slot
    /// is free, a pool that grows does so.
    ///
    /// ```
    /// # use millpond::*; let mut pool = PackedPool::new(1);
    /// let handle = pool.insert("a").unwrap();
    /// let full = pool.insert("b").unwrap_err();
    /// assert_eq!(full.into_inner(), "b");
    /// ```
    ///
    /// # Errors
    ///
    /// If the pool is full: no slot is free, and it cannot grow (it is at its limit, or [memory runs
    /// out](Full::is_out_of_memory)). The error returns `value`.
    #[doc(alias = "add")]
    #[doc(alias = "alloc")]
    #[doc(alias = "create")]
    #[doc(alias = "spawn")]
    #[must_use = "a full pool returns the value in the error, and ignoring it drops the value"]
    // Always inlined: as a call, the value would be written to the stack piece by piece and read back as a whole
    // before the pieces have arrived, a stall longer than all of the rest.
    #[inline(always)]
    #[track_caller]
    pub fn insert(&mut self, value: T) -> Result<H, Full<T>> {
        match self.acquire_next() {
            Ok(handle) => Ok(self.push_as(handle, value)),
            Err(cause) => Err(self.refuse(value, cause)),
        }
    }

    /// Like [`insert`](Self::insert), but a full pool does not count as a refusal.
    #[inline]
    #[track_caller]
    fn insert_if_room(&mut self, value: T) -> Result<H, (T, CannotGrow)> {
        match self.acquire_next() {
            Ok(handle) => Ok(self.push_as(handle, value)),
            Err(cause) => Err((value, cause)),
        }
    }

    /// Begins the lifetime that comes next, after growth if necessary. Its value is [pushed](Self::push_as) at once: it has no
    /// part in this, so that it moves once (see `Storage::put_next`).
    #[inline(always)]
    #[track_caller]
    fn acquire_next(&mut self) -> Result<H::Erased, CannotGrow> {
        self.inspect_next();
        match self.roster.acquire(self.values.len()) {
            Some(handle) => Ok(handle),
            None => self.acquire_beyond(),
        }
    }

    /// Appends the value of a lifetime that was just [begun](Self::acquire_next).
    #[inline(always)]
    #[track_caller]
    fn push_as(&mut self, handle: H::Erased, value: T) -> H {
        self.values.push(value);
        self.note_origin(handle.index() as usize);
        H::from_erased(handle)
    }

    /// The handle that comes next, after growth if necessary.
    #[inline]
    #[track_caller]
    fn make_next_handle(&mut self) -> Result<H, CannotGrow> {
        self.inspect_next();
        loop {
            match self.roster.next(self.len()) {
                Some(handle) => return Ok(H::from_erased(handle)),
                None => self.make_room()?,
            }
        }
    }

    /// Inserts at the handle that comes next.
    #[inline]
    #[track_caller]
    fn insert_peeked(&mut self, handle: H, value: T) {
        match self.insert_if_room(value) {
            Ok(inserted) => debug_assert_eq!(inserted, handle),
            Err(_) => unreachable!("the pool had a vacant slot, and was not touched since"),
        }
    }

    /// Inserts a value at a handle whose slot may have it by `check`, and is near those that are there, if it must be.
    #[track_caller]
    fn insert_by(
        &mut self,
        check: CheckWord<H::Erased>,
        is_near: bool,
        handle: H,
        value: T,
    ) -> Result<H, InsertAtError<T>> {
        let reached = match (handle.index() as usize) < self.capacity() {
            true => Ok(()),
            false => {
                let Self { roster, values, growth } = self;
                growth.grow_up_to(handle.erase(), check, is_near, roster, values)
            }
        };
        self.inspect_next();
        match reached.and_then(|()| self.roster.acquire_at(handle.erase(), check)) {
            Ok(()) => {
                self.values.push(value);
                self.note_origin(handle.index() as usize);
                Ok(handle)
            }
            Err(kind) => Err(self.error_at(handle, kind, value)),
        }
    }

    #[cold]
    fn refuse<V>(&mut self, value: V, cause: CannotGrow) -> Full<V> {
        let beyond = self.growth.doubling().map_or(0, Doubling::retired_beyond);
        let pool = self.roster.refuse().with_retired(beyond);
        Full { value, pool: FullPool { out_of_memory: cause == CannotGrow::OutOfMemory, ..pool } }
    }

    /// Returns a reference to the handle's value, or `None` if the handle is refused. O(1).
    ///
    /// ```
    /// # use millpond::PackedPool;
    /// let mut pool = PackedPool::new(8);
    /// let handle = pool.insert("a").unwrap();
    /// assert_eq!(pool.get(handle), Some(&"a"));
    /// pool.remove(handle);
    /// assert_eq!(pool.get(handle), None);
    /// ```
    #[inline]
    #[must_use]
    pub fn get(&self, handle: H) -> Option<&T> {
        self.values.get(self.roster.find(handle.erase())?)
    }

    /// Returns a mutable reference to the handle's value, or `None` if the handle is refused. O(1).
    ///
    /// ```
    /// # use millpond::PackedPool;
    /// let mut pool = PackedPool::new(8);
    /// let handle = pool.insert(1).unwrap();
    /// if let Some(value) = pool.get_mut(handle) {
    ///     *value += 1;
    /// }
    /// assert_eq!(pool[handle], 2);
    /// ```
    #[inline]
    #[must_use]
    pub fn get_mut(&mut self, handle: H) -> Option<&mut T> {
        let position = self.roster.find(handle.erase())?;
        self.values.get_mut(position)
    }

    /// Like [`get_disjoint_mut`](Self::get_disjoint_mut), with `None` for each refused handle.
    ///
    /// ```
    /// # use millpond::*; let mut pool = PackedPool::new(8);
    /// let a = pool.insert(1).unwrap();
    /// let b = pool.insert(2).unwrap();
    /// pool.remove(b);
    /// let [x, none] = pool.get_each_mut([a, b]).unwrap();
    /// assert_eq!((x, none), (Some(&mut 1), None));
    /// assert!(pool.get_each_mut([a, a]).is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// If two valid handles are equal.
    pub fn get_each_mut<const HANDLES: usize>(
        &mut self,
        handles: [H; HANDLES],
    ) -> Result<[Option<&mut T>; HANDLES], GetDisjointMutError> {
        let positions = handles.map(|handle| self.position_of(handle));
        together::each_mut(&mut self.values, positions)
    }

    /// Returns mutable references to the values of several handles at once. O(N²) for N handles.
    ///
    /// ```
    /// # use millpond::PackedPool;
    /// let mut pool = PackedPool::new(8);
    /// let a = pool.insert(1).unwrap();
    /// let b = pool.insert(2).unwrap();
    /// let [x, y] = pool.get_disjoint_mut([a, b]).unwrap();
    /// std::mem::swap(x, y);
    /// assert_eq!((pool[a], pool[b]), (2, 1));
    /// assert!(pool.get_disjoint_mut([a, a]).is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// If a handle is refused, or two name the same value.
    pub fn get_disjoint_mut<const N: usize>(
        &mut self,
        handles: [H; N],
    ) -> Result<[&mut T; N], GetDisjointMutError> {
        check_disjoint(&handles, |handle| self.check(handle))?;
        let values = self.get_each_mut(handles)?;
        Ok(values.map(|value| value.expect("a good handle has a value")))
    }

    /// Returns whether `handle` names a live value. O(1).
    #[inline]
    #[must_use]
    pub fn contains(&self, handle: H) -> bool {
        self.position_of(handle).is_some()
    }

    /// Returns `Ok` if `handle` names a live value, and otherwise why it is refused. O(1).
    ///
    /// ```
    /// use millpond::{PackedPool, Refusal};
    ///
    /// let mut pool = PackedPool::new(8);
    /// let handle = pool.insert("a").unwrap();
    /// assert_eq!(pool.check(handle), Ok(()));
    /// pool.remove(handle);
    /// assert_eq!(pool.check(handle), Err(Refusal::Stale));
    /// ```
    ///
    /// # Errors
    ///
    /// If the handle is refused.
    pub fn check(&self, handle: H) -> Result<(), Refusal> {
        let word = self.word_of(handle.index() as usize);
        self.roster.check_word(handle.erase(), word, self.roster.slots())
    }

    /// Moves the handle's value out, or returns `None` if the handle is refused. O(1). The last
    /// value takes its place, and `handle` is stale afterwards.
    ///
    /// ```
    /// # use millpond::PackedPool;
    /// let mut pool = PackedPool::new(8);
    /// let handle = pool.insert("a").unwrap();
    /// pool.insert("b").unwrap();
    /// pool.insert("c").unwrap();
    /// assert_eq!(pool.remove(handle), Some("a"));
    /// assert_eq!(pool.remove(handle), None);
    /// assert_eq!(pool.as_slice(), ["c", "b"]);
    /// ```
    #[inline]
    #[track_caller]
    pub fn remove(&mut self, handle: H) -> Option<T> {
        self.note_removal(handle);
        let position = self.position_of(handle)?;
        let live = self.values.len();
        let value = self.values.swap_remove(position);
        self.roster.release(handle.erase(), position, live);
        Some(value)
    }

    /// Moves out the value at a position, which there is; the last value takes its place.
    #[inline]
    fn remove_at_position(&mut self, position: usize) -> (H, T) {
        let handle = self.roster.handles()[position];
        self.note_removal_in_iteration(handle.index() as usize);
        self.roster.release(handle, position, self.values.len());
        (H::from_erased(handle), self.values.swap_remove(position))
    }

    /// Returns a reference to the value in slot `index`, or `None` if the slot is not live. O(1).
    /// `index` is the index in the handle, not the position in [`as_slice`](Self::as_slice).
    ///
    /// ```
    /// # use millpond::PackedPool;
    /// let mut pool = PackedPool::new(8);
    /// let a = pool.insert("a").unwrap();
    /// let b = pool.insert("b").unwrap();
    /// pool.remove(a);
    /// assert_eq!(pool.get_at(b.index() as usize), Some(&"b"));
    /// assert_eq!(pool.get_at(0), None); // slot 0 is dead, and "b" stands at position 0
    /// ```
    #[inline]
    #[must_use]
    pub fn get_at(&self, index: usize) -> Option<&T> {
        self.values.get(self.roster.position_at(index)?)
    }

    /// Returns a mutable reference to the value in slot `index`, or `None` if the slot is not live.
    /// O(1). `index` is the index in the handle.
    #[inline]
    #[must_use]
    pub fn get_at_mut(&mut self, index: usize) -> Option<&mut T> {
        self.values.get_mut(self.roster.position_at(index)?)
    }

    /// Moves the value out of slot `index`, or returns `None` if the slot is not live. O(1).
    /// `index` is the index in the handle. The last value takes the place of the removed one.
    ///
    /// ```
    /// # use millpond::PackedPool;
    /// let mut pool = PackedPool::new(8);
    /// let handle = pool.insert("a").unwrap();
    /// assert_eq!(pool.remove_at(handle.index() as usize), Some("a"));
    /// assert!(!pool.contains(handle));
    /// ```
    #[inline]
    #[track_caller]
    pub fn remove_at(&mut self, index: usize) -> Option<T> {
        self.remove(self.handle_at(index)?)
    }

    /// Returns the handle of slot `index`, or `None` if the slot is not live. O(1). `index` is the
    /// index in the handle, not the position in [`as_handle_slice`](Self::as_handle_slice).
    #[inline]
    #[must_use]
    pub fn handle_at(&self, index: usize) -> Option<H> {
        self.as_handle_slice().get(self.roster.position_at(index)?).copied()
    }

    /// Returns the slot index of `value` (the index in its handle), computed from its address. O(1).
    /// Returns `None` for a value outside the pool, and for every value of a zero-sized type,
    /// because such values have no address of their own.
    ///
    /// ```
    /// # use millpond::PackedPool;
    /// let mut pool = PackedPool::new(8);
    /// let handle = pool.insert(5).unwrap();
    /// assert_eq!(pool.index_of(&pool[handle]), Some(handle.index() as usize));
    /// assert_eq!(pool.index_of(&5), None);
    /// ```
    #[inline]
    #[must_use]
    pub fn index_of(&self, value: &T) -> Option<usize> {
        let position = memory::position_in(&self.values, core::ptr::from_ref(value))?;
        Some(self.roster.handles()[position].index() as usize)
    }

    /// Iterates over handles and values in their current order, from both ends.
    ///
    /// ```
    /// # use millpond::PackedPool;
    /// let mut pool = PackedPool::new(8);
    /// let a = pool.insert("a").unwrap();
    /// let b = pool.insert("b").unwrap();
    /// assert_eq!(pool.iter().collect::<Vec<_>>(), [(a, &"a"), (b, &"b")]);
    /// assert_eq!(pool.iter().next_back(), Some((b, &"b")));
    /// ```
    #[inline]
    pub fn iter(&self) -> Iter<'_, T, H> {
        Iter::new(self.as_handle_slice(), &self.values)
    }

    /// Iterates over handles and mutable references to values in their current order, from both
    /// ends.
    ///
    /// ```
    /// # use millpond::PackedPool;
    /// let mut pool = PackedPool::new(8);
    /// let handle = pool.insert(1).unwrap();
    /// pool.iter_mut().for_each(|(_, value)| *value *= 10);
    /// assert_eq!(pool[handle], 10);
    /// ```
    #[inline]
    pub fn iter_mut(&mut self) -> IterMut<'_, T, H> {
        let handles = &self.roster.handles()[..self.values.len()];
        IterMut::new(with_label(handles), &mut self.values)
    }

    /// Iterates over the handles in the order of the values, from both ends.
    #[inline]
    pub fn handles(&self) -> Copied<slice::Iter<'_, H>> {
        self.as_handle_slice().iter().copied()
    }

    /// Iterates over the values in their current order, from both ends.
    ///
    /// ```
    /// # use millpond::PackedPool;
    /// let mut pool = PackedPool::new(8);
    /// pool.insert(1).unwrap();
    /// pool.insert(2).unwrap();
    /// assert_eq!(pool.values().sum::<i32>(), 3);
    /// ```
    #[inline]
    pub fn values(&self) -> slice::Iter<'_, T> {
        self.values.iter()
    }

    /// Iterates mutably over the values in their current order, from both ends.
    #[inline]
    pub fn values_mut(&mut self) -> slice::IterMut<'_, T> {
        self.values.iter_mut()
    }

    /// Moves all values out, in their current order. Dropping the iterator removes the values that
    /// it has not returned; leaking it leaves them in the pool.
    ///
    /// ```
    /// # use millpond::PackedPool;
    /// let mut pool = PackedPool::new(8);
    /// let handle = pool.insert("a").unwrap();
    /// assert_eq!(pool.drain().collect::<Vec<_>>(), [(handle, "a")]);
    /// assert!(pool.is_empty() && !pool.contains(handle));
    /// ```
    #[inline]
    #[track_caller]
    pub fn drain(&mut self) -> Drain<'_, T, H, G> {
        self.note_iteration();
        Drain::new(self)
    }

    /// Moves out the values for which `choose` returns `true`, one at a time. Each value is visited
    /// once, in order, except that the last value takes the place of a removed one and is visited
    /// next. Values that the iterator has not reached stay in the pool.
    ///
    /// ```
    /// # use millpond::PackedPool;
    /// let mut pool = PackedPool::new(8);
    /// for i in 0..6 {
    ///     pool.insert(i).unwrap();
    /// }
    /// let even: Vec<_> = pool.extract_if(|_, value| *value % 2 == 0).map(|(_, v)| v).collect();
    /// assert_eq!(even, [0, 2, 4]);
    /// assert_eq!(pool.as_slice(), [5, 1, 3]);
    /// ```
    #[inline]
    #[track_caller]
    pub fn extract_if<F: FnMut(H, &mut T) -> bool>(
        &mut self,
        choose: F,
    ) -> ExtractIf<'_, T, H, F, G> {
        self.note_iteration();
        ExtractIf::new(self, choose)
    }

    /// Removes the values for which `keep` returns `false`. Each value is visited once, in order,
    /// except that the last value takes the place of a removed one and is visited next. O(live): a
    /// value moves only to fill a gap. If `keep` panics, the value of that call and all later ones
    /// stay in the pool.
    ///
    /// In a pool of thousands of slots, this is faster than [`extract_if`](Self::extract_if) or
    /// removals by handle, because its cache misses overlap.
    ///
    /// ```
    /// # use millpond::PackedPool;
    /// let mut pool = PackedPool::new(8);
    /// for frames_left in [3, 1, 2] {
    ///     pool.insert(frames_left).unwrap();
    /// }
    /// pool.retain(|_, frames_left| {
    ///     *frames_left -= 1;
    ///     *frames_left > 0
    /// });
    /// assert_eq!(pool.as_slice(), [2, 1]);
    /// ```
    #[track_caller]
    pub fn retain(&mut self, mut keep: impl FnMut(H, &mut T) -> bool) {
        if cfg!(feature = "debug-aids") && self.remembers_removals() {
            return self.extract_if(|handle, value| !keep(handle, value)).for_each(drop);
        }
        let Self { roster, values, .. } = self;
        let mut removals = Removals::new(roster);
        let mut position = 0;
        loop {
            let handles = with_label(&removals.handles()[position..values.len()]);
            for (handle, value) in IterMut::new(handles, &mut values[position..]) {
                if !keep(handle, value) {
                    break;
                }
                position += 1;
            }
            if position == values.len() {
                return;
            }
            // The value at the position is removed, and so is each that takes its place, until one
            // is kept.
            loop {
                let handle_at = removals.remove(position, values.len());
                drop(values.swap_remove(position));
                let Some(moved) = values.get_mut(position) else { return };
                if keep(H::from_erased(removals.handles()[handle_at]), moved) {
                    break;
                }
            }
            position += 1;
        }
    }

    /// Removes and drops all values. O(capacity). Every handle is stale afterwards, and the next
    /// insertions use the lowest slots. If a value's drop panics, the others are dropped while
    /// unwinding, and the pool is empty.
    ///
    /// ```
    /// # use millpond::PackedPool;
    /// let mut pool = PackedPool::new(8);
    /// let handle = pool.insert("a").unwrap();
    /// pool.clear();
    /// assert!(pool.is_empty() && !pool.contains(handle));
    /// ```
    #[track_caller]
    pub fn clear(&mut self) {
        self.note_removal_of_all();
        self.roster.release_all();
        self.values.clear();
    }
}

pool_methods! {
    [T, G: PackedGrowth<H::Word>, H: HandleLayout] PackedSlotPool<T, G, H>, T, H,
    example: "PackedPool",
    ledger: |pool| pool.roster,
    recorder: |pool| pool.roster,
}

snapshots! {
    [T, G: PackedGrowth<H::Word>, H: HandleLayout] PackedSlotPool<T, G, H>, values T, "pool", "Pools"
}

#[cfg(feature = "validate")]
impl<T, G: PackedGrowth<H::Word>, H: HandleLayout> PackedSlotPool<T, G, H> {
    /// Checks every invariant; see [`validate`](crate::validate). O(capacity).
    ///
    /// # Errors
    ///
    /// The first invariant that does not hold.
    pub fn validate(&self) -> Result<(), crate::reports::validate::Violation> {
        let live = crate::slots::CountedSlots::counters(self.roster.slots()).live();
        crate::reports::validate::ensure(
            live == self.values.len(),
            "there is a value for each live slot",
            format_args!("{} values of {live} slots", self.values.len()),
        )?;
        self.validate_growth()?;
        self.roster.validate(self.slots_max())
    }
}

#[cfg(all(test, feature = "validate"))]
mod tests {
    use super::*;

    #[test]
    fn validation_asks_what_knows_the_handles() {
        let mut pool = PackedPool::<u8>::new(3);
        pool.validate().unwrap();
        pool.roster.count_eviction();
        assert_eq!(pool.validate().unwrap_err().rule(), "the counters agree");
    }
}
