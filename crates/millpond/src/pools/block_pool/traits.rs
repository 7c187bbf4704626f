use super::growth::Growing;
use super::{BlockPool, Iter, IterMut};
use crate::handle::HandleLayout;
use crate::pools::faces::operators;
use crate::reports::errors::PoolName;
use crate::slots::lifetimes::Lifetimes;
use crate::slots::reuse::ReuseOrder;
use crate::slots::{BlockSizes, Core};

operators! {
    [T, R: ReuseOrder, H: HandleLayout] BlockPool<T, R, H>, T, H,
    iterators: Iter<'a, T, R, H>, IterMut<'a, T, R, H>,
    example: "BlockPool", " = BlockPool::<u8>::builder().name(\"bullets\").build()"
}

/// The copy is a twin: it has the same handles and issues the same ones next, so each accepts the
/// other's handles. Allocates as much memory as a new pool with the same blocks.
///
/// # Panics
///
/// If there is not enough memory, or a value's clone panics.
impl<T: Clone, R: ReuseOrder, H: HandleLayout> Clone for BlockPool<T, R, H> {
    fn clone(&self) -> Self {
        let circle = self.core.circle();
        let Ok(mut storage) = self.storage.try_clone_blocks(Core::<R, H>::NEEDS, &circle) else {
            panic!("no memory for a copy of {}", PoolName(self.name()))
        };
        let core = self.core.clone_for(&mut storage);
        let mut copy = Self { storage, core, growth: self.growth };
        copy.storage.watch(self.storage.watched().cloned());
        copy
    }
}

/// Creates an empty pool that has not allocated, with any reuse order and handle layout, whose
/// blocks double; see [`BlockPool::new`].
impl<T, R: ReuseOrder, H: HandleLayout> Default for BlockPool<T, R, H> {
    fn default() -> Self {
        Self::without_blocks(BlockSizes::DOUBLING, &Lifetimes::PLAIN, Growing::UNLIMITED)
    }
}

crate::pools::shell::growing_from_iterator!(
    [T, R: ReuseOrder, H: HandleLayout] BlockPool<T, R, H>, example "BlockPool"
);
