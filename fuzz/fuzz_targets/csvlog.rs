//! Bytes as PostgreSQL's log: read as loans and planned, or refused in one line, never a panic.

#![no_main]

mod common;

/// A statement of its own, so that the bytes after it are read as this format.
const FIRST_LINE: &[u8] = b"2026-11-22 09:16:56.318 UTC,\"cook\",\"shop\",31,\"[local]\",a.1,5,\"SELECT\",\
    2026-11-22 09:16:56 UTC,3/0,0,LOG,00000,\"duration: 1.585 ms\",,,,,,,,,\"psql\"\n";

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| common::plan_loans(FIRST_LINE, bytes));
