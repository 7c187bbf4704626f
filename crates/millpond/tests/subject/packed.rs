use std::marker::PhantomData;

use millpond::reuse::{ReuseOrder, Roster};
use millpond::{HandleLayout, PackedPool, PackedVecPool};

use super::pool::{detaches_and_migrates, growing, like_a_pool};
use super::{AnyHandle, Kind, Plan, PoolUnderTest, planned};

/// [`PackedPool`] of a handle layout.
pub(crate) struct PackedKind<H>(PhantomData<H>);

impl<H: HandleLayout + AnyHandle> Kind for PackedKind<H> {
    type Handle = H;
    type Pool<T: 'static> = PackedPool<T, H>;

    const ORDER: Option<&'static str> = Some(Roster::NAME);
}

/// [`PackedVecPool`] of a handle layout, which has no slots at first and grows to the plan's capacity.
pub(crate) struct PackedVecKind<H>(PhantomData<H>);

impl<H: HandleLayout + AnyHandle> Kind for PackedVecKind<H> {
    type Handle = H;
    type Pool<T: 'static> = PackedVecPool<T, H>;

    const ALLOCATES: bool = true;
    const ORDER: Option<&'static str> = Some(Roster::NAME);
}

/// What both have beyond other pools.
macro_rules! one_slice {
    () => {
        fn lend_runs(&mut self, lend: &mut dyn FnMut(&mut T)) -> bool {
            self.as_mut_slice().iter_mut().for_each(lend);
            true
        }

        fn sort(&mut self, way: u8, rank: &mut dyn FnMut(&T) -> u64) -> bool {
            match way {
                0 => self.sort_by(|a, b| rank(a).cmp(&rank(b))),
                1 => self.sort_by_key(rank),
                2 => self.sort_unstable_by(|a, b| rank(a).cmp(&rank(b))),
                _ if self.len() < 2 => return false,
                _ => self.swap_positions(0, self.len() - 1),
            }
            true
        }
    };
}

impl<T: 'static, H: HandleLayout + AnyHandle> PoolUnderTest<T> for PackedPool<T, H> {
    type Handle = H;

    fn build(plan: Plan) -> Self {
        planned!(PackedPool::<T>::builder().handle::<H>(), plan).build()
    }

    like_a_pool!(capacity);
    detaches_and_migrates!();
    one_slice!();
}

impl<T: 'static, H: HandleLayout + AnyHandle> PoolUnderTest<T> for PackedVecPool<T, H> {
    type Handle = H;

    fn build(plan: Plan) -> Self {
        let builder = PackedVecPool::<T>::builder().handle::<H>();
        planned!(builder, Plan { capacity: 0, ..plan }).capacity_max(plan.capacity).build()
    }

    like_a_pool!(capacity_max);
    detaches_and_migrates!();
    one_slice!();
    growing!();
}
