//! Compares every pool type, reuse order and handle layout with a plain model: all short sequences of operations on
//! small pools (`small_worlds`), and random sequences, with slots that retire early, wrap, or do neither. After each
//! operation the pool is what the model says, and `validate` finds nothing. A random sequence that fails is shrunk to a
//! short one and printed with what was found: as the arguments of `follow`, in a test of its own, it fails again at once.
//!
//! `MILLPOND_MODEL_FACTOR=20` runs as many times more.

mod detaching;
mod growing;
pub(crate) mod sequences;
mod small_worlds;
mod worlds;
