//! What is saved of a pool made of blocks.

use alloc::boxed::Box;
use alloc::vec::{IntoIter, Vec};
use core::iter::Peekable;

use ::serde::{Deserialize, Serialize};

use super::super::state::sealed::{Load, State};
use super::checks::{self, Checked, CheckedPool, Counters, Refused, ValueOf, WordOf, agree};
use super::objects::Objects;
use super::read_list;
use super::state::{Label, OrderOf, SavedState};
use crate::block_pool::GrowthStats;
use crate::handle::{HandleLayout, Issue};
use crate::slots::Circle;

/// The state of a pool of blocks.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[doc(hidden)]
pub struct SavedBlocks {
    pub(crate) pool: Label,
    pub(crate) reuse: Label,
    pub(crate) first: u32,
    pub(crate) last: u32,
    pub(crate) wraps: bool,
    pub(crate) slots_per_block: u64,
    pub(crate) max_blocks: u64,
    pub(crate) give_back_beyond: Option<u64>,
    #[serde(deserialize_with = "read_list")]
    pub(crate) blocks: Vec<Option<SavedBlock>>,
    pub(crate) inserted: u64,
    pub(crate) refused: u64,
    pub(crate) evicted: u64,
    pub(crate) peak: u64,
    pub(crate) blocks_peak: u64,
    pub(crate) taken: u64,
    pub(crate) taken_by_insertions: u64,
    pub(crate) given_back: u64,
}

/// A block that is there, or was.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SavedBlock {
    there: bool,
    #[serde(deserialize_with = "read_list")]
    generations: Vec<u32>,
    #[serde(deserialize_with = "read_list")]
    order: Vec<(u32, u32)>,
    inserted: u64,
    peak: u64,
}

impl SavedBlock {
    /// One that is there.
    pub(crate) fn taken<B: Load>(pool: &B) -> Self {
        let SavedState { generations, order, inserted, peak, .. } = SavedState::of(pool);
        Self { there: true, generations, order, inserted, peak }
    }

    /// One that was given back.
    pub(crate) fn given_back(generations: Vec<u32>, (inserted, peak): (u64, usize)) -> Self {
        Self { there: false, generations, order: Vec::new(), inserted, peak: peak as u64 }
    }
}

/// All of it but the values and the slots, checked.
pub(crate) struct CheckedBlocks<B: State> {
    pub(crate) circle: Circle<WordOf<B>>,
    /// A power of two.
    pub(crate) slots_per_block: usize,
    pub(crate) max_blocks: usize,
    pub(crate) spare_blocks: Option<usize>,
    pub(crate) blocks: Vec<CheckedBlock<B>>,
    pub(crate) live: usize,
    pub(crate) counters: Counters,
    pub(crate) growth: GrowthStats,
}

/// A block, its objects in it.
pub(crate) enum CheckedBlock<B: State> {
    Unused,
    Taken(B),
    GivenBack(Checked<WordOf<B>>),
}

impl SavedBlocks {
    /// How many slots there are generations of.
    pub(crate) fn slots(&self) -> usize {
        self.blocks.iter().flatten().map(|block| block.generations.len()).sum()
    }

    /// Checks all, and makes the blocks' pools, which are `B`.
    pub(crate) fn check<P, B>(
        self,
        kind: &'static str,
        objects: Objects<P>,
    ) -> Result<CheckedBlocks<B>, Refused>
    where
        P: State,
        B: Load<Value = P::Value, Handle = P::Handle>,
    {
        checks::check_labels(&self.pool, kind, &self.reuse, B::reuse_name())?;
        let circle = checks::check_circle::<B>(self.first, self.last, self.wraps)?;
        let (slots_per_block, max_blocks) = self.check_limits::<B>()?;
        let saved_blocks = self.blocks.len();
        let mut blocks = Vec::new();
        let no_memory = |_| Refused::OutOfMemory(saved_blocks * slots_per_block);
        blocks.try_reserve_exact(saved_blocks).map_err(no_memory)?;
        let mut objects = Sorted::new(objects)?;
        let (mut live, mut there) = (0, 0);
        let lifetimes = (self.first, self.last, self.wraps);
        for (at, block) in self.blocks.into_iter().enumerate() {
            let of_block = objects.of_block(at as u64 * slots_per_block as u64, slots_per_block);
            let is_there = block.as_ref().is_some_and(|block| block.there);
            if let (false, Some(slot)) = (is_there, of_block.lowest) {
                return Err(Refused::BlockNotThere { slot, block: at as u64 });
            }
            live += of_block.count;
            there += usize::from(is_there);
            let checked = match block {
                None => Ok(CheckedBlock::Unused),
                Some(block) => block.check(lifetimes, slots_per_block, of_block.objects),
            };
            blocks.push(checked.map_err(|reason| Refused::InBlock(at, Box::new(reason)))?);
        }
        if let Some(slot) = objects.lowest() {
            let block = slot / slots_per_block as u64;
            return Err(match block < max_blocks as u64 {
                true => Refused::BlockNotThere { slot, block },
                false => Refused::NoSuchSlot(slot),
            });
        }
        let Self { inserted, refused, evicted, peak, .. } = self;
        let counters = Counters { inserted, refused, evicted, peak };
        counters.check(live, max_blocks * slots_per_block)?;
        let growth = GrowthStats {
            blocks: there,
            // Not more than the pool may have.
            blocks_peak: usize::try_from(self.blocks_peak).unwrap_or(usize::MAX),
            taken: self.taken,
            taken_by_insertions: self.taken_by_insertions,
            given_back: self.given_back,
        };
        check_growth(&growth, max_blocks)?;
        let spare_blocks =
            self.give_back_beyond.map(|spare| usize::try_from(spare).unwrap_or(usize::MAX));
        Ok(CheckedBlocks {
            circle,
            slots_per_block,
            max_blocks,
            spare_blocks,
            blocks,
            live,
            counters,
            growth,
        })
    }

