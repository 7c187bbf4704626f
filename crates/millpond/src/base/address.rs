//! From an address back to the slot, and to what lies behind it.

use core::ptr::NonNull;

/// The address so many bytes behind this one, in the same memory: whoever uses it knows that the memory extends so far.
pub fn behind(start: NonNull<u8>, bytes: usize) -> NonNull<u8> {
    start.map_addr(|address| address.saturating_add(bytes))
}

/// The position of `element` in `slice`, from its address; `None` if it is elsewhere, or if the
/// elements are zero-sized and so have no address of their own.
#[inline]
pub fn position_in<V, T>(slice: &[V], element: *const T) -> Option<usize> {
    const { assert!(size_of::<V>() == size_of::<T>()) };
    let bytes_in = element.addr().checked_sub(slice.as_ptr().addr())?;
    let position = bytes_in.checked_div(size_of::<T>())?;
    (position < slice.len() && bytes_in % size_of::<T>() == 0).then_some(position)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_byte_of_an_element_is_its_address() {
        let elements = [[1_u8; 6]; 4];
        let first: *const [u8; 6] = elements.as_ptr();
        let slice = &elements[1..3];
        let position = |bytes: usize| position_in(slice, first.wrapping_byte_add(bytes));
        for bytes in 0..24 {
            let expected = [(6, 0), (12, 1)].into_iter().find(|(start, _)| *start == bytes);
            assert_eq!(position(bytes), expected.map(|(_, position)| position), "{bytes}");
        }
        assert_eq!(position_in(&[(); 3], core::ptr::dangling::<()>()), None);
        assert_eq!(position_in::<[u8; 6], _>(&[], first), None);
    }
}
