//! The slots of a growing pool: the values in blocks that never move, everything else in one block.
//!
//! ```text
//! table │ entries of the reuse order │ words │ bitmap   one allocation, replaced by a larger one as the pool grows
//!   │
//!   └── 0 │ 0 │ 0 │ 1 │ 2 …                             where the values of each block are, found by the number of
//!               │   │   └▶ 8 values                     bits of the index; blocks never move
//!               │   └▶ 4 values
//!               └▶ 4 values
//! ```
//!
//! Growth copies some 8 bytes per slot, a fraction of the new block. So words, orders and bitmap are the same as in
//! every other pool: the *books*, a [`Block`] without values, in memory that the place lends it. A lookup reads a word
//! as in a pool of fixed capacity, and then one more pointer.
//!
//! # Invariant
//!
//! 1. `slots <= known <= books.slots()`: the words before `slots` are those of existing slots; the words from there to
//!    `known` are those of former slots, all dead. After `known`, all words are those of slots that were never used.
//! 2. The table has room for the [entries](BlockSizes::entry_of) of as many slots as the books have. Those of the slots
//!    below `slots` are initialised. Each is a pointer to the position that slot 0 would have in the entry's block, so
//!    that adding the index of one of the block's slots gives that slot's value. The blocks are those of the
//!    [sizes](BlockSizes) up to `slots`. Table and books are an allocation of the layout [`Blocks::books_layout`], which
//!    begins with the table; there is none if the books have no slots.
//! 3. The values of each block are an allocation of their own, of the layout [`values_layout`] of the block's size (none
//!    if that has no bytes).
//! 4. The bits of the bitmap behind `slots` are 0.
//! 5. `near` is what [`near`] says of `slots` and the sizes.

use core::alloc::Layout;
use core::fmt;
use core::mem::MaybeUninit;
use core::ops::Range;
use core::ptr::NonNull;

use super::{
    BitmapAge, Block, BlockSizes, FitEntries, Parts, PartsMut, Place, SlotKind, retired_among,
};
use crate::base::memory::{self, OutOfMemory};
use crate::handle::Word;
use crate::occupancy::WORD_SLOTS;
use crate::reports::debug::Watch;

/// Slots in several blocks.
#[doc(hidden)]
pub struct Blocks<T, K: SlotKind> {
    slots: usize,
    /// For the slots below this one, one comparison shows that they are there and where in the table to look.
    near: usize,
    books: Block<(), K>,
    /// Read-only pointers, so that a pool of `&'a T` may be used where one of shorter borrows is wanted.
    table: NonNull<*const MaybeUninit<T>>,
    sizes: BlockSizes,
    /// No layout can name more slots than 32 bits can.
    known: u32,
    /// How many of the slots that were there and are not have retired.
    retired_beyond: u32,
    watch: Option<Watch>,
}

// SAFETY: the place owns its blocks, as a `Vec` of boxes would.
unsafe impl<T: Send, K: SlotKind> Send for Blocks<T, K> {}
// SAFETY: as above.
unsafe impl<T: Sync, K: SlotKind> Sync for Blocks<T, K> {}

/// The memory of this many values.
fn values_layout<T>(slots: usize) -> Result<Layout, OutOfMemory> {
    Layout::array::<MaybeUninit<T>>(slots).map_err(|_| OutOfMemory)
}

/// Frees the memory of a block of `len` values.
///
/// # Safety
///
/// The block was taken with this length, and its values are not used any more.
unsafe fn give_back_values<T>(len: usize, values: *mut MaybeUninit<T>) {
    let (Ok(layout), Some(values)) = (values_layout::<T>(len), NonNull::new(values)) else {
        unreachable!("the values were taken with this layout");
    };
    // SAFETY: the values are an allocation of `len` values (invariant 3), and the caller promises the rest.
    unsafe { memory::give_back(values.cast(), layout) };
}

