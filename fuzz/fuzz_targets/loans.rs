//! Bytes as a trace of loans: read and planned, or refused in one line, never a panic.

#![no_main]

mod common;

use millpond_lend::TRACE_HEADER;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| common::plan_loans(&[TRACE_HEADER.as_bytes(), b"\n"].concat(), bytes));
