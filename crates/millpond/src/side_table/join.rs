//! Iterating over a pool and side tables together.

use core::fmt;
use core::iter::FusedIterator;

use super::SideTable;
use crate::handle::{self, HandleLayout, Word};
use crate::occupancy::{Occupancy, WORD_SLOTS, packed};
use crate::pools::pool::OneBlock;
use crate::pools::slot_pool::SlotPool;
use crate::slots::reuse::ReuseOrder;
use crate::slots::{Block, LedgerOf, SlotKind, full_word};
use crate::values::Storage;
use crate::values::chunks::ChunkMut;

/// Iterates in index order over the objects of `pool` that have a value in each of `tables`,
/// together with these values.
///
/// Pass the pool as `&pool` or `&mut pool`, and each table likewise; pass several tables as a tuple
/// of up to four, and their values are returned as a tuple. The iterator examines 64 slots at a
/// time: slots without values cost next to nothing, and values of removed objects are skipped.
///
/// ```
/// use millpond::side_table::join;
/// use millpond::{Pool, SideTable};
///
/// let mut ships = Pool::new(100);
/// let mut speeds = SideTable::with_capacity(100);
/// let mut names = SideTable::with_capacity(100);
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
    let words = P::occupancy(&pool).slots().div_ceil(WORD_SLOTS);
    Join { pool, tables: tables.into_lanes(), words, next_word: 0, bits: 0 }
}

/// A borrowed pool, for [`join`]: `&Pool` or `&mut Pool`, or a [`VecPool`](crate::VecPool) likewise. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be joined with side tables",
    label = "not a borrowed `Pool` or `VecPool`",
    note = "the first argument of `join` is `&pool` or `&mut pool`, of a `Pool` or `VecPool`"
)]
pub trait JoinPool: sealed::Sealed {
    /// The pool's handles.
    type Handle: HandleLayout;
    /// How the pool's values are returned.
    type Value;
    #[doc(hidden)]
    type Lane: Lanes<WordOf<Self>, Value = Self::Value>;
    #[doc(hidden)]
    fn into_lane(self) -> Self::Lane;
    /// The live slots.
    #[doc(hidden)]
    fn occupancy(lane: &Self::Lane) -> Occupancy<'_>;
    /// The word of each slot: for a live one, its generation.
    #[doc(hidden)]
    fn words(lane: &Self::Lane) -> &[WordOf<Self>];
    /// The handles and values of 64 slots, if all of them are live.
    #[doc(hidden)]
    fn seek_word(
        lane: &mut Self::Lane,
        word: usize,
    ) -> Option<impl Iterator<Item = (Self::Handle, Self::Value)>>;
}

/// One or several borrowed tables, for [`join`]: `&SideTable`, `&mut SideTable`, or a tuple of up
/// to four of these. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a side table for handles of type `{H}`",
    label = "not a borrowed table, or a table for other handles",
    note = "the second argument of `join` is `&table` or `&mut table`, or a tuple of up to four of these; each is a `SideTable<{H}, _>`"
)]
pub trait JoinTables<H: HandleLayout>: sealed::Sealed {
    /// How the tables' values are returned.
    type Value;
    #[doc(hidden)]
    type Lanes: Lanes<H::Word, Value = Self::Value>;
    #[doc(hidden)]
    fn into_lanes(self) -> Self::Lanes;
}

type WordOf<P> = <<P as JoinPool>::Handle as HandleLayout>::Word;

mod sealed {
    pub trait Sealed {}
}

/// The slots of a pool, of a table, or of several tables in a join in progress. They are visited in ascending order.
#[doc(hidden)]
pub trait Lanes<W> {
    type Value;
    /// The slots of this word that have a value in all of them, and others where that is not known yet.
    fn bits_at_most(&self, word: usize) -> u64;
    /// The slots that have these words in all of them: where they are live, the values belong to the same handles.
    fn equal_bits(&self, words: &[W], word: usize) -> u64;
    /// Whether all 64 slots have these words in all of them.
    fn has_words(&self, words: &[W; WORD_SLOTS], word: usize) -> bool;
    /// The values in a slot, if all of them have one.
    fn seek(&mut self, index: usize) -> Option<Self::Value>;
    /// The values of 64 slots, if all of them have all of these.
    fn seek_word(&mut self, word: usize) -> Option<impl Iterator<Item = Self::Value>>;
}

/// The handles of 64 live slots.
#[inline]
fn handles<H: HandleLayout>(words: &[H::Word], word: usize) -> impl Iterator<Item = H> {
    let first = word * WORD_SLOTS;
    // A range with an end, so that one count serves all iterators zipped with it.
    let indices = first..first + WORD_SLOTS;
    let words = words.get(indices.clone()).unwrap_or(&[]);
    indices.zip(words).map(|(index, word)| handle::live::<H>(index, *word))
}

