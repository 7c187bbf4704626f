//! Lots: births and deaths on many threads inside a [`Pool`], with the same handles, order and checksum on any number of
//! threads.
//!
//! In a lockstep or rollback game, the handle of a new object must not depend on which thread came first. So each task
//! gets a *lot* of handles before the work begins, and whatever thread runs the task, what is born in it gets handles of
//! its lot. Tasks are chunks of slots, so they do not depend on the threads either.
//!
//! ```text
//! set_aside   the next tasks × each handles of the reuse order:  lot 0 │ lot 1 │ lot 2 │ …
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
//! A lot is full when its handles are used up; in a nearly full pool the first lots get what is left. So a pool needs
//! spare slots: tasks × births each.

mod lot;

pub use lot::{Lot, Task};

use alloc::vec::Vec;
use core::fmt;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;

use crate::handle::{Handle, HandleLayout};
use crate::pools::pool::Pool;
use crate::reports::errors::FullPool;
use crate::slots::reuse::{Lifo, ReuseOrder};

/// Bits of deaths in one atomic.
const DEATHS_BITS: usize = u32::BITS as usize;

/// What an update of a pool in lots needs beside the pool: kept from one frame to the next, it takes memory only the first
/// time, but for a list of the pool's runs.
pub struct Lots<T, H = Handle<T>> {
    chunk_slots: usize,
    births_each: usize,
    /// Set aside: `births_each` for each task, fewer for the last ones in a nearly full pool.
    handles: Vec<H>,
    /// What was born in each task.
    births: Vec<Vec<T>>,
    /// A bit for each slot whose object is to die.
    deaths: Vec<AtomicU32>,
}

impl<T, H: HandleLayout> Lots<T, H> {
    /// Tasks of `chunk_slots` slots each (0 counts as 1), with `births_each` births in each at most. Both decide which
    /// handles are issued, so all machines of a lockstep game have the same.
    #[must_use]
    pub fn new(chunk_slots: usize, births_each: usize) -> Self {
        let chunk_slots = chunk_slots.max(1);
        Self {
            chunk_slots,
            births_each,
            handles: Vec::new(),
            births: Vec::new(),
            deaths: Vec::new(),
        }
    }

    fn lot(&self, task: usize) -> core::ops::Range<usize> {
        let first = task.saturating_mul(self.births_each).min(self.handles.len());
        first..first.saturating_add(self.births_each).min(self.handles.len())
    }

    /// Forgets what was not settled, and makes room for the tasks of a pool of this capacity.
    fn begin(&mut self, capacity: usize) -> usize {
        let tasks = capacity.div_ceil(self.chunk_slots);
        self.handles.clear();
        self.births.resize_with(tasks, Vec::new);
        self.births.iter_mut().for_each(Vec::clear);
        self.deaths.resize_with(capacity.div_ceil(DEATHS_BITS), || AtomicU32::new(0));
        self.deaths.iter_mut().for_each(|bits| *bits.get_mut() = 0);
        tasks
    }
}

impl<T, H> fmt::Debug for Lots<T, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lots")
            .field("chunk_slots", &self.chunk_slots)
            .field("births_each", &self.births_each)
            .finish_non_exhaustive()
    }
}

/// An update of a pool in lots that has begun; made by [`Pool::set_aside`]. If it is dropped without
/// [`settle`](Self::settle), or leaked, nobody was born and nobody has died; changes of values stay.
#[must_use = "call `.settle()`, or nobody is born and nobody dies"]
pub struct Update<'a, T, R: ReuseOrder = Lifo, H: HandleLayout = Handle<T>> {
    pool: &'a mut Pool<T, R, H>,
    lots: &'a mut Lots<T, H>,
    tasks: usize,
}

