//! The slots of a pool in one block of memory.
//!
//! ```text
//! block    values              │ entries of the reuse order │ words │ bitmap
//!          n × size_of::<T>()  │ 4 n + n / 16 + 4 (`Lifo`)  │ 4 n   │ n / 8   bytes
//! ```
//!
//! The entries end exactly where the words begin. The values come first, so that a pool that grows asks the allocator for
//! more memory behind them, and they stay where they are or the system moves their pages. A block that the pool has
//! allocated begins with fewer than 64 bytes that align them.
//!
//! A block knows how large its values are, and not what they are: the same code allocates, grows and frees the blocks of all
//! pools. The header of the block is part of the pool and has the address of each array. On 64 bits:
//!
//! ```text
//! offset   0            16        24                  32                    40       48      52      64      72       80
//!          a value's    entries   number of entries   words of the bitmap   bitmap   memory  state   slots   values   words
//!          layout
//! ```
//!
//! # Invariant
//!
//! 1. Each pointer is aligned and points to as many elements as its length says; the four arrays lie in the
//!    block, do not overlap, and nothing else refers to them.
//! 2. Words, entries and the bitmap are initialised. The values may be uninitialised.
//! 3. There are as many words as values, and one word of the bitmap for each 64. Only growth changes the lengths.
//! 4. The last entry ends where the words begin.
//! 5. Memory of its own was taken with the [`own_layout`] of the block's bytes and the alignment that [`Memory`] says, and
//!    begins as many bytes before the values as it says.

#[cfg(feature = "vec")]
mod small;

use core::alloc::Layout;
use core::fmt;
use core::hint::black_box;
use core::mem::{MaybeUninit, offset_of};
use core::num::NonZero;
use core::ops::Range;
use core::ptr::{self, NonNull};
use core::slice;

use super::bitmap::{BitWord, BitmapCell, BitmapState};
use super::{Parts, PartsMut, Place, SlotKind};
use crate::base::OrderEntry;
use crate::base::memory::{self, OutOfMemory, PAGE_BYTES};
use crate::base::shared::SharedNumber;
use crate::handle::Word;
use crate::occupancy::WORD_SLOTS;
use crate::reports::debug::Watch;

/// Slots in one block of memory.
///
/// What insertions and removals touch comes last.
#[doc(hidden)]
#[repr(C)]
pub struct Block<K: SlotKind> {
    watch: Option<Watch>,
    value: ValueLayout,
    entries: NonNull<K::Entry>,
    entry_count: usize,
    /// One for each 64 slots; stored, because each iteration needs it.
    bit_words: usize,
    bits: NonNull<u64>,
    memory: Memory,
    bitmap_state: BitmapCell,
    slots: usize,
    values: NonNull<u8>,
    words: NonNull<K::Word>,
}

// SAFETY: a block owns its arrays, as a `Box` of each would. What the values are, and whether they may be sent, is their
// owner's affair.
unsafe impl<K: SlotKind> Send for Block<K> {}
// SAFETY: as above. Only the bits change while it is shared, which are lent as `BitWord`s.
unsafe impl<K: SlotKind> Sync for Block<K> {}

/// How much room a block has for each value. (Not a [`Layout`], whose fields may lie in any order.)
#[derive(Clone, Copy)]
#[repr(C)]
struct ValueLayout {
    size: usize,
    align: usize,
}

impl ValueLayout {
    const fn of(value: Layout) -> Self {
        Self { size: value.size(), align: value.align() }
    }
}

/// Where a block's memory comes from.
#[derive(Clone, Copy)]
enum Memory {
    /// It is lent for as long as the block exists, and begins with the values. Or there is none.
    Lent,
    /// From the global allocator. It begins so many bytes before the values, which were aligned so. `untouched`: the system
    /// provides its pages when they are first written to, and so it shall be in copies.
    Own { padding: u8, align: u8, untouched: bool },
}

impl Memory {
    fn own(start: NonNull<u8>, values: NonNull<u8>, align: usize, untouched: bool) -> Self {
        // Less than the alignment of the values, which is at most a cache line.
        let padding = values.addr().get() - start.addr().get();
        Self::Own { padding: padding as u8, align: align as u8, untouched }
    }
}

/// The first byte of this alignment from here on.
#[inline]
fn aligned(start: NonNull<u8>, align: usize) -> NonNull<u8> {
    start.map_addr(|address| {
        let padding = address.get().wrapping_neg() & (align - 1);
        address.checked_add(padding).expect("memory ends before the last address")
    })
}

/// Where the arrays of a block with so many slots begin, behind the values, and where the last of them ends.
struct Offsets {
    slots: usize,
    entry_count: usize,
    entries: usize,
    words: usize,
    bits: usize,
    bytes: usize,
}

