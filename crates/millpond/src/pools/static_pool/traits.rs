use super::{Iter, IterMut, StaticPool};
use crate::handle::{HandleLayout, Word};
use crate::pools::faces::operators;

operators! {
    [T, const N: usize, H: HandleLayout] StaticPool<T, N, H>, T, H,
    iterators: Iter<'a, T, N, H>, IterMut<'a, T, N, H>,
    example: "StaticPool", ": StaticPool<u8, 8> = StaticPool::named(\"bullets\")"
}

/// The copy has the same handles and issues the same ones next.
impl<T: Clone, const N: usize, H: HandleLayout> Clone for StaticPool<T, N, H> {
    fn clone(&self) -> Self {
        let start = self.core.circle().start().generation();
        let mut storage = super::StaticStorage::<T, N, H>::fresh(start);
        storage.clone_into_fresh(&self.storage);
        let core = self.core.clone_for(&mut storage);
        Self { storage, core }
    }
}

impl<T, const N: usize, H: HandleLayout> Default for StaticPool<T, N, H> {
    fn default() -> Self {
        Self::with_handle()
    }
}
