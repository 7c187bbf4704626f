//! The last few frames.

use alloc::vec::Vec;
use core::fmt;

use super::{Saved, SnapshotError};
use crate::base::memory;

/// A ring of snapshots of the last few frames. Its snapshots are allocated at creation.
///
/// Needs the feature `history`.
///
/// ```
/// use millpond::Pool;
/// use millpond::snapshot::History;
///
/// let mut ships = Pool::new(100);
/// let mut history = History::new(8, &ships.snapshot());
///
/// for frame in 0..20 {
///     history.save(frame, &ships).unwrap(); // before the frame's inputs are applied
///     ships.insert(frame).unwrap();
/// }
/// // An input for frame 15 arrives: back to before it, and play from there.
/// history.rollback_to(15, &mut ships).unwrap();
/// assert_eq!(ships.len(), 15);
/// for frame in 15..20 {
///     history.save(frame, &ships).unwrap();
///     ships.insert(frame).unwrap();
/// }
/// assert!(history.rollback_to(3, &mut ships).is_err()); // too long ago
/// ```
///
/// A game has several pools and tables, and other state such as a random seed. A tuple of snapshots
/// is a snapshot, too, and [`Kept`](super::Kept) is a snapshot of any value. If they are fields of a
/// struct, declare it by [`saved_struct!`](crate::saved_struct).
///
/// ```
/// use millpond::snapshot::{History, Kept};
/// use millpond::{Pool, SideTable};
///
/// let mut ships = Pool::new(100);
/// let mut names = SideTable::with_capacity(100);
/// let mut random = 1_u64;
/// let like = (ships.snapshot(), names.snapshot(), Kept(random));
/// let mut history = History::new(8, &like);
///
/// history.save(0, (&ships, &names, &random)).unwrap();
/// let tug = ships.insert([0.0, 1.0]).unwrap();
/// names.insert(tug, "tug").unwrap();
/// random = 2;
/// history.rollback_to(0, (&mut ships, &mut names, &mut random)).unwrap();
/// assert!(ships.is_empty() && names.is_empty() && random == 1);
/// ```
///
/// Frames are saved in ascending order, but not every frame has to be. Saving a frame that is not
/// later than the last one forgets the saved frames from that frame on, because they belong to
/// another timeline.
pub struct History<S> {
    snapshots: Vec<S>,
    /// The frame of each snapshot.
    frames: Vec<u64>,
    /// The place of the oldest saved frame, and the number of saved frames.
    oldest: usize,
    saved: usize,
}

impl<S: Saved> History<S> {
    /// Creates a ring with room for `frames` snapshots of the shape of `like`; no frame is saved
    /// yet. Allocates as much memory as that many pools.
    ///
    /// `frames` should be one more than the number of frames to roll back, for the state before the
    /// oldest of them.
    ///
    /// # Panics
    ///
    /// If there is not enough memory.
    #[must_use]
    #[track_caller]
    pub fn new(frames: usize, like: &S) -> Self {
        let reserved = memory::reserved(frames)
            .and_then(|snapshots| Ok((snapshots, memory::reserved(frames)?)));
        let Ok((mut snapshots, mut numbers)) = reserved else {
            panic!("no memory for a history of {frames} frames");
        };
        snapshots.extend((0..frames).map(|_| like.clone()));
        numbers.resize(frames, 0);
        Self { snapshots, frames: numbers, oldest: 0, saved: 0 }
    }

