//! Feature `bytemuck`: handles as bytes, and objects of zeroes.

use bytemuck::NoUninit;
use millpond::{Handle, Handle32, Recycler};

/// What handles are of.
struct Light;

/// A handle among plain data.
#[derive(Clone, Copy)]
#[repr(C)]
struct Child {
    parent: Handle<Light>,
    offset: [u32; 2],
}
// SAFETY: 16 bytes without padding.
unsafe impl NoUninit for Child {}

#[test]
fn a_handle_is_plain_data_to_write_but_not_to_read() {
    let handle = Handle::<Light>::from_parts(3, 7).unwrap();
    assert_eq!(bytemuck::bytes_of(&handle), handle.to_bits().to_ne_bytes());
    let dangling = Handle::<Light>::DANGLING;
    assert_eq!(bytemuck::bytes_of(&dangling), (dangling.to_bits() | 1 << 31).to_ne_bytes());
    let small = Handle32::<Light, 24>::from_parts(3, 7).unwrap();
    assert_eq!(bytemuck::bytes_of(&small), (3_u32 << 8 | 7).to_ne_bytes());
    let child = Child { parent: handle, offset: [1, 2] };
    assert_eq!(bytemuck::bytes_of(&child)[..8], handle.to_bits().to_ne_bytes());
    assert_eq!(child.offset.len(), 2);
}

#[test]
fn a_recycler_begins_with_zeroes() {
    assert_eq!(Recycler::<[f32; 2]>::zeroed(3).as_slice(), [[0.0; 2]; 3]);
}
