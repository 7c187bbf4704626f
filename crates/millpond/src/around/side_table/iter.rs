use crate::pools::iterators;

/// An iterator over a side table's handles and values in index order; returned by
/// [`SideTable::iter`](super::SideTable::iter).
pub type Iter<'a, H, V> = iterators::Iter<'a, V, (), H>;

/// An iterator over a side table's handles and mutable values in index order; returned by
/// [`SideTable::iter_mut`](super::SideTable::iter_mut).
pub type IterMut<'a, H, V> = iterators::IterMut<'a, V, (), H>;
