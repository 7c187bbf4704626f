//! Snapshots of a pool whose policy is chosen at run time.

use core::ops::Range;

use millpond::__parts::{OrderOf, Shape};
use millpond::reuse::ReuseOrder;
use millpond::snapshot::{Checksum, SnapshotError, State};
use millpond::{HandleLayout, Pool, Stats};

use super::PolicyPool;

impl<T, R: ReuseOrder, H: HandleLayout> State for PolicyPool<T, R, H> {
    type Value = T;
    type Handle = H;
    const ORDER_OF: OrderOf = <Pool<T, R, H> as State>::ORDER_OF;

    fn shape(&self) -> Shape {
        self.pools.shape()
    }

    fn check_shape(&self, other: &Self) -> Result<(), SnapshotError> {
        if self.policy != other.policy {
            return Err(SnapshotError::OtherPolicy);
        }
        self.pools.check_shape(&other.pools)
    }

    fn into_past(self) -> Self {
        Self { pools: self.pools.into_past(), ..self }
    }

    fn used(&self) -> usize {
        self.pools.used()
    }

    fn word(&self, index: usize) -> H::Word {
        self.pools.word(index)
    }

    fn value(&self, index: usize) -> Option<&T> {
        self.pools.value(index)
    }

    fn counted(&self) -> Stats {
        self.stats()
    }

    fn order(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.pools.order()
    }

    /// Includes the order of the live objects by age, if the policy uses it.
    fn sum(&self, add_value: &impl Fn(&T, &mut Checksum)) -> u64 {
        let mut sum = Checksum::new();
        sum.add_word(self.pools.sum(add_value));
        let listed = self.ages.iter().flat_map(|ages| ages.listed());
        for handle in listed.filter(|handle| self.pools.contains(*handle)) {
            sum.add(&handle.index());
        }
        sum.finish()
    }

    fn copy_state_from(&mut self, other: &Self)
    where
        T: Copy,
    {
        self.pools.copy_state_from(&other.pools);
        self.copy_ages_from(other);
    }

    fn clone_state_from(&mut self, other: &Self)
    where
        T: Clone,
    {
        self.pools.clone_state_from(&other.pools);
        self.copy_ages_from(other);
    }

    fn empty(&mut self) {
        self.pools.empty();
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> PolicyPool<T, R, H> {
    fn copy_ages_from(&mut self, other: &Self) {
        if let (Some(ages), Some(others)) = (&mut self.ages, &other.ages) {
            ages.clone_from(others);
        }
    }
}
