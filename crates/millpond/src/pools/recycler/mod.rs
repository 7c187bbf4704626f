//! [`Recycler`], whose objects stay constructed, and what its methods return.

mod builder;
#[cfg(feature = "debug-aids")]
mod debug;
mod snapshot;

pub use crate::values::{ValueRuns as RunSlices, ValueRunsMut as RunSlicesMut};
pub use builder::{OfRecycler, RecyclerBuilder};

use alloc::boxed::Box;
use core::fmt;
use core::ops::{Index, IndexMut};

use crate::base::{memory, or_panic};
use crate::handle::{Explanation, Handle, HandleLayout, Refusal, handle_of_live};
use crate::occupancy::{LiveWalk, Occupancy};
use crate::overflow::evict::least_of;
use crate::overflow::lifetimes;
use crate::pools::allocator::HandleAllocator;
use crate::pools::iterators::Handles;
use crate::pools::settings::{BuildError, Settings};
use crate::reports::errors::InsertAtError;
use crate::reports::stats::Stats;
use crate::slots::generations::Generations;
use crate::slots::reuse::{Lifo, ReuseOrder};
use crate::snapshot::become_clone;
use crate::snapshot::methods::snapshots;
use crate::values::ValuesMut;

/// A pool of objects that stay constructed: they are acquired, used, released, and acquired again
/// as they are.
///
/// Needs the feature `recycler`.
///
/// Use it for objects that are expensive to construct: connections, buffers, meshes. Use it also if you process **all**
/// slots without a branch, free ones included: [`as_mut_slice`](Self::as_mut_slice) is a plain `&mut [T]`, and every
/// object in it is valid.
///
/// **Memory**: allocated at creation. A slot takes the object, 4 bytes for its generation, one bit, and the [reuse
/// order](crate::reuse)'s data.
///
/// **Time**: acquire, get and release are O(1).
///
/// ```
/// use millpond::Recycler;
///
/// let mut buffers = Recycler::from_fn(4, |_| Vec::<u8>::with_capacity(1024));
///
/// let (handle, buffer) = buffers.acquire().unwrap();
/// buffer.clear(); // an object comes as it was released
/// buffer.extend(b"hello");
/// assert_eq!(buffers[handle], b"hello");
///
/// assert!(buffers.release(handle));
/// assert!(buffers.get(handle).is_none()); // stale
/// let (_, buffer) = buffers.acquire().unwrap();
/// assert!(buffer.capacity() >= 1024); // the same buffer, nothing was allocated
/// ```
pub struct Recycler<T, R: ReuseOrder = Lifo, H: HandleLayout = Handle<T>> {
    /// First, so that its debug aids tell of live objects before these are dropped.
    handles: HandleAllocator<R, H>,
    objects: Box<[T]>,
    on_release: OnRelease<T>,
}

/// What is called for each released object: the builder's hook, and with debug aids that of `scramble_released`.
type OnRelease<T> = [Option<fn(&mut T)>; if cfg!(feature = "debug-aids") { 2 } else { 1 }];

impl<T, R: ReuseOrder, H: HandleLayout> Recycler<T, R, H> {
    /// Creates a recycler with the reuse order and handle layout of `Self`, for use where the
    /// type is named; `make` constructs each object from its index.
    ///
    /// # Panics
    ///
    /// Same as for [`from_fn`](Recycler::from_fn), and if the handle layout cannot name that many
    /// slots.
    #[must_use]
    #[track_caller]
    pub fn with_capacity(capacity: usize, make: impl FnMut(usize) -> T) -> Self {
        or_panic(Self::from_settings(&Settings::of_capacity(capacity), None, make))
    }

    fn from_settings(
        settings: &Settings,
        on_release: Option<fn(&mut T)>,
        make: impl FnMut(usize) -> T,
    ) -> Result<Self, BuildError> {
        let handles = HandleAllocator::from_settings(settings, false)?;
        let objects = settings.allocate::<H, _>(|capacity| memory::from_fn(capacity, make))?;
        let mut hooks = OnRelease::default();
        hooks[0] = on_release;
        Ok(Self { handles, objects, on_release: hooks })
    }

