//! The saved form of a pool made of blocks.
//!
//! There are two forms, which the label distinguishes. The current one has one list of slots, like
//! other pools, and how the pool grows. The former has a list for each block; they are joined when
//! they are read.

use alloc::vec::Vec;
use core::fmt;

use ::serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use ::serde::de::{
    self, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess, Visitor,
};
use ::serde::{Deserialize, Serialize};

use super::super::state::sealed::{Load, ObjectsFor, State};
use super::checks::{self, CheckedPool, Refused, Rules, agree};
use super::former_blocks::FormerBlocks;
use super::state::{Label, SavedState};
use crate::handle::HandleLayout;
use crate::reports::stats::GrowthStats;
use crate::slots::BlockSizes;

/// The state of a pool of blocks.
#[derive(Debug, Serialize)]
#[doc(hidden)]
pub struct SavedBlocks {
    pub(crate) pool: Label,
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
    pub(crate) blocks_peak: u64,
    pub(crate) taken: u64,
    pub(crate) taken_by_insertions: u64,
    pub(crate) given_back: u64,
}

/// The current form, as it is read: all except its label.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Present {
    pool: Label,
    growth: SavedGrowth,
    slots: SavedState,
}

/// Either form, as it was read.
#[derive(Debug)]
#[doc(hidden)]
pub enum ReadBlocks {
    Present(SavedBlocks),
    Former(FormerBlocks),
}

impl SavedBlocks {
    /// The label of the current form.
    pub(crate) const LABEL: &'static str = "BlockPool/2";
    /// The label of the former form.
    pub(crate) const FORMER_LABEL: &'static str = "BlockPool";
    /// The fields of the former form, which are more than the current one's.
    const FIELDS: &'static [&'static str] = &[
        "pool",
        "growth",
        "slots",
        "reuse",
        "first",
        "last",
        "wraps",
        "slots_per_block",
        "max_blocks",
        "give_back_beyond",
        "blocks",
        "inserted",
        "refused",
        "evicted",
        "peak",
        "blocks_peak",
        "taken",
        "taken_by_insertions",
        "given_back",
    ];
}

impl<'de> Deserialize<'de> for ReadBlocks {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_struct("SavedBlocks", SavedBlocks::FIELDS, BlocksVisitor)
    }
}

struct BlocksVisitor;

impl<'de> Visitor<'de> for BlocksVisitor {
    type Value = ReadBlocks;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the state of a pool of blocks")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut fields: A) -> Result<ReadBlocks, A::Error> {
        let label = fields.next_element()?.ok_or_else(|| de::Error::invalid_length(0, &self))?;
        read(label, |label| SeqAccessDeserializer::new(Again { key: None, label, rest: fields }))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<ReadBlocks, A::Error> {
        let key: Label = fields.next_key()?.ok_or_else(|| de::Error::missing_field("pool"))?;
        // The keys may come in any order: those of the current form differ from the former's.
        let label = match key.as_str() {
            "pool" => fields.next_value()?,
            "growth" | "slots" => {
                let rest = Again { key: Some(key), label: None, rest: fields };
                return Present::deserialize(MapAccessDeserializer::new(rest))?.into_read();
            }
            _ => {
                let rest = Again { key: Some(key), label: None, rest: fields };
                let former = FormerBlocks::deserialize(MapAccessDeserializer::new(rest))?;
                return Ok(ReadBlocks::Former(former));
            }
        };
        read(label, |label| {
            MapAccessDeserializer::new(Again { key: Some(key), label, rest: fields })
        })
    }
}

/// Reads the form with this label, which is also the first field.
fn read<'de, D: Deserializer<'de>>(
    label: Label,
    fields: impl FnOnce(Option<Label>) -> D,
) -> Result<ReadBlocks, D::Error> {
    if label.as_str() == SavedBlocks::LABEL {
        Present::deserialize(fields(Some(label)))?.into_read()
    } else {
        FormerBlocks::deserialize(fields(Some(label))).map(ReadBlocks::Former)
    }
}

impl Present {
    fn into_read<E: de::Error>(self) -> Result<ReadBlocks, E> {
        let Self { pool, growth, slots } = self;
        Ok(ReadBlocks::Present(SavedBlocks { pool, growth, slots }))
    }
}

/// Fields whose first one, or its key, was already read and is replayed.
struct Again<A> {
    key: Option<Label>,
    label: Option<Label>,
    rest: A,
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Again<A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        match self.label.take() {
            Some(label) => seed.deserialize(label.as_str().into_deserializer()).map(Some),
            None => self.rest.next_element_seed(seed),
        }
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Again<A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        match self.key.take() {
            Some(key) => seed.deserialize(key.as_str().into_deserializer()).map(Some),
            None => self.rest.next_key_seed(seed),
        }
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        match self.label.take() {
            Some(label) => seed.deserialize(label.as_str().into_deserializer()),
            None => self.rest.next_value_seed(seed),
        }
    }
}

