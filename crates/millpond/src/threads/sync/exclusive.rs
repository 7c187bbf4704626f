//! Access with `&mut self`: mutable access to values, without guards and without an atomic write per value.
//!
//! # Invariant
//!
//! [`gather`](SyncPool::gather) sets the bits of `live` for slots with a live value; for writing, only for those
//! without guards. The bits stay right while the pool is borrowed exclusively: such values get no guard, and no other
//! thread removes them (invariant 5 of [`slots`](super::slots)). So a mutable reference to such a value is the only
//! access to it.

use core::fmt;
use core::iter::FusedIterator;
use core::marker::PhantomData;

use super::batch::Batch;
use super::free::WORD_SLOTS;
use super::slots::SharedSlots;
use super::{Frozen, RunsMut, SyncPool, TakeError, close};
use crate::base::guard::continue_after_panic;
use crate::handle::{self, Handle};
use crate::occupancy::{Occupancy, Source};

/// Methods with `&mut self`, like those of a [`Pool`](crate::Pool).
///
/// A value with an owned guard is shared even then. Methods that lend all values mutably **skip**
/// it; [`guarded`](Self::guarded) returns the number of such values.
impl<T> SyncPool<T> {
    /// Returns a mutable reference to the handle's value. O(1), without an atomic write.
    ///
    /// ```
    /// use millpond::{SyncPool, TakeError};
    ///
    /// let mut pool = SyncPool::new(8);
    /// let handle = pool.insert(1).unwrap();
    /// *pool.get_mut(handle).unwrap() += 1;
    /// let guard = pool.get_owned(handle).unwrap();
    /// assert_eq!(pool.get_mut(handle), Err(TakeError::Busy));
    /// assert_eq!(*guard, 2);
    /// ```
    ///
    /// # Errors
    ///
    /// If the handle is refused, or the value has an owned guard.
    #[inline]
    pub fn get_mut(&mut self, handle: Handle<T>) -> Result<&mut T, TakeError> {
        let index = handle.index() as usize;
        // SAFETY: the pool's share keeps the slots.
        let words = unsafe { self.words.as_ref() };
        let index = close::find_for_writing(words, index, handle.generation())?;
        let value = self.first_value.as_ptr().wrapping_add(index);
        // SAFETY: there are as many values as words; this one is live and without guards, and the pool is borrowed
        // exclusively.
        Ok(unsafe { &mut *value })
    }

    /// Returns how many live objects have owned guards (or leaked ones). O(capacity).
    pub fn guarded(&mut self) -> usize {
        let slots = self.slots();
        let words = (0..slots.capacity()).filter_map(|index| slots.word(index));
        words.filter(|word| word.is_live() && word.guards() > 0).count()
    }

