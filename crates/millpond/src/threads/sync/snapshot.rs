//! Snapshots of a shared pool, saved and restored with `&mut self`.

use alloc::boxed::Box;
use core::fmt;
use core::ops::Range;

use super::SyncPool;
use super::slots::SharedSlots;
use super::word::Word;
use crate::base::guard::{defuse, guard, half_way};
use crate::handle::{self, Handle};
use crate::reports::stats::Stats;
use crate::slots::reuse::OrderOf;
use crate::snapshot::state::Shape;
use crate::snapshot::{Checksum, Diff, SnapshotError, State, ToChecksum};

/// A snapshot of everything that a [`SyncPool`]'s future depends on: values, generations, which
/// slots are free, and where each home searches next. The same calls from the same homes in the
/// same order then issue the same handles.
#[derive(Clone)]
pub struct SyncSnapshot<T> {
    pub(super) shape: Shape,
    /// For a live slot, its generation; for a free one, the next generation with the top bit set,
    /// as in other pools.
    pub(super) words: Box<[u32]>,
    pub(super) values: Box<[Option<T>]>,
    pub(super) homes: Box<[u32]>,
    pub(super) stats: Stats,
    /// The number of insertions minus what the words show.
    pub(super) unshown: i64,
    /// `false` while the snapshot is being written, and afterwards if a clone panicked.
    pub(super) is_complete: bool,
}

/// Snapshots and checksums, with `&mut self`. A value with an owned guard cannot be replaced.
impl<T> SyncPool<T> {
    /// Takes a snapshot of the pool. Allocates as much memory as a second pool;
    /// [`save_into`](Self::save_into) reuses a snapshot's memory.
    ///
    /// ```
    /// use millpond::SyncPool;
    ///
    /// let mut pool = SyncPool::new(8);
    /// let old = pool.insert("a").unwrap();
    /// let past = pool.snapshot();
    /// pool.remove(old);
    /// let new = pool.insert("b").unwrap();
    /// pool.restore(&past).unwrap();
    /// assert_eq!(*pool.get(old).unwrap(), "a");
    /// assert!(!pool.contains(new));
    /// ```
    ///
    /// # Panics
    ///
    /// If a value's clone panics.
    #[must_use]
    pub fn snapshot(&mut self) -> SyncSnapshot<T>
    where
        T: Clone,
    {
        let capacity = self.capacity();
        let mut snapshot = SyncSnapshot {
            shape: self.slots().shape(),
            words: (0..capacity).map(|_| 0).collect(),
            values: (0..capacity).map(|_| None).collect(),
            homes: self.slots().free.home_words().collect(),
            stats: Stats::default(),
            unshown: 0,
            is_complete: false,
        };
        snapshot.write(self.slots());
        snapshot
    }

    /// Overwrites `snapshot` with the current state. Allocates only if cloning a value does.
    ///
    /// # Errors
    ///
    /// If `snapshot` is of a pool with another capacity, other generations or another number of
    /// homes.
    ///
    /// # Panics
    ///
    /// If a value's clone or drop panics. The snapshot is then
    /// [incomplete](SnapshotError::Incomplete).
    pub fn save_into(&mut self, snapshot: &mut SyncSnapshot<T>) -> Result<(), SnapshotError>
    where
        T: Clone,
    {
        snapshot.check_shape(self.slots())?;
        snapshot.write(self.slots());
        Ok(())
    }

    /// Restores the pool to the state in which `snapshot` was taken.
    ///
    /// # Errors
    ///
    /// If `snapshot` is of a pool with another capacity, other generations or another number of
    /// homes, if it is incomplete, or if a value has an owned guard. The pool is then unchanged,
    /// except that it has [settled](Self::settle) in the last case.
    ///
    /// # Panics
    ///
    /// If a value's clone or drop panics. The pool is then empty.
    pub fn restore(&mut self, snapshot: &SyncSnapshot<T>) -> Result<(), RestoreError>
    where
        T: Clone,
    {
        snapshot.check_shape(self.slots()).map_err(RestoreError::Snapshot)?;
        if !snapshot.is_complete {
            return Err(RestoreError::Snapshot(SnapshotError::Incomplete));
        }
        self.begin_again(|slots| snapshot.begin(slots, snapshot.values.iter().cloned()))
            .map_err(|Busy| RestoreError::Busy)
    }

