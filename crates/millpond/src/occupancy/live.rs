use core::iter::FusedIterator;
use core::num::NonZero;

use super::words::Words;
use super::{Occupancy, Source};

/// An iterator over the live slots of an [`Occupancy`] in index order.
///
/// `for_each`, `fold` and the methods built on them use a plain loop for each 64 adjacent slots
/// that are all live; prefer them to a `for` loop in hot code.
#[derive(Clone, Debug)]
pub struct LiveSlots<'a> {
    source: Source<'a>,
    walk: LiveWalk,
}

/// The state of [`LiveSlots`] without the borrow, for callers that change slots while iterating:
/// they pass the occupancy at each step. Slots that were yielded may die; nothing else may change.
#[derive(Clone, Debug)]
pub(crate) struct LiveWalk {
    /// What is left of the [prefix](Words::beyond_prefix).
    at: usize,
    until: usize,
    words: Words,
}

/// By what a `for` loop goes.
///
/// No step forward changes it. So compilers make a loop of its own for each way if the body is small, in which nothing is left
/// of the others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    /// The prefix, and then nothing.
    Prefix,
    /// One run of a word after the other.
    Runs,
    Bits,
}

/// Whether the live slots of a word are adjacent.
#[inline(always)]
fn is_one_run(bits: NonZero<u64>) -> bool {
    let starts = bits.get() & !(bits.get() << 1);
    starts & starts.wrapping_sub(1) == 0
}

/// The live slots of the words in index order, bit by bit, from both ends.
impl Words {
    /// The way of a walk with this prefix that has yielded nothing.
    #[inline(always)]
    pub(crate) fn way(&self, prefix: usize) -> Way {
        if prefix > 0 {
            Way::Prefix
        } else if self.has_between() && self.has_long_runs(7) {
            // Not if there is only one word, so that small pools need one test. With fewer live slots, shorter runs win less
            // than they lose in programs that go over so many pools that a processor learns none.
            Way::Runs
        } else {
            Way::Bits
        }
    }

    #[inline(always)]
    pub(crate) fn next(&mut self, source: Source<'_>) -> Option<usize> {
        let bits = self.find_word(source)?;
        Some(self.front() + self.take_first(bits))
    }

    /// The bits that are left of the word that slots are taken from.
    #[inline(always)]
    pub(crate) fn in_word(&self) -> Option<NonZero<u64>> {
        NonZero::new(self.front_bits)
    }

    /// The same of the next word with slots that are left, if this one has none.
    #[inline(always)]
    pub(crate) fn find_word(&mut self, source: Source<'_>) -> Option<NonZero<u64>> {
        self.in_word().or_else(|| self.load_front(source))
    }

    /// Takes the first of the slots that are left [of the word](Self::in_word): its distance from the [front](Self::front).
    #[inline(always)]
    pub(crate) fn take_first(&mut self, in_word: NonZero<u64>) -> usize {
        self.front_bits = in_word.get() & (in_word.get() - 1);
        self.count(1);
        in_word.trailing_zeros() as usize
    }

    /// Takes the first run of those slots: the distance of its first from the [front](Self::front), and how many they are, one
    /// at least.
    #[inline(always)]
    pub(crate) fn take_run(&mut self, in_word: NonZero<u64>) -> (usize, usize) {
        let bits = in_word.get();
        // Adding 1 at the run's first bit carries through the run to the first 0 after it.
        let carried = bits.wrapping_add(bits & bits.wrapping_neg());
        let first = in_word.trailing_zeros() as usize;
        let len = carried.trailing_zeros() as usize - first;
        self.front_bits = bits & carried;
        self.count(len);
        (first, len)
    }

    /// Takes what is left of the prefix, so that the back can yield it.
    #[inline]
    pub(crate) fn take_rest(&mut self, at: usize, until: usize, source: Source<'_>) {
        if at < until {
            *self = Self::of_range(at, until, source);
        }
    }

