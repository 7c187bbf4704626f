#[cfg(feature = "__c")]
#[allow(unsafe_code)]
pub(crate) mod beside;
mod builder;
mod debug;
mod snapshot;

pub use builder::HandleAllocatorBuilder;

use core::fmt;

use crate::base::memory::OutOfMemory;
use crate::handle::{Explanation, Handle, HandleLayout, Issue, Refusal};
use crate::occupancy::{Occupancy, Runs};
use crate::pools::iterators::Handles;
use crate::pools::settings::{BuildError, Settings};
use crate::pools::unused::{OneBlock, UnusedSlots, slots_of_capacity};
use crate::reports::debug::Watch;
use crate::reports::errors::InsertAtError;
use crate::reports::stats::Stats;
use crate::slots::generations::Generations;
use crate::slots::handle_at;
use crate::slots::reuse::{Lifo, ReuseOrder};
use crate::slots::{Block, GenerationCycle, LedgerOf, SlotWords};
use crate::snapshot::{SnapshotError, SnapshotOf};
use crate::values::{PoolStorage, Storage};

/// Handles without storage, for programs that keep their own arrays: structure of arrays, slots in
/// a GPU buffer, rows of a file.
///
/// **Memory**: each slot takes a generation word (4 bytes; 2 with [`Handle32`](crate::Handle32) of
/// 16 or more index bits), one bit, and the [reuse order](crate::reuse)'s data. All of it is
/// allocated at creation.
///
/// ```
/// use millpond::HandleAllocator;
///
/// const CAPACITY: usize = 1000;
/// let mut particles = HandleAllocator::new(CAPACITY);
/// let mut x = vec![0.0; CAPACITY];
/// let mut speed = vec![0.0; CAPACITY];
///
/// let handle = particles.acquire().unwrap();
/// x[handle.index() as usize] = 3.0;
/// speed[handle.index() as usize] = 0.5;
///
/// // Live particles are adjacent: each run is a plain loop over slices.
/// for run in particles.runs() {
///     for (x, speed) in x[run.clone()].iter_mut().zip(&speed[run]) {
///         *x += speed;
///     }
/// }
/// assert!(particles.release(handle));
/// assert!(!particles.release(handle));
/// ```
#[repr(C)]
pub struct HandleAllocator<R: ReuseOrder = Lifo, H: HandleLayout = Handle<()>> {
    storage: PoolStorage<(), R, H>,
}

impl<R: ReuseOrder, H: HandleLayout> HandleAllocator<R, H> {
    /// Creates an allocator with the reuse order and handle layout of `Self`, for use where
    /// the type is named.
    ///
    /// ```
    /// use millpond::reuse::LowestFirst;
    /// use millpond::{Handle32, HandleAllocator};
    ///
    /// let slots: HandleAllocator<LowestFirst, Handle32<()>> = HandleAllocator::with_capacity(100);
    /// assert_eq!(slots.capacity(), 100);
    /// ```
    ///
    /// # Panics
    ///
    /// If the handle layout cannot name that many slots, or there is not enough memory for them;
    /// [`try_build`](HandleAllocatorBuilder::try_build) returns an error instead.
    #[must_use]
    #[track_caller]
    pub fn with_capacity(capacity: usize) -> Self {
        Self::of_unused(slots_of_capacity(capacity, PoolStorage::<(), R, H>::ROOM))
    }

    pub(crate) fn from_settings(settings: &Settings) -> Result<Self, BuildError> {
        let slots =
            settings.slots::<R, H::Erased>(PoolStorage::<(), R, H>::ROOM, Block::try_new)?;
        Self::of_unused(slots).watched_by(settings)
    }

    fn of_unused(slots: UnusedSlots<R, H::Erased>) -> Self {
        Self { storage: Storage::of_unused(slots) }
    }

    fn watched_by(mut self, settings: &Settings) -> Result<Self, BuildError> {
        let capacity = self.capacity();
        let watch = Watch::try_new(self.name(), settings.debug_aids, capacity)
            .map_err(|OutOfMemory| BuildError::OutOfMemory { capacity })?;
        self.storage.watch(watch);
        Ok(self)
    }

