//! What snapshots, checksums and comparisons know about a pool.

use core::fmt;
use core::ops::Range;

use super::ranges::joined;
use super::{Checksum, SnapshotError};
use crate::handle::{self, HandleLayout, Word};
use crate::slots::{AnyCycle, GenerationCycle};

/// A pool whose state can be saved: `Pool`, `Recycler`, `PackedPool`, `VecPool`, `PackedVecPool`, `StaticPool`,
/// `HandleAllocator`, `SideTable`, and `Spill` and `PolicyPool` of the crate `millpond-overflow`. Sealed.
pub trait State: Sized + sealed::Restore {}

impl<P: sealed::Restore> State for P {}

/// What two pools must have in common for one to take on the state of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct Shape {
    /// [`GROWS`](Self::GROWS) if it depends on the pool's contents.
    pub(crate) capacity: usize,
    /// The capacity that it may have.
    pub(crate) capacity_max: usize,
    pub(crate) cycle: AnyCycle,
}

impl Shape {
    /// The capacity of a table that has as many slots as it needs.
    pub(crate) const GROWS: usize = usize::MAX;

    pub(crate) fn new<H: HandleLayout>(capacity: usize, cycle: &GenerationCycle<H>) -> Self {
        Self { capacity, capacity_max: capacity, cycle: cycle.with_layout() }
    }

    /// The shape of a whole of so many slots, whose first part has this shape.
    #[must_use]
    pub fn of_whole(self, capacity: usize) -> Self {
        Self { capacity, capacity_max: capacity, ..self }
    }

    /// Checks that a pool can take on the state of a snapshot of this shape.
    #[inline]
    pub(crate) fn check(&self, pool: &Self) -> Result<(), SnapshotError> {
        if self == pool {
            Ok(())
        } else if (self.capacity, self.capacity_max) != (pool.capacity, pool.capacity_max) {
            let (pool, snapshot) = (pool.capacity_max, self.capacity_max);
            Err(SnapshotError::OtherCapacity { pool, snapshot })
        } else {
            Err(SnapshotError::OtherLifetimes)
        }
    }
}

/// The state of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SlotState<H> {
    /// The slot holds the object that this handle names.
    Live(H),
    /// The slot is free, and this handle is the next one issued for it.
    Vacant(H),
    /// The slot is dead and never reused, or it is a side table's slot that never had a value.
    Retired,
}

impl<H: HandleLayout> SlotState<H> {
    pub(crate) fn of(index: usize, word: H::Word) -> Self {
        match word.as_live() {
            generation if generation == H::Word::ZERO => Self::Retired,
            generation if word.is_dead() => Self::Vacant(handle::kept::<H>(index, generation)),
            generation => Self::Live(handle::kept::<H>(index, generation)),
        }
    }
}

impl<H: fmt::Display> fmt::Display for SlotState<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SlotState::Live(handle) => write!(f, "{handle} is live"),
            SlotState::Vacant(handle) => write!(f, "is dead, {handle} comes next"),
            SlotState::Retired => f.write_str("has retired"),
        }
    }
}

pub(crate) mod sealed {
    use super::{Checksum, HandleLayout, Range, Shape};
    use crate::reports::stats::Stats;
    use crate::slots::reuse::OrderOf;
    use crate::snapshot::SnapshotError;

    /// See [`State`](super::State).
    #[doc(hidden)]
    pub trait State: Sized {
        type Value;
        type Handle: HandleLayout;

        fn shape(&self) -> Shape;

        /// Checks that this pool, a snapshot's, has the shape of `other`.
        fn check_shape(&self, other: &Self) -> Result<(), SnapshotError> {
            self.shape().check(&other.shape())
        }

        /// The pool as part of a snapshot: dropping it reports nothing.
        fn into_past(self) -> Self {
            self
        }

        /// Adds what else the future depends on: the rules by which the pool grows and shrinks, and how far it has.
        fn add_growth_to(&self, _sum: &mut Checksum) {}