    /// Returns the number of objects: live, dead and retired.
    #[inline]
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.objects.len()
    }

    /// Returns the number of live objects: those acquired and not released.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.handles.len()
    }

    /// Returns whether no object is live.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.handles.is_empty()
    }

    /// Returns whether [`acquire`](Self::acquire) would return `None`.
    #[inline]
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.handles.is_full()
    }

    /// Returns the name set on the builder.
    #[must_use]
    pub fn name(&self) -> Option<&'static str> {
        self.handles.storage.slots().ledger().name()
    }

    /// Returns the first generation of each slot, and the number of lifetimes per slot. O(1).
    #[must_use]
    pub fn generations(&self) -> Generations {
        Generations::of(&self.handles.storage.slots().ledger().cycle())
    }

    /// Describes `handle` in words: its slot, which lifetime of the slot it names, and whether
    /// it is valid. O(1).
    ///
    /// This is for messages and debuggers: in a pool with a name, the handle's own text does
    /// not show which lifetime it is.
    #[must_use]
    pub fn explain(&self, handle: H) -> Explanation {
        let lifetime = self.generations().lifetime(handle.generation());
        Explanation::new(handle, lifetime, self.check(handle))
    }

    /// Returns the counters: slots by state, the peak, insertions, refusals and evictions. O(1).
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.handles.stats()
    }

    /// Returns the bitmap of live slots.
    #[inline]
    #[must_use]
    pub fn occupancy(&self) -> Occupancy<'_> {
        self.handles.occupancy()
    }

    /// Acquires a dead object, and returns its handle and the object as it was released (or made).
    /// Returns `None` if no object is dead. O(1); in the [reuse order](crate::reuse) `Lifo`
    /// amortised once `acquire_at` is used.
    ///
    /// ```
    /// use millpond::Recycler;
    ///
    /// let mut recycler = Recycler::<u32>::new(1);
    /// let (handle, object) = recycler.acquire().unwrap();
    /// *object = 7;
    /// assert!(recycler.acquire().is_none());
    /// recycler.release(handle);
    /// assert_eq!(recycler.acquire().unwrap().1, &7);
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn acquire(&mut self) -> Option<(H, &mut T)> {
        let handle = self.handles.acquire()?;
        Some((handle, &mut self.objects[handle.index() as usize]))
    }

    /// Acquires exactly the handle's slot, in that lifetime, for loading a saved state. O(1)
    /// amortised.
    ///
    /// # Errors
    ///
    /// If the slot is out of range, live or retired, has had this lifetime already (unless the
    /// recycler wraps), or can never have it.
    #[track_caller]
    pub fn acquire_at(&mut self, handle: H) -> Result<&mut T, InsertAtError<()>> {
        self.handles.acquire_at(handle)?;
        Ok(&mut self.objects[handle.index() as usize])
    }

    /// Releases the handle's object; the handle is stale afterwards. O(1). Returns `false`, and
    /// does nothing, if the handle is refused.
    ///
    /// The builder's [`on_release`](RecyclerBuilder::on_release) hook, if set, is called first; if
    /// it panics, the object stays live.
    ///
    /// ```
    /// use millpond::Recycler;
    ///
    /// let mut recycler = Recycler::<u32>::new(1);
    /// let (handle, _) = recycler.acquire().unwrap();
    /// assert!(recycler.release(handle));
    /// assert!(!recycler.release(handle));
    /// ```
    #[inline]
    #[track_caller]
    pub fn release(&mut self, handle: H) -> bool {
        let Some(index) = self.find(handle) else {
            self.handles.note_removal(handle);
            return false;
        };
        for hook in self.on_release.into_iter().flatten() {
            hook(&mut self.objects[index]);
        }
        self.handles.note_removal(handle);
        self.handles.storage.slots_mut().end_live(index, handle.word());
        true
    }

    /// Calls `keep` for each live object, in index order, and releases those for which it returns
    /// `false`. If `keep` panics, the object of that call and all later ones stay live.
    ///
    /// ```
    /// use millpond::Recycler;
    ///
    /// let mut sparks = Recycler::<u32>::new(4);
    /// for frames_left in [3, 1] {
    ///     *sparks.acquire().unwrap().1 = frames_left;
    /// }
    /// sparks.retain(|_, frames_left| {
    ///     *frames_left -= 1;
    ///     *frames_left > 0
    /// });
    /// assert_eq!(sparks.len(), 1);
    /// ```
    #[track_caller]
    pub fn retain(&mut self, mut keep: impl FnMut(H, &mut T) -> bool) {
        let mut live = LiveWalk::new(self.occupancy());
        while let Some(index) = live.next(self.occupancy().source()) {
            let handle = handle_of_live(index, self.handles.storage.words().as_slice());
            if !keep(handle, &mut self.objects[index]) {
                self.release(handle);
            }
        }
    }

    /// Calls `visit` with each dead object, in index order: to give back what a burst took. O(capacity).
    ///
    /// ```
    /// use millpond::Recycler;
    ///
    /// let mut buffers = Recycler::from_fn(4, |_| Vec::<u8>::with_capacity(1024));
    /// let (kept, _) = buffers.acquire().unwrap();
    /// let (burst, buffer) = buffers.acquire().unwrap();
    /// buffer.extend([0; 1 << 20]);
    /// buffers.release(burst);
    ///
    /// // Now and then, or after a quiet minute:
    /// buffers.for_each_idle(|buffer| {
    ///     buffer.clear();
    ///     buffer.shrink_to(1024);
    /// });
    /// assert!(buffers.as_slice().iter().all(|buffer| buffer.capacity() < 2048));
    /// # assert!(buffers.get(kept).is_some());
    /// ```
    pub fn for_each_idle(&mut self, mut visit: impl FnMut(&mut T)) {
        let words = self.handles.storage.words();
        for (index, object) in self.objects.iter_mut().enumerate() {
            if !words.is_live(index) {
                visit(object);
            }
        }
    }

    /// Acquires an object; if none is dead, first releases the live object with the smallest key.
    /// Also returns the handle that became stale. Of objects with equal keys, the one with the
    /// lowest index is released. Returns `None` if the capacity is 0, or if every slot is in its
    /// last lifetime or retired. What the object is acquired for takes no part in the comparison;
    /// [`acquire_unless_least`](Self::acquire_unless_least) compares its key as well.
    ///
    /// ```
    /// use millpond::Recycler;
    ///
    /// let mut voices = Recycler::from_fn(2, |_| 0);
    /// for loudness in [90, 10] {
    ///     *voices.acquire().unwrap().1 = loudness;
    /// }
    /// let (_, voice, evicted) = voices.acquire_or_evict(|_, loudness| *loudness).unwrap();
    /// assert_eq!((*voice, evicted.map(|handle| handle.index())), (10, Some(1)));
    /// ```
    #[track_caller]
    pub fn acquire_or_evict<K: Ord>(
        &mut self,
        mut key: impl FnMut(H, &T) -> K,
    ) -> Option<(H, &mut T, Option<H>)> {
        if self.is_full() {
            let keys = self.iter().map(|(handle, object)| (key(handle, object), handle));
            let is_last =
                |handle| self.handles.storage.slots().ledger().cycle().is_last(H::word(handle));
            let victim = least_of(keys, is_last)?;
            return self.acquire_in_place_of(victim);
        }
        self.acquire().map(|(handle, object)| (handle, object, None))
    }

    /// Like [`acquire_or_evict`](Self::acquire_or_evict), but returns `None`, too, if no object is dead and `newcomer`, the
    /// key of what the object is acquired for, is smaller than all others. Of equal keys, the newcomer has the object.
    ///
    /// ```
    /// use millpond::Recycler;
    ///
    /// let mut voices = Recycler::from_fn(1, |_| 0);
    /// *voices.acquire().unwrap().1 = 90;
    /// assert!(voices.acquire_unless_least(5, |_, loudness| *loudness).is_none());
    /// let (_, voice, evicted) = voices.acquire_unless_least(95, |_, loudness| *loudness).unwrap();
    /// assert_eq!((*voice, evicted.map(|handle| handle.index())), (90, Some(0)));
    /// ```
    #[track_caller]
    pub fn acquire_unless_least<K: Ord>(
        &mut self,
        newcomer: K,
        mut key: impl FnMut(H, &T) -> K,
    ) -> Option<(H, &mut T, Option<H>)> {
        if self.is_full() {
            let keys = self.iter().map(|(handle, object)| (key(handle, object), handle));
            let keys = keys.filter(|(key, _)| *key <= newcomer);
            let is_last =
                |handle| self.handles.storage.slots().ledger().cycle().is_last(H::word(handle));
            let Some(victim) = least_of(keys, is_last) else {
                self.handles.storage.slots_mut().count_refusal();
                return None;
            };
            return self.acquire_in_place_of(victim);
        }
        self.acquire().map(|(handle, object)| (handle, object, None))
    }

    /// Releases this live object to make room for another, and acquires one.
    #[doc(hidden)]
    #[track_caller]
    pub fn acquire_in_place_of(&mut self, victim: H) -> Option<(H, &mut T, Option<H>)> {
        if self.release(victim) {
            self.handles.storage.slots_mut().count_eviction();
        }
        let (handle, object) = self.acquire()?;
        Some((handle, object, Some(victim)))
    }

    /// Releases all objects, in index order. O(capacity). The next acquisitions use the lowest
    /// slots.
    ///
    /// If [`on_release`](RecyclerBuilder::on_release) panics, the object of that call and all later
    /// ones stay live.
    #[track_caller]
    pub fn clear(&mut self) {
        if self.changes_released() {
            self.retain(|_, _| false);
        }
        self.handles.clear();
    }

    /// Whether a release changes the object.
    fn changes_released(&self) -> bool {
        self.on_release.iter().any(Option::is_some)
    }

    /// The place of a live object.
    #[inline]
    fn find(&self, handle: H) -> Option<usize> {
        let index = handle.index() as usize;
        self.handles.storage.words().is_live_in(index, handle.word()).then_some(index)
    }

    /// Returns a reference to the object, or `None` if the handle is refused. O(1).
    #[inline]
    #[must_use]
    pub fn get(&self, handle: H) -> Option<&T> {
        self.find(handle).map(|index| &self.objects[index])
    }

    /// Returns a mutable reference to the object, or `None` if the handle is refused. O(1).
    #[inline]
    #[must_use]
    pub fn get_mut(&mut self, handle: H) -> Option<&mut T> {
        self.find(handle).map(|index| &mut self.objects[index])
    }

    /// Returns whether `handle` names a live object. O(1).
    #[inline]
    #[must_use]
    pub fn contains(&self, handle: H) -> bool {
        self.handles.contains(handle)
    }

    /// Returns `Ok` if `handle` names a live object, and otherwise why it is refused. O(1).
    ///
    /// # Errors
    ///
    /// If the handle is refused.
    pub fn check(&self, handle: H) -> Result<(), Refusal> {
        self.handles.check(handle)
    }

    /// Returns whether the object at `index` is live; `false` if `index` is out of range. O(1).
    #[inline]
    #[must_use]
    pub fn is_live(&self, index: usize) -> bool {
        self.occupancy().is_live(index)
    }

    /// Returns the handle of the object at `index`, or `None` if it is not live. O(1).
    #[inline]
    #[must_use]
    pub fn handle_at(&self, index: usize) -> Option<H> {
        self.handles.handle_at(index)
    }

    /// Returns all objects, live and dead.
    #[inline]
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        &self.objects
    }

    /// Returns all objects, live and dead, as a mutable slice: for a pass without a branch.
    ///
    /// ```
    /// use millpond::Recycler;
    ///
    /// #[derive(Clone, Default)]
    /// struct Particle {
    ///     x: f32,
    ///     speed: f32,
    /// }
    ///
    /// let mut particles = Recycler::<Particle>::new(1000);
    /// let (handle, particle) = particles.acquire().unwrap();
    /// particle.speed = 2.0;
    /// for particle in particles.as_mut_slice() {
    ///     particle.x += particle.speed; // dead ones too: it does no harm, and a branch would
    /// }
    /// assert_eq!(particles[handle].x, 2.0);
    /// ```
    #[inline]
    #[must_use]
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.objects
    }

    /// Iterates over the live handles in index order, from both ends.
    #[inline]
    pub fn handles(&self) -> Handles<'_, R, H> {
        self.handles.handles()
    }

    /// Iterates over the live objects and their handles in index order, from both ends.
    ///
    /// ```
    /// use millpond::Recycler;
    ///
    /// let mut recycler = Recycler::from_fn(3, |index| index);
    /// let (handle, _) = recycler.acquire().unwrap();
    /// assert_eq!(recycler.iter().collect::<Vec<_>>(), [(handle, &0)]);
    /// ```
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (H, &T)> + ExactSizeIterator + Clone {
        let words = self.handles.storage.words().as_slice();
        let live = self.handles.storage.words().occupancy_to_walk().iter();
        live.map(|index| (handle_of_live(index, words), &self.objects[index]))
    }

    /// Iterates mutably over the live objects, with their handles, in index order, from both ends.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (H, &mut T)> + ExactSizeIterator {
        self.handles.storage.refresh();
        let words = self.handles.storage.words().as_slice();
        ValuesMut::of_slice(&mut self.objects, self.handles.occupancy())
            .map(|(index, object)| (handle_of_live(index, words), object))
    }

    /// Iterates over the live objects in index order, from both ends.
    ///
    /// ```
    /// use millpond::Recycler;
    ///
    /// let mut recycler = Recycler::from_fn(3, |index| index);
    /// recycler.acquire().unwrap();
    /// assert_eq!(recycler.values().collect::<Vec<_>>(), [&0]);
    /// ```
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &T> + ExactSizeIterator + Clone {
        self.iter().map(|(_, object)| object)
    }

    /// Iterates mutably over the live objects in index order, from both ends.
    pub fn values_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut T> + ExactSizeIterator {
        self.iter_mut().map(|(_, object)| object)
    }

    /// Iterates over the runs of live objects in index order, as `(first index, slice)`.
    ///
    /// ```
    /// use millpond::Recycler;
    ///
    /// let mut recycler = Recycler::from_fn(5, |index| index);
    /// let handles: Vec<_> = (0..4).map(|_| recycler.acquire().unwrap().0).collect();
    /// recycler.release(handles[1]);
    /// assert_eq!(recycler.runs().collect::<Vec<_>>(), [(0, &[0][..]), (2, &[2, 3])]);
    /// ```
    #[inline]
    pub fn runs(&self) -> RunSlices<'_, T> {
        RunSlices::of_slice(&self.objects, self.handles.slot_runs())
    }

    /// Iterates over the runs of live objects in index order, as `(first index, mutable slice)`.
    #[inline]
    pub fn runs_mut(&mut self) -> RunSlicesMut<'_, T> {
        self.handles.storage.refresh();
        RunSlicesMut::of_slice(&mut self.objects, self.handles.slot_runs())
    }
}

