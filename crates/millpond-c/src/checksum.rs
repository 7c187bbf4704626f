//! Sums over a pool's state, which are those of Rust.

use core::ffi::c_void;
use core::ptr::NonNull;

use millpond::snapshot::Checksum;

use crate::callbacks::AddToSum;
use crate::head::Head;
use crate::kinds;
use crate::opened::face;
use crate::sum::Sum;

/// See the header.
///
/// # Safety
///
/// `pool` is null or a pool that nobody changes; `add` keeps the header's rules.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_pool_checksum(
    pool: *const Head,
    add: Option<AddToSum>,
    user: *mut c_void,
) -> u64 {
    // SAFETY: as the caller promises.
    let (Some(face), Some(head)) = (unsafe { face(pool) }, NonNull::new(pool.cast_mut())) else {
        return 0;
    };
    // SAFETY: as above.
    let bytes = unsafe { (*pool).value_bytes } as usize;
    let values = face.values();
    let add_value = |slot: usize, sum: &mut Checksum| {
        if let Some(add) = add {
            // SAFETY: the slot of a live object.
            let value = unsafe { values.add(slot * bytes) };
            let sum = core::ptr::from_mut(sum).cast::<Sum>();
            // SAFETY: the caller's function, with what it was given for it.
            unsafe { add(value.as_ptr().cast(), sum, user) };
        }
    };
    // SAFETY: as the caller promises.
    unsafe { kinds::checksum(head, &add_value) }
}
