//! [`SyncRecycler`]: objects that stay constructed, lent to one thread at a time.
//!
//! # Invariant
//!
//! While an object's free bit is set, the object is there and nobody refers to it. The thread that clears the bit owns the
//! object, and its guard, until the object is reset and the bit is set again. The first to own an object that is made
//! [later](objects) is the thread that has made it, so that its bit is clear until then. Once it is there, an object stays
//! to the recycler's end.

mod builder;
#[allow(unsafe_code)]
mod guards;
#[cfg_attr(not(feature = "std"), path = "no_line.rs")]
mod line;
mod objects;

pub use builder::SyncRecyclerBuilder;
pub use guards::{Acquired, AcquiredFrom, AcquiredOwned};

use alloc::boxed::Box;
use alloc::sync::Arc;
use core::fmt;
use core::sync::atomic::Ordering::Relaxed;

use super::atomics::AtomicU32;
use super::free::{FreeSlots, WORD_SLOTS};
use super::{home, order};
use crate::base::guard::{defuse, guard};
use line::Line;
use objects::{Objects, Unmade};

/// A fixed number of objects that are constructed once, lent to one thread at a time, and reused. They are constructed with
/// the recycler, or each when it is [first needed](SyncRecyclerBuilder::build_lazily).
///
/// Needs the feature `sync`.
///
/// For objects that are expensive to construct or to drop: buffers, connections, decoders. A guard
/// is exclusive: it lends `&mut T`. When it is dropped, the hook
/// [`on_release`](SyncRecyclerBuilder::on_release) resets the object, and another thread can
/// acquire it.
///
/// - **An object is never lent to two threads at once**, and none is constructed beyond the
///   capacity, or twice.
/// - **[`acquire`](Self::acquire) never waits**, and a guard's drop takes a lock only if threads
///   are waiting in line.
/// - **Nothing is allocated after creation**, except what a maker of lazy objects allocates, and for a line of more than 64 waiting threads, and
///   a thread that has ended leaves nothing behind.
/// - If the hook panics, the object's slot retires, so that no thread gets a half-reset object. The
///   panic continues, and [`retired`](Self::retired) counts the slot.
///
/// To keep an object, replace it by another through the guard (`mem::replace`), so that each slot
/// always has one.
///
/// **Memory**: each slot takes the object and 0.125 to 2 bytes (0.25 to 2.125 if built lazily); each
/// [home](SyncRecyclerBuilder::homes) takes 128 bytes.
/// **Time**: O(1), with two atomic writes for an acquisition and its release; up to capacity / 64
/// words are read when nearly all objects are lent.
///
/// ```
/// use millpond::SyncRecycler;
///
/// let buffers = SyncRecycler::builder()
///     .capacity(4)
///     .on_release(Vec::<u8>::clear)
///     .build_with(|_| Vec::with_capacity(1024));
/// std::thread::scope(|scope| {
///     for _ in 0..8 {
///         scope.spawn(|| {
///             if let Some(mut buffer) = buffers.acquire() {
///                 assert!(buffer.is_empty());
///                 buffer.extend([1, 2, 3]);
///             }
///         });
///     }
/// });
/// assert_eq!(buffers.available(), 4);
/// ```
pub struct SyncRecycler<T> {
    free: FreeSlots,
    objects: Objects<T>,
    on_release: Option<Reset<T>>,
    name: Option<&'static str>,
    retired: AtomicU32,
    line: Line,
}

/// The hook for released objects.
type Reset<T> = Box<dyn Fn(&mut T) + Send + Sync>;

// SAFETY: an object is lent to one thread at a time, which needs `Send`; two threads never have it
// at once.
unsafe impl<T: Send> Sync for SyncRecycler<T> {}
// SAFETY: only the objects may belong to a thread.
unsafe impl<T: Send> Send for SyncRecycler<T> {}

/// Returns a recycler without objects: for structs that derive `Default` and later replace it with
/// one of the right capacity.
impl<T> Default for SyncRecycler<T> {
    fn default() -> Self {
        Self::from_fn(0, |_| unreachable!("there is no slot to make an object for"))
    }
}