impl<T, K: SlotKind> Blocks<T, K> {
    /// No slots, and no memory.
    pub(crate) const fn new(sizes: BlockSizes) -> Self {
        Self {
            slots: 0,
            near: 0,
            books: Block::empty(),
            table: NonNull::dangling(),
            sizes,
            known: 0,
            retired_beyond: 0,
            watch: None,
        }
    }

    pub(crate) fn sizes(&self) -> BlockSizes {
        self.sizes
    }

    /// How many blocks there are.
    pub(crate) fn block_count(&self) -> usize {
        self.sizes.blocks_within(self.slots)
    }

    /// The slots of the last block.
    pub(crate) fn last_block(&self) -> Option<Range<usize>> {
        self.last_block_of(self.slots)
    }

    /// The slots of the last block, if there were only the blocks of the first `slots` slots.
    pub(crate) fn last_block_of(&self, slots: usize) -> Option<Range<usize>> {
        let first = self.sizes.start_of(self.sizes.blocks_within(slots).checked_sub(1)?)?;
        Some(first..slots)
    }

    /// How many slots are there or were.
    pub(crate) fn known(&self) -> usize {
        self.known as usize
    }

    /// How many slots that were there and are not have retired.
    pub(crate) fn retired_beyond(&self) -> usize {
        self.retired_beyond as usize
    }

    /// The word of a slot that is there or was.
    pub(crate) fn known_word(&self, index: usize) -> Option<K::Word> {
        self.books.parts().words[..self.known()].get(index).copied()
    }

    /// For how many slots there is room in the books.
    pub(crate) fn room(&self) -> usize {
        self.books.parts().words.len()
    }

    /// Makes room in the books for `slots` slots. Those that were never used get the word `fresh`.
    pub(crate) fn try_make_room(
        &mut self,
        slots: usize,
        entry_count: usize,
        fit_entries: FitEntries<K::Entry>,
        fresh: K::Word,
    ) -> Result<(), OutOfMemory> {
        let room = self.room();
        if slots <= room {
            return Ok(());
        }
        let in_step = self.books.bitmap_age();
        let (layout, table_bytes) = self.books_layout(slots, entry_count)?;
        let start = memory::take(layout)?;
        // SAFETY: the books follow the table in the memory that was just taken.
        let books_start = unsafe { start.byte_add(table_bytes) };
        // SAFETY: it is the memory of such a block, which has it until its place gives it back.
        let books =
            unsafe { Block::try_in(books_start, slots, entry_count, Layout::new::<()>(), fresh) };
        let Ok(mut books) = books else { unreachable!("the layout is known") };
        books.take_over(self.books.parts_mut(), fit_entries, fresh);
        if let Some(age) = books.bitmap_age_mut() {
            *age = in_step;
        }
        let table = start.cast();
        // SAFETY: the entries of the existing slots are initialised, and the new table has room for those of more slots
        // (invariant 2).
        unsafe { self.table.copy_to_nonoverlapping(table, self.sizes.entries_within(self.slots)) };
        self.give_back_books();
        (self.table, self.books) = (table, books);
        Ok(())
    }

    /// The memory of the table and of books with this many slots and entries, and where in it the books begin.
    fn books_layout(
        &self,
        slots: usize,
        entry_count: usize,
    ) -> Result<(Layout, usize), OutOfMemory> {
        let table = Layout::array::<*const MaybeUninit<T>>(self.sizes.entries_within(slots));
        let books = Block::<(), K>::layout(slots, entry_count, Layout::new::<()>())?;
        table.and_then(|table| table.extend(books)).map_err(|_| OutOfMemory)
    }

    /// Gives back the memory of the table and of the books, of which nothing is used any more.
    fn give_back_books(&mut self) {
        let Parts { words, entries, .. } = self.books.parts();
        if words.is_empty() {
            return;
        }
        let Ok((layout, _)) = self.books_layout(words.len(), entries.len()) else {
            unreachable!("the books were taken with this layout");
        };
        self.books = Block::empty();
        // SAFETY: the memory was taken with this layout (invariant 2), and the books are gone.
        unsafe { memory::give_back(self.table.cast(), layout) };
    }

