//! Random sequences of operations on every pool type, reuse order and handle layout, with slots that
//! retire early, wrap, or do neither, against a plain model. After each operation the pool is what the
//! model says, and `validate` finds nothing. A sequence that fails is shrunk to a short one, and printed with
//! what was found: as the arguments of `follow`, in a test of its own, it fails again at once.
//!
//! `MILLPOND_MODEL_FACTOR=20` runs as many times more.

mod common;
mod subject;

#[path = "model/sequences.rs"]
mod sequences;
