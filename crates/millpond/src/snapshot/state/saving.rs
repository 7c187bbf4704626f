//! What saved forms and migrations know about a pool. Sealed, with [`State`].

use alloc::vec::Vec;

use super::sealed::State;
use crate::handle::HandleLayout;
use crate::reports::stats::Stats;
use crate::slots::saved::{Checked, OrderOf};
use crate::snapshot::MigrateError;
use crate::snapshot::format::{Objects, Refused};

/// The objects that were read for a pool.
pub(crate) type ObjectsFor<P> = Objects<<P as State>::Handle, <P as State>::Value>;

/// A pool that has a saved form.
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
pub trait Written: State {
    /// `list_all`: also the slots that were never used.
    #[doc(hidden)]
    fn write<S: serde::Serializer>(&self, list_all: bool, serializer: S) -> Result<S::Ok, S::Error>
    where
        Self::Value: serde::Serialize;
    #[doc(hidden)]
    fn read<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error>
    where
        Self::Value: serde::Deserialize<'de>;
}

/// A pool whose saved slots are one list.
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
    fn saved_stats(&self) -> Stats;
    /// Builds a pool with this state. The values are sorted by slot, and are those of the live
    /// slots, or of all slots of a recycler.
    fn load(
        checked: &Checked<<Self::Handle as HandleLayout>::Word>,
        values: Vec<(usize, Self::Value)>,
    ) -> Result<Self, Refused>;
}

/// A pool whose objects another one can take over, with the generations of its slots.
pub trait Leave: State {
    /// What [`order`](State::order) lists.
    const ORDER_OF: OrderOf;
    #[doc(hidden)]
    fn stats_left(&self) -> Stats;
    /// Whether all slots that were used begin at the same generation.
    #[doc(hidden)]
    fn begins_alike(&self) -> bool {
        true
    }
    /// The objects in the order of their ages, the oldest first, each by its slot and generation, of a pool that keeps it.
    #[doc(hidden)]
    fn ages_left(&self) -> Vec<(u32, u32)> {
        Vec::new()
    }
    /// The values with their slots, in the order of the slots.
    #[doc(hidden)]
    fn leave(self) -> Vec<(usize, Self::Value)>;
}

/// A pool that can take over the objects of another, of any kind, with the generations of its slots.
pub trait TakeOver: State {
    /// What its reuse order lists.
    const ORDER: OrderOf;
    /// The reuse order's name, where the pool has several.
    const REUSE: &'static str = "";
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
    /// values are those of the live slots, in the order of the slots. On an error, nothing changes. If anything panics once
    /// the pool's own values are dropped, the pool is empty, and as if never used.
    #[doc(hidden)]
    fn take_over(
        &mut self,
        state: &Checked<<Self::Handle as HandleLayout>::Word>,
        values: Vec<(usize, Self::Value)>,
    ) -> Result<(), MigrateError>;
}
