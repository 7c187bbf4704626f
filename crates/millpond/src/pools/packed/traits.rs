use super::{Iter, IterMut, PackedPool};
use crate::base::memory::OutOfMemory;
use crate::handle::HandleLayout;
use crate::pools::faces::operators;
use crate::reports::errors::PoolName;
use crate::values::PackedValues;

operators! {
    [T, H: HandleLayout] PackedPool<T, H>, T, H,
    iterators: Iter<'a, T, H>, IterMut<'a, T, H>,
    example: "PackedPool", " = PackedPool::<u8>::builder().name(\"bullets\").capacity(8).build()"
}

/// The copy has the same handles in the same order and issues the same ones next. Allocates as much
/// memory as a new pool.
///
/// # Panics
///
/// If there is not enough memory, or a value's clone panics.
impl<T: Clone, H: HandleLayout> Clone for PackedPool<T, H> {
    fn clone(&self) -> Self {
        match self.try_clone() {
            Ok(pool) => pool,
            Err(OutOfMemory) => panic!("no memory for a copy of {}", PoolName(self.name())),
        }
    }
}

impl<T: Clone, H: HandleLayout> PackedPool<T, H> {
    fn try_clone(&self) -> Result<Self, OutOfMemory> {
        // Room for the whole capacity, as in any pool.
        let mut values = PackedValues::try_new(self.capacity())?;
        values.extend(self.values.iter().cloned());
        let mut copy = Self { roster: self.roster.clone(), values };
        copy.fill_if_watched();
        Ok(copy)
    }
}

crate::pools::shell::default_without_slots!([T, H: HandleLayout] PackedPool<T, H>);
crate::pools::shell::full_from_iterator!([T, H: HandleLayout] PackedPool<T, H>, example "PackedPool");
