//! The parts of `families` that are run for other platforms (`ci/determinism`) and optimised (`.ci/run`), without the
//! others: `cargo test` runs them in `families`. And what an interpreter runs (`ci/sanitizers miri`), which takes types
//! of its own: natively, `.ci/run small_worlds` runs it.

mod common;
mod subject;

#[path = "families/determinism.rs"]
mod determinism;
#[path = "families/miri.rs"]
mod miri;
#[path = "families/model/mod.rs"]
mod model;
