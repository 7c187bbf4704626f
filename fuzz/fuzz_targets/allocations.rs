//! Bytes as a table of allocations: read and planned, or refused in one line, never a panic.

#![no_main]

mod common;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| common::plan(b"ms,event,address,size,stack\n", bytes));
