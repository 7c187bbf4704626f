//! Random operations on every pool, or a program of your own, for as long as you like.

use std::process::ExitCode;

/// Counts the requests of a soak.
#[global_allocator]
static ALLOCATOR: millpond_soak::Counting = millpond_soak::Counting;

fn main() -> ExitCode {
    millpond_soak::run(std::env::args_os()).into()
}
