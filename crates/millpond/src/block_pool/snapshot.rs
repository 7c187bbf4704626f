//! The past of a block pool.

use core::ops::Range;

use super::{Block, BlockPool};
use crate::errors::PoolName;
use crate::handle::{HandleLayout, Word};
use crate::pool::Pool;
use crate::reuse::ReuseOrder;
use crate::snapshot::snapshot_methods;
use crate::snapshot::state::{Shape, sealed};

impl<T, R: ReuseOrder, H: HandleLayout> sealed::State for BlockPool<T, R, H> {
    type Value = T;
    type Handle = H;

    fn shape(&self) -> Shape {
        let slots_per_block = self.slots_per_block();
        Shape { slots_per_block, ..Shape::new(self.capacity_max(), &self.circle) }
    }

    #[cfg(feature = "debug-aids")]
    fn into_past(mut self) -> Self {
        self.aids = crate::debug::DebugAids::none();
        self.blocks.iter_mut().filter_map(Block::pool_mut).for_each(Pool::unwatch);
        self
    }

    fn used(&self) -> usize {
        self.blocks.len() << self.shift
    }

    fn word(&self, index: usize) -> H::Word {
        let slot = self.slot_of(index);
        let word = match self.blocks.get(self.block_of(index)) {
            Some(Block::Taken(pool)) => Some(sealed::State::word(pool, slot)),
            Some(Block::GivenBack(words)) => words.word(slot),
            Some(Block::Unused) | None => None,
        };
        word.unwrap_or_else(|| self.circle.start().as_dead())
    }

    fn value(&self, index: usize) -> Option<&T> {
        self.get_at(index)
    }

    /// The blocks that are there, and then their orders.
    fn order(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let there =
            || self.blocks.iter().enumerate().filter_map(|(at, block)| Some((at, block.pool()?)));
        let orders = there().flat_map(move |(at, pool)| {
            let first = at << self.shift;
            sealed::State::order(pool).map(move |range| first + range.start..first + range.end)
        });
        there().map(|(at, _)| at..at + 1).chain(orders)
    }
}

snapshot_methods!(BlockPool<T, R, H>, [T, R: ReuseOrder, H: HandleLayout], values T);

impl<T, R: ReuseOrder, H: HandleLayout> BlockPool<T, R, H> {
    fn copy_state_from(&mut self, other: &Self)
    where
        T: Copy,
    {
        self.take_over(other, Pool::copy_state_from);
    }

    pub(super) fn clone_state_from(&mut self, other: &Self)
    where
        T: Clone,
    {
        self.take_over(other, Pool::clone_state_from);
    }

    /// Has the same blocks as the other afterwards: takes memory for those that are not there, and gives that
    /// of others back. If a clone or a drop panics, the pool is empty.
    fn take_over(
        &mut self,
        other: &Self,
        copy_pool_from: impl Fn(&mut Pool<T, R, H>, &Pool<T, R, H>),
    ) {
        let guard = EmptyUnlessDone(self);
        let Self { blocks, table, circle, name, .. } = &mut *guard.0;
        let is_same = |(own, others): (&Block<T, R, H>, &Block<T, R, H>)| {
            own.pool().is_some() == others.pool().is_some()
        };
        let has_same_blocks =
            blocks.len() == other.blocks.len() && blocks.iter().zip(&other.blocks).all(is_same);
        if !has_same_blocks {
            table.forget_all();
        }
        blocks.truncate(other.blocks.len());
        blocks.resize_with(other.blocks.len(), || Block::Unused);
        for (own, others) in blocks.iter_mut().zip(&other.blocks) {
            match (&mut *own, others) {
                (Block::Taken(pool), Block::Taken(others)) => copy_pool_from(pool, others),
                (Block::GivenBack(words), Block::GivenBack(others)) => {
                    words.copy_state_from(others)
                }
                (_, Block::Unused) => *own = Block::Unused,
                (_, Block::GivenBack(words)) => {
                    let Ok(words) = words.try_clone() else {
                        panic!("no memory for the words of a block of {}", PoolName(*name));
                    };
                    *own = Block::GivenBack(words);
                }
                (_, Block::Taken(others)) => {
                    let Ok(mut pool) = Pool::try_of(*circle, *name, others.capacity()) else {
                        panic!("no memory for a block of {}", PoolName(*name));
                    };
                    copy_pool_from(&mut pool, others);
                    *own = Block::Taken(pool);
                }
            }
        }
        let pool = &mut *guard.0;
        pool.room.take_over(&other.room);
        pool.births = other.births;
        pool.deaths = other.deaths;
        pool.peak_before_removal = other.peak_before_removal;
        pool.ledger = other.ledger;
        pool.refused = other.refused;
        pool.evicted = other.evicted;
        if !has_same_blocks {
            pool.note_places();
            #[cfg(feature = "debug-aids")]
            if (0..pool.blocks.len()).any(|block| pool.watch(block).is_err()) {
                panic!("no memory for the debug aids of {}", PoolName(pool.name));
            }
        }
        pool.tell_all();
        core::mem::forget(guard);
    }
}

/// Empties a pool that was left half-way.
struct EmptyUnlessDone<'a, T, R: ReuseOrder, H: HandleLayout>(&'a mut BlockPool<T, R, H>);

impl<T, R: ReuseOrder, H: HandleLayout> Drop for EmptyUnlessDone<'_, T, R, H> {
    fn drop(&mut self) {
        let pool = &mut *self.0;
        pool.blocks.iter_mut().filter_map(Block::pool_mut).for_each(Pool::clear);
        pool.recount();
        pool.tell_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn the_order_begins_with_the_blocks_that_are_there() {
        let mut pool = BlockPool::<u8>::builder().slots_per_block(4).max_blocks(9).build();
        let handles: Vec<_> = (0..12).map(|value| pool.insert(value).unwrap()).collect();
        for index in [4, 5, 6, 7, 1, 10, 3, 8] {
            pool.remove(handles[index]);
        }
        pool.shrink_to_fit();
        let order: Vec<usize> = sealed::State::order(&pool).flatten().collect();
        assert_eq!(order, [0, 2, 3, 1, 8, 10]);
    }
}
