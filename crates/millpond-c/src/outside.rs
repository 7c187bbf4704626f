//! What insertions and removals of some pools do beside: fill bytes, tell a sanitizer, tell a recorder.
//!
//! A pool with such a thing to do is marked slow, so that the header's functions call the library.

use alloc::boxed::Box;
use core::ptr::{self, NonNull};

use crate::callbacks::{Poison, boxed};
use crate::head::{ALL_CALLED, Head};
use crate::options::{FILLED, ZEROED};
use crate::recorder::Track;
use crate::status::Status;

/// What dead slots are filled with.
const MAGIC: u32 = 0x1dea_db0b;

/// Of one pool.
#[derive(Default)]
pub struct Outside {
    is_zeroed: bool,
    is_filled: bool,
    /// How the sanitizer is told that bytes are dead, and that they are not.
    poison: Option<(Poison, Poison)>,
    track: Option<Track>,
}

impl Outside {
    /// By the flags of the options.
    pub(crate) fn filling(flags: u32) -> Self {
        Self { is_zeroed: flags & ZEROED != 0, is_filled: flags & FILLED != 0, ..Self::default() }
    }

    /// The pool does this from now on.
    pub(crate) fn attach(self, head: &mut Head) -> Result<(), Status> {
        head.outside = Box::into_raw(boxed(self)?);
        head.slow |= 2;
        (head.quick_top, head.quick_below) = ALL_CALLED;
        Ok(())
    }

    /// The pool's own, made if there is none.
    fn of(head: &mut Head) -> Result<&mut Self, Status> {
        if head.outside.is_null() {
            Self::default().attach(head)?;
        }
        // SAFETY: it is a box's, which only the pool knows.
        Ok(unsafe { &mut *head.outside })
    }

    /// Ends all of it, before the pool goes.
    ///
    /// # Safety
    ///
    /// The pool is there, and has an outside.
    pub(crate) unsafe fn detach(mut head: NonNull<Head>) {
        // SAFETY: as the caller promises.
        let pool = unsafe { head.as_mut() };
        let outside = core::mem::replace(&mut pool.outside, ptr::null_mut());
        // SAFETY: it came from a box, and nobody has it any more.
        let mut outside = unsafe { Box::from_raw(outside) };
        if let Some(track) = outside.track.take() {
            track.end(head);
        }
        outside.open(head);
    }

    /// Whether dead slots are filled.
    pub(crate) fn fills(&self) -> bool {
        self.is_filled
    }

    /// Fills all slots of a new pool.
    pub(crate) fn fill_all(head: &mut Head) {
        each_slot(NonNull::from(head), |_, value, bytes, _| fill(value, bytes));
    }

    /// A sanitizer watches the pool from now on; not if there is no memory for that.
    pub(crate) fn watch(head: NonNull<Head>, poison: Poison, unpoison: Poison) {
        let mut own = head;
        // SAFETY: the caller's pool, used alone.
        let Ok(outside) = Self::of(unsafe { own.as_mut() }) else { return };
        outside.poison_with(poison, unpoison);
        Self::poison_dead(head, poison);
    }

    /// The sanitizer's functions are these from now on.
    pub(crate) fn poison_with(&mut self, poison: Poison, unpoison: Poison) {
        self.poison = Some((poison, unpoison));
    }

    fn poison_dead(head: NonNull<Head>, poison: Poison) {
        each_slot(head, |_, value, bytes, is_live| {
            if !is_live {
                // SAFETY: bytes of the pool.
                unsafe { poison(value.cast(), bytes) };
            }
        });
    }

    /// The pool's part of the recorder that listens to it, if one does.
    pub(crate) fn recorded(head: &mut Head) -> Result<&mut Option<Track>, Status> {
        Ok(&mut Self::of(head)?.track)
    }

    /// Whether a recorder listens.
    pub(crate) fn is_recorded(&self) -> bool {
        self.track.is_some()
    }

    /// A lifetime has begun. Ends the program if the slot was filled, and written to since.
    pub(crate) fn birth(&mut self, slot: usize, value: *mut u8, bytes: usize) {
        self.open_value(value, bytes);
        if self.is_filled {
            inspect(slot, value, bytes);
        }
        if self.is_zeroed {
            // SAFETY: as above; the slot was dead until now.
            unsafe { value.write_bytes(0, bytes) };
        }
        if let Some(track) = &mut self.track {
            track.birth(slot);
        }
    }

    /// A lifetime has ended.
    pub(crate) fn death(&mut self, slot: usize, value: *mut u8, bytes: usize) {
        if self.is_filled {
            fill(value, bytes);
        }
        if let Some((poison, _)) = self.poison {
            // SAFETY: bytes of the pool.
            unsafe { poison(value.cast(), bytes) };
        }
        if let Some(track) = &mut self.track {
            track.death(slot);
        }
    }

    /// Whether a sanitizer looks at who reads dead bytes.
    pub(crate) fn is_watched(&self) -> bool {
        self.poison.is_some()
    }

    /// The pool's state is about to be replaced: all bytes may be written.
    pub(crate) fn open(&self, head: NonNull<Head>) {
        if self.is_watched() {
            each_slot(head, |_, value, bytes, _| self.open_value(value, bytes));
        }
    }

    /// The bytes of a slot may be written.
    pub(crate) fn open_value(&self, value: *mut u8, bytes: usize) {
        if let Some((_, unpoison)) = self.poison {
            // SAFETY: bytes of the pool.
            unsafe { unpoison(value.cast(), bytes) };
        }
    }

    /// The pool's state was replaced as a whole.
    pub(crate) fn replaced(&mut self, head: NonNull<Head>) {
        if self.is_filled {
            each_slot(head, |_, value, bytes, is_live| {
                if !is_live {
                    fill(value, bytes);
                }
            });
        }
        if let Some((poison, _)) = self.poison {
            Self::poison_dead(head, poison);
        }
        if let Some(track) = &mut self.track {
            each_slot(head, |slot, _, _, is_live| track.replaced(slot, is_live));
        }
    }
}

/// Writes the magic number over a slot.
fn fill(value: *mut u8, bytes: usize) {
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

/// Calls the function with each slot: its number, its bytes, and whether it is live.
pub(crate) fn each_slot(head: NonNull<Head>, mut f: impl FnMut(usize, *mut u8, usize, bool)) {
    // SAFETY: the pool is there; the fields are copied.
    let Head { face, value_bytes, .. } = unsafe { head.read() };
    let bytes = value_bytes as usize;
    let Some(face) = face else { return };
    // SAFETY: the function that was made for this pool.
    let face = unsafe { face(head) };
    // SAFETY: the pool is there, and nobody changes it meanwhile.
    let face = unsafe { face.as_ref() };
    let (occupancy, values) = (face.occupancy(), face.values());
    for slot in 0..occupancy.slots() {
        // SAFETY: there is such a slot.
        let value = unsafe { values.add(slot * bytes) };
        f(slot, value.as_ptr(), bytes, occupancy.is_live(slot));
    }
}
