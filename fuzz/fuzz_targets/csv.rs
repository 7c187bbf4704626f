//! Bytes as a lifetime trace: read and planned, or refused in one line, never a panic.

#![no_main]

mod common;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| common::plan(b"tick,event,id,class,size\n", bytes));
