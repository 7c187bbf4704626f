//! The slots of a pool in one block of memory.
//!
//! ```text
//! block    entries of the reuse order │ words │ bitmap │ values
//!          4 n + n / 16 + 4 (`Lifo`)  │ 4 n   │ n / 8  │ n × size_of::<T>()   bytes
//! ```
//!
//! The entries end exactly where the words begin.
//!
//! The header of the block is part of the pool and has the address of each array. On 64 bits:
//!
//! ```text
//! offset   0        8        16      24      32        40                  48
//!          values   bitmap   slots   words   entries   number of entries   words of the bitmap
//! ```
//!
//! # Invariant
//!
//! 1. Each pointer is aligned and points to as many elements as its length says; the four arrays lie in the
//!    block, do not overlap, and nothing else refers to them.
//! 2. Words, entries and the bitmap are initialised. The values may be uninitialised.
//! 3. The lengths never change: as many words as values, one word of the bitmap for each 64.
//! 4. The last entry ends where the words begin.

use core::alloc::Layout;
use core::fmt;
use core::hint::black_box;
use core::marker::PhantomData;
use core::mem::{MaybeUninit, offset_of};
use core::ptr::{self, NonNull};
use core::slice;

use super::{BitmapAge, FlatPlace, Parts, PartsMut, Place};
use crate::base::entry::Entry;
use crate::base::memory::{self, OutOfMemory};
use crate::handle::Word;
use crate::occupancy::WORD_SLOTS;
use crate::reports::debug::Watch;

/// Slots in one block of memory.
///
/// The fields that iteration reads come first.
#[doc(hidden)]
#[repr(C)]
pub struct Block<W: Word, E: Entry, T> {
    values: NonNull<MaybeUninit<T>>,
    bits: NonNull<u64>,
    slots: usize,
    words: NonNull<W>,
    entries: NonNull<E>,
    entry_count: usize,
    /// One for each 64 slots; stored, because each iteration needs it.
    bit_words: usize,
    /// The memory is lent for as long as the block exists.
    is_lent: bool,
    /// The values are aligned as their type demands, and no further.
    is_packed: bool,
    bitmap_age: BitmapAge,
    watch: Option<Watch>,
    owns: PhantomData<T>,
}

// SAFETY: a block owns its arrays, as a `Box` of each would.
unsafe impl<W: Word, E: Entry, T: Send> Send for Block<W, E, T> {}
// SAFETY: as above.
unsafe impl<W: Word, E: Entry, T: Sync> Sync for Block<W, E, T> {}

/// Where the arrays of a block begin.
pub(crate) struct Offsets {
    pub(crate) layout: Layout,
    entries: usize,
    words: usize,
    bits: usize,
    values: usize,
}

impl Offsets {
    /// The offsets of a block for these numbers of slots and entries.
    pub(crate) fn of<W, E, T>(slots: usize, entries: usize) -> Result<Self, OutOfMemory> {
        Self::with_values::<W, E>(slots, entries, Layout::new::<T>())
    }

    /// The offsets of a block whose values are aligned as their type demands, and no further.
    fn packed<W, E, T>(slots: usize, entries: usize) -> Result<Self, OutOfMemory> {
        Self::with_align::<W, E>(slots, entries, Layout::new::<T>(), 1)
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
            let entries = Layout::array::<E>(entries)?;
            let (layout, words) =
                entries.extend(Layout::array::<W>(slots)?.align_to(align_of::<E>())?)?;
            let entries = words - entries.size();
            let bitmap = Layout::array::<u64>(slots.div_ceil(WORD_SLOTS))?;
            let (layout, bits) = layout.extend(bitmap)?;
            // No number of bytes is this large, so that the layout refuses it.
            let bytes = value.size().saturating_mul(slots);
            let array = Layout::from_size_align(bytes, value.align())?;
            let (layout, values) = layout.extend(array.align_to(align)?)?;
            Ok(Self { layout, entries, words, bits, values })
        };
        of().map_err(|_: core::alloc::LayoutError| OutOfMemory)
    }
}

/// Values of a growing pool that take no more than this are not aligned further than their type demands.
const PACKED_BYTES_MAX: usize = 4096;

