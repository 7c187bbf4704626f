//! The published pool designs, each under its own name, on the parts of this crate.
//!
//! | design | here | as a part of its own |
//! | --- | --- | --- |
//! | swap-delete roster with a partition | [`RosterPool`] | [`reuse::Roster`](crate::reuse::Roster) |
//! | byte-map pool with a cursor | [`BytemapPool`] | [`reuse::NextFit`](crate::reuse::NextFit) |
//! | pool allocator: grows, constructs, destroys | [`PoolAllocator`] | |
//! | free list through the dead objects | | [`reuse::Intrusive`](crate::reuse::Intrusive) |
//!
//! Use these to follow a design to the letter (to port code, to read old handles, to teach); for a
//! new program a [`Pool`](crate::Pool) or a [`Recycler`](crate::Recycler) does all that they do.

mod bytemap;
mod pool_allocator;
mod roster;

pub use bytemap::{BytemapError, BytemapPool};
pub use pool_allocator::{PoolAllocator, PoolBox};
pub use roster::RosterPool;
