//! Runs cut in two, again and again, for several threads.

use super::words::Words;
use super::{Runs, WORD_SLOTS};

impl Words {
    /// Splits the rest between two words, near the middle; `None` if no live slot is left, or only one word is. Each
    /// half may have all of the remaining live slots. The back has loaded no word.
    pub(super) fn split(&self) -> Option<(Self, Self)> {
        let words = self.end.saturating_sub(self.behind_front()).div_ceil(WORD_SLOTS);
        let middle = self.behind_front() + words / 2 * WORD_SLOTS;
        let has_left = self.front_bits != 0 || self.behind_front() < middle;
        if self.is_over() || !has_left || middle >= self.end {
            return None;
        }
        let left = Self { end: middle, ..*self };
        let right = Self { front_bits: 0, front: middle - WORD_SLOTS, ..*self };
        Some((left, right))
    }
}

impl Runs<'_> {
    /// Splits the rest between two words, near the middle, and calls `make` for each half; a run that crosses this border
    /// becomes two. If only one word is left, or no live slot, calls it for the whole.
    pub(crate) fn split_into<I>(self, make: impl Fn(Self) -> I) -> (I, Option<I>) {
        let prefix = (self.prefix > 0).then(|| Words::of_range(0, self.prefix, self.source));
        let Some((left, right)) = prefix.as_ref().unwrap_or(&self.words).split() else {
            return (make(self), None);
        };
        // The left half does not look at words of the right one.
        let source = self.source.cut(right.behind_front() / WORD_SLOTS);
        let half = |source, words| make(Self { source, prefix: 0, words });
        (half(source, left), Some(half(self.source, right)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{bits, occupancy, patterns, prefix};
    use super::super::{Occupancy, Runs, Source, Words};
    use alloc::vec::Vec;

    #[test]
    fn are_cut_in_two_between_words() {
        fn slots_of(runs: Runs<'_>, lowest: usize, beyond: usize) -> Vec<usize> {
            let slots: Vec<_> = match runs.clone().split_into(|half| half) {
                (left, Some(right)) => {
                    let at = right.words.behind_front();
                    assert!(lowest < at && at < beyond && at % 64 == 0);
                    assert_eq!(
                        left.source.next_word(at / 64),
                        None,
                        "the right half's are not looked at"
                    );
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
            let words: Vec<u32> = live.iter().map(|live| u32::from(*live)).collect();
            let slots: Vec<usize> = (0..live.len()).filter(|slot| live[*slot]).collect();
            for source in [Source::of_bits(&bits), Source::of_wide(&words)] {
                let occupancy = Occupancy::new(source, live.len(), slots.len());
                assert_eq!(slots_of(occupancy.runs(), 0, live.len()), slots);
                let known = occupancy.with_prefix(prefix(&live)).runs();
                assert_eq!(slots_of(known, 0, live.len()), slots);
                // Also what is left after the first was taken.
                let mut rest = occupancy.runs();
                let mut all: Vec<_> = rest.next().into_iter().flatten().collect();
                all.extend(slots_of(rest, 0, live.len()));
                assert_eq!(all, slots);
            }
        }
    }

    #[test]
    fn are_not_cut_once_no_live_slot_is_left() {
        let (none, full) = ([0; 4], [!0; 4]);
        for (bits, live, known) in [(none, 0, None), (none, 0, Some(0)), (full, 256, Some(256))] {
            let occupancy = Occupancy::new(Source::of_bits(&bits), 256, live).with_prefix(known);
            let mut runs = occupancy.runs();
            assert_eq!(runs.next().is_some(), live > 0);
            assert!(runs.split_into(|half| half).1.is_none());
        }
    }

    /// Whatever was taken, also if the live slots are known to be the lowest.
    #[test]
    fn are_cut_near_the_middle_if_more_than_one_word_is_left() {
        let words_left = |words: &Words| {
            let between = words.end.saturating_sub(words.behind_front()).div_ceil(64);
            usize::from(words.front_bits != 0) + between
        };
        let is_cut_well = |runs: &Runs<'_>, left: usize| match runs.clone().split_into(|half| half)
        {
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
            let lowest = Occupancy::new(Source::of_bits(&full), 640, 64 * count - 9);
            let runs = lowest.with_prefix(Some(64 * count - 9)).runs();
            assert!(is_cut_well(&runs, count), "{count} words of a prefix");
        }
    }
}
