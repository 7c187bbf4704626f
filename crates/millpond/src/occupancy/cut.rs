use super::words::Words;
use super::{Occupancy, Source, WORD_SLOTS};

/// The live slots of an occupancy in index order, bit by bit, from both ends, for callers whose slots lie in blocks: they learn where a block begins, so that its address is looked up once.
///
/// A word of the bitmap may be in several blocks. So the front yields the bits of one block at a time, and the others
/// wait in `rest`:
///
/// ```text
/// word, not loaded by the front yet    rest         front_bits    yielded
///                    11011011 10110110 ┊ 11101101 11110111 ┊ 0111 1101
///                                      └─ where blocks end ─┘
/// ```
#[derive(Clone, Debug)]
pub(crate) struct CutBits {
    /// Has in `front_bits` what is left of the block.
    words: Words,
    /// Bits of the front's word in later blocks.
    rest: u64,
}

/// The lowest bits, as many as there are slots up to the end of a block.
#[inline(always)]
fn bits_within(slots: usize) -> u64 {
    match slots < WORD_SLOTS {
        true => (1 << slots) - 1,
        false => !0,
    }
}

impl CutBits {
    /// No slots.
    pub(crate) const EMPTY: Self = Self { words: Words::EMPTY, rest: 0 };

    #[inline(always)]
    pub(crate) fn new(occupancy: Occupancy<'_>) -> Self {
        let mut words = Words::new(occupancy);
        let rest = core::mem::take(&mut words.front_bits);
        Self { words, rest }
    }

    /// How many live slots are left.
    #[inline(always)]
    pub(crate) fn left(&self) -> usize {
        self.words.left()
    }

    /// The first slot of the front's word.
    #[inline(always)]
    pub(crate) fn first_of_word(&self) -> usize {
        self.words.front()
    }

    /// Whether slots are left in the block that the front is in.
    #[inline(always)]
    pub(crate) fn has_bits_of_block(&self) -> bool {
        self.words.front_bits != 0
    }

    /// The next slot, which is in another block or word; the caller [enters](Self::enter) it.
    #[inline(always)]
    pub(crate) fn next_block(&mut self, source: Source<'_>) -> Option<usize> {
        if self.rest == 0 {
            if !self.words.load_front::<false>(source) {
                return None;
            }
            self.rest = core::mem::take(&mut self.words.front_bits);
        }
        Some(self.words.front() + self.rest.trailing_zeros() as usize)
    }

    /// Has the front yield what is left of its word up to the end of a block.
    #[inline(always)]
    pub(crate) fn enter(&mut self, end_of_block: usize) {
        let within = bits_within(end_of_block - self.words.front());
        self.words.front_bits = self.rest & within;
        self.rest &= !within;
    }

    /// The next slot as its distance from the [first of its word](Self::first_of_word). There
    /// [is](Self::has_bits_of_block) one in the block.
    #[inline(always)]
    pub(crate) fn next_in_word(&mut self) -> usize {
        let bits = self.words.front_bits;
        self.words.front_bits = bits & bits.wrapping_sub(1);
        self.words.count(1);
        bits.trailing_zeros() as usize
    }

    /// The last slot that is left. The front enters a block before it yields the next one.
    #[inline]
    pub(crate) fn next_back(&mut self, source: Source<'_>) -> Option<usize> {
        self.words.front_bits |= core::mem::take(&mut self.rest);
        let slot = self.words.next_back(source);
        self.rest = core::mem::take(&mut self.words.front_bits);
        slot
    }

