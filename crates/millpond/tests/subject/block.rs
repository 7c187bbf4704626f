use std::marker::PhantomData;

use millpond::block_pool::BlockPoolBuilder;
use millpond::reuse::ReuseOrder;
use millpond::{BlockPool, HandleLayout};

use super::pool::{growing, lends_runs, like_a_pool};
use super::{AnyHandle, Kind, Plan, PoolUnderTest, aided};

/// [`BlockPool`] of a reuse order and a handle layout, in blocks as small as will show their borders, all
/// of them taken at the beginning.
pub(crate) struct BlockKind<R, H>(PhantomData<(R, H)>);

impl<R: ReuseOrder + 'static, H: HandleLayout + AnyHandle> Kind for BlockKind<R, H> {
    type Handle = H;
    type Pool<T: 'static> = BlockPool<T, R, H>;

    const ORDER: Option<&'static str> = Some(R::NAME);
}

/// [`BlockPool`] that takes its blocks as it needs them, and gives all but one of the empty ones back.
pub(crate) struct GrowingKind<R, H>(PhantomData<(R, H)>);

impl<R: ReuseOrder + 'static, H: HandleLayout + AnyHandle> Kind for GrowingKind<R, H> {
    type Handle = H;
    type Pool<T: 'static> = BlockPool<T, R, H>;

    const ALLOCATES: bool = true;
    const ORDER: Option<&'static str> = Some(R::NAME);

    fn build<T: 'static>(plan: Plan) -> Self::Pool<T> {
        builder(plan).give_back_beyond(1).build()
    }
}

const SLOTS_PER_BLOCK_MAX: usize = 4;

fn builder<T, R: ReuseOrder, H: HandleLayout>(plan: Plan) -> BlockPoolBuilder<T, R, H> {
    let slots_per_block = 1 << plan.capacity.trailing_zeros().min(SLOTS_PER_BLOCK_MAX.ilog2());
    let mut builder = aided!(BlockPool::<T>::builder(), plan)
        .reuse(R::default())
        .handle::<H>()
        .slots_per_block(slots_per_block)
        .max_blocks(plan.capacity / slots_per_block);
    if let Some(lifetimes) = plan.lifetimes {
        builder = builder.lifetimes(lifetimes);
    }
    if let Some(name) = plan.name {
        builder = builder.name(name);
    }
    if plan.wraps { builder.wrap() } else { builder }
}

impl<T: 'static, R: ReuseOrder, H: HandleLayout + AnyHandle> PoolUnderTest<T>
    for BlockPool<T, R, H>
{
    type Handle = H;

    fn build(plan: Plan) -> Self {
        builder(plan).reserve(plan.capacity).build()
    }

    like_a_pool!(capacity_max, get_unchecked, get_unchecked_mut);
    growing!();
    lends_runs!();

    fn drain_back(&mut self) -> Option<impl ExactSizeIterator<Item = (H, T)>> {
        Some(self.drain().rev())
    }

    /// The runs of a block pool end with their blocks; here those that go on in the next are joined.
    fn runs(&self) -> Option<Vec<(usize, Vec<&T>)>> {
        let mut joined: Vec<(usize, Vec<&T>)> = Vec::new();
        for (first, run) in self.runs() {
            match joined.last_mut() {
                Some((start, values)) if *start + values.len() == first => values.extend(run),
                _ => joined.push((first, run.iter().collect())),
            }
        }
        Some(joined)
    }
}
