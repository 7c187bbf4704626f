//! The pattern that fills dead slots.

use core::fmt;
use core::mem::MaybeUninit;

/// The pattern, repeated from the first byte of each slot on. Read as a number, it has the same
/// value on every machine.
pub(super) const DEAD: [u8; 4] = 0x1dea_db0b_u32.to_ne_bytes();

/// The dead slots of some memory are filled; of how many slots that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filled(usize);

/// That memory of this many slots is filled: never in a build without the feature.
pub const fn filled(slots: usize) -> Option<Filled> {
    Some(Filled(slots))
}

/// Fills a slot without a value.
pub fn fill(slot: &mut [MaybeUninit<u8>]) {
    slot.iter_mut().enumerate().for_each(|(at, byte)| _ = byte.write(DEAD[at % 4]));
}

/// A byte of a dead slot that has changed.
#[derive(Debug)]
pub struct Changed {
    at: usize,
    found: u8,
    expected: u8,
    /// The number of bytes in the slot.
    slot_bytes: usize,
}

/// The end of the message about a slot that "was written to while it was dead".
impl fmt::Display for Changed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { at, found, expected, slot_bytes } = self;
        write!(
            f,
            "byte {at} of {slot_bytes} is {found:#04x} instead of {expected:#04x}. Look for a raw pointer or \
             reference kept from before its removal"
        )
    }
}

/// The first byte that differs from what [`fill`] wrote.
pub fn find_changed(filled: &[u8]) -> Option<Changed> {
    filled.iter().enumerate().find_map(|(at, &found)| {
        let expected = DEAD[at % 4];
        (found != expected).then_some(Changed { at, found, expected, slot_bytes: filled.len() })
    })
}
