//! Handles without their label, as if they had it.
//!
//! Invariant: whatever its label, a handle has the size, the alignment and the bits of its erased form. A
//! [`Handle`](super::Handle) is two numbers, in an order by `repr(C)`, a [`Handle32`](super::Handle32) is one by
//! `repr(transparent)`, and a [`HandleType`](super::HandleType) is one of these by its contract. There are no others, because
//! [`HandleLayout`] is sealed.

use core::slice;

use super::HandleLayout;

/// What [`HandleLayout::from_erased`] makes of each of these handles.
#[inline]
pub(crate) fn with_label<H: HandleLayout>(erased: &[H::Erased]) -> &[H] {
    // An attribute beside `handle_type!` may have changed the type.
    const {
        assert!(
            size_of::<H>() == size_of::<H::Erased>() && align_of::<H>() == align_of::<H::Erased>()
        );
    }
    // SAFETY: each handle has the bits that it has with its label (invariant), and is borrowed for as long.
    unsafe { slice::from_raw_parts(erased.as_ptr().cast(), erased.len()) }
}
