//! The saved form of a pool that grows in one piece.

use alloc::format;
use alloc::vec::Vec;

use ::serde::{Deserialize, Serialize};

use super::super::state::sealed::{Load, ObjectsFor, State};
use super::checks::{self, CheckedPool};
use super::read::Refused;
use super::state::SavedState;
use crate::handle::HandleLayout;

/// The state of a pool that grows in one piece.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[doc(hidden)]
pub struct SavedVecPool {
    pub(crate) capacity_max: u64,
    /// The number of slots that exist: the first ones.
    pub(crate) slots_there: u64,
    /// The slots that exist or existed.
    pub(crate) slots: SavedState,
}

/// All of it, checked.
pub(crate) struct CheckedVecPool<P: State> {
    pub(crate) capacity_max: usize,
    /// The slots that exist.
    pub(crate) slots: CheckedPool<P::Handle, P::Value>,
    /// The words of those that existed.
    pub(crate) former: Vec<<P::Handle as HandleLayout>::Word>,
}

impl SavedVecPool {
    /// Checks all. `P` is a pool whose slots are saved as those of this pool are, but for its kind.
    pub(crate) fn check<P: Load>(
        self,
        kind: &'static str,
        objects: ObjectsFor<P>,
    ) -> Result<CheckedVecPool<P>, Refused> {
        let Self { capacity_max, slots_there, slots } = self;
        checks::check_labels(&slots.pool, kind, &slots.reuse, P::REUSE_NAME)?;
        let known = slots.generations.len();
        let limit = usize::try_from(capacity_max).ok();
        let Some(capacity_max) = limit.filter(|slots| *slots <= P::Handle::CAPACITY_MAX) else {
            return Err(Refused::new(format!(
                "a limit of {capacity_max} slots is more than the handle layout can name"
            )));
        };
        let there = usize::try_from(slots_there).ok().filter(|there| *there <= known);
        let there = there.ok_or_else(|| {
            Refused::new(format!("{slots_there} slots exist, but {known} have a generation"))
        })?;
        let (slots, former) = checks::check_growing::<P>(slots, there, capacity_max, objects)?;
        Ok(CheckedVecPool { capacity_max, slots, former })
    }
}
