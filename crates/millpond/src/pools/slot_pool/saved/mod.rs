//! The saved form of a pool, and what takes over the objects of a pool that was read.

mod migrate;

use super::{Growth, PoolPlace, SlotPool, Slotted};
use crate::handle::HandleLayout;
use crate::slots::reuse::ReuseOrder;
use crate::slots::saved::Checked;
use crate::snapshot::format::{Refused, serde_of_pool};

/// The parts of a pool.
pub(crate) type Unused<T, R, L, P, G> = (Slotted<T, R, L, P>, G);

/// A kind of pool that is read from a file, by how it gets more slots and where they lie.
#[doc(hidden)]
pub trait FromState<T, R: ReuseOrder, L: HandleLayout, P: PoolPlace<T, R, L>>:
    Growth<T, R, L, P>
{
    /// The pool's name in the saved form.
    const KIND: &'static str;
    /// The reuse order's name, where the pool has several.
    const REUSE: &'static str = R::NAME;
    /// Whether the saved form also has a limit, and how many of its slots exist.
    const GROWS: bool = false;
    /// The parts of a pool to take on this state, as if never used.
    fn unused(state: &Checked<L::Word>) -> Result<Unused<T, R, L, P, Self>, Refused>;
}

serde_of_pool!(SlotPool<T, G, R, H, P>, [T, R: ReuseOrder, H: HandleLayout, P: PoolPlace<T, R, H>, G: FromState<T, R, H::Erased, P>], values T);
