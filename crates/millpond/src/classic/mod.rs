//! The published pool designs, each under its own name, built from the parts of this crate.
//!
//! Needs the feature `classic`.
//!
//! | design | here | as a reuse order |
//! | --- | --- | --- |
//! | swap-delete roster with a partition | [`RosterPool`] | [`reuse::Roster`](crate::reuse::Roster) |
//! | byte-map pool with a cursor | [`BytemapPool`] | [`reuse::NextFit`](crate::reuse::NextFit) |
//! | pool allocator: grows, constructs, destroys | [`PoolAllocator`] | |
//! | particles, with a free list through the dead ones | [`ParticlePool`]; [`ObjectPool`] for your own objects that know that they are pooled | |
//!
//! Use these to follow a design to the letter (to port code, to read old handles, to teach); for a
//! new program, a [`Pool`](crate::Pool) or a [`Recycler`](crate::Recycler) is usually the better
//! choice.

#[cfg(feature = "alloc")]
mod bytemap;
#[cfg(feature = "alloc")]
mod heap;
mod object_pool;
mod particle;
#[cfg(feature = "alloc")]
mod pool_allocator;
#[cfg(feature = "alloc")]
mod roster;

#[cfg(feature = "alloc")]
pub use self::{
    bytemap::{BytemapError, BytemapPool},
    heap::{HeapObjectPool, HeapParticlePool},
    pool_allocator::{PoolAllocator, PoolBox},
    roster::RosterPool,
};
pub use object_pool::{ObjectPool, Pooled};
pub use particle::{Particle, ParticlePool, ParticleSlot};
