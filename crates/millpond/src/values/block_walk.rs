//! Iteration over values in blocks.

use core::iter::FusedIterator;
use core::mem;
use core::ops::Range;
use core::slice;

use super::runs::{Cut, ValueRuns, ValueRunsMut};
use crate::occupancy::{CutBits, Runs, Source, WORD_SLOTS};
use crate::slots::{BlockTable, Blocks, SlotKind, SlotWords};

/// Iterates over a slice of values: shared or mutable.
#[doc(hidden)]
pub trait Part<T>: DoubleEndedIterator + ExactSizeIterator + Default {
    /// # Safety
    ///
    /// There are as many values from here on, in one block and initialised; they may be borrowed for the lifetime of the
    /// items, mutably if the items are mutable.
    unsafe fn of(first: *mut T, len: usize) -> Self;

    /// # Safety
    ///
    /// The value is initialised, and may be borrowed for the lifetime of the item, mutably if the item is mutable.
    unsafe fn one(value: *mut T) -> Self::Item;
}

impl<'a, T> Part<T> for slice::Iter<'a, T> {
    #[inline(always)]
    unsafe fn of(first: *mut T, len: usize) -> Self {
        // SAFETY: as the caller promises.
        unsafe { slice::from_raw_parts(first, len) }.iter()
    }

    #[inline(always)]
    unsafe fn one(value: *mut T) -> &'a T {
        // SAFETY: as the caller promises.
        unsafe { &*value }
    }
}

impl<'a, T> Part<T> for slice::IterMut<'a, T> {
    #[inline(always)]
    unsafe fn of(first: *mut T, len: usize) -> Self {
        // SAFETY: as the caller promises.
        unsafe { slice::from_raw_parts_mut(first, len) }.iter_mut()
    }

    #[inline(always)]
    unsafe fn one(value: *mut T) -> &'a mut T {
        // SAFETY: as the caller promises.
        unsafe { &mut *value }
    }
}

/// The values of the live slots with their indices, in index order, from both ends.
///
/// A walk looks up the address of each block, not that of each value: of a known prefix, `part` is what is left in one
/// block; otherwise, `bits` says when a slot is in another block.
///
/// # Invariant
///
/// 1. The occupancy is that of the slots of the table's place, which is borrowed for the lifetime of the items.
/// 2. If `bits` has bits of a block that the front has entered, `word` points to where the slot
///    [`bits.first_of_word()`](CutBits::first_of_word) would be if that block went back so far.
/// 3. Nobody else refers to the values that `part`, the prefix from `until` on, and `bits` have yet to yield; no two of
///    these have a slot in common, and none yields one twice.
#[doc(hidden)]
#[allow(missing_debug_implementations, reason = "no value of it is public")]
pub struct BlockWalk<'a, T, P> {
    /// The rest of the prefix in a block; it ends at slot `until`, and the prefix at slot `prefix`.
    part: P,
    until: usize,
    prefix: usize,
    /// Read-only, as in a slice's iterator: so a walk over `&'a T` may be used where one of shorter borrows is wanted.
    word: *const T,
    bits: CutBits,
    source: Source<'a>,
    table: BlockTable<T>,
}

/// The values, shared.
pub(crate) type BlockValues<'a, T> = BlockWalk<'a, T, slice::Iter<'a, T>>;
/// The values, mutable.
pub(crate) type BlockValuesMut<'a, T> = BlockWalk<'a, T, slice::IterMut<'a, T>>;

// SAFETY: it is a slice's iterator and an `Occupancy` in effect.
unsafe impl<T, P: Send> Send for BlockWalk<'_, T, P> {}
// SAFETY: as above.
unsafe impl<T, P: Sync> Sync for BlockWalk<'_, T, P> {}

impl<T> Clone for BlockValues<'_, T> {
    fn clone(&self) -> Self {
        Self { part: self.part.clone(), bits: self.bits.clone(), ..*self }
    }
}

