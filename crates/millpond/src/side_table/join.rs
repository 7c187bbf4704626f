//! Going over a pool and side tables together.

use core::fmt;
use core::iter::FusedIterator;

use super::SideTable;
use crate::handle::HandleLayout;
use crate::handle_core::handle_at;
use crate::occupancy::Occupancy;
use crate::pool::Pool;
use crate::reuse::{Lifo, ReuseOrder};
use crate::slot_words::SlotWords;
use crate::storage::{CursorMut, Storage};

/// Slots per word of an occupancy.
const WORD_SLOTS: usize = u64::BITS as usize;

/// The objects of a pool that have a value in each of the tables, with these values, in index order.
///
/// The pool is lent as `&pool` or `&mut pool`, and so is each table; several tables are given as a
/// tuple of up to four, and their values come as a tuple. 64 slots are looked at in one go: what has no
/// value costs nothing, and the values of objects that are gone are passed over.
///
/// ```
/// use millpond::side_table::join;
/// use millpond::{Pool, SideTable};
///
/// let mut ships = Pool::new(100);
/// let mut speeds = SideTable::new(100);
/// let mut names = SideTable::new(100);
/// for (x, name) in [(1.0, "cutter"), (2.0, "barge"), (3.0, "tug")] {
///     let ship = ships.insert(x).unwrap();
///     names.insert(ship, name).unwrap();
///     if name != "barge" {
///         speeds.insert(ship, 0.5).unwrap();
///     }
/// }
///
/// for (_, x, speed) in join(&mut ships, &speeds) {
///     *x += speed;
/// }
/// let moved: Vec<_> = join(&ships, (&speeds, &names)).map(|(_, x, (_, name))| (*name, *x)).collect();
/// assert_eq!(moved, [("cutter", 1.5), ("tug", 3.5)]);
/// ```
pub fn join<P: JoinPool, S: JoinTables<P::Handle>>(pool: P, tables: S) -> Join<P, S> {
    let pool = pool.into_lane();
    let words = pool.occupancy().slots().div_ceil(WORD_SLOTS);
    Join { pool, tables: tables.into_lane(), words, next_word: 0, bits: 0 }
}

/// A pool, lent to [`join`]: `&Pool` or `&mut Pool`. Sealed.
pub trait JoinPool: sealed::Sealed {
    /// The pool's handles.
    type Handle: HandleLayout;
    /// How the pool's values come.
    type Value;
    #[doc(hidden)]
    type Lane: PoolLane<Handle = Self::Handle, Value = Self::Value>;
    #[doc(hidden)]
    fn into_lane(self) -> Self::Lane;
}

/// One or several tables, lent to [`join`]: `&SideTable`, `&mut SideTable`, or a tuple of up to four of
/// these. Sealed.
pub trait JoinTables<H: HandleLayout>: sealed::Sealed {
    /// How the tables' values come.
    type Value;
    #[doc(hidden)]
    type Lane: TableLane<H, Value = Self::Value>;
    #[doc(hidden)]
    fn into_lane(self) -> Self::Lane;
}

mod sealed {
    pub trait Sealed {}
}

/// A pool on the way of a join. Slots are asked for in ascending order.
#[doc(hidden)]
pub trait PoolLane {
    type Handle: HandleLayout;
    type Value;
    fn occupancy(&self) -> Occupancy<'_>;
    fn handle_at(&self, index: usize) -> Option<Self::Handle>;
    fn seek(&mut self, index: usize) -> Option<Self::Value>;
}

/// Tables on the way of a join. Slots are asked for in ascending order.
#[doc(hidden)]
pub trait TableLane<H> {
    type Value;
    /// The slots of this word that all tables have a value in.
    fn bits(&self, word: usize) -> u64;
    /// The values of the handle, if all tables have one.
    fn seek(&mut self, handle: H) -> Option<Self::Value>;
}

#[doc(hidden)]
#[allow(missing_debug_implementations, reason = "a hidden part of `Join`, which has one")]
pub struct SharedPool<'a, T, R: ReuseOrder, H: HandleLayout> {
    values: &'a Storage<T, R, H::Word>,
}

impl<'a, T, R: ReuseOrder, H: HandleLayout> PoolLane for SharedPool<'a, T, R, H> {
    type Handle = H;
    type Value = &'a T;

    #[inline]
    fn occupancy(&self) -> Occupancy<'_> {
        self.values.occupancy()
    }

    #[inline]
    fn handle_at(&self, index: usize) -> Option<H> {
        handle_at(index, self.values.words())
    }

    #[inline]
    fn seek(&mut self, index: usize) -> Option<&'a T> {
        self.values.get(index)
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> sealed::Sealed for &Pool<T, R, H> {}

impl<'a, T, R: ReuseOrder, H: HandleLayout> JoinPool for &'a Pool<T, R, H> {
    type Handle = H;
    type Value = &'a T;
    type Lane = SharedPool<'a, T, R, H>;

    fn into_lane(self) -> Self::Lane {
        SharedPool { values: self.storage() }
    }
}

#[doc(hidden)]
#[allow(missing_debug_implementations, reason = "a hidden part of `Join`, which has one")]
pub struct ExclusivePool<'a, T, R: ReuseOrder, H: HandleLayout> {
    words: &'a SlotWords<H::Word, R>,
    values: CursorMut<'a, T>,
}

impl<'a, T, R: ReuseOrder, H: HandleLayout> PoolLane for ExclusivePool<'a, T, R, H> {
    type Handle = H;
    type Value = &'a mut T;

