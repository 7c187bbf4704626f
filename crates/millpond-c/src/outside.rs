//! What insertions and removals of some pools do beside: fill bytes, tell a sanitizer, tell a recorder.
//!
//! A pool with such a thing to do is marked slow, so that the header's functions call the library.

use crate::callbacks::Poison;
use crate::options::{FILLED, ZEROED};
use crate::recording::Track;

/// What dead slots are filled with.
const MAGIC: u32 = 0x1dea_db0b;

/// Of one pool.
#[derive(Default)]
pub struct Outside {
    is_zeroed: bool,
    pub(crate) is_filled: bool,
    /// How the sanitizer is told that bytes are dead, and that they are not.
    pub(crate) poison: Option<(Poison, Poison)>,
    pub(crate) track: Option<Track>,
}

impl Outside {
    /// By the flags of the options.
    pub(crate) fn filling(flags: u32) -> Self {
        Self { is_zeroed: flags & ZEROED != 0, is_filled: flags & FILLED != 0, ..Self::default() }
    }

    /// Whether dead slots are filled.
    pub(crate) fn fills(&self) -> bool {
        self.is_filled
    }

    /// The sanitizer's functions are these from now on.
    pub(crate) fn poison_with(&mut self, poison: Poison, unpoison: Poison) {
        self.poison = Some((poison, unpoison));
    }

    /// Whether a recorder listens.
    pub(crate) fn is_recorded(&self) -> bool {
        self.track.is_some()
    }

    /// A lifetime has begun. Ends the program if the slot was filled, and written to since.
    pub(crate) fn birth(&mut self, slot: usize, value: *mut u8, bytes: usize) {
        self.enter(slot, value, bytes);
        if let Some(track) = &mut self.track {
            track.birth(slot);
        }
    }

    /// An object that was out of the pool is back. A recorder has not seen that it was out, unless the pool's state was replaced.
    pub(crate) fn back(&mut self, slot: usize, value: *mut u8, bytes: usize) {
        self.enter(slot, value, bytes);
        if let Some(track) = &mut self.track {
            track.replaced(slot, true);
        }
    }

    /// The lifetime of an object that was out of the pool has ended.
    pub(crate) fn ended(&mut self, slot: usize) {
        if let Some(track) = &mut self.track {
            track.replaced(slot, false);
        }
    }

    /// A slot is used from now on.
    fn enter(&self, slot: usize, value: *mut u8, bytes: usize) {
        self.open_value(value, bytes);
        if self.is_filled {
            inspect(slot, value, bytes);
        }
        if self.is_zeroed {
            // SAFETY: as above; the slot was dead until now.
            unsafe { value.write_bytes(0, bytes) };
        }
    }

    /// A lifetime has ended.
    pub(crate) fn death(&mut self, slot: usize, value: *mut u8, bytes: usize) {
        self.leave(value, bytes);
        if let Some(track) = &mut self.track {
            track.death(slot);
        }
    }

    /// A slot's bytes are nobody's from now on.
    pub(crate) fn leave(&self, value: *mut u8, bytes: usize) {
        if self.is_filled {
            fill(value, bytes);
        }
        if let Some((poison, _)) = self.poison {
            // SAFETY: bytes of the pool.
            unsafe { poison(value.cast(), bytes) };
        }
    }

    /// Whether a sanitizer looks at who reads dead bytes.
    pub(crate) fn is_watched(&self) -> bool {
        self.poison.is_some()
    }

    /// The bytes of a slot may be written.
    pub(crate) fn open_value(&self, value: *mut u8, bytes: usize) {
        if let Some((_, unpoison)) = self.poison {
            // SAFETY: bytes of the pool.
            unsafe { unpoison(value.cast(), bytes) };
        }
    }
}

/// Writes the magic number over a slot.
pub(crate) fn fill(value: *mut u8, bytes: usize) {
    let magic = MAGIC.to_le_bytes();
    for at in 0..bytes {
        // SAFETY: the slot has so many bytes, and is dead.
        let byte = unsafe { value.add(at) };
        // SAFETY: as above.
        unsafe { byte.write(magic[at % 4]) };
    }
}

/// Reads a slot that was filled: it must be as it was left.
fn inspect(slot: usize, value: *mut u8, bytes: usize) {
    let magic = MAGIC.to_le_bytes();
    for at in 0..bytes {
        // SAFETY: the slot has so many bytes.
        let byte = unsafe { value.add(at) };
        // SAFETY: as above; they were filled.
        if unsafe { byte.read() } != magic[at % 4] {
            end(slot, at);
        }
    }
}

/// Ends the program, because it has written to a dead slot.
#[cold]
#[inline(never)]
fn end(slot: usize, byte: usize) -> ! {
    #[cfg(millpond_standalone)]
    crate::runtime::end_for_write_to_dead(slot as u32, byte as u32);
    #[cfg(not(millpond_standalone))]
    panic!("slot {slot} was written to while it was dead, at byte {byte}");
}
