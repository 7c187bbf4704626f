use alloc::vec::Vec;

use crate::memory::OutOfMemory;

const WORD_BITS: usize = u64::BITS as usize;

/// Which blocks have room for another value; the lowest of them is found in constant time.
///
/// ```text
/// levels[1]   a bit for each word of levels[0]: set if that word is not 0
/// levels[0]   a bit for each block: set if it has room
/// ```
///
/// There are as many levels as it takes to end in a single word: at most six for 2^32 blocks.
#[derive(Clone, Debug, Default)]
pub(super) struct RoomMap {
    levels: Vec<Vec<u64>>,
    /// The lowest block with room, or [`NONE`](Self::NONE).
    lowest: usize,
}

impl RoomMap {
    /// "No block": no table is so long.
    pub(super) const NONE: usize = usize::MAX;

    pub(super) fn new() -> Self {
        Self { levels: Vec::new(), lowest: Self::NONE }
    }

    /// The lowest block with room, or an index that no table has.
    #[inline]
    pub(super) fn lowest(&self) -> usize {
        self.lowest
    }

    /// Makes bits for so many blocks; the new ones have no room. If there is no memory, nothing has
    /// changed but that the next attempt may need less.
    pub(super) fn try_grow(&mut self, blocks: usize) -> Result<(), OutOfMemory> {
        let mut bits = blocks;
        let mut depth = 0;
        while bits > 1 || depth == 0 {
            bits = bits.div_ceil(WORD_BITS);
            if depth == self.levels.len() {
                self.levels.try_reserve(1).map_err(|_| OutOfMemory)?;
                let mut level = Vec::new();
                level.try_reserve(bits).map_err(|_| OutOfMemory)?;
                // Until now the level below was a single word, which is the first of it.
                let below = self.levels.last().is_some_and(|below| below[0] != 0);
                level.push(u64::from(below));
                self.levels.push(level);
            }
            let level = &mut self.levels[depth];
            if let Some(more) = bits.checked_sub(level.len()) {
                level.try_reserve(more).map_err(|_| OutOfMemory)?;
                level.resize(bits, 0);
            }
            depth += 1;
        }
        Ok(())
    }

    /// The block has room.
    pub(super) fn set(&mut self, block: usize) {
        self.lowest = self.lowest.min(block);
        let mut at = block;
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

    /// The block has no room, or is not there.
    pub(super) fn unset(&mut self, block: usize) {
        let mut at = block;
        for level in &mut self.levels {
            let bits = &mut level[at / WORD_BITS];
            *bits &= !(1 << (at % WORD_BITS));
            if *bits != 0 {
                break;
            }
            at /= WORD_BITS;
        }
        if block == self.lowest {
            self.lowest = self.find_lowest().unwrap_or(Self::NONE);
        }
    }

    fn find_lowest(&self) -> Option<usize> {
        self.levels.last()?;
        let mut at = 0;
        for level in self.levels.iter().rev() {
            let bits = level[at];
            if bits == 0 {
                return None;
            }
            at = at * WORD_BITS + bits.trailing_zeros() as usize;
        }
        Some(at)
    }

    /// Becomes the other. Takes memory only if it has less than that.
    pub(super) fn take_over(&mut self, other: &Self) {
        self.levels.resize_with(other.levels.len(), Vec::new);
        for (level, others) in self.levels.iter_mut().zip(&other.levels) {
            level.clone_from(others);
        }
        self.lowest = other.lowest;
    }

    #[cfg(feature = "validate")]
    pub(super) fn has_room(&self, block: usize) -> bool {
        let word = self.levels.first().and_then(|level| level.get(block / WORD_BITS));
        word.is_some_and(|word| word >> (block % WORD_BITS) & 1 != 0)
    }

    /// Whether each level says what the one below it says, and the lowest block is the lowest.
    #[cfg(feature = "validate")]
    pub(super) fn is_consistent(&self) -> bool {
        let levels_agree = self.levels.windows(2).all(|pair| {
            let [below, above] = pair else { return false };
            above.len() == below.len().div_ceil(WORD_BITS)
                && below.iter().enumerate().all(|(at, bits)| {
                    (above[at / WORD_BITS] >> (at % WORD_BITS) & 1 != 0) == (*bits != 0)
                })
        });
        levels_agree && self.find_lowest().unwrap_or(Self::NONE) == self.lowest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_is_found_while_it_grows() {
        let mut room = RoomMap::new();
        assert_eq!(room.lowest(), RoomMap::NONE);
        let mut expected = alloc::collections::BTreeSet::new();
        let mut state = 7_usize;
        for blocks in (1..5000).step_by(7) {
            room.try_grow(blocks).unwrap();
            for _ in 0..20 {
                state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                let block = (state >> 33) % blocks;
                if state >> 62 == 0 {
                    expected.insert(block);
                    room.set(block);
                } else if let Some(&block) = expected.range(block..).next() {
                    expected.remove(&block);
                    room.unset(block);
                }
                assert_eq!(room.lowest(), expected.first().copied().unwrap_or(RoomMap::NONE));
            }
        }
        while let Some(block) = expected.pop_first() {
            assert_eq!(room.lowest(), block);
            room.unset(block);
        }
        assert_eq!(room.lowest(), RoomMap::NONE);
    }

    #[test]
    fn a_new_level_knows_what_was_set_before_it() {
        let mut room = RoomMap::new();
        room.try_grow(64).unwrap();
        room.set(63);
        room.try_grow(65).unwrap();
        assert_eq!(room.lowest(), 63);
        room.set(64);
        room.unset(63);
        assert_eq!(room.lowest(), 64);
        room.try_grow(64 * 64 + 1).unwrap();
        room.unset(64);
        room.set(64 * 64);
        assert_eq!(room.lowest(), 64 * 64);
    }
}
