use std::marker::PhantomData;

use millpond::{HandleLayout, PackedPool};

use super::pool::{detaches_and_migrates, like_a_pool};
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
    detaches_and_migrates!();

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
}
