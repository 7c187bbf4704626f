//! The pools, and what several of them share.

#[cfg(feature = "alloc")]
pub(crate) mod allocator;
#[cfg(feature = "any")]
#[allow(unsafe_code)]
pub mod any_pool;
pub mod builder;
#[cfg(all(feature = "alloc", not(debug_assertions)))]
mod compiled;
#[cfg(any(feature = "packed", feature = "vec"))]
pub(crate) mod doubling;
pub mod iterators;
pub(crate) mod methods;
#[cfg(feature = "packed")]
pub mod packed;
#[cfg(feature = "alloc")]
pub mod pool;
#[cfg(feature = "recycler")]
pub mod recycler;
pub(crate) mod settings;
#[cfg(all(test, feature = "tables", feature = "packed", feature = "vec"))]
mod shared_walks;
pub mod slot_pool;
pub mod static_pool;
#[cfg(feature = "alloc")]
pub(crate) mod unused;
#[cfg(feature = "vec")]
pub mod vec_pool;
pub(crate) mod watching;
