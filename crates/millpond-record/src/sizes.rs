//! How many blocks of each size are alive.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Blocks of fewer bytes than this are counted by index: most are.
const SMALL_BYTES: usize = 1 << 12;

/// The live blocks of each size. Its memory is in proportion to the sizes that are alive.
#[derive(Debug)]
pub(crate) struct Sizes {
    small: Box<[u64; SMALL_BYTES]>,
    large: HashMap<u64, u64, foldhash::fast::RandomState>,
}

impl Default for Sizes {
    fn default() -> Self {
        Self { small: Box::new([0; SMALL_BYTES]), large: HashMap::default() }
    }
}

impl Sizes {
    #[inline]
    pub(crate) fn born(&mut self, bytes: u64) {
        match self.small.get_mut(bytes as usize) {
            Some(blocks) => *blocks += 1,
            None => *self.large.entry(bytes).or_default() += 1,
        }
    }

    #[inline]
    pub(crate) fn died(&mut self, bytes: u64) {
        if let Some(blocks) = self.small.get_mut(bytes as usize) {
            *blocks -= 1;
        } else if let Entry::Occupied(mut of_size) = self.large.entry(bytes) {
            *of_size.get_mut() -= 1;
            if *of_size.get() == 0 {
                of_size.remove();
            }
        }
    }

    /// The sizes with most bytes alive, and how many blocks each has.
    pub(crate) fn largest(&self, most: usize) -> Vec<(u64, u64)> {
        let small = self.small.iter().enumerate().map(|(bytes, &blocks)| (bytes as u64, blocks));
        let large = self.large.iter().map(|(&bytes, &blocks)| (bytes, blocks));
        let mut sizes: Vec<_> = small.chain(large).filter(|&(_, blocks)| blocks > 0).collect();
        sizes.sort_unstable_by_key(|&(bytes, blocks)| {
            (std::cmp::Reverse(bytes.saturating_mul(blocks)), bytes)
        });
        sizes.truncate(most);
        sizes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_counted_by_index_and_by_key() {
        let mut sizes = Sizes::default();
        for bytes in [0, 16, 16, 4095, 4096, 4096, 1 << 47] {
            sizes.born(bytes);
        }
        let most = [(1 << 47, 1), (4096, 2), (4095, 1), (16, 2), (0, 1)];
        assert_eq!(sizes.largest(9), most);
        assert_eq!(sizes.largest(2), most[..2]);
        [0, 16, 4095, 4096, 1 << 47].into_iter().for_each(|bytes| sizes.died(bytes));
        assert_eq!(sizes.largest(9), [(4096, 1), (16, 1)]);
        assert_eq!(sizes.large.len(), 1, "none is kept of sizes without blocks");
    }
}
