//! The growth of a small block, in one short path.
//!
//! A large block is reallocated, so that it may stay where it is, or the system moves its pages. A small one would move anyway:
//! allocators keep pieces of its sizes ready, and find another one sooner than they find out whether this one can be extended.
//! So it takes a new piece, and no array has to move within it.

use core::alloc::Layout;
use core::hint::assert_unchecked;

use super::{Block, Memory, Offsets, fill};
use crate::base::OrderEntry;
use crate::base::memory;
use crate::occupancy::WORD_SLOTS;
use crate::slots::{Place, SlotKind};

/// A block of at most so many bytes is small.
const BYTES_MAX: usize = 1024;
/// What the memory is aligned to. Values that want no more have no padding.
const ALIGN: usize = align_of::<u64>();

impl<K: SlotKind> Block<K> {
    /// A block of as many slots is not small.
    const SLOTS_BEYOND_SMALL: usize = WORD_SLOTS;

    /// More slots, in memory of its own. The values keep their bytes, the entries that there were are the last ones
    /// then, and the rest is as if never used. `false` if nothing has changed: if the block would not be small or is not one
    /// that takes its memory by itself, if its values are aligned further than their type demands, if it is watched, or
    /// without memory.
    #[inline(always)]
    pub(crate) fn grow_small(&mut self, slots: usize) -> bool {
        const { assert!(align_of::<K::Entry>() <= ALIGN && align_of::<K::Word>() <= ALIGN) };
        let (value, former, former_entries) = (self.value, self.slots, self.entry_count);
        let entry_count = K::entry_count(slots);
        let is_small =
            slots < Self::SLOTS_BEYOND_SMALL && entry_count < BYTES_MAX && value.size < BYTES_MAX;
        let is_more = former < slots && former_entries <= entry_count;
        if !is_small || !is_more || value.align > ALIGN || self.watch().is_some() {
            return false;
        }
        let own = self.own_memory();
        let is_alike = match own {
            Some((_, _, align)) => former > 0 && align == value.align,
            None => former == 0 && former_entries == 0,
        };
        let Ok(offsets) = Offsets::of::<K>(slots, value.size) else { return false };
        if !is_alike || offsets.bytes > BYTES_MAX {
            return false;
        }
        let Ok(layout) = Layout::from_size_align(offsets.bytes, ALIGN) else { return false };
        let Ok(start) = memory::take(layout) else { return false };
        let at = |offset| {
            // SAFETY: the memory was just allocated, with room for such a block, and each offset is within it.
            unsafe { start.byte_add(offset) }
        };
        // The former entries are the last ones, with the words behind them; all others, and what is behind those, are 0.
        fill(at(offsets.entries), 0..offsets.bytes - offsets.entries, 0_u8);
        if !K::Entry::EMPTY_IS_ZERO {
            fill(at(offsets.entries).cast(), 0..entry_count, K::Entry::EMPTY);
        }
        if let Some((former_start, layout, _)) = own {
            let entry_bytes = former_entries * size_of::<K::Entry>();
            let bytes = entry_bytes + former * size_of::<K::Word>();
            let last_entries = at(offsets.words - entry_bytes);
            // SAFETY: the former values lie there (invariant 1), and there is room for more in the new memory.
            unsafe { start.copy_from_nonoverlapping(self.values, former * value.size) };
            // SAFETY: the words lie right behind the entries, in either memory (invariant 4), and there are more now.
            unsafe { last_entries.copy_from_nonoverlapping(self.entries.cast(), bytes) };
            // SAFETY: there are slots, few of them, so that each bitmap has one word (invariant 3).
            let bits = unsafe { self.bits.read() };
            // SAFETY: as above.
            unsafe { at(offsets.bits).cast().write(bits) };
            // SAFETY: no memory is taken for no bytes.
            unsafe { assert_unchecked(layout.size() > 0) };
            // SAFETY: the memory was taken with this layout, and nothing refers to it any more but fields that are about to be
            // replaced.
            unsafe { memory::give_back(former_start, layout) };
        }
        // SAFETY: this is the first byte of that memory, aligned for the values, and the arrays are initialised.
        unsafe { self.set_arrays(start, &offsets) };
        self.memory = Memory::own(start, start, value.align, false);
        true
    }
}