#[doc(hidden)]
#[allow(missing_debug_implementations, reason = "a hidden part of `Join`, which has one")]
pub struct Shared<'a, T, K: SlotKind, L = ()> {
    storage: &'a Storage<T, Block<K>, L>,
}

impl<'a, T, K: SlotKind, L> Shared<'a, T, K, L> {
    fn new(storage: &'a Storage<T, Block<K>, L>) -> Self {
        // What is found out here, each word finds.
        storage.words().occupancy_to_walk();
        Self { storage }
    }
}

impl<'a, T, K: SlotKind, L> Lanes<K::Word> for Shared<'a, T, K, L> {
    type Value = &'a T;

    // An old bitmap is not gathered for this: the words tell what it does not.
    #[inline]
    fn bits_at_most(&self, word: usize) -> u64 {
        self.storage.words().occupancy().source().bits().get(word).copied().unwrap_or(!0)
    }

    #[inline]
    fn equal_bits(&self, words: &[K::Word], word: usize) -> u64 {
        equal_words(words, self.storage.words().as_slice(), word)
    }

    #[inline]
    fn has_words(&self, words: &[K::Word; WORD_SLOTS], word: usize) -> bool {
        words_at(self.storage.words().as_slice(), word) == Some(words)
    }

    #[inline]
    fn seek(&mut self, index: usize) -> Option<&'a T> {
        self.storage.get(index)
    }

    #[inline]
    fn seek_word(&mut self, word: usize) -> Option<impl Iterator<Item = &'a T>> {
        self.storage.get_word(word).map(|values| values.iter())
    }
}

#[doc(hidden)]
#[allow(missing_debug_implementations, reason = "a hidden part of `Join`, which has one")]
pub struct Exclusive<'a, W, T> {
    words: &'a [W],
    values: ChunkMut<'a, T>,
}

impl<'a, W: Word, T> Lanes<W> for Exclusive<'a, W, T> {
    type Value = &'a mut T;

    #[inline]
    fn bits_at_most(&self, word: usize) -> u64 {
        self.values.occupancy().word(word)
    }

    #[inline]
    fn equal_bits(&self, words: &[W], word: usize) -> u64 {
        equal_words(words, self.words, word)
    }

    #[inline]
    fn has_words(&self, words: &[W; WORD_SLOTS], word: usize) -> bool {
        words_at(self.words, word) == Some(words)
    }

    #[inline]
    fn seek(&mut self, index: usize) -> Option<&'a mut T> {
        self.values.seek(index)
    }

    #[inline]
    fn seek_word(&mut self, word: usize) -> Option<impl Iterator<Item = &'a mut T>> {
        self.values.seek_word(word).map(|values| values.iter_mut())
    }
}

/// The bits of 64 slots: set where both have the same word.
#[inline]
fn equal_words<W: Copy + Eq>(a: &[W], b: &[W], word: usize) -> u64 {
    let first = word * WORD_SLOTS;
    let (a, b) = (a.get(first..).unwrap_or(&[]), b.get(first..).unwrap_or(&[]));
    let mut equal = [0; WORD_SLOTS];
    match (a.first_chunk::<WORD_SLOTS>(), b.first_chunk::<WORD_SLOTS>()) {
        // Separate cases, so that compilers vectorise this one.
        (Some(a), Some(b)) => {
            for ((byte, a), b) in equal.iter_mut().zip(a).zip(b) {
                *byte = u8::from(a == b);
            }
        }
        _ => {
            for ((byte, a), b) in equal.iter_mut().zip(a).zip(b) {
                *byte = u8::from(a == b);
            }
        }
    }
    packed(&equal)
}

/// The words of 64 slots.
#[inline]
fn words_at<W>(words: &[W], word: usize) -> Option<&[W; WORD_SLOTS]> {
    words.get(word * WORD_SLOTS..)?.first_chunk()
}

/// A [`Pool`](crate::Pool) or a [`VecPool`](crate::VecPool).
type Flat<T, R, H, G> = SlotPool<T, G, R, H, OneBlock<R, H>>;

impl<T, R: ReuseOrder, H: HandleLayout, G> sealed::Sealed for &Flat<T, R, H, G> {}

impl<'a, T, R: ReuseOrder, H: HandleLayout, G> JoinPool for &'a Flat<T, R, H, G> {
    type Handle = H;
    type Value = &'a T;
    type Lane = Shared<'a, T, (R, H::Word, H::Index), LedgerOf<R, H::Erased>>;

    fn into_lane(self) -> Self::Lane {
        Shared::new(&self.storage)
    }

