//! Values in blocks: growth, and iteration from block to block.

use core::fmt;
use core::iter::FusedIterator;
use core::marker::PhantomData;
use core::ops::Range;
use core::slice;

use super::{Link, Storage};
use crate::base::entry::Entry;
use crate::base::memory::OutOfMemory;
use crate::handle::{HandleLayout, Word};
use crate::occupancy::{LiveSlots, Occupancy, Runs, WORD_SLOTS};
use crate::slots::reuse::{Queue, ReuseOrder};
use crate::slots::{BlockSizes, BlockTable, Blocks, Circle, EntryOf, KeptWords, SlotWords};

/// The storage of a growing pool of this order and layout.
pub(crate) type BlockStorage<T, R, H> =
    Storage<Blocks<<H as HandleLayout>::Word, EntryOf<R, H>, T>>;

impl<W: Word, E: Entry, T> Storage<Blocks<W, E, T>> {
    /// No slots, and no memory.
    pub(crate) const fn growing(sizes: BlockSizes) -> Self {
        Self { words: SlotWords::growing(sizes) }
    }

    #[inline]
    pub(crate) fn place(&self) -> &Blocks<W, E, T> {
        self.words.place()
    }

    /// Allocates the next block. `room`: how many slots to make room for in the books if they are
    /// full; `ahead`: touch every page. Returns its slots, which are dead; the order does not know
    /// them yet.
    pub(crate) fn try_add_block<R: ReuseOrder, H: HandleLayout<Word = W>>(
        &mut self,
        room: usize,
        fresh: W,
        ahead: bool,
    ) -> Result<Range<usize>, OutOfMemory>
    where
        R::Queue<H::Index>: Queue<H::Index, Entry = E>,
    {
        let entry_count = |slots| R::Queue::<H::Index>::entry_count(slots, Self::LINKED);
        let move_entries = R::Queue::<H::Index>::move_entries;
        let in_step = R::SEARCHES_BITMAP;
        let new =
            self.words.try_add_block(room, entry_count, move_entries, in_step, fresh, ahead)?;
        for index in new.clone() {
            self.write_link(index, Link::NONE);
            // As if a value had just been moved out.
            self.bury(index);
        }
        Ok(new)
    }

    /// Frees the last block, all of whose slots are dead and out of the order.
    pub(crate) fn remove_block(&mut self) {
        if Self::IS_POISONED {
            self.place().last_block().into_iter().flatten().for_each(|index| self.unearth(index));
        }
        self.words.remove_block();
    }

    /// Allocates or frees blocks until there are this many slots; the order is then out of date.
    /// Values in freed blocks are dropped.
    pub(crate) fn try_resize<R: ReuseOrder, H: HandleLayout<Word = W>>(
        &mut self,
        slots: usize,
        circle: &Circle<W>,
    ) -> Result<(), OutOfMemory>
    where
        R::Queue<H::Index>: Queue<H::Index, Entry = E>,
    {
        while let Some(block) = self.place().last_block().filter(|block| block.start >= slots) {
            for index in block {
                let Some(generation) = self.words.of_live(index) else { continue };
                drop(self.take(index, circle.word_after(generation)));
            }
            self.remove_block();
        }
        while self.slots() < slots {
            self.try_add_block::<R, H>(slots, circle.start().as_dead(), false)?;
        }
        Ok(())
    }

    /// Makes room in the books for this many slots.
    pub(crate) fn try_make_room<R: ReuseOrder, H: HandleLayout<Word = W>>(
        &mut self,
        slots: usize,
        fresh: W,
    ) -> Result<(), OutOfMemory>
    where
        R::Queue<H::Index>: Queue<H::Index, Entry = E>,
    {
        let entry_count = |slots| R::Queue::<H::Index>::entry_count(slots, Self::LINKED);
        let move_entries = R::Queue::<H::Index>::move_entries;
        self.words.place_mut().try_make_room(slots, entry_count, move_entries, fresh)
    }

    /// Copies the words of former slots from `other`, which has the same number of slots.
    pub(crate) fn copy_known_from(&mut self, other: &Self, fresh: W) {
        self.words.place_mut().copy_known_from(other.place(), fresh);
    }

    /// Sets the words of former slots, which come after those that exist: dead ones.
    #[cfg(feature = "serde")]
    pub(crate) fn load_known(&mut self, words: &[W]) {
        assert!(words.iter().all(|word| word.is_dead()), "a live slot has a value");
        self.words.place_mut().load_known(words);
    }

