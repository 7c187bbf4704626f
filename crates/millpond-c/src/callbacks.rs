//! What crosses the border by value, and functions of the C program and the C library.

use alloc::boxed::Box;
use core::alloc::Layout;
use core::ffi::c_void;
use core::ptr::NonNull;

use crate::status::Status;
use crate::sum::Sum;

/// `mp_handle`: a struct, which not every platform passes as the number in it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Bits {
    pub(crate) bits: u64,
}

pub(crate) type Take = unsafe extern "C" fn(usize, usize, *mut c_void) -> *mut c_void;
pub(crate) type Give = unsafe extern "C" fn(*mut c_void, usize, usize, *mut c_void);
pub(crate) type Key = unsafe extern "C" fn(*const c_void, Bits, *mut c_void) -> i64;
pub(crate) type Visit = unsafe extern "C" fn(*mut c_void, Bits, *mut c_void);
pub(crate) type AddToSum = unsafe extern "C" fn(*const c_void, *mut Sum, *mut c_void);
pub(crate) type Move = unsafe extern "C" fn(*mut c_void, *mut c_void, usize);
pub(crate) type Poison = unsafe extern "C" fn(*const c_void, usize);
pub(crate) type Write = unsafe extern "C" fn(*const u8, usize, *mut c_void) -> bool;

unsafe extern "C" {
    fn free(memory: *mut c_void);
    safe fn aligned_alloc(align: usize, bytes: usize) -> *mut c_void;
}

/// Memory of the C library for a layout; null if there is none.
pub(crate) fn c_take(layout: Layout) -> *mut c_void {
    let align = layout.align().max(align_of::<usize>());
    // The C standard wants a multiple of the alignment.
    match layout.size().max(1).checked_next_multiple_of(align) {
        Some(bytes) => aligned_alloc(align, bytes),
        None => core::ptr::null_mut(),
    }
}

/// A box, or `OUT_OF_MEMORY` where `Box::new` would end the program.
pub(crate) fn boxed<T>(value: T) -> Result<Box<T>, Status> {
    if size_of::<T>() == 0 {
        return Ok(Box::new(value));
    }
    // SAFETY: the layout has bytes.
    let memory = unsafe { alloc::alloc::alloc(Layout::new::<T>()) };
    let place = NonNull::new(memory.cast::<T>()).ok_or(Status::OUT_OF_MEMORY)?;
    // SAFETY: the memory has the layout of the value.
    unsafe { place.write(value) };
    // SAFETY: it came from the allocator of boxes, and holds a value.
    Ok(unsafe { Box::from_raw(place.as_ptr()) })
}

/// Gives it back.
///
/// # Safety
///
/// The memory came from [`c_take`], and nobody uses it.
pub(crate) unsafe fn c_free(memory: *mut c_void) {
    // SAFETY: as the caller promises.
    unsafe { free(memory) };
}