    #[inline]
    fn occupancy(lane: &Self::Lane) -> Occupancy<'_> {
        lane.storage.words().occupancy()
    }

    #[inline]
    fn words(lane: &Self::Lane) -> &[H::Word] {
        lane.storage.words().as_slice()
    }

    #[inline]
    fn seek_word(lane: &mut Self::Lane, word: usize) -> Option<impl Iterator<Item = (H, &'a T)>> {
        let words = lane.storage.words().as_slice();
        Some(handles(words, word).zip(lane.seek_word(word)?))
    }
}

impl<T, R: ReuseOrder, H: HandleLayout, G> sealed::Sealed for &mut Flat<T, R, H, G> {}

impl<'a, T, R: ReuseOrder, H: HandleLayout, G> JoinPool for &'a mut Flat<T, R, H, G> {
    type Handle = H;
    type Value = &'a mut T;
    type Lane = Exclusive<'a, H::Word, T>;

    fn into_lane(self) -> Self::Lane {
        let (words, values) = self.storage.words_and_chunk_mut();
        Exclusive { words, values }
    }

    #[inline]
    fn occupancy(lane: &Self::Lane) -> Occupancy<'_> {
        lane.values.occupancy()
    }

    #[inline]
    fn words(lane: &Self::Lane) -> &[H::Word] {
        lane.words
    }

    #[inline]
    fn seek_word(
        lane: &mut Self::Lane,
        word: usize,
    ) -> Option<impl Iterator<Item = (H, &'a mut T)>> {
        let words = lane.words;
        Some(handles(words, word).zip(lane.seek_word(word)?))
    }
}

impl<H: HandleLayout, V> sealed::Sealed for &SideTable<H, V> {}

impl<'a, H: HandleLayout, V> JoinTables<H> for &'a SideTable<H, V> {
    type Value = &'a V;
    type Lanes = Shared<'a, V, H::Word>;

    fn into_lanes(self) -> Self::Lanes {
        Shared::new(&self.storage)
    }
}

impl<H: HandleLayout, V> sealed::Sealed for &mut SideTable<H, V> {}

impl<'a, H: HandleLayout, V> JoinTables<H> for &'a mut SideTable<H, V> {
    type Value = &'a mut V;
    type Lanes = Exclusive<'a, H::Word, V>;

    fn into_lanes(self) -> Self::Lanes {
        let (words, values) = self.storage.words_and_chunk_mut();
        Exclusive { words, values }
    }
}

macro_rules! tuples {
    ($(($first:ident $($rest:ident)*): $zipped:pat,)+) => {$(
        #[allow(non_snake_case, reason = "the members of a tuple are named as their types")]
        impl<W, $first, $($rest),*> Lanes<W> for ($first, $($rest,)*)
        where
            $first: Lanes<W>,
            $($rest: Lanes<W>,)*
        {
            type Value = ($first::Value, $($rest::Value,)*);

            #[inline]
            fn bits_at_most(&self, word: usize) -> u64 {
                let ($first, $($rest,)*) = self;
                $first.bits_at_most(word) $(& $rest.bits_at_most(word))*
            }

            #[inline]
            fn equal_bits(&self, words: &[W], word: usize) -> u64 {
                let ($first, $($rest,)*) = self;
                $first.equal_bits(words, word) $(& $rest.equal_bits(words, word))*
            }

            #[inline]
            fn has_words(&self, words: &[W; WORD_SLOTS], word: usize) -> bool {
                let ($first, $($rest,)*) = self;
                $first.has_words(words, word) $(&& $rest.has_words(words, word))*
            }

            #[inline]
            fn seek(&mut self, index: usize) -> Option<Self::Value> {
                let ($first, $($rest,)*) = self;
                Some(($first.seek(index)?, $($rest.seek(index)?,)*))
            }

            #[inline]
            fn seek_word(&mut self, word: usize) -> Option<impl Iterator<Item = Self::Value>> {
                let ($first, $($rest,)*) = self;
                let all = $first.seek_word(word)? $(.zip($rest.seek_word(word)?))*;
                Some(all.map(|$zipped| ($first, $($rest,)*)))
            }
        }

        impl<$first: sealed::Sealed, $($rest: sealed::Sealed),*> sealed::Sealed
            for ($first, $($rest,)*)
        {
        }

        #[allow(non_snake_case, reason = "the members of a tuple are named as their types")]
        impl<H, $first, $($rest),*> JoinTables<H> for ($first, $($rest,)*)
        where
            H: HandleLayout,
            $first: JoinTables<H>,
            $($rest: JoinTables<H>,)*
        {
            type Value = ($first::Value, $($rest::Value,)*);
            type Lanes = ($first::Lanes, $($rest::Lanes,)*);

            fn into_lanes(self) -> Self::Lanes {
                let ($first, $($rest,)*) = self;
                ($first.into_lanes(), $($rest.into_lanes(),)*)
            }
        }
    )+};
}
tuples! {
    (A): A,
    (A B): (A, B),
    (A B C): ((A, B), C),
    (A B C D): (((A, B), C), D),
}

