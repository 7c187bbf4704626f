//! Snapshots: a pool's past, exactly.
//!
//! Rollback games save the whole world every frame, go back some frames when a late input arrives, and
//! play them again. A snapshot holds all that a pool's future depends on: the values, the generation
//! of every slot, which slots are live, which come next, and the statistics. After
//! `pool.restore(&snapshot)` the pool accepts the handles that it accepted when the snapshot was taken,
//! and with the same inputs it issues the same handles again.
//!
//! ```
//! use millpond::Pool;
//!
//! let mut bullets = Pool::new(1000);
//! let first = bullets.insert([0.0, 1.0]).unwrap();
//! let mut saved = bullets.snapshot(); // takes memory, once
//!
//! bullets.remove(first);
//! let second = bullets.insert([2.0, 3.0]).unwrap();
//!
//! bullets.restore(&saved).unwrap(); // takes none
//! assert_eq!(bullets[first], [0.0, 1.0]);
//! assert_eq!(bullets.get(second), None);
//!
//! bullets.remove(first);
//! assert_eq!(bullets.insert([2.0, 3.0]).unwrap(), second); // the same inputs, the same handle
//! bullets.save_into(&mut saved).unwrap(); // takes none
//! ```
//!
//! | to | use |
//! | --- | --- |
//! | save and go back | `snapshot` (of values that are only `Clone`: `snapshot_cloned`), `save_into`, `restore` of each pool, of a [`Spill`](crate::overflow::Spill) and of a `PolicyPool`; [`SnapshotOf`] |
//! | keep the last few frames, of one pool or of several with what belongs to them | [`History`], [`Saved`], [`Kept`] |
//! | find out whether two machines agree | `checksum` of each pool; [`Checksum`], [`ToChecksum`] |
//! | find out where they do not | [`SnapshotOf::diff`]; [`Difference`] |
//! | save to a file | the feature `serde`: pools and snapshots are `Serialize` and `Deserialize` |
//!
//! # What it costs
//!
//! Nothing while no snapshot is taken. Saving and restoring values that are `Copy` is one `memcpy` of the
//! values and of some bytes per slot beside them, up to the highest slot that was ever used; they never
//! take memory. Values that are only `Clone` are cloned one at a time, by `clone_from` where
//! both sides have one. (A [`BlockPool`](crate::BlockPool) takes or gives back blocks if the two sides do not
//! have the same ones; a [`SideTable`](crate::SideTable) that grows takes memory if it has fewer slots than the other
//! side uses.) Should a clone panic, the pool (or the snapshot) that was being written is left
//! empty and valid, and nothing is dropped twice; such a snapshot refuses to be restored. The generations of
//! such a pool may be those of the snapshot: handles of what was rolled back can come up again, as below.
//!
//! # What handles mean after a restore
//!
//! - A handle of an object that lived when the snapshot was taken is good again.
//! - A handle that was issued later is refused, until the pool issues the very same one again. With the
//!   same inputs it names the same object as before, and that is the point of it.
//! - With *other* inputs it may name another object: the one that was made as the so-many-th use of the same
//!   slot, this time. The pool cannot tell the two apart, since they never existed in one history. So handles
//!   that were issued in frames that are rolled back must not outlive them: keep handles inside of what is
//!   saved and restored with the pool (other pools' values, side tables), and let the rest of the program
//!   (sound, drawing, network) look its objects up again after a rollback, or remember the frame with
//!   the handle, and forget both if that frame is rolled back.
//!
//! # Saving to a file
//!
//! With the feature `serde` every pool and every snapshot of one is
//! `Serialize` and `Deserialize` (not `Spill` and `PolicyPool`, which are several). What is written
//! holds the generations of all slots and the reuse order beside the objects, so that what was stale stays
//! stale, and the next handles are the same. The form has a version number, and later versions of
//! this crate read it.
//!
//! - Of a `SyncPool`, its snapshot or its `frozen` view is written, since nobody may change it meanwhile. Either is read as
//!   a pool or as a snapshot.
//! - A pool that is read has no name (a name lives as long as the program, and text from a file does not), but
//!   its generations run as before. To have the name as well, read a snapshot, and let the pool that
//!   was built with the name restore it.
//! - Files may come from anywhere: what cannot be the state of a pool is refused with the reason, and
//!   the memory taken is in proportion to what was read: that of a pool with as many slots as
//!   the file lists generations. A [`BlockPool`](crate::BlockPool) has the blocks that it had; its growth
//!   hook is a part of the program, and stays behind like the name.
//! - To save the objects only, write `pool.iter()`, and load them into a fresh pool with
//!   `insert_at`, in any order. Handles inside of the objects stay valid. What is not known then
//!   are the generations of dead slots, so that handles which were stale may come up again: for a
//!   saved game without such handles that is enough.
//!
//! # What must match
//!
//! A snapshot is taken over by any pool of the same type, capacity, and generations (name, salt, limit of
//! lifetimes, wrapping): by the pool that it was taken from, by its twin on another machine, by a fresh pool
//! built the same way. Everything else is refused with a [`SnapshotError`], and nothing has happened. Two
//! pools without a name or a salt that have the same type and capacity count as twins: name them.

