//! Takes the place of `home` without the standard library, and in models.

/// A number that usually differs between threads; without the standard library, it is computed from
/// the address of the stack. The stacks of two threads are at least some hundred KiB apart on
/// machines that benefit from many homes.
#[inline]
pub(super) fn of_this_thread() -> usize {
    // Schedules of models are replayed, and must give the same results.
    if cfg!(all(test, any(loom, shuttle))) {
        return 0;
    }
    let here = 0_u8;
    let address = core::ptr::from_ref(&here).addr() as u64;
    // 2^64 divided by the golden ratio: neighbouring stacks come far apart (Fibonacci hashing).
    ((address >> 21).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize
}

/// The default number of homes, as the number of processors is not known. Threads come to homes by chance here, so there
/// are many.
#[inline]
pub(super) fn default_number() -> usize {
    64
}
