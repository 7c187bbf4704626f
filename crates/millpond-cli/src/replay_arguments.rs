//! The arguments of `millpond replay`.

use std::path::PathBuf;

use clap::Args;

use millpond_terminal::arguments::whole;

/// Time a recording with each pool type, each reuse order and Box, and recommend the fastest.
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
pub struct ReplayArguments {
    /// Traces to replay, each on its own, in the formats that `plan` reads.
    #[arg(required = true, value_name = "TRACE")]
    pub traces: Vec<PathBuf>,
    /// The size of all objects, instead of the sizes of the trace. Objects without a size have 64 bytes.
    #[arg(long, value_name = "N", value_parser = whole(1..=4096_u64))]
    pub bytes: Option<u64>,
    /// The number of rounds.
    #[arg(long, value_name = "N", default_value_t = 21, value_parser = whole(1..=10_000_u32))]
    pub rounds: u32,
    /// Replay at most this many insertions and removals, from the beginning of the trace.
    #[arg(long, value_name = "N", default_value_t = 5_000_000, value_parser = whole(1..=100_000_000_u32))]
    pub events: u32,
    /// The maximum size of all pools' slots together, in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 1024, value_parser = whole(1..=1_u64 << 20))]
    pub memory: u64,
    /// Iterate over all objects at the end of each tick with an insertion or removal, as games do. Times and the
    /// recommendation are then for whole ticks.
    #[arg(long)]
    pub walk: bool,
    /// Print the figures as JSON, for programs.
    #[arg(long)]
    pub json: bool,
    /// Instead of timing, replay the trace in a model of the system's allocator, and draw its memory, its free memory
    /// and its largest hole over time, compared with the same program in pools. The file is an SVG; an earlier drawing
    /// is replaced, any other file is not overwritten.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["rounds", "events", "memory", "walk", "json"])]
    pub heap: Option<PathBuf>,
}
