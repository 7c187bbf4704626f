//! [`SyncPool`]: the operations that all threads may do at the same time.
//!
//! # Invariant
//!
//! `slots` points to slots that this pool has boxed. The pool gives up its share of them (invariant
//! 4 of [`slots`](super::slots)) when it is dropped. `words` and `first_value` point to what those
//! slots own, which never moves.

mod builder;

pub use builder::SyncPoolBuilder;

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;
use core::ptr::NonNull;

use super::atomics::AtomicU64;
use super::batch::Batch;
use super::slots::SharedSlots;
use super::{Home, Iter, Shared, SharedOwned, TakeError, home};
use crate::base::guard::guard;
use crate::base::memory::{self, OutOfMemory};
use crate::handle::{Handle, Refusal};
use crate::reports::errors::Full;
use crate::reports::stats::Stats;

/// A pool that threads share: values move in and out through `&self`, and no thread waits.
///
/// Needs the feature `sync`.
///
/// ```text
/// handle 2v3 ──▶ index 2, generation 3
///                     │
///   values  [ a ][   ][ c ][ d ][   ]…     one array, nothing ever moves
///   words   [ 1·0 ][ †2 ][ 3·2 ][ 1✗1 ]…   generation · guards († dead, ✗ doomed)
///   free    [ 0 1 0 0 1 … ]                one bit per slot; a home is where a thread looks first
/// ```
///
/// - **A handle never lies**: once a removal has returned, every thread rejects the handle. A slot is reused 2^31 − 1 times
///   and then retires.
/// - **No thread waits**: there are no locks, and no spinning. If a thread stops anywhere, the others continue.
/// - **The capacity is exact**, and nothing is allocated after creation. Any number of threads may use the pool.
/// - **A removed object is rejected at once, and dropped when nobody uses it**: by the removal, or with the last guard.
///
/// With `&mut self`, it has most methods of a [`Pool`](crate::Pool): runs, mutable iteration,
/// `retain`, `drain`, `revive`, `insert_or_evict`, snapshots.
///
/// **Memory**: each slot takes the value and 8.25 to 10.1 bytes; each home takes 128 bytes, and the pool itself up to 528: of
/// 64 slots, 16 bytes a slot in all.
///
/// **Time**: `insert`, `remove`, and `get` with the drop of its guard are O(1), with two, three and two atomic writes. An
/// insertion into a nearly full pool reads up to capacity / 64 words.
///
/// Threads that insert and remove their own objects do not slow each other down. The pool is divided into
/// [homes](SyncPoolBuilder::homes), parts with cache lines of their own, and a thread leaves its home only when that is
/// nearly full. Threads that look up neighbouring slots at the same time do share a cache line, and so does a thread that
/// removes what another inserts.
///
/// Which slot is used next depends on the timing of the threads. If you need the same handles on any number of threads, see
/// [`lots`](crate::lots).
///
/// ```
/// use millpond::SyncPool;
///
/// let jobs = SyncPool::new(1000);
/// std::thread::scope(|scope| {
///     for worker in 0..4 {
///         let jobs = &jobs;
///         scope.spawn(move || {
///             let job = jobs.insert(format!("job of {worker}")).unwrap();
///             let guard = jobs.get(job).unwrap();
///             assert!(jobs.remove(job));
///             assert!(jobs.get(job).is_none()); // refused at once
///             assert!(guard.starts_with("job of")); // but the guard still has it
///         });
///     }
/// });
/// assert_eq!(jobs.len(), 0);
/// ```
///
/// A pool whose values cannot be shared cannot be shared either:
///
/// ```compile_fail
/// fn share<T: Sync>(_: &T) {}
/// share(&millpond::SyncPool::<std::cell::Cell<u8>>::new(1)); // `Cell` is not `Sync`
/// ```
///
/// A guard borrows the pool, and the pool is invariant in `T`: a reference to a pool of long-lived
/// values does not coerce to one of short-lived values:
///
/// ```compile_fail,E0505
/// let pool = millpond::SyncPool::new(1);
/// let guard = pool.get(pool.insert(5).unwrap()).unwrap();
/// drop(pool); // `get_owned` returns a guard that outlives the pool
/// drop(guard);
/// ```
///
/// ```compile_fail,E0597
/// let pool = millpond::SyncPool::<&'static str>::new(1);
/// {
///     let text = String::from("gone too early");
///     pool.insert(&text).unwrap();
/// }
/// ```
pub struct SyncPool<T> {
    pub(super) slots: NonNull<SharedSlots<T>>,
    /// The words and values of `slots`, the same number of each, for lookups with `&mut self`. The
    /// compiler reloads everything from memory after the load of an atomic, and would otherwise
    /// reload their addresses from `slots` each time.
    pub(super) words: NonNull<[AtomicU64]>,
    pub(super) first_value: NonNull<T>,
    /// Room for a bit per slot, written by methods that need `&mut self`.
    pub(super) live: Box<[u64]>,
    values: PhantomData<T>,
}

