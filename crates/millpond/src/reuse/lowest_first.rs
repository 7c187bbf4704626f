use alloc::boxed::Box;
use alloc::vec::Vec;
use core::iter;
use core::ops::Range;

use super::{Queue, ReuseOrder, Slots, sealed};
use crate::handle::{IndexWord, Word};
use crate::memory::{self, OutOfMemory};
use crate::slot_words::SlotWords;
#[cfg(feature = "validate")]
use crate::validate::{Violation, ensure};

/// The vacant slot with the lowest index is handed out next.
///
/// Live objects stay together at the low addresses, and the pool's future depends on which slots are
/// live, never on how they came to be: two pools with the same occupancy go on alike.
///
/// **Cost**: 1/63 of a bit per slot: bitmaps above the occupancy, one bit for 64 below, up to a
/// single word. Take, give back and claiming a named slot look at one word per level, and there are
/// at most five levels for any number of slots that a handle can name: O(1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LowestFirst;

impl sealed::Sealed for LowestFirst {}

impl ReuseOrder for LowestFirst {
    const NAME: &'static str = "LowestFirst";
    const SEARCHES_BITMAP: bool = true;
    type Queue<I: IndexWord> = LowestFirstQueue;
}

const WORD_BITS: usize = u64::BITS as usize;

/// ```text
/// levels[1]    one word         a bit for each word of levels[0]: set if that word is not 0
/// levels[0]    words            a bit for each word of the occupancy: set if it has a vacant slot
/// (occupancy)  words            a bit for each slot: set if it is live
/// ```
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct LowestFirstQueue {
    levels: Vec<Box<[u64]>>,
}

impl LowestFirstQueue {
    /// Each of the occupancy's words has a vacant slot.
    fn set_all(&mut self, words: usize) {
        let mut bits = words;
        for level in &mut self.levels {
            level[..bits / WORD_BITS].fill(!0);
            if bits % WORD_BITS != 0 {
                level[bits / WORD_BITS] = (1 << (bits % WORD_BITS)) - 1;
            }
            bits = bits.div_ceil(WORD_BITS);
        }
    }

    /// The occupancy's word has a vacant slot.
    #[inline]
    fn set(&mut self, word: usize) {
        let mut at = word;
        for level in &mut self.levels {
            let bits = &mut level[at / WORD_BITS];
            let was_empty = *bits == 0;
            *bits |= 1 << (at % WORD_BITS);
            if !was_empty {
                return;
            }
            at /= WORD_BITS;
        }
    }

    /// The occupancy's word has no vacant slot.
    #[inline]
    fn unset(&mut self, word: usize) {
        let mut at = word;
        for level in &mut self.levels {
            let bits = &mut level[at / WORD_BITS];
            *bits &= !(1 << (at % WORD_BITS));
            if *bits != 0 {
                return;
            }
            at /= WORD_BITS;
        }
    }

    /// The lowest vacant slot among the bits of an occupancy's word.
    #[inline]
    fn lowest_vacant<W: Word, R: ReuseOrder>(
        word: usize,
        mut dead: u64,
        words: &SlotWords<W, R>,
    ) -> Option<usize> {
        while dead != 0 {
            let index = word * WORD_BITS + dead.trailing_zeros() as usize;
            // A dead slot may be retired; only a pool that has some needs to look.
            if words.retired() == 0 || words.is_vacant(index) {
                return Some(index);
            }
            dead &= dead - 1;
        }
        None
    }

    #[inline]
    fn leave<S: Slots>(&mut self, index: usize, slots: &S) {
        let word = index / WORD_BITS;
        let others = slots.words().dead_bits(word) & !(1 << (index % WORD_BITS));
        if Self::lowest_vacant(word, others, slots.words()).is_none() {
            self.unset(word);
        }
    }
}

impl<I: IndexWord> Queue<I> for LowestFirstQueue {
    fn try_new<S: Slots>(slots: &mut S) -> Result<Self, OutOfMemory> {
        let words = slots.words().slots().div_ceil(WORD_BITS);
        let mut levels = Vec::new();
        levels.try_reserve_exact(levels_for(words)).map_err(|_| OutOfMemory)?;
        let mut bits = words;
        for _ in 0..levels_for(words) {
            bits = bits.div_ceil(WORD_BITS);
            levels.push(memory::filled(bits.max(1), 0)?);
        }
        let mut queue = Self { levels };
        queue.set_all(words);
        Ok(queue)
    }

    #[inline]
    fn next<S: Slots>(&mut self, slots: &S) -> Option<usize> {
        let mut at = 0;
        for level in self.levels.iter().rev() {
            let bits = level[at];
            if bits == 0 {
                return None;
            }
            at = at * WORD_BITS + bits.trailing_zeros() as usize;
        }
        Self::lowest_vacant(at, slots.words().dead_bits(at), slots.words())
    }

    #[inline]
    fn take<S: Slots>(&mut self, index: usize, slots: &mut S) {
        self.leave(index, slots);
    }

    #[inline]
    fn claim<S: Slots>(&mut self, index: usize, slots: &mut S) {
        self.leave(index, slots);
    }

    #[inline]
    fn give_back<S: Slots>(&mut self, index: usize, _slots: &mut S) {
        self.set(index / WORD_BITS);
    }

