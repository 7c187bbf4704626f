//! `bake-gen --run OUTPUT -- PROGRAM ARGUMENT…`: runs a tool whose output goes if it fails.

use std::fs;
use std::process::{Command, ExitCode};

/// Ninja would keep what a failed command has left, and a game would start with the old asset, or with half of the new one.
pub(crate) fn run(args: &[String]) -> ExitCode {
    let [output, dashes, program, rest @ ..] = args else {
        eprintln!("bake-gen: --run: expected OUTPUT -- PROGRAM ARGUMENT…");
        return ExitCode::from(2);
    };
    if dashes != "--" {
        eprintln!("bake-gen: --run: expected -- after the output, not {dashes:?}");
        return ExitCode::from(2);
    }
    let code = match Command::new(program).args(rest).status() {
        Ok(status) if status.success() => return ExitCode::SUCCESS,
        Ok(status) => status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1),
        Err(error) => {
            eprintln!("bake-gen: {program}: {error}");
            1
        }
    };
    for left in [output.clone(), format!("{output}.d")] {
        // What is not there is gone.
        let _ = fs::remove_file(left);
    }
    ExitCode::from(code.max(1))
}