/// The alignment of the values: as much as their stride preserves, up to a cache line, so that no
/// value spans more lines than necessary.
#[inline]
fn values_align(value: Layout, slots: usize) -> usize {
    const CACHE_LINE: usize = 64;
    match value.size() {
        0 => 1,
        _ if slots == 0 => 1,
        size => (1 << size.trailing_zeros()).min(CACHE_LINE),
    }
}

impl<W: Word, E: Entry, T> Drop for Block<W, E, T> {
    fn drop(&mut self) {
        let offsets = match self.is_packed {
            true => Offsets::packed::<W, E, T>(self.slots, self.entry_count),
            false => Offsets::of::<W, E, T>(self.slots, self.entry_count),
        };
        let Ok(Offsets { layout, words, .. }) = offsets else {
            unreachable!("the block was taken with this layout");
        };
        if !self.is_lent {
            // SAFETY: the words are so far from the block's first byte.
            let start = unsafe { self.words.byte_sub(words) };
            // SAFETY: the memory was taken with this layout, which follows from lengths that never change (invariant 3),
            // and goes back once.
            unsafe { memory::give_back(start.cast(), layout) };
        }
    }
}

impl<W: Word, E: Entry, T> Block<W, E, T> {
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
    pub(crate) const BITMAP_AGE_OFFSET: usize = offset_of!(Self, bitmap_age);

    /// No slots, and no memory.
    pub(crate) const fn empty() -> Self {
        Self {
            values: NonNull::dangling(),
            bits: NonNull::dangling(),
            slots: 0,
            words: NonNull::dangling(),
            entries: NonNull::dangling(),
            entry_count: 0,
            bit_words: 0,
            is_lent: true,
            is_packed: false,
            bitmap_age: BitmapAge::OLD,
            watch: None,
            owns: PhantomData,
        }
    }

    /// The watch over the values, if any, for another block.
    pub(crate) fn take_watch(&mut self) -> Option<Watch> {
        self.watch.take()
    }

    /// The memory that a block needs.
    pub(crate) fn layout(slots: usize, entry_count: usize) -> Result<Layout, OutOfMemory> {
        Ok(Offsets::of::<W, E, T>(slots, entry_count)?.layout)
    }

    /// Slots with this word and entries that are empty, every page touched.
    pub(crate) fn try_new(slots: usize, entry_count: usize, word: W) -> Result<Self, OutOfMemory> {
        let start = memory::take(Self::layout(slots, entry_count)?)?;
        // SAFETY: the memory was just allocated, for this layout.
        let mut block = unsafe { Self::try_in(start, slots, entry_count, word)? };
        block.is_lent = false;
        Ok(block)
    }

    /// For a pool that grows: the system provides the pages of the values when they are first used, and few values
    /// are aligned no further than their type demands, because allocators take much longer for more.
    pub(crate) fn try_untouched(
        slots: usize,
        entry_count: usize,
        word: W,
    ) -> Result<Self, OutOfMemory> {
        let is_packed = slots.saturating_mul(size_of::<T>()) <= PACKED_BYTES_MAX;
        let offsets = match is_packed {
            true => Offsets::packed::<W, E, T>(slots, entry_count)?,
            false => Offsets::of::<W, E, T>(slots, entry_count)?,
        };
        let start = memory::take(offsets.layout)?;
        // SAFETY: the memory was just allocated, for this layout.
        let mut block = unsafe { Self::at_offsets(start, &offsets, slots, entry_count, word) };
        (block.is_lent, block.is_packed) = (false, is_packed);
        Ok(block)
    }

    /// Like [`try_new`](Self::try_new), in memory that is lent to the block.
    ///
    /// # Safety
    ///
    /// `start` is the aligned first byte of memory with the [layout](Self::layout), which only the
    /// block uses until it is dropped. If the layout has size 0, `start` may be any address.
    pub(crate) unsafe fn try_in(
        start: NonNull<u8>,
        slots: usize,
        entry_count: usize,
        word: W,
    ) -> Result<Self, OutOfMemory> {
        let offsets = Offsets::of::<W, E, T>(slots, entry_count)?;
        // SAFETY: as the caller promises.
        let block = unsafe { Self::at_offsets(start, &offsets, slots, entry_count, word) };
        // SAFETY: the array has this many elements in the block (invariant 1), and nobody refers to
        // them yet.
        memory::touch(unsafe { slice::from_raw_parts_mut(block.values.as_ptr(), slots) });
        Ok(block)
    }

