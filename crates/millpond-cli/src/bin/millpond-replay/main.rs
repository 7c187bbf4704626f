//! `millpond replay`, which the tool starts: as a program of its own, because the code of each pool for each size of
//! objects takes as long to build as the rest of the tool.

mod fragmentation;
mod replay;

use std::path::Path;
use std::process::ExitCode;

use millpond_cli::ReplayArguments;
use millpond_cli::output_file::{self, Kind};
use millpond_plan::error::{Failure, shown, shown_path};

use replay::{Limits, Outcome, Script, json, replay, text};

fn main() -> ExitCode {
    millpond_cli::run_replay(run).into()
}

/// What an object has where neither the trace nor the user says: a small game object.
const BYTES_DEFAULT: u64 = 64;

/// Replays the traces that the user names.
fn run(arguments: &ReplayArguments) -> Result<(), Failure> {
    if let Some(picture) = &arguments.heap {
        return draw_heap(arguments, picture);
    }
    let limits = Limits {
        bytes: arguments.bytes,
        bytes_default: BYTES_DEFAULT,
        events_max: arguments.events as usize,
        memory_max: arguments.memory << 20,
        walk: arguments.walk,
    };
    // All are read before the first is measured, so that nothing is half done.
    let scripts = arguments
        .traces
        .iter()
        .map(|path| Script::of_trace(path, &limits))
        .collect::<Result<Vec<_>, _>>()?;
    let mut outcomes = Vec::new();
    for (path, script) in arguments.traces.iter().zip(&scripts) {
        let outcome = replay(&path.to_string_lossy(), script, arguments.rounds as usize);
        if !arguments.json {
            millpond_terminal::print(&text(&outcome, millpond_terminal::paint()))?;
        }
        outcomes.push(outcome);
    }
    if arguments.json {
        millpond_terminal::print(&json(&outcomes)?)?;
    }
    all_right(&outcomes)
}

/// Draws the heap of the one trace.
fn draw_heap(arguments: &ReplayArguments, picture: &Path) -> Result<(), Failure> {
    let [trace] = &arguments.traces[..] else {
        return Err(Failure::Arguments("--heap: expected one trace".to_owned()));
    };
    output_file::may_replace(picture, Kind::HeapPicture)?;
    let outcome = fragmentation::of_trace(trace, arguments.bytes.unwrap_or(BYTES_DEFAULT))?;
    let written = output_file::write(picture, Kind::HeapPicture, &fragmentation::svg(&outcome))?;
    millpond_terminal::print(&format!("{}picture: {}\n", outcome.text(), shown_path(&written)))
}

/// Figures of a pool that mixes up objects are worth nothing.
fn all_right(outcomes: &[Outcome]) -> Result<(), Failure> {
    for outcome in outcomes {
        if let Some(wrong) = outcome.wrong() {
            let (trace, pool) = (shown(outcome.name.as_bytes()), wrong.name);
            let why = format!("{trace}: {pool} returned a wrong object");
            return Err(Failure::Check(why));
        }
    }
    Ok(())
}
