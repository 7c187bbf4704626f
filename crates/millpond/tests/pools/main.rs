//! Tests of one pool or one property each, a file each, in one program: it builds faster than one program for each.
//!
//! To run one file: `cargo test -p millpond --test pools snapshot`.

#[path = "../common/mod.rs"]
mod common;

mod answers;
mod attacked;
mod bytemuck;
mod checksum;
mod debug_output;
mod detached;
mod exhaustion;
mod far_claims;
mod given_memory;
mod growing;
mod handles;
mod handles_and_entries;
mod idle;
mod iterators;
mod key_types;
mod large_pools;
mod migration;
mod other_pool;
mod overflow;
mod own_names;
mod packed_pool;
mod packed_vec_pool;
mod peak;
mod reuse_orders;
mod revive;
mod saved_pools;
mod saved_struct;
mod saved_used_part;
mod serde;
mod side_table_growth;
mod snapshot;
mod static_pool;
mod static_pool_builder;
mod threads;
mod vec_pool;

use millpond_testkit::allocations;

#[global_allocator]
static ALLOCATOR: allocations::Counting = allocations::Counting;
