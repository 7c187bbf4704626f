//! The tool that computes how large each pool has to be.

use std::process::ExitCode;

fn main() -> ExitCode {
    millpond_cli::run(std::env::args_os()).into()
}