/// All of it, checked.
pub(crate) struct CheckedBlocks<B: State> {
    pub(crate) sizes: BlockSizes,
    pub(crate) max_blocks: usize,
    pub(crate) spare_blocks: Option<usize>,
    pub(crate) growth: GrowthStats,
    /// The slots that exist.
    pub(crate) slots: CheckedPool<B::Handle, B::Value>,
    /// The words of those that existed.
    pub(crate) known: Vec<<B::Handle as HandleLayout>::Word>,
}

impl ReadBlocks {
    /// The number of slots with a generation.
    pub(crate) fn slots(&self) -> usize {
        match self {
            Self::Present(saved) => saved.slots.generations.len(),
            Self::Former(former) => former.slots(),
        }
    }

    /// Checks all. `B` is a pool whose slots are saved as those of the block pool are.
    pub(crate) fn check<B: Load>(
        self,
        objects: ObjectsFor<B>,
    ) -> Result<CheckedBlocks<B>, Refused> {
        match self {
            Self::Present(saved) => saved.check(objects),
            Self::Former(former) => {
                let kind = SavedBlocks::FORMER_LABEL;
                checks::check_labels(&former.pool, kind, &former.reuse, B::REUSE_NAME)?;
                former.joined::<B>(&objects)?.check(objects)
            }
        }
    }
}

impl SavedBlocks {
    fn check<B: Load>(self, objects: ObjectsFor<B>) -> Result<CheckedBlocks<B>, Refused> {
        let Self { pool, growth, mut slots } = self;
        checks::check_labels(&pool, Self::LABEL, &slots.reuse, B::REUSE_NAME)?;
        let rules = Rules::of::<B>();
        let circle = checks::check_circle(
            rules,
            slots.first,
            slots.last,
            slots.wraps,
            B::Handle::LIFETIMES_MAX,
        )?;
        let (sizes, max_blocks) = growth.check_sizes::<B>()?;
        let known = slots.generations.len();
        let there = usize::try_from(growth.slots_there).ok().filter(|there| *there <= known);
        let blocks = there.map(|there| sizes.blocks_within(there));
        let of_whole_blocks = |blocks: &usize| sizes.start_of(*blocks) == there;
        let (Some(there), Some(blocks)) = (there, blocks.filter(of_whole_blocks)) else {
            return Err(Refused::SlotsThere(growth.slots_there));
        };
        let capacity_max = sizes.start_of(max_blocks).unwrap_or(usize::MAX);
        if known > capacity_max {
            return Err(Refused::TooManySlots(known));
        }
        let beyond = slots.generations.split_off(there);
        let known = checks::check_generations::<B::Handle>(rules, &beyond, &circle)?;
        let slots = checks::check_slots(&slots, circle, objects, rules, capacity_max)?;
        let stats = growth.stats(blocks);
        check_growth(&stats, max_blocks)?;
        let spare_blocks =
            growth.give_back_beyond.map(|spare| usize::try_from(spare).unwrap_or(usize::MAX));
        Ok(CheckedBlocks { sizes, max_blocks, spare_blocks, growth: stats, slots, known })
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
            return Err(Refused::BlockSizes { first: first_block, last: largest_block });
        };
        let within = sizes.blocks_within(B::Handle::CAPACITY_MAX);
        match size(max_blocks).filter(|blocks| *blocks <= within) {
            Some(max_blocks) => Ok((sizes, max_blocks)),
            None => Err(Refused::TooManyBlocks { max_blocks, slots_per_block: first_block }),
        }
    }

    fn stats(&self, blocks: usize) -> GrowthStats {
        GrowthStats {
            blocks,
            // Not more than the pool may have.
            blocks_peak: usize::try_from(self.blocks_peak).unwrap_or(usize::MAX),
            taken: self.taken,
            taken_by_insertions: self.taken_by_insertions,
            given_back: self.given_back,
        }
    }
}

fn check_growth(growth: &GrowthStats, max_blocks: usize) -> Result<(), Refused> {
    let GrowthStats { blocks, blocks_peak, taken, taken_by_insertions, given_back } = *growth;
    agree(taken.max(taken_by_insertions) < 1 << 62, "a count is 2^62 or more")?;
    let there = taken.checked_sub(given_back);
    agree(there == Some(blocks as u64), "the blocks are not those taken and not given back")?;
    agree(blocks <= blocks_peak, "the peak of blocks is less than what is there")?;
    agree(blocks_peak <= max_blocks, "the peak of blocks is more than the limit")
}
