#![doc = include_str!("../README.md")]
#![deny(unsafe_code)]

mod clock;
mod frames;
mod recorder;
mod symbols;
mod table;
mod writer;

#[allow(unsafe_code, reason = "an allocator is unsafe to implement")]
mod heap;
#[allow(unsafe_code, reason = "a lock that does not allocate is not in the standard library")]
mod spin;

pub use heap::Heap;
pub use recorder::{Recorded, Recording};
