use alloc::vec::Vec;

use super::{Iter, IterMut, PackedGrowth, PackedPool, PackedSlotPool};
use crate::base::memory::OutOfMemory;
use crate::handle::HandleLayout;
use crate::overflow::bounded;
use crate::pools::iterators::operators;
use crate::pools::slot_pool::CannotGrow;
use crate::reports::errors::PoolName;
use crate::snapshot::become_clone;
use crate::values::packed::PackedValues;

operators! {
    [T, G: PackedGrowth<H::Word>, H: HandleLayout] PackedSlotPool<T, G, H>, T, H,
    iterators: Iter<'a, T, H>, IterMut<'a, T, H>,
    example: "PackedPool", " = PackedPool::<u8>::builder().name(\"bullets\").capacity(8).build()"
}

/// The copy has the same handles in the same order and issues the same ones next. Allocates as much
/// memory as a new pool.
///
/// # Panics
///
/// If there is not enough memory, or a value's clone panics.
impl<T: Clone, G: PackedGrowth<H::Word>, H: HandleLayout> Clone for PackedSlotPool<T, G, H> {
    fn clone(&self) -> Self {
        match self.try_clone() {
            Ok(pool) => pool,
            Err(OutOfMemory) => panic!("no memory for a copy of {}", PoolName(self.name())),
        }
    }

    /// Makes this pool the copy. If it has the same limit, as many slots and the same generations, and nobody watches or records
    /// it, this takes no memory: its values become clones by their own `clone_from`. If a clone or a drop panics then, the pool is
    /// empty.
    fn clone_from(&mut self, other: &Self) {
        let may_stay = self.may_stay_for(other);
        become_clone(self, other, may_stay);
        self.roster.set_name(other.name());
    }
}

impl<T: Clone, G: PackedGrowth<H::Word>, H: HandleLayout> PackedSlotPool<T, G, H> {
    fn try_clone(&self) -> Result<Self, OutOfMemory> {
        // Room for the whole capacity, as in any pool.
        let mut values = PackedValues::try_new(self.capacity())?;
        values.clone_from(&self.values);
        let mut copy =
            Self { roster: self.roster.try_clone()?, values, growth: self.growth.clone() };
        copy.fill_if_watched();
        Ok(copy)
    }
}

/// Returns a pool without slots, which allocates nothing: for structs that derive `Default`
/// and later replace it with a pool of the right capacity.
impl<T, H: HandleLayout> Default for PackedPool<T, H> {
    fn default() -> Self {
        Self::with_capacity(0)
    }
}

/// Builds a full pool of exactly these values, with one slot per value, in iteration order.
/// (There is no `Extend`, which could not report that a pool is full.)
///
/// ```
/// use millpond::PackedPool;
///
/// let pool: PackedPool<i32> = (0..9).collect();
/// assert_eq!((pool.capacity(), pool.values().sum::<i32>()), (9, 36));
/// assert!(pool.is_full());
/// ```
///
/// # Panics
///
/// If the handle layout cannot name that many slots, or there is not enough memory.
impl<T, H: HandleLayout> FromIterator<T> for PackedPool<T, H> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        let values: Vec<T> = values.into_iter().collect();
        let mut pool = Self::with_capacity(values.len());
        for value in values {
            if pool.insert(value).is_err() {
                unreachable!("the pool has a slot for each value");
            }
        }
        pool
    }
}

bounded! {
    [T, G: PackedGrowth<H::Word>, H: HandleLayout] PackedSlotPool<T, G, H>, T, H,
    last: |self, handle| self.roster.cycle().is_last(handle.word()),
    most: |self| self.slots_max(),
    insert: |self, value| self.insert_if_room(value).map_err(|(value, _)| value),
    refuse: |self, value| self.refuse(value, CannotGrow::AtLimit),
    evict: |self, victim| self.remove(victim).inspect(|_| self.roster.count_eviction()),
}
