//! `families/miri.rs` as a program of its own, for the interpreter: `ci/sanitizers miri`. `cargo test` runs it as
//! a part of `families`, whose pools it shares.

mod common;
mod subject;

#[path = "families/miri.rs"]
mod miri;
