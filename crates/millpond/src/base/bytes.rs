//! The bytes of places for values.
//!
//! Invariant: a place is lent as `MaybeUninit` bytes, of which any are valid, for as long as it is borrowed itself.

use core::mem::MaybeUninit;
use core::slice;

pub fn bytes_of<V>(places: &mut [MaybeUninit<V>]) -> &mut [MaybeUninit<u8>] {
    let (start, bytes) = (places.as_mut_ptr().cast(), size_of_val(places));
    // SAFETY: the bytes are those of the places, which are borrowed for as long, and `MaybeUninit<V>` may have any.
    unsafe { slice::from_raw_parts_mut(start, bytes) }
}

/// The bytes of one place.
pub fn bytes_mut<V>(place: &mut MaybeUninit<V>) -> &mut [MaybeUninit<u8>] {
    bytes_of(slice::from_mut(place))
}

/// The bytes, as initialised ones.
///
/// # Safety
///
/// They are initialised.
#[inline]
pub unsafe fn initialised(bytes: &[MaybeUninit<u8>]) -> &[u8] {
    // SAFETY: as the caller promises; the layout is the same, and the bytes are borrowed for as long.
    unsafe { slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len()) }
}
