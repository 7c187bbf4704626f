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

/// What iterators and entries need of a pool.
pub(crate) mod sealed {
    use crate::handle::HandleLayout;
    use crate::occupancy::Occupancy;

    /// A pool of values with handles.
    pub trait HasEntries {
        type Value;
        type Handle: HandleLayout;

        /// Moves a value into the slot that comes next, which has this handle.
        #[track_caller]
        fn put_next(&mut self, handle: Self::Handle, value: Self::Value);
    }

    /// A pool whose values stay where they are.
    pub trait Walked {
        type Value;
        type Handle: Copy;

        fn live(&self) -> usize;
        fn live_slots(&self) -> Occupancy<'_>;
        fn handle_in(&self, index: usize) -> Option<Self::Handle>;
        fn value_of(&mut self, handle: Self::Handle) -> Option<&mut Self::Value>;
        fn take_from(&mut self, index: usize) -> Option<Self::Value>;
    }
}
