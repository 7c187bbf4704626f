//! The parts of the tool that tells how large each pool has to be.

pub mod odds;
pub mod report;
