//! Policies for full pools, budgets, and pools of several parts. (The common model of all pools, in `millpond`, has
//! pools with policies among its kinds.)

#[path = "../../../millpond/tests/common/mod.rs"]
mod common;

mod budget;
mod example;
mod half_way;
mod migration;
mod policies;
mod saved;
mod snapshot;

use millpond_testkit::allocations;

#[global_allocator]
static ALLOCATOR: allocations::Counting = allocations::Counting;
