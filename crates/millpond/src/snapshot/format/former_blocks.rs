//! The former form of a pool made of blocks, in which each block had slots and an order of its own.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use ::serde::Deserialize;
use ::serde::de::{Deserializer, SeqAccess, Visitor};

use super::super::state::sealed::{Load, ObjectsFor};
use super::blocks::{SavedBlocks, SavedGrowth};
use super::checks::Refused;
use super::read_list;
use super::state::{Label, SavedState};
use crate::handle::HandleLayout;
use crate::slots::saved::OrderOf;

/// The state of a pool of blocks that are pools.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[doc(hidden)]
pub struct FormerBlocks {
    pub(super) pool: Label,
    pub(super) reuse: Label,
    first: u32,
    last: u32,
    wraps: bool,
    slots_per_block: u64,
    max_blocks: u64,
    give_back_beyond: Option<u64>,
    blocks: BlockList,
    inserted: u64,
    refused: u64,
    evicted: u64,
    peak: u64,
    blocks_peak: u64,
    taken: u64,
    taken_by_insertions: u64,
    given_back: u64,
}

/// A block that existed when the pool was saved, or earlier.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FormerBlock {
    there: bool,
    #[serde(deserialize_with = "read_list")]
    generations: Vec<u32>,
    #[serde(deserialize_with = "read_list")]
    order: Vec<(u32, u32)>,
    #[serde(rename = "inserted")]
    _inserted: u64,
    #[serde(rename = "peak")]
    _peak: u64,
}

/// The blocks with their numbers. Those that never existed take no memory.
#[derive(Debug)]
struct BlockList {
    count: usize,
    blocks: Vec<(usize, FormerBlock)>,
}

impl<'de> Deserialize<'de> for BlockList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct BlockVisitor;

        impl<'de> Visitor<'de> for BlockVisitor {
            type Value = BlockList;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of blocks")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<BlockList, A::Error> {
                let mut blocks = BlockList { count: 0, blocks: Vec::new() };
                while let Some(block) = list.next_element::<Option<FormerBlock>>()? {
                    blocks.blocks.extend(block.map(|block| (blocks.count, block)));
                    blocks.count += 1;
                }
                Ok(blocks)
            }
        }

        deserializer.deserialize_seq(BlockVisitor)
    }
}

/// The number of slots that may lie in blocks that never existed, whatever the others have.
const MISSING_SLOTS: usize = 4096;

impl FormerBlocks {
    /// The number of slots with a generation.
    pub(super) fn slots(&self) -> usize {
        self.blocks.blocks.iter().map(|(_, block)| block.generations.len()).sum()
    }