impl Offsets {
    /// Those of so many slots, with values that take so many bytes each.
    #[inline]
    fn of<K: SlotKind>(slots: usize, value_bytes: usize) -> Result<Self, OutOfMemory> {
        const BYTES_MAX: usize = isize::MAX as usize;
        // The values take at most half of all addresses, and so does the rest: no sum below is too large.
        const { assert!(size_of::<K::Entry>() + size_of::<K::Word>() + 1 < 16) };
        let values = slots.checked_mul(value_bytes).ok_or(OutOfMemory)?;
        if values > BYTES_MAX || slots > BYTES_MAX / 16 {
            return Err(OutOfMemory);
        }
        let entry_count = K::entry_count(slots);
        if entry_count > BYTES_MAX / 16 {
            return Err(OutOfMemory);
        }
        let up = |offset: usize, align: usize| (offset + (align - 1)) & !(align - 1);
        let entry_bytes = entry_count * size_of::<K::Entry>();
        // The words begin where both may lie, and the entries end there.
        let align = align_of::<K::Entry>().max(align_of::<K::Word>());
        let words = up(values + entry_bytes, align);
        let bits = up(words + slots * size_of::<K::Word>(), align_of::<u64>());
        let bytes = bits + slots.div_ceil(WORD_SLOTS) * size_of::<u64>();
        Ok(Self { slots, entry_count, entries: words - entry_bytes, words, bits, bytes })
    }
}

/// What the arrays behind the values have to be aligned to.
fn others_align<K: SlotKind>() -> usize {
    align_of::<K::Entry>().max(align_of::<K::Word>()).max(align_of::<u64>())
}

/// The memory of its own that a block of so many bytes takes: its size and alignment. The allocator is not asked for more than
/// the alignment that it gives to everything, because it would take much longer, and could move no pages, nor provide them
/// untouched: the memory has room to align the values in, up to a cache line.
#[inline]
fn own_room<K: SlotKind>(bytes: usize, value: ValueLayout, align: usize) -> (usize, usize) {
    const GIVEN: usize = 16;
    let values = match value.align {
        GIVEN..=CACHE_LINE => GIVEN,
        of_type => of_type,
    };
    let given = values.max(others_align::<K>());
    (bytes + align.saturating_sub(given), given)
}

/// The layout of such memory.
#[inline]
fn own_layout<K: SlotKind>(
    bytes: usize,
    value: ValueLayout,
    align: usize,
) -> Result<Layout, OutOfMemory> {
    let (size, given) = own_room::<K>(bytes, value, align);
    Layout::from_size_align(size, given).map_err(|_| OutOfMemory)
}

/// Values that take no more than this are not aligned further than their type demands in a pool that grows by itself.
const PACKED_BYTES_MAX: usize = 4096;

const CACHE_LINE: usize = 64;

/// The alignment of the values of a pool that grows by itself, unless it is more than a cache line.
#[inline]
fn growing_align(value: ValueLayout, slots: usize) -> usize {
    match slots.saturating_mul(value.size) <= PACKED_BYTES_MAX {
        true => least_align(value),
        false => own_align(value, slots),
    }
}

/// The alignment of the values in memory of its own, unless it is more than a cache line.
fn own_align(value: ValueLayout, slots: usize) -> usize {
    values_align(value, slots).max(least_align(value))
}

/// What the memory has to align values to, because the allocator is not asked for it.
#[inline]
fn least_align(value: ValueLayout) -> usize {
    if value.align <= CACHE_LINE { value.align } else { 1 }
}

/// The alignment of the values: as much as their stride preserves, up to a cache line, so that no
/// value spans more lines than necessary.
#[inline]
fn values_align(value: ValueLayout, slots: usize) -> usize {
    match value.size {
        0 => 1,
        _ if slots == 0 => 1,
        size => (1 << size.trailing_zeros()).min(CACHE_LINE),
    }
}

impl<K: SlotKind> Drop for Block<K> {
    // Once in a program, and not again wherever a pool ends. But in each program: a call into this library would hide what it
    // does to the pool, and cost whoever has the pool on the stack a register.
    #[cold]
    fn drop(&mut self) {
        let Some((start, layout, _)) = self.own_memory() else { return };
        // SAFETY: the memory was taken with this layout, and goes back once.
        unsafe { memory::give_back(start, layout) };
    }
}

