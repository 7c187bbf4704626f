//! The library's families of tests, one for each kind of defect that pools are known for, with the pools of the C header:
//! see `crates/millpond/tests/families/main.rs`.
//!
//! What C cannot have, its adapter leaves out: iterators that are drained or turned round, several mutable values at once,
//! names that can be asked for, and a saved form in serde's formats. (The header's own form of a state has its tests in
//! `basics.c`, `hostile.c` and `fuzz.c`.)
#![cfg(all(target_os = "linux", target_pointer_width = "64"))]

#[path = "../../millpond/tests/common/mod.rs"]
mod common;
mod subject;
mod support;
#[path = "../../millpond/tests/families/world.rs"]
mod world;

#[path = "../../millpond/tests/families/claimed_handles.rs"]
mod claimed_handles;
#[path = "../../millpond/tests/families/exhausted_generations.rs"]
mod exhausted_generations;
#[path = "../../millpond/tests/families/extreme_values.rs"]
mod extreme_values;
#[path = "../../millpond/tests/families/hostile_handles.rs"]
mod hostile_handles;
#[path = "../../millpond/tests/families/lying_traits.rs"]
mod lying_traits;
#[path = "../../millpond/tests/families/other_pool.rs"]
mod other_pool;
#[path = "../../millpond/tests/families/panicking_code.rs"]
mod panicking_code;
#[path = "../../millpond/tests/families/panicking_drop.rs"]
mod panicking_drop;
#[path = "../../millpond/tests/families/save_and_load.rs"]
mod save_and_load;
#[path = "../../millpond/tests/families/stale_after_bulk.rs"]
mod stale_after_bulk;

use millpond_testkit::allocations;
use world::Pools;

#[global_allocator]
static ALLOCATOR: allocations::Counting = allocations::Counting;
