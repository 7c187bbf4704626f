//! The tool that computes how large each pool has to be.

use std::process::ExitCode;

/// Counts the requests of a soak; for the other commands, it is the system's allocator.
#[global_allocator]
static ALLOCATOR: millpond_cli::Counting = millpond_cli::Counting;

fn main() -> ExitCode {
    millpond_cli::run(std::env::args_os()).into()
}
