//! Size classes: raw memory in slots of several sizes.

use alloc::boxed::Box;
use core::alloc::Layout;
use core::ffi::c_void;
use core::ptr::{self, NonNull};
use core::slice;

use millpond::SizeClasses;
use millpond::size_classes::{Overflow, SizeClassesError};

use crate::callbacks::boxed;
use crate::status::{Status, status_of};

/// `mp_class`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Class {
    bytes: usize,
    slots: usize,
}

/// `mp_classes`.
#[repr(transparent)]
pub struct Classes(SizeClasses);

/// See the header.
///
/// # Safety
///
/// `classes` is null or there are `count` of them; `out` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_classes_create(
    classes: *const Class,
    count: usize,
    overflow: u32,
    out: *mut *mut Classes,
) -> Status {
    if out.is_null() {
        return Status::NULL_POINTER;
    }
    // SAFETY: as the caller promises.
    unsafe { out.write(ptr::null_mut()) };
    let overflow = match overflow {
        0 => Overflow::Grow,
        1 => Overflow::Refuse,
        2 => Overflow::FallBack,
        _ => return Status::BAD_OPTIONS,
    };
    let mut builder = SizeClasses::builder().overflow(overflow);
    if classes.is_null() {
        builder = builder.classes_up_to(1024);
    } else {
        // SAFETY: as the caller promises.
        for class in unsafe { slice::from_raw_parts(classes, count) } {
            builder = builder.class(class.bytes, class.slots);
        }
    }
    let built = builder.try_build().map_err(|error| match error {
        SizeClassesError::OutOfMemory { .. } => Status::OUT_OF_MEMORY,
        _ => Status::BAD_OPTIONS,
    });
    status_of(built.and_then(|classes| boxed(Classes(classes))).map(|classes| {
        // SAFETY: as the caller promises.
        unsafe { out.write(Box::into_raw(classes)) };
    }))
}

/// See the header.
///
/// # Safety
///
/// `classes` is null, or one that nobody uses any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_classes_destroy(classes: *mut Classes) {
    if !classes.is_null() {
        // SAFETY: it came from a box, and nobody has it any more.
        drop(unsafe { Box::from_raw(classes) });
    }
}

/// See the header.
///
/// # Safety
///
/// `classes` is null, or one that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_classes_take(
    classes: *mut Classes,
    bytes: usize,
    align: usize,
) -> *mut c_void {
    // SAFETY: as the caller promises.
    let (Some(classes), Ok(layout)) =
        (unsafe { classes.as_ref() }, Layout::from_size_align(bytes, align))
    else {
        return ptr::null_mut();
    };
    classes.0.allocate(layout).map_or(ptr::null_mut(), |memory| memory.as_ptr().cast())
}

/// See the header.
///
/// # Safety
///
/// `classes` is null, or one that no other thread uses; `memory` is null, or was taken from it with this size and
/// alignment.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_classes_give(
    classes: *mut Classes,
    memory: *mut c_void,
    bytes: usize,
    align: usize,
) {
    // SAFETY: as the caller promises.
    let (Some(classes), Some(memory), Ok(layout)) = (
        unsafe { classes.as_ref() },
        NonNull::new(memory.cast::<u8>()),
        Layout::from_size_align(bytes, align),
    ) else {
        return;
    };
    // SAFETY: as the caller promises.
    unsafe { classes.0.deallocate(memory, layout) };
}

/// See the header.
///
/// # Safety
///
/// `classes` is null, or one that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_classes_shrink(classes: *mut Classes) -> usize {
    // SAFETY: as the caller promises.
    unsafe { classes.as_ref() }.map_or(0, |classes| classes.0.shrink_to_fit())
}

/// `mp_classes_stats`.
#[repr(C)]
#[derive(Default)]
pub struct ClassesStats {
    block_bytes: u64,
    blocks: u64,
    blocks_peak: u64,
    blocks_spare: u64,
    fallen_back: u64,
    fallen_back_bytes: u64,
    refused: u64,
}

/// See the header.
///
/// # Safety
///
/// `classes` is null, or one that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_classes_stats_of(classes: *const Classes) -> ClassesStats {
    // SAFETY: as the caller promises.
    let Some(classes) = (unsafe { classes.as_ref() }) else {
        return ClassesStats::default();
    };
    let stats = classes.0.stats();
    ClassesStats {
        block_bytes: stats.block_bytes as u64,
        blocks: stats.blocks as u64,
        blocks_peak: stats.blocks_peak as u64,
        blocks_spare: stats.blocks_spare as u64,
        fallen_back: stats.fallen_back as u64,
        fallen_back_bytes: stats.fallen_back_bytes as u64,
        refused: stats.refused,
    }
}