    /// Takes the next block, for whose slots there is room in the books. Gives its slots. `ahead`: before it is needed,
    /// so that every page is touched.
    pub(crate) fn try_add_block(&mut self, ahead: bool) -> Result<Range<usize>, OutOfMemory> {
        let first = self.slots;
        let len = self.sizes.len_of(self.block_count());
        let end = first + len;
        assert!(end <= self.books.parts().words.len(), "there is room in the books");
        if let Some(watch) = &mut self.watch {
            watch.try_grow(end)?;
        }
        let values: *mut MaybeUninit<T> = memory::take(values_layout::<T>(len)?)?.as_ptr().cast();
        if ahead && size_of::<T>() > 0 {
            // SAFETY: there is memory for the block's values (invariant 3), and nobody else refers to it.
            memory::touch(unsafe { core::slice::from_raw_parts_mut(values, len) });
        }
        let (new, entries) = (self.sizes.entries_within(first), self.sizes.entries_within(end));
        let table = self.table.cast::<MaybeUninit<_>>().as_ptr();
        // SAFETY: there is room for the entries of the new slots, as for their words (invariant 2).
        let table = unsafe { core::slice::from_raw_parts_mut(table, entries) };
        table[new..].fill(MaybeUninit::new(values.cast_const().wrapping_sub(first)));
        self.set_slots(end);
        let returned = first..self.known().clamp(first, end);
        self.retired_beyond -= retired_among(&self.books.parts().words[returned]) as u32;
        self.known = self.known.max(end as u32);
        Ok(first..end)
    }

    /// Gives back the last block, the slots of which are all dead: their words stay.
    pub(crate) fn remove_block(&mut self) {
        let Some(block) = self.last_block() else { return };
        let parts = self.books.parts_mut();
        let words = &parts.words[block.clone()];
        assert!(words.iter().all(|word| word.is_dead()), "values would be lost");
        self.retired_beyond += retired_among(words) as u32;
        // The bitmap may be old.
        let whole = block.start.div_ceil(WORD_SLOTS);
        parts.bits[whole..].fill(0);
        if block.start % WORD_SLOTS != 0 {
            parts.bits[whole - 1] &= (1 << (block.start % WORD_SLOTS)) - 1;
        }
        let values = self.first_value(block.start);
        self.set_slots(block.start);
        // SAFETY: the block's slots are gone, and its values are those of dead slots.
        unsafe { give_back_values(block.len(), values) };
    }

    fn set_slots(&mut self, slots: usize) {
        self.slots = slots;
        self.near = near(slots, &self.sizes);
    }

    /// Where the value of this slot is, which is the first of its block.
    fn first_value(&self, first: usize) -> *mut MaybeUninit<T> {
        assert!(first < self.slots, "there is such a block");
        // SAFETY: there is such a slot.
        unsafe { self.value_at(first) }
    }

    /// Where the value of a slot is.
    ///
    /// # Safety
    ///
    /// There is such a slot.
    #[inline(always)]
    unsafe fn value_at(&self, index: usize) -> *mut MaybeUninit<T> {
        let entry = if index < self.near {
            BlockSizes::entry_of_doubling(index)
        } else {
            self.sizes.entry_of_last(index)
        };
        // SAFETY: there is such a slot, and this is its entry (invariant 5), which the table has (invariant 2).
        unsafe { self.values().origin_in(entry) }.wrapping_add(index)
    }

    /// All blocks: the first slot of each, and how many slots it has.
    fn blocks(&self) -> impl Iterator<Item = (usize, usize)> + use<T, K> {
        let (sizes, mut first) = (self.sizes, 0);
        (0..self.block_count()).map(move |block| {
            let len = sizes.len_of(block);
            first += len;
            (first - len, len)
        })
    }

    /// Takes on what another, of as many slots and the same sizes, knows of slots that are not there.
    pub(crate) fn copy_known_from(&mut self, other: &Self, fresh: K::Word) {
        debug_assert!(self.slots == other.slots);
        let words = self.books.parts_mut().words;
        let known = self.slots..other.known();
        words[known.clone()].copy_from_slice(&other.books.parts().words[known.clone()]);
        if self.known as usize > known.end {
            words[known.end..self.known as usize].fill(fresh);
        }
        self.known = other.known;
        self.retired_beyond = other.retired_beyond;
    }