impl<T: Default> SyncRecycler<T> {
    /// Creates a recycler of `capacity` default objects.
    ///
    /// # Panics
    ///
    /// If there is not enough memory.
    #[must_use]
    #[track_caller]
    pub fn new(capacity: usize) -> Self {
        Self::from_fn(capacity, |_| T::default())
    }
}

impl<T> SyncRecycler<T> {
    /// Creates a recycler of `capacity` objects; `make` constructs each from its index.
    ///
    /// ```
    /// use millpond::SyncRecycler;
    ///
    /// let channels = SyncRecycler::from_fn(2, |index| format!("channel {index}"));
    /// let first = channels.acquire().unwrap();
    /// let second = channels.acquire().unwrap();
    /// assert_eq!((first.as_str(), second.as_str()), ("channel 0", "channel 1"));
    /// assert!(channels.acquire().is_none());
    /// ```
    ///
    /// # Panics
    ///
    /// If there is not enough memory.
    #[must_use]
    #[track_caller]
    pub fn from_fn(capacity: usize, make: impl FnMut(usize) -> T) -> Self {
        Self::builder().capacity(capacity).build_with(make)
    }

    /// Returns a builder, to choose a hook, the homes and a name.
    pub fn builder() -> SyncRecyclerBuilder<T> {
        SyncRecyclerBuilder::new()
    }

