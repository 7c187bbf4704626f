//! The calls of Tracy's client.
//!
//! Invariant: a [`Name`] lasts as long as the program. The client keeps the addresses of names, and reads them later, from a
//! thread of its own; of a block it only keeps the address, which need not be one.

#![allow(unsafe_code, reason = "Tracy's client is in C++")]

use std::ffi::CStr;

use tracy_client_sys as sys;

/// The name of a memory pool or of a plot.
pub(crate) type Name = &'static CStr;

/// A block is born in a memory pool.
pub(crate) fn born(block: u64, bytes: usize, pool: Name) {
    let block = std::ptr::without_provenance(block as usize);
    // SAFETY: the name lasts as long as the program, and nobody looks into the block.
    unsafe { sys::___tracy_emit_memory_alloc_named(block, bytes, pool.as_ptr()) };
}

/// A block dies in a memory pool.
pub(crate) fn died(block: u64, pool: Name) {
    let block = std::ptr::without_provenance(block as usize);
    // SAFETY: as above.
    unsafe { sys::___tracy_emit_memory_free_named(block, pool.as_ptr()) };
}

/// A plot has a value now.
pub(crate) fn plot(name: Name, value: f64) {
    // SAFETY: the name lasts as long as the program.
    unsafe { sys::___tracy_emit_plot(name.as_ptr(), value) };
}