    /// Gathers the bits of live values; for writing, only of those without guards.
    pub(super) fn gather(&mut self, for_writing: bool) -> Gathered<'_, T> {
        // SAFETY: the pool's share keeps the slots. The reference does not borrow `self`, of which `live` is written.
        let slots = unsafe { self.slots.as_ref() };
        let mut count = 0;
        for (word, bits) in self.live.iter_mut().enumerate() {
            let first = word * WORD_SLOTS;
            *bits = 0;
            for index in first..(first + WORD_SLOTS).min(slots.capacity()) {
                let Some(word) = slots.word_for_writing(index) else { continue };
                let is_in = word.is_live() && (!for_writing || word.guards() == 0);
                *bits |= u64::from(is_in) << (index - first);
            }
            count += bits.count_ones() as usize;
        }
        let occupancy = Occupancy::new(Source::of_bits(&self.live), slots.capacity(), count);
        Gathered { slots, occupancy }
    }

    /// Iterates over the runs of live values in index order, as `(first index, mutable slice)`.
    /// Values with owned guards are skipped. Reads each slot's word once, O(capacity), and is then
    /// as fast as iterating over a slice.
    ///
    /// ```
    /// use millpond::SyncPool;
    ///
    /// let mut pool = SyncPool::new(8);
    /// let handles: Vec<_> = (0..5).map(|i| pool.insert(i).unwrap()).collect();
    /// pool.remove(handles[2]);
    /// let runs: Vec<_> = pool.runs_mut().collect();
    /// assert_eq!(runs, [(0, &mut [0, 1][..]), (3, &mut [3, 4])]);
    /// ```
    pub fn runs_mut(&mut self) -> RunsMut<'_, T> {
        self.slots_and_runs_mut().1
    }

    fn slots_and_runs_mut(&mut self) -> (&SharedSlots<T>, RunsMut<'_, T>) {
        let Gathered { slots, occupancy } = self.gather(true);
        let (first, runs) = (slots.first_value().as_ptr(), occupancy.runs());
        // SAFETY: the values of a run are live, and nothing else can access them while the pool is borrowed exclusively
        // (this file's invariant).
        (slots, unsafe { RunsMut::new(first, slots.capacity(), runs) })
    }

    /// Iterates mutably over the values in index order. Values with owned guards are skipped.
    /// O(capacity).
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.runs_mut().flat_map(|(_, run)| run)
    }

    /// Iterates over handles and mutable references to values in index order. Values with owned
    /// guards are skipped. O(capacity).
    ///
    /// ```
    /// use millpond::SyncPool;
    ///
    /// let mut pool = SyncPool::new(8);
    /// let handle = pool.insert(1).unwrap();
    /// pool.iter_mut().for_each(|(_, value)| *value *= 10);
    /// assert_eq!(*pool.get(handle).unwrap(), 10);
    /// ```
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (Handle<T>, &mut T)> {
        let (slots, runs) = self.slots_and_runs_mut();
        runs.flat_map(move |(first, run)| {
            run.iter_mut().zip(first..).map(move |(value, index)| {
                let generation = slots.word(index).map_or(1, |word| word.generation());
                (handle::kept(index, generation), value)
            })
        })
    }

    /// Returns a view for a phase in which nothing is inserted or removed. Many threads may share
    /// it, and a lookup is one load. O(capacity).
    ///
    /// ```
    /// use millpond::SyncPool;
    ///
    /// let mut pool = SyncPool::new(8);
    /// let handle = pool.insert(5).unwrap();
    /// let frozen = pool.frozen();
    /// std::thread::scope(|scope| {
    ///     for _ in 0..4 {
    ///         scope.spawn(move || assert_eq!(frozen.get(handle), Some(&5)));
    ///     }
    /// });
    /// ```
    pub fn frozen(&mut self) -> Frozen<'_, T> {
        let Gathered { slots, occupancy } = self.gather(false);
        Frozen::new(slots, occupancy)
    }

    /// Calls `keep` for each value in index order, and removes the values for which it returns
    /// `false`. Values with owned guards are skipped, and stay. If `keep` panics, the value of that
    /// call and all later ones stay.
    ///
    /// ```
    /// use millpond::SyncPool;
    ///
    /// let mut pool = SyncPool::new(8);
    /// for frames_left in [3, 1, 2] {
    ///     pool.insert(frames_left).unwrap();
    /// }
    /// pool.retain(|_, frames_left| {
    ///     *frames_left -= 1;
    ///     *frames_left > 0
    /// });
    /// assert_eq!(pool.values_mut().map(|left| *left).collect::<Vec<_>>(), [2, 1]);
    /// ```
    #[track_caller]
    pub fn retain(&mut self, mut keep: impl FnMut(Handle<T>, &mut T) -> bool) {
        // SAFETY: the pool's share keeps the slots. The reference does not borrow `self`, of which nothing else is used.
        let mut batch = Batch::new(unsafe { self.slots.as_ref() });
        for index in 0..self.capacity() {
            let Some(word) = self.slots().word_for_writing(index) else { continue };
            if word.is_live() && word.guards() == 0 {
                let handle = handle::kept(index, word.generation());
                let keeps = self.get_mut(handle).is_ok_and(|value| keep(handle, value));
                if !keeps {
                    self.note_removal(handle);
                    // SAFETY: the pool is borrowed exclusively.
                    unsafe { batch.remove_exclusively(index, word) };
                }
            }
        }
    }

    /// Moves all values out, in index order. A value with an owned guard is removed, but not
    /// returned: its last guard drops it. Dropping the iterator removes the values that it has not
    /// returned; leaking it leaves them in the pool.
    ///
    /// ```
    /// use millpond::SyncPool;
    ///
    /// let mut pool = SyncPool::new(8);
    /// let handle = pool.insert("a").unwrap();
    /// assert_eq!(pool.drain().collect::<Vec<_>>(), [(handle, "a")]);
    /// assert!(pool.is_empty());
    /// ```
    #[track_caller]
    pub fn drain(&mut self) -> Drain<'_, T> {
        self.note_removal_of_all();
        Drain { slots: self.slots(), next: 0, borrow: PhantomData }
    }

    /// Removes all values. If the drop of one panics, the others are still removed. Each home
    /// continues its search for free slots where it was.
    #[track_caller]
    pub fn clear(&mut self) {
        drop(self.drain());
    }

    /// Drops the removed values without guards in a pool built with
    /// [`drop_in_settle`](super::SyncPoolBuilder::drop_in_settle), and returns how many.
    /// O(capacity).
    ///
    /// ```
    /// use millpond::SyncPool;
    /// use std::sync::Arc;
    ///
    /// let mut voices = SyncPool::builder().capacity(8).drop_in_settle().build();
    /// let samples = Arc::new([0.0; 512]);
    /// let voice = voices.insert(Arc::clone(&samples)).unwrap();
    /// voices.remove(voice); // on the audio thread: nothing is freed there
    /// assert_eq!(Arc::strong_count(&samples), 2);
    /// assert_eq!(voices.settle(), 1); // on another
    /// assert_eq!(Arc::strong_count(&samples), 1);
    /// ```
    pub fn settle(&mut self) -> usize {
        self.slots().settle()
    }
}

