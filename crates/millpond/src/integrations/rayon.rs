//! `rayon`: runs and values on several threads.
//!
//! The runs of a pool are split between two words of 64 slots, repeatedly, as long as threads are
//! idle. Each half borrows its own part of the slots, so no two threads ever see the same object.

use ::rayon::iter::ParallelIterator;
use ::rayon::iter::plumbing::{Folder, UnindexedConsumer, UnindexedProducer, bridge_unindexed};

use crate::handle::{HandleLayout, handle_of_live};
use crate::pools::pool::{OneBlock, Pool, ValueRuns, ValueRunsMut};
use crate::pools::recycler::Recycler;
use crate::pools::slot_pool::{Growth, SlotPool};
use crate::slots::reuse::ReuseOrder;

/// Runs, and what splits the rest of them in two if it is long enough.
struct Parallel<I> {
    runs: I,
    split: fn(I) -> (I, Option<I>),
}

impl<I: Iterator<Item: Send> + Send> UnindexedProducer for Parallel<I> {
    type Item = I::Item;

    fn split(self) -> (Self, Option<Self>) {
        let Self { runs, split } = self;
        let (left, right) = split(runs);
        (Self { runs: left, split }, right.map(|runs| Self { runs, split }))
    }

    fn fold_with<F: Folder<Self::Item>>(self, folder: F) -> F {
        folder.consume_iter(self.runs)
    }
}

impl<I: Iterator<Item: Send> + Send> ParallelIterator for Parallel<I> {
    type Item = I::Item;

    fn drive_unindexed<C: UnindexedConsumer<Self::Item>>(self, consumer: C) -> C::Result {
        bridge_unindexed(self, consumer)
    }
}

#[cfg(all(feature = "sync", target_has_atomic = "64"))]
mod shared {
    use super::{Parallel, ParallelIterator};
    use crate::handle::Handle;
    use crate::threads::sync::{Frozen, SyncPool};
    use crate::values::{ValueRuns, ValueRunsMut};

    /// Requires the feature `rayon`. Values with owned guards are skipped.
    impl<T: Send> SyncPool<T> {
        /// Like [`runs_mut`](Self::runs_mut), on several threads: `(first index, slice)`. A long
        /// run is split into several pieces.
        ///
        /// ```
        /// use millpond::SyncPool;
        /// use rayon::prelude::*;
        ///
        /// let mut pool = SyncPool::new(1000);
        /// let handle = pool.insert(1.0).unwrap();
        /// pool.par_runs_mut().for_each(|(_, run)| run.iter_mut().for_each(|value| *value += 0.5));
        /// assert_eq!(*pool.get(handle).unwrap(), 1.5);
        /// ```
        pub fn par_runs_mut(&mut self) -> impl ParallelIterator<Item = (usize, &mut [T])> {
            Parallel { runs: self.runs_mut(), split: ValueRunsMut::split }
        }

        /// Iterates mutably over the values, on several threads, in no particular order.
        pub fn par_values_mut(&mut self) -> impl ParallelIterator<Item = &mut T> {
            self.par_runs_mut().flat_map_iter(|(_, run)| run)
        }
    }