    /// What is left, from the front, as the bits of each word in a block. `end_of_block` returns where the block of a slot
    /// ends; `f` gets the first slot of the word and the bits, which are not 0.
    #[inline(always)]
    pub(crate) fn fold_parts<A>(
        self,
        source: Source<'_>,
        start: A,
        end_of_block: impl Fn(usize) -> usize,
        mut f: impl FnMut(A, usize, u64) -> A,
    ) -> A {
        let Self { mut words, rest } = self;
        words.front_bits |= rest;
        let mut value = start;
        if words.is_over() {
            return value;
        }
        loop {
            let (first, mut bits) = (words.front(), words.front_bits);
            while bits != 0 {
                let slot = first + bits.trailing_zeros() as usize;
                let within = bits_within(end_of_block(slot) - first);
                value = f(value, first, bits & within);
                bits &= !within;
            }
            if words.has_between() {
                words.step_front(source);
            } else if words.back_bits != 0 {
                words.take_back();
            } else {
                return value;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{bits, occupancy, patterns, random};
    use super::super::{Source, WORD_SLOTS};
    use super::CutBits;
    use alloc::collections::VecDeque;
    use alloc::vec::Vec;

    /// Blocks of a power of two that double from the first size to the last.
    #[derive(Clone, Copy)]
    struct Sizes {
        first: usize,
        last: usize,
    }

    impl Sizes {
        fn end_of_block_with(self, slot: usize) -> usize {
            let (mut end, mut len) = (self.first, self.first);
            while end <= slot {
                end += len;
                len = (len * 2).min(self.last);
            }
            end
        }
    }

    fn next(cut: &mut CutBits, source: Source<'_>, sizes: Sizes) -> Option<usize> {
        if !cut.has_bits_of_block() {
            let slot = cut.next_block(source)?;
            cut.enter(sizes.end_of_block_with(slot));
        }
        Some(cut.first_of_word() + cut.next_in_word())
    }

    fn folded(cut: CutBits, source: Source<'_>, sizes: Sizes) -> Vec<usize> {
        let end_of_block = |slot| sizes.end_of_block_with(slot);
        cut.fold_parts(source, Vec::new(), end_of_block, |mut slots, first, bits| {
            let part: Vec<_> =
                (0..WORD_SLOTS).filter(|bit| bits >> bit & 1 != 0).map(|bit| first + bit).collect();
            assert!(!part.is_empty() && first % WORD_SLOTS == 0);
            let end = sizes.end_of_block_with(part[0]);
            assert!(part.iter().all(|slot| sizes.end_of_block_with(*slot) == end));
            slots.extend(part);
            slots
        })
    }

    /// Steps from both ends in random order, beside a queue of the live slots.
    #[test]
    fn bits_of_each_block_do_what_a_queue_does() {
        let mut seed = 5;
        let sizes = [(1, 8), (4, 1 << 31), (16, 16), (64, 64), (128, 128), (1024, 1024)]
            .map(|(first, last)| Sizes { first, last });
        for (live, sizes) in patterns().flat_map(|live| sizes.map(|sizes| (live.clone(), sizes))) {
            let bits = bits(&live);
            let bytes: Vec<u8> = live.iter().map(|live| if *live { 3 } else { 0x83 }).collect();
            for source in [Source::Bits(&bits), Source::Bytes(&bytes)] {
                let mut cut = CutBits::new(occupancy(&bits, &live));
                let mut queue: VecDeque<usize> = (0..live.len()).filter(|i| live[*i]).collect();
                let back_in_8 = random(&mut seed) % 8;
                loop {
                    assert_eq!(cut.left(), queue.len());
                    if random(&mut seed) % 16 == 0 || queue.len() < 4 {
                        assert!(folded(cut.clone(), source, sizes).iter().eq(&queue));
                    }
                    let (slot, expected) = match random(&mut seed) % 8 < back_in_8 {
                        true => (cut.next_back(source), queue.pop_back()),
                        false => (next(&mut cut, source, sizes), queue.pop_front()),
                    };
                    assert_eq!(slot, expected);
                    if slot.is_none() {
                        break;
                    }
                }
            }
        }
    }

    /// Whatever the count, each slot is yielded at most once, in order, and the walk ends.
    #[test]
    fn a_wrong_count_does_no_harm() {
        let (mut seed, sizes) = (6, Sizes { first: 4, last: 1 << 31 });
        for live in patterns() {
            let bits = bits(&live);
            let source = Source::Bits(&bits);
            let slots: Vec<usize> = (0..live.len()).filter(|i| live[*i]).collect();
            for count in [0, slots.len() / 2, slots.len() + 1, live.len() * 2 + 1] {
                let occupancy = super::Occupancy::new(source, live.len(), count);
                let all = folded(CutBits::new(occupancy), source, sizes);
                assert!(all == slots || count == 0 && all.is_empty());
                let (mut cut, mut front, mut back) =
                    (CutBits::new(occupancy), Vec::new(), Vec::new());
                loop {
                    let is_front = random(&mut seed) % 2 == 0;
                    let slot = match is_front {
                        true => next(&mut cut, source, sizes),
                        false => cut.next_back(source),
                    };
                    let Some(slot) = slot else { break };
                    if is_front { front.push(slot) } else { back.push(slot) }
                }
                back.reverse();
                assert!(slots.starts_with(&front) && slots.ends_with(&back));
                assert!(front.len() + back.len() <= slots.len());
            }
        }
    }
}
