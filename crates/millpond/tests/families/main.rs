//! One family of tests for each kind of defect that pools are known for, each run over every pool
//! type, reuse order and handle layout: see `tests/subject`, where a new pool type gets all of them by
//! an adapter and a line.
//!
//! A family is a file; run one by its name: `cargo test -p millpond --test families iterators`.
//!
//! What a pool does not have, its adapter says once, and the tests of it end at once. Pools to which whole
//! families do not apply:
//!
//! - `ParticlePool` has no adapter: its particles are its own plain numbers and have no handles, so there is
//!   nothing to be stale, hostile, borrowed, claimed or saved, and no code that could panic or lie. It has
//!   tests of its own in families 9 (`extreme_values`), 10 (`iterators`) and 13 (`send_sync`), and is
//!   compared with a `Pool` over 200,000 frames in `tests/classic/particle.rs`.
//! - `SizeClasses` and `PoolAllocator` are tried as places for the values of a handle allocator: what is
//!   said of handles there is said of that. They cannot be full, copied or saved.
//! - `RosterPool` and `BytemapPool` have no snapshots and no saved form: not family 8, and of family
//!   4 what can be done with `insert_at` and `clone`.
//! - `RosterPool` and `BytemapPool` have a limit of lifetimes that is fixed, and no name: not family 14, and
//!   family 6 only as far as their 2^31 or 128 lifetimes can be reached.
//! - Pools that grow and allocators of places take memory: not family 15.
//! - Handles of 4 bytes have too few generations for names to be told apart by them: not family 14.

#[path = "../common/mod.rs"]
mod common;

#[path = "../subject/mod.rs"]
mod subject;

mod world;

mod borrows_of_several;
mod claimed_handles;
mod debug_aids;
mod determinism;
mod exhausted_generations;
mod extreme_values;
mod growing_alone;
mod hostile_files;
mod hostile_handles;
mod iterators;
mod lying_traits;
mod model;
mod no_allocation;
mod other_pool;
mod panicking_code;
mod panicking_drop;
mod save_and_load;
mod send_sync;
mod stale_after_bulk;

use millpond_testkit::allocations;
use world::Pools;

#[global_allocator]
static ALLOCATOR: allocations::Counting = allocations::Counting;
