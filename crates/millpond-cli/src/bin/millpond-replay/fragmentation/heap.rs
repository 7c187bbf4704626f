//! A model of a general-purpose allocator: best fit, adjacent holes are merged, and nothing moves.

use std::collections::{BTreeMap, BTreeSet};

/// What a request costs beyond its bytes, and how sizes are rounded.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules {
    pub(super) header_bytes: u64,
    /// Sizes are multiples of this.
    pub(super) grain_bytes: u64,
    pub(super) block_bytes_min: u64,
    /// The maximum size of the heap; without a limit, every request for memory succeeds.
    pub(super) heap_bytes_max: u64,
}

impl Rules {
    /// Those of the C library's allocator on Linux, on machines of 64 bits. Its small caches of freed blocks, which
    /// keep holes apart for longer, are left out: they would only make things worse.
    pub(super) const SYSTEM: Self = Self {
        header_bytes: 8,
        grain_bytes: 16,
        block_bytes_min: 32,
        heap_bytes_max: u64::MAX / 2,
    };
}

/// The position and length of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Block {
    pub(super) at: u64,
    pub(super) bytes: u64,
}

/// A heap. It grows as needed, and returns nothing to the system.
#[derive(Debug)]
pub(super) struct Heap {
    rules: Rules,
    /// The holes by position, with their lengths; and by length.
    holes: BTreeMap<u64, u64>,
    holes_by_length: BTreeSet<(u64, u64)>,
    heap_bytes: u64,
    live_bytes: u64,
}

impl Heap {
    pub(super) fn new(rules: Rules) -> Self {
        let (holes, holes_by_length) = (BTreeMap::new(), BTreeSet::new());
        Self { rules, holes, holes_by_length, heap_bytes: 0, live_bytes: 0 }
    }

    /// How many bytes the heap has, in use or not.
    pub(super) fn heap_bytes(&self) -> u64 {
        self.heap_bytes
    }

    /// How many of them are in use.
    pub(super) fn live_bytes(&self) -> u64 {
        self.live_bytes
    }

    /// The largest hole: no larger request can be served without more memory.
    pub(super) fn largest_hole(&self) -> u64 {
        self.holes_by_length.last().map_or(0, |(bytes, _)| *bytes)
    }

    /// The bytes that a request takes.
    pub(super) fn block_bytes(&self, bytes: u64) -> u64 {
        let Rules { header_bytes, grain_bytes, block_bytes_min, .. } = self.rules;
        let needed = bytes.saturating_add(header_bytes).max(block_bytes_min);
        needed.checked_next_multiple_of(grain_bytes).unwrap_or(u64::MAX)
    }

    /// Serves a request from the smallest hole that fits, or from new memory at the end; `None` if the heap would
    /// exceed its limit.
    pub(super) fn allocate(&mut self, bytes: u64) -> Option<Block> {
        let bytes = self.block_bytes(bytes);
        let found = self.holes_by_length.range((bytes, 0)..).next().copied();
        let at = match found {
            Some((hole, at)) => {
                self.take_hole(at, hole);
                if hole > bytes {
                    self.add_hole(at + bytes, hole - bytes);
                }
                at
            }
            None => self.extend(bytes)?,
        };
        self.live_bytes += bytes;
        Some(Block { at, bytes })
    }

    /// A block at the end of the heap, which includes the last hole.
    fn extend(&mut self, bytes: u64) -> Option<u64> {
        let last = self.holes.last_key_value().map(|(at, hole)| (*at, *hole));
        let at_end = last.filter(|(at, hole)| at + hole == self.heap_bytes);
        let at = at_end.map_or(self.heap_bytes, |(at, _)| at);
        let end = at.checked_add(bytes).filter(|end| *end <= self.rules.heap_bytes_max)?;
        if let Some((at, hole)) = at_end {
            self.take_hole(at, hole);
        }
        self.heap_bytes = end;
        Some(at)
    }