#[cfg(feature = "recorder")]
impl<T, R: ReuseOrder, H: HandleLayout> Recycler<T, R, H> {
    /// Records every birth and death in the recorder's trace from now on, under the pool's name, or else
    /// the name of its value type. Objects that are already live are recorded as if they were inserted now. Clones of the pool are
    /// not recorded.
    ///
    /// ```
    /// use millpond::Recycler;
    /// use millpond::recorder::Recorder;
    ///
    /// let recorder = Recorder::to_writer(std::io::sink())?;
    /// let mut pool = Recycler::<char>::new(8);
    /// pool.record(&recorder);
    /// pool.acquire().unwrap();
    /// pool.stop_recording();
    /// assert_eq!(recorder.finish()?.events, 2);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn record(&mut self, recorder: &crate::reports::recorder::Recorder) {
        let name = self.name().unwrap_or(crate::reports::recorder::type_name::<T>());
        let live = self.handles().map(|handle| handle.index() as usize);
        let track = recorder.track_pool(name, self.stats(), live, false);
        self.handles.storage.slots_mut().set_recorder(Some(track));
    }

    /// Stops recording. In the trace, the lifetimes of the objects that are live now end here.
    pub fn stop_recording(&mut self) {
        self.handles.storage.slots_mut().set_recorder(None);
    }
}

