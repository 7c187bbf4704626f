use core::fmt;
use core::ops::{Index, IndexMut};

use super::{AnyPool, Iter, IterMut};
use crate::handle::HandleLayout;
use crate::reports::errors::refuse;
use crate::slots::reuse::ReuseOrder;

/// # Panics
///
/// If the handle is refused; the message names the pool, the handle and the reason.
impl<D: ?Sized, const SLOT_BYTES: usize, R: ReuseOrder, H: HandleLayout> Index<H>
    for AnyPool<D, SLOT_BYTES, R, H>
{
    type Output = D;

    #[inline]
    #[track_caller]
    fn index(&self, handle: H) -> &D {
        match self.get(handle) {
            Some(value) => value,
            None => refuse(self.name(), handle, self.explain(handle)),
        }
    }
}

/// # Panics
///
/// If the handle is refused; the message names the pool, the handle and the reason.
impl<D: ?Sized, const SLOT_BYTES: usize, R: ReuseOrder, H: HandleLayout> IndexMut<H>
    for AnyPool<D, SLOT_BYTES, R, H>
{
    #[inline]
    #[track_caller]
    fn index_mut(&mut self, handle: H) -> &mut D {
        if !self.contains(handle) {
            refuse(self.name(), handle, self.explain(handle));
        }
        match self.get_mut(handle) {
            Some(value) => value,
            None => unreachable!("a handle that the pool contains has a value"),
        }
    }
}

/// Formats the pool as a map from handles to values.
impl<D: ?Sized + fmt::Debug, const SLOT_BYTES: usize, R: ReuseOrder, H: HandleLayout> fmt::Debug
    for AnyPool<D, SLOT_BYTES, R, H>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

impl<'a, D: ?Sized, const SLOT_BYTES: usize, R: ReuseOrder, H: HandleLayout> IntoIterator
    for &'a AnyPool<D, SLOT_BYTES, R, H>
{
    type Item = (H, &'a D);
    type IntoIter = Iter<'a, D, SLOT_BYTES, R, H>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a, D: ?Sized, const SLOT_BYTES: usize, R: ReuseOrder, H: HandleLayout> IntoIterator
    for &'a mut AnyPool<D, SLOT_BYTES, R, H>
{
    type Item = (H, &'a mut D);
    type IntoIter = IterMut<'a, D, R, H>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

crate::pools::shell::default_without_slots!(
    [D: ?Sized, const SLOT_BYTES: usize, R: ReuseOrder, H: HandleLayout] AnyPool<D, SLOT_BYTES, R, H>
);
