//! [`SlotPool`], of which [`Pool`](crate::Pool), [`VecPool`](crate::VecPool) and [`StaticPool`](crate::StaticPool) are
//! names.
//!
//! One concept a file: insertion, lookup, removal, iteration. The three pools differ in where their slots lie
//! ([`PoolPlace`]) and in how they get more ([`Growth`]).

#![allow(private_interfaces, private_bounds, reason = "nobody outside can name or implement them")]

mod growth;
#[cfg_attr(not(feature = "alloc"), path = "no_heap.rs")]
mod heap;
mod insert;
mod lookup;
mod remove;
#[cfg(all(feature = "serde", feature = "alloc"))]
pub(crate) mod saved;
mod snapshot;
mod traits;
mod walk;
#[cfg(all(test, loom, feature = "validate"))]
#[path = "../../../tests/sync_models/loom_walks.rs"]
mod walk_models;
#[cfg(all(test, shuttle, feature = "validate", not(loom)))]
#[path = "../../../tests/sync_models/shuttle_walks.rs"]
mod walk_schedules;

pub use growth::{CannotGrow, Fixed, Growth, PoolPlace, SlotGrowth};
pub(crate) use growth::{SlotsOf, Slotted};
pub(crate) use heap::Detached;

use core::ops::{Deref, DerefMut};

use self::heap::{DefaultOrder, DefaultPlace};
use crate::handle::{Handle, HandleLayout};
use crate::pools::methods::pool_methods;
use crate::pools::watching::watching;
use crate::reports::debug::Watch;
use crate::slots::Place;
use crate::slots::reuse::ReuseOrder;

/// The pool behind [`Pool`](crate::Pool), [`VecPool`](crate::VecPool) and [`StaticPool`](crate::StaticPool), which are
/// names of it: write these, and read here what they share.
///
/// `T` are the values; `G` says whether the pool gets more slots; `R` is the reuse order, `H` are the handles, and `P` is the
/// place where the slots lie.
///
/// The defaults are those of a `Pool`, so that a compiler's message about one has its name and its values: `SlotPool<Enemy>`
/// is a `Pool<Enemy>`, and `SlotPool<Enemy, Doubling>` a `VecPool<Enemy>`.
// In this order, because C reads a `HandleAllocator`.
#[repr(C)]
pub struct SlotPool<
    T,
    G = Fixed,
    R: ReuseOrder = DefaultOrder,
    H: HandleLayout = Handle<T>,
    P: Place = DefaultPlace<R>,
> {
    pub(crate) storage: Resolved<Slotted<T, R, H::Erased, P>>,
    pub(super) growth: G,
    /// Slots that have retired for all others, while their objects are out of the pool.
    pub(super) detached: Detached,
}

/// What is in it, by way of a type parameter: so the compiler works out `H::Erased` before it asks which types the destructor
/// of the storage names, all of which must outlive the pool. The label of its handles need not.
#[repr(transparent)]
pub(crate) struct Resolved<S>(S);

impl<S> Deref for Resolved<S> {
    type Target = S;

    #[inline(always)]
    fn deref(&self) -> &S {
        &self.0
    }
}

impl<S> DerefMut for Resolved<S> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut S {
        &mut self.0
    }
}

impl<T, R: ReuseOrder, H: HandleLayout, P: Place, G> SlotPool<T, G, R, H, P> {
    pub(super) const fn of_parts(storage: Slotted<T, R, H::Erased, P>, growth: G) -> Self {
        Self { storage: Resolved(storage), growth, detached: Detached::NONE }
    }
}

impl<T, R: ReuseOrder, H: HandleLayout, P: PoolPlace<R, H>, G: Growth<T, R, H::Erased, P>>
    SlotPool<T, G, R, H, P>
{
    /// Returns the number of slots that there are: live, free and retired.
    #[inline]
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.storage.words().slots()
    }

    /// Returns the number of live slots.
    ///
    /// ```
    /// # use millpond::*; let mut pool = Pool::new(8);
    /// pool.insert('a').unwrap();
    /// assert_eq!(pool.len(), 1);
    /// ```
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.storage.words().live()
    }

    /// Returns whether no slot is live.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the pool's counters: slots by state, the peak, insertions, refusals and
    /// evictions. O(1).
    #[must_use]
    pub fn stats(&self) -> crate::reports::stats::Stats {
        self.storage.slots().stats()
    }

    /// Returns the bitmap of live slots.
    #[inline]
    #[must_use]
    pub fn occupancy(&self) -> crate::occupancy::Occupancy<'_> {
        self.storage.words().occupancy()
    }

    /// Returns whether an insertion would fail because each slot is live or retired, and there can be no more slots. (A
    /// pool that grows may also lack memory.)
    #[inline]
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.storage.slots().is_full() && self.growth.usable_beyond(self.storage.slots()) == 0
    }
}

pool_methods! {
    [T, R: ReuseOrder, H: HandleLayout, P: PoolPlace<R, H>, G: Growth<T, R, H::Erased, P>] SlotPool<T, G, R, H, P>, T, H,
    example: "Pool",
    ledger: |pool| pool.storage.slots().ledger(),
    recorder: |pool| pool.storage.slots_mut(),
}

#[cfg(feature = "validate")]
impl<T, R: ReuseOrder, H: HandleLayout, P: PoolPlace<R, H>, G: Growth<T, R, H::Erased, P>>
    SlotPool<T, G, R, H, P>
{
    /// Checks every invariant; see [`validate`](crate::validate). O(capacity).
    ///
    /// # Errors
    ///
    /// The first invariant that does not hold.
    pub fn validate(&self) -> Result<(), crate::reports::validate::Violation> {
        self.growth.validate(self.storage.slots())?;
        let slots_max = self.growth.slots_max(self.storage.slots());
        self.storage.slots().validate(slots_max, self.detached.as_slice())
    }
}

/// What a pool does for its debug aids.
impl<T, R: ReuseOrder, H: HandleLayout, P: PoolPlace<R, H>, G: Growth<T, R, H::Erased, P>>
    SlotPool<T, G, R, H, P>
{
    /// What watches over the slots, if any aid is enabled.
    pub(crate) fn watched(&self) -> Option<&Watch> {
        self.storage.watched()
    }

    /// Inspects the slot that comes next, if there is one.
    #[track_caller]
    #[inline]
    pub(in crate::pools) fn inspect_next(&mut self) {
        if cfg!(feature = "debug-aids") && self.storage.watched().is_some() {
            if let Some(handle) = self.storage.slots_mut().peek() {
                self.storage.inspect(handle.index() as usize);
            }
        }
    }
}

watching! {
    [T, R: ReuseOrder, H: HandleLayout, P: PoolPlace<R, H>, G: Growth<T, R, H::Erased, P>] SlotPool<T, G, R, H, P>, H
}
