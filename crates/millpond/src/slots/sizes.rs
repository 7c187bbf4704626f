//! The block sizes of a growing pool, and the block of each slot.

/// The sizes of the blocks: powers of two that double from the first size to the last, after which
/// all blocks have the last size.
///
/// ```text
/// sizes 4 to 16   block   0     1     2      3       4       5
///                 slots   0‥4   4‥8   8‥16   16‥32   32‥48   48‥64
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockSizes {
    first_shift: u8,
    last_shift: u8,
}

impl BlockSizes {
    /// From 4 slots on, without a limit.
    pub(crate) const DOUBLING: Self = Self { first_shift: 2, last_shift: Self::SHIFT_MAX };

    /// No layout can name the slots of a larger block.
    const SHIFT_MAX: u8 = 31;

    /// `None` unless both are powers of two, the last not smaller than the first.
    #[inline]
    pub(crate) const fn new(first: usize, last: usize) -> Option<Self> {
        if !first.is_power_of_two() || !last.is_power_of_two() || first > last {
            return None;
        }
        let (first_shift, last_shift) = (first.trailing_zeros() as u8, last.trailing_zeros() as u8);
        if first_shift > Self::SHIFT_MAX {
            return None;
        }
        // A larger last size is never reached.
        let last_shift = if last_shift > Self::SHIFT_MAX { Self::SHIFT_MAX } else { last_shift };
        Some(Self { first_shift, last_shift })
    }

    /// How many slots the first block has.
    #[inline]
    pub(crate) const fn first(&self) -> usize {
        1 << self.first_shift
    }

    /// How many slots the largest blocks have.
    #[inline]
    pub(crate) const fn last(&self) -> usize {
        1 << self.last_shift
    }

    /// Below this slot blocks double, so that their starts are powers of two.
    #[inline(always)]
    pub(crate) const fn doubling_below(&self) -> usize {
        self.last()
    }

    /// Where a table of blocks has the block of a slot below [`doubling_below`](Self::doubling_below): at the number of
    /// bits of the index. So the first block, which is larger than 1, has several entries, and finding one takes
    /// neither its size nor a branch.
    #[inline(always)]
    pub(crate) const fn entry_of_doubling(index: usize) -> usize {
        // The lowest bit guarantees that the number is not 0.
        ((index << 1) | 1).ilog2() as usize
    }

    /// The table's entry for the block of a slot, and where that block ends; `None` for a slot that is not below
    /// [`doubling_below`](Self::doubling_below).
    #[inline(always)]
    pub(crate) fn block_that_doubles(&self, index: usize) -> Option<(usize, usize)> {
        if index >> self.last_shift != 0 {
            return None;
        }
        let entry = Self::entry_of_doubling(index);
        Some((entry, 1 << entry.max(self.first_shift as usize)))
    }

    /// The table's entry for the block of a slot that is not below [`doubling_below`](Self::doubling_below).
    #[inline(always)]
    pub(crate) const fn entry_of_last(&self, index: usize) -> usize {
        (index >> self.last_shift) + self.last_shift as usize
    }

    /// Where a table of blocks has the block of a slot. Entries ascend with the slots.
    #[inline(always)]
    pub(crate) const fn entry_of(&self, index: usize) -> usize {
        if index < self.doubling_below() {
            Self::entry_of_doubling(index)
        } else {
            self.entry_of_last(index)
        }
    }

    /// How many entries a table has for this many slots, which end where a block does.
    #[inline]
    pub(crate) const fn entries_within(&self, slots: usize) -> usize {
        match slots.checked_sub(1) {
            Some(last) => self.entry_of(last) + 1,
            None => 0,
        }
    }

    /// How many blocks there are before those of the last size are all that come.
    #[inline]
    const fn doublings(&self) -> usize {
        (self.last_shift - self.first_shift) as usize
    }

    /// The block of a slot.
    #[inline]
    pub(crate) const fn block_of(&self, index: usize) -> usize {
        if index < 1 << self.last_shift {
            // The number of bits of `index >> first_shift`; the lowest bit guarantees that it is
            // not 0.
            (((index << 1) >> self.first_shift) | 1).ilog2() as usize
        } else {
            (index >> self.last_shift) + self.doublings()
        }
    }

    /// How many slots the blocks below this one have together: the first slot of this block.
    #[inline]
    pub(crate) const fn start_of(&self, block: usize) -> Option<usize> {
        match block.checked_sub(self.doublings() + 1) {
            Some(after) => (after + 1).checked_mul(self.last()),
            None if block == 0 => Some(0),
            None => Some(1 << (self.first_shift as usize + block - 1)),
        }
    }

    /// How many slots a block has.
    #[inline]
    pub(crate) fn len_of(&self, block: usize) -> usize {
        match block {
            0 => self.first(),
            _ => 1 << (self.first_shift as usize + block - 1).min(self.last_shift as usize),
        }
    }

    /// How many blocks have at most this many slots together.
    #[inline]
    pub(crate) const fn blocks_within(&self, slots: usize) -> usize {
        // The block that would contain the slot after them is not complete.
        self.block_of(slots)
    }

    /// Where the block of a slot ends.
    #[inline]
    pub(crate) const fn end_of_block_with(&self, index: usize) -> usize {
        if index < self.doubling_below() {
            // The next power of two, or the size of the first block. The lowest bit guarantees that
            // the number is not 0.
            1 << (((index | (self.first() - 1)) << 1) | 1).ilog2()
        } else {
            (index | (self.last() - 1)).saturating_add(1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_slot_is_in_one_block() {
        for (first, last) in [(1, 1), (1, 8), (4, 4), (4, 16), (64, 1024), (2, 1 << 31)] {
            let sizes = BlockSizes::new(first, last).unwrap();
            let (mut start, mut entries) = (0, 0);
            for block in 0_usize.. {
                let doublings = block.saturating_sub(1).min(30);
                let len = (first << doublings).min(last);
                assert_eq!(sizes.start_of(block), Some(start), "{first} to {last}");
                assert_eq!(sizes.len_of(block), len);
                for index in [start, start + len / 2, start + len - 1] {
                    assert_eq!(sizes.block_of(index), block);
                    assert_eq!(sizes.end_of_block_with(index), start + len);
                    let doubles = (index < last).then(|| (sizes.entry_of(index), start + len));
                    assert_eq!(sizes.block_that_doubles(index), doubles);
                }
                let first_entry = entries;
                entries = sizes.entries_within(start + len);
                for index in [start, start + len / 2, start + len - 1] {
                    assert!((first_entry..entries).contains(&sizes.entry_of(index)));
                }
                assert_eq!(sizes.blocks_within(start + len), block + 1);
                assert_eq!(sizes.blocks_within(start + len - 1), block);
                start += len;
                if start > 10_000 {
                    break;
                }
            }
        }
    }

    #[test]
    fn sizes_are_powers_of_two_that_ascend() {
        let is_one = |first, last| BlockSizes::new(first, last).is_some();
        assert!(!is_one(0, 4) && !is_one(3, 4) && !is_one(4, 6) && !is_one(8, 4));
        assert!(is_one(1, 1) && is_one(8, 8));
        #[cfg(target_pointer_width = "64")]
        {
            assert!(!is_one(1 << 32, 1 << 32));
            assert_eq!(BlockSizes::new(4, 1 << 40), Some(BlockSizes::DOUBLING));
        }
        assert_eq!((BlockSizes::DOUBLING.first(), BlockSizes::DOUBLING.last()), (4, 1 << 31));
    }
}
