//! The library's model, with the pools of the C header beside it: random sequences of operations through the header's own
//! functions, and after each the pool is what the model says. See `crates/millpond/tests/families/model/mod.rs`.
#![cfg(all(target_os = "linux", target_pointer_width = "64"))]

#[path = "../../millpond/tests/common/mod.rs"]
mod common;
#[path = "../../millpond/tests/families/model/sequences.rs"]
mod sequences;
mod subject;
mod support;
