//! Lots: insertions and removals on many threads in one [`Pool`], with the same handles, order and checksum on any
//! number of threads.
//!
//! Needs the feature `lots`.
//!
//! In a lockstep or rollback game, the handle of a new object must not depend on which thread comes first. So each task
//! gets a *lot* of handles before the work begins. On any thread, an insertion in the task uses a handle of its lot.
//! Tasks are chunks of slots, so they do not depend on the threads either.
//!
//! ```text
//! set_aside   the next tasks × births handles of the reuse order:  lot 0 │ lot 1 │ lot 2 │ …
//! tasks       on any threads: values are changed, births go to the task's lot, deaths set a bit
//! settle      births begin, lot by lot; deaths end, slot by slot; handles that are left stay in the order
//! ```
//!
//! ```
//! use millpond::lots::Lots;
//! use millpond::Pool;
//!
//! let mut sparks = Pool::new(1000);
//! for heat in 0..100 {
//!     sparks.insert(heat).unwrap();
//! }
//! let mut lots = Lots::new(64, 8); // tasks of 64 slots, 8 births each
//! let mut update = sparks.set_aside(&mut lots);
//! std::thread::scope(|scope| {
//!     for mut task in update.tasks() {
//!         scope.spawn(move || {
//!             task.run(|heat, lot| {
//!                 *heat -= 1;
//!                 if *heat == 90 {
//!                     lot.insert(1000).unwrap();
//!                 }
//!                 if *heat < 50 {
//!                     lot.die();
//!                 }
//!             })
//!         });
//!     }
//! });
//! update.settle();
//! assert_eq!(sparks.len(), 49 + 1); // 50 to 98, and the newborn
//! ```
//!
//! With the feature `rayon`, [`Pool::par_update`] does all of it.
//!
//! When a lot's handles are used up, its insertions return `Full`. In a nearly full pool, the first
//! lots get the free slots. So a pool needs tasks × births spare slots.

mod lot;

pub use lot::{Lot, Task};

use alloc::vec::Vec;
use core::fmt;
use core::iter::{Enumerate, FusedIterator, Zip};
use core::slice::{ChunksMut, IterMut};
use core::sync::atomic::AtomicU32;

use crate::handle::{Handle, HandleLayout};
use crate::pools::pool::Pool;
use crate::reports::errors::FullPool;
use crate::slots::reuse::{Lifo, ReuseOrder};
use crate::values::chunks::ChunkMut;

/// Bits of killed objects in one atomic.
const KILLED_BITS: usize = u32::BITS as usize;
/// Bits of dying objects in one word.
const DYING_BITS: usize = u64::BITS as usize;

/// The memory for updates of a pool in lots. Keep it from one frame to the next, so that later
/// updates reuse it and rarely allocate.
pub struct Lots<T, H: HandleLayout = Handle<T>> {
    chunk_slots: usize,
    births_each: usize,
    /// The slots set aside: `births_each` for each task, fewer for the last ones in a nearly full
    /// pool.
    slots: Vec<H::Index>,
    /// The values inserted in each task.
    births: Vec<Vec<T>>,
    /// One bit for each slot of a task, set if its object is to die. All tasks have equally many words.
    dying: Vec<u64>,
    /// A bit for each slot of the pool whose object was killed by handle.
    killed: Vec<AtomicU32>,
}

impl<T, H: HandleLayout> Lots<T, H> {
    /// Creates lots for tasks of `chunk_slots` slots each (0 counts as 1), with at most
    /// `births_each` insertions in each. Both determine which handles are issued, so they must be
    /// the same on all machines of a lockstep game.
    #[must_use]
    pub fn new(chunk_slots: usize, births_each: usize) -> Self {
        let chunk_slots = chunk_slots.max(1);
        Self {
            chunk_slots,
            births_each,
            slots: Vec::new(),
            births: Vec::new(),
            dying: Vec::new(),
            killed: Vec::new(),
        }
    }

    /// Where a task's lot begins among the slots that are set aside.
    fn first_of(&self, task: usize) -> usize {
        task.saturating_mul(self.births_each).min(self.slots.len())
    }

    /// The number of words of dying bits for each task, in a pool of this capacity.
    fn dying_words(&self, capacity: usize) -> usize {
        self.chunk_slots.min(capacity).div_ceil(DYING_BITS)
    }

