//! `families/model` as a program of its own, for long runs of optimised builds. `cargo test` runs it as a part of
//! `families`, whose pools it shares.

mod common;
mod subject;

#[path = "families/model/mod.rs"]
mod model;