    /// Returns how many frames fit.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.snapshots.len()
    }

    /// Iterates over the saved frames, the oldest first.
    ///
    /// ```
    /// use millpond::HandleAllocator;
    /// use millpond::snapshot::History;
    ///
    /// let slots = HandleAllocator::new(8);
    /// let mut history = History::new(2, &slots.snapshot());
    /// for frame in [1, 5, 9] {
    ///     history.save(frame, &slots).unwrap();
    /// }
    /// assert_eq!(history.frames().collect::<Vec<_>>(), [5, 9]);
    /// ```
    pub fn frames(&self) -> impl ExactSizeIterator<Item = u64> + DoubleEndedIterator + '_ {
        (0..self.saved).map(|age| self.frames[self.place(age)])
    }

    /// Returns the snapshot of `frame`, or `None` if it is not saved.
    #[must_use]
    pub fn get(&self, frame: u64) -> Option<&S> {
        let age = self.age_of(frame)?;
        Some(&self.snapshots[self.place(age)])
    }

    /// Saves `state` as that of `frame`. If the ring is full, the oldest frame is forgotten. Does
    /// not allocate, except as [described](crate::snapshot#what-it-costs).
    ///
    /// # Errors
    ///
    /// If a pool does not match the snapshots. Nothing is saved then.
    ///
    /// # Panics
    ///
    /// If a value's clone or drop panics, or a pool that grows finds no memory. This frame and
    /// those that it would have replaced are then not saved.
    pub fn save(&mut self, frame: u64, state: S::State<'_>) -> Result<(), SnapshotError> {
        if let Some(like) = self.snapshots.first() {
            like.check_save(state)?;
        }
        let before = self.frames().take_while(|&saved| saved < frame).count();
        self.saved = before;
        if self.capacity() == 0 {
            return Ok(());
        }
        if self.saved == self.capacity() {
            self.oldest = self.place(1);
            self.saved -= 1;
        }
        let place = self.place(self.saved);
        self.snapshots[place].save(state)?;
        self.frames[place] = frame;
        self.saved += 1;
        Ok(())
    }

    /// Restores `state` to what it was when `frame` was saved. Later frames stay saved until the
    /// next [`save`](Self::save). Does not allocate, except as
    /// [described](crate::snapshot#what-it-costs).
    ///
    /// # Errors
    ///
    /// If `frame` is not saved, or a pool does not match the snapshots. The state is then
    /// unchanged.
    ///
    /// # Panics
    ///
    /// If a value's clone or drop panics, or a pool that grows finds no memory. The parts before
    /// the one that panicked are then restored, those after it are unchanged, and a pool that
    /// panicked is empty; the frame is still saved, so you can roll back again.
    pub fn rollback_to(&self, frame: u64, mut state: S::StateMut<'_>) -> Result<(), RollbackError> {
        match self.get(frame) {
            Some(snapshot) => {
                snapshot.check_restore(&mut state).map_err(RollbackError::Snapshot)?;
                snapshot.restore(state).map_err(RollbackError::Snapshot)
            }
            None => {
                let saved = self.frames().next().zip(self.frames().next_back());
                Err(RollbackError::NotSaved { frame, saved })
            }
        }
    }

    /// Forgets all frames.
    pub fn clear(&mut self) {
        self.saved = 0;
    }

    fn age_of(&self, frame: u64) -> Option<usize> {
        self.frames().position(|saved| saved == frame)
    }

    /// The place of the frame before which `age` frames are saved.
    fn place(&self, age: usize) -> usize {
        let place = self.oldest + age;
        if place < self.capacity() { place } else { place - self.capacity() }
    }
}

impl<S: Saved> fmt::Debug for History<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.frames()).finish()
    }
}

/// Why a [`History`] could not roll back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RollbackError {
    /// The frame is too old, was never saved, or was forgotten because an earlier one was saved
    /// after it.
    NotSaved {
        /// The requested frame.
        frame: u64,
        /// The oldest and the newest saved frame, if any.
        saved: Option<(u64, u64)>,
    },
    /// A pool does not match the snapshot.
    Snapshot(SnapshotError),
}

impl fmt::Display for RollbackError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RollbackError::NotSaved { frame, saved: None } => {
                write!(f, "frame {frame} is not saved: none is")
            }
            RollbackError::NotSaved { frame, saved: Some((oldest, newest)) } => {
                write!(f, "frame {frame} is not saved: the oldest is {oldest}, the newest {newest}")
            }
            RollbackError::Snapshot(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for RollbackError {}
