//! What other crates' traits have to do with the types of this one: a module and a feature for each,
//! named after the crate.

#[cfg(feature = "bytemuck")]
#[allow(unsafe_code)]
mod bytemuck;
#[cfg(feature = "rayon")]
mod rayon;
#[cfg(feature = "serde")]
mod serde;