    /// These are the words of slots that were there, behind those that are.
    #[cfg(feature = "serde")]
    pub(crate) fn load_known(&mut self, words: &[K::Word]) {
        debug_assert!(words.iter().all(|word| word.is_dead()));
        let known = self.slots + words.len();
        self.books.parts_mut().words[self.slots..known].copy_from_slice(words);
        self.known = known as u32;
        self.retired_beyond = retired_among(words) as u32;
    }

    /// The slot whose value begins at this address, if there is one. None of values without a size: they have no
    /// addresses of their own. O(blocks).
    pub(crate) fn slot_at(&self, address: usize) -> Option<usize> {
        for (first, len) in self.blocks() {
            let bytes_in = address.wrapping_sub(self.first_value(first).addr());
            let position = bytes_in.checked_div(size_of::<T>())?;
            if position < len {
                return (bytes_in % size_of::<T>() == 0).then_some(first + position);
            }
        }
        None
    }

    /// Where values are found, whatever becomes of the borrow: good until a block is taken or given back.
    #[inline]
    pub(crate) fn values(&self) -> BlockTable<T> {
        BlockTable { table: self.table, sizes: self.sizes }
    }

    pub(crate) fn is_consistent(&self, fresh: K::Word) -> bool {
        let words = self.books.parts().words;
        let Some(beyond) = words.get(self.slots..self.known()) else { return false };
        self.sizes.start_of(self.block_count()) == Some(self.slots)
            && self.near == near(self.slots, &self.sizes)
            && beyond.iter().all(|word| word.is_dead())
            && retired_among(beyond) == self.retired_beyond()
            && words[self.known()..].iter().all(|word| *word == fresh)
    }
}

/// Below which slot a lookup finds the block by the number of bits of the index. If all blocks have the same size, there is
/// no such slot: the way of the others is right for the first block, too. So a processor foresees the branch, which is
/// always the same, and does not count bits, for which some need several cycles.
#[inline]
fn near(slots: usize, sizes: &BlockSizes) -> usize {
    match sizes.first() == sizes.last() {
        true => 0,
        false => slots.min(sizes.doubling_below()),
    }
}

/// Called in a branch, has the compiler put its code elsewhere, so that the other branch does not jump over it.
#[cold]
fn aside() {}

impl<T, K: SlotKind> Drop for Blocks<T, K> {
    fn drop(&mut self) {
        for (first, len) in self.blocks() {
            // SAFETY: these are the blocks (invariants 2 and 3), and each goes once. Nobody uses any value any more.
            unsafe { give_back_values(len, self.first_value(first)) };
        }
        self.give_back_books();
    }
}

/// A block, as a walk wants it.
pub(crate) struct BlockFound<T> {
    /// Where the value of slot 0 would be if the block went back that far.
    pub(crate) origin: *mut MaybeUninit<T>,
    /// Where the block ends.
    pub(crate) end: usize,
}

/// A block of the last size. In a function of its own, so that a loop over slots does not compute in advance what only this
/// needs; arguments and result are passed in registers.
///
/// # Safety
///
/// As [`BlockTable::origin_of`] of the table of these fields; the slot is one of a block of the last size.
#[cold]
#[inline(never)]
unsafe fn last_block_with<T>(
    table: NonNull<*const MaybeUninit<T>>,
    sizes: BlockSizes,
    index: usize,
) -> BlockFound<T> {
    // SAFETY: as the caller promises.
    let origin = unsafe { BlockTable { table, sizes }.origin_in(sizes.entry_of_last(index)) };
    BlockFound { origin, end: sizes.end_of_block_with(index) }
}

/// Where the values of each block are.
pub(crate) struct BlockTable<T> {
    table: NonNull<*const MaybeUninit<T>>,
    sizes: BlockSizes,
}

