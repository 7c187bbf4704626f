//! `families/determinism.rs` as a program of its own, for other platforms and optimised builds: `ci/determinism`.
//! `cargo test` runs it as a part of `families`, whose pools it shares.

mod common;
mod subject;

#[path = "families/determinism.rs"]
mod determinism;