snapshots! {
    [T, R: ReuseOrder, H: HandleLayout] Recycler<T, R, H>, values T, "recycler", "Recyclers"
}

#[cfg(feature = "validate")]
impl<T, R: ReuseOrder, H: HandleLayout> Recycler<T, R, H> {
    /// Checks every invariant; see [`validate`](crate::validate). O(capacity).
    ///
    /// # Errors
    ///
    /// The first invariant that does not hold.
    pub fn validate(&self) -> Result<(), crate::reports::validate::Violation> {
        self.handles.validate()?;
        crate::reports::validate::ensure(
            self.objects.len() == self.handles.capacity(),
            "there is an object for each slot",
            format_args!("{} objects for {} slots", self.objects.len(), self.handles.capacity()),
        )
    }
}

/// # Panics
///
/// If the handle is refused; the message names the recycler, the handle and the reason.
impl<T, R: ReuseOrder, H: HandleLayout> Index<H> for Recycler<T, R, H> {
    type Output = T;

    #[inline]
    #[track_caller]
    fn index(&self, handle: H) -> &T {
        match self.get(handle) {
            Some(object) => object,
            None => self.handles.refuse_handle(handle),
        }
    }
}

/// # Panics
///
/// If the handle is refused; the message names the recycler, the handle and the reason.
impl<T, R: ReuseOrder, H: HandleLayout> IndexMut<H> for Recycler<T, R, H> {
    #[inline]
    #[track_caller]
    fn index_mut(&mut self, handle: H) -> &mut T {
        match self.find(handle) {
            Some(index) => &mut self.objects[index],
            None => self.handles.refuse_handle(handle),
        }
    }
}