    /// A block in memory with these offsets. Does not touch the pages of the values.
    ///
    /// # Safety
    ///
    /// Like [`try_in`](Self::try_in), of the layout of the offsets, which are those of a block for
    /// this many slots and entries whose values are at least as large as `T`.
    unsafe fn at_offsets(
        start: NonNull<u8>,
        offsets: &Offsets,
        slots: usize,
        entry_count: usize,
        word: W,
    ) -> Self {
        let start = match offsets.layout.size() {
            0 => memory::dangling(offsets.layout),
            _ => start,
        };
        // The black box hides that the memory is new: otherwise compilers might turn a fill with
        // zeros into an allocation of untouched pages.
        let start = black_box(start);
        // SAFETY: each offset is within the memory, or at its end if the array is empty.
        let at = |offset| unsafe { start.byte_add(offset) };
        let block = Self {
            values: at(offsets.values).cast(),
            bits: at(offsets.bits).cast(),
            slots,
            words: at(offsets.words).cast(),
            entries: at(offsets.entries).cast(),
            entry_count,
            bit_words: slots.div_ceil(WORD_SLOTS),
            is_lent: true,
            is_packed: false,
            bitmap_age: BitmapAge::OLD,
            watch: None,
            owns: PhantomData,
        };
        fill(block.words, slots, word);
        fill(block.entries, entry_count, E::EMPTY);
        fill(block.bits, block.bit_words, 0);
        block
    }
}

/// Values of a type that only the user of the block knows: bytes after the other arrays, where
/// those of a pool of that type would be.
impl<W: Word, E: Entry> Block<W, E, ()> {
    /// The memory that a block needs where each value has this layout, the size of which is a multiple of its
    /// alignment.
    pub(crate) fn layout_with(
        slots: usize,
        entry_count: usize,
        value: Layout,
    ) -> Result<Layout, OutOfMemory> {
        Ok(Offsets::with_values::<W, E>(slots, entry_count, value)?.layout)
    }

    /// Slots with this word and entries that are empty, every page touched, in memory that is lent to the block.
    ///
    /// # Safety
    ///
    /// Like [`try_in`](Self::try_in), of the layout that [`layout_with`](Self::layout_with) says.
    pub(crate) unsafe fn try_in_with(
        start: NonNull<u8>,
        slots: usize,
        entry_count: usize,
        value: Layout,
        word: W,
    ) -> Result<Self, OutOfMemory> {
        let offsets = Offsets::with_values::<W, E>(slots, entry_count, value)?;
        // SAFETY: as the caller promises; no value is smaller than `()`.
        let block = unsafe { Self::at_offsets(start, &offsets, slots, entry_count, word) };
        let bytes = slots * value.size();
        let values = block.values.as_ptr().cast::<MaybeUninit<u8>>();
        // SAFETY: the array is in the block (invariant 1) and has this many bytes, and nobody
        // refers to them yet.
        memory::touch(unsafe { slice::from_raw_parts_mut(values, bytes) });
        Ok(block)
    }

    /// The first byte of the values.
    pub(crate) fn values_start(&self) -> NonNull<u8> {
        self.values.cast()
    }
}

/// Initialises an array of a block.
fn fill<V: Copy>(start: NonNull<V>, len: usize, value: V) {
    let array = start.as_ptr().cast::<MaybeUninit<V>>();
    // SAFETY: the array has this many elements in the block (invariant 1), and nobody refers to
    // them yet.
    let array = unsafe { slice::from_raw_parts_mut(array, len) };
    array.fill(MaybeUninit::new(value));
}

// SAFETY: the arrays are those of the block (invariant 1), of lengths that never change (invariant 3).
unsafe impl<W: Word, E: Entry, T> Place for Block<W, E, T> {
    type Word = W;
    type Entry = E;
    type Value = T;
    const HAS_BITMAP: bool = true;

    #[inline(always)]
    fn key(&self) -> W {
        W::ZERO
    }

    // By pointers to slices: the checks of `slice::from_raw_parts` would take a fifth of an unoptimised program's time.
    #[inline(always)]
    fn parts(&self) -> Parts<'_, W, E, T> {
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
    fn parts_mut(&mut self) -> PartsMut<'_, W, E, T> {
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
    fn entries_end(&self) -> *const E {
        self.words.as_ptr().cast()
    }

