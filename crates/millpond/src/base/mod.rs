//! Parts that know nothing of pools: guards against panics, memory, addresses, the sanitizer.

pub(crate) mod address;
pub(crate) mod entry;
pub(crate) mod guard;
#[cfg(feature = "alloc")]
#[allow(unsafe_code)]
pub(crate) mod memory;
#[allow(unsafe_code)]
pub(crate) mod sanitizer;
