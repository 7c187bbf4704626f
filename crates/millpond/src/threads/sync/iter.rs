use core::fmt;
use core::iter::FusedIterator;

use super::Shared;
use super::slots::SharedSlots;
use crate::handle::Handle;

/// An iterator over the live objects of a [`SyncPool`](super::SyncPool), with a guard for each,
/// while other threads use the pool.
///
/// It goes in index order. An object that is live throughout is returned exactly once; one that is
/// inserted or removed meanwhile is returned once or not at all.
pub struct Iter<'a, T> {
    slots: &'a SharedSlots<T>,
    next: usize,
}

impl<'a, T> Iter<'a, T> {
    pub(super) fn new(slots: &'a SharedSlots<T>) -> Self {
        Self { slots, next: 0 }
    }
}

impl<'a, T> Iterator for Iter<'a, T> {
    type Item = (Handle<T>, Shared<'a, T>);

    fn next(&mut self) -> Option<Self::Item> {
        while let Some(handle) = self.slots.next_live(&mut self.next) {
            // Refused if the object has just been removed, so that it is not live throughout.
            if let Some(guard) = Shared::new(self.slots, handle) {
                return Some((handle, guard));
            }
        }
        None
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.slots.capacity() - self.next))
    }
}

impl<T> FusedIterator for Iter<'_, T> {}

impl<T> Clone for Iter<'_, T> {
    fn clone(&self) -> Self {
        Self { ..*self }
    }
}

impl<T> fmt::Debug for Iter<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Iter").field("next", &self.next).finish_non_exhaustive()
    }
}
