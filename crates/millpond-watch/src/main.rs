//! Shows the pools or lenders of a running program.

use std::process::ExitCode;

fn main() -> ExitCode {
    millpond_watch::run(std::env::args_os()).into()
}