impl<T> Clone for BlockTable<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for BlockTable<T> {}

impl<T> BlockTable<T> {
    /// Where the value of slot 0 would be if the block of this slot went back that far.
    ///
    /// # Safety
    ///
    /// There is such a slot in the place that this comes from, which has neither got nor lost a block since.
    #[inline(always)]
    pub(crate) unsafe fn origin_of(&self, index: usize) -> *mut MaybeUninit<T> {
        // SAFETY: there is such a slot, so the table has its entry (invariant 2).
        unsafe { self.origin_in(self.sizes.entry_of(index)) }
    }

    /// # Safety
    ///
    /// It is the entry of a slot of the place that this comes from, which has neither got nor lost a block since.
    #[inline(always)]
    unsafe fn origin_in(&self, entry: usize) -> *mut MaybeUninit<T> {
        // SAFETY: the table has the entries of all slots (invariant 2).
        unsafe { self.table.as_ptr().wrapping_add(entry).read() }.cast_mut()
    }

    /// Where the value of a slot is.
    ///
    /// # Safety
    ///
    /// As [`origin_of`](Self::origin_of).
    #[inline(always)]
    pub(crate) unsafe fn value(&self, index: usize) -> *mut MaybeUninit<T> {
        // SAFETY: as the caller promises.
        unsafe { self.origin_of(index) }.wrapping_add(index)
    }

    /// The block of a slot.
    ///
    /// # Safety
    ///
    /// As [`origin_of`](Self::origin_of).
    #[inline(always)]
    pub(crate) unsafe fn block_with(&self, index: usize) -> BlockFound<T> {
        let Some((entry, end)) = self.sizes.block_that_doubles(index) else {
            // SAFETY: as the caller promises.
            return unsafe { last_block_with(self.table, self.sizes, index) };
        };
        // SAFETY: there is such a slot, and this is its entry.
        BlockFound { origin: unsafe { self.origin_in(entry) }, end }
    }

    /// Where the value of slot 0 is.
    ///
    /// # Safety
    ///
    /// There is a slot in the place that this comes from, which has neither got nor lost a block since.
    #[inline(always)]
    pub(crate) unsafe fn first_value(&self) -> *mut MaybeUninit<T> {
        // SAFETY: there is a slot, and the first entry is that of the first block.
        unsafe { self.origin_in(0) }
    }

    #[inline(always)]
    pub(crate) fn sizes(&self) -> BlockSizes {
        self.sizes
    }
}

// SAFETY: the arrays are those of the books, of the length of `slots` (invariant 1), but for the entries, of which there
// may be more. They change only in methods that borrow the place mutably and say so.
unsafe impl<T, K: SlotKind> Place for Blocks<T, K> {
    type Word = K::Word;
    type Entry = K::Entry;
    type Value = T;
    const HAS_BITMAP: bool = true;

    #[inline(always)]
    fn key(&self) -> K::Word {
        K::Word::ZERO
    }

