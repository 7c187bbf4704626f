//! `millpond replay`.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::fragmentation;
use crate::output_file::{self, Kind};
use crate::replay::{Limits, Outcome, Script, json, replay, text};
use millpond_plan::error::{Failure, shown, shown_path};
use millpond_terminal::arguments::whole;

/// Time a trace with each pool type, each reuse order and Box, and recommend the fastest.
///
/// Each class of the trace has a pool of its own, as large as the class's peak. Objects have the sizes of the trace
/// (recordings of the heap, and lifetime traces with a column `size`) or that of --bytes, rounded up to 16, 32, 64, …
/// 4096 bytes. All contenders are measured in one process, in interleaved rounds, so compare figures only within one
/// table, not between runs. Handles are checked: the exit code is 1 if a pool returns a wrong object.
///
/// StaticPool is not included, because its capacity is fixed when the program is built.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  millpond replay game.csv.gz
  millpond replay --walk game.csv.gz
  millpond replay --bytes 256 --rounds 21 game.csv.gz
  millpond replay --json heaptrack.game.1234.zst | jq '.traces[0].recommended'
  millpond replay --heap heap.svg heaptrack.game.1234.zst
  millpond generate --game --days 3 | millpond replay --heap days.svg -
  zcat game.csv.gz | millpond replay -")]
pub(crate) struct ReplayArguments {
    /// Traces to replay, each on its own, in the formats that `plan` reads.
    #[arg(required = true, value_name = "TRACE")]
    traces: Vec<PathBuf>,
    /// The size of all objects, instead of the sizes of the trace. Objects without a size have 64 bytes.
    #[arg(long, value_name = "N", value_parser = whole(1..=4096_u64))]
    bytes: Option<u64>,
    /// The number of rounds.
    #[arg(long, value_name = "N", default_value_t = 21, value_parser = whole(1..=10_000_u32))]
    rounds: u32,
    /// Replay at most this many insertions and removals, from the beginning of the trace.
    #[arg(long, value_name = "N", default_value_t = 5_000_000, value_parser = whole(1..=100_000_000_u32))]
    events: u32,
    /// The maximum size of all pools' slots together, in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 1024, value_parser = whole(1..=1_u64 << 20))]
    memory: u64,
    /// Iterate over all objects at the end of each tick with an insertion or removal, as games do. Times and the
    /// recommendation are then for whole ticks.
    #[arg(long)]
    walk: bool,
    /// Print the figures as JSON, for programs.
    #[arg(long)]
    json: bool,
    /// Instead of timing, replay the trace in a model of the system's allocator, and draw its memory, its free memory
    /// and its largest hole over time, compared with the same program in pools. The file is an SVG; an earlier drawing
    /// is replaced, any other file is not overwritten.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["rounds", "events", "memory", "walk", "json"])]
    heap: Option<PathBuf>,
}

/// What an object has where neither the trace nor the user says: a small game object.
const BYTES_DEFAULT: u64 = 64;

/// Replays the traces that the user names.
pub(crate) fn run(arguments: &ReplayArguments) -> Result<(), Failure> {
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