impl<K: SlotKind> Block<K> {
    /// For [`SlotOffsets`](crate::SlotOffsets): of the values, the bitmap, the number of slots, the words, the entries
    /// and their number.
    pub(crate) const ARRAY_OFFSETS: [usize; 6] = [
        offset_of!(Self, values),
        offset_of!(Self, bits),
        offset_of!(Self, slots),
        offset_of!(Self, words),
        offset_of!(Self, entries),
        offset_of!(Self, entry_count),
    ];
    pub(crate) const BITMAP_STATE_OFFSET: usize = offset_of!(Self, bitmap_state);

    /// No slots, and no memory, for such values.
    pub(crate) const fn empty(value: Layout) -> Self {
        Self {
            watch: None,
            value: ValueLayout::of(value),
            entries: NonNull::dangling(),
            entry_count: 0,
            bit_words: 0,
            bits: NonNull::dangling(),
            memory: Memory::Lent,
            bitmap_state: BitmapCell::new(BitmapState::NEW),
            slots: 0,
            values: memory::dangling(value),
            words: NonNull::dangling(),
        }
    }

    /// The bytes from the first value to the end of the bitmap.
    fn bytes(&self) -> usize {
        self.bits.addr().get() + self.bit_words * size_of::<u64>() - self.values.addr().get()
    }

    /// The memory of its own, if the block has any, its layout, and what the values are aligned to in it.
    #[inline]
    fn own_memory(&self) -> Option<(NonNull<u8>, Layout, usize)> {
        let Memory::Own { padding, align, .. } = self.memory else { return None };
        let align = align.into();
        let (size, given) = own_room::<K>(self.bytes(), self.value, align);
        // SAFETY: the memory was taken with this layout (invariant 5).
        let layout = unsafe { Layout::from_size_align_unchecked(size, given) };
        // SAFETY: the memory begins there (invariant 5).
        Some((unsafe { self.values.byte_sub(padding.into()) }, layout, align))
    }

    /// The layout of a value that each slot has room for.
    pub(crate) fn value_layout(&self) -> Layout {
        match Layout::from_size_align(self.value.size, self.value.align) {
            Ok(layout) => layout,
            Err(_) => unreachable!("it was made of a layout"),
        }
    }

    /// How many bytes a value takes.
    #[cfg(feature = "vec")]
    pub(crate) fn value_bytes(&self) -> usize {
        self.value.size
    }

    /// The first byte of the values.
    pub(crate) fn values_start(&self) -> NonNull<u8> {
        self.values
    }

    /// The memory that a block needs.
    pub(crate) fn layout(slots: usize, value: Layout) -> Result<Layout, OutOfMemory> {
        let align = value.align().max(values_align(ValueLayout::of(value), slots));
        let bytes = Offsets::of::<K>(slots, value.size())?.bytes;
        Layout::from_size_align(bytes, align.max(others_align::<K>())).map_err(|_| OutOfMemory)
    }

    /// Slots that were never used, and entries that are empty, every page touched.
    pub(crate) fn try_new(slots: usize, value: Layout) -> Result<Self, OutOfMemory> {
        Self::try_touched_from(0, slots, value)
    }

    /// The same without the pages of values before this slot.
    fn try_touched_from(from: usize, slots: usize, value: Layout) -> Result<Self, OutOfMemory> {
        let block = Self::try_own(slots, value, own_align, false)?;
        block.touch(from);
        Ok(block)
    }

    /// For a pool that grows: the system provides the pages of the values when they are first used.
    pub(crate) fn try_growing(slots: usize, value: Layout) -> Result<Self, OutOfMemory> {
        Self::try_own(slots, value, growing_align, false)
    }

    /// The system provides every page when it is first written to, but those of entries that are not all zero bits.
    pub(crate) fn try_untouched(slots: usize, value: Layout) -> Result<Self, OutOfMemory> {
        Self::try_own(slots, value, own_align, true)
    }

    /// In memory of its own, with values that are aligned as `align` says.
    #[inline]
    fn try_own(
        slots: usize,
        value: Layout,
        align: fn(ValueLayout, usize) -> usize,
        untouched: bool,
    ) -> Result<Self, OutOfMemory> {
        let mut block = Self::empty(value);
        block.try_begin(slots, align(block.value, slots), untouched)?;
        Ok(block)
    }

    /// A block without slots gets memory of its own.
    fn try_begin(
        &mut self,
        slots: usize,
        align: usize,
        untouched: bool,
    ) -> Result<(), OutOfMemory> {
        let offsets = Offsets::of::<K>(slots, self.value.size)?;
        if offsets.bytes == 0 {
            return Ok(());
        }
        let layout = own_layout::<K>(offsets.bytes, self.value, align)?;
        let start = if untouched { memory::take_zeroed(layout)? } else { memory::take(layout)? };
        let values = aligned(start, align);
        // SAFETY: the memory was just allocated, with room for such a block behind the padding. All of it is 0 if the pages are
        // untouched.
        unsafe { self.begin_in(values, &offsets, untouched) };
        self.memory = Memory::own(start, values, align, untouched);
        Ok(())
    }