    /// A copy with the same words. If a value's clone panics, what was copied is dropped. `in_one_piece`: the values of
    /// all blocks are one allocation.
    pub(crate) fn try_clone_blocks<R: ReuseOrder, H: HandleLayout<Word = W>>(
        &self,
        circle: &Circle<W>,
        in_one_piece: bool,
    ) -> Result<Self, OutOfMemory>
    where
        R::Queue<H::Index>: Queue<H::Index, Entry = E>,
        T: Clone,
    {
        let mut storage = Self::growing(self.place().sizes());
        let fresh = circle.start().as_dead();
        storage.try_make_room::<R, H>(self.place().room(), fresh)?;
        if in_one_piece {
            storage.words.place_mut().try_join(self.slots())?;
        }
        storage.try_resize::<R, H>(self.slots(), circle)?;
        storage.clone_into_dead(self);
        storage.copy_known_from(self, fresh);
        Ok(storage)
    }

    /// The slot of `value`, from its address. O(blocks).
    pub(crate) fn index_of(&self, value: &T) -> Option<usize> {
        let index = self.place().slot_at(core::ptr::from_ref(value).addr())?;
        self.words.is_live(index).then_some(index)
    }

    #[inline]
    pub(crate) fn iter(&self) -> BlockValues<'_, T> {
        BlockValues {
            walk: Walk::new(self.place().values(), self.occupancy()),
            borrow: PhantomData,
        }
    }

    /// The values, mutable, with the words.
    #[inline]
    pub(crate) fn words_and_iter_mut(&mut self) -> (KeptWords<'_, W>, BlockValuesMut<'_, T>) {
        self.words.refresh();
        let walk = Walk::new(self.place().values(), self.occupancy());
        (self.words.kept(), BlockValuesMut { walk, borrow: PhantomData })
    }

    #[inline]
    pub(crate) fn iter_mut(&mut self) -> BlockValuesMut<'_, T> {
        self.words_and_iter_mut().1
    }

    #[inline]
    pub(crate) fn runs(&self) -> BlockRuns<'_, T> {
        BlockRuns { runs: Cut::new(self.place().values(), self.occupancy()), borrow: PhantomData }
    }

    #[inline]
    pub(crate) fn runs_mut(&mut self) -> BlockRunsMut<'_, T> {
        self.words.refresh();
        let runs = Cut::new(self.place().values(), self.occupancy());
        BlockRunsMut { runs, borrow: PhantomData }
    }

    /// Whether no slot of the last block is live; otherwise one that is. `hint`: one that may be.
    pub(crate) fn live_in_last_block(&self, hint: usize) -> Option<usize> {
        let block = self.place().last_block()?;
        if block.contains(&hint) && self.words.is_live(hint) {
            return Some(hint);
        }
        let below = block.start..hint.clamp(block.start, block.end);
        let above = below.end..block.end;
        below.rev().chain(above.rev()).find(|index| self.words.is_live(*index))
    }

    #[cfg(feature = "validate")]
    pub(crate) fn validate_blocks(
        &self,
        fresh: W,
    ) -> Result<(), crate::reports::validate::Violation> {
        crate::reports::validate::ensure(
            self.place().is_consistent(fresh),
            "the blocks have all slots that are there, and slots that were never used have fresh words",
            format_args!("{} blocks, {} slots", self.place().block_count(), self.slots()),
        )
    }
}

/// A walk over the live slots.
///
/// # Invariant
///
/// The occupancy is that of the slots of the table's place, which is borrowed for `'a`.
struct Walk<'a, T> {
    live: LiveSlots<'a>,
    values: BlockTable<T>,
    occupancy: Occupancy<'a>,
}

impl<T> Clone for Walk<'_, T> {
    fn clone(&self) -> Self {
        Self { live: self.live.clone(), ..*self }
    }
}

impl<'a, T> Walk<'a, T> {
    #[inline]
    fn new(values: BlockTable<T>, occupancy: Occupancy<'a>) -> Self {
        Self { live: occupancy.iter(), values, occupancy }
    }

    /// The next live slot, and its value, which is initialised.
    #[inline(always)]
    fn next(&mut self) -> Option<(usize, *mut T)> {
        let index = self.live.next()?;
        // SAFETY: the occupancy names slots of the place only (invariant).
        Some((index, unsafe { self.values.value(index) }.cast()))
    }

    #[inline]
    fn next_back(&mut self) -> Option<(usize, *mut T)> {
        let index = self.live.next_back()?;
        // SAFETY: as above.
        Some((index, unsafe { self.values.value(index) }.cast()))
    }

    #[inline(always)]
    fn fold<A>(self, start: A, mut f: impl FnMut(A, (usize, *mut T)) -> A) -> A {
        let Self { live, values, occupancy } = self;
        let is_whole = live.len() == occupancy.live();
        match occupancy.prefix() {
            Some(slots) if is_whole => Self::fold_prefix(values, slots, start, f),
            None if is_whole => Self::fold_words(values, occupancy, start, f),
            _ => live.fold(start, |folded, index| {
                // SAFETY: the occupancy names slots of the place only (invariant).
                f(folded, (index, unsafe { values.value(index) }.cast()))
            }),
        }
    }

