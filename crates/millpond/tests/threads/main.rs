//! Pools that several threads use, a file for each type or property.
//!
//! To run one file: `cargo test -p millpond --test threads lots`.

#[path = "../common/allocations.rs"]
mod allocations;

mod exclusive;
mod exits;
mod histories;
mod hostile;
mod lots;
mod on_rayon;
mod sync_pool;
mod sync_recycler;

#[global_allocator]
static ALLOCATOR: allocations::Counting = allocations::Counting;