    /// Touches the pages of the values from a slot on, which are all uninitialised.
    fn touch(&self, from: usize) {
        memory::touch(self.bytes_of_values(from..self.slots));
    }

    /// The bytes of some values, initialised or not.
    #[allow(clippy::mut_from_ref, reason = "the callers have the block to themselves")]
    fn bytes_of_values(&self, slots: Range<usize>) -> &mut [MaybeUninit<u8>] {
        let start = self.values.as_ptr().wrapping_add(slots.start * self.value.size);
        let bytes = slots.len() * self.value.size;
        // SAFETY: the array has these elements in the block (invariant 1), and nobody refers to them.
        unsafe { slice::from_raw_parts_mut(start.cast(), bytes) }
    }

    /// More slots, in memory of its own. The values keep their bytes, and the new slots are as if never used. On an error, nothing
    /// changes. `touch`: touch every page, and align the values, because this room was asked for.
    pub(crate) fn try_grow(&mut self, slots: usize, touch: bool) -> Result<(), OutOfMemory> {
        let (former, former_entries) = (self.slots, self.entry_count);
        assert!(slots >= former, "something would be lost");
        let align = match touch {
            true => own_align(self.value, slots),
            false => growing_align(self.value, slots),
        };
        match self.own_memory() {
            None => {
                assert!(former == 0 && former_entries == 0, "memory that is lent does not grow");
                self.try_begin(slots, align, false)?;
            }
            Some((start, layout, former_align)) => {
                // As much room for padding as before, or more.
                let align = align.max(former_align);
                // SAFETY: this is its memory.
                unsafe { self.try_resize(start, layout, slots, align)? };
            }
        }
        let entries = self.entry_count;
        K::fit_entries(self.parts_mut().entries, former_entries, entries);
        if touch {
            memory::rewrite(self.bytes_of_values(0..former));
            self.touch(former);
        }
        Ok(())
    }

    /// The same for a block that has memory of its own, which the allocator extends or moves. The entries that there were are
    /// the last ones then.
    ///
    /// # Safety
    ///
    /// This is its memory, and the values are aligned at least as they were.
    #[inline]
    unsafe fn try_resize(
        &mut self,
        start: NonNull<u8>,
        layout: Layout,
        slots: usize,
        align: usize,
    ) -> Result<(), OutOfMemory> {
        let (former, former_entries, former_bits) = (self.slots, self.entry_count, self.bit_words);
        let padding = self.values.addr().get() - start.addr().get();
        let offsets = Offsets::of::<K>(slots, self.value.size)?;
        assert!(offsets.entry_count >= former_entries, "something would be lost");
        let grown = own_layout::<K>(offsets.bytes, self.value, align)?;
        // SAFETY: it was taken with this layout; the alignment follows from the types alone. If this succeeds, nothing refers to
        // it any more but fields that are about to be replaced.
        let start = unsafe { memory::resize(start, layout, grown)? };
        let values = aligned(start, align);
        let at = |offset| values.as_ptr().wrapping_add(offset);
        let moved = start.as_ptr().wrapping_add(padding);
        if moved != at(0) {
            // SAFETY: there is room for as many bytes behind either padding.
            unsafe { moved.copy_to(at(0), self.bytes()) };
        }
        // Each array begins as far up as it did or farther, and so does what is behind it. So the last one moves first.
        let former_at = |array: NonZero<usize>| at(array.get() - self.values.addr().get());
        let bits = former_at(self.bits.addr());
        // SAFETY: the former bitmap lies at this distance from the values, and the new one has room for it.
        unsafe { at(offsets.bits).copy_from(bits, former_bits * size_of::<u64>()) };
        let new_entries = offsets.entry_count - former_entries;
        let last_entries = at(offsets.entries + new_entries * size_of::<K::Entry>());
        let bytes = former_entries * size_of::<K::Entry>() + former * size_of::<K::Word>();
        // SAFETY: the former entries lie at this distance, and the words right behind them (invariant 4). There are more new
        // entries than these, so that there is room for the former ones, and behind them for the former words.
        unsafe { last_entries.copy_from(former_at(self.entries.addr()), bytes) };
        // SAFETY: the memory has room for these behind the padding; what is not initialised there is at once.
        unsafe { self.set_arrays(values, &offsets) };
        self.memory = Memory::own(start, values, align, false);
        fill(self.entries, 0..new_entries, K::Entry::EMPTY);
        fill(self.words, former..slots, K::Word::ZERO);
        fill(self.bits, former_bits..self.bit_words, 0);
        Ok(())
    }

