use core::iter::FusedIterator;
use core::ops::Range;

use super::{Occupancy, WORD_SLOTS};

/// The live slots of an [`Occupancy`] in index order.
///
/// Its `for_each` and `fold` (and all that is built on them) walk full words as plain loops; prefer
/// them over `for` in hot code.
#[derive(Clone, Debug)]
pub struct LiveSlots<'a> {
    words: &'a [u64],
    front: Cursor,
    back: Cursor,
    /// How many live slots neither end has handed out: the two cursors stop when it is 0, and so
    /// they never cross.
    remaining: usize,
}

/// What one end still has of the word it stands in: a run of a full word, or bits of another.
#[derive(Clone, Debug)]
struct Cursor {
    word: usize,
    run: Range<usize>,
    bits: u64,
}

impl Cursor {
    /// What the word holds, whole.
    #[inline]
    fn at(word: usize, bits: u64) -> Self {
        if bits == !0 {
            let first = word * WORD_SLOTS;
            Self { word, run: first..first + WORD_SLOTS, bits: 0 }
        } else {
            Self { word, run: 0..0, bits }
        }
    }
}

impl<'a> LiveSlots<'a> {
    pub(super) fn new(occupancy: &'a Occupancy) -> Self {
        let words = occupancy.words();
        let last = words.len().saturating_sub(1);
        Self {
            words,
            front: Cursor::at(0, words.first().copied().unwrap_or(0)),
            back: Cursor::at(last, words.last().copied().unwrap_or(0)),
            remaining: occupancy.live(),
        }
    }

    /// Hands over what the front still has of its word, as far as it is ours.
    fn fold_front_word<A>(&mut self, mut value: A, f: &mut impl FnMut(A, usize) -> A) -> A {
        while self.remaining > 0 && (!self.front.run.is_empty() || self.front.bits != 0) {
            let Some(slot) = self.next() else { break };
            value = f(value, slot);
        }
        value
    }
}

impl Iterator for LiveSlots<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        if self.remaining == 0 {
            return None;
        }
        self.remaining -= 1;
        loop {
            let front = &mut self.front;
            if front.run.start < front.run.end {
                front.run.start += 1;
                return Some(front.run.start - 1);
            }
            if front.bits != 0 {
                let bit = front.bits.trailing_zeros() as usize;
                front.bits &= front.bits - 1;
                return Some(front.word * WORD_SLOTS + bit);
            }
            *front = Cursor::at(front.word + 1, self.words[front.word + 1]);
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.remaining, Some(self.remaining))
    }

    #[inline]
    fn count(self) -> usize {
        self.remaining
    }

    #[inline]
    fn last(mut self) -> Option<usize> {
        self.next_back()
    }

    #[inline]
    fn fold<A, F: FnMut(A, usize) -> A>(mut self, start: A, mut f: F) -> A {
        let mut value = self.fold_front_word(start, &mut f);
        if self.remaining == 0 {
            return value;
        }
        // The words strictly between the two cursors are wholly ours.
        let between = self.front.word + 1..self.back.word;
        for (offset, &bits) in self.words[between.clone()].iter().enumerate() {
            let first = (between.start + offset) * WORD_SLOTS;
            if bits == !0 {
                self.remaining -= WORD_SLOTS;
                for slot in first..first + WORD_SLOTS {
                    value = f(value, slot);
                }
            } else {
                let mut bits = bits;
                while bits != 0 {
                    self.remaining -= 1;
                    value = f(value, first + bits.trailing_zeros() as usize);
                    bits &= bits - 1;
                }
            }
        }
        if self.remaining > 0 {
            self.front = Cursor::at(self.back.word, self.words[self.back.word]);
            value = self.fold_front_word(value, &mut f);
        }
        value
    }
}

impl DoubleEndedIterator for LiveSlots<'_> {
    #[inline]
    fn next_back(&mut self) -> Option<usize> {
        if self.remaining == 0 {
            return None;
        }
        self.remaining -= 1;
        loop {
            let back = &mut self.back;
            if back.run.start < back.run.end {
                back.run.end -= 1;
                return Some(back.run.end);
            }
            if back.bits != 0 {
                let bit = WORD_SLOTS - 1 - back.bits.leading_zeros() as usize;
                back.bits &= !(1 << bit);
                return Some(back.word * WORD_SLOTS + bit);
            }
            *back = Cursor::at(back.word - 1, self.words[back.word - 1]);
        }
    }
}

impl ExactSizeIterator for LiveSlots<'_> {}
impl FusedIterator for LiveSlots<'_> {}

#[cfg(test)]
mod tests {
    use super::super::tests::{occupancy, patterns};
    use alloc::vec::Vec;

    #[test]
    fn meets_itself_after_any_number_of_steps_from_both_ends() {
        for live in patterns() {
            let occupancy = occupancy(&live);
            let slots: Vec<usize> = (0..live.len()).filter(|i| live[*i]).collect();
            assert_eq!(occupancy.iter().collect::<Vec<_>>(), slots);
            assert_eq!(occupancy.iter().last(), slots.last().copied());
            for front in 0..=slots.len() {
                // Every split would be cubic: the ends, the middle, and a step into each.
                for back in [0, 1, (slots.len() - front) / 2, slots.len() - front] {
                    if front + back > slots.len() {
                        continue;
                    }
                    let mut iter = occupancy.iter();
                    assert!(iter.by_ref().take(front).eq(slots[..front].iter().copied()));
                    let from_back = slots.iter().rev().copied().take(back);
                    assert!(iter.by_ref().rev().take(back).eq(from_back));
                    let middle = &slots[front..slots.len() - back];
                    assert_eq!(iter.len(), middle.len());
                    let mut folded = Vec::new();
                    iter.clone().for_each(|slot| folded.push(slot));
                    assert_eq!(folded, middle);
                    let mut stepped = Vec::new();
                    for slot in iter.by_ref() {
                        stepped.push(slot);
                    }
                    assert_eq!(stepped, middle);
                    assert_eq!((iter.next(), iter.next_back()), (None, None));
                }
            }
        }
    }
}
