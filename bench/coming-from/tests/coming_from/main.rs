//! Each public method of slotmap's maps, of slab, generational-arena and thunderdome beside what
//! `docs/guide/coming-from.md` says that it becomes: the same steps on both, and the same results.
//!
//! A test is named after the method that it is about. `complete.rs` finds the methods that have none, or no row on the
//! page, and rows that say something else than the test.

#![allow(
    clippy::duplicate_mod,
    reason = "what several maps have is tested on each of them, with its own types"
)]
#![allow(clippy::unnecessary_operation, reason = "the same step on both stands on one line")]

mod complete;
mod dense_slot_map;
mod generational_arena;
mod hop_slot_map;
mod keys;
mod secondary_map;
mod slab;
mod slot_map;
mod sparse_secondary_map;
mod thunderdome;