    /// Takes over the words, entries and bits of slots that a block of another size has, too. No slot of this one was ever
    /// used.
    pub(crate) fn take_over(&mut self, from: PartsMut<'_, K::Word, K::Entry>) {
        let kept = self.slots.min(from.words.len());
        let to = self.parts_mut();
        to.words[..kept].copy_from_slice(&from.words[..kept]);
        let (entries, former_entries) = (to.entries.len(), from.entries.len());
        match entries.checked_sub(former_entries) {
            Some(new) => {
                to.entries[new..].copy_from_slice(from.entries);
                K::fit_entries(to.entries, former_entries, entries);
            }
            None => {
                K::fit_entries(from.entries, former_entries, entries);
                to.entries.copy_from_slice(&from.entries[former_entries - entries..]);
            }
        }
        let bit_words = kept.div_ceil(WORD_SLOTS);
        to.bits[..bit_words].copy_from_slice(&from.bits[..bit_words]);
        if kept % WORD_SLOTS != 0 {
            // An old bitmap may have bits of slots that are no more.
            to.bits[bit_words - 1] &= (1 << (kept % WORD_SLOTS)) - 1;
        }
    }

    /// Like [`try_new`](Self::try_new), in memory that is lent to the block; or, if all bytes of it are 0, like
    /// [`try_untouched`](Self::try_untouched).
    ///
    /// # Safety
    ///
    /// `start` is the aligned first byte of memory with the [layout](Self::layout), which only the
    /// block uses until it is dropped. If the layout has size 0, `start` may be any address.
    /// `is_zeroed`: all bytes of the memory are 0.
    pub(crate) unsafe fn try_in(
        start: NonNull<u8>,
        slots: usize,
        value: Layout,
        is_zeroed: bool,
    ) -> Result<Self, OutOfMemory> {
        let offsets = Offsets::of::<K>(slots, value.size())?;
        let mut block = Self::empty(value);
        if offsets.bytes > 0 {
            // SAFETY: as the caller promises.
            unsafe { block.begin_in(start, &offsets, is_zeroed) };
        }
        if !is_zeroed {
            block.touch(0);
        }
        Ok(block)
    }

    /// A block without slots gets memory with these offsets. Does not touch the pages of the values, and in memory that
    /// `is_zeroed` only those of entries that are not all zero bits.
    ///
    /// # Safety
    ///
    /// Like [`set_arrays`](Self::set_arrays); and if it `is_zeroed`, all bytes of the memory are 0.
    unsafe fn begin_in(&mut self, values: NonNull<u8>, offsets: &Offsets, is_zeroed: bool) {
        // The black box hides that the memory is new: otherwise compilers might turn a fill with
        // zeros into an allocation of untouched pages.
        let values = if is_zeroed { values } else { black_box(values) };
        // SAFETY: as the caller promises; what is not initialised is at once.
        unsafe { self.set_arrays(values, offsets) };
        if !is_zeroed {
            // All arrays but the values, one behind the other.
            fill(self.entries.cast(), 0..offsets.bytes - offsets.entries, 0_u8);
        }
        if !K::Entry::EMPTY_IS_ZERO {
            fill(self.entries, 0..offsets.entry_count, K::Entry::EMPTY);
        }
    }

    /// The arrays are from now on those at these offsets in other memory, where words, entries and the bitmap are
    /// initialised, or shall be.
    ///
    /// # Safety
    ///
    /// `values` is the aligned first byte of memory for a block whose offsets these are, which
    /// only the block uses until it is dropped.
    #[inline]
    unsafe fn set_arrays(&mut self, values: NonNull<u8>, offsets: &Offsets) {
        // SAFETY: each offset is within the memory, or at its end if the array is empty.
        let at = |offset| unsafe { values.byte_add(offset) };
        self.values = values;
        self.entries = at(offsets.entries).cast();
        self.words = at(offsets.words).cast();
        self.bits = at(offsets.bits).cast();
        (self.slots, self.entry_count) = (offsets.slots, offsets.entry_count);
        self.bit_words = offsets.slots.div_ceil(WORD_SLOTS);
    }
}

/// Initialises elements of an array of a block, or bytes of several.
fn fill<V: Copy>(start: NonNull<V>, elements: Range<usize>, value: V) {
    let array = start.as_ptr().cast::<MaybeUninit<V>>();
    // SAFETY: the block has as many elements there (invariant 1), and nobody refers to them yet.
    let array = unsafe { slice::from_raw_parts_mut(array, elements.end) };
    array[elements].fill(MaybeUninit::new(value));
}

