//! Tells AddressSanitizer which memory of a pool is dead, in builds that have it
//! (`--cfg millpond_asan`). Nothing otherwise.
//!
//! To the sanitizer, memory that a pool has taken is alive until the pool gives it back: only the pool
//! knows that a slot of it is dead. What is poisoned may not be used until it is unpoisoned; the
//! sanitizer ends the program that does. Whoever poisons memory unpoisons it before it goes back to the
//! allocator, which may not be the sanitizer's own.
//!
//! Invariant: these functions write the sanitizer's notes and nothing else, so that calling them is safe.
//!
//! The sanitizer knows memory by eights: bytes in front of the first multiple of eight stay accessible.

use core::mem::MaybeUninit;

#[cfg(millpond_asan)]
unsafe extern "C" {
    fn __asan_poison_memory_region(start: *const u8, bytes: usize);
    fn __asan_unpoison_memory_region(start: *const u8, bytes: usize);
}

/// These slots are dead.
#[inline]
pub(crate) fn poison<V>(slots: &mut [MaybeUninit<V>]) {
    poison_at(slots.as_mut_ptr().cast(), size_of_val(slots));
}

/// These slots are about to get values, or to go.
#[inline]
pub(crate) fn unpoison<V>(slots: &mut [MaybeUninit<V>]) {
    unpoison_at(slots.as_mut_ptr().cast(), size_of_val(slots));
}

/// Like [`poison`], for memory that is reached through raw pointers. The memory is the caller's.
#[inline]
pub(crate) fn poison_at(start: *mut u8, bytes: usize) {
    #[cfg(millpond_asan)]
    // SAFETY: this writes nothing but the sanitizer's notes. A use of the memory, if there is one, ends
    // the program before it happens.
    unsafe {
        __asan_poison_memory_region(start, bytes);
    }
    let _ = (start, bytes);
}

/// Like [`unpoison`], for memory that is reached through raw pointers. The memory is the caller's.
#[inline]
pub(crate) fn unpoison_at(start: *mut u8, bytes: usize) {
    #[cfg(millpond_asan)]
    // SAFETY: as above. Without a note, the memory is as accessible as in a build without sanitizer.
    unsafe {
        __asan_unpoison_memory_region(start, bytes);
    }
    let _ = (start, bytes);
}