    #[inline(always)]
    fn parts(&self) -> Parts<'_, K::Word, K::Entry, T> {
        let Parts { words, bits, entries, .. } = self.books.parts();
        // SAFETY: the books have at least this many words and bits (invariant 1).
        let words = unsafe { words.get_unchecked(..self.slots) };
        // SAFETY: as above.
        let bits = unsafe { bits.get_unchecked(..self.slots.div_ceil(WORD_SLOTS)) };
        Parts { words, bits, entries, values: core::ptr::dangling() }
    }

    #[inline(always)]
    fn parts_mut(&mut self) -> PartsMut<'_, K::Word, K::Entry, T> {
        let PartsMut { words, bits, entries, .. } = self.books.parts_mut();
        // SAFETY: the books have at least this many words and bits (invariant 1).
        let words = unsafe { words.get_unchecked_mut(..self.slots) };
        // SAFETY: as above.
        let bits = unsafe { bits.get_unchecked_mut(..self.slots.div_ceil(WORD_SLOTS)) };
        PartsMut { words, bits, entries, values: core::ptr::dangling_mut() }
    }

    #[inline(always)]
    fn entries_end(&self) -> *const K::Entry {
        self.books.entries_end()
    }

    #[inline(always)]
    fn entries_end_mut(&mut self) -> *mut K::Entry {
        self.books.entries_end_mut()
    }

    #[inline(always)]
    unsafe fn value(&self, index: usize) -> *const MaybeUninit<T> {
        // SAFETY: as the caller promises.
        unsafe { self.value_at(index) }
    }

    #[inline(always)]
    fn find(&self, index: usize) -> Option<NonNull<MaybeUninit<T>>> {
        let entry = if index < self.near {
            BlockSizes::entry_of_doubling(index)
        } else {
            aside();
            if index >= self.slots {
                return None;
            }
            self.sizes.entry_of_last(index)
        };
        // SAFETY: there is such a slot, and this is its entry: below `near` blocks double, and from there on they are of
        // the last size, or all blocks are (invariant 5).
        let origin = unsafe { self.values().origin_in(entry) };
        // SAFETY: the value's address is one in a block, or dangling and aligned.
        Some(unsafe { NonNull::new_unchecked(origin.wrapping_add(index)) })
    }

    #[inline(always)]
    fn find_mut(&mut self, index: usize) -> Option<NonNull<MaybeUninit<T>>> {
        self.find(index)
    }

    #[inline(always)]
    unsafe fn value_mut(&mut self, index: usize) -> *mut MaybeUninit<T> {
        // SAFETY: as the caller promises.
        unsafe { self.value_at(index) }
    }

    #[inline(always)]
    unsafe fn values_mut<const N: usize>(
        &mut self,
        indices: [Option<usize>; N],
    ) -> [Option<*mut MaybeUninit<T>>; N] {
        // SAFETY: as the caller promises.
        indices.map(|index| Some(unsafe { self.value_at(index?) }))
    }

    unsafe fn copy_values(&mut self, other: &Self, count: usize) {
        assert!(self.sizes == other.sizes, "slots lie in one block on both sides");
        let mut first = 0;
        while first < count {
            let end = self.sizes.end_of_block_with(first).min(count);
            let (to, from) = (self.first_value(first), other.first_value(first));
            // SAFETY: these slots lie in one block on both sides, as the sizes are the same; two places have no memory
            // in common.
            unsafe { to.copy_from_nonoverlapping(from, end - first) };
            first = end;
        }
    }

    #[inline(always)]
    fn bitmap_age(&self) -> BitmapAge {
        self.books.bitmap_age()
    }

    #[inline(always)]
    fn bitmap_age_mut(&mut self) -> Option<&mut BitmapAge> {
        self.books.bitmap_age_mut()
    }

    fn watch(&self) -> Option<&Watch> {
        self.watch.as_ref()
    }

    fn watch_mut(&mut self) -> Option<&mut Watch> {
        self.watch.as_mut()
    }

    fn set_watch(&mut self, watch: Option<Watch>) {
        self.watch = watch;
    }
}