    /// Returns the number of slots: live, free and retired.
    #[inline]
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.storage.words().slots()
    }

    /// Returns the number of live handles.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.storage.words().live()
    }

    /// Returns whether no handle is live.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns whether [`acquire`](Self::acquire) would return `None`.
    #[inline]
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.storage.slots().is_full()
    }

    /// Makes a free slot live and returns its handle, or `None` if no slot is free. O(1) in every
    /// [reuse order](crate::reuse) but `NextFit`; amortised in `Lifo` once `acquire_at` is used.
    ///
    /// ```
    /// use millpond::HandleAllocator;
    ///
    /// let mut slots = HandleAllocator::new(1);
    /// let handle = slots.acquire().unwrap();
    /// assert_eq!(slots.acquire(), None);
    /// slots.release(handle);
    /// assert_eq!(slots.acquire().unwrap().index(), handle.index());
    /// ```
    #[inline]
    #[must_use = "a handle that is dropped leaves its slot live"]
    #[track_caller]
    pub fn acquire(&mut self) -> Option<H> {
        let taken = self.storage.put_next((), |_| Err(()));
        let Ok((index, generation)) = taken else {
            self.storage.ledger_mut().count_refusal();
            return None;
        };
        let handle = H::from_kept_parts(index, generation);
        self.note_origin(handle);
        Some(handle)
    }

    /// Returns the handle that [`acquire`](Self::acquire) will return next, or `None` if no slot is
    /// free. It is refused until then.
    #[inline]
    #[must_use]
    pub fn next_handle(&mut self) -> Option<H> {
        self.storage.slots_mut().peek().map(H::from_erased)
    }

    /// Makes exactly this handle live, for loading a saved state. O(1) amortised.
    ///
    /// ```
    /// use millpond::{Handle, HandleAllocator};
    ///
    /// let mut slots = HandleAllocator::new(10);
    /// let saved = Handle::from_parts(7, 3).unwrap();
    /// slots.acquire_at(saved).unwrap();
    /// assert!(slots.contains(saved));
    /// assert!(slots.acquire_at(saved).is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// If the slot is out of range, live or retired, has had this lifetime already (unless the
    /// allocator wraps), or can never have it.
    #[track_caller]
    pub fn acquire_at(&mut self, handle: H) -> Result<(), InsertAtError<()>> {
        let taken =
            self.storage.slots_mut().take_at(handle.erase(), GenerationCycle::check_begin);
        let index = taken.map_err(|kind| {
            let lifetime = self.generations().lifetime(handle.generation());
            InsertAtError::new((), kind, self.name(), handle, lifetime)
        })?;
        self.storage.put(index, handle.word(), ());
        self.note_origin(handle);
        Ok(())
    }

    /// Ends the handle's lifetime. Returns `false`, and does nothing, if the handle is refused.
    /// O(1).
    #[inline]
    #[track_caller]
    pub fn release(&mut self, handle: H) -> bool {
        let is_live = self.storage.slots_mut().end(handle.index() as usize, handle.word());
        if !is_live {
            self.note_refused_removal(handle);
        }
        is_live
    }

    /// Ends the lifetime of a slot that is live in this generation.
    #[inline]
    pub(crate) fn release_live(&mut self, index: usize, generation: H::Word) {
        self.storage.slots_mut().end_live(index, generation);
    }

    /// Returns whether `handle` is live. O(1).
    #[inline]
    #[must_use]
    pub fn contains(&self, handle: H) -> bool {
        self.find(handle).is_some()
    }

    /// The slot of a live handle.
    #[inline]
    pub(crate) fn find(&self, handle: H) -> Option<usize> {
        let index = handle.index() as usize;
        self.storage.words().is_live_in(index, handle.word()).then_some(index)
    }

    /// Returns `Ok` if `handle` is live, and otherwise why it is refused. O(1).
    ///
    /// # Errors
    ///
    /// If the handle is refused.
    pub fn check(&self, handle: H) -> Result<(), Refusal> {
        self.storage.slots().check(handle.erase())
    }

    /// Returns the live handle of slot `index`, or `None` if the slot is not live. O(1).
    #[inline]
    #[must_use]
    pub fn handle_at(&self, index: usize) -> Option<H> {
        handle_at(index, self.storage.words())
    }

    /// Iterates over the live handles in index order, from both ends.
    #[inline]
    pub fn handles(&self) -> Handles<'_, R, H> {
        Handles::new(self.storage.words().as_slice(), self.occupancy())
    }

    /// Iterates over the runs of live slots in index order, as ranges of indices for slicing your
    /// own arrays.
    #[inline]
    pub fn runs(&self) -> Runs<'_> {
        self.storage.occupancy().runs()
    }

    /// Returns the bitmap of live slots.
    #[inline]
    #[must_use]
    pub fn occupancy(&self) -> Occupancy<'_> {
        self.storage.occupancy()
    }

    /// Ends all lifetimes. O(capacity). The next acquisitions use the lowest slots.
    pub fn clear(&mut self) {
        self.storage.clear();
    }

    /// Returns the allocator's counters: slots by state, the peak, insertions, refusals and
    /// evictions. O(1).
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.storage.slots().stats()
    }

    /// Sends events to `track` from now on, or to nobody.
    pub(crate) fn set_recorder(&mut self, track: Option<crate::reports::recorder::Track>) {
        self.storage.slots_mut().set_recorder(track);
    }

    /// Returns the name set on the builder.
    #[must_use]
    pub fn name(&self) -> Option<&'static str> {
        self.ledger().name()
    }

    /// Returns the first generation of each slot, and the number of lifetimes per slot. O(1).
    #[must_use]
    pub fn generations(&self) -> Generations {
        Generations::of(&self.ledger().cycle())
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

    pub(crate) fn ledger(&self) -> &LedgerOf<R, H::Erased> {
        self.storage.ledger()
    }

    pub(crate) fn words(&self) -> &SlotWords<OneBlock<R, H>> {
        self.storage.words()
    }

    /// Brings the bitmap of live slots up to date, for a mutable iteration.
    #[inline]
    pub(crate) fn refresh(&mut self) {
        self.storage.refresh();
    }

    pub(crate) fn ledger_mut(&mut self) -> &mut LedgerOf<R, H::Erased> {
        self.storage.ledger_mut()
    }

    /// The order, to be broken.
    #[cfg(test)]
    #[allow(clippy::type_complexity, reason = "the order and its entries")]
    pub(crate) fn order_mut(
        &mut self,
    ) -> (&mut R::Queue<H::Index>, &mut [crate::slots::EntryOf<R, H>]) {
        self.storage.slots_mut().order_mut()
    }

    /// The words, to be broken.
    #[cfg(test)]
    pub(crate) fn storage_mut(&mut self) -> &mut PoolStorage<(), R, H> {
        &mut self.storage
    }
}

