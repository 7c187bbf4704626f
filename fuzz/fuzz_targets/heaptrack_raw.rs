//! Bytes as a raw recording of heaptrack: read and planned, or refused in one line, never a panic.

#![no_main]

mod common;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| common::plan(b"v 10400 3\nx 6 ./game\n", bytes));