    fn reset<S: Slots>(&mut self, slots: &mut S) {
        let words = slots.words();
        if words.retired() == 0 && words.live() == 0 {
            self.set_all(words.slots().div_ceil(WORD_BITS));
            return;
        }
        for level in &mut self.levels {
            level.fill(0);
        }
        for index in (0..words.slots()).filter(|&index| words.is_vacant(index)) {
            self.set(index / WORD_BITS);
        }
    }

    fn take_over(&mut self, other: &Self, _used: usize) {
        for (level, other) in self.levels.iter_mut().zip(&other.levels) {
            level.copy_from_slice(other);
        }
    }

    /// Nothing: the words say it all.
    fn order<'a, S: Slots>(
        &'a self,
        _slots: &'a S,
        _used: usize,
    ) -> impl Iterator<Item = Range<usize>> + 'a {
        iter::empty()
    }

    #[cfg(feature = "serde")]
    const ORDER_OF: crate::snapshot::format::OrderOf = crate::snapshot::format::OrderOf::Nothing;

    #[cfg(feature = "serde")]
    fn load<S: Slots>(&mut self, order: &[u32], slots: &mut S) {
        let _ = order;
        Queue::<I>::reset(self, slots);
    }

    #[cfg(feature = "validate")]
    fn validate<S: Slots>(&self, slots: &S) -> Result<(), Violation> {
        let words = slots.words();
        let mut below = words.slots().div_ceil(WORD_BITS);
        ensure(
            self.levels.len() == levels_for(below),
            "there is a level above each but the last",
            format_args!("{} levels above {below} words", self.levels.len()),
        )?;
        for (height, level) in self.levels.iter().enumerate() {
            for bit in 0..level.len() * WORD_BITS {
                let has_vacant = if height == 0 {
                    let end = words.slots().min((bit + 1) * WORD_BITS);
                    (bit * WORD_BITS..end).any(|index| words.is_vacant(index))
                } else {
                    self.levels[height - 1].get(bit).is_some_and(|word| *word != 0)
                };
                ensure(
                    (level[bit / WORD_BITS] >> (bit % WORD_BITS) & 1 != 0) == has_vacant,
                    "a bit is set exactly if there is a vacant slot below it",
                    format_args!("bit {bit} of level {height}"),
                )?;
            }
            ensure(
                level.len() == below.div_ceil(WORD_BITS).max(1),
                "a level has a bit for each word below",
                format_args!("level {height} has {} words above {below}", level.len()),
            )?;
            below = level.len();
        }
        Ok(())
    }
}

/// How many levels there are above so many words, up to a single word.
fn levels_for(mut words: usize) -> usize {
    let mut levels = 1;
    while words > WORD_BITS {
        words = words.div_ceil(WORD_BITS);
        levels += 1;
    }
    levels
}

#[cfg(test)]
mod tests {
    use super::levels_for;
    use super::{Box, LowestFirst, LowestFirstQueue};
    use crate::HandleAllocator;
    use alloc::vec::Vec;

    #[test]
    fn five_levels_at_most_for_any_number_of_slots_that_a_handle_can_name() {
        assert_eq!(levels_for(0), 1);
        assert_eq!(levels_for(64), 1);
        assert_eq!(levels_for(65), 2);
        assert_eq!(levels_for((u32::MAX as usize).div_ceil(64)), 5);
    }

    /// A copy of a sound allocator with one thing changed: which rule finds it out?
    fn broken(change: impl FnOnce(&mut LowestFirstQueue)) -> &'static str {
        let mut slots: HandleAllocator<LowestFirst> = HandleAllocator::with_capacity(5000);
        let handles: Vec<_> = (0..3).map(|_| slots.acquire().unwrap()).collect();
        slots.release(handles[1]);
        slots.validate().unwrap();
        change(slots.core_mut().queue_mut());
        slots.validate().unwrap_err().rule()
    }

    /// Three levels, and sizes at which the last word of a level is full, or has one bit.
    #[test]
    fn the_lowest_comes_next_across_all_levels() {
        for capacity in [64 * 64, 64 * 64 + 1, 64 * 64 * 64, 64 * 64 * 64 + 65] {
            let mut slots: HandleAllocator<LowestFirst> = HandleAllocator::with_capacity(capacity);
            slots.validate().unwrap();
            let handles: Vec<_> = (0..capacity).map(|_| slots.acquire().unwrap()).collect();
            assert!(handles.iter().enumerate().all(|(at, handle)| handle.index() as usize == at));
            slots.validate().unwrap();
            assert_eq!(slots.acquire(), None);
            let mut freed = [capacity - 1, 63, capacity / 2, 64, 4094, 0, capacity - 64];
            freed.iter().for_each(|&index| assert!(slots.release(handles[index])));
            slots.validate().unwrap();
            freed.sort_unstable();
            for index in freed {
                assert_eq!(slots.acquire().map(|handle| handle.index() as usize), Some(index));
                slots.validate().unwrap();
            }
            assert_eq!(slots.acquire(), None);
        }
    }

    #[test]
    fn validation_finds_what_is_broken() {
        assert_eq!(
            broken(|queue| queue.levels[0][0] -= 1),
            "a bit is set exactly if there is a vacant slot below it"
        );
        assert_eq!(
            broken(|queue| queue.levels[1][0] |= 4),
            "a bit is set exactly if there is a vacant slot below it"
        );
        assert_eq!(
            broken(|queue| drop(queue.levels.pop())),
            "there is a level above each but the last"
        );
        assert_eq!(
            broken(|queue| queue.levels[1] = Box::new([3, 0])),
            "a level has a bit for each word below"
        );
    }
}
