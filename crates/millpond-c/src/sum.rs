//! A sum that a function of the C program adds to.

use core::slice;

use millpond::snapshot::Checksum;

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
