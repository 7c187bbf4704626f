//! What snapshots, checksums and comparisons know about a pool.

use core::fmt;
use core::ops::Range;

use super::ranges::joined;
use super::{Checksum, SnapshotError};
use crate::handle::{self, HandleLayout, Word};
use crate::reports::stats::Stats;
use crate::slots::reuse::OrderOf;
use crate::slots::{AnyCycle, GenerationCycle};

/// A pool whose state can be saved: `Pool`, `Recycler`, `PackedPool`, `VecPool`, `PackedVecPool`, `StaticPool`,
/// `HandleAllocator`, `SideTable`, `SyncSnapshot`, and `Spill` and `PolicyPool` of the crate `millpond-overflow`. Sealed.
pub trait State: Sized {
    /// The type of the pool's values.
    type Value;
    /// The handle type.
    type Handle: HandleLayout;

    /// What another pool must have in common with this one to take on its state.
    #[doc(hidden)]
    fn shape(&self) -> Shape;

    /// Checks that this pool, a snapshot's, has the shape of `other`.
    #[doc(hidden)]
    fn check_shape(&self, other: &Self) -> Result<(), SnapshotError> {
        self.shape().check(&other.shape())
    }

    /// Panics if this pool has other slots than `other`, whose state it is about to take on. Whoever snapshots has compared the
    /// shapes; but other code can call what takes it on as well, and pools rely on as many slots. (Lifetimes of another cycle are
    /// wrong, and no more than that.)
    #[doc(hidden)]
    fn expect_slots_of(&self, other: &Self) {
        if let Err(error @ SnapshotError::OtherCapacity { .. }) = other.check_shape(self) {
            panic!("{error}");
        }
    }

    /// The pool as part of a snapshot: dropping it reports nothing.
    #[doc(hidden)]
    fn into_past(self) -> Self {
        self
    }

    /// Adds what else the future depends on: the rules by which the pool grows and shrinks, and how far it has.
    #[doc(hidden)]
    fn add_growth_to(&self, _sum: &mut Checksum) {}

    /// The slots that count as retired while their objects are out of the pool, with their generations.
    #[doc(hidden)]
    fn detached(&self) -> &[(u32, u32)] {
        &[]
    }

    /// Slots from here on were never used: their words are those of a new pool, and so is their
    /// order.
    #[doc(hidden)]
    fn used(&self) -> usize;

    /// The first slot from `index` on that may have been used, below [`used`](Self::used): a
    /// pool made of two has a gap between them.
    #[doc(hidden)]
    fn after_gap(&self, index: usize) -> usize {
        index
    }

    /// The slot's generation, or its next one marked dead, or
    /// [`Word::RETIRED`], also if `index` is out of range.
    #[doc(hidden)]
    fn word(&self, index: usize) -> <Self::Handle as HandleLayout>::Word;

    /// The value that is part of the state: of a live slot, or of any slot of a recycler.
    #[doc(hidden)]
    fn value(&self, index: usize) -> Option<&Self::Value>;

    /// Whether dead slots have values as well.
    #[doc(hidden)]
    const DEAD_HAVE_VALUES: bool = false;

    /// The counters, as a file has them, and the number of slots that there are now.
    #[doc(hidden)]
    fn counted(&self) -> Stats;

    /// What [`order`](Self::order) lists.
    #[doc(hidden)]
    const ORDER_OF: OrderOf;

    /// What the reuse order stores beside the words, as ranges of slots. Equal orders have
    /// equal ranges once adjacent ones are joined.
    #[doc(hidden)]
    fn order(&self) -> impl Iterator<Item = Range<usize>> + '_;

    /// The checksum of everything that the future depends on.
    #[doc(hidden)]
    fn sum(&self, add_value: &impl Fn(&Self::Value, &mut Checksum)) -> u64 {
        let mut sum = self.shape().sum();
        self.add_growth_to(&mut sum);
        self.detached().iter().for_each(|slot| sum.add(slot));
        let slots = if Self::DEAD_HAVE_VALUES { self.shape().capacity } else { self.used() };
        let slots = (0..slots).map(|index| (self.word(index), self.value(index)));
        self.shape().sum_of_slots(sum, slots, self.order(), add_value)
    }

    /// Copies the state of `other`, which has the same shape.
    #[doc(hidden)]
    fn copy_state_from(&mut self, other: &Self)
    where
        Self::Value: Copy,
    {
        self.clone_state_from(other);
    }

    /// Copies the state of `other` by cloning its values. If a clone or a drop panics, the pool must be
    /// [emptied](Self::empty).
    #[doc(hidden)]
    fn clone_state_from(&mut self, other: &Self)
    where
        Self::Value: Clone;

    /// Empties a pool that a panic left half-way between two states.
    #[doc(hidden)]
    fn empty(&mut self);
}

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

    /// A checksum of the shape, to which more is added.
    pub(crate) fn sum(&self) -> Checksum {
        let Self { capacity, cycle, .. } = self;
        let mut sum = Checksum::new();
        // The same number on machines of 32 bits.
        let slots = if *capacity == Self::GROWS { u64::MAX } else { *capacity as u64 };
        sum.add(&(slots, cycle.start(), cycle.last(), cycle.wraps()));
        sum
    }

    /// The checksum of slots that are all one piece, after what `sum` has of them: their words and values, and their order.
    /// The checksum of a slot includes the slot's index, so that adding them up loses nothing, and the processor can
    /// compute several at once.
    pub(crate) fn sum_of_slots<'a, W: Word, V: 'a>(
        &self,
        mut sum: Checksum,
        slots: impl Iterator<Item = (W, Option<&'a V>)>,
        order: impl Iterator<Item = Range<usize>>,
        add_value: &impl Fn(&V, &mut Checksum),
    ) -> u64 {
        let unused = W::from_generation(self.cycle.start()).as_dead();
        let mut all = 0_u64;
        for (index, (word, value)) in slots.enumerate() {
            if value.is_none() && word == unused {
                continue; // as if never used
            }
            let mut slot = Checksum::new();
            slot.add_word((index as u64) << 32 | u64::from(word.generation()));
            if let Some(value) = value {
                slot.add_word(1 + u64::from(word.is_dead()));
                add_value(value, &mut slot);
            }
            all = all.wrapping_add(slot.finish());
        }
        sum.add_word(all);
        let mut ranges = 0_u64;
        for (position, range) in joined(order).enumerate() {
            let mut part = Checksum::new();
            part.add(&(position, range.start, range.end));
            ranges = ranges.wrapping_add(part.finish());
        }
        sum.add_word(ranges);
        sum.finish()
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
