use core::iter::FusedIterator;
use core::ops::Range;

use super::{Occupancy, Source, WORD_SLOTS};

/// The runs of live slots of an [`Occupancy`] in index order: each item is a
/// maximal stretch of adjacent live slots, as a range of indices.
#[derive(Clone, Debug)]
pub struct Runs<'a> {
    source: Source<'a>,
    /// The word that the front stands in and which of its bits are left; the same for the back.
    /// While both stand in one word, the bits left are those that both still have.
    front: usize,
    front_bits: u64,
    back: usize,
    back_bits: u64,
}

impl<'a> Runs<'a> {
    pub(super) fn new(occupancy: Occupancy<'a>) -> Self {
        let source = occupancy.source();
        let back = occupancy.slots().div_ceil(WORD_SLOTS).saturating_sub(1);
        Self { source, front: 0, front_bits: source.word(0), back, back_bits: source.word(back) }
    }

    /// Moves the front to the next word. The caller has checked that it is before the back.
    #[inline]
    fn step_front(&mut self) {
        self.front += 1;
        self.front_bits =
            if self.front == self.back { self.back_bits } else { self.source.word(self.front) };
    }

    /// Moves the back to the word before. The caller has checked that it is after the front.
    #[inline]
    fn step_back(&mut self) {
        self.back -= 1;
        self.back_bits =
            if self.front == self.back { self.front_bits } else { self.source.word(self.back) };
    }
}

#[cfg(feature = "rayon")]
impl Runs<'_> {
    /// Cuts what is left between two words in the middle, and says at which slot; a run that goes across
    /// becomes two. `None` if there is only one word left.
    pub(crate) fn split(&self) -> Option<(Self, usize, Self)> {
        if self.front == self.back {
            return None;
        }
        let middle = (self.front + self.back).div_ceil(2);
        let (mut left, mut right) = (self.clone(), self.clone());
        left.back = middle - 1;
        left.back_bits =
            if left.front == left.back { self.front_bits } else { self.source.word(left.back) };
        right.front = middle;
        right.front_bits =
            if right.front == right.back { self.back_bits } else { self.source.word(middle) };
        Some((left, middle * WORD_SLOTS, right))
    }
}

impl Iterator for Runs<'_> {
    type Item = Range<usize>;

    #[inline]
    fn next(&mut self) -> Option<Range<usize>> {
        if self.front == self.back {
            self.front_bits &= self.back_bits;
        }
        while self.front_bits == 0 {
            if self.front == self.back {
                self.back_bits = 0;
                return None;
            }
            self.step_front();
        }
        let first_bit = self.front_bits.trailing_zeros() as usize;
        let start = self.front * WORD_SLOTS + first_bit;
        // Adding 1 at the run's first bit carries through the run to the first 0 after it.
        let carried = self.front_bits.wrapping_add(1 << first_bit);
        self.front_bits &= carried;
        if carried != 0 {
            return Some(start..self.front * WORD_SLOTS + carried.trailing_zeros() as usize);
        }
        // The run reaches the end of its word: it may go on in the next.
        while self.front < self.back {
            self.step_front();
            let ones = self.front_bits.trailing_ones() as usize;
            if ones < WORD_SLOTS {
                self.front_bits &= !0 << ones;
                return Some(start..self.front * WORD_SLOTS + ones);
            }
            self.front_bits = 0;
        }
        Some(start..(self.front + 1) * WORD_SLOTS)
    }
}

impl DoubleEndedIterator for Runs<'_> {
    #[inline]
    fn next_back(&mut self) -> Option<Range<usize>> {
        if self.front == self.back {
            self.back_bits &= self.front_bits;
        }
        while self.back_bits == 0 {
            if self.front == self.back {
                self.front_bits = 0;
                return None;
            }
            self.step_back();
        }
        let bits_until = WORD_SLOTS - self.back_bits.leading_zeros() as usize;
        let end = self.back * WORD_SLOTS + bits_until;
        let ones = (self.back_bits << (WORD_SLOTS - bits_until)).leading_ones() as usize;
        if ones < bits_until {
            self.back_bits &= (1 << (bits_until - ones)) - 1;
            return Some(end - ones..end);
        }
        // The run reaches the start of its word: it may go on in the one before.
        self.back_bits = 0;
        while self.front < self.back {
            self.step_back();
            let ones = self.back_bits.leading_ones() as usize;
            if ones < WORD_SLOTS {
                self.back_bits &= !0 >> ones;
                return Some((self.back + 1) * WORD_SLOTS - ones..end);
            }
            self.back_bits = 0;
        }
        Some(self.back * WORD_SLOTS..end)
    }
}

impl FusedIterator for Runs<'_> {}

#[cfg(test)]
mod tests {
    use super::super::tests::{bits, occupancy, patterns};
    use alloc::vec::Vec;
    use core::ops::Range;

    fn runs_of(live: &[bool]) -> Vec<Range<usize>> {
        let mut runs: Vec<Range<usize>> = Vec::new();
        for (slot, _) in live.iter().enumerate().filter(|(_, live)| **live) {
            match runs.last_mut() {
                Some(run) if run.end == slot => run.end += 1,
                _ => runs.push(slot..slot + 1),
            }
        }
        runs
    }

    #[cfg(feature = "rayon")]
    #[test]
    fn are_cut_in_two_between_words() {
        fn slots_of(runs: super::Runs<'_>, lowest: usize, beyond: usize) -> Vec<usize> {
            let slots: Vec<_> = match runs.split() {
                Some((left, at, right)) => {
                    assert!(lowest < at && at < beyond && at % 64 == 0);
                    let mut slots = slots_of(left, lowest, at);
                    slots.extend(slots_of(right, at, beyond));
                    slots
                }
                None => runs.clone().flatten().collect(),
            };
            assert!(slots.iter().all(|slot| (lowest..beyond).contains(slot)));
            // From behind as well: the front of a half stands in any word, and nobody has taken from it.
            assert!(runs.rev().flat_map(Range::rev).eq(slots.iter().rev().copied()));
            slots
        }

        for live in patterns() {
            let bits = bits(&live);
            let runs = occupancy(&bits, &live).runs();
            let slots: Vec<_> = runs.clone().flatten().collect();
            assert_eq!(slots_of(runs.clone(), 0, live.len()), slots);
            // Also what is left after some were taken from both ends.
            let (mut rest, mut front, mut back) = (runs, Vec::new(), Vec::new());
            front.extend(rest.next().into_iter().flatten());
            back.extend(rest.next_back().into_iter().flatten());
            front.extend(slots_of(rest, 0, live.len()));
            front.extend(back);
            assert_eq!(front, slots);
        }
    }

    #[test]
    fn are_maximal_and_meet_from_both_ends() {
        for live in patterns() {
            let bits = bits(&live);
            let occupancy = occupancy(&bits, &live);
            let expected = runs_of(&live);
            assert_eq!(occupancy.runs().collect::<Vec<_>>(), expected);
            let mut backward: Vec<_> = occupancy.runs().rev().collect();
            backward.reverse();
            assert_eq!(backward, expected);
            for front in 0..=expected.len() {
                let mut runs = occupancy.runs();
                for run in &expected[..front] {
                    assert_eq!(runs.next().as_ref(), Some(run));
                }
                for run in expected[front..].iter().rev() {
                    assert_eq!(runs.next_back().as_ref(), Some(run));
                }
                assert_eq!((runs.next(), runs.next_back()), (None, None));
                assert_eq!((runs.next_back(), runs.next()), (None, None));
            }
        }
    }
}
