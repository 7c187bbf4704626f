//! The parts of `families` that are run for other platforms (`ci/determinism`), by an interpreter (`ci/sanitizers miri`)
//! and optimised (`.ci/run`), without the others. `cargo test` runs them in `families`.

mod common;
mod subject;

#[path = "families/determinism.rs"]
mod determinism;
#[cfg(debug_assertions)]
#[path = "families/miri.rs"]
mod miri;
#[path = "families/model/mod.rs"]
mod model;
