//! What is asked of the allocator, and refused by it: tests that no sanitizer runs, because they count allocations, bytes or
//! pages, or have types of a TiB, for which the instrumenting compiler runs out of memory.
//!
//! To run one file: `cargo test -p millpond --test memory any_pool`.

#[path = "../common/mod.rs"]
mod common;

mod any_pool;
mod bytes_per_slot;
mod clones_in_place;
mod each_allocation;
mod large_values;
mod limits;
mod side_table;
mod small_pools;

use millpond_testkit::allocations;

#[global_allocator]
static ALLOCATOR: allocations::Counting = allocations::Counting;