    /// Drops all values, and begins anew with what the function puts into the slots. If a value's clone or drop panics, the
    /// pool is empty.
    pub(super) fn begin_again(&mut self, begin: impl FnOnce(&SharedSlots<T>)) -> Result<(), Busy> {
        // From here on, drops of values may panic, at first those of values that were removed before.
        let before = self.stats();
        let mut pool = guard(self, |pool| {
            pool.clear();
            pool.settle();
            // Some words are the snapshot's, and show other insertions.
            let slots = pool.slots();
            slots.recount(&before, 0);
            slots.add_unshown((before.inserted as i64).wrapping_sub(slots.stats().inserted as i64));
        });
        pool.settle();
        if !pool.slots().is_at_rest() {
            defuse(pool);
            return Err(Busy);
        }
        pool.clear();
        pool.settle();
        begin(pool.slots());
        defuse(pool);
        Ok(())
    }

    /// Returns a checksum of everything that the future depends on (but not the statistics): equal
    /// states have equal checksums, on every machine. O(capacity).
    #[must_use]
    pub fn checksum(&mut self) -> u64
    where
        T: ToChecksum,
    {
        self.checksum_with(ToChecksum::add_to)
    }

    /// Like [`checksum`](Self::checksum), but `add_value` adds a value to a checksum.
    #[must_use]
    pub fn checksum_with(&mut self, add_value: impl Fn(&T, &mut Checksum)) -> u64 {
        let slots = self.slots();
        let shown = (0..slots.capacity()).map(|index| slots.shown(index));
        slots.shape().sum_of_slots(slots.shape().sum(), shown, slots.order(), &add_value)
    }
}

/// A value in the pool has an owned guard.
#[derive(Debug)]
pub(super) struct Busy;

/// Why a [`SyncPool`] could not be restored.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RestoreError {
    /// The snapshot does not match the pool.
    Snapshot(SnapshotError),
    /// A value in the pool has an owned guard, be it live or removed.
    Busy,
}

impl fmt::Display for RestoreError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RestoreError::Snapshot(error) => error.fmt(f),
            RestoreError::Busy => f.write_str("a value in the pool has an owned guard"),
        }
    }
}

impl core::error::Error for RestoreError {}

impl<T> SyncSnapshot<T> {
    /// Returns the checksum that the pool had; see [`SyncPool::checksum`].
    #[must_use]
    pub fn checksum(&self) -> u64
    where
        T: ToChecksum,
    {
        self.checksum_with(ToChecksum::add_to)
    }

    /// Returns the checksum that the pool had; see [`SyncPool::checksum_with`].
    #[must_use]
    pub fn checksum_with(&self, add_value: impl Fn(&T, &mut Checksum)) -> u64 {
        self.sum(&add_value)
    }

