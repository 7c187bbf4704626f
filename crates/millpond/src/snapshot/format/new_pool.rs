//! What saved forms and migrations know about a pool. Sealed, with [`State`].

use alloc::vec::Vec;

use super::migrate::MigrateError;
use super::read::{Objects, Refused};
use crate::handle::{HandleLayout, Word};
use crate::slots::saved::Checked;
use crate::snapshot::State;

/// The objects that were read for a pool.
pub(crate) type ObjectsFor<P> = Objects<<P as State>::Handle, <P as State>::Value>;

/// Everything but the objects that a pool takes on.
pub(crate) type CheckedFor<P> = Checked<<<P as State>::Handle as HandleLayout>::Word>;

/// A pool whose slots are one list: it is written and read, and takes over the objects of an old pool, of any kind, with the
/// generations of its slots. A pool that is read takes over what the file says.
pub trait NewPool: State {
    /// The pool's name in the saved form.
    const KIND: &'static str;
    /// The reuse order's name, where the pool has several.
    const REUSE: &'static str = "";
    /// Whether the pool has its own generations and counts lifetimes.
    const COUNTS: bool = true;
    /// Whether the saved form also has a limit, and how many of its slots exist.
    const GROWS: bool = false;
    /// Whether slots that were never used need no words to take over.
    const FRESH_COST_NOTHING: bool = false;
    /// Whether slots that were never used need not be listed in a file: they take no memory in a pool that was read. (An
    /// allocator that is asked for more than a cache line writes zeros.)
    const MAY_LEAVE_OUT: bool =
        Self::FRESH_COST_NOTHING && !Self::GROWS && align_of::<Self::Value>() <= 64;
    /// Whether its slots can begin at another generation than those that it was built with.
    const ADAPTS_FIRST: bool = true;
    /// A pool to take on this state, as if never used.
    fn unused(state: &CheckedFor<Self>) -> Result<Self, Refused>;
    /// Takes on this state, of as many slots as there are, or more of a pool that grows; its own is gone. The
    /// values are those of the live slots, in the order of the slots; of a recycler that is read, those of all slots. On an
    /// error, nothing changes. If anything panics once the pool's own values are dropped, the pool is empty, and as if never
    /// used.
    fn take_over(
        &mut self,
        state: &CheckedFor<Self>,
        values: Vec<(usize, Self::Value)>,
    ) -> Result<(), MigrateError>;
}

/// What a pool of handles has in the live slots of a saved state.
pub(crate) fn units<W: Word>(state: &Checked<W>) -> Vec<(usize, ())> {
    let live = (0..state.words.len()).filter(|index| !state.words[*index].is_dead());
    live.map(|index| (index, ())).collect()
}
