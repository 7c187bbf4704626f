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
    source: Source<'a>,
    /// The end of the only run, if it begins at slot 0, is known and was not yielded; otherwise 0.
    /// `words` lacks it.
    prefix: usize,
    words: Words,
}

impl<'a> Runs<'a> {
    #[inline(always)]
    pub(super) fn new(occupancy: Occupancy<'a>) -> Self {
        let (words, prefix) = Words::beyond_prefix(occupancy);
        Self { source: occupancy.source(), prefix, words }
    }
}

impl Runs<'_> {
    /// Splits the rest between two words, near the middle, and calls `make` for each half; a run that crosses this border
    /// becomes two. If only one word is left, calls it for the whole.
    pub(crate) fn split_into<I>(self, make: impl Fn(Self) -> I) -> (I, Option<I>) {
        let prefix = (self.prefix > 0).then(|| Words::of_range(0, self.prefix, self.source));
        let Some((left, right)) = prefix.as_ref().unwrap_or(&self.words).split() else {
            return (make(self), None);
        };
        // The left half does not look at words of the right one.
        let source = match self.source {
            Source::Bits(words) => {
                Source::Bits(words.get(..right.behind_front() / WORD_SLOTS).unwrap_or(words))
            }
            other => other,
        };
        let half = |source, words| make(Self { source, prefix: 0, words });
        (half(source, left), Some(half(self.source, right)))
    }
}

impl Iterator for Runs<'_> {
    type Item = Range<usize>;

    #[inline(always)]
    fn next(&mut self) -> Option<Range<usize>> {
        let words = &mut self.words;
        if !words.is_in_word() {
            if self.prefix > 0 {
                return Some(0..mem::take(&mut self.prefix));
            }
            if !words.load_front::<true>(self.source) {
                return None;
            }
        }
        let start = words.front() + words.front_bits.trailing_zeros() as usize;
        // Adding 1 at the run's first bit carries through the run to the first 0 after it.
        let lowest = words.front_bits & words.front_bits.wrapping_neg();
        let carried = words.front_bits.wrapping_add(lowest);
        words.front_bits &= carried;
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
    #[cfg(feature = "rayon")]
    use super::super::tests::occupancy;
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

    #[cfg(feature = "rayon")]
    #[test]
    fn are_cut_in_two_between_words() {
        fn slots_of(runs: super::Runs<'_>, lowest: usize, beyond: usize) -> Vec<usize> {
            let slots: Vec<_> = match runs.clone().split_into(|half| half) {
                (left, Some(right)) => {
                    let at = right.words.behind_front();
                    assert!(lowest < at && at < beyond && at % 64 == 0);
                    let mut slots = slots_of(left, lowest, at);
                    slots.extend(slots_of(right, at, beyond));
                    slots
                }
                (whole, None) => whole.flatten().collect(),
            };
            assert!(slots.iter().all(|slot| (lowest..beyond).contains(slot)));
            slots
        }

        for live in patterns() {
            let bits = bits(&live);
            let runs = occupancy(&bits, &live).runs();
            let slots: Vec<_> = runs.clone().flatten().collect();
            assert_eq!(slots_of(runs.clone(), 0, live.len()), slots);
            let known = occupancy(&bits, &live).with_prefix(prefix(&live)).runs();
            assert_eq!(slots_of(known, 0, live.len()), slots);
            // Also what is left after the first was taken.
            let mut rest = runs;
            let mut all: Vec<_> = rest.next().into_iter().flatten().collect();
            all.extend(slots_of(rest, 0, live.len()));
            assert_eq!(all, slots);
        }
    }

    /// From sources of both kinds.
    #[test]
    fn are_maximal_and_in_order() {
        for live in patterns() {
            let bits = bits(&live);
            let words: Vec<u32> = live.iter().map(|live| u32::from(*live)).collect();
            let count = live.iter().filter(|live| **live).count();
            let expected = runs_of(&live);
            for source in [Source::Bits(&bits), Source::Wide(&words)] {
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

    /// Whatever was taken, also if the live slots are known to be the lowest.
    #[cfg(feature = "rayon")]
    #[test]
    fn are_cut_near_the_middle_if_more_than_one_word_is_left() {
        let words_left = |words: &super::Words| {
            let between = words.end.saturating_sub(words.behind_front()).div_ceil(64);
            usize::from(words.front_bits != 0) + between
        };
        let is_cut_well =
            |runs: &super::Runs<'_>, left: usize| match runs.clone().split_into(|half| half) {
                (lower, Some(upper)) => {
                    let halves = (words_left(&lower.words), words_left(&upper.words));
                    halves.0 + halves.1 == left && halves.0.abs_diff(halves.1) <= 1
                }
                (_, None) => left <= 1,
            };
        for count in 1..10 {
            let two_runs = |slot: usize| (10..20).contains(&(slot % 64)) || slot % 64 == 40;
            let live: Vec<bool> = (0..64 * count).map(two_runs).collect();
            let bits = bits(&live);
            for front in 0..2 * count {
                let mut runs = occupancy(&bits, &live).runs();
                runs.by_ref().take(front).for_each(drop);
                assert!(is_cut_well(&runs, words_left(&runs.words)), "{front}");
            }
            let full = [!0; 10];
            let lowest = Occupancy::new(Source::Bits(&full), 640, 64 * count - 9);
            let runs = lowest.with_prefix(Some(64 * count - 9)).runs();
            assert!(is_cut_well(&runs, count), "{count} words of a prefix");
        }
    }
}
