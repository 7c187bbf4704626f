//! The invariants of a block pool.

use super::{Block, BlockPool};
use crate::handle::HandleLayout;
use crate::reuse::ReuseOrder;
use crate::validate::{Violation, ensure};

impl<T, R: ReuseOrder, H: HandleLayout> BlockPool<T, R, H> {
    /// Checks that all which must hold does; see [`validate`](crate::validate). Each block is a pool of
    /// its own, and beside what holds for that: the blocks with room are known, and the lowest of them;
    /// the counters are the sums over the blocks; the address of each block is known. O(capacity).
    ///
    /// # Errors
    ///
    /// The first invariant that does not hold.
    pub fn validate(&self) -> Result<(), Violation> {
        ensure(
            self.blocks.len() <= self.max_blocks,
            "there are no blocks beyond the limit",
            format_args!("{} of {}", self.blocks.len(), self.max_blocks),
        )?;
        for (at, block) in self.blocks.iter().enumerate() {
            match block {
                Block::Unused => {}
                Block::Taken(pool) => {
                    ensure(
                        pool.capacity() == self.slots_per_block(),
                        "all blocks have the same number of slots",
                        format_args!("block {at} has {}", pool.capacity()),
                    )?;
                    pool.validate()?;
                }
                Block::GivenBack(words) => words.validate()?,
            }
        }
        self.room.validate(self.blocks.len(), |block| self.blocks[block].has_room())?;
        let there = self.blocks.iter().filter(|block| block.pool().is_some()).count();
        ensure(
            there == self.ledger.stats.blocks
                && self.ledger.stats.taken - self.ledger.stats.given_back == there as u64,
            "the blocks are counted",
            format_args!("{there}, but {:?}", self.ledger.stats),
        )?;
        let live: usize = self.blocks.iter().map(Block::live).sum();
        let stats = self.stats();
        ensure(
            live as u64 + self.deaths == self.births
                && live <= stats.peak
                && stats.peak <= self.capacity_max()
                && stats.evicted <= stats.removed,
            "the counters agree",
            format_args!("{live} live, {stats:?}"),
        )?;
        let noted = |block: usize| {
            self.blocks[block]
                .pool()
                .is_some_and(|pool| self.addresses.binary_search(&(pool.address(), block)).is_ok())
        };
        let is_found = |block: usize| self.table.agrees(block, self.blocks[block].pool());
        ensure(
            (0..self.blocks.len()).all(is_found),
            "the slots of each block are found, and of no other",
            format_args!("{:?}", self.table),
        )?;
        let addresses = if size_of::<T>() == 0 { 0 } else { there };
        ensure(
            self.addresses.len() == addresses
                && self.addresses.is_sorted()
                && self.addresses.iter().all(|(_, block)| noted(*block)),
            "the address of each block is known",
            format_args!("{} of {there}", self.addresses.len()),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn validation_finds_what_is_broken() {
        let broken = |change: fn(&mut BlockPool<u8>)| {
            let mut pool = BlockPool::<u8>::with_blocks(2, 4);
            for value in 0..5 {
                pool.insert(value).unwrap();
            }
            pool.remove_at(1);
            pool.remove_at(4);
            pool.shrink_to_fit();
            pool.validate().unwrap();
            change(&mut pool);
            pool.validate().unwrap_err().rule()
        };
        let limit = "there are no blocks beyond the limit";
        assert_eq!(broken(|pool| pool.max_blocks = 2), limit);
        let room = "a tree has the numbers that are meant to be in it";
        assert_eq!(broken(|pool| pool.room.remove(0)), room);
        let front = "the lowest blocks with room are in front of the others";
        assert_eq!(broken(|pool| pool.room.insert(1)), front);
        assert_eq!(broken(|pool| pool.room.insert(2)), front);
        let slots = "all blocks have the same number of slots";
        assert_eq!(broken(|pool| pool.shift = 2), slots);
        let blocks = "the blocks are counted";
        assert_eq!(broken(|pool| pool.ledger.stats.blocks += 1), blocks);
        assert_eq!(broken(|pool| pool.ledger.stats.taken += 1), blocks);
        assert_eq!(broken(|pool| pool.ledger.stats.given_back -= 1), blocks);
        let counters = "the counters agree";
        assert_eq!(broken(|pool| pool.births += 1), counters);
        assert_eq!(broken(|pool| pool.deaths += 1), counters);
        assert_eq!(broken(|pool| pool.peak_before_removal = 9), counters);
        assert_eq!(broken(|pool| pool.evicted = 3), counters);
        let found = "the slots of each block are found, and of no other";
        assert_eq!(broken(|pool| pool.table.forget(1)), found);
        assert_eq!(broken(|pool| pool.table.forget_all()), found);
        let address = "the address of each block is known";
        assert_eq!(broken(|pool| pool.addresses.truncate(1)), address);
        assert_eq!(broken(|pool| pool.addresses.swap(0, 1)), address);
        assert_eq!(broken(|pool| pool.addresses[0].0 -= 1), address);
    }

    #[test]
    fn values_without_a_size_have_no_addresses() {
        let mut pool = BlockPool::<()>::with_blocks(2, 4);
        pool.insert(()).unwrap();
        pool.validate().unwrap();
    }
}