    /// The lowest slots, block by block.
    #[inline(always)]
    fn fold_prefix<A>(
        values: BlockTable<T>,
        slots: usize,
        start: A,
        mut f: impl FnMut(A, (usize, *mut T)) -> A,
    ) -> A {
        let (mut folded, mut from) = (start, 0);
        while from < slots {
            let end = values.sizes().end_of_block_with(from).min(slots);
            // SAFETY: the prefix has slots of the place only (invariant).
            let first = unsafe { values.value(from) };
            for (distance, index) in (from..end).enumerate() {
                folded = f(folded, (index, first.wrapping_add(distance).cast()));
            }
            from = end;
        }
        folded
    }

    /// 64 slots at a time, most of which lie in one block.
    #[inline(always)]
    fn fold_words<A>(
        values: BlockTable<T>,
        occupancy: Occupancy<'_>,
        start: A,
        mut f: impl FnMut(A, (usize, *mut T)) -> A,
    ) -> A {
        let mut folded = start;
        for word in 0..occupancy.slots().div_ceil(WORD_SLOTS) {
            let mut bits = occupancy.word(word);
            if bits == 0 {
                continue;
            }
            let first = word * WORD_SLOTS;
            if values.sizes().end_of_block_with(first) - first < WORD_SLOTS {
                while bits != 0 {
                    let index = first + bits.trailing_zeros() as usize;
                    // SAFETY: the occupancy names slots of the place only (invariant).
                    folded = f(folded, (index, unsafe { values.value(index) }.cast()));
                    bits &= bits - 1;
                }
                continue;
            }
            // SAFETY: as above; a block is there as a whole.
            let origin = unsafe { values.origin_of(first) };
            if bits == !0 {
                for index in first..first + WORD_SLOTS {
                    folded = f(folded, (index, origin.wrapping_add(index).cast()));
                }
                continue;
            }
            while bits != 0 {
                let index = first + bits.trailing_zeros() as usize;
                folded = f(folded, (index, origin.wrapping_add(index).cast()));
                bits &= bits - 1;
            }
        }
        folded
    }
}

/// Implements an iterator over values on a [`Walk`]: `$lend` makes a reference of a pointer.
macro_rules! values {
    ($name:ident yields $item:ty, $pointer:ident => $lend:expr) => {
        impl<'a, T> Iterator for $name<'a, T> {
            type Item = (usize, $item);

            #[inline(always)]
            fn next(&mut self) -> Option<Self::Item> {
                let (index, $pointer) = self.walk.next()?;
                // SAFETY: the slot is live by the occupancy, so its value is initialised (invariant 2); it is
                // borrowed for `'a`, and no slot is named twice.
                Some((index, unsafe { $lend }))
            }

            #[inline]
            fn size_hint(&self) -> (usize, Option<usize>) {
                self.walk.live.size_hint()
            }

            #[inline(always)]
            fn fold<A, F: FnMut(A, Self::Item) -> A>(self, start: A, mut f: F) -> A {
                self.walk.fold(start, |folded, (index, $pointer)| {
                    // SAFETY: as above.
                    f(folded, (index, unsafe { $lend }))
                })
            }
        }

        impl<'a, T> DoubleEndedIterator for $name<'a, T> {
            #[inline]
            fn next_back(&mut self) -> Option<Self::Item> {
                let (index, $pointer) = self.walk.next_back()?;
                // SAFETY: as above.
                Some((index, unsafe { $lend }))
            }
        }

        impl<T> ExactSizeIterator for $name<'_, T> {}
        impl<T> FusedIterator for $name<'_, T> {}
    };
}

/// The values of the live slots with their indices, in index order, from both ends.
pub(crate) struct BlockValues<'a, T> {
    walk: Walk<'a, T>,
    borrow: PhantomData<&'a T>,
}

values!(BlockValues yields &'a T, value => &*value);

impl<T> Clone for BlockValues<'_, T> {
    fn clone(&self) -> Self {
        Self { walk: self.walk.clone(), borrow: PhantomData }
    }
}

/// The same, mutable.
pub(crate) struct BlockValuesMut<'a, T> {
    walk: Walk<'a, T>,
    borrow: PhantomData<&'a mut T>,
}

values!(BlockValuesMut yields &'a mut T, value => &mut *value);

/// Runs of live slots, cut where blocks end.
///
/// # Invariant
///
/// The occupancy is that of the slots of the table's place, which is borrowed for `'a`; no slot is yielded twice.
struct Cut<'a, T> {
    runs: Runs<'a>,
    /// The rest of the run that the front is in, and of the back's.
    front: Range<usize>,
    back: Range<usize>,
    slots: usize,
    values: BlockTable<T>,
}

