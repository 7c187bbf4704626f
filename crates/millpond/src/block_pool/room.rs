//! Which blocks have room, and which of them comes first.

use crate::bit_tree::{self, BitTree};
use crate::memory::OutOfMemory;
#[cfg(feature = "validate")]
use crate::validate::{Violation, ensure};

/// The blocks behind the first two: of 2^32 at most, those of one slot.
type Rest = BitTree<6>;

/// The blocks that are there and have room.
///
/// A pool that is nearly full swings between two of them: a removal makes room in a full block, and the next
/// insertion fills it again. So the lowest two are plain numbers, and the tree holds only the rest.
#[derive(Clone, Debug)]
pub(super) struct Room {
    /// The lowest block with room; [`NONE`](bit_tree::NONE) if none has room.
    first: usize,
    /// The block with room that comes after `first`; if `NONE`, that is the lowest one in `rest`.
    second: usize,
    /// All others. Each is above `first`, and above `second` unless that is `NONE`.
    rest: Rest,
}

impl Room {
    /// No blocks, and no memory.
    pub(super) fn new() -> Self {
        Self { first: bit_tree::NONE, second: bit_tree::NONE, rest: Rest::new() }
    }

    /// The lowest block with room, or [`NONE`](bit_tree::NONE).
    #[inline]
    pub(super) fn lowest(&self) -> usize {
        self.first
    }

    /// Makes space for the blocks below this number. If there is no memory, nothing has changed.
    pub(super) fn try_grow(&mut self, blocks: usize) -> Result<(), OutOfMemory> {
        self.rest.try_grow(blocks)
    }

    /// A block has room now, if it had none before.
    #[inline(always)]
    pub(super) fn insert(&mut self, block: usize) {
        if block >= self.first || self.second != bit_tree::NONE {
            return self.insert_with_care(block);
        }
        self.second = self.first;
        self.first = block;
    }

    /// Also if the block is not the lowest, or there are two already.
    #[inline(never)]
    fn insert_with_care(&mut self, block: usize) {
        if block == self.first || block == self.second {
            return;
        }
        if block < self.first {
            self.rest.insert(self.second);
            self.second = self.first;
            self.first = block;
            return;
        }
        if self.second == bit_tree::NONE {
            if block < self.rest.lowest() {
                self.second = block;
                return;
            }
        } else if block < self.second {
            self.rest.insert(self.second);
            self.second = block;
            return;
        }
        self.rest.insert(block);
    }

    /// A block has no room now, if it had any.
    pub(super) fn remove(&mut self, block: usize) {
        if block == self.first {
            self.remove_lowest();
        } else if block == self.second {
            self.second = bit_tree::NONE;
        } else {
            self.rest.remove(block);
        }
    }

    /// The lowest block, which there is, has no room now.
    #[inline]
    pub(super) fn remove_lowest(&mut self) {
        self.first = self.second;
        self.second = bit_tree::NONE;
        if self.first == bit_tree::NONE {
            self.take_first_of_rest();
        }
    }

    #[inline(never)]
    fn take_first_of_rest(&mut self) {
        self.first = self.rest.lowest();
        if self.first != bit_tree::NONE {
            self.rest.remove_lowest();
        }
    }

    /// Becomes the same as the other. Takes memory only if it has less space than that.
    pub(super) fn take_over(&mut self, other: &Self) {
        self.rest.take_over(&other.rest);
        self.first = other.first;
        self.second = other.second;
    }

    /// Checks that of the blocks below this number exactly those are in it of which the function says so.
    #[cfg(feature = "validate")]
    pub(super) fn validate(
        &self,
        blocks: usize,
        has_room: impl Fn(usize) -> bool,
    ) -> Result<(), Violation> {
        let in_front = [self.first, self.second];
        self.rest.validate(blocks, |block| has_room(block) && !in_front.contains(&block))?;
        let has_room = |block| block == bit_tree::NONE || block < blocks && has_room(block);
        let next = self.second.min(self.rest.lowest());
        ensure(
            in_front.into_iter().all(has_room)
                && (self.first < next || self.first == bit_tree::NONE && next == bit_tree::NONE)
                && (self.second == bit_tree::NONE || self.second < self.rest.lowest()),
            "the first two blocks with room are in front of the others",
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
        let front = "the first two blocks with room are in front of the others";
        assert_eq!(broken(|room| core::mem::swap(&mut room.first, &mut room.second)), front);
        let tree = "a tree has the numbers that are meant to be in it";
        assert_eq!(broken(|room| room.second = bit_tree::NONE), tree);
        assert_eq!(broken(|room| room.first = 4), tree);
        let keeps_none = |room: &mut Room| {
            room.rest.insert(room.first);
            room.first = bit_tree::NONE;
        };
        assert_eq!(broken(keeps_none), front);
    }
}
