//! The traits of the standard library and of policies.

use super::{CannotGrow, Growth, PoolPlace, SlotPool};
use crate::handle::HandleLayout;
use crate::occupancy::Occupancy;
use crate::overflow::bounded;
use crate::pools::iterators::{IntoIter, Iter, IterMut, operators, sealed};
use crate::reports::errors::PoolName;
use crate::slots::reuse::ReuseOrder;
use crate::snapshot::become_clone;

operators! {
    [T, R: ReuseOrder, H: HandleLayout, P: PoolPlace<R, H>, G: Growth<T, R, H::Erased, P>] SlotPool<T, G, R, H, P>, T, H,
    iterators: Iter<'a, T, R, H>, IterMut<'a, T, R, H>,
    example: "Pool", " = Pool::<u8>::builder().name(\"bullets\").capacity(8).build()"
}

/// The copy is a twin: it has the same handles and issues the same ones next, so each accepts the
/// other's handles. It has the same capacity and the same limit.
///
/// # Panics
///
/// If there is not enough memory, or a value's clone panics.
impl<T: Clone, R: ReuseOrder, H: HandleLayout, P: PoolPlace<R, H>, G: Growth<T, R, H::Erased, P>>
    Clone for SlotPool<T, G, R, H, P>
{
    fn clone(&self) -> Self {
        let copied = self.storage.try_clone(!G::GROWS);
        let Ok(mut storage) = copied else {
            panic!("no memory for a copy of {}", PoolName(self.name()))
        };
        storage.watch(self.storage.watched().cloned());
        storage.slots_mut().clone_order_from(self.storage.slots());
        let detached = self.detached.clone();
        Self { detached, ..Self::of_parts(storage, self.growth.clone()) }
    }

    /// Makes this pool the copy. If it has the same limit, as many slots and the same generations, and nobody watches or records
    /// it, this takes no memory: values without drop code are written over, and others become clones by their own `clone_from`
    /// where both pools have one. If a clone or a drop panics then, the pool is empty.
    fn clone_from(&mut self, other: &Self) {
        let may_stay = self.may_stay_for(other);
        become_clone(self, other, may_stay);
        self.storage.slots_mut().set_name(other.name());
    }
}

impl<T, R: ReuseOrder, H: HandleLayout, P: PoolPlace<R, H>, G: Growth<T, R, H::Erased, P>>
    IntoIterator for SlotPool<T, G, R, H, P>
{
    type Item = (H, T);
    type IntoIter = IntoIter<Self>;

    /// Iterates over handles and values in index order, from both ends.
    fn into_iter(self) -> IntoIter<Self> {
        IntoIter::new(self)
    }
}

impl<T, R: ReuseOrder, H: HandleLayout, P: PoolPlace<R, H>, G: Growth<T, R, H::Erased, P>>
    sealed::Walked for SlotPool<T, G, R, H, P>
{
    type Value = T;
    type Handle = H;

    #[inline]
    fn live_slots(&self) -> Occupancy<'_> {
        self.occupancy()
    }

    #[inline]
    fn object_in(&mut self, index: usize) -> Option<(H, &mut T)> {
        self.object_at_mut(index)
    }

    #[inline]
    fn take_from(&mut self, index: usize) -> Option<(H, T)> {
        self.note_removal_in_iteration(index);
        let handle = self.handle_at(index)?;
        Some((handle, self.storage.remove(index, handle.word())?))
    }
}

bounded! {
    [T, R: ReuseOrder, H: HandleLayout, P: PoolPlace<R, H>, G: Growth<T, R, H::Erased, P>] SlotPool<T, G, R, H, P>, T, H,
    last: |self, handle| self.storage.slots().ledger().cycle().is_last(handle.word()),
    most: |self| self.growth.slots_max(self.storage.slots()),
    insert: |self, value| self.insert_if_room(value).map_err(|(value, _)| value),
    refuse: |self, value| self.refuse(value, CannotGrow::AtLimit),
    evict: |self, victim| self.remove(victim).inspect(|_| self.storage.slots_mut().count_eviction()),
}
