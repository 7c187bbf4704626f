use crate::pools::faces;

/// The handles and values of a side table in index order; returned by
/// [`SideTable::iter`](super::SideTable::iter).
pub type Iter<'a, H, V> = faces::Iter<'a, V, (), H>;

/// The handles and values of a side table, mutable, in index order; returned by
/// [`SideTable::iter_mut`](super::SideTable::iter_mut).
pub type IterMut<'a, H, V> = faces::IterMut<'a, V, (), H>;
