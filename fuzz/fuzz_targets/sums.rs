//! Bytes as a file of DHAT, and as a table of memray's sums: planned within their bounds, or refused in one line, never a panic.

#![no_main]

mod common;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    common::plan_sums(b"{\"dhatFileVersion\":2,\"mode\":", bytes);
    common::plan_sums(b"at_peak,bytes_at_peak,left,bytes_left,stack\n", bytes);
});
