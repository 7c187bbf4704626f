//! What needs a heap: slots in a block of memory, the place of a [`Pool`](crate::Pool) and a [`VecPool`](crate::VecPool),
//! and the list of objects that are out of any pool.

mod detach;
mod detached;

pub(crate) use detached::Detached;

use super::place::PoolPlace;
use crate::base::OutOfMemory;
use crate::handle::HandleLayout;
use crate::slots::Block;
use crate::slots::reuse::ReuseOrder;
use crate::values::Storage;

pub(super) type DefaultOrder = crate::slots::reuse::Lifo;

/// The place of a [`Pool`](crate::Pool) whose words and slot numbers have 32 bits, written so that the compiler sees that
/// it is the default.
pub(super) type DefaultPlace<R> = Block<(R, u32, u32)>;

impl<T, R: ReuseOrder, H: HandleLayout> PoolPlace<T, R, H> for Block<(R, H::Word, H::Index)> {
    fn try_clone<L: Clone>(
        storage: &Storage<T, Self, L>,
        touch: bool,
    ) -> Result<Storage<T, Self, L>, OutOfMemory>
    where
        T: Clone,
    {
        storage.try_clone(touch)
    }
}
