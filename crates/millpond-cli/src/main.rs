//! The tool that tells how large each pool has to be.
fn main() {}
