//! The saved form of a pool that grows in one piece.

use super::VecPool;
use crate::handle::HandleLayout;
use crate::pools::pool::Pool;
use crate::slots::lifetimes::Lifetimes;
use crate::slots::reuse::ReuseOrder;
use crate::snapshot::format::{CheckedVecPool, Refused, SavedState, SavedVecPool};
use crate::snapshot::state::sealed::{ObjectsFor, Save};

impl<T, R: ReuseOrder, H: HandleLayout> Save for VecPool<T, R, H> {
    const NAME: &'static str = "VecPool";
    type Saved = SavedVecPool;

    fn to_saved(&self) -> SavedVecPool {
        let known = self.capacity() + self.growth.former().len();
        SavedVecPool {
            capacity_max: self.capacity_max() as u64,
            slots_there: self.capacity() as u64,
            slots: SavedState::of_slots(self, Self::NAME, R::NAME, known, self.stats()),
        }
    }

    fn saved_slots(saved: &SavedVecPool) -> usize {
        saved.slots.generations.len()
    }

    fn from_saved(saved: SavedVecPool, objects: ObjectsFor<Self>) -> Result<Self, Refused> {
        let checked = saved.check::<Pool<T, R, H>>(Self::NAME, objects)?;
        let CheckedVecPool { capacity_max, slots, former } = checked;
        let (slots, values) = slots;
        let mut pool = Self::without_slots(&Lifetimes::PLAIN, capacity_max);
        let Self { storage, core, growth, .. } = &mut pool;
        let there = slots.words.len();
        growth
            .grow(there, storage, core, false)
            .and_then(|()| growth.set_former(&former))
            .map_err(|_| Refused::out_of_memory(there))?;
        storage.load(&slots.words, values, slots.inserted, slots.peak);
        core.load(&slots, storage.slots_mut());
        storage.mark_used_until(there + former.len());
        Ok(pool)
    }
}
