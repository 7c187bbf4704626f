//! The published pool designs, each under its own name: as their texts have them, and checked.
//!
//! | design | here | as a reuse order of [`millpond::Pool`] |
//! | --- | --- | --- |
//! | swap-delete roster with a partition | [`RosterPool`] | [`reuse::Roster`](millpond::reuse::Roster) |
//! | byte-map pool with a cursor | [`BytemapPool`] | |
//! | pool allocator: grows, constructs, destroys | [`PoolAllocator`] | |
//! | particles, with a free list through the dead ones | [`ParticlePool`]; [`ObjectPool`] for your own objects that know that they are pooled | |
//!
//! Use these to follow a design to the letter (to port code, to read old handles, to teach); for a
//! new program, a [`Pool`](millpond::Pool) or a [`Recycler`](https://docs.rs/millpond/latest/millpond/recycler/struct.Recycler.html) is usually the better
//! choice.
//!
//! # Cargo features
//!
//! - `alloc` (default): the pools on the heap. Without it: [`ObjectPool`] and [`ParticlePool`].
//! - `debug-aids`: `fill_dead_slots` of [`BytemapPool`] and [`PoolAllocator`], and `scramble_freed` of [`RosterPool`]. (A
//!   [`ParticlePool`] then always checks its free slots.)
//! - `validate`: a method of that name, which checks every invariant, on [`RosterPool`] and [`BytemapPool`].
//!
//! The crate is `no_std`.
#![no_std]
#![deny(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "alloc")]
extern crate alloc;

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