        /// The slots that count as retired while their objects are out of the pool, with their generations.
        fn detached(&self) -> &[(u32, u32)] {
            &[]
        }

        /// Slots from here on were never used: their words are those of a new pool, and so is their
        /// order.
        fn used(&self) -> usize;

        /// The first slot from `index` on that may have been used, below [`used`](Self::used): a
        /// pool made of two has a gap between them.
        fn after_gap(&self, index: usize) -> usize {
            index
        }

        /// The slot's generation, or its next one marked dead, or
        /// [`Word::RETIRED`](super::Word::RETIRED), also if `index` is out of range.
        fn word(&self, index: usize) -> <Self::Handle as HandleLayout>::Word;

        /// The value that is part of the state: of a live slot, or of any slot of a recycler.
        fn value(&self, index: usize) -> Option<&Self::Value>;

        /// Whether dead slots have values as well.
        const DEAD_HAVE_VALUES: bool = false;

        /// The counters, as a file has them.
        fn counted(&self) -> Stats;

        /// What [`order`](Self::order) lists.
        const ORDER_OF: OrderOf;

        /// What the reuse order stores beside the words, as ranges of slots. Equal orders have
        /// equal ranges once adjacent ones are joined.
        fn order(&self) -> impl Iterator<Item = Range<usize>> + '_;

        /// The checksum of everything that the future depends on.
        fn sum(&self, add_value: &impl Fn(&Self::Value, &mut Checksum)) -> u64 {
            super::sum_of_slots(self, add_value)
        }
    }

    /// A pool that can take on the state of another.
    #[doc(hidden)]
    pub trait Restore: State {
        /// Copies the state of `other`, which has the same shape.
        fn copy_state_from(&mut self, other: &Self)
        where
            Self::Value: Copy;

        /// Copies the state of `other` by cloning its values. If a clone or a drop panics, the pool must be
        /// [emptied](Self::empty).
        fn clone_state_from(&mut self, other: &Self)
        where
            Self::Value: Clone;

        /// Empties a pool that a panic left half-way between two states.
        fn empty(&mut self);
    }
}

/// The checksum of a pool that is all one piece. The checksum of a slot includes the slot's index,
/// so that adding them up loses nothing, and the processor can compute several at once.
fn sum_of_slots<P: sealed::State>(pool: &P, add_value: &impl Fn(&P::Value, &mut Checksum)) -> u64 {
    let Shape { capacity, cycle, .. } = pool.shape();
    let mut sum = Checksum::new();
    // The same number on machines of 32 bits.
    let slots = if capacity == Shape::GROWS { u64::MAX } else { capacity as u64 };
    sum.add(&(slots, cycle.start(), cycle.last(), cycle.wraps()));
    pool.add_growth_to(&mut sum);
    pool.detached().iter().for_each(|slot| sum.add(slot));
    let unused = <P::Handle as HandleLayout>::Word::from_generation(cycle.start()).as_dead();
    let mut slots = 0_u64;
    let with_values = if P::DEAD_HAVE_VALUES { capacity } else { pool.used() };
    for index in 0..with_values {
        let (word, value) = (pool.word(index), pool.value(index));
        if value.is_none() && word == unused {
            continue; // as if never used
        }
        let mut slot = Checksum::new();
        slot.add_word((index as u64) << 32 | u64::from(word.generation()));
        if let Some(value) = value {
            slot.add_word(1 + u64::from(word.is_dead()));
            add_value(value, &mut slot);
        }
        slots = slots.wrapping_add(slot.finish());
    }
    sum.add_word(slots);
    let mut ranges = 0_u64;
    for (position, range) in joined(pool.order()).enumerate() {
        let mut part = Checksum::new();
        part.add(&(position, range.start, range.end));
        ranges = ranges.wrapping_add(part.finish());
    }
    sum.add_word(ranges);
    sum.finish()
}