// SAFETY: the arrays are those of the block (invariant 1), whose lengths only growth changes (invariant 3).
unsafe impl<K: SlotKind> Place for Block<K> {
    type Word = K::Word;
    type Entry = K::Entry;
    type Number = SharedNumber;
    const HAS_BITMAP: bool = true;

    fn try_like(&self, touch: Option<usize>) -> Result<Self, OutOfMemory> {
        let (slots, value) = (self.slots, self.value_layout());
        match (self.memory, touch) {
            (Memory::Own { untouched: true, .. }, _) => Self::try_untouched(slots, value),
            (_, Some(from)) => {
                // A value with a page of its own may leave it unwritten.
                let from = if value.size() > PAGE_BYTES { 0 } else { from };
                Self::try_touched_from(from, slots, value)
            }
            (_, None) => Self::try_growing(slots, value),
        }
    }

    // By pointers to slices: the checks of `slice::from_raw_parts` would take a fifth of an unoptimised program's time.
    #[inline(always)]
    fn parts(&self) -> Parts<'_, K::Word, K::Entry> {
        Parts {
            // SAFETY: as the invariant says; the block is borrowed.
            words: unsafe { &*ptr::slice_from_raw_parts(self.words.as_ptr(), self.slots) },
            // SAFETY: as above; a word that may be written meanwhile has the layout of a number.
            bits: unsafe {
                &*ptr::slice_from_raw_parts(self.bits.as_ptr().cast::<BitWord>(), self.bit_words)
            },
            // SAFETY: as above.
            entries: unsafe {
                &*ptr::slice_from_raw_parts(self.entries.as_ptr(), self.entry_count)
            },
            values: self.values.as_ptr(),
        }
    }

    #[inline(always)]
    fn parts_mut(&mut self) -> PartsMut<'_, K::Word, K::Entry> {
        PartsMut {
            // SAFETY: as the invariant says; the block is borrowed exclusively, and the arrays do
            // not overlap.
            words: unsafe { &mut *ptr::slice_from_raw_parts_mut(self.words.as_ptr(), self.slots) },
            // SAFETY: as above.
            bits: unsafe {
                &mut *ptr::slice_from_raw_parts_mut(self.bits.as_ptr(), self.bit_words)
            },
            // SAFETY: as above.
            entries: unsafe {
                &mut *ptr::slice_from_raw_parts_mut(self.entries.as_ptr(), self.entry_count)
            },
            values: self.values.as_ptr(),
        }
    }

    // By the address of the words, which whoever asks for an entry has at hand.
    #[inline(always)]
    fn entries_end(&mut self) -> *mut K::Entry {
        self.words.as_ptr().cast()
    }

    #[inline(always)]
    fn bitmap(&self) -> Option<&BitmapCell> {
        Some(&self.bitmap_state)
    }

    #[inline(always)]
    fn bitmap_mut(&mut self) -> Option<&mut BitmapCell> {
        Some(&mut self.bitmap_state)
    }

    fn watch(&self) -> Option<&Watch> {
        self.watch.as_ref()
    }

    fn watch_mut(&mut self) -> Option<&mut Option<Watch>> {
        Some(&mut self.watch)
    }
}

impl<K: SlotKind> fmt::Debug for Block<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Block").field("slots", &self.slots).finish_non_exhaustive()
    }
}

#[cfg(all(test, target_pointer_width = "64"))]
mod tests {
    use super::*;
    use crate::slots::reuse::{Fifo, Lifo, Link, fit_first};
    use core::iter;
    use core::marker::PhantomData;

    /// Slots with these words and so many more entries than slots.
    pub(in crate::slots) struct Bare<W, E, const MORE: usize = 1>(PhantomData<(W, E)>);

    impl<W: Word, E: OrderEntry, const MORE: usize> SlotKind for Bare<W, E, MORE> {
        type Word = W;
        type Entry = E;
        const IS_SYNCED: bool = false;

        fn entry_count(slots: usize) -> usize {
            slots.saturating_add(MORE)
        }

        fn fit_entries(entries: &mut [E], from: usize, to: usize) {
            fit_first(entries, from, to);
        }
    }

    #[test]
    fn slots_begin_unused_wherever_their_memory_comes_from() {
        type Linked = Block<(Fifo, u32, u32)>;
        for make in [Linked::try_new, Linked::try_growing, Linked::try_untouched] {
            let mut block = make(3, Layout::new::<u64>()).unwrap();
            let parts = block.parts_mut();
            assert_eq!((parts.words, parts.bits), (&mut [0; 3][..], &mut [0][..]));
            assert_eq!(parts.entries, [Link::NONE; 3]);
        }
    }

