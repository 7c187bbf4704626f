use std::marker::PhantomData;

use millpond::reuse::ReuseOrder;
use millpond::{HandleLayout, VecPool};

use super::pool::{detaches_and_migrates, growing, in_index_order, like_a_pool};
use super::{AnyHandle, Kind, Plan, PoolUnderTest, planned};

/// [`VecPool`] of a reuse order and a handle layout, which has no slots at first and grows to the plan's capacity.
pub(crate) struct VecKind<R, H>(PhantomData<(R, H)>);

impl<R: ReuseOrder + 'static, H: HandleLayout + AnyHandle> Kind for VecKind<R, H> {
    type Handle = H;
    type Pool<T: 'static> = VecPool<T, R, H>;

    const ALLOCATES: bool = true;
    const ORDER: Option<&'static str> = Some(R::NAME);
}

impl<T: 'static, R: ReuseOrder, H: HandleLayout + AnyHandle> PoolUnderTest<T> for VecPool<T, R, H> {
    type Handle = H;

    fn build(plan: Plan) -> Self {
        let builder = VecPool::<T>::builder().reuse(R::default()).handle::<H>();
        planned!(builder, Plan { capacity: 0, ..plan }).capacity_max(plan.capacity).build()
    }

    like_a_pool!(capacity_max, get_unchecked, get_unchecked_mut);
    in_index_order!();
    detaches_and_migrates!();
    growing!();
}
