//! Iterators that move values out of a pool. Each takes one value at a time, so that a panic, a drop
//! half-way or a leak leaves a pool that is as good as after that many removals.

//!
//! A walk goes on while blocks are given back by rule: these are the last ones, and empty.

crate::pool::drain::moving_iterators!(BlockPool);