    #[test]
    fn the_header_is_laid_out_as_documented() {
        type Header = Block<(Lifo, u32, u32)>;
        let offsets = [
            offset_of!(Header, value),
            offset_of!(Header, entries),
            offset_of!(Header, entry_count),
            offset_of!(Header, bit_words),
            offset_of!(Header, bits),
            offset_of!(Header, memory),
            offset_of!(Header, bitmap_state),
            offset_of!(Header, slots),
            offset_of!(Header, values),
            offset_of!(Header, words),
        ];
        let watch = size_of::<Option<Watch>>();
        assert_eq!(offsets.map(|at| at - watch), [0, 16, 24, 32, 40, 48, 52, 64, 72, 80]);
    }

    /// Of memory that is lent, for values of type `T`.
    fn layout<W: Word, E: OrderEntry, T>(slots: usize) -> Result<Layout, OutOfMemory> {
        Block::<Bare<W, E>>::layout(slots, Layout::new::<T>())
    }

    #[test]
    fn the_arrays_lie_one_behind_the_other_each_aligned() {
        // 13 values that want 16, 14 entries, 13 words, a word of bits.
        let offsets = Offsets::of::<Bare<u32, u32>>(13, 16).unwrap();
        let begins = [offsets.entries, offsets.words, offsets.bits];
        assert_eq!(begins, [13 * 16, 13 * 16 + 14 * 4, 13 * 16 + 27 * 4 + 4]);
        let lent = layout::<u32, u32, u128>(13).unwrap();
        assert_eq!((lent.size(), lent.align()), (13 * 16 + 27 * 4 + 12, 16));
        let narrow = Offsets::of::<Bare<u16, u16>>(3, 1).unwrap();
        assert_eq!([narrow.entries, narrow.words, narrow.bits, narrow.bytes], [4, 12, 24, 32]);
        let mixed = Offsets::of::<Bare<u32, u16, 0>>(3, 1).unwrap();
        assert_eq!([mixed.entries, mixed.words], [6, 12]);
        assert_eq!(layout::<u16, u16, u8>(3).unwrap().align(), 8);
    }

    #[test]
    fn no_number_is_too_large_to_be_refused() {
        fn check<const MORE: usize>() {
            let numbers = [0, 1, 2, 3, 4, 5, 63].map(|bits| usize::MAX >> bits);
            for (slots, value) in numbers.into_iter().flat_map(|s| numbers.map(|v| (s, v))) {
                let of = Offsets::of::<Bare<u32, Link, MORE>>;
                let Ok(offsets) = of(slots, value) else { continue };
                let exact = slots as u128 * (value as u128 + 12) + MORE as u128 * 8;
                assert!(offsets.bytes as u128 >= exact, "{slots} {MORE} {value}");
            }
        }
        check::<0>();
        check::<1>();
        check::<{ usize::MAX >> 5 }>();
        check::<{ usize::MAX >> 4 }>();
        check::<{ usize::MAX }>();
        let huge = Layout::from_size_align(1 << 20, 4).unwrap();
        assert!(Block::<Bare<u32, u32>>::layout(usize::MAX >> 10, huge).is_err());
        assert!(layout::<u32, u32, u64>(usize::MAX / 8).is_err());
        assert!(layout::<u32, u32, [u8; 15]>(usize::MAX >> 5).is_err());
    }

    #[test]
    fn memory_of_its_own_has_room_to_align_many_values() {
        let own = |slots, value: ValueLayout, align| {
            let bytes = Offsets::of::<Bare<u32, u32>>(slots, value.size).unwrap().bytes;
            let layout = own_layout::<Bare<u32, u32>>(bytes, value, align).unwrap();
            (layout.align(), layout.size() - bytes)
        };
        let value = Layout::new::<[u64; 8]>();
        let lines = ValueLayout::of(value);
        for (slots, align, room) in [(0, 8, 0), (4, 8, 0), (64, 8, 0), (65, 64, 56)] {
            assert_eq!(growing_align(lines, slots), align);
            assert_eq!(own(slots, lines, align), (8, room), "no more is asked for");
        }
        assert_eq!(own(4, ValueLayout::of(Layout::new::<u128>()), 16), (16, 0));
        #[repr(align(32))]
        #[allow(dead_code, reason = "only its layout counts")]
        struct Vector([f32; 8]);
        let vector = Layout::new::<Vector>();
        assert_eq!(own(4, ValueLayout::of(vector), 32), (16, 16));
        for slots in [0, 1, 200] {
            for allocate in [Block::<u32>::try_growing, Block::try_untouched] {
                assert_eq!(allocate(slots, vector).unwrap().values.addr().get() % 32, 0);
            }
        }
        for slots in [2, 65, 1000] {
            let block = Block::<Bare<u32, u32>>::try_new(slots, value).unwrap();
            assert_eq!(block.values.addr().get() % 64, 0);
        }
        for (address, padding) in [(0x1000, 0), (0x1001, 63), (0x103f, 1)] {
            let start = NonNull::new(ptr::without_provenance_mut(address)).unwrap();
            assert_eq!(aligned(start, 64).addr().get(), address + padding);
            assert_eq!(aligned(start, 1), start);
        }
    }

