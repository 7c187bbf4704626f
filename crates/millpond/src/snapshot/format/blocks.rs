//! The saved form of a pool made of blocks.
//!
//! It has one list of slots, like other pools, and how the pool grows.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use ::serde::{Deserialize, Serialize};

use super::super::state::sealed::{Load, ObjectsFor, State};
use super::checks::{self, CheckedPool};
use super::read::Refused;
use super::state::SavedState;
use crate::handle::HandleLayout;
use crate::slots::BlockSizes;

/// The state of a pool of blocks.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[doc(hidden)]
pub struct SavedBlocks {
    pub(crate) pool: String,
    pub(crate) growth: SavedGrowth,
    /// The slots that exist or existed.
    pub(crate) slots: SavedState,
}

/// How a pool grows, and how far it has.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SavedGrowth {
    pub(crate) first_block: u64,
    pub(crate) largest_block: u64,
    pub(crate) max_blocks: u64,
    pub(crate) give_back_beyond: Option<u64>,
    /// The number of slots that exist: the first ones.
    pub(crate) slots_there: u64,
}

/// All of it, checked.
pub(crate) struct CheckedBlocks<B: State> {
    pub(crate) sizes: BlockSizes,
    pub(crate) max_blocks: usize,
    pub(crate) spare_blocks: Option<usize>,
    /// The slots that exist.
    pub(crate) slots: CheckedPool<B::Handle, B::Value>,
    /// The words of those that existed.
    pub(crate) known: Vec<<B::Handle as HandleLayout>::Word>,
}

impl SavedBlocks {
    pub(crate) const LABEL: &'static str = "BlockPool";

    pub(crate) fn check<B: Load>(
        self,
        objects: ObjectsFor<B>,
    ) -> Result<CheckedBlocks<B>, Refused> {
        let Self { pool, growth, slots } = self;
        checks::check_labels(&pool, Self::LABEL, &slots.reuse, B::REUSE_NAME)?;
        let (sizes, max_blocks) = growth.check_sizes::<B>()?;
        let known = slots.generations.len();
        let there = usize::try_from(growth.slots_there).ok().filter(|there| *there <= known);
        let of_whole_blocks =
            |there: &usize| sizes.start_of(sizes.blocks_within(*there)) == Some(*there);
        let Some(there) = there.filter(of_whole_blocks) else {
            return Err(Refused::new(format!(
                "{} slots exist, expected those of whole blocks, each with its generation",
                growth.slots_there
            )));
        };
        let capacity_max = sizes.start_of(max_blocks).unwrap_or(usize::MAX);
        let (slots, known) = checks::check_growing::<B>(slots, there, capacity_max, objects)?;
        let spare_blocks =
            growth.give_back_beyond.map(|spare| usize::try_from(spare).unwrap_or(usize::MAX));
        Ok(CheckedBlocks { sizes, max_blocks, spare_blocks, slots, known })
    }
}

impl SavedGrowth {
    fn check_sizes<B: State>(&self) -> Result<(BlockSizes, usize), Refused> {
        let Self { first_block, largest_block, max_blocks, .. } = *self;
        let size = |size: u64| usize::try_from(size).ok();
        let sizes = match (size(first_block), size(largest_block)) {
            (Some(first), Some(last)) => BlockSizes::new(first, last),
            _ => None,
        };
        let Some(sizes) = sizes else {
            return Err(Refused::new(format!(
                "blocks of {first_block} to {largest_block} slots, expected powers of two that ascend"
            )));
        };
        let within = sizes.blocks_within(B::Handle::CAPACITY_MAX);
        match size(max_blocks).filter(|blocks| *blocks <= within) {
            Some(max_blocks) => Ok((sizes, max_blocks)),
            None => Err(Refused::new(format!(
                "{max_blocks} blocks of {first_block} slots are more than the handle layout can name"
            ))),
        }
    }
}