    /// The same with one list of slots and one order: that of the lowest block, then that of the
    /// next. All blocks before the last existing one exist, too.
    pub(super) fn joined<B: Load>(self, objects: &ObjectsFor<B>) -> Result<SavedBlocks, Refused> {
        let (slots_per_block, max_blocks) = self.check_limits::<B>()?;
        let Self { first, last, wraps, inserted, refused, evicted, peak, .. } = self;
        let blocks = &self.blocks.blocks;
        let end_of = |(at, _): &(usize, FormerBlock)| at + 1;
        let known = blocks.last().map_or(0, end_of);
        let there = blocks.iter().rev().find(|(_, block)| block.there).map_or(0, end_of);
        let missing = (known - blocks.len()).saturating_mul(slots_per_block);
        if missing > MISSING_SLOTS.max(2 * self.slots()) {
            return Err(Refused::TooFar(known as u64 - 1));
        }
        let slots = known * slots_per_block;
        let mut generations = Vec::new();
        generations.try_reserve_exact(slots).map_err(|_| Refused::OutOfMemory(slots))?;
        generations.resize(slots, first);
        let mut order = Vec::new();
        let mut were_there = 0;
        for (at, block) in &self.blocks.blocks {
            let in_block = |reason| Refused::InBlock(*at, Box::new(reason));
            let found = block.generations.len();
            if found != slots_per_block {
                let expected = slots_per_block;
                return Err(in_block(Refused::BlockLength { expected, found }));
            }
            let start = at * slots_per_block;
            generations[start..start + found].copy_from_slice(&block.generations);
            were_there += usize::from(block.there);
            if !block.there && !block.order.is_empty() {
                return Err(in_block(Refused::OrderLength {
                    expected: 0,
                    found: block.order.len(),
                }));
            }
            for (first, count) in &block.order {
                let end = u64::from(*first) + u64::from(*count);
                if end > slots_per_block as u64 {
                    return Err(in_block(Refused::NoSuchSlot(end - 1)));
                }
                order.push(((start + *first as usize) as u32, *count));
            }
        }
        let there_slots = there * slots_per_block;
        // A roster has the retired slots, too.
        let is_in_order = |slot: &usize| B::ORDER_OF == OrderOf::All || generations[*slot] != 0;
        if B::ORDER_OF == OrderOf::Vacant || B::ORDER_OF == OrderOf::All {
            self.append_others(there, slots_per_block, is_in_order, &mut order);
        }
        match B::ORDER_OF {
            OrderOf::All => order = in_parts(order, &generations, &objects.live_slots(there_slots)),
            // That of the lowest block.
            OrderOf::Cursor => order.truncate(1),
            OrderOf::Nothing | OrderOf::Vacant | OrderOf::Homes => {}
        }
        let growth = SavedGrowth {
            first_block: self.slots_per_block,
            largest_block: self.slots_per_block,
            max_blocks: max_blocks as u64,
            give_back_beyond: self.give_back_beyond,
            slots_there: there_slots as u64,
            blocks_peak: self.blocks_peak.max(there as u64),
            taken: self.taken.saturating_add((there - were_there) as u64),
            taken_by_insertions: self.taken_by_insertions,
            given_back: self.given_back,
        };
        #[rustfmt::skip]
        let slots = SavedState {
            pool: Label::of(SavedBlocks::LABEL), reuse: self.reuse,
            first, last, wraps, generations, order, inserted, refused, evicted, peak,
        };
        Ok(SavedBlocks { pool: Label::of(SavedBlocks::LABEL), growth, slots })
    }

    /// The order of blocks that did not exist, before the last one that did: the lowest slot first.
    fn append_others(
        &self,
        there: usize,
        slots_per_block: usize,
        is_in_order: impl Fn(&usize) -> bool,
        order: &mut Vec<(u32, u32)>,
    ) {
        let mut blocks = self.blocks.blocks.iter().peekable();
        for at in 0..there {
            let block = blocks.next_if(|(block, _)| *block == at);
            if block.is_some_and(|(_, block)| block.there) {
                continue;
            }
            let start = at * slots_per_block;
            let slots = (start..start + slots_per_block).filter(&is_in_order);
            order.extend(slots.map(|slot| (slot as u32, 1)));
        }
    }

    /// The number of slots of a block, and of blocks.
    fn check_limits<B: Load>(&self) -> Result<(usize, usize), Refused> {
        let Self { slots_per_block, max_blocks, .. } = *self;
        if !slots_per_block.is_power_of_two() {
            return Err(Refused::SlotsPerBlock(slots_per_block));
        }
        let slots = slots_per_block.checked_mul(max_blocks.max(1));
        if slots.is_none_or(|slots| slots > B::Handle::CAPACITY_MAX as u64) {
            return Err(Refused::TooManyBlocks { max_blocks, slots_per_block });
        }
        if self.blocks.count as u64 > max_blocks {
            return Err(Refused::BlockCount { expected: max_blocks, found: self.blocks.count });
        }
        // Both are at most what the layout can name, which is a `usize`.
        Ok((slots_per_block as usize, max_blocks as usize))
    }
}

/// The slots of an order as single ones: the live ones first, then the vacant, then the retired.
fn in_parts(order: Vec<(u32, u32)>, generations: &[u32], live: &[bool]) -> Vec<(u32, u32)> {
    let slots = || {
        let ranges = order.iter();
        ranges.flat_map(|(first, count)| *first..first + count).map(|slot| slot as usize)
    };
    let is_live = |slot: &usize| live.get(*slot).copied().unwrap_or(false);
    let is_retired = |slot: &usize| generations[*slot] == 0;
    let vacant = slots().filter(|slot| !is_live(slot) && !is_retired(slot));
    let retired = slots().filter(|slot| !is_live(slot) && is_retired(slot));
    let parts = slots().filter(is_live).chain(vacant).chain(retired);
    parts.map(|slot| (slot as u32, 1)).collect()
}