    /// From every number of slots to others, as aligned as before or not, in memory that an allocator moved or extended.
    /// Between two of them, a growth that fails.
    fn grows<W, E, T>(value: fn(usize) -> T)
    where
        W: Word,
        E: OrderEntry + From<u8> + PartialEq,
        T: Copy + PartialEq + fmt::Debug,
    {
        let word = |index: usize| W::from_generation(index as u32 % 100 + 1);
        let huge = usize::MAX / 4 / size_of::<T>().max(1);
        let sizes =
            [(0, 0), (0, 5), (1, 1), (5, 64), (100, 128), (128, 129), (130, 200), (200, 1200)];
        let allocations = [Block::<Bare<W, E>>::try_growing, Block::try_new, Block::try_untouched];
        for ((from, to), allocate) in sizes.into_iter().flat_map(|s| allocations.map(|a| (s, a))) {
            let mut block = allocate(from, Layout::new::<T>()).unwrap();
            let parts = block.parts_mut();
            // SAFETY: there are this many slots, and the block is borrowed.
            let values =
                unsafe { slice::from_raw_parts_mut(parts.values.cast::<MaybeUninit<T>>(), from) };
            for (index, room) in values.iter_mut().enumerate() {
                parts.words[index] = word(index);
                parts.bits[index / 64] |= (index as u64 % 2) << (index % 64);
                room.write(value(index));
            }
            parts.entries.fill(7.into());
            let bits = parts.bits.to_vec();
            if !cfg!(miri) {
                let failed = block.try_grow(huge, false);
                assert_eq!((failed, block.slots), (Err(OutOfMemory), from));
            }
            block.try_grow(to, to % 2 == 0).unwrap();

            let parts = block.parts();
            assert_eq!(parts.values.addr() % align_of::<T>(), 0);
            // SAFETY: as above.
            let values =
                unsafe { slice::from_raw_parts(parts.values.cast::<MaybeUninit<T>>(), from) };
            for (index, kept) in values.iter().enumerate() {
                // SAFETY: it was written before.
                assert_eq!(unsafe { kept.assume_init() }, value(index));
            }
            let words = (0..from).map(word).chain(iter::repeat(W::ZERO)).take(to);
            assert!(parts.words.iter().copied().eq(words), "{from} to {to}");
            let entry = |index| if index < from + 1 { 7.into() } else { E::EMPTY };
            assert!(parts.entries.iter().copied().eq((0..to + 1).map(entry)), "{from} to {to}");
            // SAFETY: nobody writes the bits.
            let found = unsafe { BitWord::right(parts.bits) };
            assert!(found[bits.len()..].iter().all(|bits| *bits == 0), "{from} to {to}");
            assert_eq!(found[..bits.len()], bits, "{from} to {to}");
        }
    }

    #[test]
    fn a_block_that_grows_keeps_what_is_in_it() {
        grows::<u32, u32, [u32; 8]>(|index| [index as u32; 8]);
        grows::<u16, u16, [u8; 3]>(|index| [index as u8; 3]);
        grows::<u32, u16, u64>(|index| index as u64);
    }

    #[test]
    fn so_does_one_whose_values_have_no_size_or_want_more_than_a_line() {
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[repr(align(128))]
        struct Wide(usize);
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[repr(align(4096))]
        struct Nothing;
        grows::<u32, u32, _>(Wide);
        grows::<u16, u16, _>(|_| ());
        grows::<u32, u32, _>(|_| Nothing);
    }

    #[test]
    fn values_that_are_not_there_align_nothing() {
        assert_eq!(layout::<u32, u32, [u32; 16]>(1).unwrap().align(), 64);
        let none = layout::<u32, u32, [u32; 16]>(0).unwrap();
        assert_eq!((none.size(), none.align()), (8, 8));
    }

    #[test]
    fn tells_how_many_slots_it_has_and_no_values() {
        let block = Block::<Bare<u32, u32>>::try_new(5, Layout::new::<[u8; 3]>()).unwrap();
        assert_eq!(alloc::format!("{block:?}"), "Block { slots: 5, .. }");
    }
}
