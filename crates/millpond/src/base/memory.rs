//! Allocating memory, and touching its pages.
//!
//! The system provides address space, not memory: a page fault occurs when a page is first written.
//! So a pool of a fixed capacity takes all of its memory at creation, and writes to every page before it is returned. (One
//! that is built untouched does not write, and a pool that grows takes more on the way.)
//!
//! # Invariant
//!
//! The unsafe code here makes and writes only `MaybeUninit`, for which any bytes are valid, and boxes, each in memory that was
//! allocated for its type.

use alloc::alloc::{alloc, alloc_zeroed, dealloc, realloc};
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::alloc::Layout;
use core::hint::black_box;
use core::mem::MaybeUninit;
use core::ptr::{self, NonNull};
use core::slice;

pub use crate::base::address::position_in;
use crate::base::bytes::bytes_of;

/// The smallest page of the platforms that have pages.
pub(crate) const PAGE_BYTES: usize = 4096;

pub use crate::base::OutOfMemory;

/// Memory of this layout, from the global allocator; an aligned address if the layout has no bytes.
#[inline]
pub fn take(layout: Layout) -> Result<NonNull<u8>, OutOfMemory> {
    match layout.size() {
        0 => Ok(dangling(layout)),
        // SAFETY: the size is not 0.
        _ => NonNull::new(unsafe { alloc(layout) }).ok_or(OutOfMemory),
    }
}

/// The same, every page written.
pub fn take_touched(layout: Layout) -> Result<NonNull<u8>, OutOfMemory> {
    let memory = take(layout)?;
    let start = memory.as_ptr().cast::<MaybeUninit<u8>>();
    // SAFETY: nobody else has the memory, which has so many bytes, or none.
    touch(unsafe { slice::from_raw_parts_mut(start, layout.size()) });
    Ok(memory)
}

/// The same as [`take`], all bytes 0. The system provides large pieces page by page, when they are first written to, unless the alignment
/// is more than 16.
#[inline]
pub fn take_zeroed(layout: Layout) -> Result<NonNull<u8>, OutOfMemory> {
    match layout.size() {
        0 => Ok(dangling(layout)),
        // SAFETY: the size is not 0.
        _ => NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or(OutOfMemory),
    }
}

/// Gives back memory.
///
/// # Safety
///
/// It is from [`take`] or [`take_zeroed`], with this layout, and nobody uses it any more.
#[inline]
pub unsafe fn give_back(memory: NonNull<u8>, layout: Layout) {
    if layout.size() > 0 {
        // SAFETY: as the caller promises, it came from the allocator with this layout.
        unsafe { dealloc(memory.as_ptr(), layout) };
    }
}

/// Memory of another size, where it is or elsewhere, with the bytes that both sizes have. On an error, it is as before.
///
/// # Safety
///
/// It is from [`take`] or [`take_zeroed`], with the layout `from`, and nobody uses it any more if this succeeds; `to` has the same
/// alignment. Neither is empty.
#[inline]
pub unsafe fn resize(
    memory: NonNull<u8>,
    from: Layout,
    to: Layout,
) -> Result<NonNull<u8>, OutOfMemory> {
    // SAFETY: as the caller promises, it came from the allocator with this layout, and the new size is that of a layout
    // and not 0.
    NonNull::new(unsafe { realloc(memory.as_ptr(), from, to.size()) }).ok_or(OutOfMemory)
}

/// No memory, only an aligned address.
#[inline]
pub const fn dangling(layout: Layout) -> NonNull<u8> {
    match NonNull::new(ptr::without_provenance_mut(layout.align())) {
        Some(address) => address,
        None => NonNull::dangling(),
    }
}

/// A value in a box, where `Box::new` would abort without memory.
pub fn boxed<V>(value: V) -> Result<Box<V>, OutOfMemory> {
    let place = take(Layout::new::<V>())?.cast::<V>();
    // SAFETY: the memory is that of the layout, or there are no bytes.
    unsafe { place.write(value) };
    // SAFETY: it is from the global allocator, with the layout of the value that it has, and nobody else has it.
    Ok(unsafe { Box::from_raw(place.as_ptr()) })
}

/// A slice of copies of one value, every page of it written.
pub fn filled<V: Copy>(len: usize, value: V) -> Result<Box<[V]>, OutOfMemory> {
    let mut values = reserved(len)?;
    values.resize(len, value);
    // Compilers may turn a fill with zeros right after an allocation into an allocation of
    // untouched zero pages; the black box prevents this.
    let mut values = values.into_boxed_slice();
    black_box(&mut values[..]).fill(value);
    Ok(values)
}

/// A slice whose elements a function computes from their indices.
pub fn from_fn<V>(len: usize, mut f: impl FnMut(usize) -> V) -> Result<Box<[V]>, OutOfMemory> {
    let mut values = reserved(len)?;
    values.extend((0..len).map(&mut f));
    Ok(values.into_boxed_slice())
}

/// An empty vector with room for exactly `len` values.
pub fn reserved<V>(len: usize) -> Result<Vec<V>, OutOfMemory> {
    let mut values = Vec::new();
    values.try_reserve_exact(len).map_err(|_| OutOfMemory)?;
    Ok(values)
}

/// An empty vector with room for exactly `len` values, every page of it written.
pub fn reserved_and_touched<V>(len: usize) -> Result<Vec<V>, OutOfMemory> {
    let mut values = reserved(len)?;
    touch(bytes_of(values.spare_capacity_mut()));
    Ok(values)
}

/// Writes a byte in every page, so that the system has provided them all.
pub fn touch(bytes: &mut [MaybeUninit<u8>]) {
    let mut at = 0;
    while at < bytes.len() {
        bytes[at] = MaybeUninit::new(0);
        at += PAGE_BYTES;
    }
    if let Some(last) = bytes.last_mut() {
        *last = MaybeUninit::new(0);
    }
    // Otherwise the compiler might remove the writes, because nothing reads them.
    black_box(bytes);
}

/// Like [`touch`], where there are values: no byte changes.
pub fn rewrite<V>(values: &mut [MaybeUninit<V>]) {
    for byte in bytes_of(values).iter_mut().step_by(PAGE_BYTES) {
        // The compiler does not know that it is the same.
        *byte = black_box(*byte);
    }
}
