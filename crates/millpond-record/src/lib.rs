#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod live;
mod recording;
mod sizes;
mod text;
pub mod tracy;

pub use recording::{Counts, Recording};