#[cfg(feature = "recorder")]
impl<R: ReuseOrder, H: HandleLayout> HandleAllocator<R, H> {
    /// Records every birth and death in the recorder's trace from now on, under the pool's name, or else
    /// under `handles`. Objects that are already live are recorded as if they were inserted now. Clones of the pool are
    /// not recorded.
    ///
    /// ```
    /// use millpond::HandleAllocator;
    /// use millpond::recorder::Recorder;
    ///
    /// let recorder = Recorder::to_writer(std::io::sink())?;
    /// let mut pool = HandleAllocator::new(8);
    /// pool.record(&recorder);
    /// pool.acquire().unwrap();
    /// pool.stop_recording();
    /// assert_eq!(recorder.finish()?.events, 2);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn record(&mut self, recorder: &crate::reports::recorder::Recorder) {
        let name = self.name().unwrap_or("handles");
        let live = self.handles().map(|handle| handle.index() as usize);
        let track = recorder.track_pool(name, self.stats(), live, false);
        self.set_recorder(Some(track));
    }

    /// Stops recording. In the trace, the lifetimes of the objects that are live now end here.
    pub fn stop_recording(&mut self) {
        self.set_recorder(None);
    }
}

crate::policies::lifetimes! {
    [R: ReuseOrder, H: HandleLayout] HandleAllocator<R, H>, H,
    last: |allocator, handle| allocator.ledger().is_last(handle.erase()),
}

