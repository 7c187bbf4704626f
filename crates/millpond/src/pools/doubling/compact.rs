//! Which objects move where, so that no free slot comes before a live one.

use core::ops::Range;

use crate::handle::Word;
use crate::slots::CountedSlots;

/// The slot of the next object that moves, and the slot that it moves to: the last live one and the first free one
/// `between` those that were found before. `None` once no free one comes before a live one.
pub(crate) fn next_move(
    between: &mut Range<usize>,
    slots: &impl CountedSlots,
) -> Option<(usize, usize)> {
    let to = between.find(|index| slots.word(*index).is_some_and(Word::is_vacant))?;
    let from = between.rfind(|index| slots.word(*index).is_some_and(|word| !word.is_dead()))?;
    Some((from, to))
}
