//! The live blocks of a program, by address, and a short number for each.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;

/// No more blocks than this are alive at once in a recording that `millpond plan` reads.
pub(crate) const LIVE_MAX: usize = 1 << 24;

/// Where a block is: the pool that it belongs to, 0 for the heap, and its address there. A pool's blocks may lie within a
/// block of the heap.
pub(crate) type Place = (u64, u64);

/// A live block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Block {
    /// A number that no other live block has.
    pub(crate) number: u32,
    pub(crate) bytes: u64,
}

/// The live blocks. Its memory is in proportion to the most that were alive at once.
#[derive(Debug, Default)]
pub(crate) struct Live {
    /// Those of the heap by their addresses, which are most, and those of pools.
    heap: HashMap<u64, Block, foldhash::fast::RandomState>,
    pools: HashMap<Place, Block, foldhash::fast::RandomState>,
    /// Numbers of dead blocks, which the next ones get.
    free: Vec<u32>,
}

impl Live {
    fn len(&self) -> usize {
        self.heap.len() + self.pools.len()
    }

    /// The new block at a place; `None` if there are too many, or one there is alive.
    #[inline]
    pub(crate) fn insert(&mut self, place: Place, bytes: u64) -> Option<Block> {
        // Numbers from 0 on are in use or free.
        let next = self.len() + self.free.len();
        if self.len() == LIVE_MAX {
            return None;
        }
        let free = &mut self.free;
        let block = || Block { number: free.pop().unwrap_or(next as u32), bytes };
        match place {
            (0, address) => born(&mut self.heap, address, block),
            place => born(&mut self.pools, place, block),
        }
    }

    /// Removes the block at a place, if one is alive there.
    #[inline]
    pub(crate) fn remove(&mut self, place: Place) -> Option<Block> {
        let block = match place {
            (0, address) => self.heap.remove(&address)?,
            place => self.pools.remove(&place)?,
        };
        self.free.push(block.number);
        Some(block)
    }

    /// Removes all blocks of a pool, in the order of their numbers.
    pub(crate) fn discard(&mut self, pool: u64) -> Vec<Block> {
        let mut gone: Vec<Block> = match pool {
            0 => self.heap.drain().map(|(_, block)| block).collect(),
            pool => {
                let of_pool = self.pools.extract_if(|place, _| place.0 == pool);
                of_pool.map(|(_, block)| block).collect()
            }
        };
        gone.sort_unstable_by_key(|block| block.number);
        self.free.extend(gone.iter().map(|block| block.number));
        gone
    }
}

#[inline]
fn born<K: Eq + Hash>(
    blocks: &mut HashMap<K, Block, foldhash::fast::RandomState>,
    place: K,
    block: impl FnOnce() -> Block,
) -> Option<Block> {
    match blocks.entry(place) {
        Entry::Vacant(entry) => Some(*entry.insert(block())),
        Entry::Occupied(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_dead_blocks_come_back_and_no_two_live_ones_are_alike() {
        let mut live = Live::default();
        let numbers: Vec<u32> =
            (0..5).map(|at| live.insert((0, at), 8).expect("room").number).collect();
        assert_eq!(numbers, [0, 1, 2, 3, 4]);
        assert_eq!(live.insert((0, 3), 8), None, "it is alive");
        assert_eq!(live.insert((7, 3), 8).map(|block| block.number), Some(5), "another pool");
        assert_eq!(live.remove((0, 2)), Some(Block { number: 2, bytes: 8 }));
        assert_eq!(live.remove((0, 2)), None);
        assert_eq!(live.insert((0, 9), 16).map(|block| block.number), Some(2));
        assert_eq!(live.discard(7), [Block { number: 5, bytes: 8 }]);
        assert_eq!(live.len(), 5);
        assert_eq!(live.insert((0, 10), 1).map(|block| block.number), Some(5));
    }
}
