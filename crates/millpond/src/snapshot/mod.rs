//! Snapshots: save and restore a pool's exact state.
//!
//! Rollback games save the whole world every frame, go back a few frames when a late input arrives,
//! and simulate them again. A snapshot holds all that a pool's future depends on: the values, the
//! generation of every slot, which slots are live, which come next, and the statistics. After
//! `pool.restore(&snapshot)` the pool accepts the handles that it accepted when the snapshot was
//! taken, and with the same inputs it issues the same handles again.
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
//! | save and restore | `snapshot` (`snapshot_cloned` for values that are only `Clone`), `save_into`, `restore` of each pool [that can be saved](State), and of a `SyncPool` (whose `snapshot` clones); [`SnapshotOf`] |
//! | keep the last few frames of one pool, or of several and other state | [`History`], [`saved_struct!`](crate::saved_struct), [`Kept`], [`Saved`] |
//! | check that two machines agree | `checksum` of each pool [that can be saved](State), and of a `SyncPool`; [`Checksum`], [`ToChecksum`] |
//! | find where they differ | [`SnapshotOf::diff`]; [`Difference`] |
//! | save to a file | the feature `serde`: pools with handles, and their snapshots, are `Serialize` and `Deserialize`; [which](#saving-to-a-file) |
//! | go on with an old file in a larger or otherwise changed pool | [`migrate_from`](crate::Pool::migrate_from); [what is possible](#saved-games-that-outlive-a-change) |
//!
//! # What it costs
//!
//! Nothing while no snapshot is taken. Saving and restoring values that are `Copy` is a `memcpy`
//! of the values and some bytes per slot, up to the highest slot ever used (of a
//! [`Recycler`](crate::Recycler), of all objects); neither allocates.
//! Values that are only `Clone` are cloned one at a time, with `clone_from` where both sides have
//! one; these clones may allocate. (A [`VecPool`](crate::VecPool)
//! becomes as large as the other side, which allocates if the two differ; a [`SideTable`](crate::SideTable) that grows allocates if it
//! has fewer slots than the other side uses.) If a clone panics, the pool or snapshot being written
//! is left empty and valid, and nothing is dropped twice; such a snapshot cannot be restored. The
//! generations of such a pool may be those of the snapshot: handles issued since can then be issued
//! again, as described below.
//!
//! # What handles mean after a restore
//!
//! - A handle of an object that was live when the snapshot was taken is valid again.
//! - A handle that was issued later is refused, until the pool issues the very same one again. With
//!   the same inputs, it names the same object as before, as intended.
//! - With *other* inputs, it may name another object: the one that has the same lifetime of the
//!   same slot this time. The pool cannot distinguish the two, because they never existed in one
//!   history. So handles issued in frames that are rolled back must not outlive these frames: keep
//!   handles inside what is saved and restored with the pool (other pools' values, side tables).
//!   The rest of the program (sound, drawing, network) should look up its objects again after a
//!   rollback, or store the frame with the handle and discard both if that frame is rolled back.
//!
//! # Saving to a file
//!
//! With the feature `serde`, [`Pool`](crate::Pool), [`PackedPool`](crate::PackedPool), [`VecPool`](crate::VecPool),
//! [`PackedVecPool`](crate::PackedVecPool), [`StaticPool`](crate::StaticPool), [`Recycler`](crate::Recycler),
//! [`HandleAllocator`](crate::HandleAllocator), [`SideTable`](crate::SideTable) and their snapshots are `Serialize` and
//! `Deserialize`, as are the two pools of the crate
//! [`millpond-overflow`](https://docs.rs/millpond-overflow/latest/millpond_overflow/), `Spill` and `PolicyPool`, and
//! its list of ages beside a pool, `EvictOldest`. The saved form holds the objects, the generations of all slots and
//! the reuse order, so that stale handles stay stale, and the next handles are the same. It has a version number, and
//! later versions of this crate can read it.
//!
//! **Slots that were never used** are not in the file of a `Pool` or a `HandleAllocator`, however large its capacity is: a file
//! costs what was used, and the pool that is read has the same capacity, whose memory is
//! [untouched](crate::PoolBuilder::untouched) beyond. (With
//! the reuse orders [`Fifo`](crate::reuse::Fifo) and [`Roster`](crate::reuse::Roster), or values that are aligned to more
//! than 64 bytes, memory is needed for each slot at once, and the file has a number for each, as it has of all other kinds of pools.) Lists and tables beside such a pool
//! take memory for its capacity when they are first used.
//!
//! - To write a `SyncPool`, write its snapshot or its `frozen` view, because the pool must not
//!   change meanwhile. Either can be read as a pool or as a snapshot.
//! - A deserialised pool has no name (names are `'static`, and text from a file is not), but its
//!   generations continue as before. To keep the name, build a pool with it, and let that pool [take
//!   over](#saved-games-that-outlive-a-change) the one that was read; or read a snapshot, and restore it.
//! - Files may come from untrusted sources: data that cannot be the state of a pool is refused with
//!   the reason, and the memory that a reader touches is in proportion to the input: that of a pool with as
//!   many slots as the file lists generations (and with `LowestFirst` a bit for 64 of the others). The slots that a file leaves out take addresses, at most 2 GiB for a pool with
//!   the others (64 MiB on 32 bits and where there is neither Unix nor Windows: there addresses may be memory). A larger pool
//!   is refused. To set a limit of your own, read an [`UpTo`]. To read a larger one all the same, or to believe no capacity
//!   of a file, read a [`UsedPart`], which has the listed
//!   slots only, and let a pool of your own [take it over](#saved-games-that-outlive-a-change): also if it is to be touched.
//! - To save only the objects, write `pool.iter()`, and load them into a new pool with `insert_at`,
//!   in any order. Handles inside the objects stay valid. The generations of dead slots are lost,
//!   so that stale handles may be issued again; for a saved game that holds no stale handles, this
//!   is enough.
//!
//! # Saved games that outlive a change
//!
//! [`restore`](crate::Pool::restore) wants a pool of the very same shape. A saved game lives longer: the next version of the
//! program has more slots, or another name for them. Read the file as what it was written as, and let the new pool take over
//! its objects by [`migrate_from`](crate::Pool::migrate_from) (feature `serde`). Each slot keeps its generation, so every
//! handle that was valid is valid, and none that the old pool ever issued is issued for another object.
//!
//! | what has changed | possible | otherwise |
//! | --- | --- | --- |
//! | capacity or limit | larger: always; smaller: if no slot beyond was ever used | [`TooFewSlots`](MigrateError::TooFewSlots) |
//! | name or salt | always: the slots keep the generations of the old name. A [`SyncPool`](crate::SyncPool): no | [`OtherFirstGeneration`](MigrateError::OtherFirstGeneration) |
//! | reuse order | always; free slots come in the old order where both orders have one, and new ones after them | |
//! | handle layout | more generations: always; fewer: if those of the live objects are among them. A free slot beyond retires | [`BeyondLifetimes`](MigrateError::BeyondLifetimes) |
//! | limit of lifetimes | as for the layout; a slot that has retired stays so | [`BeyondLifetimes`](MigrateError::BeyondLifetimes) |
//! | [wrapping](crate::PoolBuilder::wrap) | no | [`OtherWrapping`](MigrateError::OtherWrapping) |
//! | kind of pool | `Pool`, `VecPool`, `StaticPool`, `PackedPool`, `PackedVecPool`, `Recycler` and `SyncPool` take over each other's live objects | |
//! | type of the values | [`migrate_with`](crate::Pool::migrate_with) converts them | |
//! | a [`SideTable`](crate::SideTable)'s capacity, limit, layout | its own [`migrate_from`](crate::SideTable::migrate_from); as for pools | the same |
//! | a [`Spill`](https://docs.rs/millpond-overflow/latest/millpond_overflow/struct.Spill.html)'s parts | each as above, if the first has as many slots as it had or the second was never used | [`OtherFirstPart`](MigrateError::OtherFirstPart) |
//! | a [`PolicyPool`](https://docs.rs/millpond-overflow/latest/millpond_overflow/struct.PolicyPool.html)'s policy or sizes | if all slots that were used, spilled ones and those it grew by among them, fit into its capacity | [`TooFewSlots`](MigrateError::TooFewSlots) |
//!
//! The list of an [`EvictOldest`](https://docs.rs/millpond-overflow/latest/millpond_overflow/struct.EvictOldest.html)
//! has no shape: read it as it is.
//!
//! # What must match
//!
//! A snapshot can be restored into any pool with the same type, capacity (if the pool grows: its
//! limit) and generations (name, salt, limit of lifetimes, wrapping) and, where it has them, the
//! same overflow policy and number of homes: the pool that it was taken from, its twin
//! on another machine, or a new pool built in the same way. Any other pool returns a [`SnapshotError`] and is unchanged. Two pools
//! without a name or a salt that have all the rest in common count as twins, so give pools names.

