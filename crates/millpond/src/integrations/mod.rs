//! Implementations of other crates' traits, with a module and a feature for each crate, named after
//! it. (`serde` is implemented where the types are.)

#[cfg(feature = "bytemuck")]
#[allow(unsafe_code)]
mod bytemuck;
#[cfg(feature = "rayon")]
mod rayon;