#[cfg(all(test, target_pointer_width = "64"))]
mod tests {
    use super::super::tests::Bare;
    use super::*;
    use crate::handle::Word;
    use crate::slots::reuse::Link;

    fn grow<W: Word, E: OrderEntry + PartialEq>(value: Layout, used: E) {
        for (from, to) in [(0, 1), (0, 4), (1, 4), (3, 4), (4, 8), (8, 63), (40, 63)] {
            let mut block = Block::<Bare<W, E, 0>>::try_growing(from, value).unwrap();
            let byte = |at: usize| at as u8 | 1;
            let mut bits = 0;
            for slot in 0..from {
                let parts = block.parts_mut();
                parts.words[slot] = W::from_generation(slot as u32 + 1);
                parts.entries[slot] = used;
                bits |= (slot as u64 % 2) << slot;
            }
            if let [word] = block.parts_mut().bits {
                *word = bits;
            }
            for at in 0..from * value.size() {
                // SAFETY: there are as many bytes of values, and the block is borrowed.
                unsafe { block.values.as_ptr().wrapping_add(at).write(byte(at)) };
            }
            let offsets = Offsets::of::<Bare<W, E, 0>>(to, value.size()).unwrap();
            let fits = offsets.bytes <= BYTES_MAX;
            assert_eq!(block.grow_small(to), fits, "{from} to {to}");
            let slots = if fits { to } else { from };
            let parts = block.parts();
            assert_eq!((parts.words.len(), parts.entries.len()), (slots, slots));
            let words = (0..slots).map(|slot| match slot < from {
                true => W::from_generation(slot as u32 + 1),
                false => W::ZERO,
            });
            assert!(parts.words.iter().copied().eq(words), "{from} to {to}");
            let is_new = |at: usize| at < slots - from;
            let entry = |at: usize| if is_new(at) { E::EMPTY } else { used };
            assert!(parts.entries.iter().copied().eq((0..slots).map(entry)), "{from} to {to}");
            assert_eq!(block.parts_mut().bits, &[bits][..slots.min(1)]);
            for at in 0..from * value.size() {
                // SAFETY: as above; they were written before.
                let kept = unsafe { block.values.as_ptr().wrapping_add(at).read() };
                assert_eq!(kept, byte(at));
            }
        }
    }

    #[test]
    fn a_small_block_that_grows_keeps_what_is_in_it() {
        grow::<u32, u32>(Layout::new::<[u64; 6]>(), 7);
        grow::<u16, u16>(Layout::new::<[u8; 3]>(), 7);
        grow::<u32, u16>(Layout::new::<()>(), 7);
        grow::<u32, ()>(Layout::new::<[u32; 2]>(), ());
        grow::<u32, Link>(Layout::new::<[u32; 5]>(), Link::NONE);
    }

    #[test]
    fn a_block_that_is_not_small_or_not_packed_stays_as_it_is() {
        fn refuses<K: SlotKind>(mut block: Block<K>, slots: usize) {
            let before = (block.values, block.slots);
            assert!(!block.grow_small(slots));
            assert_eq!((block.values, block.slots), before);
        }
        type Words = Block<Bare<u32, u32>>;
        let value = Layout::new::<[u64; 8]>();
        // It has an entry.
        refuses(Words::try_growing(0, value).unwrap(), 4);
        refuses(Words::try_growing(4, value).unwrap(), 64);
        refuses(Words::try_growing(4, value).unwrap(), 16);
        refuses(Words::try_growing(4, value).unwrap(), 4);
        refuses(Words::try_new(4, value).unwrap(), 8);
        refuses(Words::try_growing(1, Layout::new::<u128>()).unwrap(), 4);
        refuses(Block::<Bare<u32, u32, 0>>::empty(Layout::new::<[u8; 1024]>()), 1);
        let mut memory = [0_u64; 4];
        let start = core::ptr::NonNull::from(&mut memory).cast();
        // SAFETY: it is aligned, has room for a slot without a value, and only the block uses it.
        let lent = unsafe { Words::try_in(start, 1, Layout::new::<()>(), true) }.unwrap();
        refuses(lent, 4);
    }
}
