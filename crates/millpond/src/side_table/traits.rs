use core::fmt;
use core::ops::{Index, IndexMut};

use super::{Iter, IterMut, SideTable};
use crate::base::memory::OutOfMemory;
use crate::handle::HandleLayout;
use crate::snapshot::become_clone;

/// # Panics
///
/// If the handle has no value.
impl<H: HandleLayout, V> Index<H> for SideTable<H, V> {
    type Output = V;

    #[inline]
    #[track_caller]
    fn index(&self, handle: H) -> &V {
        let Some(value) = self.get(handle) else { no_value(handle) };
        value
    }
}

/// # Panics
///
/// If the handle has no value.
impl<H: HandleLayout, V> IndexMut<H> for SideTable<H, V> {
    #[inline]
    #[track_caller]
    fn index_mut(&mut self, handle: H) -> &mut V {
        let Some(value) = self.get_mut(handle) else { no_value(handle) };
        value
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn no_value<H: HandleLayout>(handle: H) -> ! {
    panic!("the side table has no value for handle {handle}")
}

/// The copy has the same values and the same number of slots, and refuses the same stale handles.
///
/// # Panics
///
/// If there is not enough memory, or a value's clone panics.
impl<H: HandleLayout, V: Clone> Clone for SideTable<H, V> {
    fn clone(&self) -> Self {
        match self.storage.try_clone(true) {
            Ok(storage) => Self { storage, growth: self.growth },
            Err(OutOfMemory) => panic!("no memory for a copy of the side table"),
        }
    }

    /// Makes this table the copy. If it has the same limit and as many slots, this takes no memory: values without drop code are
    /// written over, and others become clones by their own `clone_from` where both tables have one. If a clone or a drop panics
    /// then, the table is empty.
    fn clone_from(&mut self, other: &Self) {
        let may_stay = self.capacity() == other.capacity();
        become_clone(self, other, may_stay);
    }
}

/// Tables are equal if they have equal values under the same handles, whatever their capacities and
/// stale handles.
impl<H: HandleLayout, V: PartialEq> PartialEq for SideTable<H, V> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl<H: HandleLayout, V: Eq> Eq for SideTable<H, V> {}

/// Formats the table as a map from handles to values.
impl<H: HandleLayout, V: fmt::Debug> fmt::Debug for SideTable<H, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<'a, H: HandleLayout, V> IntoIterator for &'a SideTable<H, V> {
    type Item = (H, &'a V);
    type IntoIter = Iter<'a, H, V>;

    fn into_iter(self) -> Iter<'a, H, V> {
        self.iter()
    }
}

impl<'a, H: HandleLayout, V> IntoIterator for &'a mut SideTable<H, V> {
    type Item = (H, &'a mut V);
    type IntoIter = IterMut<'a, H, V>;

    fn into_iter(self) -> IterMut<'a, H, V> {
        self.iter_mut()
    }
}

/// Inserts all pairs; later ones replace earlier ones of the same handle.
///
/// # Panics
///
/// If [`insert`](SideTable::insert) refuses a handle, because silently dropping the value would
/// hide the loss.
impl<H: HandleLayout, V> Extend<(H, V)> for SideTable<H, V> {
    #[track_caller]
    fn extend<I: IntoIterator<Item = (H, V)>>(&mut self, pairs: I) {
        for (handle, value) in pairs {
            if let Err(error) = self.insert(handle, value) {
                panic!("the side table refuses handle {handle}: {error}");
            }
        }
    }
}

/// # Panics
///
/// If [`insert`](SideTable::insert) refuses a handle.
impl<'a, H: HandleLayout, V: Copy> Extend<(H, &'a V)> for SideTable<H, V> {
    #[track_caller]
    fn extend<I: IntoIterator<Item = (H, &'a V)>>(&mut self, pairs: I) {
        self.extend(pairs.into_iter().map(|(handle, value)| (handle, *value)));
    }
}

/// Collects pairs into a table that [grows](SideTable::new).
///
/// ```
/// use millpond::{Handle, Pool, SideTable};
///
/// let mut ships = Pool::new(8);
/// ships.insert("cutter").unwrap();
/// ships.insert("barge").unwrap();
/// let lengths: SideTable<Handle<&str>, usize> =
///     ships.iter().map(|(handle, name)| (handle, name.len())).collect();
/// assert_eq!(lengths.values().sum::<usize>(), 11);
/// ```
///
/// # Panics
///
/// If [`insert`](SideTable::insert) refuses a handle.
impl<H: HandleLayout, V> FromIterator<(H, V)> for SideTable<H, V> {
    #[track_caller]
    fn from_iter<I: IntoIterator<Item = (H, V)>>(pairs: I) -> Self {
        let mut table = Self::new();
        table.extend(pairs);
        table
    }
}
