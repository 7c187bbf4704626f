//! The values of a packed pool.
//!
//! # Invariant
//!
//! If a vector's capacity is that of `fills`, every byte after its last value is initialised. (Whatever changes a
//! vector's capacity fills what then lies after the last value, or sets `fills` to none.)
//!
//! The invariant does not hold while `clear` and `clone_from` run the values' own code, which cannot reach the vector.
//! It holds again when they end, even by a panic.

use alloc::vec::{self, Vec};
use core::ops::{Deref, DerefMut};

use crate::base::bytes::{bytes_mut, bytes_of, initialised};
use crate::base::guard::guard;
use crate::base::memory::{self, OutOfMemory};
use crate::base::sanitizer;
use crate::reports::debug::{Filled, Watch, fill, filled, find_changed};

/// A vector that grows only by [`try_grow`](PackedValues::try_grow). What lies after the last value is dead,
/// and marked so for the sanitizer.
pub(crate) struct PackedValues<T> {
    values: Vec<T>,
    fills: Option<Filled>,
}

impl<T> PackedValues<T> {
    /// No values, and no memory.
    pub(crate) const fn empty() -> Self {
        Self { values: Vec::new(), fills: None }
    }

    /// No values, with room for `capacity`, every page touched.
    pub(crate) fn try_new(capacity: usize) -> Result<Self, OutOfMemory> {
        let mut values = Self { values: memory::reserved_and_touched(capacity)?, fills: None };
        values.mark_dead(capacity);
        Ok(values)
    }

    /// Whether every byte after the last value is initialised.
    #[inline]
    fn is_filled(&self) -> bool {
        self.fills.is_some() && self.fills == filled(self.values.capacity())
    }

    /// Makes room for this many values in all, at least as many as there are. On an error, nothing changes. `touch`:
    /// touch every page.
    pub(crate) fn try_grow(&mut self, slots: usize, touch: bool) -> Result<(), OutOfMemory> {
        let is_filled = self.is_filled();
        // The allocator may copy what is dead.
        sanitizer::unpoison(self.values.spare_capacity_mut());
        let grown = self.values.try_reserve_exact(slots - self.values.len());
        if grown.is_ok() && touch {
            memory::touch(bytes_of(self.values.spare_capacity_mut()));
        }
        sanitizer::poison(self.values.spare_capacity_mut());
        if grown.is_ok() && is_filled {
            self.fill_dead();
        }
        grown.map_err(|_| OutOfMemory)
    }

    /// Moves to memory for this many values, at least as many as there are. On an error, nothing changes.
    pub(crate) fn try_shrink(&mut self, slots: usize) -> Result<(), OutOfMemory> {
        let is_filled = self.is_filled();
        let mut fewer = memory::reserved(slots.max(self.values.len()))?;
        sanitizer::unpoison(self.values.spare_capacity_mut());
        fewer.append(&mut self.values);
        self.values = fewer;
        self.fills = None;
        sanitizer::poison(self.values.spare_capacity_mut());
        if is_filled {
            self.fill_dead();
        }
        Ok(())
    }

    /// Appends a value.
    #[inline]
    pub(crate) fn push(&mut self, value: T) {
        self.mark_live(self.values.len() + 1);
        self.values.push(value);
    }

    /// Removes a value; the last one takes its place.
    #[inline]
    pub(crate) fn swap_remove(&mut self, position: usize) -> T {
        let value = self.values.swap_remove(position);
        self.mark_dead(self.values.len() + 1);
        value
    }

    pub(crate) fn clear(&mut self) {
        let end = self.values.len();
        let mut rest = guard(self, move |rest| rest.mark_dead(end));
        rest.values.clear();
    }

    /// Replaces the values by copies of the others.
    pub(crate) fn copy_from(&mut self, others: &[T])
    where
        T: Copy,
    {
        let end = self.values.len().max(others.len());
        self.mark_live(end);
        // Not by `extend_from_slice`, which may call `clone`: the program's own code, which may do anything.
        let (first, rest) = others.split_at(self.values.len().min(others.len()));
        self.values.truncate(first.len());
        self.values.copy_from_slice(first);
        self.values.extend(rest.iter().copied());
        self.mark_dead(end);
    }