mod checksum;
mod diff;
mod error;
#[cfg(all(feature = "serde", feature = "alloc"))]
pub(crate) mod format;
#[cfg(feature = "alloc")]
mod history;
mod methods;
mod ranges;
mod saved;
pub(crate) mod state;

pub use checksum::{Checksum, ToChecksum};
pub use diff::{Diff, Difference};
pub use error::SnapshotError;
#[cfg(feature = "alloc")]
pub use history::{History, RollbackError};
pub use saved::{Kept, Saved};
pub use state::{SlotState, State};

pub(crate) use methods::snapshot_methods;

use core::fmt;

use state::EmptyUnlessDone;

/// A snapshot of a pool of any kind: made by its method `snapshot`, written again by `save_into`, and read
/// by `restore`.
///
/// It is a twin of the pool that cannot be changed: [`as_pool`](Self::as_pool) looks up objects of the
/// past by their handles.
pub struct SnapshotOf<P> {
    pool: P,
    /// How one becomes a copy of the other: with one copy, if it was known when the snapshot was made that the
    /// values are `Copy`.
    copy_state: fn(&mut P, &P),
    is_complete: bool,
}

impl<P: State> SnapshotOf<P> {
    /// A snapshot that copies the values.
    pub(crate) fn copied(pool: P) -> Self
    where
        P::Value: Copy,
    {
        Self { pool: pool.into_past(), copy_state: P::copy_state_from, is_complete: true }
    }

    /// A snapshot that clones them one at a time.
    pub(crate) fn cloned(pool: P) -> Self
    where
        P::Value: Clone,
    {
        Self { pool: pool.into_past(), copy_state: P::clone_state_from, is_complete: true }
    }

    /// The pool as it was, to look at.
    ///
    /// ```
    /// use millpond::Pool;
    ///
    /// let mut pool = Pool::new(8);
    /// let handle = pool.insert("as it was").unwrap();
    /// let snapshot = pool.snapshot();
    /// pool[handle] = "as it is";
    /// assert_eq!(snapshot.as_pool()[handle], "as it was");
    /// ```
    #[inline]
    #[must_use]
    pub fn as_pool(&self) -> &P {
        &self.pool
    }

    /// The sum of the state; see [`Pool::checksum`](crate::Pool::checksum).
    #[must_use]
    pub fn checksum(&self) -> u64
    where
        P: State<Value: ToChecksum>,
    {
        state::checksum_of_values(&self.pool)
    }

    /// The sum of the state; see [`Pool::checksum_with`](crate::Pool::checksum_with).
    #[must_use]
    pub fn checksum_with(&self, add_value: impl Fn(&P::Value, &mut Checksum)) -> u64 {
        self.pool.sum(&add_value)
    }

    pub(crate) fn save(&mut self, pool: &P) -> Result<(), SnapshotError> {
        self.pool.check_shape(pool)?;
        self.is_complete = false;
        copy_state(self.copy_state, &mut self.pool, pool);
        self.is_complete = true;
        Ok(())
    }

    pub(crate) fn restore_to(&self, pool: &mut P) -> Result<(), SnapshotError> {
        self.check_complete(pool)?;
        copy_state(self.copy_state, pool, &self.pool);
        Ok(())
    }

    /// Whether the pool can take over the snapshot.
    fn check_complete(&self, pool: &P) -> Result<(), SnapshotError> {
        self.pool.check_shape(pool)?;
        match self.is_complete {
            true => Ok(()),
            false => Err(SnapshotError::Incomplete),
        }
    }
}

/// If a clone or a drop panics, the pool that was being written is empty.
fn copy_state<P: State>(copy: fn(&mut P, &P), to: &mut P, from: &P) {
    let guard = EmptyUnlessDone(to);
    copy(guard.0, from);
    guard.done();
}

impl<P: Clone> Clone for SnapshotOf<P> {
    fn clone(&self) -> Self {
        let Self { pool, copy_state, is_complete } = self;
        Self { pool: pool.clone(), copy_state: *copy_state, is_complete: *is_complete }
    }
}

impl<P: fmt::Debug> fmt::Debug for SnapshotOf<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SnapshotOf").field(&self.pool).finish()
    }
}
