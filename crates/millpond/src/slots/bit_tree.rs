//! A bit set that always knows its lowest number.
//!
//! ```text
//! level 2   one word      a bit for each word of level 1: set if that word is not 0
//! level 1   words         a bit for each word of level 0: set if that word is not 0
//! level 0   words         a bit for each number: set if it is in the set
//! lowest                  the lowest number in the set
//! ```
//!
//! Every tree has as many levels as the largest possible number needs, even if its capacity is small; the upper levels
//! of a small tree are single words. So the loops over the levels are unrolled, and the worst case, when a set becomes
//! empty or non-empty, costs the same in all trees. The usual case only touches level 0: an update stops at the first
//! word whose parent bit does not change.

use crate::reports::validate::{Violation, ensure};

const WORD_BITS: usize = u64::BITS as usize;

/// "No number": no tree has room for it.
pub(crate) const NONE: usize = usize::MAX;

/// A set of numbers below a limit, which is at most 64<sup>`LEVELS`</sup>. It is stored together with its words, one level
/// behind the other, level 0 first, which the caller lends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BitTree<const LEVELS: usize> {
    /// Where each level begins.
    starts: [u32; LEVELS],
    /// The lowest number in the set, or [`NONE`].
    lowest: usize,
}

impl<const LEVELS: usize> BitTree<LEVELS> {
    /// The empty set, without room for any number.
    pub(crate) const EMPTY: Self = Self { starts: [0; LEVELS], lowest: NONE };

    /// The empty set, with room for the numbers below this one, and how many words it needs, all of which are 0.
    pub(crate) fn with_room(numbers: usize) -> (Self, usize) {
        let mut starts = [0; LEVELS];
        let (mut words, mut bits) = (0, numbers);
        for start in &mut starts {
            *start = words as u32;
            bits = bits.div_ceil(WORD_BITS).max(1);
            words += bits;
        }
        assert!(bits == 1, "the uppermost level is a single word");
        (Self { starts, lowest: NONE }, words)
    }

    /// The lowest number in the set, or [`NONE`].
    #[inline]
    pub(crate) fn lowest(&self) -> usize {
        self.lowest
    }

    /// Adds a number for which there is room.
    #[inline]
    pub(crate) fn insert(&mut self, number: usize, words: &mut [u64]) {
        self.lowest = self.lowest.min(number);
        let mut at = number;
        for start in self.starts {
            let word = &mut words[start as usize + at / WORD_BITS];
            let was_empty = *word == 0;
            *word |= 1 << (at % WORD_BITS);
            if !was_empty {
                return;
            }
            at /= WORD_BITS;
        }
    }

    /// Removes a number for which there is room, if it is in the set.
    pub(crate) fn remove(&mut self, number: usize, words: &mut [u64]) {
        if number == self.lowest {
            return self.remove_lowest(words);
        }
        let mut at = number;
        for start in self.starts {
            let word = &mut words[start as usize + at / WORD_BITS];
            *word &= !(1 << (at % WORD_BITS));
            if *word != 0 {
                return;
            }
            at /= WORD_BITS;
        }
    }

    /// Removes the lowest number from the set, which is not empty.
    #[inline]
    pub(crate) fn remove_lowest(&mut self, words: &mut [u64]) {
        let mut at = self.lowest;
        for level in 0..LEVELS {
            at /= WORD_BITS;
            let word = &mut words[self.starts[level] as usize + at];
            // Of a word above the lowest number, its bit is the lowest.
            *word &= word.wrapping_sub(1);
            if *word != 0 {
                let next = at * WORD_BITS + word.trailing_zeros() as usize;
                self.lowest = self.lowest_below(level, next, words);
                return;
            }
        }
        self.lowest = NONE;
    }

    /// The lowest number below a bit of a level.
    #[inline]
    fn lowest_below(&self, level: usize, mut at: usize, words: &[u64]) -> usize {
        for start in self.starts[..level].iter().rev() {
            at = at * WORD_BITS + words[*start as usize + at].trailing_zeros() as usize;
        }
        at
    }

    /// The set of all numbers below this one, for which there is room.
    pub(crate) fn fill_below(&mut self, numbers: usize, words: &mut [u64]) {
        words.fill(0);
        self.lowest = NONE;
        if numbers == 0 {
            return;
        }
        self.lowest = 0;
        let mut bits = numbers;
        for start in self.starts {
            let level = &mut words[start as usize..];
            level[..bits / WORD_BITS].fill(!0);
            if bits % WORD_BITS != 0 {
                level[bits / WORD_BITS] = (1 << (bits % WORD_BITS)) - 1;
            }
            bits = bits.div_ceil(WORD_BITS);
        }
    }

