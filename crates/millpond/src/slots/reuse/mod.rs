//! Reuse orders: which dead slot the next insertion uses.
//!
//! | order | next slot | bytes per slot | insert, remove | `insert_at` | use it for |
//! | --- | --- | --- | --- | --- | --- |
//! | [`Lifo`] | freed last | 4.0625 (2.03 with ≤ 16 index bits) | O(1), amortised after an `insert_at` | O(1) amortised | speed: the slot is still in the cache |
//! | [`Fifo`] | freed first | 8 | O(1) | O(1) | debugging: a slot rests as long as possible before reuse |
//! | [`LowestFirst`] | lowest index | 0.002 | O(1) | O(1) | address order, lockstep: the next slots depend on the live slots only |
//! | [`Roster`] | freed last | 8 (4 with ≤ 16 index bits) | O(1) | O(1) | a dense list of live slots |
//!
//! `insert_at`, `revive` and `acquire_at` *claim* a slot: the caller names it, not the
//! order. In the docs of the orders, *take* is what an insertion costs, and *give back* what a
//! removal costs. Programs that claim constantly, such as the client of a lockstep game, should use
//! an order other than [`Lifo`]. A `Lifo` keeps the entries of claimed slots and occasionally sweeps
//! them out, O(slots) in one call.
//!
//! In a new pool, all of them start with slots 0, 1, 2, … The table's bytes are the order's own, in addition to the
//! values, the generation words (4 or 2 bytes per slot) and the occupancy bit of every pool. The trait is sealed.

#[cfg(feature = "alloc")]
#[allow(unsafe_code)]
mod fifo;
#[cfg(feature = "alloc")]
#[allow(unsafe_code)]
mod lifo;
#[cfg(feature = "alloc")]
#[allow(unsafe_code)]
mod lowest_first;
#[allow(unsafe_code)]
mod queue;
#[allow(unsafe_code)]
mod roster;

#[cfg(feature = "alloc")]
pub use self::{fifo::Fifo, lifo::Lifo, lowest_first::LowestFirst};
#[cfg(all(test, feature = "alloc"))]
pub(crate) use fifo::Link;
#[cfg(feature = "alloc")]
pub(crate) use lifo::LifoQueue;
#[cfg(test)]
pub(crate) use queue::fit_first;
pub use queue::{OrderOf, Queue};
pub use roster::Roster;
pub(crate) use roster::{InlineRoster, roster};

use core::fmt::Debug;

use crate::handle::Word;

/// A reuse order by name, as a type parameter: `Pool<T, Fifo>`. Sealed.
///
/// No other crate can implement it, so no order can name a slot that is live:
///
/// ```compile_fail
/// #[derive(Clone, Copy, Debug, Default)]
/// struct Mine;
/// impl millpond::reuse::sealed::Sealed for Mine {}
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a reuse order",
    label = "not a reuse order",
    note = "the reuse orders are `Lifo`, `Fifo`, `LowestFirst` and `Roster` of `millpond::reuse`"
)]
pub trait ReuseOrder: sealed::Sealed + Debug + Copy + Default + Send + Sync + 'static {
    /// The order's name in messages and reports, as in the code.
    const NAME: &'static str;
    /// What a pool with this order stores.
    #[doc(hidden)]
    type Queue<I: Word>: Queue<I>;
}

pub(crate) mod sealed {
    pub trait Sealed {}
}

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use super::*;
    use crate::pools::allocator::HandleAllocator;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::string::String;
    use std::vec::Vec;

    /// An allocator of six slots, of which 0, 2 and 3 are live and 1 was released, whose order is then broken: what happens
    /// when all slots that are left are acquired?
    pub(super) fn taken_from_broken<R: ReuseOrder>(
        change: impl FnOnce(&mut HandleAllocator<R>),
    ) -> Result<Vec<u32>, String> {
        let mut slots = HandleAllocator::<R>::with_capacity(6);
        let handles: Vec<_> = (0..4).map(|_| slots.acquire().unwrap()).collect();
        slots.release(handles[1]);
        slots.validate().unwrap();
        change(&mut slots);
        slots.validate().unwrap_err();
        let mut taken = Vec::new();
        let all = catch_unwind(AssertUnwindSafe(|| {
            while let Some(handle) = slots.acquire() {
                assert!([1, 4, 5].contains(&handle.index()), "a live slot was issued again");
                taken.push(handle.index());
            }
        }));
        all.map(|()| taken).map_err(|panic| panic.downcast_ref::<String>().unwrap().clone())
    }

    /// What a wrong order makes of an insertion.
    pub(super) const WRONG: &str = "comes next, but is not vacant: the reuse order is wrong";
}
