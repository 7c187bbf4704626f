//! The pools, and what several of them share.

#[cfg(feature = "alloc")]
pub(crate) mod allocator;
#[cfg(feature = "any")]
#[allow(unsafe_code)]
pub mod any_pool;
#[cfg(feature = "alloc")]
pub mod builder;
pub mod faces;
#[cfg(feature = "memory")]
pub mod frame_pool;
#[cfg(feature = "packed")]
pub mod packed;
#[cfg(feature = "alloc")]
pub mod pool;
#[cfg(feature = "recycler")]
pub mod recycler;
#[cfg(feature = "alloc")]
pub(crate) mod settings;
pub mod slot_pool;
pub mod static_pool;
#[cfg(feature = "alloc")]
pub(crate) mod together;
#[cfg(feature = "vec")]
pub mod vec_pool;
