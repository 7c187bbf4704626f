//! Snapshots of two pools that look like one.

use core::ops::Range;

use millpond::__parts::{OrderOf, Shape};
use millpond::overflow::{Bounded, Lifetimes};
use millpond::snapshot::{Checksum, SnapshotError, State};
use millpond::{HandleLayout, Stats};

use super::Spill;

pub(super) type ValueOf<P> = <P as Bounded>::Value;
pub(super) type HandleOf<P> = <P as Lifetimes>::Handle;

impl<A, B> State for Spill<A, B>
where
    A: Bounded + State<Value = ValueOf<A>, Handle = HandleOf<A>>,
    B: Bounded<Value = ValueOf<A>, Handle = HandleOf<A>>,
    B: State<Value = ValueOf<A>, Handle = HandleOf<A>>,
{
    type Value = ValueOf<A>;
    type Handle = HandleOf<A>;
    const ORDER_OF: OrderOf = A::ORDER_OF;

    /// That of the first pool, with the slots of both: see [`check_shape`](Self::check_shape).
    fn shape(&self) -> Shape {
        let capacity = self.first.capacity_max() + self.second.capacity_max();
        self.first.shape().of_whole(capacity)
    }

    fn check_shape(&self, other: &Self) -> Result<(), SnapshotError> {
        self.first.check_shape(&other.first)?;
        self.second.check_shape(&other.second)
    }

    fn into_past(self) -> Self {
        Self { first: self.first.into_past(), second: self.second.into_past() }
    }

    fn used(&self) -> usize {
        match self.second.used() {
            0 => self.first.used(),
            used => self.first.capacity_max() + used,
        }
    }

    fn after_gap(&self, index: usize) -> usize {
        let second = self.first.capacity_max();
        if (self.first.used()..second).contains(&index) { second } else { index }
    }

    fn word(&self, index: usize) -> <HandleOf<A> as HandleLayout>::Word {
        match index.checked_sub(self.first.capacity_max()) {
            Some(inner) => self.second.word(inner),
            None => self.first.word(index),
        }
    }

    fn value(&self, index: usize) -> Option<&ValueOf<A>> {
        match index.checked_sub(self.first.capacity_max()) {
            Some(inner) => self.second.value(inner),
            None => self.first.value(index),
        }
    }

    fn counted(&self) -> Stats {
        Lifetimes::stats(self)
    }

    fn order(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let offset = self.first.capacity_max();
        let of_second = move |range: Range<usize>| range.start + offset..range.end + offset;
        self.first.order().chain(self.second.order().map(of_second))
    }

    fn sum(&self, add_value: &impl Fn(&ValueOf<A>, &mut Checksum)) -> u64 {
        let mut sum = Checksum::new();
        sum.add(&(self.first.sum(add_value), self.second.sum(add_value)));
        sum.finish()
    }

    fn copy_state_from(&mut self, other: &Self)
    where
        ValueOf<A>: Copy,
    {
        self.first.copy_state_from(&other.first);
        self.second.copy_state_from(&other.second);
    }

    fn clone_state_from(&mut self, other: &Self)
    where
        ValueOf<A>: Clone,
    {
        self.first.clone_state_from(&other.first);
        self.second.clone_state_from(&other.second);
    }

    fn empty(&mut self) {
        self.first.empty();
        self.second.empty();
    }
}