    /// Frees a block, and merges it with the adjacent holes.
    pub(super) fn free(&mut self, block: Block) {
        self.live_bytes -= block.bytes;
        let Block { mut at, mut bytes } = block;
        let before = self.holes.range(..at).next_back().map(|(at, hole)| (*at, *hole));
        if let Some((hole_at, hole)) = before.filter(|(hole_at, hole)| hole_at + hole == at) {
            self.take_hole(hole_at, hole);
            (at, bytes) = (hole_at, hole + bytes);
        }
        if let Some(hole) = self.holes.get(&(at + bytes)).copied() {
            self.take_hole(at + bytes, hole);
            bytes += hole;
        }
        self.add_hole(at, bytes);
    }

    fn add_hole(&mut self, at: u64, bytes: u64) {
        self.holes.insert(at, bytes);
        self.holes_by_length.insert((bytes, at));
    }

    fn take_hole(&mut self, at: u64, bytes: u64) {
        self.holes.remove(&at);
        self.holes_by_length.remove(&(bytes, at));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use millpond_plan::random::SplitMix64;

    impl Heap {
        fn free_bytes(&self) -> u64 {
            self.heap_bytes - self.live_bytes
        }
    }

    /// Bytes as they are, and so many of them.
    fn bytes_alone(heap_bytes_max: u64) -> Heap {
        Heap::new(Rules { header_bytes: 0, grain_bytes: 1, block_bytes_min: 1, heap_bytes_max })
    }

    /// "14 bytes free as 7 and 7, a request for 12 refused."
    #[test]
    fn published_example_14_bytes_free_in_two_pieces_of_7_and_12_refused() {
        let mut heap = bytes_alone(28);
        let blocks = [(); 4].map(|()| heap.allocate(7).unwrap());
        heap.free(blocks[0]);
        heap.free(blocks[2]);
        assert_eq!((heap.free_bytes(), heap.largest_hole()), (14, 7));
        assert_eq!(heap.allocate(12), None);
        // Smaller requests still succeed, and after the neighbours are freed, so does the large one.
        assert_eq!(heap.allocate(7), Some(blocks[0]));
        heap.free(blocks[1]);
        assert_eq!((heap.free_bytes(), heap.largest_hole()), (14, 14));
        assert!(heap.allocate(12).is_some());
    }

    /// Compared with a heap that is an array of bytes.
    #[test]
    fn blocks_never_overlap_and_free_memory_is_what_an_array_of_bytes_says() {
        const BYTES: usize = 400;
        let mut random = SplitMix64::new(1);
        let mut below = |limit: u64| random.next() % limit;
        let mut heap = bytes_alone(BYTES as u64);
        let mut array = [false; BYTES];
        let mut live: Vec<Block> = Vec::new();
        let mut refused = 0;
        for _ in 0..20_000 {
            if below(100) < 55 {
                let bytes = 1 + below(24);
                let fits = array.split(|used| *used).any(|hole| hole.len() as u64 >= bytes);
                let block = heap.allocate(bytes);
                assert_eq!(block.is_some(), fits, "free: {}", heap.free_bytes());
                refused += u64::from(!fits && heap.free_bytes() >= bytes);
                if let Some(block) = block {
                    let places = &mut array[block.at as usize..][..block.bytes as usize];
                    assert!(places.iter().all(|used| !used));
                    places.fill(true);
                    live.push(block);
                }
            } else if !live.is_empty() {
                let block = live.swap_remove(below(live.len() as u64) as usize);
                array[block.at as usize..][..block.bytes as usize].fill(false);
                heap.free(block);
            }
            let used = array.iter().filter(|used| **used).count() as u64;
            assert_eq!(heap.live_bytes(), used);
            let within = &array[..heap.heap_bytes() as usize];
            let largest = within.split(|used| *used).map(<[bool]>::len).max().unwrap_or(0);
            assert_eq!(heap.largest_hole(), largest as u64);
        }
        assert!(refused > 100, "requests must fail for no reason but fragmentation");
    }

    #[test]
    fn requests_take_what_the_system_rounds_them_to() {
        let mut heap = Heap::new(Rules::SYSTEM);
        for (bytes, taken) in [(0, 32), (1, 32), (24, 32), (25, 48), (40, 48), (1000, 1008)] {
            assert_eq!(heap.block_bytes(bytes), taken, "{bytes}");
        }
        assert_eq!(heap.allocate(u64::MAX), None);
        assert_eq!(heap.heap_bytes(), 0);
    }
}
