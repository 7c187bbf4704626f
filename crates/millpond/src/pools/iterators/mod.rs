//! Types that several kinds of pools share, one for each role.
//!
//! Each kind of pool has its own aliases for them, such as
//! [`static_pool::Drain`](crate::static_pool::Drain), with that pool's type parameters.

mod entry;
mod iter;
mod moving_out;
mod operators;

pub use entry::VacantEntry;
pub(crate) use iter::iterator;
pub use iter::{Handles, Iter, IterMut, Values, ValuesMut};
pub use moving_out::{Drain, ExtractIf, IntoIter};
pub(crate) use operators::operators;

/// What iterators that move values out need of a pool.
pub(crate) mod sealed {
    use crate::occupancy::Occupancy;

    /// A pool whose values stay where they are.
    pub trait Walked {
        type Value;
        type Handle;

        fn live_slots(&self) -> Occupancy<'_>;
        fn object_in(&mut self, index: usize) -> Option<(Self::Handle, &mut Self::Value)>;
        fn take_from(&mut self, index: usize) -> Option<(Self::Handle, Self::Value)>;
    }
}