    /// The number of slots of a block, and of blocks.
    fn check_limits<B: State>(&self) -> Result<(usize, usize), Refused> {
        let Self { slots_per_block, max_blocks, .. } = *self;
        if !slots_per_block.is_power_of_two() {
            return Err(Refused::SlotsPerBlock(slots_per_block));
        }
        let slots = slots_per_block.saturating_mul(max_blocks.max(1));
        if slots > B::Handle::CAPACITY_MAX as u64 {
            return Err(Refused::TooManyBlocks { max_blocks, slots_per_block });
        }
        if self.blocks.len() as u64 > max_blocks {
            return Err(Refused::BlockCount { expected: max_blocks, found: self.blocks.len() });
        }
        // Both are at most what the layout can name, which is a `usize`.
        Ok((slots_per_block as usize, max_blocks as usize))
    }
}

fn check_growth(growth: &GrowthStats, max_blocks: usize) -> Result<(), Refused> {
    let GrowthStats { blocks, blocks_peak, taken, taken_by_insertions, given_back } = *growth;
    agree(taken.max(taken_by_insertions) < 1 << 62, "a count is absurdly large")?;
    let there = taken.checked_sub(given_back);
    agree(there == Some(blocks as u64), "the blocks are not those taken and not given back")?;
    agree(blocks <= blocks_peak, "the peak of blocks is less than what is there")?;
    agree(blocks_peak <= max_blocks, "the peak of blocks is more than the limit")
}

impl SavedBlock {
    fn check<B: Load>(
        self,
        (first, last, wraps): (u32, u32, bool),
        slots_per_block: usize,
        objects: Objects<B>,
    ) -> Result<CheckedBlock<B>, Refused> {
        let Self { there, generations, order, inserted, peak } = self;
        let found = generations.len();
        if found != slots_per_block {
            return Err(Refused::BlockLength { expected: slots_per_block, found });
        }
        let (pool, reuse) = (Label::of(B::KIND), Label::of(B::reuse_name()));
        // The whole pool counts these.
        let (refused, evicted) = (0, 0);
        #[rustfmt::skip]
        let state = SavedState {
            pool, reuse, first, last, wraps, generations, order, inserted, refused, evicted, peak,
        };
        let order_of = if there { B::order_of() } else { OrderOf::Nothing };
        let (checked, values): CheckedPool<B> = checks::check_slots(&state, objects, order_of)?;
        Ok(match there {
            true => CheckedBlock::Taken(B::load(&checked, values)?),
            false => CheckedBlock::GivenBack(checked),
        })
    }
}

/// The slot in the whole pool, the handle if there was one, the value.
type Placed<P> = (u64, Option<<P as State>::Handle>, ValueOf<P>);

/// The objects by ascending slot, to be dealt out to the blocks.
struct Sorted<P: State> {
    /// Whether they had handles.
    are_named: bool,
    objects: Peekable<IntoIter<Placed<P>>>,
}

/// Those of a block, whose slots count from the block's first.
struct OfBlock<B: State> {
    objects: Objects<B>,
    count: usize,
    /// In the whole pool.
    lowest: Option<u64>,
}

impl<P: State> Sorted<P> {
    fn new(objects: Objects<P>) -> Result<Self, Refused> {
        let (are_named, mut sorted) = match objects {
            Objects::Named(named) => {
                // Only of recyclers are there any without a handle.
                let placed = named.into_iter().filter_map(|(handle, value)| {
                    Some((u64::from(handle?.index()), handle, value))
                });
                (true, placed.collect::<Vec<_>>())
            }
            Objects::Counted { mut live, values } => {
                let expected = live.iter().map(|(_, count)| u64::from(*count)).sum::<u64>();
                let found = values.len();
                if expected != found as u64 {
                    let expected = usize::try_from(expected).unwrap_or(usize::MAX);
                    return Err(Refused::ObjectCount { expected, found });
                }
                live.sort_unstable();
                let slots = live.into_iter().flat_map(|(first, count)| {
                    u64::from(first)..u64::from(first) + u64::from(count)
                });
                (false, slots.zip(values).map(|(slot, value)| (slot, None, value)).collect())
            }
        };
        sorted.sort_by_key(|(slot, ..)| *slot);
        Ok(Self { are_named, objects: sorted.into_iter().peekable() })
    }

    fn lowest(&mut self) -> Option<u64> {
        self.objects.peek().map(|(slot, ..)| *slot)
    }

    /// Those of the next block.
    fn of_block<B>(&mut self, first: u64, slots: usize) -> OfBlock<B>
    where
        B: State<Value = P::Value, Handle = P::Handle>,
    {
        let end = first + slots as u64;
        let lowest = self.lowest().filter(|slot| *slot < end);
        let (mut named, mut live, mut values) = (Vec::new(), Vec::new(), Vec::new());
        while let Some((slot, handle, value)) = self.objects.next_if(|(slot, ..)| *slot < end) {
            let slot = slot - first;
            match handle {
                Some(handle) => {
                    let inner = P::Handle::from_kept_parts(slot as usize, handle.word());
                    named.push((Some(inner), value));
                }
                None => {
                    live.push((slot as u32, 1));
                    values.push(value);
                }
            }
        }
        let count = named.len() + values.len();
        let objects = match self.are_named {
            true => Objects::Named(named),
            false => Objects::Counted { live, values },
        };
        OfBlock { objects, count, lowest }
    }
}
