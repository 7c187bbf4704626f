use super::{Iter, IterMut, Pool};
use crate::handle::HandleLayout;
use crate::pools::faces::operators;
use crate::reports::errors::PoolName;
use crate::slots::reuse::ReuseOrder;

operators! {
    [T, R: ReuseOrder, H: HandleLayout] Pool<T, R, H>, T, H,
    iterators: Iter<'a, T, R, H>, IterMut<'a, T, R, H>,
    example: "Pool", " = Pool::<u8>::builder().name(\"bullets\").capacity(8).build()"
}

/// The copy is a twin: it has the same handles and issues the same ones next, so each accepts the
/// other's handles. Allocates as much memory as a new pool.
///
/// # Panics
///
/// If there is not enough memory, or a value's clone panics.
impl<T: Clone, R: ReuseOrder, H: HandleLayout> Clone for Pool<T, R, H> {
    fn clone(&self) -> Self {
        let storage = match self.storage.try_clone(true) {
            Ok(storage) => storage,
            Err(_) => panic!("no memory for a copy of {}", PoolName(self.name())),
        };
        let mut storage = storage.watched_like(&self.storage);
        Self { core: self.core.clone_for(&mut storage), storage }
    }
}

crate::pools::shell::default_without_slots!([T, R: ReuseOrder, H: HandleLayout] Pool<T, R, H>);
crate::pools::shell::full_from_iterator!(
    [T, R: ReuseOrder, H: HandleLayout] Pool<T, R, H>, example "Pool"
);