    /// Requires the feature `rayon`.
    impl<'a, T: Sync> Frozen<'a, T> {
        /// Like [`runs`](Self::runs), on several threads: `(first index, slice)`. A long run is
        /// split into several pieces.
        ///
        /// ```
        /// use millpond::SyncPool;
        /// use rayon::prelude::*;
        ///
        /// let mut pool = SyncPool::new(1000);
        /// let handles: Vec<_> = (0..500).map(|value| pool.insert(value).unwrap()).collect();
        /// let frozen = pool.frozen();
        /// assert_eq!(frozen.par_runs().map(|(_, run)| run.len()).sum::<usize>(), 500);
        /// assert_eq!(frozen.par_values().copied().max(), Some(499));
        /// assert!(frozen.par_iter().all(|(handle, value)| frozen.get(handle) == Some(value)));
        /// ```
        pub fn par_runs(&self) -> impl ParallelIterator<Item = (usize, &'a [T])> + use<'a, T> {
            Parallel { runs: self.runs(), split: ValueRuns::split }
        }

        /// Iterates over the values, on several threads, in no particular order.
        pub fn par_values(&self) -> impl ParallelIterator<Item = &'a T> + use<'a, T> {
            self.par_runs().flat_map_iter(|(_, run)| run)
        }

        /// Iterates over handles and values, on several threads, in no particular order.
        pub fn par_iter(&self) -> impl ParallelIterator<Item = (Handle<T>, &'a T)> + use<'a, T> {
            let frozen = *self;
            self.par_runs().flat_map_iter(move |(first, run)| {
                run.iter()
                    .zip(first..)
                    .filter_map(move |(value, index)| Some((frozen.handle_at(index)?, value)))
            })
        }
    }
}

/// Requires the feature `rayon`.
/// Of a [`Pool`] and a [`VecPool`](crate::VecPool).
impl<T, R: ReuseOrder, H: HandleLayout, G: Growth<T, R, H::Erased, OneBlock<R, H>>>
    SlotPool<T, G, R, H, OneBlock<R, H>>
{
    /// Iterates over [`runs`](Self::runs) in parallel: `(first index, slice)`. A long run comes in several
    /// pieces.
    ///
    /// ```
    /// # use millpond::*;
    /// use rayon::prelude::*;
    ///
    /// let mut pool = Pool::new(1000);
    /// let handle = pool.insert(1).unwrap();
    /// assert_eq!(pool.par_runs().map(|(_, run)| run.len()).sum::<usize>(), 1);
    /// ```
    pub fn par_runs(&self) -> impl ParallelIterator<Item = (usize, &[T])>
    where
        T: Sync,
    {
        Parallel { runs: self.runs(), split: ValueRuns::split }
    }

    /// Iterates over [`runs_mut`](Self::runs_mut) in parallel: `(first index, slice)`. A long run comes in
    /// several pieces.
    ///
    /// ```
    /// # use millpond::*;
    /// use rayon::prelude::*;
    ///
    /// let mut pool = Pool::new(1000);
    /// let handle = pool.insert(1).unwrap();
    /// pool.par_runs_mut().for_each(|(_, run)| run.iter_mut().for_each(|value| *value += 1));
    /// assert_eq!(pool[handle], 2);
    /// ```
    pub fn par_runs_mut(&mut self) -> impl ParallelIterator<Item = (usize, &mut [T])>
    where
        T: Send,
    {
        Parallel { runs: self.runs_mut(), split: ValueRunsMut::split }
    }

    /// Iterates over the values, on several threads, in no particular order.
    ///
    /// ```
    /// # use millpond::*;
    /// use rayon::prelude::*;
    ///
    /// let mut pool = Pool::new(1000);
    /// pool.insert(1).unwrap();
    /// pool.insert(5).unwrap();
    /// assert_eq!(pool.par_values().copied().max(), Some(5));
    /// ```
    pub fn par_values(&self) -> impl ParallelIterator<Item = &T>
    where
        T: Sync,
    {
        self.par_runs().flat_map_iter(|(_, run)| run)
    }

    /// Iterates mutably over the values, on several threads, in no particular order.
    ///
    /// ```
    /// # use millpond::*;
    /// use rayon::prelude::*;
    ///
    /// let mut pool = Pool::new(1000);
    /// let handle = pool.insert(1).unwrap();
    /// pool.par_values_mut().for_each(|value| *value *= 10);
    /// assert_eq!(pool[handle], 10);
    /// ```
    pub fn par_values_mut(&mut self) -> impl ParallelIterator<Item = &mut T>
    where
        T: Send,
    {
        self.par_runs_mut().flat_map_iter(|(_, run)| run)
    }

    /// Iterates over handles and values, on several threads, in no particular order.
    pub fn par_iter(&self) -> impl ParallelIterator<Item = (H, &T)>
    where
        T: Sync,
    {
        let words = self.storage.words().as_slice();
        self.par_runs().flat_map_iter(move |(first, run)| {
            run.iter().zip(first..).map(|(value, index)| (handle_of_live(index, words), value))
        })
    }

    /// Iterates over handles and mutable references to values, on several threads, in no particular
    /// order.
    ///
    /// ```
    /// # use millpond::*;
    /// use rayon::prelude::*;
    ///
    /// let mut pool = Pool::new(1000);
    /// let handle = pool.insert(1).unwrap();
    /// pool.par_iter_mut().for_each(|(handle, value)| *value += handle.index() as i32 + 7);
    /// assert_eq!(pool[handle], 8);
    /// assert_eq!(pool.par_iter().collect::<Vec<_>>(), [(handle, &8)]);
    /// ```
    pub fn par_iter_mut(&mut self) -> impl ParallelIterator<Item = (H, &mut T)>
    where
        T: Send,
    {
        let (words, runs) = self.storage.words_and_runs_mut();
        Parallel { runs, split: ValueRunsMut::split }.flat_map_iter(move |(first, run)| {
            run.iter_mut().zip(first..).map(|(value, index)| (handle_of_live(index, words), value))
        })
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> Pool<T, R, H> {
    /// Updates all values in chunks of slots on several threads, with insertions and removals.
    /// Handles, order and checksum are the same for any number of threads. See
    /// [`lots`](crate::lots); to allocate only once, keep the [`Lots`](crate::lots::Lots) and call
    /// [`par_update_in`](Self::par_update_in).
    ///
    /// ```
    /// use millpond::Pool;
    ///
    /// let mut bullets = Pool::new(10_000);
    /// for fuse in 0..1000 {
    ///     bullets.insert(fuse % 10).unwrap();
    /// }
    /// bullets.par_update(256, 64, |fuse, lot| {
    ///     if *fuse == 0 {
    ///         lot.insert(3).ok(); // a fragment, if there is room for it
    ///         lot.die();
    ///     } else {
    ///         *fuse -= 1;
    ///     }
    /// });
    /// assert_eq!(bullets.len(), 1000);
    /// ```
    pub fn par_update(
        &mut self,
        chunk_slots: usize,
        births_each: usize,
        f: impl Fn(&mut T, &mut crate::threads::lots::Lot<'_, T, H>) + Sync,
    ) where
        T: Send,
    {
        self.par_update_in(&mut crate::threads::lots::Lots::new(chunk_slots, births_each), f);
    }

    /// Like [`par_update`](Self::par_update), with `lots` that are kept from one update to the
    /// next.
    pub fn par_update_in(
        &mut self,
        lots: &mut crate::threads::lots::Lots<T, H>,
        f: impl Fn(&mut T, &mut crate::threads::lots::Lot<'_, T, H>) + Sync,
    ) where
        T: Send,
    {
        use ::rayon::iter::IntoParallelIterator;

        let mut update = self.set_aside(lots);
        let tasks: alloc::vec::Vec<_> = update.tasks().collect();
        tasks.into_par_iter().for_each(|mut task| task.run(&f));
        update.settle();
    }
}

/// Requires the feature `rayon`.
/// Requires the feature `rayon`.
impl<T, R: ReuseOrder, H: HandleLayout> Recycler<T, R, H> {
    /// Iterates over [`runs`](Self::runs) in parallel: `(first index, slice)`. A long run comes in several
    /// pieces.
    ///
    /// ```
    /// # use millpond::*;
    /// use rayon::prelude::*;
    ///
    /// let mut pool = Recycler::<u32>::new(1000);
    /// let (handle, object) = pool.acquire().unwrap();
    /// *object = 1;
    /// assert_eq!(pool.par_runs().map(|(_, run)| run.len()).sum::<usize>(), 1);
    /// ```
    pub fn par_runs(&self) -> impl ParallelIterator<Item = (usize, &[T])>
    where
        T: Sync,
    {
        Parallel { runs: self.runs(), split: ValueRuns::split }
    }

    /// Iterates over [`runs_mut`](Self::runs_mut) in parallel: `(first index, slice)`. A long run comes in
    /// several pieces.
    ///
    /// ```
    /// # use millpond::*;
    /// use rayon::prelude::*;
    ///
    /// let mut pool = Recycler::<u32>::new(1000);
    /// let (handle, object) = pool.acquire().unwrap();
    /// *object = 1;
    /// pool.par_runs_mut().for_each(|(_, run)| run.iter_mut().for_each(|value| *value += 1));
    /// assert_eq!(pool[handle], 2);
    /// ```
    pub fn par_runs_mut(&mut self) -> impl ParallelIterator<Item = (usize, &mut [T])>
    where
        T: Send,
    {
        Parallel { runs: self.runs_mut(), split: ValueRunsMut::split }
    }
}
