//! Pools that several threads use, a file for each type or property.
//!
//! To run one file: `cargo test -p millpond --test threads lots`.

mod exclusive;
mod exits;
mod histories;
mod hostile;
mod lots;
mod on_rayon;
mod shared_walks;
mod sync_pool;
mod sync_recycler;

use millpond_testkit::allocations;

#[global_allocator]
static ALLOCATOR: allocations::Counting = allocations::Counting;