/// Returns a recycler without objects, which allocates nothing: for structs that derive `Default`
/// and later replace it with one of the right capacity.
impl<T, R: ReuseOrder, H: HandleLayout> Default for Recycler<T, R, H> {
    fn default() -> Self {
        Self::with_capacity(0, |_| unreachable!("there is no slot to make an object for"))
    }
}

/// The copy is a twin: it has the same handles and issues the same ones next, so each accepts the
/// other's handles. Allocates as much memory as a new recycler.
///
/// # Panics
///
/// If there is not enough memory, or an object's clone panics.
impl<T: Clone, R: ReuseOrder, H: HandleLayout> Clone for Recycler<T, R, H> {
    fn clone(&self) -> Self {
        // The objects first: if that panics, there is no copy that could report live objects.
        let objects = self.objects.clone();
        Self { handles: self.handles.clone(), objects, on_release: self.on_release }
    }

    /// Makes this recycler the copy. If it has as many objects and the same generations, and nobody watches or records it, this
    /// takes no memory: its objects become clones by their own `clone_from`. If a clone panics then, all objects are released.
    fn clone_from(&mut self, other: &Self) {
        let may_stay = self.handles.may_stay_for(&other.handles);
        become_clone(self, other, may_stay);
        self.handles.storage.slots_mut().set_name(other.name());
        self.on_release = other.on_release;
    }
}

impl<T: fmt::Debug, R: ReuseOrder, H: HandleLayout> fmt::Debug for Recycler<T, R, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let live = self.handles().map(|handle| (handle, &self[handle]));
        f.debug_map().entries(live).finish()
    }
}

#[cfg(all(test, feature = "validate"))]
mod tests {
    use super::*;

    #[test]
    fn validation_asks_what_knows_the_handles() {
        let mut pool = Recycler::<u8>::new(3);
        pool.validate().unwrap();
        pool.handles.storage.slots_mut().count_eviction();
        assert_eq!(pool.validate().unwrap_err().rule(), "the counters agree");
    }
}

lifetimes! {
    [T, R: ReuseOrder, H: HandleLayout] Recycler<T, R, H>, H,
    last: |self, handle| self.handles.storage.slots().ledger().cycle().is_last(handle.word()),
    most: |self| self.capacity(),
}