    /// Forgets what was not settled, and makes room for the tasks of a pool of this capacity.
    fn begin(&mut self, capacity: usize) {
        let tasks = capacity.div_ceil(self.chunk_slots);
        self.slots.clear();
        self.births.resize_with(tasks, Vec::new);
        self.births.iter_mut().for_each(Vec::clear);
        self.dying.clear();
        self.dying.resize(tasks * self.dying_words(capacity), 0);
        self.killed.resize_with(capacity.div_ceil(KILLED_BITS), || AtomicU32::new(0));
        self.killed.iter_mut().for_each(|bits| *bits.get_mut() = 0);
    }

    /// Marks killed objects as dying, each in its own task.
    fn gather_killed(&mut self, dying_words: usize) {
        let Self { chunk_slots, dying, killed, .. } = self;
        for (word, bits) in killed.iter_mut().enumerate() {
            let mut left = core::mem::take(bits.get_mut());
            while left != 0 {
                let index = word * KILLED_BITS + left.trailing_zeros() as usize;
                left &= left - 1;
                let slot = index % *chunk_slots;
                let at = index / *chunk_slots * dying_words + slot / DYING_BITS;
                dying[at] |= 1 << (slot % DYING_BITS);
            }
        }
    }
}

impl<T, H: HandleLayout> fmt::Debug for Lots<T, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lots")
            .field("chunk_slots", &self.chunk_slots)
            .field("births_each", &self.births_each)
            .finish_non_exhaustive()
    }
}

/// An update of a pool in lots; returned by [`Pool::set_aside`]. If it is dropped without
/// [`settle`](Self::settle), or leaked, nothing is inserted or removed; changes to values stay.
#[must_use = "call `.settle()`, or nothing is inserted or removed"]
pub struct Update<'a, T, R: ReuseOrder = Lifo, H: HandleLayout = Handle<T>> {
    pool: &'a mut Pool<T, R, H>,
    lots: &'a mut Lots<T, H>,
}

impl<T, R: ReuseOrder, H: HandleLayout> Update<'_, T, R, H> {
    /// Returns the tasks that have values, in the order of their slots. Run each once, on any
    /// threads in any order.
    ///
    /// Changes to values take effect at once. If this is called again, the tasks continue with
    /// their lots.
    ///
    /// Workers of a job system can share the iterator behind a lock, and take the next task when
    /// they have finished one:
    ///
    /// ```
    /// use std::sync::Mutex;
    ///
    /// use millpond::Pool;
    /// use millpond::lots::Lots;
    ///
    /// let mut pool = Pool::new(1000);
    /// for value in 0..1000 {
    ///     pool.insert(value).unwrap();
    /// }
    /// let mut lots = Lots::new(64, 0);
    /// let mut update = pool.set_aside(&mut lots);
    /// let tasks = Mutex::new(update.tasks());
    /// std::thread::scope(|scope| {
    ///     for _worker in 0..2 {
    ///         scope.spawn(|| {
    ///             loop {
    ///                 let next = tasks.lock().unwrap().next();
    ///                 let Some(mut task) = next else { break };
    ///                 task.run(|value, _| *value += 1);
    ///             }
    ///         });
    ///     }
    /// });
    /// drop(tasks);
    /// update.settle();
    /// assert!(pool.values().copied().eq(1..=1000));
    /// ```
    pub fn tasks(&mut self) -> Tasks<'_, T, H> {
        let stats = self.pool.stats();
        let full = FullPool::of(self.pool.name(), &stats);
        let dying_words = self.lots.dying_words(stats.capacity);
        let Lots { chunk_slots, births_each, slots, births, dying, killed } = &mut *self.lots;
        let unused = self.pool.storage.words().unused_word();
        let (words, rest) = self.pool.storage.words_and_chunk_mut();
        Tasks {
            rest,
            chunk_slots: *chunk_slots,
            slots,
            births_each: *births_each,
            // Some words also if the pool has no slots.
            own: births.iter_mut().zip(dying.chunks_mut(dying_words.max(1))).enumerate(),
            killed,
            words,
            unused,
            full,
        }
    }

    /// Carries out the insertions, lot by lot, and then the removals, slot by slot. If the drop of
    /// a value panics, the removals after it do not happen.
    #[track_caller]
    pub fn settle(self) {
        let Self { pool, lots } = self;
        let dying_words = lots.dying_words(pool.capacity());
        lots.gather_killed(dying_words);
        let (each, set_aside) = (lots.births_each, lots.slots.len());
        let first_of = |task: usize| task.saturating_mul(each).min(set_aside);
        pool.begin_upcoming(&lots.slots, &mut lots.births, first_of);
        for (task, bits) in lots.dying.chunks_mut(dying_words.max(1)).enumerate() {
            for (word, bits) in bits.iter_mut().enumerate() {
                let first = task * lots.chunk_slots + word * DYING_BITS;
                let mut left = core::mem::take(bits);
                while left != 0 {
                    drop(pool.remove_at(first + left.trailing_zeros() as usize));
                    left &= left - 1;
                }
            }
        }
    }
}