/// An iterator over the objects of a pool that have a value in each of several tables; returned by
/// [`join`].
///
/// `for_each`, `fold` and the methods built on them use a plain loop for each 64 adjacent objects
/// that all have values; prefer them to a `for` loop in hot code.
pub struct Join<P: JoinPool, S: JoinTables<P::Handle>> {
    pool: P::Lane,
    tables: S::Lanes,
    /// The number of words in the pool's occupancy, and the next one.
    words: usize,
    next_word: usize,
    /// The remaining bits of the word before that.
    bits: u64,
}

impl<P: JoinPool, S: JoinTables<P::Handle>> Join<P, S> {
    /// The slots of a word that are live in the pool and have values of the same lifetimes in all tables.
    #[inline]
    fn bits_of(&self, word: usize) -> u64 {
        let bits = P::occupancy(&self.pool).word(word) & self.tables.bits_at_most(word);
        // Most words of sparse tables end here.
        if bits == 0 { 0 } else { bits & self.tables.equal_bits(P::words(&self.pool), word) }
    }

    /// Whether all 64 slots of a word are.
    #[inline]
    fn is_full(&self, word: usize) -> bool {
        full_word(P::words(&self.pool), word)
            .is_some_and(|words| self.tables.has_words(words, word))
    }

    /// The lowest of the remaining slots of a word.
    #[inline]
    fn take_lowest(&mut self, bits: u64, word: usize) -> Option<(P::Handle, P::Value, S::Value)> {
        let index = word * WORD_SLOTS + bits.trailing_zeros() as usize;
        let handle = handle::live::<P::Handle>(index, *P::words(&self.pool).get(index)?);
        Some((handle, self.pool.seek(index)?, self.tables.seek(index)?))
    }
}

impl<P: JoinPool, S: JoinTables<P::Handle>> Iterator for Join<P, S> {
    type Item = (P::Handle, P::Value, S::Value);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        while self.bits == 0 {
            if self.next_word == self.words {
                return None;
            }
            self.bits = self.bits_of(self.next_word);
            self.next_word += 1;
        }
        let bits = self.bits;
        self.bits &= bits - 1;
        self.take_lowest(bits, self.next_word - 1)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(P::occupancy(&self.pool).live()))
    }

    #[inline]
    fn fold<A, F: FnMut(A, Self::Item) -> A>(mut self, start: A, mut f: F) -> A {
        let mut folded = start;
        while self.bits != 0 {
            let Some(item) = self.next() else { break };
            folded = f(folded, item);
        }
        for word in self.next_word..self.words {
            if self.is_full(word) {
                let (pool, tables) =
                    (P::seek_word(&mut self.pool, word), self.tables.seek_word(word));
                let (Some(pool), Some(tables)) = (pool, tables) else {
                    unreachable!("all of these slots are live in the pool and in the tables");
                };
                for ((handle, value), values) in pool.zip(tables) {
                    folded = f(folded, (handle, value, values));
                }
                continue;
            }
            let mut bits = self.bits_of(word);
            while bits != 0 {
                let Some(item) = self.take_lowest(bits, word) else { break };
                folded = f(folded, item);
                bits &= bits - 1;
            }
        }
        folded
    }
}

impl<P: JoinPool, S: JoinTables<P::Handle>> FusedIterator for Join<P, S> {}

impl<P: JoinPool, S: JoinTables<P::Handle>> fmt::Debug for Join<P, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Join").field("next_word", &self.next_word).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::occupancy::tests::patterns;
    use alloc::vec::Vec;

    #[test]
    fn equal_words_have_a_bit() {
        for live in patterns() {
            let ones: Vec<u32> = live.iter().map(|_| 1).collect();
            let some: Vec<u32> = live.iter().map(|live| u32::from(*live)).collect();
            for word in 0..live.len().div_ceil(WORD_SLOTS) + 2 {
                let bits = (0..WORD_SLOTS)
                    .filter(|bit| live.get(word * WORD_SLOTS + bit) == Some(&true))
                    .fold(0_u64, |bits, bit| bits | 1 << bit);
                assert_eq!(equal_words(&ones, &some, word), bits);
                // Slots that one of the two lacks are not equal.
                let shorter = &some[..some.len() / 2];
                let half = (0..WORD_SLOTS)
                    .filter(|bit| word * WORD_SLOTS + bit < shorter.len())
                    .fold(0_u64, |bits, bit| bits | 1 << bit);
                assert_eq!(equal_words(&ones, shorter, word), bits & half);
            }
        }
    }
}
