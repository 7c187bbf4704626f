//! Bytes as a file of DHAT: planned within its bounds, or refused in one line, never a panic.

#![no_main]

mod common;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| common::plan_sums(b"{\"dhatFileVersion\":2,\"mode\":", bytes));
