//! Bytes as a recording of `millpond-heap`, and as one from Tracy's client: read and planned, or refused in one line, never a
//! panic.

#![no_main]

mod common;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    common::plan(b"millpond heap 1\n", bytes);
    common::plan(b"millpond heap 1 tracy\n", bytes);
});
