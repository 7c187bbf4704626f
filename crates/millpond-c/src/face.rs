//! A pool of any order, as the functions of the header see it.

use core::ptr::NonNull;

use millpond::{Occupancy, Refusal, Stats};

use crate::callbacks::Move;
use crate::status::Status;

/// How far a pool grows.
#[derive(Clone, Copy)]
pub(crate) enum Goal {
    /// As far as it does by itself.
    More,
    /// The same, but to so many slots at least.
    AtLeast(usize),
    /// The same, but to the slot of a handle at least, whose lifetime is about to begin.
    Reach(u64),
}

/// What a pool can do. Handles are bits; 0 is none.
pub(crate) trait Face {
    /// Whether no slot can be used, and no more can be had.
    fn is_full(&self) -> bool;
    /// Whether no slot can be used, but the pool may grow.
    fn needs_room(&self) -> bool;
    /// The largest number of slots.
    fn capacity_max(&self) -> usize;
    /// Moves to more slots, with their values. On an error, nothing changes.
    fn grow(&mut self, to: Goal) -> Result<(), Status>;
    /// Moves values by this function whenever the pool grows.
    fn move_by(&mut self, mover: Option<Move>);
    /// Begins a lifetime; a full pool counts a refusal.
    fn acquire(&mut self) -> u64;
    fn release(&mut self, bits: u64) -> bool;
    /// As [`release`](Self::release), for another to come.
    fn evict(&mut self, bits: u64) -> bool;
    fn check(&self, bits: u64) -> Result<(), Refusal>;
    /// Whether the slot of this live object retires after it.
    fn is_last(&self, bits: u64) -> bool;
    fn handle_at(&self, slot: usize) -> u64;
    fn next_handle(&mut self) -> u64;
    /// Whether the pool knows which object has lived longest.
    fn keeps_oldest(&self) -> bool;
    /// The object that has lived longest.
    fn oldest(&mut self) -> u64;
    /// The object is the newest from now on, if the pool keeps that.
    fn note(&mut self, bits: u64);
    fn refresh(&mut self);
    fn occupancy(&self) -> Occupancy<'_>;
    fn used_slots(&self) -> usize;
    fn values(&self) -> NonNull<u8>;
    fn stats(&self) -> Stats;
    fn name(&self) -> Option<&'static str>;
}

/// The slot that bits name, whether there is one or not.
pub(crate) fn slot_of(bits: u64) -> usize {
    (bits >> 32) as usize
}