    #[inline(always)]
    fn entries_end_mut(&mut self) -> *mut E {
        self.words.as_ptr().cast()
    }

    #[inline(always)]
    fn bitmap_age(&self) -> BitmapAge {
        self.bitmap_age
    }

    #[inline(always)]
    fn bitmap_age_mut(&mut self) -> Option<&mut BitmapAge> {
        Some(&mut self.bitmap_age)
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

// SAFETY: the array of values is one, with as many as there are slots (invariant 3).
unsafe impl<W: Word, E: Entry, T> FlatPlace for Block<W, E, T> {}

impl<W: Word, E: Entry, T> fmt::Debug for Block<W, E, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Block").field("slots", &self.slots).finish_non_exhaustive()
    }
}

#[cfg(all(test, target_pointer_width = "64"))]
mod tests {
    use super::*;

    #[test]
    fn the_header_is_laid_out_as_documented() {
        type Header = Block<u32, u32, [u8; 3]>;
        let offsets = [
            offset_of!(Header, values),
            offset_of!(Header, bits),
            offset_of!(Header, slots),
            offset_of!(Header, words),
            offset_of!(Header, entries),
            offset_of!(Header, entry_count),
            offset_of!(Header, bit_words),
        ];
        assert_eq!(offsets, [0, 8, 16, 24, 32, 40, 48]);
    }

    #[test]
    fn values_of_a_layout_lie_as_those_of_a_type_do() {
        for slots in [0, 1, 13, 100] {
            let of_type = Offsets::of::<u32, u32, [u32; 8]>(slots, slots + 1).unwrap();
            let value = Layout::new::<[u32; 8]>();
            let of_layout = Offsets::with_values::<u32, u32>(slots, slots + 1, value).unwrap();
            assert_eq!(of_layout.layout, of_type.layout);
            assert_eq!(of_layout.values, of_type.values);
        }
        let huge = Layout::from_size_align(1 << 20, 4).unwrap();
        assert!(Block::<u32, u32, ()>::layout_with(usize::MAX >> 10, 0, huge).is_err());
    }

    #[test]
    fn the_arrays_lie_one_behind_the_other_each_aligned() {
        // 13 words, 14 entries, a word of bits, 13 values that want 16.
        let offsets = Offsets::of::<u32, u32, u128>(13, 14).unwrap();
        let begins = [offsets.entries, offsets.words, offsets.bits, offsets.values];
        assert_eq!(begins, [0, 14 * 4, 27 * 4 + 4, 27 * 4 + 4 + 8 + 8]);
        assert_eq!((offsets.layout.size(), offsets.layout.align()), (128 + 13 * 16, 16));
        let narrow = Offsets::of::<u16, u16, u8>(3, 4).unwrap();
        assert_eq!([narrow.words, narrow.bits, narrow.values], [8, 16, 24]);
        let mixed = Offsets::of::<u32, u16, u8>(3, 3).unwrap();
        assert_eq!([mixed.entries, mixed.words], [2, 8]);
        assert_eq!((narrow.layout.size(), narrow.layout.align()), (27, 8));
        assert!(Offsets::of::<u32, u32, u64>(usize::MAX / 8, 0).is_err());
    }

    #[test]
    fn few_values_of_a_growing_pool_are_aligned_as_their_type_demands() {
        let packed = |slots| {
            let block = Block::<u32, u32, [u64; 8]>::try_untouched(slots, slots, 1.as_dead());
            block.unwrap().is_packed
        };
        assert_eq!([0, 4, 64, 65].map(packed), [true, true, true, false]);
        assert_eq!(Offsets::packed::<u32, u32, [u64; 8]>(4, 5).unwrap().layout.align(), 8);
        assert_eq!(Offsets::packed::<u32, u32, u128>(4, 5).unwrap().layout.align(), 16);
        assert_eq!(Offsets::of::<u32, u32, [u64; 8]>(4, 5).unwrap().layout.align(), 64);
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
        let block = Block::<u32, u32, [u8; 3]>::try_new(5, 6, 1.as_dead()).unwrap();
        assert_eq!(alloc::format!("{block:?}"), "Block { slots: 5, .. }");
    }
}
