//! Size classes and memory for a frame, against models.
//!
//! To run one file: `cargo test -p millpond-memory --test memory frame_pool`.

#[path = "../../../millpond/tests/common/mod.rs"]
mod common;

mod frame_memory;
mod frame_pool;
mod frame_worlds;
mod size_classes;

use millpond_testkit::allocations;

#[global_allocator]
static ALLOCATOR: allocations::Counting = allocations::Counting;
