//! Object pools for games and other real-time programs.
#![no_std]

#[cfg(feature = "alloc")]
extern crate alloc;

#[cfg(feature = "alloc")]
mod allocator;
#[cfg(feature = "alloc")]
pub mod classic;
#[cfg(feature = "alloc")]
mod errors;
#[cfg(feature = "alloc")]
mod generations;
pub mod handle;
#[cfg(feature = "alloc")]
mod handle_core;
#[cfg(feature = "alloc")]
mod memory;
#[cfg(feature = "alloc")]
pub mod occupancy;
#[cfg(feature = "alloc")]
pub mod pool;
#[cfg(feature = "alloc")]
pub mod recycler;
#[cfg(feature = "alloc")]
pub mod reuse;
#[cfg(feature = "alloc")]
mod settings;
#[cfg(feature = "alloc")]
mod slices;
#[cfg(feature = "alloc")]
mod stats;
#[cfg(feature = "alloc")]
mod storage;

pub use handle::{Handle, Handle32, HandleLayout, Refusal};

#[cfg(feature = "alloc")]
pub use self::{
    allocator::{HandleAllocator, HandleAllocatorBuilder},
    errors::{Full, GetDisjointMutError, InsertAtError, InsertAtErrorKind},
    occupancy::Occupancy,
    pool::{Pool, PoolBuilder},
    recycler::{Recycler, RecyclerBuilder},
    settings::BuildError,
    stats::Stats,
};
