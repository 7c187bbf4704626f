use core::fmt;
use core::iter::FusedIterator;

use super::storage::{AnyStorage, CursorMut};
use crate::handle::HandleLayout;
use crate::pools::allocator::Handles;
use crate::slots::reuse::ReuseOrder;

/// An iterator over an [`AnyPool`](super::AnyPool)'s handles and values in index order, from both
/// ends.
pub struct Iter<'a, D: ?Sized, const SLOT_BYTES: usize, R: ReuseOrder, H: HandleLayout> {
    pub(super) handles: Handles<'a, R, H>,
    pub(super) storage: &'a AnyStorage<D, SLOT_BYTES>,
}

impl<'a, D: ?Sized, const SLOT_BYTES: usize, R: ReuseOrder, H: HandleLayout> Iterator
    for Iter<'a, D, SLOT_BYTES, R, H>
{
    type Item = (H, &'a D);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let handle = self.handles.next()?;
        Some((handle, self.storage.get(handle.index() as usize)?))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.handles.size_hint()
    }
}

impl<D: ?Sized, const SLOT_BYTES: usize, R: ReuseOrder, H: HandleLayout> DoubleEndedIterator
    for Iter<'_, D, SLOT_BYTES, R, H>
{
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        let handle = self.handles.next_back()?;
        Some((handle, self.storage.get(handle.index() as usize)?))
    }
}

impl<D: ?Sized, const SLOT_BYTES: usize, R: ReuseOrder, H: HandleLayout> Clone
    for Iter<'_, D, SLOT_BYTES, R, H>
{
    fn clone(&self) -> Self {
        Self { handles: self.handles.clone(), storage: self.storage }
    }
}

/// An iterator over an [`AnyPool`](super::AnyPool)'s handles and mutable values in index order,
/// from both ends.
pub struct IterMut<'a, D: ?Sized, R: ReuseOrder, H: HandleLayout> {
    pub(super) handles: Handles<'a, R, H>,
    pub(super) values: CursorMut<'a, D>,
}

impl<'a, D: ?Sized, R: ReuseOrder, H: HandleLayout> Iterator for IterMut<'a, D, R, H> {
    type Item = (H, &'a mut D);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let handle = self.handles.next()?;
        Some((handle, self.values.at_front(handle.index() as usize)?))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.handles.size_hint()
    }
}

impl<D: ?Sized, R: ReuseOrder, H: HandleLayout> DoubleEndedIterator for IterMut<'_, D, R, H> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        let handle = self.handles.next_back()?;
        Some((handle, self.values.at_back(handle.index() as usize)?))
    }
}

impl<D: ?Sized, const SLOT_BYTES: usize, R: ReuseOrder, H: HandleLayout> ExactSizeIterator
    for Iter<'_, D, SLOT_BYTES, R, H>
{
}
impl<D: ?Sized, const SLOT_BYTES: usize, R: ReuseOrder, H: HandleLayout> FusedIterator
    for Iter<'_, D, SLOT_BYTES, R, H>
{
}
impl<D: ?Sized, R: ReuseOrder, H: HandleLayout> ExactSizeIterator for IterMut<'_, D, R, H> {}
impl<D: ?Sized, R: ReuseOrder, H: HandleLayout> FusedIterator for IterMut<'_, D, R, H> {}

impl<D: ?Sized + fmt::Debug, const SLOT_BYTES: usize, R: ReuseOrder, H: HandleLayout> fmt::Debug
    for Iter<'_, D, SLOT_BYTES, R, H>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.clone()).finish()
    }
}

impl<D: ?Sized, R: ReuseOrder, H: HandleLayout> fmt::Debug for IterMut<'_, D, R, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IterMut").field("handles", &self.handles).finish_non_exhaustive()
    }
}
