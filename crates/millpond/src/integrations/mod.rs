//! What other crates' traits have to do with the types of this one: a module and a feature for each,
//! named after the crate.

#[cfg(feature = "serde")]
mod serde;
