use super::{Iter, IterMut, VecPool};
use crate::handle::HandleLayout;
use crate::pools::faces::operators;
use crate::reports::errors::PoolName;
use crate::slots::reuse::ReuseOrder;

operators! {
    [T, R: ReuseOrder, H: HandleLayout] VecPool<T, R, H>, T, H,
    iterators: Iter<'a, T, R, H>, IterMut<'a, T, R, H>,
    example: "VecPool", " = VecPool::<u8>::builder().name(\"bullets\").build()"
}

/// The copy is a twin: it has the same handles and issues the same ones next, so each accepts the
/// other's handles. It has the same capacity and the same limit.
///
/// # Panics
///
/// If there is not enough memory, or a value's clone panics.
impl<T: Clone, R: ReuseOrder, H: HandleLayout> Clone for VecPool<T, R, H> {
    fn clone(&self) -> Self {
        let storage = match self.storage.try_clone(false) {
            Ok(storage) => storage,
            Err(_) => panic!("no memory for a copy of {}", PoolName(self.name())),
        };
        let mut storage = storage.watched_like(&self.storage);
        let core = self.core.clone_for(&mut storage);
        Self { core, storage, growing: self.growing.clone() }
    }
}

/// Creates an empty pool that has not allocated, with any reuse order and handle layout; see [`VecPool::new`].
impl<T, R: ReuseOrder, H: HandleLayout> Default for VecPool<T, R, H> {
    fn default() -> Self {
        Self::EMPTY
    }
}

crate::pools::shell::growing_from_iterator!(
    [T, R: ReuseOrder, H: HandleLayout] VecPool<T, R, H>, example "VecPool"
);
