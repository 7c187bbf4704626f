//! What snapshots, checksums and comparisons know about a pool.

use core::fmt;
use core::ops::Range;

use super::ranges::Joined;
use super::{Checksum, SnapshotError, ToChecksum};
use crate::handle::{HandleLayout, Issue, Word};
use crate::slots::{AnyCycle, GenerationCycle};

/// A pool whose state can be saved: `Pool`, `Recycler`, `PackedPool`, `VecPool`, `PackedVecPool`, `StaticPool`,
/// `HandleAllocator`, `SideTable`, `Spill` and `PolicyPool`. Sealed.
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

    /// Checks that a pool can take on the state of a snapshot of this shape.
    #[inline]
    fn check(&self, pool: &Self) -> Result<(), SnapshotError> {
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
            generation if word.is_dead() => Self::Vacant(H::from_kept_parts(index, generation)),
            generation => Self::Live(H::from_kept_parts(index, generation)),
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
    #[cfg(all(feature = "serde", feature = "alloc"))]
    use crate::slots::saved::{Checked, OrderOf};
    #[cfg(all(feature = "serde", feature = "alloc"))]
    use crate::snapshot::MigrateError;
    use crate::snapshot::SnapshotError;
    #[cfg(all(feature = "serde", feature = "alloc"))]
    use crate::snapshot::format::{Objects, Refused};

    /// The objects that were read for a pool.
    #[cfg(all(feature = "serde", feature = "alloc"))]
    pub(crate) type ObjectsFor<P> = Objects<<P as State>::Handle, <P as State>::Value>;

    /// A pool that has a saved form.
    #[cfg(all(feature = "serde", feature = "alloc"))]
    pub trait Save: State {
        /// The pool's name in the saved form.
        const NAME: &'static str;
        /// Everything except the objects.
        type Saved: serde::Serialize + serde::de::DeserializeOwned;
        /// Whether slots that were never used may be left out.
        const MAY_LEAVE_OUT: bool = false;
        /// Returns also the capacity, if some slots are left out. `list_all`: leave out none.
        fn to_saved(&self, list_all: bool) -> (Self::Saved, Option<usize>);
        /// The number of slots with a generation, which the number of objects cannot exceed.
        fn saved_slots(saved: &Self::Saved) -> usize;
        /// Builds a pool with this state, if it is valid; `capacity`: if some slots were left out.
        fn from_saved(
            saved: Self::Saved,
            capacity: Option<u64>,
            objects: ObjectsFor<Self>,
        ) -> Result<Self, Refused>;
    }

    /// A pool that can be written and read as a whole.
    #[cfg(all(feature = "serde", feature = "alloc"))]
    pub trait Written: State {
        /// `list_all`: also the slots that were never used.
        #[doc(hidden)]
        fn write<S: serde::Serializer>(
            &self,
            list_all: bool,
            serializer: S,
        ) -> Result<S::Ok, S::Error>
        where
            Self::Value: serde::Serialize;
        #[doc(hidden)]
        fn read<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error>
        where
            Self::Value: serde::Deserialize<'de>;
    }

    /// A pool whose saved slots are one list.
    #[cfg(all(feature = "serde", feature = "alloc"))]
    pub trait Load: State {
        /// The pool's name in the saved form.
        const KIND: &'static str;
        /// Whether the pool has its own generations and counts lifetimes.
        const COUNTS: bool = true;
        /// The reuse order's name, where the pool has several.
        const REUSE_NAME: &'static str;
        /// What the saved order is.
        const ORDER_OF: OrderOf;
        /// Whether slots that were never used need not be listed: they take no memory in a pool that was read.
        const MAY_LEAVE_OUT: bool = false;
        fn saved_stats(&self) -> crate::reports::stats::Stats;
        /// Builds a pool with this state. The values are sorted by slot, and are those of the live
        /// slots, or of all slots of a recycler.
        fn load(
            checked: &Checked<<Self::Handle as HandleLayout>::Word>,
            values: alloc::vec::Vec<(usize, Self::Value)>,
        ) -> Result<Self, Refused>;
    }

    /// A pool whose objects another one can take over, with the generations of its slots.
    #[cfg(all(feature = "serde", feature = "alloc"))]
    pub trait Leave: State {
        /// What [`order`](State::order) lists.
        const ORDER_OF: OrderOf;
        #[doc(hidden)]
        fn stats_left(&self) -> crate::reports::stats::Stats;
        /// Whether all slots that were used begin at the same generation.
        #[doc(hidden)]
        fn begins_alike(&self) -> bool {
            true
        }
        /// The objects in the order of their ages, the oldest first, each by its slot and generation, of a pool that keeps it.
        #[doc(hidden)]
        fn ages_left(&self) -> alloc::vec::Vec<(u32, u32)> {
            alloc::vec::Vec::new()
        }
        /// The values with their slots, in the order of the slots.
        #[doc(hidden)]
        fn leave(self) -> alloc::vec::Vec<(usize, Self::Value)>;
    }

    /// A pool that can take over the objects of another, of any kind, with the generations of its slots.
    #[cfg(all(feature = "serde", feature = "alloc"))]
    pub trait TakeOver: State {
        /// What its reuse order lists.
        const ORDER: OrderOf;
        /// Whether slots that were never used need no words to take over.
        const FRESH_COST_NOTHING: bool = false;
        /// Whether its slots can begin at another generation than those that it was built with.
        const ADAPTS_FIRST: bool = true;
        /// The slots that there are now.
        #[doc(hidden)]
        fn slots_there(&self) -> usize;
        /// The slots that there may be.
        #[doc(hidden)]
        fn slots_max(&self) -> usize {
            self.slots_there()
        }
        /// Takes on this state, of as many slots as there are, or more of a pool that grows; its own is gone. The
        /// values are those of the live slots, in the order of the slots. On an error, nothing changes.
        #[doc(hidden)]
        fn take_over(
            &mut self,
            state: &Checked<<Self::Handle as HandleLayout>::Word>,
            values: alloc::vec::Vec<(usize, Self::Value)>,
        ) -> Result<(), MigrateError>;
    }

    /// See [`State`](super::State).
    pub trait State: Sized {
        type Value;
        type Handle: HandleLayout;

        #[doc(hidden)]
        fn shape(&self) -> Shape;

        /// Checks that this pool, a snapshot's, has the shape of `other`.
        #[doc(hidden)]
        fn check_shape(&self, other: &Self) -> Result<(), SnapshotError> {
            self.shape().check(&other.shape())
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
        /// [`Word::RETIRED`](super::Word::RETIRED), also if `index` is out of range.
        #[doc(hidden)]
        fn word(&self, index: usize) -> <Self::Handle as HandleLayout>::Word;

        /// The value that is part of the state: of a live slot, or of any slot of a recycler.
        #[doc(hidden)]
        fn value(&self, index: usize) -> Option<&Self::Value>;

        /// Whether dead slots have values as well.
        #[doc(hidden)]
        const DEAD_HAVE_VALUES: bool = false;

        /// What the reuse order stores beside the words, as ranges of slots. Equal orders have
        /// equal ranges once adjacent ones are joined.
        #[doc(hidden)]
        fn order(&self) -> impl Iterator<Item = Range<usize>> + '_;

        /// The checksum of everything that the future depends on.
        #[doc(hidden)]
        fn sum(&self, add_value: &impl Fn(&Self::Value, &mut Checksum)) -> u64 {
            super::sum_of_slots(self, add_value)
        }
    }

    /// A pool that can take on the state of another.
    pub trait Restore: State {
        /// Copies the state of `other`, which has the same shape.
        #[doc(hidden)]
        fn copy_state_from(&mut self, other: &Self)
        where
            Self::Value: Copy;

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
}

/// The order of a pool, such that equal orders are equal ranges.
pub(crate) fn joined_order<P: sealed::State>(pool: &P) -> impl Iterator<Item = Range<usize>> + '_ {
    Joined::new(pool.order())
}

/// The checksum of a pool that is all one piece. The checksum of a slot includes the slot's index,
/// so that adding them up loses nothing, and the processor can compute several at once.
fn sum_of_slots<P: sealed::State>(pool: &P, add_value: &impl Fn(&P::Value, &mut Checksum)) -> u64 {
    let Shape { capacity, cycle, .. } = pool.shape();
    let mut sum = Checksum::new();
    sum.add(&(capacity, cycle.start(), cycle.last(), cycle.wraps()));
    pool.add_growth_to(&mut sum);
    pool.detached().iter().for_each(|slot| sum.add(slot));
    let fresh = <P::Handle as HandleLayout>::Word::from_generation(cycle.start()).as_dead();
    let mut slots = 0_u64;
    let with_values = if P::DEAD_HAVE_VALUES { capacity } else { pool.used() };
    for index in 0..with_values {
        let (word, value) = (pool.word(index), pool.value(index));
        if value.is_none() && word == fresh {
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
    for (position, range) in joined_order(pool).enumerate() {
        let mut part = Checksum::new();
        part.add(&(position, range.start, range.end));
        ranges = ranges.wrapping_add(part.finish());
    }
    sum.add_word(ranges);
    sum.finish()
}

/// The checksum of a pool whose values implement [`ToChecksum`].
pub(crate) fn checksum_of_values<P: sealed::State<Value: ToChecksum>>(pool: &P) -> u64 {
    pool.sum(&|value: &P::Value, sum: &mut Checksum| value.add_to(sum))
}
