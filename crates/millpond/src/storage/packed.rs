use alloc::vec::{self, Vec};
use core::ops::{Deref, DerefMut};

use crate::memory::{self, OutOfMemory};
use crate::sanitizer;

/// The values of a packed pool: a vector that never grows beyond the room that it was made with. What
/// lies behind the last value is dead, and the sanitizer knows.
pub(super) struct Values<T>(Vec<T>);

impl<T> Values<T> {
    /// None, with room for as many as the capacity says, every page touched.
    pub(super) fn try_new(capacity: usize) -> Result<Self, OutOfMemory> {
        let mut values = Self(memory::reserved_and_touched(capacity)?);
        values.poison_rest();
        Ok(values)
    }

    /// Behind the others.
    #[inline]
    pub(super) fn push(&mut self, value: T) {
        sanitizer::unpoison(first(self.0.spare_capacity_mut()));
        self.0.push(value);
    }

    /// The last value takes the place of the one that goes.
    #[inline]
    pub(super) fn swap_remove(&mut self, position: usize) -> T {
        let value = self.0.swap_remove(position);
        sanitizer::poison(first(self.0.spare_capacity_mut()));
        value
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
        self.poison_rest();
    }

    /// Becomes the same values, by their copies.
    pub(super) fn copy_from(&mut self, others: &[T])
    where
        T: Copy,
    {
        sanitizer::unpoison(self.0.spare_capacity_mut());
        // Not by `extend_from_slice`, which may call `clone`: the program's own code, which may do anything.
        let (first, rest) = others.split_at(self.0.len().min(others.len()));
        self.0.truncate(first.len());
        self.0.copy_from_slice(first);
        self.0.extend(rest.iter().copied());
        self.poison_rest();
    }

    /// Becomes the same values, cloned into those that are there.
    pub(super) fn clone_from(&mut self, others: &Self)
    where
        T: Clone,
    {
        sanitizer::unpoison(self.0.spare_capacity_mut());
        self.0.clone_from(&others.0);
        self.poison_rest();
    }

    /// These values behind the others.
    pub(super) fn extend(&mut self, others: impl IntoIterator<Item = T>) {
        others.into_iter().for_each(|value| self.push(value));
    }

    /// The values, moved out from both ends.
    pub(super) fn into_iter(mut self) -> vec::IntoIter<T> {
        sanitizer::unpoison(self.0.spare_capacity_mut());
        core::mem::take(&mut self.0).into_iter()
    }

    fn poison_rest(&mut self) {
        sanitizer::poison(self.0.spare_capacity_mut());
    }
}

/// The first slot, or none.
#[inline]
fn first<V>(slots: &mut [V]) -> &mut [V] {
    let end = slots.len().min(1);
    &mut slots[..end]
}

impl<T> Deref for Values<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T> DerefMut for Values<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

#[cfg(millpond_asan)]
impl<T> Drop for Values<T> {
    fn drop(&mut self) {
        self.0.clear();
        sanitizer::unpoison(self.0.spare_capacity_mut());
    }
}
