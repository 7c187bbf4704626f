use std::marker::PhantomData;

use millpond::reuse::{ReuseOrder, Roster};
use millpond::{HandleLayout, StaticPool};

use super::pool::{detaches_and_migrates, in_index_order, like_a_pool};
use super::{AnyHandle, Kind, Plan, PoolUnderTest};

/// [`StaticPool`] of a capacity and a handle layout.
pub(crate) struct StaticKind<const N: usize, H>(PhantomData<H>);

impl<const N: usize, H: HandleLayout + AnyHandle> Kind for StaticKind<N, H> {
    type Handle = H;
    type Pool<T: 'static> = StaticPool<T, N, H>;

    const CAPACITY: Option<usize> = Some(N);
    const ORDER: Option<&'static str> = Some(Roster::NAME);
    const AIDED: bool = false;
}

impl<T: 'static, const N: usize, H: HandleLayout + AnyHandle> PoolUnderTest<T>
    for StaticPool<T, N, H>
{
    type Handle = H;

    fn build(plan: Plan) -> Self {
        let mut builder = StaticPool::<T, N>::builder().handle::<H>();
        if let Some(lifetimes) = plan.lifetimes {
            builder = builder.lifetimes(lifetimes);
        }
        if let Some(name) = plan.name {
            builder = builder.name(name);
        }
        if plan.wraps { builder.wrap().build() } else { builder.build() }
    }

    like_a_pool!(capacity, get_unchecked, get_unchecked_mut);
    in_index_order!();
    detaches_and_migrates!();
}
