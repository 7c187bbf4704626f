//! From an address back to the slot.

/// Which element of the slice a reference refers to, from its address; `None` if it is to something
/// else, or the elements have no size and so no address of their own.
#[inline]
pub(crate) fn position_in<V, T>(slice: &[V], element: *const T) -> Option<usize> {
    const { assert!(size_of::<V>() == size_of::<T>()) };
    let bytes_in = element.addr().checked_sub(slice.as_ptr().addr())?;
    let position = bytes_in.checked_div(size_of::<T>())?;
    (position < slice.len() && bytes_in % size_of::<T>() == 0).then_some(position)
}
