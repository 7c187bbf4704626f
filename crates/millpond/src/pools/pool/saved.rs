//! A pool that is read.

use crate::handle::HandleLayout;
use crate::pools::pool::OneBlock;
use crate::pools::slot_pool::{Fixed, FromState, Unused};
use crate::pools::unused::slots_to_load;
use crate::slots::reuse::ReuseOrder;
use crate::slots::saved::Checked;
use crate::snapshot::format::Refused;
use crate::values::{PoolStorage, Storage};

impl<T, R: ReuseOrder, L: HandleLayout> FromState<T, R, L, OneBlock<R, L>> for Fixed {
    const KIND: &'static str = "Pool";

    fn unused(state: &Checked<L::Word>) -> Result<Unused<T, R, L, OneBlock<R, L>, Self>, Refused> {
        let slots = slots_to_load(state, PoolStorage::<T, R, L>::VALUE)?;
        Ok((Storage::of_unused(slots), Fixed))
    }
}
