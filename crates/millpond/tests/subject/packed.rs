use std::marker::PhantomData;

use millpond::{HandleLayout, PackedPool};

use super::pool::like_a_pool;
use super::{AnyHandle, Kind, Plan, PoolUnderTest};

/// [`PackedPool`] of a handle layout.
pub(crate) struct PackedKind<H>(PhantomData<H>);

impl<H: HandleLayout + AnyHandle> Kind for PackedKind<H> {
    type Handle = H;
    type Pool<T: 'static> = PackedPool<T, H>;
}

impl<T: 'static, H: HandleLayout + AnyHandle> PoolUnderTest<T> for PackedPool<T, H> {
    type Handle = H;

    fn build(plan: Plan) -> Self {
        super::planned!(PackedPool::<T>::builder().handle::<H>(), plan).build()
    }

    like_a_pool!(capacity);
}