    /// What is left, from the front.
    #[inline(always)]
    pub(crate) fn fold<A, F: FnMut(A, usize) -> A>(
        mut self,
        source: Source<'_>,
        start: A,
        mut f: F,
    ) -> A {
        let mut value = start;
        if self.is_over() {
            return value;
        }
        loop {
            if self.front_bits == !0 {
                // Adjacent full words are one loop, which the compiler knows to be a multiple of 64
                // long.
                let first = self.front();
                while self.is_next_full(source) {
                    self.step_front(source);
                }
                self.count(self.behind_front() - first);
                for slot in first..self.behind_front() {
                    value = f(value, slot);
                }
            } else if let Some(run) = self.in_word().filter(|bits| is_one_run(*bits)) {
                let (first, len) = self.take_run(run);
                for slot in self.front() + first..self.front() + first + len {
                    value = f(value, slot);
                }
            } else {
                // The first word is taken bit by bit, so that small pools need no test.
                if self.front() > 0 && self.has_long_runs(6) {
                    while let Some(bits) = self.in_word() {
                        let (first, len) = self.take_run(bits);
                        for slot in self.front() + first..self.front() + first + len {
                            value = f(value, slot);
                        }
                    }
                }
                let mut bits = self.front_bits;
                while bits != 0 {
                    value = f(value, self.front() + bits.trailing_zeros() as usize);
                    bits &= bits - 1;
                    self.count(1);
                }
            }
            self.front_bits = 0;
            if self.load_front(source).is_none() {
                return value;
            }
        }
    }
}

impl LiveWalk {
    #[inline(always)]
    pub(crate) fn new(occupancy: Occupancy<'_>) -> Self {
        let (words, until) = Words::beyond_prefix(occupancy);
        Self { at: 0, until, words }
    }

    #[inline(always)]
    pub(crate) fn next(&mut self, source: Source<'_>) -> Option<usize> {
        if self.at < self.until {
            self.at += 1;
            return Some(self.at - 1);
        }
        self.words.next(source)
    }

    #[inline(always)]
    pub(crate) fn next_back(&mut self, source: Source<'_>) -> Option<usize> {
        self.words.take_rest(self.at, self.until, source);
        self.until = self.at;
        self.words.next_back(source)
    }

    #[inline]
    fn len(&self) -> usize {
        self.until - self.at + self.words.left()
    }
}

impl<'a> LiveSlots<'a> {
    #[inline]
    pub(super) fn new(occupancy: Occupancy<'a>) -> Self {
        Self { source: occupancy.source(), walk: LiveWalk::new(occupancy) }
    }
}

impl Iterator for LiveSlots<'_> {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        self.walk.next(self.source)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.walk.len(), Some(self.walk.len()))
    }

    #[inline]
    fn count(self) -> usize {
        self.walk.len()
    }

    #[inline]
    fn last(mut self) -> Option<usize> {
        self.next_back()
    }

    #[inline(always)]
    fn fold<A, F: FnMut(A, usize) -> A>(self, start: A, mut f: F) -> A {
        let Self { source, walk: LiveWalk { at, until, words } } = self;
        let mut value = start;
        for slot in at..until {
            value = f(value, slot);
        }
        words.fold(source, value, f)
    }
}

impl DoubleEndedIterator for LiveSlots<'_> {
    #[inline]
    fn next_back(&mut self) -> Option<usize> {
        self.walk.next_back(self.source)
    }
}

impl ExactSizeIterator for LiveSlots<'_> {}
impl FusedIterator for LiveSlots<'_> {}

#[cfg(test)]
mod tests {
    use super::super::tests::{bits, occupancy, patterns, prefix, random};
    use super::super::{LiveWalk, Occupancy, Source, WORD_SLOTS};
    use alloc::collections::VecDeque;
    use alloc::vec::Vec;

