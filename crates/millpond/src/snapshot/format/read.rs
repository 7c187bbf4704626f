//! What comes of reading a saved pool: its objects, or why it is refused.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// The objects of a pool, as they were read.
pub(crate) enum Objects<H, T> {
    /// One entry for each live object, or for each slot of a recycler.
    Named(Vec<(Option<H>, T)>),
    /// The live slots, and the values by ascending slot.
    Counted { live: Vec<(u32, u32)>, values: Vec<T> },
}

/// Why saved bytes are not the state of a pool.
#[doc(hidden)]
#[derive(Debug)]
pub struct Refused(String);

impl Refused {
    pub fn new(why: String) -> Self {
        Self(why)
    }

    pub fn other(what: &str, expected: &str) -> Self {
        Self(format!("a saved pool of another {what}, expected {expected}"))
    }

    pub fn too_many_slots(slots: u64) -> Self {
        Self(format!("{slots} slots are more than the handle layout can name"))
    }

    /// A file lists this many of a pool's slots, and the others would take more than it justifies.
    pub(crate) fn unlisted(slots: usize, listed: usize, bytes_max: usize) -> Self {
        Self(format!(
            "a pool of {slots} slots of which the file lists {listed} would take more than {bytes_max} bytes of \
             addresses: read it as a `UsedPart`, and let a pool of your own take that over"
        ))
    }

    pub(crate) fn out_of_memory(slots: usize) -> Self {
        Self(format!("no memory for a pool of {slots} slots"))
    }

    pub(super) fn not_listed(slot: u64) -> Self {
        Self(format!("slot {slot} is beyond those that are listed"))
    }

    pub fn no_such_slot(slot: u64) -> Self {
        Self(format!("slot {slot} is beyond the capacity"))
    }

    pub fn twice(slot: usize) -> Self {
        Self(format!("slot {slot} occurs twice"))
    }

    pub fn generation(slot: usize, generation: u32) -> Self {
        Self(format!("generation {generation} of slot {slot} is out of range"))
    }

    pub(crate) fn object_count(expected: usize, found: usize) -> Self {
        Self(format!("{found} objects, though {expected} slots have one"))
    }

    pub fn order_length(expected: usize, found: usize) -> Self {
        Self(format!("the reuse order lists {found} slots, expected {expected}"))
    }

    pub(super) fn order_of(what: &str, slot: usize) -> Self {
        Self(format!("the reuse order lists slot {slot}, which is {what}"))
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
