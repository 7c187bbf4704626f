//! The saved form of a block pool.

use super::BlockPool;
use super::growth::ByBlocks;
use crate::handle::{HandleLayout, Word};
use crate::pools::pool::Pool;
use crate::slots::Core;
use crate::slots::lifetimes::Lifetimes;
use crate::slots::reuse::ReuseOrder;
use crate::snapshot::format::{CheckedBlocks, Refused, SavedBlocks, SavedGrowth, SavedState};
use crate::snapshot::state::sealed::{ObjectsFor, Save};

impl<T, R: ReuseOrder, H: HandleLayout> Save for BlockPool<T, R, H> {
    const NAME: &'static str = SavedBlocks::LABEL;
    type Saved = SavedBlocks;

    fn to_saved(&self) -> SavedBlocks {
        let sizes = self.sizes();
        let label = SavedBlocks::LABEL;
        let known = self.storage.place().known();
        SavedBlocks {
            pool: label.into(),
            growth: SavedGrowth {
                first_block: sizes.first() as u64,
                largest_block: sizes.last() as u64,
                max_blocks: self.max_blocks() as u64,
                give_back_beyond: self.growth.0.spare_blocks().map(|spare| spare as u64),
                slots_there: self.capacity() as u64,
            },
            slots: SavedState::of_slots(self, label, R::NAME, known, self.stats()),
        }
    }

    fn saved_slots(saved: &SavedBlocks) -> usize {
        saved.slots.generations.len()
    }

    fn from_saved(saved: SavedBlocks, objects: ObjectsFor<Self>) -> Result<Self, Refused> {
        let checked = saved.check::<Pool<T, R, H>>(objects)?;
        let CheckedBlocks { sizes, max_blocks, spare_blocks, slots, known } = checked;
        let (slots, values) = slots;
        let growing = ByBlocks::new(max_blocks, spare_blocks);
        let mut pool = Self::without_blocks(sizes, &Lifetimes::PLAIN, growing);
        let Self { storage, core, .. } = &mut pool;
        let there = slots.words.len();
        let all = there + known.len();
        storage
            .try_make_room(Core::<R, H>::NEEDS, all, slots.circle.start().as_dead())
            .and_then(|()| storage.try_resize(Core::<R, H>::NEEDS, there, &slots.circle))
            .map_err(|_| Refused::out_of_memory(all))?;
        storage.load(&slots.words, values, slots.inserted, slots.peak);
        storage.load_known(&known);
        core.load(&slots, storage);
        core.mark_used_until(all);
        Ok(pool)
    }
}
