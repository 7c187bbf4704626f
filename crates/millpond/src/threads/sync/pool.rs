//! [`SyncPool`]: the operations that all threads may do at the same time.
//!
//! # Invariant
//!
//! `slots` points to slots that this pool has put into a box. The pool gives up its share of them (invariant 4 of
//! [`slots`](super::slots)) when it is dropped. `words` and `first_value` point to what those slots own, which stays where
//! it is.

use alloc::boxed::Box;
use core::fmt;
use core::marker::PhantomData;
use core::ptr::NonNull;

#[cfg(not(all(test, loom)))]
use super::atomics::AtomicU64;
use super::batch::Batch;
use super::slots::{Plan, Slots};
use super::{Home, Iter, Shared, SharedOwned, SyncPoolBuilder, TakeError, home};
use crate::base::address::position_in;
use crate::base::memory::{self, OutOfMemory};
use crate::handle::{Handle, Refusal};
use crate::reports::errors::Full;
use crate::reports::stats::Stats;

/// A pool that threads share: values move in and out through `&self`, and nobody waits.
///
/// ```text
/// handle 2v3 ──▶ index 2, generation 3
///                     │
///   values  [ a ][   ][ c ][ d ][   ]…     one array, nothing ever moves
///   words   [ 1·0 ][ †2 ][ 3·2 ][ 1✗1 ]…   generation · guards († dead, ✗ doomed)
///   free    [ 0 1 0 0 1 … ]                one bit per slot; a home is where a thread looks first
/// ```
///
/// - **A handle never lies**: it is refused from the moment that a removal has returned, on every thread. A slot has
///   2^31 − 1 lifetimes and then retires.
/// - **Nobody waits**: no operation holds a lock, spins, or needs another thread to get on. A thread may stop anywhere,
///   or end, and the others go on.
/// - **The capacity is exact**, and nothing is allocated after creation. There is no limit to the number of threads,
///   and nothing is kept of one that has ended.
/// - **A removed object is refused at once, and its value goes when nobody looks at it**: in the removal, or with the
///   last guard.
///
/// What needs `&mut self` can do what a [`Pool`](crate::Pool) can: runs, mutable iteration, `retain`, `drain`, `revive`,
/// `insert_or_evict`, snapshots.
///
/// **Memory**: per slot the value and 8.25 to 10.1 bytes; 128 bytes for each home.
///
/// **Time**: `insert`, `remove`, and `get` with the drop of its guard are O(1), with two, three and two atomic writes; an
/// insertion into a pool that is nearly full looks at up to capacity / 64 words. Neighbouring slots share a cache line of words, so threads that
/// look up neighbours at the same time slow each other down.
///
/// Which slot comes next depends on the thread and on the others. For handles that are the same on any number of threads, see
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
///             assert!(guard.starts_with("job of")); // and still there for whoever looks at it
///         });
///     }
/// });
/// assert_eq!(jobs.len(), 0);
/// ```
///
/// A pool whose values may not be shared cannot be shared either:
///
/// ```compile_fail
/// fn share<T: Sync>(_: &T) {}
/// share(&millpond::SyncPool::<std::cell::Cell<u8>>::new(1)); // `Cell` is not `Sync`
/// ```
///
/// A guard borrows the pool, and a reference to a pool of long-lived values is none to a pool of short-lived ones:
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
    pub(super) slots: NonNull<Slots<T>>,
    /// The words and values of `slots`, as many of one as of the other, for lookups with `&mut self`: the compiler keeps nothing
    /// that it has read from memory over the load of an atomic, and would read in `slots` each time where they lie.
    #[cfg(not(all(test, loom)))]
    pub(super) words: NonNull<[AtomicU64]>,
    #[cfg(not(all(test, loom)))]
    pub(super) first_value: NonNull<T>,
    /// Room for a bit per slot, written by methods that need `&mut self`.
    pub(super) live: Box<[u64]>,
    values: PhantomData<T>,
}

// SAFETY: a pool that goes to another thread takes its values there. Guards that stay behind and read them exist
// only of values that are `Sync`: see `get_owned`.
unsafe impl<T: Send> Send for SyncPool<T> {}
// SAFETY: `Slots` can be shared, and the methods that change `live` have exclusive access.
unsafe impl<T: Send + Sync> Sync for SyncPool<T> {}

impl<T> SyncPool<T> {
    /// A pool of `capacity` slots. All of its memory is allocated and touched here.
    ///
    /// # Panics
    ///
    /// If there is not enough memory for that many slots; the builder's
    /// [`try_build`](SyncPoolBuilder::try_build) returns an error instead.
    #[must_use]
    #[track_caller]
    pub fn new(capacity: usize) -> Self {
        Self::builder().capacity(capacity).build()
    }

