//! A model of what an allocator serves without any search: blocks that were freed recently.
//!
//! Current allocators keep recently freed blocks of each bin of sizes at hand, and serve the next request with one of
//! them in a few instructions. A pool saves such a call, but hardly any time. glibc keeps [`BLOCKS_DEFAULT`] blocks of
//! up to [`BYTES_MAX`] bytes in each bin of each thread. Recordings do not name threads, so all of them share one cache
//! here: a program with many threads has more blocks at hand than the model says.

use super::bin;

/// The number of blocks that glibc caches in a bin.
pub const BLOCKS_DEFAULT: u8 = 7;

/// The largest block that glibc caches.
const BYTES_MAX: u64 = 1032;

/// The cached blocks, while a recording is read.
#[derive(Debug)]
pub(super) struct AtHand {
    blocks_max: u8,
    /// By bin, the number of cached blocks.
    blocks: Vec<u8>,
}

impl AtHand {
    /// The cache of an allocator that keeps at most `blocks_max` blocks of each bin.
    pub(super) fn new(blocks_max: u8) -> Self {
        Self { blocks_max, blocks: vec![0; bin(BYTES_MAX) as usize + 1] }
    }

    #[inline]
    fn blocks(&mut self, bytes: u64) -> Option<&mut u8> {
        self.blocks.get_mut(bin(bytes) as usize)
    }

    /// Serves a request. Returns whether a cached block was available.
    #[inline]
    pub(super) fn take(&mut self, bytes: u64) -> bool {
        let Some(blocks) = self.blocks(bytes).filter(|blocks| **blocks > 0) else { return false };
        *blocks -= 1;
        true
    }

    /// Frees a block.
    #[inline]
    pub(super) fn give_back(&mut self, bytes: u64) {
        let blocks_max = self.blocks_max;
        if let Some(blocks) = self.blocks(bytes) {
            *blocks = blocks.saturating_add(1).min(blocks_max);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_few_blocks_of_a_bin_are_at_hand() {
        let mut cache = AtHand::new(3);
        assert!(!cache.take(56));
        for _ in 0..5 {
            cache.give_back(56);
        }
        // 48 bytes share the bin of 56, 64 do not.
        assert_eq!(
            [64, 48, 56, 48, 56].map(|bytes| cache.take(bytes)),
            [false, true, true, true, false]
        );
    }

    #[test]
    fn large_blocks_are_never_at_hand_and_some_allocators_keep_none() {
        let mut cache = AtHand::new(7);
        for bytes in [1032, 1033, u64::MAX] {
            cache.give_back(bytes);
        }
        assert_eq!([1032, 1033, u64::MAX].map(|bytes| cache.take(bytes)), [true, false, false]);
        let mut none = AtHand::new(0);
        none.give_back(16);
        assert!(!none.take(16));
    }
}