// SAFETY: a pool that goes to another thread takes its values there. Guards that stay behind and read them exist
// only of values that are `Sync`: see `get_owned`.
unsafe impl<T: Send> Send for SyncPool<T> {}
// SAFETY: `SharedSlots` can be shared, and the methods that change `live` have exclusive access.
unsafe impl<T: Send + Sync> Sync for SyncPool<T> {}

impl<T> SyncPool<T> {
    /// Creates a pool of `capacity` slots. All of its memory is allocated and touched here.
    ///
    /// # Panics
    ///
    /// If there is not enough memory for that many slots, or they are more than 4,294,967,295; the
    /// builder's
    /// [`try_build`](SyncPoolBuilder::try_build) returns an error instead.
    #[must_use]
    #[track_caller]
    pub fn new(capacity: usize) -> Self {
        Self::builder().capacity(capacity).build()
    }

    /// Returns a builder, to choose the homes, a name and more.
    pub fn builder() -> SyncPoolBuilder<T> {
        SyncPoolBuilder::new()
    }

    fn of(slots: SharedSlots<T>) -> Result<Self, OutOfMemory> {
        let live = memory::filled(slots.free.words(), 0)?;
        let slots = Box::leak(memory::boxed(slots)?);
        Ok(Self {
            words: NonNull::from(&*slots.words),
            first_value: slots.first_value(),
            slots: NonNull::from(slots),
            live,
            values: PhantomData,
        })
    }

    #[inline]
    pub(super) fn slots(&self) -> &SharedSlots<T> {
        // SAFETY: the pool's share keeps the slots, and nobody has them exclusively.
        unsafe { self.slots.as_ref() }
    }

