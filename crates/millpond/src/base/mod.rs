//! Parts that know nothing of pools: memory, addresses, the sanitizer.

pub(crate) mod address;
pub(crate) mod entry;
#[cfg(feature = "alloc")]
#[allow(unsafe_code)]
pub(crate) mod memory;
#[allow(unsafe_code)]
pub(crate) mod sanitizer;
