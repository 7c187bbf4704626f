//! `millpond replay`.

use std::path::PathBuf;

use clap::{Args, value_parser};

use crate::error::{Failure, shown};
use crate::output::paint::Paint;
use crate::replay::{Limits, Outcome, Script, json, replay, text};

/// Time a trace through each pool type and reuse order and through Box, and say which one to take.
///
/// Each class of the trace has a pool of its own, as large as the class ever was. Objects have the size
/// that the trace says (heaptrack files, and lifetime traces with a column `size`), rounded up to 16,
/// 32, 64, … 4096 bytes, or that of --bytes. All are measured in one process, in rounds of one lap each,
/// so compare the figures of one table with each other, not with those of another run. Handles are
/// checked: exit code 1 says that a pool gave back another object than was put in.
///
/// StaticPool is not among them: its capacity is part of the program that is built.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  millpond replay game.csv.gz
  millpond replay --walk game.csv.gz
  millpond replay --bytes 256 --rounds 21 game.csv.gz
  millpond replay --json heaptrack.game.1234.zst | jq '.traces[0].recommended'
  zcat game.csv.gz | millpond replay -")]
pub(crate) struct ReplayArguments {
    /// Traces to replay, each on its own: lifetime traces or heaptrack files, as for `plan`.
    #[arg(required = true, value_name = "TRACE")]
    traces: Vec<PathBuf>,
    /// The size of all objects, whatever the trace says; 64 where it says nothing.
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..=4096))]
    bytes: Option<u64>,
    /// How often each contender is measured.
    #[arg(long, value_name = "N", default_value_t = 21, value_parser = value_parser!(u32).range(1..=10_000))]
    rounds: u32,
    /// How many births and deaths are replayed at most, from the beginning of the trace.
    #[arg(long, value_name = "N", default_value_t = 5_000_000, value_parser = value_parser!(u32).range(1..=100_000_000))]
    events: u32,
    /// How many MiB the slots of all pools may take.
    #[arg(long, value_name = "MIB", default_value_t = 1024, value_parser = value_parser!(u64).range(1..=1 << 20))]
    memory: u64,
    /// Go over all objects at the end of each tick in which one was born or died, as games do: times and
    /// the recommendation are then for whole ticks.
    #[arg(long)]
    walk: bool,
    /// Print the figures as JSON, for programs.
    #[arg(long)]
    json: bool,
}

/// What an object has where neither the trace nor the user says: a small game object.
const BYTES_DEFAULT: u64 = 64;

/// Replays the traces that the user names.
pub(crate) fn run(arguments: &ReplayArguments) -> Result<(), Failure> {
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
            crate::print(&text(&outcome, Paint::for_stdout()))?;
        }
        outcomes.push(outcome);
    }
    if arguments.json {
        crate::print(&json(&outcomes)?)?;
    }
    all_right(&outcomes)
}

/// Figures of a pool that mixes up objects are worth nothing.
fn all_right(outcomes: &[Outcome]) -> Result<(), Failure> {
    for outcome in outcomes {
        if let Some(wrong) = outcome.wrong() {
            let (trace, pool) = (shown(outcome.name.as_bytes()), wrong.name);
            let why = format!("{trace}: {pool} gave back another object than was put in");
            return Err(Failure::Check(why));
        }
    }
    Ok(())
}