/// Snapshots and checksums.
impl<R: ReuseOrder, H: HandleLayout> HandleAllocator<R, H> {
    /// Saves everything that the allocator's future depends on; see [`snapshot`](crate::snapshot).
    /// Allocates as much memory as a second allocator; [`save_into`](Self::save_into) reuses a
    /// snapshot's memory.
    ///
    /// ```
    /// use millpond::HandleAllocator;
    ///
    /// let mut slots = HandleAllocator::new(8);
    /// let handle = slots.acquire().unwrap();
    /// let snapshot = slots.snapshot();
    /// slots.release(handle);
    /// slots.restore(&snapshot).unwrap();
    /// assert!(slots.contains(handle));
    /// ```
    ///
    /// # Panics
    ///
    /// If there is not enough memory.
    #[must_use]
    pub fn snapshot(&self) -> crate::snapshot::SnapshotOf<Self> {
        crate::snapshot::SnapshotOf::copied(self.clone())
    }

    /// Overwrites `snapshot` with the current state. Does not allocate, except as
    /// [described](crate::snapshot#what-it-costs).
    ///
    /// # Errors
    ///
    /// If `snapshot` is of an allocator with another capacity, other generations or another policy.
    ///
    /// # Panics
    ///
    /// If a value's clone or drop panics.
    pub fn save_into(&self, snapshot: &mut SnapshotOf<Self>) -> Result<(), SnapshotError> {
        snapshot.save(self)
    }

    /// Restores the allocator to the state in which `snapshot` was taken. Does not allocate, except
    /// as [described](crate::snapshot#what-it-costs).
    ///
    /// Handles of objects that were live then are valid again; handles issued since are
    /// refused, until the same inputs issue them again. See [`snapshot`](crate::snapshot) for
    /// details.
    ///
    /// # Errors
    ///
    /// If `snapshot` is incomplete, or of an allocator with another capacity, other generations or
    /// another policy.
    ///
    /// # Panics
    ///
    /// If a value's clone or drop panics.
    pub fn restore(&mut self, snapshot: &SnapshotOf<Self>) -> Result<(), SnapshotError> {
        snapshot.restore_to(self)
    }

    /// Returns a checksum of everything that the future depends on: which handles are live, the
    /// generations, and which slots come next. Allocators in the same state have the same checksum,
    /// on every machine. O(used slots).
    #[must_use]
    pub fn checksum(&self) -> u64 {
        crate::snapshot::state::checksum_of_values(self)
    }
}

#[cfg(feature = "validate")]
impl<R: ReuseOrder, H: HandleLayout> HandleAllocator<R, H> {
    /// Checks every invariant; see [`validate`](crate::validate). O(capacity).
    ///
    /// # Errors
    ///
    /// The first invariant that does not hold.
    pub fn validate(&self) -> Result<(), crate::reports::validate::Violation> {
        self.storage.slots().validate(self.capacity(), &[])
    }
}

/// # Panics
///
/// If there is not enough memory.
impl<R: ReuseOrder, H: HandleLayout> Clone for HandleAllocator<R, H> {
    fn clone(&self) -> Self {
        let Ok(mut storage) = self.storage.try_like(true) else {
            panic!("no memory for a copy of {} slots", self.capacity())
        };
        storage.copy_state_from(&self.storage, self.words().used());
        let mut storage = storage.watched_like(&self.storage);
        storage.slots_mut().clone_order_from(self.storage.slots());
        Self { storage }
    }
}

impl<R: ReuseOrder, H: HandleLayout> fmt::Debug for HandleAllocator<R, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HandleAllocator")
            .field("name", &self.name())
            .field("reuse", &R::NAME)
            .field("stats", &self.stats())
            .finish_non_exhaustive()
    }
}

/// Returns an allocator without slots, which allocates nothing: for structs that derive `Default`
/// and later replace it with one of the right capacity.
impl<R: ReuseOrder, H: HandleLayout> Default for HandleAllocator<R, H> {
    fn default() -> Self {
        Self::with_capacity(0)
    }
}
