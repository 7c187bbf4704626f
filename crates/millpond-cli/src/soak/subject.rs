//! What a soak does to a pool, whatever pool it is.

use millpond::Stats;

/// A pool of numbered objects under test, or what stands in for one.
pub(super) trait Subject {
    type Handle: Copy + PartialEq + std::fmt::Debug;

    /// Whether [`retain`](Self::retain) does something.
    const RETAINS: bool = true;
    /// Whether the pool says when a slot has no next lifetime left.
    const EXHAUSTION_SHOWS: bool = true;
    /// Whether handles of before a [`clear`](Self::clear) may come again, by design.
    const CLEAR_FORGETS: bool = false;

    /// Inserts an object of this number; `None` if no slot is left.
    fn insert(&mut self, number: u64) -> Option<Self::Handle>;
    /// Inserts at exactly this handle; `false` if that is refused.
    fn insert_at(&mut self, handle: Self::Handle, number: u64) -> bool;
    /// Removes an object and tells its number; `Err` if the object was written over.
    fn remove(&mut self, handle: Self::Handle) -> Option<Result<u64, WrittenOver>>;
    /// The number of an object; `Err` if the object was written over.
    fn number(&self, handle: Self::Handle) -> Option<Result<u64, WrittenOver>>;
    /// Removes all objects but those whose number passes.
    fn retain(&mut self, _keep: impl FnMut(u64) -> bool) {}
    /// Removes all objects.
    fn clear(&mut self);
    /// Shows every live object, with its number if it was not written over.
    fn visit(&self, see: impl FnMut(Self::Handle, Option<u64>));

    /// The slot that a handle names.
    fn slot(handle: Self::Handle) -> usize;
    /// The handle of the slot's next lifetime, if its layout has one.
    fn next_lifetime(handle: Self::Handle) -> Option<Self::Handle>;

    fn live(&self) -> usize;
    fn retired(&self) -> usize;
    /// What the pool says of itself.
    fn stats(&self) -> Option<Stats> {
        None
    }
    /// Checks the pool's invariants.
    fn validate(&self) -> Result<(), String>;
}

/// An object is not as it was put in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WrittenOver;
