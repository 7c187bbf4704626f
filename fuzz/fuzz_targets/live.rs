//! Bytes as a live trace: read and planned, or refused in one line, never a panic; and each line as `watch` reads it.

#![no_main]

mod common;

use millpond_plan::trace::live::{HEADER, live_line};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    common::plan(&[HEADER, b"\n"].concat(), bytes);
    for line in bytes.split(|&byte| byte == b'\n') {
        if let Err(told) = live_line(line) {
            assert!(!told.is_empty() && !told.contains('\n'), "not one line: {told:?}");
        }
    }
});
