//! Takes the place of `bytemuck` in a build without that feature: a declared key has none of its implementations.

#[doc(hidden)]
pub use crate::handle::key::left_out as if_bytemuck;
