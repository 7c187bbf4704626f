//! A pool that grows in one piece, and is read.

use crate::handle::HandleLayout;
use crate::pools::doubling::Doubling;
use crate::pools::pool::OneBlock;
use crate::pools::slot_pool::saved::{FromState, Unused};
use crate::slots::Ledger;
use crate::slots::generation_settings::GenerationSettings;
use crate::slots::reuse::ReuseOrder;
use crate::slots::saved::Checked;
use crate::snapshot::format::Refused;
use crate::values::Storage;

impl<T, R: ReuseOrder, L: HandleLayout> FromState<T, R, L, OneBlock<R, L>> for Doubling<L::Word> {
    const KIND: &'static str = "VecPool";
    const GROWS: bool = true;

    fn unused(state: &Checked<L::Word>) -> Result<Unused<T, R, L, OneBlock<R, L>, Self>, Refused> {
        let ledger = Ledger::fresh(&GenerationSettings::PLAIN);
        let storage = Storage::empty(state.cycle.start(), ledger);
        Ok((storage, Doubling::up_to(state.slots_max)))
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