mod checksum;
#[cfg(feature = "history")]
mod diff;
mod error;
#[cfg(all(feature = "serde", feature = "alloc"))]
pub(crate) mod format;
#[cfg(all(
    test,
    feature = "serde",
    feature = "vec",
    feature = "packed",
    feature = "recycler",
    feature = "sync",
    feature = "validate"
))]
mod half_way;
#[cfg(all(feature = "alloc", feature = "history"))]
mod history;
pub(crate) mod methods;
mod ranges;
#[cfg(feature = "history")]
mod saved;
pub(crate) mod state;

#[cfg(all(feature = "serde", feature = "alloc"))]
pub use self::format::{MigrateError, OldPool, UpTo, UsedPart};
#[cfg(feature = "history")]
pub use self::{
    diff::{Diff, Difference},
    saved::{Kept, Saved, Unsaved},
};
pub use checksum::{Checksum, ToChecksum};
pub use error::SnapshotError;
#[cfg(all(feature = "alloc", feature = "history"))]
pub use history::{History, RollbackError};
pub use state::{SlotState, State};

use core::fmt;

use crate::base::guard::{defuse, guard};

/// A snapshot of a pool of any kind: created by its method `snapshot`, overwritten by `save_into`,
/// and restored by `restore`.
///
/// It is a read-only twin of the pool: [`as_pool`](Self::as_pool) gives access to past objects by
/// their handles.
#[derive(Clone)]
pub struct SnapshotOf<P> {
    pool: P,
    /// Copies the state: with one `memcpy`, if the values were known to be `Copy` when the snapshot
    /// was created.
    copy_state: fn(&mut P, &P),
    is_complete: bool,
}

