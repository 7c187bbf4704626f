//! Tests of one pool or one property each, a file each, in one program: it builds faster than one program for each.
//!
//! To run one file: `cargo test -p millpond --test pools snapshot`.

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
mod saved_struct;
mod serde;
mod side_table_growth;
mod snapshot;
mod static_pool;
mod static_pool_builder;
mod threads;

#[global_allocator]
static ALLOCATOR: allocations::Counting = allocations::Counting;
