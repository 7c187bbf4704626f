//! What knows nothing of pools: memory, addresses, the sanitizer.

pub(crate) mod address;
pub(crate) mod entry;
#[cfg(feature = "alloc")]
pub(crate) mod memory;
pub(crate) mod sanitizer;