impl<T, R: ReuseOrder, H: HandleLayout> Update<'_, T, R, H> {
    /// The tasks that have something to do, in the order of their slots: to be run once each, on any threads in any order.
    ///
    /// Values that a task has changed stay changed. If this is called again, the tasks go on with their lots.
    pub fn tasks(&mut self) -> Vec<Task<'_, T, H>> {
        let stats = self.pool.stats();
        let full = FullPool {
            name: self.pool.name(),
            capacity: stats.capacity,
            peak: stats.peak,
            retired: stats.retired,
            out_of_memory: false,
        };
        let lots = &mut *self.lots;
        let ranges: Vec<_> = (0..self.tasks).map(|task| lots.lot(task)).collect();
        let Lots { chunk_slots, handles, births, deaths, .. } = lots;
        let (words, runs) = self.pool.storage_mut().words_and_runs_mut();
        let mut tasks: Vec<Task<'_, T, H>> = Vec::new();
        let mut births = births.iter_mut().enumerate();
        for (mut first, mut run) in runs {
            while !run.is_empty() {
                let number = first / *chunk_slots;
                let in_chunk = ((number + 1) * *chunk_slots - first).min(run.len());
                let (piece, rest) = run.split_at_mut(in_chunk);
                if tasks.last().is_none_or(|task| task.number() != number) {
                    // Chunks come in ascending order; those without a live slot have no task.
                    let Some((_, births)) = births.find(|(at, _)| *at == number) else { break };
                    let lot = Lot::new(
                        number,
                        &handles[ranges[number].clone()],
                        births,
                        deaths,
                        words,
                        full,
                    );
                    tasks.push(Task::new(lot));
                }
                if let Some(task) = tasks.last_mut() {
                    task.push(first, piece);
                }
                (first, run) = (first + in_chunk, rest);
            }
        }
        tasks
    }

    /// Begins the births, lot by lot, and then ends the deaths, slot by slot. If the destructor of a value panics, the
    /// deaths after it do not happen.
    pub fn settle(self) {
        let Self { pool, lots, tasks } = self;
        for task in 0..tasks {
            let range = lots.lot(task);
            for (handle, value) in lots.handles[range].iter().zip(lots.births[task].drain(..)) {
                pool.begin_set_aside(*handle, value);
            }
        }
        for (word, bits) in lots.deaths.iter_mut().enumerate() {
            let mut left = core::mem::take(bits.get_mut());
            while left != 0 {
                drop(pool.remove_at(word * DEATHS_BITS + left.trailing_zeros() as usize));
                left &= left - 1;
            }
        }
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> fmt::Debug for Update<'_, T, R, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Update").field("tasks", &self.tasks).finish_non_exhaustive()
    }
}

/// Births and deaths on many threads: see [`lots`](crate::lots).
impl<T, R: ReuseOrder, H: HandleLayout> Pool<T, R, H> {
    /// Sets the handles that come next aside for the tasks of an update: a lot for each. The pool is as it was until the
    /// update [settles](Update::settle). O(handles), and O(capacity) with some reuse orders.
    pub fn set_aside<'a>(&'a mut self, lots: &'a mut Lots<T, H>) -> Update<'a, T, R, H> {
        let tasks = lots.begin(self.capacity());
        let wanted = tasks.saturating_mul(lots.births_each).min(self.capacity());
        lots.handles.extend(self.upcoming().take(wanted));
        for task in 0..tasks {
            let births = lots.lot(task).len();
            lots.births[task].reserve(births);
        }
        Update { pool: self, lots, tasks }
    }

    /// Changes all values in chunks of slots, with births and deaths, on this thread: the same as
    /// [`par_update`](Self::par_update) on any number of threads.
    ///
    /// ```
    /// use millpond::lots::Lots;
    /// use millpond::Pool;
    ///
    /// let mut pool = Pool::new(100);
    /// let first = pool.insert(1).unwrap();
    /// pool.update(&mut Lots::new(64, 4), |value, lot| {
    ///     let child = lot.insert(*value + 1).unwrap();
    ///     assert!(!lot.contains(child)); // from the settling on
    ///     lot.die();
    /// });
    /// assert!(!pool.contains(first));
    /// assert_eq!(pool.values().collect::<Vec<_>>(), [&2]);
    /// ```
    pub fn update(&mut self, lots: &mut Lots<T, H>, mut f: impl FnMut(&mut T, &mut Lot<'_, T, H>)) {
        let mut update = self.set_aside(lots);
        for mut task in update.tasks() {
            task.run(&mut f);
        }
        update.settle();
    }
}

/// A death that was asked for, whoever asks first: bits are set on any thread, and read when all are done.
fn mark_dead(deaths: &[AtomicU32], index: usize) {
    if let Some(bits) = deaths.get(index / DEATHS_BITS) {
        bits.fetch_or(1 << (index % DEATHS_BITS), Relaxed);
    }
}
