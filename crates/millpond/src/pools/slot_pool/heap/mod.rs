//! What needs a heap: slots in a block of memory, the place of a [`Pool`](crate::Pool) and a [`VecPool`](crate::VecPool),
//! and the list of objects that are out of any pool.

mod detach;
mod detached;

pub(crate) use detached::Detached;

use crate::slots::Block;

pub(super) type DefaultOrder = crate::slots::reuse::Lifo;

/// The place of a [`Pool`](crate::Pool) whose words and slot numbers have 32 bits, written so that the compiler sees that
/// it is the default.
pub(super) type DefaultPlace<R> = Block<(R, u32, u32)>;
