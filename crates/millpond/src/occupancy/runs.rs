use core::iter::FusedIterator;
use core::mem;
use core::ops::Range;

use super::words::Words;
use super::{Occupancy, Source, WORD_SLOTS};

/// An iterator over the runs of live slots of an [`Occupancy`] in index order. Each item is a
/// maximal stretch of adjacent live slots, as a range of indices.
///
/// No two runs overlap, whatever the bits are; code that lends the runs of an array mutably relies
/// on this.
#[derive(Clone, Debug)]
pub struct Runs<'a> {
    pub(super) source: Source<'a>,
    /// The end of the only run, if it begins at slot 0, is known and was not yielded; otherwise 0.
    /// `words` lacks it.
    pub(super) prefix: usize,
    pub(super) words: Words,
}

impl<'a> Runs<'a> {
    #[inline(always)]
    pub(super) fn new(occupancy: Occupancy<'a>) -> Self {
        let (words, prefix) = Words::beyond_prefix(occupancy);
        Self { source: occupancy.source(), prefix, words }
    }
}

impl Iterator for Runs<'_> {
    type Item = Range<usize>;

    #[inline(always)]
    fn next(&mut self) -> Option<Range<usize>> {
        let words = &mut self.words;
        let bits = match words.in_word() {
            Some(bits) => bits,
            None if self.prefix > 0 => return Some(0..mem::take(&mut self.prefix)),
            None => words.load_front(self.source)?,
        };
        let start = words.front() + bits.trailing_zeros() as usize;
        // Adding 1 at the run's first bit carries through the run to the first 0 after it.
        let carried = bits.get().wrapping_add(bits.get() & bits.get().wrapping_neg());
        words.front_bits = bits.get() & carried;
        let end = if carried != 0 {
            words.front() + carried.trailing_zeros() as usize
        } else {
            words.end_of_run(self.source)
        };
        words.count(end - start);
        Some(start..end)
    }
}

impl Words {
    /// Where a run ends that reaches the end of the front's word.
    #[inline(always)]
    fn end_of_run(&mut self, source: Source<'_>) -> usize {
        loop {
            if !self.has_between() {
                self.front_bits = 0;
                return self.behind_front();
            }
            self.step_front(source);
            let ones = self.front_bits.trailing_ones() as usize;
            if ones < WORD_SLOTS {
                self.front_bits &= !0 << ones;
                return self.front() + ones;
            }
        }
    }
}

impl FusedIterator for Runs<'_> {}

#[cfg(test)]
mod tests {
    use super::super::tests::{bits, patterns, prefix};
    use super::super::{Occupancy, Source};
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

    /// From sources of both kinds.
    #[test]
    fn are_maximal_and_in_order() {
        for live in patterns() {
            let bits = bits(&live);
            let words: Vec<u32> = live.iter().map(|live| u32::from(*live)).collect();
            let count = live.iter().filter(|live| **live).count();
            let expected = runs_of(&live);
            for source in [Source::of_bits(&bits), Source::of_wide(&words)] {
                for known in [None, prefix(&live)] {
                    let occupancy = Occupancy::new(source, live.len(), count).with_prefix(known);
                    let mut runs = occupancy.runs();
                    for left in 0..expected.len() {
                        assert!(runs.clone().eq(expected[left..].iter().cloned()));
                        assert_eq!(runs.next().as_ref(), Some(&expected[left]));
                    }
                    assert_eq!((runs.next(), runs.next()), (None, None));
                }
            }
        }
    }
}
