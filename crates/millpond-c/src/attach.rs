//! What insertions and removals of a pool do [outside](crate::outside), attached to the pool, and done to all of its slots.

use alloc::boxed::Box;
use core::ptr::{self, NonNull};

use crate::callbacks::{Poison, boxed};
use crate::head::{ALL_CALLED, Head};
use crate::outside::{Outside, fill};
use crate::recording::Track;
use crate::status::Status;

impl Outside {
    /// The pool does this from now on.
    pub(crate) fn attach(self, head: &mut Head) -> Result<(), Status> {
        head.outside = Box::into_raw(boxed(self)?);
        head.slow |= 2;
        (head.quick_top, head.slow_from_minus_1) = ALL_CALLED;
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
            track.end(head.cast());
        }
        outside.open(head);
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

    /// The pool's state is about to be replaced: all bytes may be written.
    pub(crate) fn open(&self, head: NonNull<Head>) {
        if self.is_watched() {
            each_slot(head, |_, value, bytes, _| self.open_value(value, bytes));
        }
    }

    /// Makes room to note as many slots.
    pub(crate) fn make_room(&mut self, slots: usize) -> Result<(), Status> {
        self.track.as_mut().map_or(Ok(()), |track| track.make_room(slots))
    }

    /// The pool may have got more slots, behind so many. It was [open](Self::open).
    pub(crate) fn grown(&self, head: NonNull<Head>, from: usize) {
        if self.is_filled {
            each_slot(head, |slot, value, bytes, _| {
                if slot >= from {
                    fill(value, bytes);
                }
            });
        }
        if let Some((poison, _)) = self.poison {
            Self::poison_dead(head, poison);
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
            let mut slots = 0;
            each_slot(head, |slot, _, _, is_live| {
                track.replaced(slot, is_live);
                slots = slot + 1;
            });
            // Those that are no more.
            (slots..track.ids.len()).for_each(|slot| track.replaced(slot, false));
        }
    }
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
