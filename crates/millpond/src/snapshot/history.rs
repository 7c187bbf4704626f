//! The last few frames.

use alloc::vec::Vec;
use core::fmt;

use super::{Saved, SnapshotError};
use crate::base::memory;

/// The snapshots of the last few frames: a ring of a fixed number, all of its memory taken at the
/// beginning.
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
/// A game has several pools and tables, and a random number beside them: a tuple of snapshots is a snapshot, too, and
/// [`Kept`](super::Kept) is one of any value.
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
/// Frames are saved in ascending order; not every one has to be. Saving a frame that is not later than
/// the last one forgets that one and all from the saved one on, for they are the future of another past.
pub struct History<S> {
    snapshots: Vec<S>,
    /// The frame of each snapshot.
    frames: Vec<u64>,
    /// Where the oldest saved frame is, and how many are saved.
    oldest: usize,
    saved: usize,
}

impl<S: Saved> History<S> {
    /// A ring of this many snapshots, all like this one, and no frame saved. Allocates as much
    /// memory as that many pools.
    ///
    /// How many? One more than the frames that can be rolled back, for the state before the oldest of them.
    ///
    /// # Panics
    ///
    /// If there is no memory for it.
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

    /// How many frames fit.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.snapshots.len()
    }

    /// The saved frames, the oldest first.
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

    /// The snapshot of a frame, if it is saved.
    #[must_use]
    pub fn get(&self, frame: u64) -> Option<&S> {
        let age = self.age_of(frame)?;
        Some(&self.snapshots[self.place(age)])
    }

    /// Saves the state as it is now as that of this frame; the oldest frame goes if the ring is full.
    /// Takes no memory.
    ///
    /// # Errors
    ///
    /// If a pool is not one that the snapshots can be of. Nothing has happened.
    ///
    /// # Panics
    ///
    /// If a value's clone or drop does. This frame is not saved then, nor are those that it would have replaced.
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

    /// Makes the state what it was when this frame was saved. Later frames stay saved until the next
    /// [`save`](Self::save). Takes no memory.
    ///
    /// # Errors
    ///
    /// If the frame is not saved, or a pool is not one that the snapshots can be of. Nothing has happened.
    ///
    /// # Panics
    ///
    /// If a value's clone or drop does. What comes before it in the tuple has gone back then, and what comes after it has
    /// not; the frame is still saved, so that the state can go back once more.
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

    /// Where the frame is before which so many are saved.
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

/// Why a history could not roll back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RollbackError {
    /// The frame is too long ago, was never saved, or was forgotten because an earlier one was saved after
    /// it.
    NotSaved {
        /// The frame that was asked for.
        frame: u64,
        /// The oldest and the newest frame that are saved.
        saved: Option<(u64, u64)>,
    },
    /// The pool does not take over the snapshot.
    Snapshot(SnapshotError),
}

impl fmt::Display for RollbackError {
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
