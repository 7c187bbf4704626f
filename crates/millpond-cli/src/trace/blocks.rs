//! Blocks of memory by their addresses: what recordings that tell addresses have in common.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::allocations::{Allocations, KindCounts};
use super::live_keys::LiveKeys;
use super::stacks::CallStacks;
use super::{CLASSES_MAX, Event, Watch};

/// The most kinds that are kept: more than any program has, and an end to hostile files.
const KINDS_MAX: usize = 1 << 24;

/// A block that is alive.
#[derive(Debug, Clone, Copy)]
struct Block {
    key: u32,
    kind: u32,
}

/// The blocks of a recording that is being read.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    live: HashMap<u64, Block, foldhash::fast::RandomState>,
    /// The kind of each size and call stack; the stacks are numbered by the reader.
    numbers: HashMap<(u64, u32), u32, foldhash::fast::RandomState>,
    kinds: Vec<KindCounts>,
    classes: HashMap<u64, u32, foldhash::fast::RandomState>,
    sizes: Vec<u64>,
    neighbours: HashMap<(u32, u32), u64, foldhash::fast::RandomState>,
    /// The event before: its kind, and whether it is a birth.
    before: Option<(u32, bool)>,
    keys: LiveKeys,
    pub(super) births: u64,
    pub(super) deaths: u64,
}

impl Blocks {
    /// A block of so many bytes is born, asked for from a call stack.
    pub(super) fn birth(
        &mut self,
        tick: u32,
        address: u64,
        bytes: u64,
        stack: u32,
        watch: &mut impl Watch,
    ) -> Result<(), String> {
        let kind = self.born(tick, address, bytes, stack, watch)?;
        self.neighbour(kind, true);
        Ok(())
    }

    /// A block dies; `false` if it was born before the recording began.
    pub(super) fn death(&mut self, tick: u32, address: u64, watch: &mut impl Watch) -> bool {
        let Some(kind) = self.died(tick, address, watch) else { return false };
        self.neighbour(kind, false);
        true
    }

    /// A block takes another size, and perhaps another address.
    pub(super) fn resize(
        &mut self,
        tick: u32,
        [old, new]: [u64; 2],
        bytes: u64,
        stack: u32,
        watch: &mut impl Watch,
    ) -> Result<(), String> {
        let died = self.died(tick, old, watch);
        let born = self.born(tick, new, bytes, stack, watch)?;
        self.before = None;
        if let Some(died) = died {
            self.count_neighbours(born, died);
        }
        Ok(())
    }

    fn born(
        &mut self,
        tick: u32,
        address: u64,
        bytes: u64,
        stack: u32,
        watch: &mut impl Watch,
    ) -> Result<u32, String> {
        let kind = self.kind(bytes, stack)?;
        let Entry::Vacant(place) = self.live.entry(address) else {
            return Err(format!(
                "block {address:x} is born while it is alive, expected its death before"
            ));
        };
        let key = self.keys.take()?;
        place.insert(Block { key, kind });
        let counts = &mut self.kinds[kind as usize];
        counts.births += 1;
        self.births += 1;
        let class = counts.class;
        watch.birth(Event { tick, class, kind, key, bytes: Some(bytes) });
        Ok(kind)
    }

    fn died(&mut self, tick: u32, address: u64, watch: &mut impl Watch) -> Option<u32> {
        let Block { key, kind } = self.live.remove(&address)?;
        self.keys.give_back(key);
        self.deaths += 1;
        let class = self.kinds[kind as usize].class;
        watch.death(Event { tick, class, kind, key, bytes: None });
        Some(kind)
    }

    fn kind(&mut self, bytes: u64, stack: u32) -> Result<u32, String> {
        if let Some(&kind) = self.numbers.get(&(bytes, stack)) {
            return Ok(kind);
        }
        if self.kinds.len() == KINDS_MAX {
            return Err(format!("more than {KINDS_MAX} kinds of allocation"));
        }
        let next = self.sizes.len();
        let class = match self.classes.entry(bytes) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(_) if next == CLASSES_MAX => {
                return Err(format!("more than {CLASSES_MAX} different sizes"));
            }
            Entry::Vacant(place) => {
                self.sizes.push(bytes);
                *place.insert(next as u32)
            }
        };
        let kind = self.kinds.len() as u32;
        self.kinds.push(KindCounts { class, stack, births: 0 });
        self.numbers.insert((bytes, stack), kind);
        Ok(kind)
    }

    /// Notes a birth and a death that follow each other, whichever comes first.
    fn neighbour(&mut self, kind: u32, is_birth: bool) {
        if let Some((other, was_birth)) = self.before
            && was_birth != is_birth
        {
            let (born, died) = if is_birth { (kind, other) } else { (other, kind) };
            self.count_neighbours(born, died);
        }
        self.before = Some((kind, is_birth));
    }

    /// Counts a pair if its sizes are unlike.
    fn count_neighbours(&mut self, born: u32, died: u32) {
        let class = |kind: u32| self.kinds[kind as usize].class;
        if class(born) != class(died) {
            *self.neighbours.entry((born, died)).or_default() += 1;
        }
    }

    /// What is still alive, and what the recording holds. `nodes` has the stack node of each call stack
    /// by the reader's number.
    pub(super) fn finish(
        mut self,
        last_tick: u32,
        stacks: CallStacks,
        nodes: &[u32],
        watch: &mut impl Watch,
    ) -> Allocations {
        for block in self.live.values() {
            watch.left(self.kinds[block.kind as usize].class, block.key, last_tick);
        }
        for kind in &mut self.kinds {
            kind.stack = nodes.get(kind.stack as usize).copied().unwrap_or(0);
        }
        Allocations { stacks, kinds: self.kinds, neighbours: self.neighbours, sizes: self.sizes }
    }
}
