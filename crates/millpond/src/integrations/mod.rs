//! Implementations of other crates' traits, with a module and a feature for each crate, named after
//! it. (`serde` is implemented where the types are.)

#[allow(unsafe_code)]
#[cfg(feature = "bytemuck")]
pub(crate) mod bytemuck;
#[cfg(feature = "rayon")]
mod rayon;

#[allow(unused_imports, reason = "a module of that name comes first")]
pub(crate) use crate::handle::key::left_out::*;
