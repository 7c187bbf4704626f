//! A model of what an allocator serves without any search: blocks that were freed recently.
//!
//! Current allocators keep recently freed blocks of each bin of sizes at hand, and serve the next request with one of
//! them in a few instructions. glibc keeps [`BLOCKS_DEFAULT`] blocks of up to [`BYTES_MAX`] bytes in each bin of each
//! thread. Recordings do not name threads, so all of them share one cache here: a program with many threads has more
//! blocks at hand than the model says.

/// The number of blocks that glibc caches in a bin.
pub const BLOCKS_DEFAULT: u8 = 7;

/// The largest block that glibc caches.
const BYTES_MAX: u64 = 1032;

/// Allocators keep blocks in bins whose sizes differ by this many bytes, …
const BIN_BYTES: u64 = 16;

/// … and include a header of this many bytes.
const HEADER_BYTES: u64 = 8;

/// The bin of a size in a common allocator.
pub(super) fn bin(size: u64) -> u64 {
    size.saturating_add(HEADER_BYTES).div_ceil(BIN_BYTES).max(2)
}

/// No blocks of this bin are cached.
const NO_BIN: u32 = u32::MAX;

/// The cached blocks, while a recording is read.
#[derive(Debug, Default)]
pub(super) struct AtHand {
    blocks_max: u8,
    /// By class, its bin.
    bins: Vec<u32>,
    /// By bin, the number of cached blocks.
    blocks: Vec<u8>,
}

impl AtHand {
    /// The cache of an allocator that keeps at most `blocks_max` blocks of each bin, for classes of these sizes. A class
    /// of unknown size has a bin of its own.
    pub(super) fn new(blocks_max: u8, sizes: &[Option<u64>]) -> Self {
        let shared = bin(BYTES_MAX) as u32 + 1;
        let bin_of = |(class, bytes): (u32, &Option<u64>)| match *bytes {
            Some(bytes) if bytes <= BYTES_MAX => bin(bytes) as u32,
            Some(_) => NO_BIN,
            None => shared + class,
        };
        let bins = (0..).zip(sizes).map(bin_of).collect();
        Self { blocks_max, bins, blocks: vec![0; shared as usize + sizes.len()] }
    }

    #[inline]
    fn blocks(&mut self, class: u32) -> Option<&mut u8> {
        let bin = *self.bins.get(class as usize)?;
        self.blocks.get_mut(bin as usize)
    }

    /// Serves a request. Returns whether a cached block was available.
    #[inline]
    pub(super) fn take(&mut self, class: u32) -> bool {
        let Some(blocks) = self.blocks(class).filter(|blocks| **blocks > 0) else { return false };
        *blocks -= 1;
        true
    }

    /// Frees a block.
    #[inline]
    pub(super) fn give_back(&mut self, class: u32) {
        let blocks_max = self.blocks_max;
        if let Some(blocks) = self.blocks(class) {
            *blocks = blocks.saturating_add(1).min(blocks_max);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: [Option<u64>; 8] =
        [Some(48), Some(56), Some(64), Some(1032), Some(1033), Some(u64::MAX), None, None];

    #[test]
    fn the_last_few_blocks_of_a_bin_are_at_hand() {
        let mut cache = AtHand::new(3, &SIZES);
        assert!(!cache.take(1));
        for _ in 0..5 {
            cache.give_back(1);
        }
        // 48 bytes share the bin of 56, 64 do not.
        let taken = [2, 0, 1, 0, 1].map(|class| cache.take(class));
        assert_eq!(taken, [false, true, true, true, false]);
    }

    #[test]
    fn large_blocks_are_never_at_hand_and_some_allocators_keep_none() {
        let mut cache = AtHand::new(7, &SIZES);
        for class in [3, 4, 5] {
            cache.give_back(class);
        }
        assert_eq!([3, 4, 5].map(|class| cache.take(class)), [true, false, false]);
        let mut none = AtHand::new(0, &SIZES);
        none.give_back(0);
        assert!(!none.take(0));
    }

    #[test]
    fn classes_of_unknown_size_share_nothing() {
        let mut cache = AtHand::new(7, &SIZES);
        cache.give_back(6);
        assert_eq!([7, 6, 6, 99].map(|class| cache.take(class)), [false, true, false, false]);
    }
}
