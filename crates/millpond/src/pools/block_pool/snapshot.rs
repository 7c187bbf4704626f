//! Snapshots of a block pool.

use core::ops::Range;

use super::BlockPool;
use crate::handle::HandleLayout;
use crate::reports::errors::PoolName;
use crate::slots::Core;
use crate::slots::reuse::{Queue, ReuseOrder};
use crate::snapshot::Checksum;
use crate::snapshot::state::{Shape, sealed};

impl<T, R: ReuseOrder, H: HandleLayout> sealed::State for BlockPool<T, R, H> {
    type Value = T;
    type Handle = H;

    fn shape(&self) -> Shape {
        let block_sizes = (self.sizes().first(), self.sizes().last());
        Shape { block_sizes, ..Shape::new(self.capacity_max(), &self.core.circle()) }
    }

    fn add_growth_to(&self, sum: &mut Checksum) {
        sum.add(&(self.sizes().first(), self.sizes().last(), self.capacity()));
        sum.add(&self.growth.spare_blocks());
    }

    fn into_past(mut self) -> Self {
        self.unwatch();
        self
    }

    fn used(&self) -> usize {
        let beyond = self.storage.place().known();
        if beyond > self.capacity() { beyond } else { self.core.used(self.storage.words()) }
    }

    fn word(&self, index: usize) -> H::Word {
        self.word_of(index)
    }

    #[inline]
    fn value(&self, index: usize) -> Option<&T> {
        self.storage.get(index)
    }

    fn order(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.core.queue().order(&self.storage, self.core.used(self.storage.words()))
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> sealed::Restore for BlockPool<T, R, H> {
    crate::pools::shell::stored_restore!(T, |own, other, copy| own.become_like(other, copy));

    fn empty(&mut self) {
        self.core.mark_used_until(self.storage.place().known());
        self.storage.recount_retired();
        self.storage.clear(&mut self.core);
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> BlockPool<T, R, H> {
    /// Gives this pool the same blocks as `other`: allocates missing blocks, and frees those that
    /// `other` does not have.
    fn become_like(&mut self, other: &Self, copy_values: impl FnOnce(&mut Self, &Self, usize)) {
        let circle = self.core.circle();
        let fresh = crate::handle::Word::as_dead(circle.start());
        let known = other.storage.place().known();
        let has_same_slots = self.capacity() == other.capacity();
        let resized = self
            .storage
            .try_make_room(Core::<R, H>::NEEDS, known, fresh)
            .and_then(|()| self.storage.try_resize(Core::<R, H>::NEEDS, other.capacity(), &circle));
        if resized.is_err() {
            panic!("no memory for the blocks of {}", PoolName(self.name()));
        }
        // If the slots differ, the order's data is of no use.
        let used = match has_same_slots {
            true => {
                self.core.used(self.storage.words()).max(other.core.used(other.storage.words()))
            }
            false => other.capacity(),
        };
        copy_values(self, other, used);
        self.storage.copy_known_from(&other.storage, fresh);
        let BlockPool { core, storage, .. } = self;
        core.copy_state_from(&other.core, other.storage.words().entries(), used, storage);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn the_order_is_that_of_the_slots_that_are_there() {
        let mut pool = BlockPool::<u8>::builder().slots_per_block(4).max_blocks(9).build();
        let handles: Vec<_> = (0..12).map(|value| pool.insert(value).unwrap()).collect();
        for index in [9, 8, 4, 11, 1, 10, 3] {
            pool.remove(handles[index]);
        }
        pool.shrink_to_fit();
        let order: Vec<usize> = sealed::State::order(&pool).flatten().collect();
        assert_eq!(order, [3, 1, 4]);
    }
}
