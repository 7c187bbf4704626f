//! Snapshots of a pool that grows in one piece.

use core::ops::Range;

use super::VecPool;
use crate::handle::HandleLayout;
use crate::reports::errors::PoolName;
use crate::slots::reuse::{Queue, ReuseOrder};
use crate::snapshot::Checksum;
use crate::snapshot::state::{Shape, sealed};

impl<T, R: ReuseOrder, H: HandleLayout> sealed::State for VecPool<T, R, H> {
    type Value = T;
    type Handle = H;

    /// Pools of the same limit have the same shape, however far they have grown.
    fn shape(&self) -> Shape {
        Shape::new(self.capacity_max(), &self.core.circle())
    }

    fn add_growth_to(&self, sum: &mut Checksum) {
        sum.add(&self.capacity());
    }

    fn into_past(mut self) -> Self {
        self.unwatch();
        self
    }

    fn used(&self) -> usize {
        match self.growing.former().len() {
            0 => self.core.used(self.storage.words()),
            former => self.capacity() + former,
        }
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

impl<T, R: ReuseOrder, H: HandleLayout> sealed::Restore for VecPool<T, R, H> {
    crate::pools::shell::stored_restore!(T, |own, other, copy| own.become_like(other, copy));

    fn empty(&mut self) {
        let known = self.capacity() + self.growing.former().len();
        self.core.mark_used_until(known);
        self.storage.recount_retired();
        self.storage.clear(&mut self.core);
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> VecPool<T, R, H> {
    /// Gives this pool as many slots as `other` has, because what comes next depends on it, and its state.
    fn become_like(&mut self, other: &Self, copy_values: impl FnOnce(&mut Self, &Self, usize)) {
        // If the numbers of slots differ, the order's data is of no use.
        let used = match self.capacity() == other.capacity() {
            true => {
                self.core.used(self.storage.words()).max(other.core.used(other.storage.words()))
            }
            false => other.capacity(),
        };
        if self.resize_like(other).is_err() {
            panic!("no memory for the slots of {}", PoolName(self.name()));
        }
        copy_values(self, other, used);
        let Self { core, storage, .. } = self;
        core.copy_state_from(&other.core, other.storage.words().entries(), used, storage);
    }
}