    /// A builder, to choose homes, a name and more.
    pub fn builder() -> SyncPoolBuilder<T> {
        SyncPoolBuilder::new()
    }

    pub(super) fn of(plan: &Plan) -> Result<Self, OutOfMemory> {
        let slots = Slots::try_new(plan)?;
        let live = memory::filled(slots.free.words(), 0)?;
        let slots = NonNull::from(Box::leak(Box::new(slots)));
        Ok(Self {
            slots,
            #[cfg(not(all(test, loom)))]
            // SAFETY: the slots are in their box.
            words: NonNull::from(unsafe { &*slots.as_ref().words }),
            #[cfg(not(all(test, loom)))]
            // SAFETY: as above.
            first_value: unsafe { slots.as_ref() }.first_value(),
            live,
            values: PhantomData,
        })
    }

    #[inline]
    pub(super) fn slots(&self) -> &Slots<T> {
        // SAFETY: the pool's share keeps the slots, and nobody has them exclusively.
        unsafe { self.slots.as_ref() }
    }

    /// How many slots the pool has, free, taken and retired.
    #[inline]
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.slots().capacity()
    }

    /// How many objects are live: exact while no other thread inserts or removes. O(capacity / 64).
    #[must_use]
    pub fn len(&self) -> usize {
        self.slots().len()
    }

    /// Whether no object is live: exact while no other thread inserts or removes. O(capacity / 64).
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether an insertion would fail: exact while no other thread inserts or removes, and no guard of a removed object is
    /// dropped. O(capacity / 64).
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.slots().is_full()
    }

    /// From how many places free slots are handed out.
    #[must_use]
    pub fn homes(&self) -> usize {
        self.slots().free.homes()
    }

    /// The name that the builder was given.
    #[must_use]
    pub fn name(&self) -> Option<&'static str> {
        self.slots().name()
    }

    /// Describes a handle in words: its slot, which lifetime of the slot it names, and whether it is valid. O(1).
    #[must_use]
    pub fn explain(&self, handle: Handle<T>) -> crate::handle::Explanation {
        self.slots().explain(handle)
    }

    /// Where the generations of the slots begin, and how many lifetimes each slot has. O(1).
    #[must_use]
    pub fn generations(&self) -> crate::slots::generations::Generations {
        crate::slots::generations::Generations::of(&self.slots().circle())
    }

    /// How the pool stands, and what it has done: exact while nothing happens, but for `peak`. No counter is kept
    /// that all threads would have to write, so `peak` is the most that a call of this, of [`len`](Self::len), or a
    /// refused insertion has seen. O(capacity).
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.slots().stats()
    }

    /// Moves a value into a free slot.
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
    /// If each slot was seen taken or retired during the call: the error returns the value.
    // Always inlined, as `Pool::insert`: so that the value is written where it goes.
    #[inline(always)]
    #[cfg_attr(feature = "debug-aids", track_caller)]
    pub fn insert(&self, value: T) -> Result<Handle<T>, Full<T>> {
        self.home(home::of_this_thread()).insert(value)
    }

    /// Inserts what the function makes; it is told the handle, which is good once the value is there. If it panics,
    /// nothing has happened.
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
    /// As [`insert`](Self::insert): the function is not called.
    #[inline]
    #[cfg_attr(feature = "debug-aids", track_caller)]
    pub fn insert_with(&self, make: impl FnOnce(Handle<T>) -> T) -> Result<Handle<T>, Full<()>> {
        self.home(home::of_this_thread()).insert_with(make)
    }

    /// The pool as seen from the home of this number, whatever the thread: for a job system whose workers have
    /// numbers, and where there is no standard library. Any number will do.
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

    /// The value, behind a guard that keeps it; `None` only if the handle is refused. A value is shared: to write
    /// it, put a lock or an atomic into it, or use a [`SyncRecycler`](crate::SyncRecycler).
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

    /// Like [`get`](Self::get), with a guard that borrows nothing and outlives the pool.
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
        unsafe { SharedOwned::new(self.slots, handle) }
    }

    /// Whether `handle` names a live object. By the time that this returns, another thread may have removed it.
    #[inline]
    #[must_use]
    pub fn contains(&self, handle: Handle<T>) -> bool {
        let word = self.slots().word(handle.index() as usize);
        word.is_some_and(|word| word.is_live_in(handle.generation()))
    }

    /// Whether `handle` names a live object, and if not, why it is refused. O(1) for a live or stale handle,
    /// O(capacity) for one that was never issued.
    ///
    /// # Errors
    ///
    /// If the handle is refused.
    pub fn check(&self, handle: Handle<T>) -> Result<(), Refusal> {
        self.slots().check(handle)
    }

    /// Returns the handle of the object in a slot, if the slot is live: for indices that come without a generation. O(1).
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

    /// Returns the index of the slot that a value lies in, from its address. O(1). `None` for a value that is not in the
    /// pool, and for every value of a type of size 0, because such values have no address of their own.
    #[inline]
    #[must_use]
    pub fn index_of(&self, value: &T) -> Option<usize> {
        position_in(&self.slots().values, value)
    }

    /// Returns the handle of a live value, from its address. O(1). `None` where [`index_of`](Self::index_of) returns `None`,
    /// and for a value that was removed and is kept by a guard.
    ///
    /// ```
    /// use millpond::SyncPool;
    ///
    /// let pool = SyncPool::new(8);
    /// let handle = pool.insert(5).unwrap();
    /// let guard = pool.get(handle).unwrap();
    /// assert_eq!(pool.handle_of(&guard), Some(handle));
    /// assert_eq!(pool.handle_of(&5), None);
    /// ```
    #[inline]
    #[must_use]
    pub fn handle_of(&self, value: &T) -> Option<Handle<T>> {
        self.handle_at(self.index_of(value)?)
    }

    /// Iterates over the live handles in index order, while other threads are at work: as [`iter`](Self::iter), without
    /// guards.
    ///
    /// ```
    /// use millpond::SyncPool;
    ///
    /// let pool = SyncPool::new(8);
    /// let handle = pool.insert("a").unwrap();
    /// assert_eq!(pool.handles().collect::<Vec<_>>(), [handle]);
    /// ```
    pub fn handles(&self) -> impl Iterator<Item = Handle<T>> {
        (0..self.capacity()).filter_map(|index| self.handle_at(index))
    }

    /// Ends an object's life: its handle is refused as soon as this returns, on every thread. The value is dropped
    /// now or, if it has guards, by the last of them. `false`: the handle is refused already.
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
    #[cfg_attr(feature = "debug-aids", track_caller)]
    pub fn remove(&self, handle: Handle<T>) -> bool {
        let removed = self.slots().remove(handle);
        #[cfg(feature = "debug-aids")]
        if !removed {
            self.slots().removal_refused(handle);
        }
        removed
    }

    /// Removes several objects, as [`remove`](Self::remove) does one by one, and returns how many it has removed. Free
    /// slots are given back together, 64 neighbours by one atomic write: faster for objects that were inserted one after
    /// the other, above all if other threads insert at the same time. Until this returns, up to 64 slots may be neither
    /// live nor free.
    ///
    /// If the destructor of a value panics, the objects after it stay.
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
    #[cfg_attr(feature = "debug-aids", track_caller)]
    pub fn remove_many(&self, handles: impl IntoIterator<Item = Handle<T>>) -> usize {
        let mut batch = Batch::new(self.slots());
        let mut removed = 0;
        for handle in handles {
            if batch.remove(handle) {
                removed += 1;
                continue;
            }
            #[cfg(feature = "debug-aids")]
            self.slots().removal_refused(handle);
        }
        removed
    }

    /// Moves a value out. Never waits: not for a guard either.
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
    /// If the handle is refused, or the value has guards; then it stays live.
    #[inline]
    #[cfg_attr(feature = "debug-aids", track_caller)]
    pub fn take(&self, handle: Handle<T>) -> Result<T, TakeError> {
        let taken = self.slots().take(handle);
        #[cfg(feature = "debug-aids")]
        if let Err(TakeError::Stale) = taken {
            self.slots().removal_refused(handle);
        }
        taken
    }

    /// The live objects with a guard for each, in index order, while other threads are at work.
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

/// Drops all values. Of a value that has guards, the last of them does; until then it keeps the pool's memory.
impl<T> Drop for SyncPool<T> {
    fn drop(&mut self) {
        /// Closes the pool, also if the report panics.
        struct Close<T>(NonNull<Slots<T>>);
        impl<T> Drop for Close<T> {
            fn drop(&mut self) {
                // SAFETY: this is the pool's own share, and nobody has access to a pool that is dropped.
                unsafe { Slots::close(self.0) };
            }
        }
        let close = Close(self.slots);
        #[cfg(feature = "debug-aids")]
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

impl<T: fmt::Debug> fmt::Debug for SyncPool<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}
