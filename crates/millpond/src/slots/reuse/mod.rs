//! Reuse orders: which dead slot the next insertion uses.
//!
//! | order | next slot | bytes per slot | insert, remove | `insert_at` | use it for |
//! | --- | --- | --- | --- | --- | --- |
//! | [`Lifo`] | freed last | 4.0625 (2.03 with ≤ 16 index bits) | O(1), amortised after an `insert_at` | O(1) amortised | speed: the slot is still in the cache |
//! | [`Fifo`] | freed first | 8 | O(1) | O(1) | debugging: a slot rests as long as possible before reuse |
//! | [`LowestFirst`] | lowest index | 0.002 | O(1) | O(1) | address order, lockstep: the next slots depend on the live slots only |
//! | [`Roster`] | freed last | 8 (4 with ≤ 16 index bits) | O(1) | O(1) | a dense list of live slots |
//! | [`NextFit`] | next after the last one used | 0 | O(slots / 64) worst case | O(1) | least memory with small values |
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
#[cfg(feature = "alloc")]
#[allow(unsafe_code)]
mod next_fit;
#[allow(unsafe_code)]
mod queue;
#[allow(unsafe_code)]
mod roster;

#[cfg(feature = "alloc")]
pub use self::{fifo::Fifo, lifo::Lifo, lowest_first::LowestFirst, next_fit::NextFit};
#[cfg(feature = "alloc")]
pub(crate) use self::{lifo::LifoQueue, next_fit::next_vacant_after};
#[cfg(all(test, feature = "alloc"))]
pub(crate) use fifo::Link;
#[cfg(test)]
pub(crate) use queue::fit_first;
pub use queue::{OrderOf, Queue};
pub use roster::Roster;
pub(crate) use roster::{InlineRoster, roster};

use core::fmt::Debug;

use crate::handle::IndexWord;

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
    note = "the reuse orders are `Lifo`, `Fifo`, `LowestFirst`, `NextFit` and `Roster` of `millpond::reuse`"
)]
pub trait ReuseOrder: sealed::Sealed + Debug + Copy + Default + Send + Sync + 'static {
    /// The order's name in messages and reports, as in the code.
    const NAME: &'static str;
    /// What a pool with this order stores.
    #[doc(hidden)]
    type Queue<I: IndexWord>: Queue<I>;
}

pub(crate) mod sealed {
    pub trait Sealed {}
}
