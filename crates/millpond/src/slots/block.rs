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
//! offset   0            16        24                  32                    40       48       52    64      72       80
//!          a value's    entries   number of entries   words of the bitmap   bitmap   memory   age   slots   values   words
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
//! 5. Memory of its own was taken with the layout of [`Offsets::own`] for the alignment that [`Memory`] says, and begins as
//!    many bytes before the values as it says.

use core::alloc::Layout;
use core::fmt;
use core::hint::black_box;
use core::mem::{ManuallyDrop, MaybeUninit, offset_of};
use core::num::NonZero;
use core::ops::Range;
use core::ptr::{self, NonNull};
use core::slice;

use super::{BitmapState, FitEntries, Parts, PartsMut, Place, SlotKind};
use crate::base::address::behind;
use crate::base::entry::Entry;
use crate::base::memory::{self, OutOfMemory};
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
    bitmap_state: BitmapState,
    slots: usize,
    values: NonNull<u8>,
    words: NonNull<K::Word>,
}

// SAFETY: a block owns its arrays, as a `Box` of each would. What the values are, and whether they may be sent, is their
// owner's affair.
unsafe impl<K: SlotKind> Send for Block<K> {}
// SAFETY: as above.
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

    fn layout(self) -> Layout {
        match Layout::from_size_align(self.size, self.align) {
            Ok(layout) => layout,
            Err(_) => unreachable!("it was made of a layout"),
        }
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

/// Where the arrays of a block begin, behind the values.
pub(crate) struct Offsets {
    pub(crate) layout: Layout,
    entries: usize,
    words: usize,
    bits: usize,
}

impl Offsets {
    #[cfg(test)]
    fn of<W, E, T>(slots: usize, entries: usize) -> Result<Self, OutOfMemory> {
        Self::with_values::<W, E>(slots, entries, Layout::new::<T>())
    }

    /// The offsets of a block in memory of its own, with room to align its values so.
    fn own<W, E>(
        slots: usize,
        entries: usize,
        value: Layout,
        align: usize,
    ) -> Result<Self, OutOfMemory> {
        let offsets = Self::with_align::<W, E>(slots, entries, value, 1)?;
        let layout = Self::own_layout::<W, E>(offsets.layout.size(), value, align)?;
        Ok(Self { layout, ..offsets })
    }

    /// The memory of its own that a block of so many bytes takes. The allocator is not asked for more than the alignment that
    /// it gives to everything, because it would take much longer, and could move no pages, nor provide them untouched: the
    /// memory has room to align the values in, up to a cache line.
    fn own_layout<W, E>(bytes: usize, value: Layout, align: usize) -> Result<Layout, OutOfMemory> {
        const GIVEN: usize = 16;
        let others = align_of::<E>().max(align_of::<W>()).max(align_of::<u64>());
        let values = match value.align() {
            GIVEN..=CACHE_LINE if bytes > 0 => GIVEN,
            of_type => of_type,
        };
        let least = values.max(others);
        let padding = if bytes > 0 { align.saturating_sub(least) } else { 0 };
        Layout::from_size_align(bytes + padding, least).map_err(|_| OutOfMemory)
    }

    /// The offsets of a block each of whose values has this layout.
    fn with_values<W, E>(slots: usize, entries: usize, value: Layout) -> Result<Self, OutOfMemory> {
        Self::with_align::<W, E>(slots, entries, value, values_align(value, slots))
    }

    /// The offsets of a block whose values have this layout and are aligned to `align` as well.
    fn with_align<W, E>(
        slots: usize,
        entries: usize,
        value: Layout,
        align: usize,
    ) -> Result<Self, OutOfMemory> {
        let of = || {
            // No number of bytes is this large, so that the layout refuses it.
            let bytes = value.size().saturating_mul(slots);
            let values = Layout::from_size_align(bytes, value.align())?.align_to(align)?;
            let entries = Layout::array::<E>(entries)?;
            let (layout, _) = values.extend(entries)?;
            let (layout, words) =
                layout.extend(Layout::array::<W>(slots)?.align_to(align_of::<E>())?)?;
            let bitmap = Layout::array::<u64>(slots.div_ceil(WORD_SLOTS))?;
            let (layout, bits) = layout.extend(bitmap)?;
            Ok(Self { layout, entries: words - entries.size(), words, bits })
        };
        of().map_err(|_: core::alloc::LayoutError| OutOfMemory)
    }
}

/// Values that take no more than this are not aligned further than their type demands in a pool that grows by itself.
const PACKED_BYTES_MAX: usize = 4096;

const CACHE_LINE: usize = 64;

/// The alignment of the values of a pool that grows by itself, unless it is more than a cache line.
fn growing_align(value: Layout, slots: usize) -> usize {
    match slots.saturating_mul(value.size()) <= PACKED_BYTES_MAX {
        true => least_align(value),
        false => own_align(value, slots),
    }
}

/// The alignment of the values in memory of its own, unless it is more than a cache line.
fn own_align(value: Layout, slots: usize) -> usize {
    values_align(value, slots).max(least_align(value))
}

/// What the memory has to align values to, because the allocator is not asked for it.
fn least_align(value: Layout) -> usize {
    if value.align() <= CACHE_LINE { value.align() } else { 1 }
}

/// The alignment of the values: as much as their stride preserves, up to a cache line, so that no
/// value spans more lines than necessary.
#[inline]
fn values_align(value: Layout, slots: usize) -> usize {
    match value.size() {
        0 => 1,
        _ if slots == 0 => 1,
        size => (1 << size.trailing_zeros()).min(CACHE_LINE),
    }
}

impl<K: SlotKind> Drop for Block<K> {
    // Once in a program, and not again wherever a pool ends.
    #[inline(never)]
    fn drop(&mut self) {
        let Memory::Own { padding, align, .. } = self.memory else { return };
        let (start, layout) = self.own_memory(padding, align);
        // SAFETY: the memory was taken with this layout, and goes back once.
        unsafe { memory::give_back(start, layout) };
    }
}

impl<K: SlotKind> Block<K> {
    /// For [`CoreOffsets`](crate::CoreOffsets): of the values, the bitmap, the number of slots, the words, the entries
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
            bitmap_state: BitmapState::OLD,
            slots: 0,
            values: memory::dangling(value),
            words: NonNull::dangling(),
        }
    }

    /// The bytes from the first value to the end of the bitmap.
    fn bytes(&self) -> usize {
        self.bits.addr().get() + self.bit_words * size_of::<u64>() - self.values.addr().get()
    }

    /// The memory of a block of its own, which begins with this padding, and its layout.
    fn own_memory(&self, padding: u8, align: u8) -> (NonNull<u8>, Layout) {
        let value = self.value.layout();
        let Ok(layout) =
            Offsets::own_layout::<K::Word, K::Entry>(self.bytes(), value, align.into())
        else {
            unreachable!("the block was taken with this layout");
        };
        // SAFETY: the memory begins there (invariant 5).
        (unsafe { self.values.byte_sub(padding as usize) }, layout)
    }

    /// How many entries the reuse order has.
    pub(crate) fn entry_count(&self) -> usize {
        self.entry_count
    }

    /// The layout of a value that each slot has room for.
    pub(crate) fn value_layout(&self) -> Layout {
        self.value.layout()
    }

    /// The first byte of the values.
    pub(crate) fn values_start(&self) -> NonNull<u8> {
        self.values
    }

    /// The watch over the values, if any, for another block.
    pub(crate) fn take_watch(&mut self) -> Option<Watch> {
        self.watch.take()
    }

    /// The memory that a block needs.
    pub(crate) fn layout(
        slots: usize,
        entry_count: usize,
        value: Layout,
    ) -> Result<Layout, OutOfMemory> {
        Ok(Offsets::with_values::<K::Word, K::Entry>(slots, entry_count, value)?.layout)
    }

    /// Slots that were never used, and entries that are empty, every page touched.
    pub(crate) fn try_new(
        slots: usize,
        entry_count: usize,
        value: Layout,
    ) -> Result<Self, OutOfMemory> {
        let block = Self::try_aligned(slots, entry_count, value, own_align(value, slots), false)?;
        block.touch(0);
        Ok(block)
    }

    /// For a pool that grows: the system provides the pages of the values when they are first used.
    pub(crate) fn try_growing(
        slots: usize,
        entry_count: usize,
        value: Layout,
    ) -> Result<Self, OutOfMemory> {
        Self::try_aligned(slots, entry_count, value, growing_align(value, slots), false)
    }

    /// The system provides every page when it is first written to, but those of entries that are not all zero bits.
    pub(crate) fn try_untouched(
        slots: usize,
        entry_count: usize,
        value: Layout,
    ) -> Result<Self, OutOfMemory> {
        Self::try_aligned(slots, entry_count, value, own_align(value, slots), true)
    }

    /// Like this block, of slots that were never used.
    pub(crate) fn try_like(&self, touch: bool) -> Result<Self, OutOfMemory> {
        let allocate = match self.memory {
            Memory::Own { untouched: true, .. } => Self::try_untouched,
            _ if touch => Self::try_new,
            _ => Self::try_growing,
        };
        allocate(self.slots, self.entry_count, self.value.layout())
    }

    fn try_aligned(
        slots: usize,
        entry_count: usize,
        value: Layout,
        align: usize,
        untouched: bool,
    ) -> Result<Self, OutOfMemory> {
        let offsets = Offsets::own::<K::Word, K::Entry>(slots, entry_count, value, align)?;
        let take = if untouched { memory::take_zeroed } else { memory::take };
        let start = take(offsets.layout)?;
        let values = aligned(start, align);
        // SAFETY: the memory was just allocated, with room for such a block behind the padding; if it is to stay untouched,
        // all of it is 0.
        let mut block =
            unsafe { Self::at_offsets(values, &offsets, slots, entry_count, value, untouched) };
        block.memory = Memory::own(start, values, align, untouched);
        Ok(block)
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

    /// More slots, in memory of its own that the allocator extends or moves. The values keep their bytes. The first of the
    /// new slots get the words `known`, the others are as if never used. On an error, nothing changes. `touch`: touch every
    /// page, and align the values, because this room was asked for.
    pub(crate) fn try_grow(
        &mut self,
        slots: usize,
        entry_count: usize,
        fit_entries: FitEntries<K::Entry>,
        known: &[K::Word],
        touch: bool,
    ) -> Result<(), OutOfMemory> {
        assert!(slots >= self.slots && entry_count >= self.entry_count, "something would be lost");
        let ((former_start, former_layout), padding, former_align) = match self.memory {
            Memory::Own { padding, align, .. } => (self.own_memory(padding, align), padding, align),
            Memory::Lent => {
                assert!(
                    self.slots == 0 && self.entry_count == 0,
                    "memory that is lent does not grow"
                );
                ((NonNull::dangling(), Layout::new::<()>()), 0, 1)
            }
        };
        let value = self.value.layout();
        let wanted = match touch {
            true => own_align(value, slots),
            false => growing_align(value, slots),
        };
        // As much room for padding as before, or more.
        let align = wanted.max(former_align.into());
        let offsets = Offsets::own::<K::Word, K::Entry>(slots, entry_count, value, align)?;
        // SAFETY: it was taken with this layout, or there is none; the alignment follows from the types alone. If this
        // succeeds, nothing refers to it any more but fields that are about to be replaced.
        let start = unsafe { memory::resize(former_start, former_layout, offsets.layout)? };
        let values = aligned(start, align);
        // Nothing drops it: its arrays become those of this block.
        // SAFETY: the memory has room for these behind the padding.
        let grown =
            ManuallyDrop::new(unsafe { Self::header(values, &offsets, slots, entry_count, value) });
        let new_entries = entry_count - self.entry_count;
        if former_layout.size() > 0 {
            let (values, moved) = (values.as_ptr(), start.as_ptr().wrapping_add(padding.into()));
            if moved != values {
                let bytes = self.bytes();
                // SAFETY: there is room for as many bytes behind either padding.
                unsafe { moved.copy_to(values, bytes) };
            }
            // Each array begins as far up as it did or farther, and so does what is behind it. So the last one moves first.
            let offset = |array: NonZero<usize>| array.get() - self.values.addr().get();
            let bits = values.wrapping_add(offset(self.bits.addr())).cast();
            // SAFETY: the former bitmap lies at this distance from the values, and the new one has room for it.
            unsafe { grown.bits.as_ptr().copy_from(bits, self.bit_words) };
            let entries = values.wrapping_add(offset(self.entries.addr()));
            let last_entries = grown.entries.as_ptr().wrapping_add(new_entries).cast::<u8>();
            let bytes =
                self.entry_count * size_of::<K::Entry>() + self.slots * size_of::<K::Word>();
            // SAFETY: the former entries lie at this distance, and the words right behind them (invariant 4). There are more
            // new entries than these, so that there is room for the former ones, and behind them for the former words.
            unsafe { last_entries.copy_from(entries, bytes) };
        }
        fill(grown.entries, 0..new_entries, K::Entry::EMPTY);
        fill(grown.words, self.slots..slots, K::Word::ZERO);
        fill(grown.bits, self.bit_words..grown.bit_words, 0);
        let (former, former_entries) = (self.slots, self.entry_count);
        self.values = grown.values;
        self.bits = grown.bits;
        self.slots = grown.slots;
        self.words = grown.words;
        self.entries = grown.entries;
        self.entry_count = entry_count;
        self.bit_words = grown.bit_words;
        self.memory = Memory::own(start, values, align, false);
        let parts = self.parts_mut();
        fit_entries(parts.entries, former_entries, entry_count);
        for (word, known) in parts.words[former..].iter_mut().zip(known) {
            debug_assert!(known.is_dead());
            *word = *known;
        }
        if touch {
            memory::rewrite(self.bytes_of_values(0..former));
            self.touch(former);
        }
        Ok(())
    }

    /// Takes over the words, entries and bits of slots that a block of another size has, too. No slot of this one was ever
    /// used.
    pub(crate) fn take_over(
        &mut self,
        from: PartsMut<'_, K::Word, K::Entry>,
        fit_entries: FitEntries<K::Entry>,
    ) {
        let kept = self.slots.min(from.words.len());
        let to = self.parts_mut();
        to.words[..kept].copy_from_slice(&from.words[..kept]);
        let (entries, former_entries) = (to.entries.len(), from.entries.len());
        match entries.checked_sub(former_entries) {
            Some(new) => {
                to.entries[new..].copy_from_slice(from.entries);
                fit_entries(to.entries, former_entries, entries);
            }
            None => {
                fit_entries(from.entries, former_entries, entries);
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
        entry_count: usize,
        value: Layout,
        is_zeroed: bool,
    ) -> Result<Self, OutOfMemory> {
        let offsets = Offsets::with_values::<K::Word, K::Entry>(slots, entry_count, value)?;
        // SAFETY: as the caller promises.
        let block =
            unsafe { Self::at_offsets(start, &offsets, slots, entry_count, value, is_zeroed) };
        if !is_zeroed {
            block.touch(0);
        }
        Ok(block)
    }

    /// A block in memory with these offsets. Does not touch the pages of the values; if all bytes of the memory are 0, only
    /// those of entries that are not.
    ///
    /// # Safety
    ///
    /// Like [`header`](Self::header); and `is_zeroed` as in [`try_in`](Self::try_in).
    unsafe fn at_offsets(
        values: NonNull<u8>,
        offsets: &Offsets,
        slots: usize,
        entry_count: usize,
        value: Layout,
        is_zeroed: bool,
    ) -> Self {
        // The black box hides that the memory is new: otherwise compilers might turn a fill with
        // zeros into an allocation of untouched pages.
        // SAFETY: as the caller promises. What is not filled here is 0 already, and so initialised.
        let block = unsafe { Self::header(black_box(values), offsets, slots, entry_count, value) };
        if !is_zeroed || !K::Entry::EMPTY_IS_ZERO {
            fill(block.entries, 0..entry_count, K::Entry::EMPTY);
        }
        if !is_zeroed {
            fill(block.words, 0..slots, K::Word::ZERO);
            fill(block.bits, 0..block.bit_words, 0);
        }
        block
    }

    /// The header of a block in memory with these offsets, whose words, entries and bitmap shall be initialised.
    ///
    /// # Safety
    ///
    /// Like [`try_in`](Self::try_in), of the layout of the offsets, which are those of a block for
    /// this many slots and entries with such values.
    unsafe fn header(
        values: NonNull<u8>,
        offsets: &Offsets,
        slots: usize,
        entry_count: usize,
        value: Layout,
    ) -> Self {
        let values = match offsets.layout.size() {
            0 => memory::dangling(offsets.layout),
            _ => values,
        };
        // Each offset is within the memory, or at its end if the array is empty.
        let at = |offset| behind(values, offset);
        Self {
            watch: None,
            value: ValueLayout::of(value),
            entries: at(offsets.entries).cast(),
            entry_count,
            bit_words: slots.div_ceil(WORD_SLOTS),
            bits: at(offsets.bits).cast(),
            memory: Memory::Lent,
            bitmap_state: BitmapState::OLD,
            slots,
            values,
            words: at(offsets.words).cast(),
        }
    }
}

/// Initialises elements of an array of a block.
fn fill<V: Copy>(start: NonNull<V>, elements: Range<usize>, value: V) {
    let array = start.as_ptr().cast::<MaybeUninit<V>>();
    // SAFETY: the array has as many elements in the block (invariant 1), and nobody refers to them yet.
    let array = unsafe { slice::from_raw_parts_mut(array, elements.end) };
    array[elements].fill(MaybeUninit::new(value));
}

// SAFETY: the arrays are those of the block (invariant 1), of lengths that never change (invariant 3).
unsafe impl<K: SlotKind> Place for Block<K> {
    type Word = K::Word;
    type Entry = K::Entry;
    const HAS_BITMAP: bool = true;

    // By pointers to slices: the checks of `slice::from_raw_parts` would take a fifth of an unoptimised program's time.
    #[inline(always)]
    fn parts(&self) -> Parts<'_, K::Word, K::Entry> {
        Parts {
            // SAFETY: as the invariant says; the block is borrowed.
            words: unsafe { &*ptr::slice_from_raw_parts(self.words.as_ptr(), self.slots) },
            // SAFETY: as above.
            bits: unsafe { &*ptr::slice_from_raw_parts(self.bits.as_ptr(), self.bit_words) },
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

    #[inline(always)]
    fn value_bytes(&self) -> usize {
        self.value.size
    }

    // By the address of the words, which whoever asks for an entry has at hand.
    #[inline(always)]
    fn entries_end(&self) -> *const K::Entry {
        self.words.as_ptr().cast()
    }

    #[inline(always)]
    fn entries_end_mut(&mut self) -> *mut K::Entry {
        self.words.as_ptr().cast()
    }

    #[inline(always)]
    fn bitmap_state(&self) -> BitmapState {
        self.bitmap_state
    }

    #[inline(always)]
    fn bitmap_state_mut(&mut self) -> Option<&mut BitmapState> {
        Some(&mut self.bitmap_state)
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

impl<K: SlotKind> fmt::Debug for Block<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Block").field("slots", &self.slots).finish_non_exhaustive()
    }
}

#[cfg(all(test, target_pointer_width = "64"))]
mod tests {
    use super::*;
    use crate::slots::Bare;
    use crate::slots::reuse::fit_first;
    use core::iter;

    #[test]
    fn the_header_is_laid_out_as_documented() {
        type Header = Block<Bare<u32, u32>>;
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

    #[test]
    fn values_of_a_layout_lie_as_those_of_a_type_do() {
        for slots in [0, 1, 13, 100] {
            let of_type = Offsets::of::<u32, u32, [u32; 8]>(slots, slots + 1).unwrap();
            let value = Layout::new::<[u32; 8]>();
            let of_layout = Offsets::with_values::<u32, u32>(slots, slots + 1, value).unwrap();
            assert_eq!(of_layout.layout, of_type.layout);
            assert_eq!(of_layout.words, of_type.words);
        }
        let huge = Layout::from_size_align(1 << 20, 4).unwrap();
        assert!(Block::<Bare<u32, u32>>::layout(usize::MAX >> 10, 0, huge).is_err());
    }

    #[test]
    fn the_arrays_lie_one_behind_the_other_each_aligned() {
        // 13 values that want 16, 14 entries, 13 words, a word of bits.
        let offsets = Offsets::of::<u32, u32, u128>(13, 14).unwrap();
        let begins = [offsets.entries, offsets.words, offsets.bits];
        assert_eq!(begins, [13 * 16, 13 * 16 + 14 * 4, 13 * 16 + 27 * 4 + 4]);
        assert_eq!((offsets.layout.size(), offsets.layout.align()), (13 * 16 + 27 * 4 + 12, 16));
        let narrow = Offsets::of::<u16, u16, u8>(3, 4).unwrap();
        assert_eq!([narrow.entries, narrow.words, narrow.bits], [4, 12, 24]);
        let mixed = Offsets::of::<u32, u16, u8>(3, 3).unwrap();
        assert_eq!([mixed.entries, mixed.words], [6, 12]);
        assert_eq!((narrow.layout.size(), narrow.layout.align()), (32, 8));
        assert!(Offsets::of::<u32, u32, u64>(usize::MAX / 8, 0).is_err());
    }

    #[test]
    fn memory_of_its_own_has_room_to_align_many_values() {
        let value = Layout::new::<[u64; 8]>();
        let of = |slots| {
            let align = growing_align(value, slots);
            let offsets = Offsets::own::<u32, u32>(slots, slots, value, align).unwrap();
            assert_eq!(offsets.layout.align(), 8, "the allocator is asked for no more");
            let least = Offsets::of::<u32, u32, [u64; 8]>(slots, slots).unwrap().layout.size();
            (align, offsets.layout.size() - least)
        };
        assert_eq!([0, 4, 64, 65].map(of), [(8, 0), (8, 0), (8, 0), (64, 56)]);
        assert_eq!(
            Offsets::own::<u32, u32>(4, 5, Layout::new::<u128>(), 16).unwrap().layout.align(),
            16
        );
        #[repr(align(32))]
        #[allow(dead_code, reason = "only its layout counts")]
        struct Vector([f32; 8]);
        let vector = Layout::new::<Vector>();
        assert_eq!(Offsets::own::<u32, u32>(4, 5, vector, 32).unwrap().layout.align(), 16);
        for slots in [0, 1, 200] {
            for allocate in [Block::<Bare<u32, ()>>::try_growing, Block::try_untouched] {
                assert_eq!(allocate(slots, 0, vector).unwrap().values.addr().get() % 32, 0);
            }
        }
        for slots in [2, 65, 1000] {
            let block = Block::<Bare<u32, u32>>::try_new(slots, slots, value).unwrap();
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
        E: Entry + From<u8> + PartialEq,
        T: Copy + PartialEq + fmt::Debug,
    {
        let word = |index: usize| W::from_generation(index as u32 % 100 + 1);
        let huge = usize::MAX / 4 / size_of::<T>().max(1);
        let sizes =
            [(0, 0), (0, 5), (1, 1), (5, 64), (100, 128), (128, 129), (130, 200), (200, 1200)];
        let allocations = [Block::<Bare<W, E>>::try_growing, Block::try_new, Block::try_untouched];
        for ((from, to), allocate) in sizes.into_iter().flat_map(|s| allocations.map(|a| (s, a))) {
            let mut block = allocate(from, from / 2, Layout::new::<T>()).unwrap();
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
            let known = [word(10), word(20)].map(Word::as_dead);
            if !cfg!(miri) {
                let failed = block.try_grow(huge, to, fit_first, &known, false);
                assert_eq!((failed, block.slots), (Err(OutOfMemory), from));
            }
            block.try_grow(to, to, fit_first, &known, to % 2 == 0).unwrap();

            let parts = block.parts();
            assert_eq!(parts.values.addr() % align_of::<T>(), 0);
            // SAFETY: as above.
            let values =
                unsafe { slice::from_raw_parts(parts.values.cast::<MaybeUninit<T>>(), from) };
            for (index, kept) in values.iter().enumerate() {
                // SAFETY: it was written before.
                assert_eq!(unsafe { kept.assume_init() }, value(index));
            }
            let new_words = known.into_iter().chain(iter::repeat(W::ZERO));
            let words = (0..from).map(word).chain(new_words).take(to);
            assert!(parts.words.iter().copied().eq(words), "{from} to {to}");
            let entry = |index| if index < from / 2 { 7.into() } else { E::EMPTY };
            assert!(parts.entries.iter().copied().eq((0..to).map(entry)), "{from} to {to}");
            assert!(parts.bits[bits.len()..].iter().all(|bits| *bits == 0), "{from} to {to}");
            assert_eq!(parts.bits[..bits.len()], bits, "{from} to {to}");
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
        let layout = Offsets::of::<u32, u32, [u32; 16]>(1, 1).unwrap().layout;
        assert_eq!(layout.align(), 64);
        let layout = Offsets::of::<u32, u32, [u32; 16]>(0, 1).unwrap().layout;
        assert_eq!((layout.size(), layout.align()), (8, 8));
    }

    #[test]
    fn tells_how_many_slots_it_has_and_no_values() {
        let block = Block::<Bare<u32, u32>>::try_new(5, 6, Layout::new::<[u8; 3]>()).unwrap();
        assert_eq!(alloc::format!("{block:?}"), "Block { slots: 5, .. }");
    }
}
