//! Tests of one pool or one property each, in one program: that builds faster than a program for each.
//!
//! A file is run by its name: `cargo test -p millpond --test pools snapshot`.

#[path = "../common/allocations.rs"]
mod allocations;
#[path = "../common/mod.rs"]
mod common;

mod block_pool;
mod bytemuck;
mod checksum;
mod debug_output;
mod exhaustion;
mod far_claims;
mod given_memory;
mod handles;
mod iterators;
mod key_types;
mod overflow;
mod packed_pool;
mod questions;
mod reuse_orders;
mod review;
mod revive;
mod saved_pools;
mod serde;
mod side_table_growth;
mod snapshot;
mod static_pool;
mod static_pool_builder;

#[global_allocator]
static ALLOCATOR: allocations::Counting = allocations::Counting;