impl<T> Clone for Cut<'_, T> {
    fn clone(&self) -> Self {
        let Self { runs, front, back, slots, values } = self;
        let (runs, front, back) = (runs.clone(), front.clone(), back.clone());
        Self { runs, front, back, slots: *slots, values: *values }
    }
}

impl<'a, T> Cut<'a, T> {
    #[inline]
    fn new(values: BlockTable<T>, occupancy: Occupancy<'a>) -> Self {
        let slots = occupancy.slots();
        Self { runs: occupancy.runs(), front: 0..0, back: 0..0, slots, values }
    }

    /// The first slot of a run in one block, its first value, and how many they are.
    #[inline(always)]
    fn next(&mut self) -> Option<(usize, *mut T, usize)> {
        if self.front.is_empty() {
            self.front = match self.runs.next() {
                Some(run) => run,
                None => core::mem::replace(&mut self.back, 0..0),
            };
            if self.front.is_empty() {
                return None;
            }
        }
        let end = self.values.sizes().end_of_block_with(self.front.start).min(self.front.end);
        let run = self.front.start..end;
        self.front.start = end;
        Some(self.of(run))
    }

    #[inline]
    fn next_back(&mut self) -> Option<(usize, *mut T, usize)> {
        if self.back.is_empty() {
            self.back = match self.runs.next_back() {
                Some(run) => run,
                None => core::mem::replace(&mut self.front, 0..0),
            };
            if self.back.is_empty() {
                return None;
            }
        }
        let sizes = self.values.sizes();
        let start = sizes.start_of(sizes.block_of(self.back.end - 1)).unwrap_or(0);
        let run = start.max(self.back.start)..self.back.end;
        self.back.end = run.start;
        Some(self.of(run))
    }

    #[inline(always)]
    fn of(&self, run: Range<usize>) -> (usize, *mut T, usize) {
        // One comparison, so that memory safety does not depend on the occupancy.
        assert!(run.end <= self.slots, "a run is within the slots");
        // SAFETY: a run starts in front of its end, and there are this many slots (invariant).
        let first = unsafe { self.values.value(run.start) };
        (run.start, first.cast(), run.end - run.start)
    }
}

/// An iterator over the runs of a growing pool's live slots, each in one block, as
/// `(first index, &[T])`, in index order, from both ends.
pub struct BlockRuns<'a, T> {
    runs: Cut<'a, T>,
    borrow: PhantomData<&'a T>,
}

/// An iterator over the runs of a growing pool's live slots, each in one block, as
/// `(first index, &mut [T])`, in index order, from both ends.
pub struct BlockRunsMut<'a, T> {
    runs: Cut<'a, T>,
    borrow: PhantomData<&'a mut T>,
}

macro_rules! runs {
    ($name:ident yields $item:ty, $make:path) => {
        impl<'a, T> Iterator for $name<'a, T> {
            type Item = (usize, $item);

            #[inline(always)]
            fn next(&mut self) -> Option<Self::Item> {
                let (first, values, len) = self.runs.next()?;
                // SAFETY: the slots of a run are live, so their values are initialised (invariant 2); they lie in one
                // block, one behind the other, are borrowed for `'a`, and come once.
                Some((first, unsafe { $make(values, len) }))
            }
        }

        impl<'a, T> DoubleEndedIterator for $name<'a, T> {
            #[inline]
            fn next_back(&mut self) -> Option<Self::Item> {
                let (first, values, len) = self.runs.next_back()?;
                // SAFETY: as above.
                Some((first, unsafe { $make(values, len) }))
            }
        }

        impl<T> FusedIterator for $name<'_, T> {}
    };
}

runs!(BlockRuns yields &'a [T], slice::from_raw_parts);
runs!(BlockRunsMut yields &'a mut [T], slice::from_raw_parts_mut);

impl<T> Clone for BlockRuns<'_, T> {
    fn clone(&self) -> Self {
        Self { runs: self.runs.clone(), borrow: PhantomData }
    }
}

impl<T: fmt::Debug> fmt::Debug for BlockRuns<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.clone()).finish()
    }
}

impl<T> fmt::Debug for BlockRunsMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ValueRunsMut").finish_non_exhaustive()
    }
}

/// Implements `Send` and `Sync` for what is in effect a reference and an `Occupancy`.
macro_rules! sent_as {
    ($($name:ident: $send:ident),*) => {$(
        // SAFETY: it is a reference to values and an `Occupancy` in effect.
        unsafe impl<T: $send> Send for $name<'_, T> {}
        // SAFETY: as above.
        unsafe impl<T: Sync> Sync for $name<'_, T> {}
    )*};
}
sent_as!(BlockValues: Sync, BlockValuesMut: Send, BlockRuns: Sync, BlockRunsMut: Send);
