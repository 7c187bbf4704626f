//! Which objects move where, so that no free slot comes before a live one.

use core::ops::Range;

use crate::handle::{HandleLayout, Issue, Word};
use crate::slots::CountedSlots;

/// The slot of the next object that moves, and its handle in the slot that it moves to: the last live one and the first free
/// one `between` those that were found before. `None` once no free one comes before a live one.
pub(crate) fn next_move<H: HandleLayout>(
    between: &mut Range<usize>,
    slots: &impl CountedSlots<Word = H::Word>,
) -> Option<(usize, H)> {
    let new = between.find_map(|index| {
        let word = slots.word(index).filter(|word| word.is_vacant())?;
        Some(H::from_kept_parts(index, word.as_live()))
    })?;
    let from = between.rfind(|index| slots.word(*index).is_some_and(|word| !word.is_dead()))?;
    Some((from, new))
}