    /// Steps of all kinds in random order, beside a queue of the live slots; after each, what a clone yields.
    #[test]
    fn does_what_a_queue_does() {
        let mut seed = 1;
        for live in patterns() {
            let bits = bits(&live);
            let words: Vec<u16> = live.iter().map(|live| if *live { 3 } else { 0x8003 }).collect();
            let count = live.iter().filter(|live| **live).count();
            // Where there is a bitmap, nobody asks the words, which say here that all slots are live.
            let full = alloc::vec![3; live.len()];
            let by_both = Source::of_wide(&full).with_bits(&bits);
            let sources = [Source::of_bits(&bits), Source::of_narrow(&words), by_both];
            for (source, known) in sources.into_iter().flat_map(|s| [(s, None), (s, prefix(&live))])
            {
                let occupancy = Occupancy::new(source, live.len(), count).with_prefix(known);
                let mut slots = occupancy.iter();
                let mut queue: VecDeque<usize> = (0..live.len()).filter(|i| live[*i]).collect();
                loop {
                    assert_eq!((slots.len(), slots.clone().count()), (queue.len(), queue.len()));
                    let skipped = (random(&mut seed) % 40) as usize;
                    match random(&mut seed) % 8 {
                        0..=2 => assert_eq!(slots.next(), queue.pop_front()),
                        3..=5 => assert_eq!(slots.next_back(), queue.pop_back()),
                        6 => {
                            queue.drain(..skipped.min(queue.len()));
                            assert_eq!(slots.nth(skipped), queue.pop_front());
                        }
                        _ => {
                            queue.truncate(queue.len().saturating_sub(skipped));
                            assert_eq!(slots.nth_back(skipped), queue.pop_back());
                        }
                    }
                    // Not after every step, as each of these takes as long as a walk.
                    if random(&mut seed) % 16 == 0 || queue.len() < 4 {
                        assert!(slots.clone().eq(queue.iter().copied()));
                        assert!(slots.clone().rev().eq(queue.iter().rev().copied()));
                        let mut folded = Vec::new();
                        slots.clone().for_each(|slot| folded.push(slot));
                        assert!(folded.iter().eq(&queue));
                        assert_eq!(slots.clone().last(), queue.back().copied());
                    }
                    if queue.is_empty() {
                        assert_eq!((slots.next(), slots.next_back()), (None, None));
                        assert_eq!((slots.len(), slots.fold(0, |n, _| n + 1)), (0, 0));
                        break;
                    }
                }
            }
        }
    }

    /// A walk that is passed the occupancy at each step does the same, also when yielded slots die
    /// and the bits come from another source in between.
    #[test]
    fn a_walk_goes_on_while_slots_die() {
        let mut seed = 2;
        for mut live in patterns().flat_map(|live| [live.clone(), live]) {
            let mut queue: VecDeque<usize> = (0..live.len()).filter(|i| live[*i]).collect();
            let known = if random(&mut seed) % 2 == 0 { prefix(&live) } else { None };
            let mut walk = LiveWalk::new(occupancy(&bits(&live), &live).with_prefix(known));
            loop {
                let bits = bits(&live);
                let words: Vec<u16> = live.iter().map(|live| u16::from(*live)).collect();
                let count = live.iter().filter(|live| **live).count();
                let occupancy = match random(&mut seed) % 2 {
                    0 => occupancy(&bits, &live),
                    _ => Occupancy::new(Source::of_narrow(&words), live.len(), count),
                };
                let (slot, expected) = match random(&mut seed) % 3 {
                    0 | 1 => (walk.next(occupancy.source()), queue.pop_front()),
                    _ => (walk.next_back(occupancy.source()), queue.pop_back()),
                };
                assert_eq!(slot, expected);
                let Some(slot) = slot else { break };
                live[slot] = random(&mut seed) % 2 == 0;
            }
        }
    }

    #[test]
    fn few_live_slots_among_many_empty_words_are_found_from_both_ends() {
        let mut seed = 4;
        let mut below = |end: usize| random(&mut seed) as usize % end;
        for words in [1, 2, 8, 9, 10, 17, 40] {
            for _ in 0..50 {
                let mut live = alloc::vec![false; words * WORD_SLOTS - below(WORD_SLOTS)];
                for _ in 0..below(5) {
                    let slot = below(live.len());
                    live[slot] = true;
                }
                let bits = bits(&live);
                let occupancy = occupancy(&bits, &live);
                let expected: Vec<usize> = (0..live.len()).filter(|slot| live[*slot]).collect();
                let mut folded = Vec::new();
                occupancy.iter().for_each(|slot| folded.push(slot));
                assert_eq!(folded, expected);
                assert!(occupancy.runs().flatten().eq(expected.iter().copied()));
                let (mut slots, mut front, mut back) = (occupancy.iter(), Vec::new(), Vec::new());
                for _ in 0..=expected.len() {
                    match below(2) {
                        0 => front.extend(slots.next()),
                        _ => back.extend(slots.next_back()),
                    }
                }
                front.extend(back.into_iter().rev());
                assert_eq!(front, expected);
            }
        }
    }

