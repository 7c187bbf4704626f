//! Reuse orders: which dead slot is handed out next.
//!
//! | order | next slot | bytes per slot | take, give back | claim a named slot | pick it for |
//! | --- | --- | --- | --- | --- | --- |
//! | [`Lifo`] | freed last | 4.0625 (2.03 with ≤ 16 index bits) | O(1), amortised after claims | O(1) amortised | speed: the slot is still in the cache |
//! | [`Fifo`] | freed first | 8 | O(1) | O(1) | debugging: a slot rests as long as possible before reuse |
//! | [`LowestFirst`] | lowest index | 0.002 | O(1) | O(1) | address order, lockstep: the future depends on the occupancy only |
//! | [`Roster`] | freed last | 8 (4 with ≤ 16 index bits) | O(1) | O(1) | a dense list of live slots |
//! | [`NextFit`] | next after the last one handed out | 0 | O(slots / 64) worst case | O(1) | least memory with small values |
//! | [`Intrusive`] | freed last | 0 (8 for values under 8 bytes) | O(1) | O(1) | least memory with large values |
//!
//! A claim is what `insert_at` does: it begins a lifetime of a slot that the caller names. A program
//! that claims all the time, such as the client of a lockstep game, takes an order other than [`Lifo`],
//! whose entries of claimed slots stay behind and are swept out now and then, O(slots) in one call.
//!
//! All of them start with slot 0, 1, 2, … in a new pool. The bytes are what the order takes beside
//! the values, the generation words (4 or 2 bytes per slot) and the occupancy bit, which every pool
//! has. The trait is sealed.

mod fifo;
mod intrusive;
mod lifo;
mod list;
mod lowest_first;
mod next_fit;
mod roster;

pub use fifo::Fifo;
pub use intrusive::Intrusive;
pub use lifo::Lifo;
pub use lowest_first::LowestFirst;
pub use next_fit::NextFit;
pub use roster::Roster;

pub(crate) use next_fit::next_vacant_after;

use core::fmt::Debug;

use crate::generations::Generations;
use crate::handle::{IndexWord, Word};
use crate::memory::OutOfMemory;
use crate::occupancy::Occupancy;
#[cfg(feature = "validate")]
use crate::validate::Violation;

/// A reuse order by name, as a type parameter: `Pool<T, Fifo>`. Sealed, so that no order can name a slot
/// that is live:
///
/// ```compile_fail
/// #[derive(Clone, Copy, Debug, Default)]
/// struct Mine;
/// impl millpond::reuse::sealed::Sealed for Mine {}
/// ```
pub trait ReuseOrder: sealed::Sealed + Debug + Copy + Default + Send + Sync + 'static {
    /// The order's name in messages and reports, as in the code.
    const NAME: &'static str;
    /// What a pool with this order keeps.
    #[doc(hidden)]
    type Queue<I: IndexWord>: Queue<I>;
}

pub(crate) mod sealed {
    pub trait Sealed {}
}

/// The vacant slots (dead and not retired) of one pool, in the order in which they are handed out.
///
/// Every slot is vacant at first, and the order is told of changes as follows. At the time of the
/// call the generations have changed already, and the occupancy says that the slot is dead:
///
/// ```text
///            take, claim
///   vacant ──────────────▶ live ──── retire ───▶ retired
///      ▲                    │
///      └──── give_back ─────┘
/// ```
#[doc(hidden)]
pub trait Queue<I: IndexWord>: Sized + Clone + Debug {
    /// Whether the order threads its list through the dead slots, if they have room.
    const LINKS_IN_SLOTS: bool = false;

    /// All slots vacant, the lowest first.
    fn try_new<S: Slots>(slots: &mut S) -> Result<Self, OutOfMemory>;

    /// The vacant slot that comes next. Asked again without a change, it answers the same.
    fn next<W: Word, S: Slots>(&mut self, words: &Generations<W>, slots: &S) -> Option<usize>;

    /// The slot that [`next`](Self::next) has just named is live now.
    fn take<W: Word, S: Slots>(&mut self, index: usize, words: &Generations<W>, slots: &mut S);

    /// A vacant slot anywhere in the order is live now.
    fn claim<W: Word, S: Slots>(&mut self, index: usize, words: &Generations<W>, slots: &mut S);

    /// A live slot is vacant now.
    fn give_back<W: Word, S: Slots>(
        &mut self,
        index: usize,
        words: &mut Generations<W>,
        slots: &mut S,
    );

    /// A live slot is dead now and never comes back.
    fn retire(&mut self, _index: usize) {}

    /// The slots that the generations call vacant are vacant, the lowest first, and no others.
    fn reset<W: Word, S: Slots>(&mut self, words: &Generations<W>, slots: &mut S);

    /// The order has each slot that the generations call vacant once, and no other.
    #[cfg(feature = "validate")]
    fn validate<W: Word, S: Slots>(
        &self,
        words: &Generations<W>,
        slots: &S,
    ) -> Result<(), Violation>;
}

/// What a reuse order sees of the slots beside their generations.
#[doc(hidden)]
pub trait Slots {
    /// Whether a dead slot has room for a link.
    const HOLDS_LINKS: bool;
    fn occupancy(&self) -> &Occupancy;
    /// The link that was last set since the slot died, or [`Link::NONE`].
    fn link(&self, index: usize) -> Link;
    /// Does nothing if the slot is live.
    fn set_link(&mut self, index: usize, link: Link);
}

/// The neighbours of a vacant slot in a list.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Link {
    pub(crate) next: u32,
    pub(crate) previous: u32,
}

impl Link {
    /// "No slot": no layout names an index of `u32::MAX`.
    pub(crate) const NO_SLOT: u32 = u32::MAX;
    pub(crate) const NONE: Self = Self { next: Self::NO_SLOT, previous: Self::NO_SLOT };
}

impl Slots for Occupancy {
    const HOLDS_LINKS: bool = false;

    #[inline]
    fn occupancy(&self) -> &Occupancy {
        self
    }

    fn link(&self, _index: usize) -> Link {
        Link::NONE
    }

    fn set_link(&mut self, _index: usize, _link: Link) {}
}
