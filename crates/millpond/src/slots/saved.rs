//! The state that a pool restores from a saved one.

use alloc::vec::Vec;

use super::AnyCycle;
pub(crate) use super::reuse::OrderOf;
use crate::base::OrderEntry;
use crate::handle::Word;

/// Everything but the values, checked.
#[doc(hidden)]
#[derive(Debug)]
pub struct Checked<W> {
    /// The name of the reuse order that the state is for; empty if its pools have but one.
    pub(crate) reuse: &'static str,
    pub(crate) cycle: AnyCycle,
    /// The number of slots.
    pub(crate) slots: usize,
    /// One for each slot, or, of a pool where these [cost nothing](fresh_cost_nothing), up to those that were never used.
    pub(crate) words: Vec<W>,
    /// The words of slots after these that a pool had before it shrunk.
    pub(crate) former: Vec<W>,
    /// The most slots that there may be.
    pub(crate) slots_max: usize,
    /// What the reuse order lists of the slots with words.
    pub(crate) order: Vec<u32>,
    pub(crate) inserted: u64,
    pub(crate) refused: u64,
    pub(crate) evicted: u64,
    pub(crate) peak: usize,
}

impl<W: Word> Checked<W> {
    /// The number of slots.
    #[cfg(feature = "__c")]
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// How far on the cycle a lifetime is, at most.
    pub(crate) fn age_max(&self) -> u32 {
        let words = self.words.iter().filter(|word| **word != W::RETIRED);
        words.map(|word| self.cycle.age(word.generation())).max().unwrap_or(0)
    }
}

/// Whether slots that were never used need neither words nor entries, whatever their number, in a pool whose order has such
/// entries: they come after all others, or by their indices. Other orders link each of them to its neighbours.
pub(crate) const fn fresh_cost_nothing<E: OrderEntry>(order_of: OrderOf) -> bool {
    E::EMPTY_IS_ZERO && !matches!(order_of, OrderOf::All)
}
