//! Marks a pool's dead memory for AddressSanitizer, in builds with `--cfg millpond_asan`. Does
//! nothing otherwise.
//!
//! To the sanitizer, memory that a pool has allocated is alive until the pool frees it: only the
//! pool knows which slots are dead. Poisoned memory must not be used until it is unpoisoned; the
//! sanitizer aborts the program otherwise. Code that poisons memory must unpoison it before it is
//! freed, because the allocator may not be the sanitizer's own.
//!
//! Invariant: these functions write only the sanitizer's shadow memory, so they are safe to call. Unpoisoned memory is as
//! accessible as in a build without the sanitizer; a use of poisoned memory ends the program before it happens.
//!
//! The sanitizer tracks memory in units of eight bytes: bytes before the first multiple of eight
//! stay accessible.

use core::mem::MaybeUninit;

// SAFETY: as the invariant says.
#[cfg(millpond_asan)]
unsafe extern "C" {
    safe fn __asan_poison_memory_region(start: *const u8, bytes: usize);
    safe fn __asan_unpoison_memory_region(start: *const u8, bytes: usize);
}

/// Marks slots as dead.
#[inline]
pub fn poison<V>(slots: &mut [MaybeUninit<V>]) {
    poison_at(slots.as_mut_ptr().cast(), size_of_val(slots));
}

/// Marks slots as usable, because they are about to receive values or to be freed.
#[inline]
pub fn unpoison<V>(slots: &mut [MaybeUninit<V>]) {
    unpoison_at(slots.as_mut_ptr().cast(), size_of_val(slots));
}

/// Like [`poison`], for memory behind raw pointers. The memory belongs to the caller.
#[inline]
pub fn poison_at(start: *mut u8, bytes: usize) {
    #[cfg(millpond_asan)]
    __asan_poison_memory_region(start, bytes);
    let _ = (start, bytes);
}

/// Like [`unpoison`], for memory behind raw pointers. The memory belongs to the caller.
#[inline]
pub fn unpoison_at(start: *mut u8, bytes: usize) {
    #[cfg(millpond_asan)]
    __asan_unpoison_memory_region(start, bytes);
    let _ = (start, bytes);
}
