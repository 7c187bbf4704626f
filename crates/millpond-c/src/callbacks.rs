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
pub(crate) type Convert =
    unsafe extern "C" fn(*mut c_void, *const c_void, usize, Bits, *mut c_void);
pub(crate) type Poison = unsafe extern "C" fn(*const c_void, usize);
pub(crate) type Write = unsafe extern "C" fn(*const u8, usize, *mut c_void) -> bool;

unsafe extern "C" {
    fn free(memory: *mut c_void);
    #[cfg(not(windows))]
    safe fn aligned_alloc(align: usize, bytes: usize) -> *mut c_void;
    safe fn calloc(count: usize, bytes: usize) -> *mut c_void;
}

// The C library of Windows has no `aligned_alloc`, and what takes its place has a `free` of its own.
#[cfg(windows)]
unsafe extern "C" {
    safe fn _aligned_malloc(bytes: usize, align: usize) -> *mut c_void;
    fn _aligned_free(memory: *mut c_void);
}

#[cfg(windows)]
fn aligned_alloc(align: usize, bytes: usize) -> *mut c_void {
    _aligned_malloc(bytes, align)
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

/// The same, all bytes 0: large pieces are pages that the system provides when they are first written to. No function of
/// the C library aligns such memory, so there is room to do it, behind the address that goes back.
pub(crate) fn c_take_zeroed(layout: Layout) -> *mut c_void {
    let align = layout.align().max(align_of::<*mut c_void>());
    let Some(whole) = layout.size().checked_add(align).map(|bytes| calloc(1, bytes)) else {
        return core::ptr::null_mut();
    };
    if whole.is_null() {
        return whole;
    }
    // At least the size of a pointer, to which `calloc` aligns; at most the alignment.
    let skipped = align - whole.addr() % align;
    // SAFETY: there are as many bytes, and those of the layout behind them.
    let block = unsafe { whole.byte_add(skipped) };
    // SAFETY: a pointer fits in what is skipped.
    let before = unsafe { block.cast::<*mut c_void>().sub(1) };
    // SAFETY: as above; it is aligned, as the block is.
    unsafe { before.write(whole) };
    block
}

/// Gives it back.
///
/// # Safety
///
/// The memory came from [`c_take_zeroed`], and nobody uses it.
pub(crate) unsafe extern "C" fn c_give_zeroed(
    block: *mut c_void,
    _bytes: usize,
    _align: usize,
    _user: *mut c_void,
) {
    // SAFETY: the address of all of it lies right before the block.
    let before = unsafe { block.cast::<*mut c_void>().sub(1) };
    // SAFETY: as above; nobody wrote there since.
    let whole = unsafe { before.read() };
    // SAFETY: it came from the C library.
    unsafe { free(whole) };
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
    #[cfg(windows)]
    let free = _aligned_free;
    // SAFETY: as the caller promises.
    unsafe { free(memory) };
}