impl<'a, T, P: Part<T>> BlockWalk<'a, T, P> {
    /// # Safety
    ///
    /// The words are those of the table's place. This is borrowed for the lifetime of the items, mutably if they are
    /// mutable, and the walk does not outlive the borrow.
    #[inline(always)]
    pub(super) unsafe fn new<K: SlotKind>(
        table: BlockTable<T>,
        words: &'a SlotWords<Blocks<T, K>>,
    ) -> Self {
        let (mut part, mut until, word) = (P::default(), 0, core::ptr::null());
        let Some(prefix) = words.prefix() else {
            let occupancy = words.occupancy();
            let (bits, source) = (CutBits::new(occupancy), occupancy.source());
            return Self { part, until, prefix: 0, word, bits, source, table };
        };
        if prefix > 0 {
            until = table.sizes().first().min(prefix);
            // SAFETY: the prefix has slots of the place only (invariant 1).
            let first = unsafe { table.first_value() };
            // SAFETY: all slots of the prefix are live, so their values are initialised; these are in one block, and
            // nobody else refers to them (invariant 3).
            part = unsafe { P::of(first.cast(), until) };
        }
        Self { part, until, prefix, word, bits: CutBits::EMPTY, source: Source::EMPTY, table }
    }

    /// The part of the prefix in the block that begins with this slot, which is in it, and where the part ends.
    ///
    /// # Safety
    ///
    /// The table is that of a walk with such a prefix, and the walk does not yield these slots otherwise.
    #[inline(always)]
    unsafe fn part_from(table: BlockTable<T>, start: usize, prefix: usize) -> (P, usize) {
        // SAFETY: the prefix has slots of the place only (invariant 1).
        let block = unsafe { table.block_with(start) };
        let end = block.end.min(prefix);
        let first = block.origin.wrapping_add(start).cast();
        // SAFETY: all slots of the prefix are live, so their values are initialised; these are in one block, and nobody
        // else refers to them (invariant 3).
        (unsafe { P::of(first, end - start) }, end)
    }

    /// # Safety
    ///
    /// The slot has just come from the `bits` or the prefix of a walk, and its value is this far from `from`.
    #[inline(always)]
    unsafe fn at(from: *mut T, distance: usize) -> P::Item {
        let value = from.wrapping_add(distance);
        // SAFETY: no value is at address 0. Compilers do not know it; without this, each step of a loop would test for it,
        // because an `Option` of a reference is `None` there.
        unsafe { core::hint::assert_unchecked(!value.is_null()) };
        // SAFETY: the slot is live by the occupancy, so its value is initialised; nobody else refers to it (invariant 3).
        unsafe { P::one(value) }
    }
}

impl<T, P: Part<T>> Iterator for BlockWalk<'_, T, P> {
    type Item = (usize, P::Item);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        if let Some(value) = self.part.next() {
            return Some((self.until - self.part.len() - 1, value));
        }
        if !self.bits.has_bits_of_block() {
            if self.until < self.prefix {
                let index = self.until;
                // SAFETY: the walk has just left the slots before.
                (self.part, self.until) =
                    unsafe { Self::part_from(self.table, index, self.prefix) };
                return Some((index, self.part.next()?));
            }
            let slot = self.bits.next_block(self.source)?;
            // SAFETY: the slot comes from `self.bits`.
            let block = unsafe { self.table.block_with(slot) };
            self.word = block.origin.wrapping_add(self.bits.first_of_word()).cast_const().cast();
            self.bits.enter(block.end);
        }
        let bit = self.bits.next_in_word();
        // SAFETY: the bit comes from `self.bits`, and `word` points to the first slot of its word (invariant 2).
        Some((self.bits.first_of_word() + bit, unsafe { Self::at(self.word.cast_mut(), bit) }))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.part.len() + (self.prefix - self.until) + self.bits.left();
        (len, Some(len))
    }

    #[inline(always)]
    fn fold<A, F: FnMut(A, Self::Item) -> A>(self, start: A, mut f: F) -> A {
        let Self { mut part, mut until, prefix, bits, source, table, .. } = self;
        let mut folded = start;
        loop {
            let first = until - part.len();
            for (distance, value) in part.enumerate() {
                folded = f(folded, (first + distance, value));
            }
            if until >= prefix {
                break;
            }
            // SAFETY: the walk has just left the slots before.
            (part, until) = unsafe { Self::part_from(table, until, prefix) };
        }
        let sizes = table.sizes();
        bits.fold_parts(
            source,
            folded,
            |slot| sizes.end_of_block_with(slot),
            |mut folded, first, mut bits| {
                let lowest = first + bits.trailing_zeros() as usize;
                // SAFETY: the slot comes from the walk's `bits`, so it is one of the place (invariant 1).
                let word = unsafe { table.origin_of(lowest) }.wrapping_add(first).cast();
                if bits == !0 {
                    for bit in 0..WORD_SLOTS {
                        // SAFETY: as above; all slots of the word are live.
                        folded = f(folded, (first + bit, unsafe { Self::at(word, bit) }));
                    }
                    return folded;
                }
                while bits != 0 {
                    let bit = bits.trailing_zeros() as usize;
                    // SAFETY: as above; the slot is in the same block.
                    folded = f(folded, (first + bit, unsafe { Self::at(word, bit) }));
                    bits &= bits - 1;
                }
                folded
            },
        )
    }
}

