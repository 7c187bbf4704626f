//! What the header and the library must agree on, for the test that compares them.

use core::ffi::{CStr, c_char};
use core::mem::offset_of;
use core::ptr;

use crate::head::{Head, InC, OFFSETS};
use crate::options::Options;
use crate::packed::{Packed, PackedInC};
use crate::pool::StatsInC;
use crate::status::Status;

macro_rules! fields {
    ($type:ty, $in_c:literal: $($field:ident),*) => {
        &[$((
            match CStr::from_bytes_with_nul(concat!($in_c, ".", stringify!($field), "\0").as_bytes()) {
                Ok(name) => name,
                Err(_) => unreachable!(),
            },
            offset_of!($type, $field),
        )),*]
    };
}

const SIZES: &[(&CStr, usize)] = &[
    (c"sizeof mp_pool", size_of::<InC>()),
    (c"sizeof mp_options", size_of::<Options>()),
    (c"sizeof mp_stats", size_of::<StatsInC>()),
    (c"mp_pool.value_bytes", offset_of!(Head, value_bytes)),
    (c"mp_pool.value_align", offset_of!(Head, value_align)),
    (c"mp_pool.kind_", offset_of!(Head, kind)),
    (c"mp_pool.slow_", offset_of!(Head, slow)),
    (c"mp_pool.quick_top_", offset_of!(Head, quick_top)),
    (c"mp_pool.slow_from_minus_1_", offset_of!(Head, slow_from_minus_1)),
    (c"mp_stats.evicted", offset_of!(StatsInC, evicted)),
    (c"sizeof mp_packed", size_of::<PackedInC>()),
    (c"mp_packed.aids_", offset_of!(Packed, aids)),
    (c"mp_packed.values_", offset_of!(Packed, values)),
    (c"mp_packed.handles_", offset_of!(Packed, handles)),
    (c"mp_packed.count_", offset_of!(Packed, count)),
    (c"mp_packed.value_bytes", offset_of!(Packed, value_bytes)),
    (c"mp_packed.value_align", offset_of!(Packed, value_align)),
    (c"mp_packed.slots_", offset_of!(PackedInC, slots)),
];

const OPTIONS: &[(&CStr, usize)] = fields!(Options, "mp_options":
    size, slots, value_bytes, value_align, order, index_bits, full, lifetimes, flags, slots_max, salt, name, memory,
    memory_bytes, take, give, user);

/// See the header: the entries one by one, then null.
///
/// # Safety
///
/// `number` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_layout_entry_(at: usize, number: *mut usize) -> *const c_char {
    let statuses = Status::ALL.iter().map(|&(name, code)| (name, code as usize));
    let all = SIZES.iter().chain(OPTIONS).chain(OFFSETS).copied().chain(statuses);
    let Some((name, value)) = all.into_iter().nth(at) else {
        return ptr::null();
    };
    if !number.is_null() {
        // SAFETY: as the caller promises.
        unsafe { number.write(value) };
    }
    name.as_ptr()
}
