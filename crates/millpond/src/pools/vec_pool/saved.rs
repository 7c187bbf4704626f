//! The saved form of a pool that grows in one piece.

use super::VecPool;
use crate::handle::HandleLayout;
use crate::pools::pool::Pool;
use crate::slots::generation_settings::GenerationSettings;
use crate::slots::reuse::ReuseOrder;
use crate::snapshot::format::{CheckedVecPool, Refused, SavedState, SavedVecPool};
use crate::snapshot::state::sealed::{ObjectsFor, Save};

impl<T, R: ReuseOrder, H: HandleLayout> Save for VecPool<T, R, H> {
    const NAME: &'static str = "VecPool";
    type Saved = SavedVecPool;

    fn to_saved(&self, _list_all: bool) -> (SavedVecPool, Option<usize>) {
        let known = self.capacity() + self.growth.former().len();
        let saved = SavedVecPool {
            capacity_max: self.capacity_max() as u64,
            slots_there: self.capacity() as u64,
            slots: SavedState::of_slots(self, Self::NAME, R::NAME, known, self.stats()),
        };
        (saved, None)
    }

    fn saved_slots(saved: &SavedVecPool) -> usize {
        saved.slots.generations.len()
    }

    fn from_saved(
        saved: SavedVecPool,
        _capacity: Option<u64>,
        objects: ObjectsFor<Self>,
    ) -> Result<Self, Refused> {
        let checked = saved.check::<Pool<T, R, H>>(Self::NAME, objects)?;
        let CheckedVecPool { capacity_max, slots, former } = checked;
        let (slots, values) = slots;
        let mut pool = Self::without_slots(&GenerationSettings::PLAIN, capacity_max);
        let Self { storage, growth, .. } = &mut pool;
        let there = slots.words.len();
        growth
            .grow(there, storage, false)
            .and_then(|()| growth.set_former(&former))
            .map_err(|_| Refused::out_of_memory(there))?;
        storage.load(&slots.words, values, slots.inserted, slots.peak);
        // First, because the order finds its fresh slots by it.
        storage.mark_used_until(there + former.len());
        storage.slots_mut().load(&slots);
        Ok(pool)
    }
}

#[cfg(all(test, feature = "validate"))]
mod tests {
    use crate::{Handle, VecPool};

    #[test]
    fn slots_that_were_used_and_are_no_more_count_before_the_order_is_loaded() {
        let mut pool = VecPool::new();
        pool.push(0);
        pool.push(1);
        let far = pool.insert_at(Handle::from_parts(9, 1).unwrap(), 9).unwrap();
        pool.remove(far);
        pool.insert_at(Handle::from_parts(2, 1).unwrap(), 2).unwrap();
        assert_eq!((pool.shrink_to_fit(), pool.capacity(), pool.stats().peak), (7, 3, 3));
        let saved = serde_json::to_string(&pool).unwrap();
        let mut loaded: VecPool<i32> = serde_json::from_str(&saved).unwrap();
        loaded.validate().unwrap();
        for value in 3..20 {
            assert_eq!(loaded.push(value), pool.push(value));
            loaded.validate().unwrap();
        }
    }
}
