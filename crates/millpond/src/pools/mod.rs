//! The pools, and what several of them share.

#[cfg(feature = "alloc")]
pub(crate) mod allocator;
#[cfg(feature = "alloc")]
pub mod any_pool;
#[cfg(feature = "alloc")]
pub mod block_pool;
pub mod faces;
#[cfg(feature = "alloc")]
pub mod frame_pool;
#[cfg(feature = "alloc")]
pub mod packed;
#[cfg(feature = "alloc")]
pub mod pool;
#[cfg(feature = "alloc")]
pub mod recycler;
#[cfg(feature = "alloc")]
pub(crate) mod settings;
pub(crate) mod shell;
pub mod static_pool;
