//! Size classes: raw memory in slots of several sizes.
//!
//! # Invariant
//!
//! What a class [keeps](Kept) are slots that [`SizeClasses`] has handed out for the class's own layout, and that nobody
//! uses. All slots of classes that keep some are taken with that layout, whatever the request's was.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::alloc::Layout;
use core::ffi::c_void;
use core::ptr::{self, NonNull};
use core::slice;

use millpond_memory::SizeClasses;
use millpond_memory::size_classes::{Overflow, SizeClassesError};

use crate::callbacks::boxed;
use crate::status::{Status, status_of};

/// `mp_class`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Class {
    bytes: usize,
    slots: usize,
}

/// How many slots a class keeps at most: what fits into one cache line.
const KEPT_MAX: usize = 5;

/// The slots of a class that were given back last, for the requests that come next. These then touch neither the slot
/// nor the header of its block, which in a large program are two cache misses; and all headers, at the beginnings of
/// blocks of 16 KiB, compete for the same few lines of the cache.
#[repr(C, align(64))]
struct Kept {
    len: usize,
    slots: [Option<NonNull<u8>>; KEPT_MAX],
    layout: Layout,
}

impl Kept {
    fn new(slot_bytes: usize) -> Self {
        let align = 1 << slot_bytes.trailing_zeros().min(6);
        let layout = Layout::from_size_align(slot_bytes, align).unwrap_or(Layout::new::<()>());
        Self { len: 0, slots: [None; KEPT_MAX], layout }
    }

    fn pop(&mut self) -> Option<NonNull<u8>> {
        let last = self.len.checked_sub(1)?;
        let slot = *self.slots.get(last)?;
        self.len = last;
        slot
    }

    /// Keeps a slot, if there is room.
    fn push(&mut self, slot: NonNull<u8>) -> bool {
        let Some(place) = self.slots.get_mut(self.len) else { return false };
        *place = Some(slot);
        self.len += 1;
        true
    }
}

/// `mp_classes`.
pub struct Classes {
    classes: SizeClasses,
    /// By class. None keep any unless the classes grow: a slot that is kept could be all that another class is refused
    /// for; and where requests fall back, memory of a class may be the C library's.
    kept: Box<[Kept]>,
}

impl Classes {
    fn new(classes: SizeClasses) -> Result<Self, Status> {
        let mut kept = Vec::new();
        if classes.overflow() == Overflow::Grow {
            let sizes = classes.class_stats().map(|class| class.slot_bytes);
            kept.try_reserve_exact(sizes.len()).map_err(|_| Status::OUT_OF_MEMORY)?;
            kept.extend(sizes.map(Kept::new));
        }
        Ok(Self { classes, kept: kept.into_boxed_slice() })
    }

    fn kept_of(&mut self, layout: Layout) -> Option<&mut Kept> {
        let class = self.classes.class_of(layout)?;
        self.kept.get_mut(class)
    }

    fn take(&mut self, layout: Layout) -> Option<NonNull<u8>> {
        let Some(kept) = self.kept_of(layout) else {
            return self.classes.allocate(layout).ok().map(NonNull::cast);
        };
        if let Some(slot) = kept.pop() {
            return Some(slot);
        }
        let layout = kept.layout;
        match self.classes.allocate(layout) {
            Ok(slot) => Some(slot.cast()),
            Err(_) => self.take_after_giving(layout),
        }
    }

    /// There is no memory for another block, but what is kept may be whole blocks.
    #[cold]
    #[inline(never)]
    fn take_after_giving(&mut self, layout: Layout) -> Option<NonNull<u8>> {
        if self.give_kept() == 0 {
            return None;
        }
        self.classes.allocate(layout).ok().map(NonNull::cast)
    }

    /// # Safety
    ///
    /// The memory was taken with this layout, and nobody uses it any more.
    unsafe fn give(&mut self, memory: NonNull<u8>, layout: Layout) {
        let mut layout = layout;
        if let Some(kept) = self.kept_of(layout) {
            if kept.push(memory) {
                return;
            }
            // What it was taken with (the invariant).
            layout = kept.layout;
        }
        // SAFETY: as the caller promises.
        unsafe { self.classes.deallocate(memory, layout) };
    }

    /// Gives back what is kept, and says how many slots that were.
    fn give_kept(&mut self) -> usize {
        let mut given = 0;
        for kept in &mut self.kept {
            while let Some(slot) = kept.pop() {
                // SAFETY: the invariant.
                unsafe { self.classes.deallocate(slot, kept.layout) };
                given += 1;
            }
        }
        given
    }
}

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
    status_of(built.and_then(Classes::new).and_then(boxed).map(|classes| {
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
        (unsafe { classes.as_mut() }, Layout::from_size_align(bytes, align))
    else {
        return ptr::null_mut();
    };
    classes.take(layout).map_or(ptr::null_mut(), |memory| memory.as_ptr().cast())
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
        unsafe { classes.as_mut() },
        NonNull::new(memory.cast::<u8>()),
        Layout::from_size_align(bytes, align),
    ) else {
        return;
    };
    // SAFETY: as the caller promises.
    unsafe { classes.give(memory, layout) };
}

/// See the header.
///
/// # Safety
///
/// `classes` is null, or one that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mp_classes_shrink(classes: *mut Classes) -> usize {
    // SAFETY: as the caller promises.
    unsafe { classes.as_mut() }.map_or(0, |classes| {
        classes.give_kept();
        classes.classes.shrink_to_fit()
    })
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
    let stats = classes.classes.stats();
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