#[cfg(feature = "recorder")]
impl<T> SyncPool<T> {
    /// Records every birth and death in the recorder's trace from now on, under the pool's name or
    /// else the name of its value type. Objects that are already live are recorded as if they were
    /// inserted now. A death is recorded when the value is dropped, which may be by its last guard.
    ///
    /// ```
    /// use millpond::SyncPool;
    /// use millpond::recorder::Recorder;
    ///
    /// let recorder = Recorder::to_writer(std::io::sink())?;
    /// let mut pool = SyncPool::new(8);
    /// pool.record(&recorder);
    /// let handle = pool.insert('a').unwrap();
    /// pool.remove(handle);
    /// assert_eq!(recorder.finish()?.events, 2);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn record(&mut self, recorder: &crate::reports::recorder::Recorder) {
        let name = self.name().unwrap_or(crate::reports::recorder::type_name::<T>());
        let Gathered { slots, occupancy } = self.gather(false);
        let track = recorder.track_pool(name, slots.stats(), occupancy.iter(), true);
        slots.recorder.set(Some(track));
    }

    /// Stops recording. In the trace, the lifetimes of the objects that are live now end here.
    pub fn stop_recording(&mut self) {
        self.slots().recorder.set(None);
    }
}

/// What [`SyncPool::gather`] finds.
pub(super) struct Gathered<'a, T> {
    pub(super) slots: &'a SharedSlots<T>,
    pub(super) occupancy: Occupancy<'a>,
}

/// An iterator that moves all values out of a [`SyncPool`]; returned by [`SyncPool::drain`].
pub struct Drain<'a, T> {
    slots: &'a SharedSlots<T>,
    next: usize,
    borrow: PhantomData<&'a mut T>,
}

impl<T> Iterator for Drain<'_, T> {
    type Item = (Handle<T>, T);

    fn next(&mut self) -> Option<Self::Item> {
        while let Some(handle) = self.slots.next_live(&mut self.next) {
            match self.slots.take(handle) {
                Ok(value) => return Some((handle, value)),
                Err(_) => _ = self.slots.remove(handle),
            }
        }
        None
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.slots.capacity() - self.next))
    }
}

impl<T> FusedIterator for Drain<'_, T> {}

impl<T> Drop for Drain<'_, T> {
    fn drop(&mut self) {
        continue_after_panic(self, |rest| {
            let mut batch = Batch::new(rest.slots);
            while let Some(word) = rest.slots.word_for_writing(rest.next) {
                let index = rest.next;
                rest.next += 1;
                if word.is_live() {
                    // SAFETY: the iterator borrows the pool exclusively.
                    unsafe { batch.remove_exclusively(index, word) };
                }
            }
        });
    }
}

impl<T> fmt::Debug for Drain<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Drain").field("next", &self.next).finish_non_exhaustive()
    }
}
