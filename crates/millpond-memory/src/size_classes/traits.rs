//! The traits of the crate `allocator-api2`.
//!
//! # Invariant
//!
//! Memory of a [`SizeClasses`] stays valid until it is freed or the allocator is dropped. The `&self` that allocated it
//! and all copies of that reference are the same allocator.

use allocator_api2::alloc::{AllocError, Allocator};
use core::alloc::Layout;
use core::ptr::NonNull;

use super::{Refused, SizeClasses};

fn refused(_: Refused) -> AllocError {
    AllocError
}

/// Pass `&memory` to `new_in` of the vectors, boxes and hash maps of `allocator-api2` and
/// `hashbrown`.
// SAFETY: allocated memory stays valid until it is freed, because the reference keeps the allocator
// from being moved or dropped; a copy of the reference is the same allocator.
unsafe impl Allocator for &SizeClasses {
    #[inline]
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        SizeClasses::allocate(self, layout).map_err(refused)
    }

    #[inline]
    unsafe fn deallocate(&self, memory: NonNull<u8>, layout: Layout) {
        // SAFETY: the trait has the same contract.
        unsafe { SizeClasses::deallocate(self, memory, layout) };
    }

    #[inline]
    unsafe fn grow(
        &self,
        memory: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        // SAFETY: the trait has the same contract.
        unsafe { SizeClasses::grow(self, memory, old, new) }.map_err(refused)
    }

    #[inline]
    unsafe fn shrink(
        &self,
        memory: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        // SAFETY: the trait has the same contract.
        unsafe { SizeClasses::shrink(self, memory, old, new) }.map_err(refused)
    }
}