    /// Checks that the tree is like a new one with those of the first numbers that are in it.
    pub(crate) fn validate(
        &self,
        words: &[u64],
        numbers: usize,
        is_in: impl Fn(usize) -> bool,
    ) -> Result<(), Violation> {
        let (mut new, count) = Self::with_room(numbers);
        let mut news = alloc::vec![0; count];
        (0..numbers).filter(|&number| is_in(number)).for_each(|i| new.insert(i, &mut news));
        ensure(
            *self == new && words[..] == news[..],
            "a tree of bits is like a new one with its numbers",
            format_args!("{self:?}, not {new:?}, with bits {words:x?}"),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;
    use alloc::vec;
    use alloc::vec::Vec;

    /// A tree and its words.
    struct Tree<const LEVELS: usize> {
        head: BitTree<LEVELS>,
        words: Vec<u64>,
    }

    impl<const LEVELS: usize> Tree<LEVELS> {
        fn insert(&mut self, number: usize) {
            self.head.insert(number, &mut self.words);
        }

        fn remove(&mut self, number: usize) {
            self.head.remove(number, &mut self.words);
        }

        fn validate(&self, numbers: usize, is_in: impl Fn(usize) -> bool) -> Result<(), Violation> {
            self.head.validate(&self.words, numbers, is_in)
        }
    }

    /// The empty set, with room for the numbers below this one.
    fn with_room<const LEVELS: usize>(numbers: usize) -> Tree<LEVELS> {
        let (head, words) = BitTree::with_room(numbers);
        Tree { head, words: vec![0; words] }
    }

    /// A tree and what must be in it.
    struct Pair {
        tree: Tree<4>,
        expected: BTreeSet<usize>,
    }

    impl Pair {
        fn insert(&mut self, number: usize) {
            self.tree.insert(number);
            self.expected.insert(number);
            assert_eq!(self.tree.head.lowest(), *self.expected.first().unwrap());
        }

        fn remove(&mut self, number: usize) {
            self.tree.remove(number);
            self.expected.remove(&number);
            assert_eq!(self.tree.head.lowest(), self.expected.first().copied().unwrap_or(NONE));
        }

        #[track_caller]
        fn validate(&self, numbers: usize) {
            self.tree.validate(numbers, |number| self.expected.contains(&number)).unwrap();
            let _ = numbers;
        }
    }

    fn random(state: &mut u64, below: usize) -> usize {
        *state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        (*state >> 33) as usize % below
    }

    #[test]
    fn the_lowest_is_known_while_the_set_changes() {
        let mut state = 7;
        for room in [1, 63, 64, 65, 150, 4096, 4097, 9000] {
            let mut pair = Pair { tree: with_room(room), expected: BTreeSet::new() };
            assert_eq!(pair.tree.head.lowest(), NONE);
            for step in 0..800 {
                let number = random(&mut state, room);
                match random(&mut state, 4) {
                    0 => pair.remove(number),
                    1 => pair.remove(pair.expected.first().copied().unwrap_or(0)),
                    _ => pair.insert(number),
                }
                if step % 100 == 0 {
                    pair.validate(room);
                }
            }
            while let Some(&number) = pair.expected.first() {
                pair.remove(number);
            }
            pair.validate(room);
        }
    }

    /// On all levels: the word of each becomes 0 and is not 0 any more.
    #[test]
    fn few_numbers_that_are_far_apart() {
        const ROOM: usize = 64 * 64 * 64 + 65;
        let numbers = [0, 63, 64, 4095, 4096, 64 * 64 * 64 - 1, 64 * 64 * 64, ROOM - 1];
        let tree = with_room(ROOM);
        let mut pair = Pair { tree, expected: BTreeSet::new() };
        for few in 1..1_usize << numbers.len() {
            let few: Vec<_> = (0..numbers.len()).filter(|i| few >> i & 1 != 0).collect();
            few.iter().for_each(|i| pair.insert(numbers[*i]));
            few.iter().step_by(2).for_each(|i| pair.remove(numbers[*i]));
            few.iter().rev().for_each(|i| pair.remove(numbers[*i]));
            assert!(pair.tree.words.iter().all(|word| *word == 0));
        }
    }

    #[test]
    fn all_below_a_number() {
        for numbers in [0, 1, 63, 64, 65, 4096, 4097] {
            let mut tree = with_room::<3>(5000);
            tree.insert(4999);
            tree.head.fill_below(numbers, &mut tree.words);
            for number in 0..numbers {
                assert_eq!(tree.head.lowest(), number);
                tree.head.remove_lowest(&mut tree.words);
            }
            assert_eq!(tree.head.lowest(), NONE);
            assert!(tree.words.iter().all(|word| *word == 0));
        }
        // Its single word is the last: there is none behind it.
        let mut full = with_room::<1>(64);
        full.head.fill_below(64, &mut full.words);
        assert_eq!(full.words, [!0]);
    }

    #[test]
    fn validation_finds_what_is_broken() {
        let finds = |change: fn(&mut Tree<3>)| {
            let mut tree = with_room(5000);
            tree.insert(70);
            tree.insert(4990);
            let validate = |tree: &Tree<3>| tree.validate(5000, |i| i == 70 || i == 4990);
            validate(&tree).unwrap();
            change(&mut tree);
            validate(&tree).unwrap_err();
        };
        finds(|tree| tree.head.starts[1] -= 1);
        finds(|tree| *tree = with_room(4000));
        finds(|tree| tree.insert(71));
        finds(|tree| tree.insert(5001));
        finds(|tree| tree.remove(70));
        finds(|tree| tree.words[tree.head.starts[1] as usize] |= 1);
        finds(|tree| tree.words[tree.head.starts[1] as usize] = 0);
        finds(|tree| tree.words[tree.head.starts[2] as usize] |= 4);
        finds(|tree| tree.head.lowest = 4990);
        finds(|tree| tree.head.lowest = 69);
    }

    #[test]
    fn only_numbers_below_the_limit_are_asked_for() {
        for numbers in [1, 5, 63] {
            let mut tree = with_room::<2>(64);
            tree.head.fill_below(numbers, &mut tree.words);
            let is_in = |number| {
                assert!(number < numbers, "there is no number {number}");
                true
            };
            tree.validate(numbers, is_in).unwrap();
        }
    }
}