impl<P: State> SnapshotOf<P> {
    /// A snapshot that copies the values.
    #[doc(hidden)]
    pub fn copied(pool: P) -> Self
    where
        P::Value: Copy,
    {
        Self { pool: pool.into_past(), copy_state: P::copy_state_from, is_complete: true }
    }

    /// A snapshot that clones them one at a time.
    #[doc(hidden)]
    pub fn cloned(pool: P) -> Self
    where
        P::Value: Clone,
    {
        Self { pool: pool.into_past(), copy_state: P::clone_state_from, is_complete: true }
    }

    /// Returns a view of the pool as it was.
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

    /// Returns the checksum of the state; see [`Pool::checksum`](crate::Pool::checksum).
    #[must_use]
    pub fn checksum(&self) -> u64
    where
        P: State<Value: ToChecksum>,
    {
        self.checksum_with(ToChecksum::add_to)
    }

    /// Returns the checksum of the state; see [`Pool::checksum_with`](crate::Pool::checksum_with).
    #[must_use]
    pub fn checksum_with(&self, add_value: impl Fn(&P::Value, &mut Checksum)) -> u64 {
        self.pool.sum(&add_value)
    }

    /// For the pool's method `save_into`.
    #[doc(hidden)]
    pub fn save_from(&mut self, pool: &P) -> Result<(), SnapshotError> {
        self.pool.check_shape(pool)?;
        self.is_complete = false;
        copy_state(self.copy_state, &mut self.pool, pool);
        self.is_complete = true;
        Ok(())
    }

    /// For the pool's method `restore`.
    #[doc(hidden)]
    pub fn restore_to(&self, pool: &mut P) -> Result<(), SnapshotError> {
        self.check_complete(pool)?;
        copy_state(self.copy_state, pool, &self.pool);
        Ok(())
    }

    /// Checks that the snapshot can be restored into `pool`.
    fn check_complete(&self, pool: &P) -> Result<(), SnapshotError> {
        self.pool.check_shape(pool)?;
        match self.is_complete {
            true => Ok(()),
            false => Err(SnapshotError::Incomplete),
        }
    }
}

/// Makes a pool a clone of another: in its own memory if it may stay there and has the same shape, and else anew. If a clone or
/// a drop panics in its own memory, the pool is empty.
pub(crate) fn become_clone<P: State<Value: Clone> + Clone>(to: &mut P, from: &P, may_stay: bool) {
    match may_stay && to.check_shape(from).is_ok() {
        true => copy_state(P::clone_state_from, to, from),
        false => *to = from.clone(),
    }
}

/// If a clone or a drop panics, the pool that was being written is empty.
fn copy_state<P: State>(copy: fn(&mut P, &P), to: &mut P, from: &P) {
    let mut to = guard(to, |to| to.empty());
    copy(&mut to, from);
    defuse(to);
}

impl<P: fmt::Debug> fmt::Debug for SnapshotOf<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SnapshotOf").field(&self.pool).finish()
    }
}
