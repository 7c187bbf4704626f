//! Sums over a pool's state, which are those of Rust.

use core::ffi::c_void;
use core::ptr::NonNull;
use core::slice;

use millpond::snapshot::Checksum;

use crate::callbacks::AddToSum;
use crate::head::Head;
use crate::{kinds, pool};

/// `mp_sum`: a sum that is being made.
#[repr(transparent)]
pub struct Sum(Checksum);

macro_rules! adders {
    ($($name:ident($number:ty);)*) => {$(
        /// See the header.
        ///
        /// # Safety
        ///
        /// `sum` is what the library passed to the function that calls this.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(sum: *mut Sum, number: $number) {
            // SAFETY: as the caller promises.
            if let Some(sum) = unsafe { sum.as_mut() } {
                sum.0.add(&number);
            }
        }
    )*};
}

adders! {
    mp_sum_u64(u64);
    mp_sum_f32(f32);
    mp_sum_f64(f64);
}

/// See the header.
///
/// # Safety
///
/// `sum` is what the library passed to the function that calls this; there are `count` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_sum_bytes(sum: *mut Sum, bytes: *const u8, count: usize) {
    // SAFETY: as the caller promises.
    let Some(sum) = (unsafe { sum.as_mut() }) else {
        return;
    };
    let bytes = match bytes.is_null() {
        true => &[],
        // SAFETY: as the caller promises.
        false => unsafe { slice::from_raw_parts(bytes, count) },
    };
    sum.0.add_bytes(bytes);
}

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
    let (Some(face), Some(head)) = (unsafe { pool::face(pool) }, NonNull::new(pool.cast_mut()))
    else {
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
