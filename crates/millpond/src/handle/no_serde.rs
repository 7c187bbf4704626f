//! Takes the place of `serde` in a build without that feature: a declared key has none of its implementations.

#[doc(hidden)]
pub use super::key::left_out as if_serde;