    #[inline]
    fn occupancy(&self) -> Occupancy<'_> {
        self.values.occupancy()
    }

    #[inline]
    fn handle_at(&self, index: usize) -> Option<H> {
        handle_at(index, self.words)
    }

    #[inline]
    fn seek(&mut self, index: usize) -> Option<&'a mut T> {
        self.values.seek(index)
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> sealed::Sealed for &mut Pool<T, R, H> {}

impl<'a, T, R: ReuseOrder, H: HandleLayout> JoinPool for &'a mut Pool<T, R, H> {
    type Handle = H;
    type Value = &'a mut T;
    type Lane = ExclusivePool<'a, T, R, H>;

    fn into_lane(self) -> Self::Lane {
        let (words, values) = self.storage_mut().words_and_cursor_mut();
        ExclusivePool { words, values }
    }
}

#[doc(hidden)]
#[allow(missing_debug_implementations, reason = "a hidden part of `Join`, which has one")]
pub struct SharedTable<'a, H: HandleLayout, V> {
    values: &'a Storage<V, Lifo, H::Word>,
}

impl<'a, H: HandleLayout, V> TableLane<H> for SharedTable<'a, H, V> {
    type Value = &'a V;

    #[inline]
    fn bits(&self, word: usize) -> u64 {
        self.values.occupancy().word(word)
    }

    #[inline]
    fn seek(&mut self, handle: H) -> Option<&'a V> {
        let index = handle.index() as usize;
        let is_there = self.values.words().is_live_in(index, handle.word());
        if is_there { self.values.get(index) } else { None }
    }
}

impl<H: HandleLayout, V> sealed::Sealed for &SideTable<H, V> {}

impl<'a, H: HandleLayout, V> JoinTables<H> for &'a SideTable<H, V> {
    type Value = &'a V;
    type Lane = SharedTable<'a, H, V>;

    fn into_lane(self) -> Self::Lane {
        SharedTable { values: &self.storage }
    }
}

#[doc(hidden)]
#[allow(missing_debug_implementations, reason = "a hidden part of `Join`, which has one")]
pub struct ExclusiveTable<'a, H: HandleLayout, V> {
    words: &'a SlotWords<H::Word, Lifo>,
    values: CursorMut<'a, V>,
}

impl<'a, H: HandleLayout, V> TableLane<H> for ExclusiveTable<'a, H, V> {
    type Value = &'a mut V;

    #[inline]
    fn bits(&self, word: usize) -> u64 {
        self.values.occupancy().word(word)
    }

    #[inline]
    fn seek(&mut self, handle: H) -> Option<&'a mut V> {
        let index = handle.index() as usize;
        if self.words.is_live_in(index, handle.word()) { self.values.seek(index) } else { None }
    }
}

impl<H: HandleLayout, V> sealed::Sealed for &mut SideTable<H, V> {}

impl<'a, H: HandleLayout, V> JoinTables<H> for &'a mut SideTable<H, V> {
    type Value = &'a mut V;
    type Lane = ExclusiveTable<'a, H, V>;

    fn into_lane(self) -> Self::Lane {
        let (words, values) = self.storage.words_and_cursor_mut();
        ExclusiveTable { words, values }
    }
}

macro_rules! tuples {
    ($(($($table:ident)+))+) => {$(
        #[allow(non_snake_case, reason = "the members of a tuple are named as their types")]
        impl<H: Copy, $($table: TableLane<H>),+> TableLane<H> for ($($table,)+) {
            type Value = ($($table::Value,)+);

            #[inline]
            fn bits(&self, word: usize) -> u64 {
                let ($($table,)+) = self;
                !0 $(& $table.bits(word))+
            }

            #[inline]
            fn seek(&mut self, handle: H) -> Option<Self::Value> {
                let ($($table,)+) = self;
                Some(($($table.seek(handle)?,)+))
            }
        }

        impl<$($table: sealed::Sealed),+> sealed::Sealed for ($($table,)+) {}

        #[allow(non_snake_case, reason = "the members of a tuple are named as their types")]
        impl<H: HandleLayout, $($table: JoinTables<H>),+> JoinTables<H> for ($($table,)+) {
            type Value = ($($table::Value,)+);
            type Lane = ($($table::Lane,)+);

            fn into_lane(self) -> Self::Lane {
                let ($($table,)+) = self;
                ($($table.into_lane(),)+)
            }
        }
    )+};
}
tuples! { (A) (A B) (A B C) (A B C D) }

/// The objects of a pool that have a value in each of the tables; made by [`join`].
pub struct Join<P: JoinPool, S: JoinTables<P::Handle>> {
    pool: P::Lane,
    tables: S::Lane,
    /// How many words the pool's occupancy has, and which of them comes next.
    words: usize,
    next_word: usize,
    /// What is left of the word before that.
    bits: u64,
}

impl<P: JoinPool, S: JoinTables<P::Handle>> Iterator for Join<P, S> {
    type Item = (P::Handle, P::Value, S::Value);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            while self.bits == 0 {
                if self.next_word == self.words {
                    return None;
                }
                let word = self.next_word;
                self.bits = self.pool.occupancy().word(word) & self.tables.bits(word);
                self.next_word += 1;
            }
            let index = (self.next_word - 1) * WORD_SLOTS + self.bits.trailing_zeros() as usize;
            self.bits &= self.bits - 1;
            let handle = self.pool.handle_at(index)?;
            if let Some(values) = self.tables.seek(handle) {
                return Some((handle, self.pool.seek(index)?, values));
            }
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.pool.occupancy().live()))
    }
}

impl<P: JoinPool, S: JoinTables<P::Handle>> FusedIterator for Join<P, S> {}

impl<P: JoinPool, S: JoinTables<P::Handle>> fmt::Debug for Join<P, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Join").field("next_word", &self.next_word).finish_non_exhaustive()
    }
}