    /// Iterates over the differences between this snapshot, the left one, and `right`, like
    /// [`SnapshotOf::diff`](crate::snapshot::SnapshotOf::diff). In place of a reuse order, it
    /// compares at which word of 64 slots each home's search starts.
    ///
    /// ```
    /// use millpond::SyncPool;
    ///
    /// let mut pool = SyncPool::new(8);
    /// let handle = pool.insert(1).unwrap();
    /// let left = pool.snapshot();
    /// *pool.get_mut(handle).unwrap() = 10;
    /// let right = pool.snapshot();
    /// let lines: Vec<_> = left.diff(&right).map(|difference| difference.to_string()).collect();
    /// assert_eq!(lines, ["slot 0: the values of 0v1 differ"]);
    /// ```
    pub fn diff<'a>(
        &'a self,
        right: &'a Self,
    ) -> Diff<'a, Self, impl Fn(&T, &mut Checksum) + use<T>>
    where
        T: ToChecksum,
    {
        self.diff_with(right, |value, sum| value.add_to(sum))
    }

    /// Like [`diff`](Self::diff), but `add_value` adds a value to a checksum.
    pub fn diff_with<'a, F: Fn(&T, &mut Checksum)>(
        &'a self,
        right: &'a Self,
        add_value: F,
    ) -> Diff<'a, Self, F> {
        Diff::new(self, right, add_value)
    }

    /// Returns the value that the handle's object had, or `None` if it was not live or the snapshot
    /// is [incomplete](SnapshotError::Incomplete).
    #[must_use]
    pub fn get(&self, handle: Handle<T>) -> Option<&T> {
        let index = handle.index() as usize;
        let is_live = self.is_complete && self.words.get(index) == Some(&handle.generation());
        if is_live { self.values.get(index)?.as_ref() } else { None }
    }

    /// Returns the counters that the pool had.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.stats
    }

    fn check_shape(&self, pool: &SharedSlots<T>) -> Result<(), SnapshotError> {
        self.shape.check(&pool.shape())?;
        match self.homes.len() == pool.free.homes() {
            true => Ok(()),
            false => Err(SnapshotError::OtherHomes),
        }
    }

    /// Begins the lifetimes of a pool at rest, with these values, and sets its counters.
    pub(super) fn begin(&self, pool: &SharedSlots<T>, values: impl Iterator<Item = Option<T>>) {
        for (index, (word, value)) in self.words.iter().zip(values).enumerate() {
            pool.begin_as(index, *word, value);
            half_way();
        }
        pool.recount(&self.stats, self.unshown);
        half_way();
        pool.free.set_home_words(&self.homes);
    }

    fn write(&mut self, pool: &SharedSlots<T>)
    where
        T: Clone,
    {
        self.is_complete = false;
        for (index, (word, value)) in self.words.iter_mut().zip(&mut self.values).enumerate() {
            let (shown, new) = pool.shown(index);
            *word = shown;
            match (new, value.as_mut()) {
                (Some(new), Some(old)) => old.clone_from(new),
                (new, _) => *value = new.cloned(),
            }
        }
        let homes = pool.free.home_words();
        self.homes.iter_mut().zip(homes).for_each(|(to, word)| *to = word);
        self.stats = pool.stats();
        self.unshown = pool.unshown();
        self.is_complete = true;
    }
}

impl<T: fmt::Debug> fmt::Debug for SyncSnapshot<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let live = self.values.iter().enumerate().filter_map(|(index, value)| {
            Some((handle::kept::<Handle<T>>(index, self.words[index]), value.as_ref()?))
        });
        f.debug_map().entries(live).finish()
    }
}

/// The current state of a pool that is borrowed exclusively: what its snapshot would say.
impl<T> SharedSlots<T> {
    pub(super) fn shape(&self) -> Shape {
        Shape::new(self.capacity(), &self.cycle)
    }

    /// The word of a slot, and its value.
    pub(super) fn shown(&self, index: usize) -> (u32, Option<&T>) {
        let word = self.word(index).unwrap_or(Word::RETIRED);
        // A doomed object counts as removed, like one that its last guard has ended.
        let word =
            if word.is_doomed() { self.cycle.word_after(word.generation()) } else { word.plain() };
        (word, self.live_value(index))
    }

    pub(super) fn order(&self) -> impl Iterator<Item = Range<usize>> {
        self.free.home_words().map(|word| word as usize..word as usize + 1)
    }
}

impl<T> State for SyncSnapshot<T> {
    type Value = T;
    type Handle = Handle<T>;
    const ORDER_OF: OrderOf = OrderOf::Homes;

    fn shape(&self) -> Shape {
        self.shape
    }

    fn used(&self) -> usize {
        self.words.len()
    }

    fn word(&self, index: usize) -> u32 {
        self.words.get(index).copied().unwrap_or(1 << 31)
    }

    fn value(&self, index: usize) -> Option<&T> {
        self.values.get(index)?.as_ref()
    }

    fn counted(&self) -> Stats {
        self.stats
    }

    fn order(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.homes.iter().map(|word| *word as usize..*word as usize + 1)
    }

    fn clone_state_from(&mut self, other: &Self)
    where
        T: Clone,
    {
        *self = other.clone();
    }

    fn empty(&mut self) {
        self.is_complete = false;
    }
}
