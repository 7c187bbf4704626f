use core::iter::FusedIterator;
use core::ops::Range;

use super::{Occupancy, Source, WORD_SLOTS};

/// The live slots of an [`Occupancy`] in index order.
///
/// Its `for_each` and `fold` (and all that is built on them) walk full words as plain loops; prefer
/// them over `for` in hot code.
#[derive(Clone, Debug)]
pub struct LiveSlots<'a> {
    source: Source<'a>,
    walk: LiveWalk,
}

/// The state of [`LiveSlots`], for those who change slots on the way: the occupancy is shown to it at
/// each step. What it has handed out may die; nothing else may change.
#[derive(Clone, Debug)]
pub(crate) struct LiveWalk {
    /// What the two ends have loaded and not handed out yet, and what is between them.
    front: Loaded,
    between: Between,
    back: Loaded,
}

/// Live slots of one word, or a run through several full ones.
#[derive(Clone, Debug, Default)]
struct Loaded {
    /// All of these slots; if there are any, there are no bits.
    run: Range<usize>,
    /// And those with a bit, counted from this slot on.
    first: usize,
    bits: u64,
}

impl Loaded {
    #[inline]
    fn len(&self) -> usize {
        self.run.len() + self.bits.count_ones() as usize
    }

    #[inline]
    fn next(&mut self) -> Option<usize> {
        if self.run.start < self.run.end {
            self.run.start += 1;
            return Some(self.run.start - 1);
        }
        if self.bits != 0 {
            let bit = self.bits.trailing_zeros() as usize;
            self.bits &= self.bits - 1;
            return Some(self.first + bit);
        }
        None
    }

    #[inline]
    fn next_back(&mut self) -> Option<usize> {
        if self.bits != 0 {
            let bit = WORD_SLOTS - 1 - self.bits.leading_zeros() as usize;
            self.bits &= !(1 << bit);
            return Some(self.first + bit);
        }
        self.run.next_back()
    }

    #[inline]
    fn fold<A>(self, mut value: A, f: &mut impl FnMut(A, usize) -> A) -> A {
        for slot in self.run {
            value = f(value, slot);
        }
        let mut bits = self.bits;
        while bits != 0 {
            value = f(value, self.first + bits.trailing_zeros() as usize);
            bits &= bits - 1;
        }
        value
    }
}

/// The words that neither end has loaded.
#[derive(Clone, Debug)]
struct Between {
    words: Range<usize>,
    /// How many live slots they have. That no slot comes twice does not depend on it; and should they have
    /// more, those are not told of, instead of a number below 0.
    live: usize,
}

impl Between {
    #[inline]
    fn tell_of(&mut self, slots: usize) {
        self.live = self.live.saturating_sub(slots);
    }

    /// The lowest live slots: of one word, or all of adjacent full ones.
    #[inline]
    fn split_front(mut self, source: Source<'_>) -> (Option<Loaded>, Self) {
        while self.live > 0 && !self.words.is_empty() {
            let word = self.words.start;
            self.words.start += 1;
            let (first, bits) = (word * WORD_SLOTS, source.word(word));
            if bits == !0 {
                self.tell_of(WORD_SLOTS);
                while !self.words.is_empty() && source.word(self.words.start) == !0 {
                    self.words.start += 1;
                    self.tell_of(WORD_SLOTS);
                }
                let run = first..self.words.start * WORD_SLOTS;
                return (Some(Loaded { run, first: 0, bits: 0 }), self);
            }
            if bits != 0 {
                self.tell_of(bits.count_ones() as usize);
                return (Some(Loaded { run: 0..0, first, bits }), self);
            }
        }
        (None, self)
    }

    /// The highest live slots, of one word.
    #[inline]
    fn split_back(mut self, source: Source<'_>) -> (Option<Loaded>, Self) {
        while self.live > 0 && !self.words.is_empty() {
            self.words.end -= 1;
            let (first, bits) = (self.words.end * WORD_SLOTS, source.word(self.words.end));
            if bits != 0 {
                self.tell_of(bits.count_ones() as usize);
                let loaded = if bits == !0 {
                    Loaded { run: first..first + WORD_SLOTS, first: 0, bits: 0 }
                } else {
                    Loaded { run: 0..0, first, bits }
                };
                return (Some(loaded), self);
            }
        }
        (None, self)
    }
}