    /// Whatever the count, each slot is yielded at most once, in order, and the iteration ends.
    #[test]
    fn a_wrong_count_does_no_harm() {
        let mut seed = 3;
        for live in patterns() {
            let bits = bits(&live);
            let slots: Vec<usize> = (0..live.len()).filter(|i| live[*i]).collect();
            let more = [slots.len() + 1, slots.len() + 64, live.len() * 2 + 1];
            for count in
                [0, 1, slots.len() / 2, slots.len().saturating_sub(1)].into_iter().chain(more)
            {
                let occupancy = Occupancy::new(Source::of_bits(&bits), live.len(), count);
                let mut folded = Vec::new();
                occupancy.iter().for_each(|slot| folded.push(slot));
                assert!(slots.starts_with(&folded));
                assert!(count < slots.len() || folded == slots);
                for _ in 0..4 {
                    let (mut iter, mut front, mut back) =
                        (occupancy.iter(), Vec::new(), Vec::new());
                    loop {
                        let is_front = random(&mut seed) % 2 == 0;
                        let slot = if is_front { iter.next() } else { iter.next_back() };
                        let Some(slot) = slot else { break };
                        if is_front { front.push(slot) } else { back.push(slot) }
                    }
                    back.reverse();
                    assert!(slots.starts_with(&front) && slots.ends_with(&back));
                    assert!(front.len() + back.len() <= slots.len());
                    assert_eq!((iter.next(), iter.next_back(), iter.len()), (None, None, 0));
                }
                let mut seen = 0;
                for run in occupancy.runs() {
                    assert!(seen <= run.start && run.start < run.end && run.end <= live.len());
                    assert!(run.clone().all(|slot| live[slot]));
                    seen = run.end;
                }
            }
        }
    }

    /// A count that does not match the bits is the caller's bug. All slots yielded are still live
    /// and in order, and the iteration ends.
    #[test]
    fn more_bits_than_were_counted_do_no_harm() {
        for live in patterns() {
            let bits = bits(&live);
            let slots: Vec<usize> = (0..live.len()).filter(|i| live[*i]).collect();
            for count in [0, 1, slots.len() / 2, slots.len().saturating_sub(1)] {
                let occupancy = Occupancy::new(Source::of_bits(&bits), live.len(), count);
                let told: Vec<usize> = occupancy.iter().collect();
                assert!(slots.starts_with(&told));
                let mut back: Vec<usize> = occupancy.iter().rev().collect();
                back.reverse();
                assert!(slots.ends_with(&back));
                let mut iter = occupancy.iter();
                while iter.next().is_some() && iter.next_back().is_some() {
                    assert!(iter.len() <= slots.len());
                }
            }
        }
    }

    #[test]
    fn meets_itself_after_any_number_of_steps_from_both_ends() {
        for live in patterns() {
            let bits = bits(&live);
            let occupancy = occupancy(&bits, &live);
            let slots: Vec<usize> = (0..live.len()).filter(|i| live[*i]).collect();
            assert_eq!(occupancy.iter().collect::<Vec<_>>(), slots);
            assert_eq!(occupancy.iter().last(), slots.last().copied());
            for front in 0..=slots.len() {
                // Every split would be cubic, so: the ends, the middle, and a step into each.
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

    /// The slots before it may have died by then, and the front's word may have others above it.
    #[test]
    fn what_is_left_of_a_prefix_is_taken_from_the_back() {
        for (at, until) in
            [(0_usize, 40_usize), (0, 64), (5, 150), (64, 128), (70, 100), (127, 128)]
        {
            let live_until = if until - at < 64 { until.next_multiple_of(64) } else { until };
            let live: Vec<bool> = (0..200).map(|slot| (at..live_until).contains(&slot)).collect();
            let bits = bits(&live);
            let source = Source::of_bits(&bits);
            let mut rest = super::Words::over(200);
            rest.take_rest(at, until, source);
            assert_eq!(rest.left(), until - at);
            let slots: Vec<_> = core::iter::from_fn(|| rest.next_back(source)).collect();
            assert!(slots.into_iter().eq((at..until).rev()), "{at}..{until}");
        }
    }

    /// The words next to each other are those that count, not one as far away as there are slots.
    #[test]
    fn a_full_word_far_away_is_not_taken_for_the_next() {
        let mut bits = alloc::vec![0; 64 * 64 + 1];
        (bits[0], bits[1], bits[64 * 64]) = (!0, 0b101, !0);
        let occupancy = Occupancy::new(Source::of_bits(&bits), 64 * bits.len(), 130);
        let mut folded = Vec::new();
        occupancy.iter().for_each(|slot| folded.push(slot));
        assert!(folded.into_iter().eq((0..64).chain([64, 66]).chain(1 << 18..(1 << 18) + 64)));
    }
}
