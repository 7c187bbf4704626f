//! What the crates of this repository whose pools are built beside this library or of its pools share with it, of each
//! version with the same version only: memory, guards against panics, marks of dead slots, evictions, and states that
//! can be saved. Not for anything else.
//!
//! What seals `Bounded`, and what seals `snapshot::State` (its `Shape`), can be named with this feature alone, so a crate
//! must ask for it to implement them (`bounded` does). No unsafe code takes their word: what a pool takes over of another one is
//! compared with its own slots first. An implementation that lies gets wrong objects, as wrong safe code does, and no
//! memory that is not its own.

#[cfg(feature = "alloc")]
pub use crate::base::memory;
pub use crate::base::{OutOfMemory, address, bytes, cold, guard, or_panic, sanitizer};
pub use crate::overflow::evict::{insert_or_evict, insert_unless_least, replace};
pub use crate::reports::debug::fill as dead_slots;
pub use crate::reports::validate as checks;
pub use crate::slots::reuse::OrderOf;
#[cfg(all(feature = "serde", feature = "alloc"))]
pub use crate::snapshot::format::{
    NewPool, Refused, check_migration, other_version, read_list, take_over, used_slots, write,
};
pub use crate::snapshot::state::Shape;
pub use crate::{__bounded as bounded, __snapshots as snapshots};

use crate::handle::{self, Handle, HandleLayout as _};

/// The handle of a lifetime that a pool stores, or the dangling one where there is no such handle.
#[inline(always)]
pub fn handle_of<T>(index: usize, word: u32) -> Handle<T> {
    handle::kept(index, word)
}

/// What a slot stores while the handle's object lives.
#[inline(always)]
pub fn word_of<T>(handle: Handle<T>) -> u32 {
    handle.word()
}