    /// Returns the number of objects: free, lent and retired.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.objects.len()
    }

    /// Returns the number of objects that can be acquired: free ones, and those of a [lazy](SyncRecyclerBuilder::build_lazily)
    /// recycler that are still to be made. Exact while no other thread acquires or releases. O(capacity / 64).
    #[must_use]
    pub fn available(&self) -> usize {
        self.free.count() + self.objects.unmade()
    }

    /// Returns the number of objects that have been made: all of them, unless the recycler was built
    /// [lazily](SyncRecyclerBuilder::build_lazily). Exact while no other thread makes one. O(capacity / 64).
    #[must_use]
    pub fn made(&self) -> usize {
        self.capacity() - self.objects.unmade()
    }

    /// Returns the number of objects that will not be lent again, because the hook panicked when
    /// they were released.
    #[must_use]
    pub fn retired(&self) -> usize {
        self.retired.load(Relaxed) as usize
    }

    /// Returns the number of acquisitions that have found no free object.
    #[must_use]
    pub fn refused(&self) -> u64 {
        self.free.refused()
    }

    /// Returns the name set on the builder.
    #[must_use]
    pub fn name(&self) -> Option<&'static str> {
        self.name
    }

    /// Acquires an object, or returns `None` if each was seen lent or retired during the call, or
    /// threads are waiting in line for one. Never waits, but for the maker of a
    /// [lazy](SyncRecyclerBuilder::build_lazily) recycler, if no object that was made is free.
    ///
    /// ```
    /// use millpond::SyncRecycler;
    ///
    /// let recycler = SyncRecycler::<Vec<u8>>::new(1);
    /// let mut buffer = recycler.acquire().unwrap();
    /// buffer.push(1);
    /// assert!(recycler.acquire().is_none());
    /// drop(buffer);
    /// assert!(recycler.acquire().is_some());
    /// ```
    #[inline]
    #[must_use]
    pub fn acquire(&self) -> Option<Acquired<'_, T>> {
        self.acquire_at_home(home::of_this_thread())
    }

    /// Like [`acquire`](Self::acquire), from the home with this number, whatever the thread.
    #[inline]
    #[must_use]
    pub fn acquire_at_home(&self, home: usize) -> Option<Acquired<'_, T>> {
        self.acquire_with(home, |index| Acquired::new(self, index))
    }

    /// Like [`acquire`](Self::acquire), but the guard borrows nothing.
    ///
    /// ```
    /// use millpond::SyncRecycler;
    /// use std::sync::Arc;
    ///
    /// let recycler = Arc::new(SyncRecycler::<Vec<u8>>::new(1));
    /// let mut buffer = recycler.acquire_owned().unwrap();
    /// drop(recycler);
    /// std::thread::spawn(move || buffer.push(1)).join().unwrap();
    /// ```
    #[inline]
    #[must_use]
    pub fn acquire_owned(self: &Arc<Self>) -> Option<AcquiredOwned<T>> {
        self.acquire_with(home::of_this_thread(), |index| {
            AcquiredOwned::new(Arc::clone(self), index)
        })
    }

    /// Calls `visit` with each object that is free at the moment, one after another, in the order of their indices: to give
    /// back what a burst took. Each is acquired for that, and released as by a guard, so that the hook runs; one that is lent
    /// meanwhile is left out, and so is one that was not made yet. Returns how many were visited. Stops if threads wait in
    /// line. O(capacity).
    ///
    /// ```
    /// use millpond::SyncRecycler;
    ///
    /// let buffers = SyncRecycler::builder()
    ///     .capacity(4)
    ///     .on_release(Vec::<u8>::clear)
    ///     .build_with(|_| Vec::with_capacity(1024));
    /// buffers.acquire().unwrap().extend([0; 1 << 20]); // a burst
    ///
    /// // Now and then, or after a quiet minute:
    /// assert_eq!(buffers.for_each_idle(|buffer| buffer.shrink_to(1024)), 4);
    /// assert!(buffers.acquire().unwrap().capacity() < 2048);
    /// ```
    pub fn for_each_idle(&self, mut visit: impl FnMut(&mut T)) -> usize {
        let mut visited = 0;
        for index in 0..self.capacity() {
            if self.line.is_waiting() {
                break;
            }
            if self.free.claim_at(index, order::acquire()) {
                visit(&mut Acquired::new(self, index));
                visited += 1;
            }
        }
        visited
    }

    /// Claims a free object, or makes one. The guard is made on both ways, so that the usual one needs not ask afterwards
    /// whether there is an object.
    #[inline]
    fn acquire_with<G>(&self, home: usize, guard: impl Fn(usize) -> G) -> Option<G> {
        if !self.line.is_waiting() {
            if let Some(index) = self.free.claim(home, order::acquire()) {
                return Some(guard(index));
            }
        }
        self.make_or_refuse(home).map(guard)
    }

    /// No object is free, or threads wait in line for one.
    #[cold]
    #[inline(never)]
    fn make_or_refuse(&self, home: usize) -> Option<usize> {
        if !self.line.is_waiting() {
            if let Some(unmade) = self.objects.claim_unmade() {
                return Some(self.make(unmade));
            }
        }
        self.refuse(home)
    }

    /// Makes an object, which this thread then owns, and returns its index. If that panics, it is still to be made, and the
    /// first thread in line tries.
    fn make(&self, unmade: Unmade<'_, T>) -> usize {
        let call = guard(self, |recycler| recycler.line.freed());
        let index = unmade.make();
        defuse(call);
        index
    }

    fn refuse(&self, home: usize) -> Option<usize> {
        self.free.count_refusal(home);
        None
    }

    /// Resets an object and frees it.
    ///
    /// # Safety
    ///
    /// The caller owns the object, and no longer uses it.
    #[inline(always)]
    unsafe fn release(&self, index: usize) {
        if let Some(reset) = &self.on_release {
            self.objects.place(index).with_mut(|object| {
                // SAFETY: this thread owns the object, which is there.
                self.reset(reset, unsafe { &mut *object.cast::<T>() });
            });
        }
        let bit = 1 << (index % WORD_SLOTS);
        self.free.word_of(index).fetch_or(bit, order::release());
        self.line.freed();
    }

    /// Calls the hook. A separate function, so that the drop of a guard is small enough to be
    /// inlined.
    #[inline(never)]
    fn reset(&self, reset: &Reset<T>, object: &mut T) {
        let retire = guard(self, |recycler| {
            recycler.retired.fetch_add(1, Relaxed);
            // No thread waits for an object that can never be freed.
            recycler.line.call();
        });
        reset(object);
        defuse(retire);
    }
}

impl<T> fmt::Debug for SyncRecycler<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SyncRecycler")
            .field("name", &self.name)
            .field("capacity", &self.capacity())
            .field("made", &self.made())
            .field("available", &self.available())
            .field("retired", &self.retired())
            .finish_non_exhaustive()
    }
}
