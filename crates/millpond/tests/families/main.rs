//! One family of tests for each kind of defect that pools are known for, each run over every pool
//! type, reuse order and handle layout: see `tests/subject`, where a new pool type gets all of them by
//! an adapter and a line.
//!
//! A family is a file; run one by its name: `cargo test -p millpond --test families iterators`.

#[path = "../common/mod.rs"]
mod common;

#[path = "../common/allocations.rs"]
mod allocations;

#[path = "../subject/mod.rs"]
mod subject;

mod world;

mod borrows_of_several;
mod claimed_handles;
mod exhausted_generations;
mod extreme_values;
mod hostile_handles;
mod iterators;
mod lying_traits;
mod other_pool;
mod panicking_code;
mod panicking_drop;
mod save_and_load;
mod send_sync;
mod stale_after_bulk;

#[global_allocator]
static ALLOCATOR: allocations::Counting = allocations::Counting;
