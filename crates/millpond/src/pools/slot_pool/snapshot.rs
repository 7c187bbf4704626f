//! Snapshots.

use core::ops::Range;

use super::{Growth, PoolPlace, SlotPool};
use crate::base::guard::half_way;
use crate::handle::{HandleLayout, Word};
use crate::reports::errors::PoolName;
use crate::reports::stats::Stats;
use crate::slots::reuse::{OrderOf, Queue, ReuseOrder};
use crate::snapshot::methods::snapshots;
use crate::snapshot::state::Shape;
use crate::snapshot::{Checksum, State};

snapshots! {
    [T, R: ReuseOrder, H: HandleLayout, P: PoolPlace<R, H>, G: Growth<T, R, H::Erased, P>]
    SlotPool<T, G, R, H, P>, values T, "pool", "Pools",
    like " (that of a [`StaticPool`](crate::StaticPool) is inline)"
}

impl<T, R: ReuseOrder, H: HandleLayout, P: PoolPlace<R, H>, G: Growth<T, R, H::Erased, P>> State
    for SlotPool<T, G, R, H, P>
{
    type Value = T;
    type Handle = H;
    const ORDER_OF: OrderOf = <R::Queue<H::Index> as Queue<H::Index>>::ORDER_OF;

    /// Pools of the same limit have the same shape, however far they have grown.
    fn shape(&self) -> Shape {
        Shape::new(
            self.growth.slots_max(self.storage.slots()),
            &self.storage.slots().ledger().cycle(),
        )
    }

    fn add_growth_to(&self, sum: &mut Checksum) {
        if G::GROWS {
            sum.add(&self.capacity());
        }
    }

    fn detached(&self) -> &[(u32, u32)] {
        self.detached.as_slice()
    }

    fn into_past(mut self) -> Self {
        self.storage.watch(None);
        self
    }

    fn used(&self) -> usize {
        match self.growth.known(self.storage.slots()) {
            known if known > self.capacity() => known,
            _ => self.storage.words().used(),
        }
    }

    #[inline]
    fn word(&self, index: usize) -> H::Word {
        self.growth.word_of(index, self.storage.slots()).unwrap_or(H::Word::RETIRED)
    }

    #[inline]
    fn value(&self, index: usize) -> Option<&T> {
        self.storage.get(index)
    }

    fn counted(&self) -> Stats {
        self.stats()
    }

    fn order(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.storage.slots().order()
    }

    fn copy_state_from(&mut self, other: &Self)
    where
        T: Copy,
    {
        self.become_like(other, |own, other, used| {
            own.storage.copy_state_from(&other.storage, used);
        });
    }

    fn clone_state_from(&mut self, other: &Self)
    where
        T: Clone,
    {
        self.become_like(other, |own, other, used| {
            // If a clone panics, a slot may have retired as in the other pool: then it is out in its lifetime there.
            let Self { storage, detached, .. } = own;
            let is_own =
                |slot| storage.words().get(slot).is_some_and(|word| word != H::Word::RETIRED);
            detached.add_from(&other.detached, is_own);
            storage.clone_state_from(&other.storage, used);
        });
    }

    fn empty(&mut self) {
        let known = self.growth.known(self.storage.slots());
        self.storage.recount(known);
        // Some words are the other pool's, and the list has slots of both.
        let words = self.storage.words();
        self.detached.retain(|slot| words.get(slot) == Some(H::Word::RETIRED));
        self.storage.clear();
    }
}

impl<T, R: ReuseOrder, H: HandleLayout, P: PoolPlace<R, H>, G: Growth<T, R, H::Erased, P>>
    SlotPool<T, G, R, H, P>
{
    /// Gives this pool as many slots as `other` has, because what comes next depends on it, and its state.
    fn become_like(&mut self, other: &Self, copy_values: impl FnOnce(&mut Self, &Self, usize)) {
        self.expect_slots_of(other);
        // If the numbers of slots differ, the order's data is of no use.
        let used = match self.capacity() == other.capacity() {
            true => self.storage.words().used().max(other.storage.words().used()),
            false => other.capacity(),
        };
        if self.growth.become_like(&mut self.storage, &other.growth, &other.storage).is_err() {
            panic!("no memory for the slots of {}", PoolName(self.name()));
        }
        half_way();
        copy_values(self, other, used);
        half_way();
        self.storage.slots_mut().copy_order_from(other.storage.slots(), used);
        self.detached.clone_from(&other.detached);
    }
}
