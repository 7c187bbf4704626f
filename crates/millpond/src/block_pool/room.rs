//! Which blocks have room, and which of them comes first.

use crate::bit_tree::{self, BitTree};
use crate::memory::OutOfMemory;
#[cfg(feature = "validate")]
use crate::validate::{Violation, ensure};

/// The blocks behind the first two: of 2^32 at most, those of one slot.
type Rest = BitTree<6>;

/// The blocks that are there and have room.
///
/// A pool that is nearly full swings: a removal makes room in a full block, and the next insertion fills it
/// again. So that block is a number of its own. The swing writes nothing else, and no step of it has to wait
/// for what the one before has written.
#[derive(Clone, Debug)]
pub(super) struct Room {
    /// A block below `first`, or [`NONE`](bit_tree::NONE).
    before: usize,
    /// The lowest block with room but for `before`; `NONE` if there is no other.
    first: usize,
    /// All others; each is above `first`.
    rest: Rest,
}

impl Room {
    /// No blocks, and no memory.
    pub(super) fn new() -> Self {
        Self { before: bit_tree::NONE, first: bit_tree::NONE, rest: Rest::new() }
    }

    /// The lowest block with room, or [`NONE`](bit_tree::NONE).
    #[inline(always)]
    pub(super) fn lowest(&self) -> usize {
        if self.before == bit_tree::NONE { self.first } else { self.before }
    }

    /// Makes space for the blocks below this number. If there is no memory, nothing has changed.
    pub(super) fn try_grow(&mut self, blocks: usize) -> Result<(), OutOfMemory> {
        self.rest.try_grow(blocks)
    }

    /// A block has room now, if it had none before.
    #[inline(always)]
    pub(super) fn insert(&mut self, block: usize) {
        if block < self.first && self.before == bit_tree::NONE {
            self.before = block;
        } else {
            self.insert_with_care(block);
        }
    }

    /// Also if the block is not the lowest, or `before` is taken.
    #[inline(never)]
    fn insert_with_care(&mut self, block: usize) {
        if block == self.before || block == self.first {
            return;
        }
        if block > self.first {
            self.rest.insert(block);
            return;
        }
        if self.first != bit_tree::NONE {
            self.rest.insert(self.first);
        }
        self.first = block.max(self.before);
        self.before = block.min(self.before);
    }

    /// A block has no room now, if it had any.
    pub(super) fn remove(&mut self, block: usize) {
        if block == self.before {
            self.before = bit_tree::NONE;
        } else if block == self.first {
            self.remove_first();
        } else {
            self.rest.remove(block);
        }
    }

    /// The lowest block, which there is, has no room now.
    #[inline(always)]
    pub(super) fn remove_lowest(&mut self) {
        if self.before == bit_tree::NONE {
            self.remove_first();
        } else {
            self.before = bit_tree::NONE;
        }
    }

    #[inline(never)]
    fn remove_first(&mut self) {
        self.first = self.rest.lowest();
        if self.first != bit_tree::NONE {
            self.rest.remove_lowest();
        }
    }

    /// Becomes the same as the other. Takes memory only if it has less space than that.
    pub(super) fn take_over(&mut self, other: &Self) {
        self.rest.take_over(&other.rest);
        self.before = other.before;
        self.first = other.first;
    }

    /// Checks that of the blocks below this number exactly those are in it of which the function says so.
    #[cfg(feature = "validate")]
    pub(super) fn validate(
        &self,
        blocks: usize,
        has_room: impl Fn(usize) -> bool,
    ) -> Result<(), Violation> {
        let in_front = [self.before, self.first];
        self.rest.validate(blocks, |block| has_room(block) && !in_front.contains(&block))?;
        let is_right = |block| block == bit_tree::NONE || block < blocks && has_room(block);
        let comes_before = |block, next| block < next || block == bit_tree::NONE;
        ensure(
            in_front.into_iter().all(is_right)
                && comes_before(self.before, self.first)
                && (self.first < self.rest.lowest()
                    || self.first == bit_tree::NONE && self.rest.lowest() == bit_tree::NONE),
            "the lowest blocks with room are in front of the others",
            format_args!("{in_front:?}, then {}", self.rest.lowest()),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;

    /// Against a set that is sorted, over all ways that the blocks can be filled and emptied.
    #[test]
    fn the_lowest_block_is_first_whatever_fills_up() {
        const BLOCKS: usize = 200;
        let mut random = 1_u64;
        let mut below = |limit: usize| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (random >> 33) as usize % limit
        };
        let mut room = Room::new();
        room.try_grow(BLOCKS).unwrap();
        let mut model = BTreeSet::new();
        let mut other = (room.clone(), model.clone());
        for step in 0..20_000 {
            // Long stretches in which blocks rather fill up, or rather empty.
            let filling = step / 1000 % 3;
            match below(4) {
                0 if filling > 0 || below(8) == 0 => {
                    if let Some(lowest) = model.pop_first() {
                        assert_eq!(room.lowest(), lowest);
                        room.remove_lowest();
                    }
                }
                1 if filling > 1 => {
                    let block = below(BLOCKS);
                    model.remove(&block);
                    room.remove(block);
                }
                2 if below(50) == 0 => {
                    core::mem::swap(&mut other.1, &mut model);
                    let before = room.clone();
                    room.take_over(&other.0);
                    other.0 = before;
                }
                _ => {
                    let block = below(BLOCKS);
                    model.insert(block);
                    room.insert(block);
                }
            }
            assert_eq!(room.lowest(), model.first().copied().unwrap_or(bit_tree::NONE));
            #[cfg(feature = "validate")]
            room.validate(BLOCKS, |block| model.contains(&block)).unwrap();
        }
    }

    #[test]
    #[cfg(feature = "validate")]
    fn validation_finds_what_is_broken() {
        let broken = |change: fn(&mut Room)| {
            let mut room = Room::new();
            room.try_grow(9).unwrap();
            [5, 3, 2, 7].into_iter().for_each(|block| room.insert(block));
            let in_it = |block| [2, 3, 5, 7].contains(&block);
            room.validate(9, in_it).unwrap();
            change(&mut room);
            room.validate(9, in_it).unwrap_err().rule()
        };
        let front = "the lowest blocks with room are in front of the others";
        assert_eq!(broken(|room| core::mem::swap(&mut room.before, &mut room.first)), front);
        let tree = "a tree has the numbers that are meant to be in it";
        assert_eq!(broken(|room| room.first = bit_tree::NONE), tree);
        assert_eq!(broken(|room| room.before = 1), tree);
        let lacks_first = |room: &mut Room| {
            room.rest.insert(room.first);
            room.first = bit_tree::NONE;
        };
        assert_eq!(broken(lacks_first), front);
    }
}