impl<T, P: Part<T>> DoubleEndedIterator for BlockWalk<'_, T, P> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        let index = if self.until < self.prefix {
            self.prefix -= 1;
            self.prefix
        } else if let Some(value) = self.part.next_back() {
            self.until -= 1;
            self.prefix = self.until;
            return Some((self.until, value));
        } else {
            self.bits.next_back(self.source)?
        };
        // SAFETY: the index is one of the prefix or of `self.bits`, so it is that of a slot of the place (invariant 1).
        let value = unsafe { self.table.value(index) };
        // SAFETY: as above.
        Some((index, unsafe { Self::at(value.cast(), 0) }))
    }
}

impl<T, P: Part<T>> ExactSizeIterator for BlockWalk<'_, T, P> {}
impl<T, P: Part<T>> FusedIterator for BlockWalk<'_, T, P> {}

/// The runs of a growing pool's live slots, each in one block.
pub type BlockRuns<'a, T> = ValueRuns<'a, T, BlockCut<'a, T>>;
/// The runs of a growing pool's live slots, mutable, each in one block.
pub type BlockRunsMut<'a, T> = ValueRunsMut<'a, T, BlockCut<'a, T>>;

/// Runs of live slots, cut where blocks end.
///
/// # Invariant
///
/// 1. The occupancy is that of the slots of the table's place, which is borrowed for `'a`; no slot is yielded twice.
/// 2. `origin` points to where slot 0 would be if the block that ends at `end` went back that far, unless `end` is 0.
#[doc(hidden)]
#[allow(missing_debug_implementations, reason = "no value of it is public")]
pub struct BlockCut<'a, T> {
    runs: Runs<'a>,
    /// The rest of the current run.
    rest: Range<usize>,
    /// The block of the last run; the pointer is read-only as that of a [`BlockWalk`].
    origin: *const T,
    end: usize,
    slots: usize,
    table: BlockTable<T>,
}

impl<T> Clone for BlockCut<'_, T> {
    fn clone(&self) -> Self {
        Self { runs: self.runs.clone(), rest: self.rest.clone(), ..*self }
    }
}

impl<'a, T> BlockCut<'a, T> {
    #[inline(always)]
    pub(super) fn new<K: SlotKind>(
        table: BlockTable<T>,
        words: &'a SlotWords<Blocks<T, K>>,
    ) -> Self {
        let slots = words.slots();
        let runs = match words.prefix() {
            Some(prefix) => Runs::of_prefix(prefix),
            None => words.occupancy().runs(),
        };
        Self { runs, rest: 0..0, origin: core::ptr::null(), end: 0, slots, table }
    }
}

impl<T> Cut for BlockCut<'_, T> {
    type Value = T;

    #[inline(always)]
    fn next(&mut self) -> Option<(usize, *mut T, usize)> {
        let mut run = mem::replace(&mut self.rest, 0..0);
        if run.is_empty() {
            run = self.runs.next()?;
            // One comparison, so that memory safety does not depend on the occupancy.
            assert!(run.end <= self.slots, "a run is within the slots");
        }
        if run.end > self.end {
            if run.start >= self.end {
                // SAFETY: a run starts in front of its end, and there are this many slots (invariant 1).
                let block = unsafe { self.table.block_with(run.start) };
                (self.origin, self.end) = (block.origin.cast_const().cast(), block.end);
            }
            self.rest = self.end.min(run.end)..run.end;
            run.end = self.rest.start;
        }
        Some((run.start, self.origin.wrapping_add(run.start).cast_mut(), run.end - run.start))
    }
}