    /// Replaces the values by clones of the others, with `clone_from` where there is a value.
    pub(crate) fn clone_from(&mut self, others: &Self)
    where
        T: Clone,
    {
        let end = self.values.len().max(others.len());
        self.mark_live(end);
        let mut rest = guard(self, move |rest| rest.mark_dead(end));
        rest.values.clone_from(&others.values);
    }

    /// Appends these values.
    pub(crate) fn extend(&mut self, others: impl IntoIterator<Item = T>) {
        others.into_iter().for_each(|value| self.push(value));
    }

    /// Moves all values out, from both ends. No values and no room are left here.
    pub(crate) fn take_all(&mut self) -> vec::IntoIter<T> {
        sanitizer::unpoison(self.values.spare_capacity_mut());
        core::mem::take(&mut self.values).into_iter()
    }

    /// There may have been values before this position: those places that are after the last value
    /// are now dead.
    #[inline]
    fn mark_dead(&mut self, end: usize) {
        if self.is_filled() {
            let dead = rest_until(&mut self.values, end);
            dead.iter_mut().for_each(|slot| fill(bytes_mut(slot)));
        }
        sanitizer::poison(rest_until(&mut self.values, end));
    }

    /// There will soon be values before this position.
    #[inline]
    fn mark_live(&mut self, end: usize) {
        sanitizer::unpoison(rest_until(&mut self.values, end));
    }
}

impl<T> PackedValues<T> {
    /// Fills what lies after the last value from now on.
    pub(crate) fn fill_dead(&mut self) {
        // What has no size has any number of slots, and no bytes.
        if size_of::<T>() > 0 {
            let capacity = self.values.capacity();
            self.mark_live(capacity);
            self.fills = filled(capacity);
            self.mark_dead(capacity);
        }
    }

    /// Stops filling.
    pub(crate) fn leave_dead(&mut self) {
        self.fills = None;
    }

    /// Inspects the slot after the last value, which is about to receive one.
    ///
    /// # Panics
    ///
    /// If the slot was written to since it died. Its filling is restored first.
    #[track_caller]
    pub(crate) fn inspect_next(&mut self, watch: &Watch) {
        let position = self.values.len();
        if !self.is_filled() {
            return;
        }
        self.mark_live(position + 1);
        let Some(slot) = self.values.spare_capacity_mut().first_mut() else { return };
        // SAFETY: the slot lies behind the last value of a vector with the capacity that is kept.
        let bytes = unsafe { initialised(bytes_mut(slot)) };
        let changed = find_changed(bytes);
        self.mark_dead(position + 1);
        watch.inspected(position, changed);
    }
}

/// The slots after the last value, up to this position.
#[inline]
fn rest_until<T>(values: &mut Vec<T>, end: usize) -> &mut [core::mem::MaybeUninit<T>] {
    let slots = end.saturating_sub(values.len());
    let rest = values.spare_capacity_mut();
    let slots = slots.min(rest.len());
    &mut rest[..slots]
}

impl<T> Deref for PackedValues<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        &self.values
    }
}

impl<T> DerefMut for PackedValues<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.values
    }
}

#[cfg(millpond_asan)]
impl<T> Drop for PackedValues<T> {
    fn drop(&mut self) {
        self.values.clear();
        sanitizer::unpoison(self.values.spare_capacity_mut());
    }
}

#[cfg(all(test, feature = "debug-aids"))]
mod tests {
    use super::*;

    #[test]
    fn values_that_are_gone_are_filled_until_that_is_stopped() {
        let mut values = PackedValues::try_new(2).unwrap();
        let mut left_behind = |change: fn(&mut PackedValues<[u8; 4]>)| {
            change(&mut values);
            values.push([7; 4]);
            assert_eq!(values.swap_remove(0), [7; 4]);
            values.mark_live(1);
            // SAFETY: the slot has had a value, and what fills it is initialised.
            unsafe { values.values.spare_capacity_mut()[0].assume_init() }
        };
        assert_eq!(left_behind(|_| ()), [7; 4]);
        assert_ne!(left_behind(PackedValues::fill_dead), [7; 4]);
        assert_ne!(left_behind(|values| values.try_grow(5, true).unwrap()), [7; 4]);
        assert_ne!(left_behind(|values| values.try_shrink(1).unwrap()), [7; 4]);
        assert_eq!(left_behind(PackedValues::leave_dead), [7; 4]);
    }
}
