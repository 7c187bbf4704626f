//! The operations of a soak on any pool.

use millpond::Stats;

/// A pool of numbered objects under test, or its substitute.
pub(super) trait Subject {
    type Handle: Copy + PartialEq + std::fmt::Debug;

    /// Whether [`retain`](Self::retain) does anything.
    const RETAINS: bool = true;
    /// Whether the pool reports that a slot has no next lifetime.
    const EXHAUSTION_SHOWS: bool = true;
    /// Whether handles from before a [`clear`](Self::clear) may be issued again, by design.
    const CLEAR_FORGETS: bool = false;

    /// Inserts an object with this number; `None` if no slot is left.
    fn insert(&mut self, number: u64) -> Option<Self::Handle>;
    /// Inserts with exactly this handle; `false` if that is refused.
    fn insert_at(&mut self, handle: Self::Handle, number: u64) -> bool;
    /// Removes an object and returns its number; `Err` if the object was overwritten.
    fn remove(&mut self, handle: Self::Handle) -> Option<Result<u64, WrittenOver>>;
    /// The number of an object; `Err` if the object was overwritten.
    fn number(&self, handle: Self::Handle) -> Option<Result<u64, WrittenOver>>;
    /// Removes all objects except those whose number passes.
    fn retain(&mut self, _keep: impl FnMut(u64) -> bool) {}
    /// Removes all objects.
    fn clear(&mut self);
    /// Passes every live object to `see`, with its number unless it was overwritten.
    fn visit(&self, see: impl FnMut(Self::Handle, Option<u64>));

    /// The slot that a handle names.
    fn slot(handle: Self::Handle) -> usize;
    /// The handle of the slot's next lifetime, if its layout has one.
    fn next_lifetime(handle: Self::Handle) -> Option<Self::Handle>;

    fn live(&self) -> usize;
    fn retired(&self) -> usize;
    /// The pool's own counters.
    fn stats(&self) -> Option<Stats> {
        None
    }
    /// Checks the pool's invariants.
    fn validate(&self) -> Result<(), String>;
}

/// An object is not as it was inserted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WrittenOver;
