//! Blocks of memory by address, for recordings that contain addresses.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::allocations::{Allocations, KindCounts, check_room_for_kind};
use super::live_keys::LiveKeys;
use super::neighbours::{KindOfClass, Neighbours};
use super::sizes::Sizes;
use super::stacks::CallStacks;
use super::{Event, Watch};

/// A live block.
#[derive(Debug, Clone, Copy)]
struct Block {
    key: u32,
    kind: u32,
}

/// The blocks of a recording while it is read.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    live: HashMap<u64, Block, foldhash::fast::RandomState>,
    /// The kind of each size and call stack; the reader numbers the stacks.
    numbers: HashMap<(u64, u32), u32, foldhash::fast::RandomState>,
    kinds: Vec<KindCounts>,
    sizes: Sizes,
    neighbours: Neighbours,
    keys: LiveKeys,
    pub(super) births: u64,
    pub(super) deaths: u64,
}

impl Blocks {
    /// A block of this many bytes is born, requested from a call stack.
    pub(super) fn birth(
        &mut self,
        tick: u32,
        address: u64,
        bytes: u64,
        stack: u32,
        watch: &mut dyn Watch,
    ) -> Result<(), String> {
        let born = self.born(tick, address, bytes, stack, watch)?;
        self.neighbours.event(born, true);
        Ok(())
    }

    /// A block dies; `false` if it is older than the recording.
    pub(super) fn death(&mut self, tick: u32, address: u64, watch: &mut dyn Watch) -> bool {
        let Some(died) = self.died(tick, address, watch) else { return false };
        self.neighbours.event(died, false);
        true
    }

    /// A block is resized, and perhaps moved.
    pub(super) fn resize(
        &mut self,
        tick: u32,
        [old, new]: [u64; 2],
        bytes: u64,
        stack: u32,
        watch: &mut dyn Watch,
    ) -> Result<(), String> {
        let died = self.died(tick, old, watch);
        let born = self.born(tick, new, bytes, stack, watch)?;
        self.neighbours.resize(born, died);
        Ok(())
    }

    fn born(
        &mut self,
        tick: u32,
        address: u64,
        bytes: u64,
        stack: u32,
        watch: &mut dyn Watch,
    ) -> Result<KindOfClass, String> {
        let kind = self.kind(bytes, stack)?;
        let Entry::Vacant(place) = self.live.entry(address) else {
            return Err(format!(
                "block {address:x} is allocated while it is alive, expected it to be freed first"
            ));
        };
        let key = self.keys.take()?;
        place.insert(Block { key, kind });
        let counts = &mut self.kinds[kind as usize];
        counts.births += 1;
        self.births += 1;
        let class = counts.class;
        watch.birth(Event { tick, class, kind, key, bytes: Some(bytes) });
        Ok(KindOfClass { kind, class })
    }

    fn died(&mut self, tick: u32, address: u64, watch: &mut dyn Watch) -> Option<KindOfClass> {
        let Block { key, kind } = self.live.remove(&address)?;
        self.keys.give_back(key);
        self.deaths += 1;
        let class = self.kinds[kind as usize].class;
        watch.death(Event { tick, class, kind, key, bytes: None });
        Some(KindOfClass { kind, class })
    }

    fn kind(&mut self, bytes: u64, stack: u32) -> Result<u32, String> {
        if let Some(&kind) = self.numbers.get(&(bytes, stack)) {
            return Ok(kind);
        }
        check_room_for_kind(self.kinds.len())?;
        let class = self.sizes.class(bytes)?;
        let kind = self.kinds.len() as u32;
        self.kinds.push(KindCounts { class, stack, births: 0 });
        self.numbers.insert((bytes, stack), kind);
        Ok(kind)
    }

    /// Reports the blocks that are still alive, and returns the summary. `nodes` has the stack node of each call stack,
    /// by the reader's number.
    pub(super) fn finish(
        mut self,
        last_tick: u32,
        stacks: CallStacks,
        nodes: &[u32],
        watch: &mut dyn Watch,
    ) -> Allocations {
        for block in self.live.values() {
            watch.left(self.kinds[block.kind as usize].class, block.key, last_tick);
        }
        for kind in &mut self.kinds {
            kind.stack = nodes.get(kind.stack as usize).copied().unwrap_or(0);
        }
        let (neighbours, sizes) = (self.neighbours.into_counts(), self.sizes.into_sizes());
        Allocations { stacks, kinds: self.kinds, neighbours, sizes }
    }
}