    /// Returns the number of slots: free, taken and retired.
    #[inline]
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.slots().capacity()
    }

    /// Returns the number of live objects; exact while no other thread inserts or removes.
    /// O(capacity / 64).
    #[must_use]
    pub fn len(&self) -> usize {
        self.slots().len()
    }

    /// Returns whether no object is live; exact while no other thread inserts or removes.
    /// O(capacity / 64).
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns whether an insertion would fail; exact while no other thread inserts or removes, and
    /// no guard of a removed object is dropped. O(capacity / 64).
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.slots().is_full()
    }

    /// Returns the number of homes, from which searches for free slots start.
    #[must_use]
    pub fn homes(&self) -> usize {
        self.slots().free.homes()
    }

    /// Returns the name set on the builder.
    #[must_use]
    pub fn name(&self) -> Option<&'static str> {
        self.slots().name
    }

    /// Describes `handle` in words: its slot, which lifetime of the slot it names, and whether it
    /// is valid. Costs what [`check`](Self::check) costs.
    #[must_use]
    pub fn explain(&self, handle: Handle<T>) -> crate::handle::Explanation {
        self.slots().explain(handle)
    }

    /// Returns the first generation of each slot, and the number of lifetimes per slot. O(1).
    #[must_use]
    pub fn generations(&self) -> crate::slots::generations::Generations {
        crate::slots::generations::Generations::of(&self.slots().cycle)
    }

    /// Returns the pool's counters; exact, except `peak`, while no thread changes the pool.
    /// O(capacity). No counter is shared by all threads, so `peak` is the largest number seen by a
    /// call of this method, of [`len`](Self::len), or by a refused insertion.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.slots().stats()
    }

    /// Moves `value` into a free slot and returns its handle. O(1); O(capacity / 64) in a nearly
    /// full pool.
    ///
    /// ```
    /// use millpond::SyncPool;
    ///
    /// let pool = SyncPool::new(1);
    /// let handle = pool.insert("a").unwrap();
    /// assert_eq!(pool.insert("b").unwrap_err().into_inner(), "b");
    /// assert_eq!(*pool.get(handle).unwrap(), "a");
    /// ```
    ///
    /// # Errors
    ///
    /// If each slot was seen taken or retired during the call. The error returns `value`.
    // Always inlined, as `Pool::insert`: so that the value is written where it goes.
    #[inline(always)]
    #[track_caller]
    pub fn insert(&self, value: T) -> Result<Handle<T>, Full<T>> {
        self.home(home::of_this_thread()).insert(value)
    }

    /// Inserts the value that `make` returns. `make` receives the value's future handle. If `make`
    /// panics, nothing is inserted.
    ///
    /// ```
    /// use millpond::{Handle, SyncPool};
    ///
    /// struct Node {
    ///     me: Handle<Node>,
    /// }
    /// let nodes = SyncPool::new(8);
    /// let handle = nodes.insert_with(|me| Node { me }).unwrap();
    /// assert_eq!(nodes.get(handle).unwrap().me, handle);
    /// ```
    ///
    /// # Errors
    ///
    /// If [`insert`](Self::insert) would fail. `make` is not called then.
    #[inline]
    #[track_caller]
    pub fn insert_with(&self, make: impl FnOnce(Handle<T>) -> T) -> Result<Handle<T>, Full<()>> {
        self.home(home::of_this_thread()).insert_with(make)
    }

    /// Inserts all values or none, appends their handles to `handles`, and returns how many. O(values); O(capacity / 64 +
    /// values) in a nearly full pool. Allocates nothing if `handles` has room.
    ///
    /// First, it claims as many free slots as there are values, one at a time; only with all of them, it moves the values in,
    /// which other threads then see one after another. If there are not so many, it gives all slots back. Until this returns,
    /// they are neither live nor free: of two calls at the same time, each may find too few because of the other, and both are
    /// refused.
    ///
    /// If the iterator panics, the values that it has returned stay. The same applies if it returns fewer values than it
    /// said.
    ///
    /// ```
    /// use millpond::SyncPool;
    ///
    /// let pool = SyncPool::new(4);
    /// let mut handles = Vec::with_capacity(4);
    /// assert_eq!(pool.insert_many(["a", "b", "c"], &mut handles).unwrap(), 3);
    /// assert_eq!(*pool.get(handles[2]).unwrap(), "c");
    ///
    /// let full = pool.insert_many(["d", "e"], &mut handles).unwrap_err();
    /// assert_eq!(full.into_inner().collect::<Vec<_>>(), ["d", "e"]);
    /// assert_eq!((pool.len(), handles.len()), (3, 3)); // there was room for one
    /// ```
    ///
    /// # Errors
    ///
    /// If so many slots were not seen free during the call. The error returns the values, as the iterator.
    ///
    /// # Panics
    ///
    /// If `handles` has no room, and there is no memory for it.
    #[track_caller]
    pub fn insert_many<I: IntoIterator<Item = T, IntoIter: ExactSizeIterator>>(
        &self,
        values: I,
        handles: &mut Vec<Handle<T>>,
    ) -> Result<usize, Full<I::IntoIter>> {
        self.home(home::of_this_thread()).insert_many(values, handles)
    }

    /// Returns a view of the pool whose insertions start from the home with this number, whatever
    /// the thread. This is for job systems whose workers have numbers, and for programs without the
    /// standard library. Any number is valid. The parts of homes with successive numbers are far
    /// apart, so that workers with the numbers 0, 1, 2 and so on have the most room between them.
    ///
    /// ```
    /// use millpond::SyncPool;
    ///
    /// let pool = SyncPool::<u32>::builder().capacity(1024).homes(4).build();
    /// let near = pool.home(3).insert(1).unwrap();
    /// assert_eq!(near.index(), 768); // the fourth quarter
    /// ```
    #[inline]
    pub fn home(&self, home: usize) -> Home<'_, T> {
        Home::new(self.slots(), home)
    }

    /// Returns a guard of the handle's value, or `None` if the handle is refused. O(1). The value
    /// stays as long as the guard. Values are shared: to write one, put a lock or an atomic into
    /// it, or use a [`SyncRecycler`](crate::SyncRecycler).
    ///
    /// ```
    /// use millpond::SyncPool;
    ///
    /// let pool = SyncPool::new(8);
    /// let handle = pool.insert(5).unwrap();
    /// assert_eq!(pool.get(handle).as_deref(), Some(&5));
    /// pool.remove(handle);
    /// assert!(pool.get(handle).is_none());
    /// ```
    ///
    /// # Panics
    ///
    /// If the value has 2^31 − 1 guards.
    #[inline]
    #[must_use]
    pub fn get(&self, handle: Handle<T>) -> Option<Shared<'_, T>> {
        Shared::new(self.slots(), handle)
    }

    /// Like [`get`](Self::get), but the guard borrows nothing and can outlive the pool.
    ///
    /// ```
    /// use millpond::SyncPool;
    ///
    /// let pool = SyncPool::new(8);
    /// let handle = pool.insert(String::from("kept")).unwrap();
    /// let guard = pool.get_owned(handle).unwrap();
    /// drop(pool);
    /// assert_eq!(*guard, "kept");
    /// ```
    ///
    /// # Panics
    ///
    /// If the value has 2^31 − 1 guards.
    #[inline]
    #[must_use]
    pub fn get_owned(&self, handle: Handle<T>) -> Option<SharedOwned<T>>
    where
        T: Send + Sync,
    {
        // SAFETY: this is the pool's own pointer.
        unsafe { SharedOwned::of(self.slots, handle) }
    }

    /// Returns whether `handle` names a live object. O(1). By the time this returns, another thread
    /// may have removed it.
    #[inline]
    #[must_use]
    pub fn contains(&self, handle: Handle<T>) -> bool {
        let word = self.slots().word(handle.index() as usize);
        word.is_some_and(|word| word.is_live_in(handle.generation()))
    }

    /// Returns `Ok` if `handle` names a live object, and otherwise why it is refused. O(1) for a
    /// live or stale handle, O(capacity) for one that was never issued.
    ///
    /// # Errors
    ///
    /// If the handle is refused.
    pub fn check(&self, handle: Handle<T>) -> Result<(), Refusal> {
        self.slots().check(handle)
    }

    /// Returns the handle of the object in slot `index`, or `None` if the slot is not live. O(1).
    /// This is for indices that come without a generation.
    ///
    /// ```
    /// use millpond::SyncPool;
    ///
    /// let pool = SyncPool::new(8);
    /// let handle = pool.insert("a").unwrap();
    /// assert_eq!(pool.handle_at(handle.index() as usize), Some(handle));
    /// assert_eq!(pool.handle_at(1_000_000), None);
    /// ```
    #[inline]
    #[must_use]
    pub fn handle_at(&self, index: usize) -> Option<Handle<T>> {
        self.slots().handle_at(index)
    }

    /// Removes the handle's object: once this returns, `handle` is refused on every thread. O(1).
    /// The value is dropped now or, if it has guards, by the last of them. Returns `false` if the
    /// handle is refused.
    ///
    /// ```
    /// use millpond::SyncPool;
    ///
    /// let pool = SyncPool::new(8);
    /// let handle = pool.insert(5).unwrap();
    /// assert!(pool.remove(handle));
    /// assert!(!pool.remove(handle));
    /// ```
    #[inline]
    #[track_caller]
    pub fn remove(&self, handle: Handle<T>) -> bool {
        let removed = self.slots().remove(handle);
        match removed {
            true => self.note_removal(handle),
            false => self.note_refused_removal(handle),
        }
        removed
    }

    /// Removes several objects, like [`remove`](Self::remove) one by one, and returns how many. Up
    /// to 64 neighbouring slots are freed together by one atomic write. This is faster for objects
    /// that were inserted one after another, above all if other threads insert at the same time.
    /// Until this returns, up to 64 slots may be neither live nor free.
    ///
    /// If the drop of a value panics, the objects after it stay.
    ///
    /// ```
    /// use millpond::SyncPool;
    ///
    /// let pool = SyncPool::new(100);
    /// let handles: Vec<_> = (0..64).map(|value| pool.insert(value).unwrap()).collect();
    /// let others = std::thread::scope(|scope| {
    ///     scope.spawn(|| pool.remove_many(handles.iter().copied())).join().unwrap()
    /// });
    /// assert_eq!((others, pool.len()), (64, 0));
    /// assert_eq!(pool.remove_many(handles), 0); // stale
    /// ```
    #[track_caller]
    pub fn remove_many(&self, handles: impl IntoIterator<Item = Handle<T>>) -> usize {
        let mut batch = Batch::new(self.slots());
        let mut removed = 0;
        for handle in handles {
            if batch.remove(handle) {
                self.note_removal(handle);
                removed += 1;
                continue;
            }
            self.note_refused_removal(handle);
        }
        removed
    }

    /// Moves the handle's value out. Never waits, not even for a guard. O(1).
    ///
    /// ```
    /// use millpond::{SyncPool, TakeError};
    ///
    /// let pool = SyncPool::new(8);
    /// let handle = pool.insert(5).unwrap();
    /// let guard = pool.get(handle).unwrap();
    /// assert_eq!(pool.take(handle), Err(TakeError::Busy)); // and still live
    /// drop(guard);
    /// assert_eq!(pool.take(handle), Ok(5));
    /// assert_eq!(pool.take(handle), Err(TakeError::Stale));
    /// ```
    ///
    /// # Errors
    ///
    /// If the handle is refused, or the value has guards; the value then stays live.
    #[inline]
    #[track_caller]
    pub fn take(&self, handle: Handle<T>) -> Result<T, TakeError> {
        let taken = self.slots().take(handle);
        match taken {
            Ok(_) => self.note_removal(handle),
            Err(TakeError::Stale) => self.note_refused_removal(handle),
            Err(_) => {}
        }
        taken
    }

    /// Iterates over the live objects, with a guard for each, in index order, while other threads
    /// use the pool.
    ///
    /// ```
    /// use millpond::SyncPool;
    ///
    /// let pool = SyncPool::new(8);
    /// let a = pool.insert(1).unwrap();
    /// for (handle, value) in pool.iter() {
    ///     assert_eq!((handle, *value), (a, 1));
    ///     pool.remove(handle); // now, or at any other time
    /// }
    /// assert!(pool.is_empty());
    /// ```
    #[inline]
    pub fn iter(&self) -> Iter<'_, T> {
        Iter::new(self.slots())
    }
}

/// Drops all values, except that the last guard drops a value that has guards; until then, the
/// guard keeps the pool's memory.
impl<T> Drop for SyncPool<T> {
    fn drop(&mut self) {
        // Made first, because the report is passed to a user function, which may panic.
        // SAFETY: this is the pool's own share, and nobody has access to a pool that is dropped.
        let close = guard(self.slots, |slots| unsafe { SharedSlots::close(*slots) });
        self.slots().report_drop();
        drop(close);
    }
}

impl<'a, T> IntoIterator for &'a SyncPool<T> {
    type Item = (Handle<T>, Shared<'a, T>);
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

/// Returns a pool without slots: for structs that derive `Default` and later replace it with a pool
/// of the right capacity.
impl<T> Default for SyncPool<T> {
    fn default() -> Self {
        Self::new(0)
    }
}

impl<T: fmt::Debug> fmt::Debug for SyncPool<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}