impl<T, K: SlotKind> fmt::Debug for Blocks<T, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Blocks").field("slots", &self.slots).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::slots::Bare;
    use crate::slots::reuse::fit_first;

    type Place3 = Blocks<[u8; 3], Bare<u32, u32>>;

    fn grown(sizes: BlockSizes, blocks: usize) -> Place3 {
        let mut place = Place3::new(sizes);
        for _ in 0..blocks {
            let end = place.slots + place.sizes.len_of(place.block_count());
            place.try_make_room(end, end, fit_first, 7.as_dead()).unwrap();
            assert_eq!(place.try_add_block(true).unwrap().end, end);
        }
        place
    }

    #[test]
    fn values_stay_where_they_are_while_the_books_move() {
        for sizes in [BlockSizes::DOUBLING, BlockSizes::new(8, 8).unwrap()] {
            let mut place = grown(sizes, 3);
            let count = place.slots;
            place.parts_mut().words[2] = 3;
            place.parts_mut().entries[2] = 9;
            // SAFETY: there is such a slot.
            let at = |place: &Place3, index| unsafe { place.value(index) }.addr();
            let before: Vec<_> = (0..count).map(|index| at(&place, index)).collect();
            for block in 3..6 {
                let end = place.slots + sizes.len_of(block);
                place.try_make_room(end, end, fit_first, 7.as_dead()).unwrap();
                place.try_add_block(true).unwrap();
            }
            assert!((0..count).all(|index| at(&place, index) == before[index]));
            assert!((0..count).all(|index| place.slot_at(before[index]) == Some(index)));
            assert_eq!((place.parts().words[2], place.parts().entries[2]), (3, 9));
            assert_eq!(place.parts().words[place.slots - 1], 7.as_dead());
            assert_eq!(place.slot_at(before[0] + 1), None);
        }
    }

    #[test]
    fn slots_that_are_there_are_found_and_no_others() {
        for sizes in
            [BlockSizes::DOUBLING, BlockSizes::new(1, 4).unwrap(), BlockSizes::new(8, 8).unwrap()]
        {
            for blocks in 0..6 {
                let mut place = grown(sizes, blocks);
                for slots in [place.slots, sizes.start_of(blocks.saturating_sub(1)).unwrap()] {
                    for index in 0..slots {
                        // SAFETY: there is such a slot.
                        let value = unsafe { place.value(index) };
                        assert_eq!(place.find(index).unwrap().as_ptr().cast_const(), value);
                        assert_eq!(place.slot_at(value.addr()), Some(index));
                    }
                    let beyond = [slots, slots + 1, 2 * slots + 9, usize::MAX >> 1, usize::MAX];
                    assert!(beyond.iter().all(|index| place.find(*index).is_none()));
                    place.remove_block();
                }
            }
        }
    }

    #[test]
    fn words_outlive_their_block() {
        let mut place = grown(BlockSizes::new(4, 4).unwrap(), 2);
        place.parts_mut().words[5] = 9.as_dead();
        place.parts_mut().words[6] = u32::RETIRED;
        place.parts_mut().bits[0] = 0xff;
        place.remove_block();
        assert_eq!((place.slots, place.known(), place.retired_beyond()), (4, 8, 1));
        assert_eq!((place.known_word(5), place.known_word(8)), (Some(9.as_dead()), None));
        assert_eq!(place.parts().bits, [0xf]);
        place.try_add_block(true).unwrap();
        assert_eq!(place.parts().words[4..], [7.as_dead(), 9.as_dead(), u32::RETIRED, 7.as_dead()]);
        assert_eq!((place.retired_beyond(), place.parts().bits), (0, &[0xf][..]));
    }

    #[test]
    fn tells_how_many_slots_it_has_and_no_values() {
        let place = grown(BlockSizes::new(4, 4).unwrap(), 2);
        assert_eq!(alloc::format!("{place:?}"), "Blocks { slots: 8, .. }");
    }

    /// Each rule for itself: all others still hold.
    #[test]
    fn validation_finds_what_is_broken() {
        let is_sound_after = |change: fn(&mut Place3)| {
            let mut place = grown(BlockSizes::new(4, 4).unwrap(), 2);
            place.try_make_room(16, 16, fit_first, 7.as_dead()).unwrap();
            place.parts_mut().words[6] = u32::RETIRED;
            place.remove_block();
            assert!(place.is_consistent(7.as_dead()));
            change(&mut place);
            place.is_consistent(7.as_dead())
        };
        assert!(is_sound_after(|_| ()));
        assert!(!is_sound_after(|place| place.known = 17), "more slots than there is room for");
        assert!(!is_sound_after(|place| place.near = 3), "slots are looked for elsewhere");
        assert!(!is_sound_after(|place| place.books.parts_mut().words[5] = 9), "one is live");
        assert!(!is_sound_after(|place| place.retired_beyond += 1), "the retired are miscounted");
        let used = |place: &mut Place3| place.books.parts_mut().words[9] = 9.as_dead();
        assert!(!is_sound_after(used), "a slot was used that was never there");
    }
}
