//! Implementations of other crates' traits, with a module and a feature for each crate, named after
//! it.

#[cfg(feature = "bytemuck")]
#[allow(unsafe_code)]
mod bytemuck;
#[cfg(feature = "rayon")]
mod rayon;
#[cfg(feature = "serde")]
mod serde;
