//! The requests of a program to callgrind, as in valgrind's `callgrind.h`. Elsewhere than on x86-64 they do nothing.
#![allow(dead_code, reason = "each program makes some of them")]

use std::ffi::CStr;

const BASE: u64 = (b'C' as u64) << 24 | (b'T' as u64) << 16;

#[inline(always)]
#[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables))]
fn request(code: u64, argument: u64) {
    #[cfg(target_arch = "x86_64")]
    {
        let arguments = [BASE + code, argument, 0, 0, 0, 0];
        // SAFETY: outside valgrind the rotations add up to nothing, and the exchange of a register with
        // itself does nothing. Valgrind takes them for a request, and reads the arguments.
        unsafe {
            std::arch::asm!(
                "rol rdi, 3",
                "rol rdi, 13",
                "rol rdi, 61",
                "rol rdi, 51",
                "xchg rbx, rbx",
                in("rax") &arguments,
                inout("rdx") 0_u64 => _,
                inout("rdi") 0_u64 => _,
            );
        }
    }
}

/// Counts from here on, if it did not from the program's start.
pub fn start() {
    request(4, 0);
}

#[inline(always)]
pub fn begin_count() {
    request(1, 0);
}

/// Does this without counting it.
pub fn uncounted<R>(task: impl FnOnce() -> R) -> R {
    request(2, 0);
    let result = task();
    request(2, 0);
    result
}

/// Writes out what was counted since `begin_count`.
#[inline(always)]
pub fn end_count(what: &CStr) {
    request(3, what.as_ptr() as u64);
}