/// What happens once in a word takes the state by value and gives it back, so that the loops over slots
/// keep theirs in registers.
impl LiveWalk {
    #[inline]
    pub(crate) fn new(occupancy: Occupancy<'_>) -> Self {
        let words = 0..occupancy.slots().div_ceil(WORD_SLOTS);
        Self {
            front: Loaded::default(),
            between: Between { words, live: occupancy.live() },
            back: Loaded::default(),
        }
    }

    #[inline]
    pub(crate) fn next(&mut self, occupancy: Occupancy<'_>) -> Option<usize> {
        self.next_of(occupancy.source())
    }

    #[inline]
    pub(crate) fn next_back(&mut self, occupancy: Occupancy<'_>) -> Option<usize> {
        self.next_back_of(occupancy.source())
    }

    #[inline(always)]
    fn next_of(&mut self, source: Source<'_>) -> Option<usize> {
        if let Some(slot) = self.front.next() {
            return Some(slot);
        }
        *self = self.clone().refilled_front(source);
        self.front.next()
    }

    #[inline(always)]
    fn next_back_of(&mut self, source: Source<'_>) -> Option<usize> {
        if let Some(slot) = self.back.next_back() {
            return Some(slot);
        }
        *self = self.clone().refilled_back(source);
        self.back.next_back()
    }

    /// The next words at the front, and at last what the back has left.
    #[inline(never)]
    fn refilled_front(self, source: Source<'_>) -> Self {
        let (loaded, between) = self.between.split_front(source);
        match loaded {
            Some(front) => Self { front, between, back: self.back },
            None => Self { front: self.back, between, back: Loaded::default() },
        }
    }

    /// The same from behind.
    #[inline(never)]
    fn refilled_back(self, source: Source<'_>) -> Self {
        let (loaded, between) = self.between.split_back(source);
        match loaded {
            Some(back) => Self { front: self.front, between, back },
            None => Self { front: Loaded::default(), between, back: self.front },
        }
    }

    #[inline]
    fn len(&self) -> usize {
        self.front.len() + self.between.live + self.back.len()
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

    #[inline]
    fn next(&mut self) -> Option<usize> {
        self.walk.next_of(self.source)
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

    #[inline]
    fn fold<A, F: FnMut(A, usize) -> A>(self, start: A, mut f: F) -> A {
        let Self { source, walk: LiveWalk { front, mut between, back } } = self;
        let mut value = front.fold(start, &mut f);
        loop {
            let (loaded, rest) = between.split_front(source);
            let Some(loaded) = loaded else { break };
            value = loaded.fold(value, &mut f);
            between = rest;
        }
        back.fold(value, &mut f)
    }
}

impl DoubleEndedIterator for LiveSlots<'_> {
    #[inline]
    fn next_back(&mut self) -> Option<usize> {
        self.walk.next_back_of(self.source)
    }
}

impl ExactSizeIterator for LiveSlots<'_> {}
impl FusedIterator for LiveSlots<'_> {}

#[cfg(test)]
mod tests {
    use super::super::tests::{bits, occupancy, patterns};
    use super::super::{Occupancy, Source};
    use alloc::vec::Vec;

    /// A number that does not fit the bits is a defect of whoever gave it: what comes is live all the same, in
    /// order, and there is an end.
    #[test]
    fn more_bits_than_were_counted_do_no_harm() {
        for live in patterns() {
            let bits = bits(&live);
            let slots: Vec<usize> = (0..live.len()).filter(|i| live[*i]).collect();
            for count in [0, 1, slots.len() / 2, slots.len().saturating_sub(1)] {
                let occupancy = Occupancy::new(Source::Bits(&bits), live.len(), count);
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
