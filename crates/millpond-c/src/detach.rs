//! Objects that are out of their pool for a while, and keep their slots.
//!
//! # Invariant
//!
//! That of [`opened`](crate::opened): a pool that a C program passes is null, or one that may be used.

use core::ffi::c_void;

use crate::callbacks::Bits;
use crate::face::slot_of;
use crate::head::Head;
use crate::kinds;
use crate::opened::Opened;
use crate::pool::give;
use crate::status::{Status, status_of};

/// See the header.
///
/// # Safety
///
/// As this module's invariant says; `value` is null or has room for a value, elsewhere.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_pool_detach(
    pool: *mut Head,
    Bits { bits }: Bits,
    value: *mut c_void,
) -> Status {
    // SAFETY: as the caller promises.
    let Some(mut pool) = (unsafe { Opened::new(pool) }) else {
        return Status::NULL_POINTER;
    };
    if let Err(refusal) = pool.face().check(bits) {
        return refusal.into();
    }
    let slot = slot_of(bits);
    if !value.is_null() {
        // SAFETY: the slot of a live object; there is room for its value, which lies elsewhere.
        unsafe { pool.value(slot).copy_to_nonoverlapping(value.cast(), pool.value_bytes) };
    }
    // SAFETY: as the caller promises.
    status_of(unsafe { kinds::detach(pool.head, bits) }.map(|()| pool.note_leave(slot)))
}

/// See the header.
///
/// # Safety
///
/// As this module's invariant says; `value` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_pool_reattach(
    pool: *mut Head,
    Bits { bits }: Bits,
    value: *mut *mut c_void,
) -> Status {
    // SAFETY: as the caller promises.
    let Some(mut pool) = (unsafe { Opened::new(pool) }) else {
        return Status::NULL_POINTER;
    };
    // SAFETY: as above.
    status_of(unsafe { kinds::reattach(pool.head, bits) }.map(|()| {
        let place = pool.note_return(bits);
        // SAFETY: as the caller promises.
        unsafe { give(value, place.cast()) };
    }))
}

/// See the header.
///
/// # Safety
///
/// As this module's invariant says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_pool_free_detached(pool: *mut Head, Bits { bits }: Bits) -> bool {
    // SAFETY: as the caller promises.
    let Some(mut pool) = (unsafe { Opened::new(pool) }) else {
        return false;
    };
    // SAFETY: as above.
    let was_out = unsafe { kinds::free_detached(pool.head, bits) };
    if let (true, Some(outside)) = (was_out, pool.outside_mut()) {
        outside.ended(slot_of(bits));
    }
    was_out
}
