//! Implementations of other crates' traits, with a module and a feature for each crate, named after
//! it. (`serde` is implemented where the types are.)

#[allow(unsafe_code)]
#[cfg_attr(not(feature = "bytemuck"), path = "no_bytemuck.rs")]
pub(crate) mod bytemuck;
#[cfg(feature = "rayon")]
mod rayon;