/// An iterator over the tasks of an [`Update`]; returned by [`Update::tasks`].
pub struct Tasks<'a, T, H: HandleLayout = Handle<T>> {
    /// The slots of the remaining tasks.
    rest: ChunkMut<'a, T>,
    chunk_slots: usize,
    slots: &'a [H::Index],
    births_each: usize,
    /// What each task writes to.
    own: Enumerate<Zip<IterMut<'a, Vec<T>>, ChunksMut<'a, u64>>>,
    killed: &'a [AtomicU32],
    words: &'a [H::Word],
    unused: H::Word,
    full: FullPool,
}

impl<'a, T, H: HandleLayout> Iterator for Tasks<'a, T, H> {
    type Item = Task<'a, T, H>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (number, (births, dying)) = self.own.next()?;
            let chunk = self.rest.take_front(self.chunk_slots);
            if chunk.live() == 0 {
                continue;
            }
            let first = number.saturating_mul(self.births_each).min(self.slots.len());
            let left = &self.slots[first..];
            let lot = Lot {
                number,
                slots: &left[..self.births_each.min(left.len())],
                births,
                dying,
                first: chunk.first(),
                killed: self.killed,
                words: self.words,
                unused: self.unused,
                full: self.full,
                current: chunk.first(),
            };
            return Some(Task { lot, chunk });
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, self.own.size_hint().1)
    }
}

impl<T, H: HandleLayout> FusedIterator for Tasks<'_, T, H> {}

impl<T, H: HandleLayout> fmt::Debug for Tasks<'_, T, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tasks").field("chunk_slots", &self.chunk_slots).finish_non_exhaustive()
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> fmt::Debug for Update<'_, T, R, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Update").field("lots", &self.lots).finish_non_exhaustive()
    }
}

/// Insertions and removals on many threads; see [`lots`](crate::lots).
impl<T, R: ReuseOrder, H: HandleLayout> Pool<T, R, H> {
    /// Begins an update: sets aside a lot of the next handles for each task. The pool is unchanged,
    /// except for values, until the update [settles](Update::settle). O(capacity / 32 + tasks +
    /// handles), or O(capacity) with some reuse orders.
    pub fn set_aside<'a>(&'a mut self, lots: &'a mut Lots<T, H>) -> Update<'a, T, R, H> {
        lots.begin(self.capacity());
        let tasks = lots.births.len();
        let wanted = tasks.saturating_mul(lots.births_each).min(self.capacity());
        self.list_upcoming(wanted, &mut lots.slots);
        for task in 0..tasks {
            let births = lots.first_of(task + 1) - lots.first_of(task);
            lots.births[task].reserve(births);
        }
        Update { pool: self, lots }
    }

    /// Updates all values in chunks of slots on this thread, with insertions and removals: the
    /// result is the same as that of [`par_update`](Self::par_update) on any number of threads.
    ///
    /// ```
    /// use millpond::lots::Lots;
    /// use millpond::Pool;
    ///
    /// let mut pool = Pool::new(100);
    /// let first = pool.insert(1).unwrap();
    /// pool.update(&mut Lots::new(64, 4), |value, lot| {
    ///     let child = lot.insert(*value + 1).unwrap();
    ///     assert!(!lot.contains(child)); // valid only once the update has settled
    ///     lot.die();
    /// });
    /// assert!(!pool.contains(first));
    /// assert_eq!(pool.values().collect::<Vec<_>>(), [&2]);
    /// ```
    #[track_caller]
    pub fn update(&mut self, lots: &mut Lots<T, H>, mut f: impl FnMut(&mut T, &mut Lot<'_, T, H>)) {
        let mut update = self.set_aside(lots);
        for mut task in update.tasks() {
            task.run(&mut f);
        }
        update.settle();
    }
}
