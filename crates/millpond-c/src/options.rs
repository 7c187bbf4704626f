//! Options as a C program sets them, and what is known of them after the check.

use alloc::str;
use core::alloc::Layout;
use core::ffi::{CStr, c_char, c_void};
use core::mem::offset_of;
use core::ptr;

use crate::callbacks::{Give, Take};
use crate::status::Status;

/// `mp_options`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Options {
    pub(crate) size: u32,
    pub(crate) slots: u32,
    pub(crate) value_bytes: u32,
    pub(crate) value_align: u32,
    pub(crate) order: u32,
    pub(crate) index_bits: u32,
    pub(crate) full: u32,
    pub(crate) lifetimes: u32,
    pub(crate) flags: u32,
    /// Other than 0: the pool grows up to so many slots.
    pub(crate) slots_max: u32,
    pub(crate) salt: u64,
    pub(crate) name: *const c_char,
    pub(crate) memory: *mut c_void,
    pub(crate) memory_bytes: usize,
    pub(crate) take: Option<Take>,
    pub(crate) give: Option<Give>,
    pub(crate) user: *mut c_void,
}

impl Options {
    /// Only memory that the library takes is known to be zeroed; growth and filled slots would touch it.
    fn may_be_untouched(&self) -> bool {
        self.memory.is_null()
            && self.take.is_none()
            && self.slots_max == 0
            && self.flags & FILLED == 0
    }
}

pub(crate) const WRAP: u32 = 1;
pub(crate) const ZEROED: u32 = 2;
pub(crate) const FILLED: u32 = 4;
pub(crate) const UNTOUCHED: u32 = 8;
pub(crate) const EVICT_OLDEST: u32 = 1;

/// A name has at most so many bytes.
pub(crate) const NAME_BYTES_MAX: usize = 127;

/// More bytes than any version's options will have: what says so is no such struct.
const OPTIONS_BYTES_MAX: usize = 4096;

/// Where the options of an earlier version may end: behind a field, never within one, where half a pointer would count.
const ENDS: [usize; 14] = [
    offset_of!(Options, order),
    offset_of!(Options, index_bits),
    offset_of!(Options, full),
    offset_of!(Options, lifetimes),
    offset_of!(Options, flags),
    offset_of!(Options, slots_max),
    offset_of!(Options, salt),
    offset_of!(Options, name),
    offset_of!(Options, memory),
    offset_of!(Options, memory_bytes),
    offset_of!(Options, take),
    offset_of!(Options, give),
    offset_of!(Options, user),
    size_of::<Options>(),
];

/// What the options say, all of it in range.
#[derive(Clone, Copy)]
pub(crate) struct Checked<'a> {
    pub(crate) raw: Options,
    pub(crate) value: Layout,
    pub(crate) name: Option<&'a str>,
}

/// Reads options of this version, a former one or a later one.
///
/// # Safety
///
/// `options` is null, or points to as many bytes as its `size` says, which stay as they are while the result is used;
/// its `name` is null or text that ends with a 0.
pub(crate) unsafe fn read<'a>(options: *const Options) -> Result<Checked<'a>, Status> {
    if options.is_null() {
        return Err(Status::NULL_POINTER);
    }
    // SAFETY: the size stands first in every version.
    let size = unsafe { options.cast::<u32>().read_unaligned() } as usize;
    let ours = size_of::<Options>();
    if size > OPTIONS_BYTES_MAX || (size <= ours && !ENDS.contains(&size)) {
        return Err(Status::BAD_OPTIONS);
    }
    for at in ours..size.max(ours) {
        // SAFETY: the struct has so many bytes.
        let byte = unsafe { options.cast::<u8>().add(at) };
        // SAFETY: as above.
        if unsafe { byte.read() } != 0 {
            return Err(Status::UNKNOWN_OPTIONS);
        }
    }
    // SAFETY: numbers, null pointers and missing functions: all bits may be 0.
    let mut raw: Options = unsafe { core::mem::zeroed() };
    let to = ptr::from_mut(&mut raw).cast::<u8>();
    // SAFETY: both have so many bytes, and `raw` is our own.
    unsafe { to.copy_from_nonoverlapping(options.cast(), size.min(ours)) };
    // SAFETY: as the caller promises.
    unsafe { check(raw) }
}

/// # Safety
///
/// As [`read`] of the name.
unsafe fn check<'a>(mut raw: Options) -> Result<Checked<'a>, Status> {
    let has_memory = !raw.memory.is_null();
    let is_sound = raw.flags & !(WRAP | ZEROED | FILLED | UNTOUCHED) == 0
        && raw.full <= EVICT_OLDEST
        // Memory that is given does not grow.
        && (raw.slots_max == 0 || raw.slots_max >= raw.slots && !has_memory)
        && raw.take.is_some() == raw.give.is_some()
        && !(has_memory && raw.take.is_some())
        && (has_memory || raw.memory_bytes == 0)
        && (raw.flags & UNTOUCHED == 0 || raw.may_be_untouched());
    if !is_sound {
        return Err(Status::BAD_OPTIONS);
    }
    if raw.value_align == 0 {
        raw.value_align = match raw.value_bytes {
            0 => 1,
            bytes => 1 << bytes.trailing_zeros().min(4),
        };
    }
    let value = Layout::from_size_align(raw.value_bytes as usize, raw.value_align as usize)
        .map_err(|_| Status::BAD_OPTIONS)?;
    if value.size() % value.align() != 0 {
        return Err(Status::BAD_OPTIONS);
    }
    let name = if raw.name.is_null() {
        None
    } else {
        // SAFETY: as the caller promises.
        let name = unsafe { CStr::from_ptr(raw.name) }.to_bytes();
        if name.len() > NAME_BYTES_MAX {
            return Err(Status::BAD_OPTIONS);
        }
        Some(str::from_utf8(name).map_err(|_| Status::BAD_OPTIONS)?)
    };
    Ok(Checked { raw, value, name })
}
