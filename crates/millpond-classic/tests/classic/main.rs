//! The four published designs.

#[path = "../../../millpond/tests/common/mod.rs"]
mod common;

mod bytemap;
mod debug_aids;
#[path = "../../examples/designs.rs"]
mod designs;
mod object_pool;
mod particle;
mod patterns;
mod pool_allocator;
mod roster;

use millpond_testkit::allocations;

#[global_allocator]
static ALLOCATOR: allocations::Counting = allocations::Counting;
