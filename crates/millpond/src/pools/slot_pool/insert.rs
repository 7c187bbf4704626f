//! Insertion: in the slot that comes next, at a handle, or in place of another object.

use super::{CannotGrow, Growth, PoolPlace, SlotPool, Slotted};
use crate::handle::{self, HandleLayout};
use crate::pools::iterators::VacantEntry;
use crate::reports::errors::{Full, FullPool, InsertAtError, InsertAtErrorKind, PoolName};
use crate::slots::reuse::ReuseOrder;
use crate::slots::{CheckWord, GenerationCycle};

impl<T, R: ReuseOrder, H: HandleLayout, P: PoolPlace<T, R, H>, G: Growth<T, R, H::Erased, P>>
    SlotPool<T, G, R, H, P>
{
    /// Moves `value` into a free slot and returns its handle. O(1); in the [reuse order](crate::reuse)
    /// `Lifo` amortised once `insert_at` is used. If no slot is free, a pool that grows does so.
    ///
    /// ```
    /// # use millpond::*; let mut pool = Pool::new(1);
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
        self.inspect_next();
        let Self { storage, growth, .. } = self;
        let inserted = storage.put_next(
            value,
            |storage| {
                growth.take_beyond(storage).map_err(|cause| Self::refusal(storage, growth, cause))
            },
            |index, generation| Ok(handle::kept::<H>(index, generation)),
            |value, pool| Err(Full { value, pool }),
        );
        self.note_origin_of(&inserted);
        inserted
    }

    /// Like [`insert`](Self::insert), but a full pool does not count as a refusal.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn insert_if_room(&mut self, value: T) -> Result<H, (T, CannotGrow)> {
        self.inspect_next();
        let Self { storage, growth, .. } = self;
        let inserted = storage.put_next(
            value,
            |storage| growth.take_beyond(storage),
            |index, generation| Ok(handle::kept::<H>(index, generation)),
            |value, cause| Err((value, cause)),
        );
        self.note_origin_of(&inserted);
        inserted
    }

    /// A value was inserted here, if one was.
    #[inline(always)]
    #[track_caller]
    fn note_origin_of<E>(&self, inserted: &Result<H, E>) {
        if let Ok(handle) = inserted {
            self.note_origin(handle.index() as usize);
        }
    }

    /// Counts a refusal, and makes the error.
    #[cold]
    pub(crate) fn refuse<V>(&mut self, value: V, cause: CannotGrow) -> Full<V> {
        Full { value, pool: Self::refusal(&mut self.storage, &self.growth, cause) }
    }

    /// Counts a refusal, and says what the pool is like.
    #[cold]
    fn refusal(
        storage: &mut Slotted<T, R, H::Erased, P>,
        growth: &G,
        cause: CannotGrow,
    ) -> FullPool {
        let pool = storage.slots_mut().refuse().with_retired(growth.retired_beyond());
        FullPool { out_of_memory: cause == CannotGrow::OutOfMemory, ..pool }
    }

    /// The handle that comes next, after growth if necessary.
    #[inline]
    #[track_caller]
    fn make_next_handle(&mut self) -> Result<H, CannotGrow> {
        self.inspect_next();
        let Self { storage, growth, .. } = self;
        if let Some(handle) = storage.slots_mut().peek().map(H::from_erased) {
            return Ok(handle);
        }
        growth.make_room(storage)?;
        Ok(H::from_erased(storage.slots_mut().peek().expect("there is room")))
    }

    /// Inserts the value that `make` returns. `make` receives the value's future handle. If
    /// `make` panics, nothing is inserted (a pool that grows keeps the slots that it took).
    ///
    /// ```
    /// # use millpond::*;
    /// struct Node {
    ///     me: Handle<Node>,
    /// }
    /// let mut nodes = Pool::new(8);
    /// let handle = nodes.insert_with(|me| Node { me }).unwrap();
    /// assert_eq!(nodes[handle].me, handle);
    /// ```
    ///
    /// # Errors
    ///
    /// If the pool is full. `make` is not called then.
    #[doc(alias = "insert_with_key")]
    #[must_use = "a full pool does not call `make`"]
    #[inline]
    #[track_caller]
    pub fn insert_with(&mut self, make: impl FnOnce(H) -> T) -> Result<H, Full<()>> {
        match self.make_next_handle() {
            Ok(handle) => {
                let value = make(handle);
                self.insert_peeked(handle, value);
                Ok(handle)
            }
            Err(cause) => Err(self.refuse((), cause)),
        }
    }

    /// Reserves the slot for the next value, or returns `None` if [`insert`](Self::insert)
    /// would fail. This is for values that contain their own handle and whose construction may
    /// fail. Dropping the entry inserts nothing (a pool that grows for it keeps the slots).
    ///
    /// ```
    /// # use millpond::*; let mut pool = Pool::new(1);
    /// let entry = pool.vacant_entry().unwrap();
    /// let promised = entry.handle();
    /// drop(entry); // nothing was inserted
    /// assert!(!pool.contains(promised));
    ///
    /// let entry = pool.vacant_entry().unwrap();
    /// assert_eq!(entry.handle(), promised);
    /// assert_eq!(entry.insert("value"), promised);
    /// assert!(pool.vacant_entry().is_none());
    /// ```
    #[inline]
    #[track_caller]
    pub fn vacant_entry(&mut self) -> Option<VacantEntry<'_, Self>> {
        match self.make_next_handle() {
            Ok(handle) => Some(VacantEntry::new(self, handle)),
            Err(_) => {
                self.storage.slots_mut().count_refusal();
                None
            }
        }
    }

    /// Inserts `value`; if the pool is full, first removes the live object with the smallest
    /// key. Returns the new handle, and the removed object with the handle that it had. Of
    /// objects with equal keys, the one that [`iter`](Self::iter) visits first is removed.
    ///
    /// `value` takes no part in the comparison: it is inserted even if its own key is the smallest.
    /// [`insert_unless_least`](Self::insert_unless_least) refuses it then.
    ///
    /// This is for objects whose loss is noticed least: the quietest of 32 voices, the oldest
    /// bullet hole. `key` is called once per live object; if it panics, the pool is unchanged.
    /// Objects in the last lifetime of their slot are skipped, because that slot retires
    /// afterwards. Wrap floating-point keys in [`Total`](crate::overflow::Total).
    ///
    /// ```
    /// # use millpond::*; let mut voices = Pool::new(1); voices.insert(("wind", 5)).unwrap();
    /// let (new, evicted) = voices.insert_or_evict(("thunder", 70), |_, voice| voice.1);
    /// assert_eq!(evicted.unwrap().1, ("wind", 5));
    /// assert_eq!(voices.get(new).unwrap().0, "thunder");
    /// ```
    ///
    /// # Panics
    ///
    /// If no slot is free and no object can be evicted: the capacity is 0, or every live object
    /// is one of those that are skipped.
    /// [`try_insert_or_evict`](Self::try_insert_or_evict) returns an error instead.
    #[track_caller]
    pub fn insert_or_evict<K: Ord>(
        &mut self,
        value: T,
        key: impl FnMut(H, &T) -> K,
    ) -> (H, Option<(H, T)>) {
        let name = self.name();
        match self.try_insert_or_evict(value, key) {
            Ok(inserted) => inserted,
            Err(full) => {
                let pool = PoolName(name);
                panic!("{pool} has no object that can be evicted: {full}")
            }
        }
    }

    /// Like [`insert_or_evict`](Self::insert_or_evict), for pools in which, at times, no
    /// object can be evicted.
    ///
    /// # Errors
    ///
    /// If no slot is free and no object can be evicted. The error returns `value`.
    #[must_use = "a full pool returns the value in the error, and ignoring it drops the value"]
    #[allow(clippy::type_complexity, reason = "the return type of `insert_or_evict`, in a result")]
    #[track_caller]
    pub fn try_insert_or_evict<K: Ord>(
        &mut self,
        value: T,
        key: impl FnMut(H, &T) -> K,
    ) -> Result<(H, Option<(H, T)>), Full<T>> {
        crate::policies::Policy::insert(&mut crate::policies::EvictLeast(key), self, value)
    }

    /// Inserts `value`, unless the pool is full and `value` is what matters least. A full pool first removes the live
    /// object with the smallest key, like [`insert_or_evict`](Self::insert_or_evict), but refuses `value` if its own
    /// key is smaller than all others. Of equal keys, `value` has the slot.
    ///
    /// ```
    /// # use millpond::*; let mut voices = Pool::new(1);
    /// voices.insert(("explosion", 90)).unwrap();
    /// let crickets = voices.insert_unless_least(("crickets", 5), |voice| voice.1);
    /// assert_eq!(crickets.unwrap_err().into_inner(), ("crickets", 5));
    /// let (_, evicted) = voices.insert_unless_least(("siren", 95), |voice| voice.1).unwrap();
    /// assert_eq!(evicted.unwrap().1, ("explosion", 90));
    /// ```
    ///
    /// # Errors
    ///
    /// If no slot is free and no object that can be evicted has a key that is at most that of `value`. The error returns
    /// `value`.
    #[must_use = "a full pool returns the value in the error, and ignoring it drops the value"]
    #[allow(clippy::type_complexity, reason = "the return type of `insert_or_evict`, in a result")]
    #[track_caller]
    pub fn insert_unless_least<K: Ord>(
        &mut self,
        value: T,
        key: impl FnMut(&T) -> K,
    ) -> Result<(H, Option<(H, T)>), Full<T>> {
        crate::policies::insert_unless_least(self, value, key)
    }

    /// Inserts `value` at exactly this handle. This is for loading saved objects: handles
    /// inside the saved values stay valid.
    /// O(1) amortised, in every [reuse order](crate::reuse). If the slot does not exist, a pool that grows does so up to
    /// it, unless that takes more than twice the present slots, and more than 4,096 slots: no handle from a damaged file
    /// makes it allocate out of proportion.
    ///
    /// The slot continues from the handle's generation. Handles of its earlier lifetimes stay
    /// refused. A generation later than the slot's next is accepted, even if it comes from
    /// another pool or a damaged file; the slot loses the lifetimes in between.
    ///
    /// ```
    /// # use millpond::*; let mut pool = Pool::new(8);
    /// let a = pool.insert("a").unwrap();
    /// let b = pool.insert("b").unwrap();
    /// let saved: Vec<_> = pool.iter().map(|(handle, value)| (handle, *value)).collect();
    ///
    /// let mut loaded = Pool::new(8);
    /// for (handle, value) in saved.into_iter().rev() {
    ///     loaded.insert_at(handle, value).unwrap();
    /// }
    /// assert_eq!((loaded[a], loaded[b]), ("a", "b"));
    /// ```
    ///
    /// # Errors
    ///
    /// If the slot is out of range, live or retired, has had this lifetime already (unless the pool wraps), or can
    /// never have it.
    /// A slot far beyond those of a pool that grows is [`TooFar`](crate::InsertAtErrorKind::TooFar). After an error, the
    /// pool is as before. The error returns `value`.
    #[must_use = "a refused handle returns the value in the error, and ignoring it drops the value"]
    #[track_caller]
    pub fn insert_at(&mut self, handle: H, value: T) -> Result<H, InsertAtError<T>> {
        self.insert_by(GenerationCycle::check_begin, true, handle, value)
    }

    /// Inserts `value` at the handle of a removed object, which makes the handle valid again.
    /// O(1) amortised. This is for undo, where other objects still hold the handle.
    ///
    /// The slot must not have been used since, so the handle can never name another object ([`detach`](Self::detach) keeps it). In a
    /// pool with a choice of reuse orders, prefer [`Fifo`](crate::reuse::Fifo), which reuses
    /// slots as late as possible.
    ///
    /// ```
    /// # use millpond::*; let mut pool = Pool::new(8);
    /// let handle = pool.insert("lamp").unwrap();
    /// let lamp = pool.remove(handle).unwrap();
    /// pool.revive(handle, lamp).unwrap(); // undo
    /// assert_eq!(*pool.get(handle).unwrap(), "lamp");
    ///
    /// pool.remove(handle);
    /// pool.insert("chair").unwrap(); // takes the slot
    /// let error = pool.revive(handle, "lamp").unwrap_err();
    /// assert_eq!(error.kind(), InsertAtErrorKind::Occupied);
    /// ```
    ///
    /// # Errors
    ///
    /// If the slot is live, retired or out of range, has been used since, never had this lifetime, or has started
    /// its lifetimes again (in a pool that wraps). The error returns `value`.
    #[must_use = "a refused handle returns the value in the error, and ignoring it drops the value"]
    #[track_caller]
    pub fn revive(&mut self, handle: H, value: T) -> Result<H, InsertAtError<T>> {
        self.insert_by(GenerationCycle::check_revival, false, handle, value)
    }

    /// Inserts at the handle that comes next; the pool is unchanged since it was asked.
    #[inline]
    #[track_caller]
    pub(in crate::pools) fn insert_peeked(&mut self, handle: H, value: T) {
        self.storage.slots_mut().take_peeked(handle.index() as usize);
        self.storage.put(handle.index() as usize, handle.word(), value);
        self.note_origin(handle.index() as usize);
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
        let reached = if (handle.index() as usize) < self.capacity() {
            Ok(())
        } else {
            self.growth.grow_up_to(handle.erase(), check, is_near, &mut self.storage)
        };
        if reached.is_ok() {
            self.storage.inspect(handle.index() as usize);
        }
        let Self { storage, detached, .. } = self;
        match reached.and_then(|()| storage.slots_mut().take_at(handle.erase(), check)) {
            Ok(index) => {
                self.storage.put(index, handle.word(), value);
                self.note_origin(index);
                Ok(handle)
            }
            Err(kind) => {
                let kind = detached.explain(handle.index(), kind);
                Err(self.error_at(handle, kind, value))
            }
        }
    }

    /// The error of a handle whose slot cannot have this value.
    #[cold]
    pub(super) fn error_at(
        &self,
        handle: H,
        kind: InsertAtErrorKind,
        value: T,
    ) -> InsertAtError<T> {
        let lifetime = self.generations().lifetime(handle.generation());
        InsertAtError::new(value, kind, self.name(), handle, lifetime)
    }
}
