//! A pool that a C program passes, opened for a function of the header.
//!
//! # Invariant
//!
//! A pool that a C program passes is null, or one that [`create`](crate::create) has made and nobody has destroyed, or an
//! `mp_pool` of zeros, which is what `millpond.hpp` has for a pool without slots; one that is changed is used by nobody
//! else. That is the header's contract, and every block of the library relies on it.

use core::marker::PhantomData;
use core::ptr::NonNull;

use crate::face::{Face, Goal, slot_of};
use crate::head::Head;
use crate::outside::Outside;
use crate::status::Status;

/// A pool that a function may change, and its parts.
///
/// They are addresses, and each reference is made where it is used and ends there. What is done by a pool's type
/// ([`kinds`](crate::kinds)), or with all of its slots, starts from the head and makes references of its own: one that was
/// kept here would be a second one to the same pool.
pub(crate) struct Opened<'p> {
    pub(crate) head: NonNull<Head>,
    face: NonNull<dyn Face>,
    outside: Option<NonNull<Outside>>,
    pub(crate) value_bytes: usize,
    pool: PhantomData<&'p mut Head>,
}

impl Opened<'_> {
    /// # Safety
    ///
    /// The pool is as this module's invariant says, for as long as the result is used.
    pub(crate) unsafe fn new(head: *mut Head) -> Option<Self> {
        let head = NonNull::new(head)?;
        // SAFETY: as the caller promises; the fields are copied.
        let Head { face, outside, value_bytes, .. } = unsafe { head.read() };
        // SAFETY: the function that was made for this pool.
        let face = unsafe { face?(head) };
        let (outside, value_bytes) = (NonNull::new(outside), value_bytes as usize);
        Some(Self { head, face, outside, value_bytes, pool: PhantomData })
    }

    /// What the pool can do, for reading.
    pub(crate) fn face(&self) -> &dyn Face {
        // SAFETY: as whoever opened the pool has promised, and no other reference to it is in use: each is made from an
        // address and ends before another is made.
        unsafe { self.face.as_ref() }
    }

    /// What the pool can do.
    pub(crate) fn face_mut(&mut self) -> &mut dyn Face {
        // SAFETY: as above.
        unsafe { self.face.as_mut() }
    }

    /// What is done outside, if anything.
    pub(crate) fn outside_mut(&mut self) -> Option<&mut Outside> {
        // SAFETY: the pool's own, which lies apart from it; only the pool knows it.
        self.outside.map(|mut outside| unsafe { outside.as_mut() })
    }

    pub(crate) fn value(&self, slot: usize) -> *mut u8 {
        // SAFETY: callers name slots of the pool.
        unsafe { self.face().values().add(slot * self.value_bytes) }.as_ptr()
    }

    pub(crate) fn note_birth(&mut self, bits: u64) -> *mut u8 {
        let slot = slot_of(bits);
        let value = self.value(slot);
        self.face_mut().note(bits);
        let bytes = self.value_bytes;
        if let Some(outside) = self.outside_mut() {
            outside.birth(slot, value, bytes);
        }
        value
    }

    /// The objects are as old as their slots' order says, if the pool keeps that.
    pub(crate) fn note_all(&mut self) {
        if self.face().keeps_oldest() {
            for slot in 0..self.face().used_slots() {
                let bits = self.face().handle_at(slot);
                self.face_mut().note(bits);
            }
        }
    }

    /// An object that was out of the pool is back: the newest.
    pub(crate) fn note_return(&mut self, bits: u64) -> *mut u8 {
        let (slot, bytes) = (slot_of(bits), self.value_bytes);
        let value = self.value(slot);
        self.face_mut().note(bits);
        if let Some(outside) = self.outside_mut() {
            outside.back(slot, value, bytes);
        }
        value
    }

    /// An object has left the pool, and will come back.
    pub(crate) fn note_leave(&mut self, slot: usize) {
        let (value, bytes) = (self.value(slot), self.value_bytes);
        if let Some(outside) = self.outside_mut() {
            outside.leave(value, bytes);
        }
    }

    /// The pool has another state, and the values of that.
    pub(crate) fn note_replaced(&mut self) {
        let head = self.head;
        if let Some(outside) = self.outside_mut() {
            outside.replaced(head);
        }
    }

    fn note_death(&mut self, slot: usize) {
        let (value, bytes) = (self.value(slot), self.value_bytes);
        if let Some(outside) = self.outside_mut() {
            outside.death(slot, value, bytes);
        }
    }

    /// Makes room for an insertion, if none is left and the pool grows.
    pub(crate) fn make_room(&mut self) -> Result<(), Status> {
        if self.face().needs_room() { self.face_mut().grow(Goal::More) } else { Ok(()) }
    }

    /// Makes sure that the slot of a handle is there, unless it is beyond the pool's limit. An error if that is too far
    /// beyond the other slots, or the lifetime could not begin.
    pub(crate) fn reach(&mut self, bits: u64) -> Result<(), Status> {
        let still_to_come = self.face().occupancy().slots()..self.face().capacity_max();
        let is_to_come = still_to_come.contains(&slot_of(bits));
        if is_to_come { self.face_mut().grow(Goal::Reach(bits)) } else { Ok(()) }
    }

    /// Begins a lifetime, if there is room or the pool makes some.
    pub(crate) fn insert(&mut self) -> Option<(u64, *mut u8)> {
        if self.face().keeps_oldest() && self.face().is_full() {
            let victim = self.face_mut().oldest();
            self.evict(victim);
        }
        // Without memory, the pool refuses.
        let _ = self.make_room();
        match self.face_mut().acquire() {
            0 => None,
            bits => Some((bits, self.note_birth(bits))),
        }
    }

    pub(crate) fn evict(&mut self, bits: u64) {
        if self.face_mut().evict(bits) {
            self.note_death(slot_of(bits));
        }
    }

    /// Lets the function replace the pool's slots by as many as this, which it does or changes nothing. Afterwards, all
    /// bytes may be written.
    pub(crate) fn be_replaced(
        &mut self,
        slots: usize,
        replace: impl FnOnce() -> Result<(), Status>,
    ) -> Result<(), Status> {
        let head = self.head;
        let Some(outside) = self.outside_mut() else { return replace() };
        outside.make_room(slots)?;
        outside.open(head);
        match replace() {
            Ok(()) => outside.open(head),
            Err(status) => {
                outside.replaced(head);
                return Err(status);
            }
        }
        Ok(())
    }

    pub(crate) fn remove(&mut self, bits: u64) -> bool {
        let is_live = self.face_mut().release(bits);
        if is_live {
            self.note_death(slot_of(bits));
        }
        is_live
    }
}

/// What was done may have made the pool's order plain, or no longer plain.
impl Drop for Opened<'_> {
    fn drop(&mut self) {
        // SAFETY: as whoever opened the pool has promised; the face is not used any more.
        unsafe { Head::settle(self.head) };
    }
}

/// A pool that a function only reads.
///
/// # Safety
///
/// The pool is as this module's invariant says, for as long as the result is used.
pub(crate) unsafe fn face<'p>(head: *const Head) -> Option<&'p dyn Face> {
    let head = NonNull::new(head.cast_mut())?;
    // SAFETY: as the caller promises; the field is copied.
    let face = unsafe { (*head.as_ptr()).face };
    // SAFETY: the function that was made for this pool.
    let whole = unsafe { face?(head) };
    // SAFETY: as the caller promises.
    Some(unsafe { whole.as_ref() })
}
