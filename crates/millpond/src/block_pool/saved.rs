//! The saved form of a block pool.

use alloc::vec::Vec;

use super::{Block, BlockPool, Room, Table};
use crate::handle::{HandleLayout, Word};
use crate::pool::{KeptWords, Pool};
use crate::reuse::ReuseOrder;
use crate::snapshot::format::{
    CheckedBlock, Counters, Label, Objects, Refused, SavedBlock, SavedBlocks, serde_of_pool,
};
use crate::snapshot::state::sealed::{Save, State};
use crate::tap::Tap;

impl<T, R: ReuseOrder, H: HandleLayout> Save for BlockPool<T, R, H> {
    const NAME: &'static str = "BlockPool";
    type Saved = SavedBlocks;

    fn to_saved(&self) -> SavedBlocks {
        let (shape, stats, growth) = (self.shape(), self.stats(), self.growth_stats());
        SavedBlocks {
            pool: Label::of(Self::NAME),
            reuse: Label::of(R::NAME),
            first: shape.first,
            last: shape.last,
            wraps: shape.wraps,
            slots_per_block: self.slots_per_block() as u64,
            max_blocks: self.max_blocks as u64,
            give_back_beyond: self.spare_blocks.map(|spare| spare as u64),
            blocks: self.blocks.iter().map(saved_block).collect(),
            inserted: stats.inserted,
            refused: stats.refused,
            evicted: stats.evicted,
            peak: stats.peak as u64,
            blocks_peak: growth.blocks_peak as u64,
            taken: growth.taken,
            taken_by_insertions: growth.taken_by_insertions,
            given_back: growth.given_back,
        }
    }

    fn saved_slots(saved: &SavedBlocks) -> usize {
        saved.slots()
    }

    fn from_saved(saved: SavedBlocks, objects: Objects<Self>) -> Result<Self, Refused> {
        let checked = saved.check::<Self, Pool<T, R, H>>(Self::NAME, objects)?;
        let blocks: Result<Vec<_>, _> = checked.blocks.into_iter().map(block).collect();
        let Counters { inserted, refused, evicted, peak } = checked.counters;
        let mut pool = Self {
            blocks: blocks?,
            table: Table::new(checked.slots_per_block),
            room: Room::new(),
            shift: checked.slots_per_block.trailing_zeros(),
            births: inserted,
            deaths: inserted - checked.live as u64,
            peak_before_removal: peak as usize,
            spare_blocks: checked.spare_blocks,
            max_blocks: checked.max_blocks,
            addresses: Vec::new(),
            circle: checked.circle,
            name: None,
            on_growth: None,
            ledger: super::growth::Ledger::default(),
            refused,
            evicted,
            #[cfg(feature = "debug-aids")]
            aids: crate::debug::DebugAids::none(),
            tap: Tap::NONE,
        };
        let capacity = checked.growth.blocks << pool.shift;
        pool.load_growth(checked.growth).map_err(|_| Refused::OutOfMemory(capacity))?;
        Ok(pool)
    }

    fn taking_over_clones() -> fn(&mut Self, &Self)
    where
        T: Clone,
    {
        Self::clone_state_from
    }
}

fn saved_block<T, R: ReuseOrder, H: HandleLayout>(block: &Block<T, R, H>) -> Option<SavedBlock> {
    match block {
        Block::Unused => None,
        Block::Taken(pool) => Some(SavedBlock::taken(pool)),
        Block::GivenBack(words) => {
            let word = |index| words.word(index).unwrap_or(H::Word::RETIRED);
            let generations = (0..words.slots()).map(|index| word(index).generation()).collect();
            Some(SavedBlock::given_back(generations, words.inserted_and_peak()))
        }
    }
}

fn block<T, R: ReuseOrder, H: HandleLayout>(
    checked: CheckedBlock<Pool<T, R, H>>,
) -> Result<Block<T, R, H>, Refused> {
    Ok(match checked {
        CheckedBlock::Unused => Block::Unused,
        CheckedBlock::Taken(pool) => Block::Taken(pool),
        CheckedBlock::GivenBack(words) => Block::GivenBack(KeptWords::load(&words)?),
    })
}

serde_of_pool!(BlockPool<T, R, H>, [T, R: ReuseOrder, H: HandleLayout], values T);
