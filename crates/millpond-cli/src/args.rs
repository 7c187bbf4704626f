//! The command line.
//!
//! With clap: help, manual pages, completions and suggestions for mistyped words all come from the types below. lexopt
//! has none of them, and argh neither suggestions nor manual pages.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Parser, Subcommand};

use crate::compare_arguments::{CheckArguments, DiffArguments};
use crate::export_command::ExportArguments;
use crate::headroom::HEADROOM;
use crate::merge_arguments::MergeArguments;
use crate::odds_arguments::OddsArguments;
use crate::pages::Shell;
use crate::record_arguments::{HERE, RecordArguments};
use crate::replay_arguments::ReplayArguments;
use millpond_plan::pattern::Pattern;
use millpond_plan::plan::{BLOCKS_AT_HAND_DEFAULT, Headroom, Prices, SESSION_HOURS_DEFAULT};
use millpond_plan::summary::{TEXT_BYTES_MAX, Tag};
use millpond_record::tracy::Address;
use millpond_terminal::Color;
use millpond_terminal::arguments::{POSITIVE, number, whole};

/// Works out how large each object pool of a program has to be, from a recording of the program.
///
/// Without a command, it explains how to begin. In its repository, `cargo run` plans the pools of three recorded games.
#[derive(Debug, Parser)]
#[command(name = "millpond", version, disable_help_subcommand = true, term_width = 80)]
#[command(after_help = "\
Examples:
  millpond plan game.csv.gz         how many slots each pool needs
  millpond replay game.csv.gz       which pool is fastest for your recording
  heaptrack --raw ./game && millpond plan heaptrack.game.*.zst
                                    what to pool in a program without pools

Programs of their own (`cargo install millpond-watch millpond-soak`):
  millpond watch game.trace         show the pools of a running program
  millpond soak --for 8h -- ./game  does your game's memory grow?
  millpond soak --for 72h           random operations on every pool")]
pub struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) color: Color,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Plan(Box<PlanArguments>),
    Record(RecordArguments),
    Export(ExportArguments),
    Check(CheckArguments),
    Diff(DiffArguments),
    Merge(MergeArguments),
    Replay(ReplayArguments),
    Odds(OddsArguments),
    Generate(GenerateArguments),
    /// Print what made-up programs take on the allocator of this process, in nanoseconds per object.
    #[command(hide = true)]
    Prices,
    /// Print what the allocator of this process takes for the calls of a recording, in nanoseconds per object.
    #[command(hide = true)]
    Calls {
        /// The recording.
        trace: PathBuf,
    },
    /// Print a completion script for a shell.
    #[command(after_help = "Examples:
  source <(millpond completions bash)
  millpond completions fish > ~/.config/fish/completions/millpond.fish")]
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Print the manual page of the tool or of one command.
    #[command(after_help = "Examples:
  millpond man | man -l -
  millpond man plan > millpond-plan.1")]
    Man {
        /// The command.
        command: Option<String>,
    },
}

/// Work out how many slots each pool needs, and check it by replaying the recording on real pools.
///
/// A recording is a lifetime trace (lines `tick,event,id,class`), a heaptrack file, a recording of millpond-heap or a table
/// of allocations (lines `ms,event,address,size,stack`), plain or compressed with gzip or zstd; the format is detected
/// automatically. `-` reads standard input.
///
/// Record with `heaptrack --raw`. Without --raw, heaptrack does not say which of several blocks of one size and call stack is
/// freed, and what follows from lives is a range. Counts, peaks and bytes are exact in any case.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit codes:
  0  done
  1  a check failed
  2  unusable input or arguments
  3  done, but a trace is cut short: the plan is of what is there

Examples:
  millpond plan game.csv.gz
  millpond plan --headroom 50 --tick-rate 60 level1.csv level2.csv
  millpond plan --budget budget.toml e1m1.csv.gz e1m2.csv.gz
  millpond plan --summary evening.csv --tag level=map01 game.csv.gz
  millpond plan --size-classes --no-report heaptrack.game.1234.zst
  millpond plan orders.trace --wait-p99-ms 5
  millpond plan postgresql.csv --wait-p99-ms 5 --json | jq '.traces[].pools'
  millpond plan --json heaptrack.game.1234.zst | jq '.traces[0].pool_first[0]'
  millpond plan --csv --class 'Bullet*' game.csv.gz
  millpond plan --tracy -o game.heap.gz
  millpond plan --tracy 192.168.0.7 --seconds 60 --budget budget.toml
  zcat game.csv.gz | millpond plan -")]
pub(crate) struct PlanArguments {
    /// Recordings to plan for; each gets its own plan.
    #[arg(required_unless_present = "tracy", value_name = "TRACE")]
    pub(crate) traces: Vec<PathBuf>,
    /// Record a running program with Tracy's client until it ends, and plan its pools, as `millpond record --tracy` and
    /// `millpond plan` do. Without a host, the program runs on this machine.
    #[arg(
        long,
        value_name = "HOST[:PORT]",
        num_args = 0..=1,
        default_missing_value = HERE,
        value_parser = Address::from_str,
        conflicts_with_all = ["traces", "measure", "wait_p99_ms"]
    )]
    pub(crate) tracy: Option<Address>,
    /// End the recording after this many seconds.
    #[arg(long, value_name = "N", requires = "tracy", conflicts_with = "traces", value_parser = number(POSITIVE))]
    pub(crate) seconds: Option<f64>,
    /// Keep the recording in this file, for further plans. It replaces an earlier recording, and no other file.
    #[arg(short, long, value_name = "FILE", requires = "tracy", conflicts_with = "traces")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) rules: RuleArguments,
    /// Print the plan as JSON, for programs.
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the classes as CSV, for spreadsheets.
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
    /// Show only classes whose name matches, with all tables; `*` matches any text. This does not filter the advice and
    /// the budget.
    #[arg(long, value_name = "PATTERN", value_parser = pattern)]
    pub(crate) class: Option<Pattern>,
    /// Propose no handles, for programs that do not refer to objects by handle.
    #[arg(long)]
    pub(crate) no_handles: bool,
    /// Show all proposals, classes and tables, and put all classes into the budget, including those that are not worth a
    /// pool.
    #[arg(long)]
    pub(crate) all: bool,
    /// Skip matching functions when determining which function allocates; `*` matches any text. May be given more than
    /// once.
    #[arg(long, value_name = "PATTERN", value_parser = pattern)]
    pub(crate) skip_caller: Vec<Pattern>,
    /// Plan also for blocks that a recording from Tracy's client has of the profiler itself: those of Rust's `tracing`, for
    /// spans and the log. Otherwise they are left out and counted.
    #[arg(long, conflicts_with = "wait_p99_ms")]
    pub(crate) with_profiler: bool,
    /// How long the program takes without the recorder, in milliseconds. heaptrack and other recorders slow a program,
    /// so what is saved is a larger share of this time than of the recording's. A trial then leaves out what may save
    /// less than a hundredth of it, which any change of the code may take or give. For one trace.
    #[arg(long, value_name = "MS", value_parser = number(POSITIVE), conflicts_with = "wait_p99_ms")]
    pub(crate) run_ms: Option<f64>,
    /// How many freed blocks of each size your allocator keeps at hand for each thread; glibc keeps 7. Calls that are
    /// served from them cost less. Use 0 for an allocator that keeps none.
    #[arg(long, value_name = "N", default_value_t = BLOCKS_AT_HAND_DEFAULT, value_parser = whole(0..=u8::MAX))]
    pub(crate) blocks_at_hand: u8,
    /// Rank by these prices instead of those measured on this machine, so that the output is the same everywhere:
    /// `reference`, or nanoseconds for an object from birth to death, such as `at-hand=9..14,small=25,large=60,pool=4`.
    #[arg(long, value_name = "PRICES", value_parser = Prices::parse)]
    pub(crate) prices: Option<Prices>,
    /// Show all proposals, and try up to ten of them on this machine for longer than --trial-ms does, by replaying the
    /// recorded calls with the system's allocator and with pools. This takes a few seconds.
    #[arg(long, conflicts_with = "wait_p99_ms")]
    pub(crate) measure: bool,
    /// How long the first proposals are tried on this machine, in milliseconds for all traces together: the recorded calls
    /// are replayed with the system's allocator and with the proposal, in turns. 0 tries none, and ranks by prices alone.
    #[arg(long, value_name = "MS", default_value_t = TRIAL_MS_DEFAULT, value_parser = whole(0..=600_000_u64), conflicts_with = "wait_p99_ms")]
    pub(crate) trial_ms: u64,
    /// Also tell what other installed allocators (mimalloc, jemalloc, tcmalloc) would save, their start counted, and how to
    /// try them. A program may crash under another allocator.
    #[arg(long, conflicts_with = "wait_p99_ms")]
    pub(crate) allocators: bool,
    /// The file for the report. It replaces an earlier report, and no other file
    ///
    /// [default: report.html, and none with --json or --csv]
    #[arg(long, value_name = "FILE", conflicts_with = "no_report")]
    pub(crate) report: Option<PathBuf>,
    /// Write no report.
    #[arg(long)]
    pub(crate) no_report: bool,
    /// Write the capacities to this file, for the program to read at startup: TOML, with a scenario for each trace. An
    /// earlier budget is replaced unless it has been edited.
    #[arg(long, value_name = "FILE")]
    pub(crate) budget: Option<PathBuf>,
    /// Write a summary of each recording to this file: a table (CSV) with a line for each class. `millpond merge` plans
    /// from the summaries of many sessions. An earlier summary is replaced.
    #[arg(long, value_name = "FILE", conflicts_with = "wait_p99_ms")]
    pub(crate) summary: Option<PathBuf>,
    /// Add a column with this value to the summary, such as the level or the platform. May be given more than once.
    #[arg(long, value_name = "COLUMN=VALUE", value_parser = Tag::parse, requires = "summary")]
    pub(crate) tag: Vec<Tag>,
    /// The session's name in the summary
    ///
    /// [default: the name of the trace's file, without its ending]
    #[arg(long, value_name = "NAME", value_parser = session_name, requires = "summary")]
    pub(crate) session: Option<String>,
    /// Also compute the classes of a `millpond_memory::SizeClasses` from a recording of the heap, for requests of up to
    /// BYTES bytes (512 if not given): the slot sizes that waste least, the number of slots of each, and the code for
    /// the program.
    #[arg(
        long,
        value_name = "BYTES",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = BYTES_MAX_DEFAULT,
        value_parser = whole(1..=millpond_plan::plan::BYTES_MAX_LARGEST)
    )]
    pub(crate) size_classes: Option<u64>,
    /// Refuse a trace that is cut short. Otherwise the plan is of what is there, says where the trace ends, and the
    /// exit code is 3.
    #[arg(long)]
    pub(crate) whole: bool,
    /// How many classes the tables show.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = whole(0..=usize::MAX))]
    pub(crate) top: usize,
    /// Plan for loans: 99 % of the callers wait at most this long. The traces are those of a `millpond_lend::Lender`
    /// (lines `asked_us,got_us,returned_us,pool`), or PostgreSQL's csvlog with the durations of statements.
    #[arg(long, value_name = "MS", value_parser = number(POSITIVE))]
    pub(crate) wait_p99_ms: Option<f64>,
    /// For loans, in a server's log: leave out statements whose text matches, such as `DISCARD ALL` of a pool in the
    /// program; `*` matches any text. Upper and lower case are the same, and a semicolon at the end does not count. May
    /// be given more than once.
    #[arg(long, value_name = "PATTERN", value_parser = pattern, requires = "wait_p99_ms")]
    pub(crate) skip_statement: Vec<Pattern>,
    /// For loans: how long opening one more object takes.
    #[arg(long, value_name = "MS", default_value_t = 10.0, value_parser = number(POSITIVE), requires = "wait_p99_ms")]
    pub(crate) open_ms: f64,
    /// For loans: replay callers instead of requests. Each caller requests a loan, returns it, thinks for as long as
    /// recorded, and requests the next, so those who wait less also request more. CALLERS is how many there are, such
    /// as the program's worker threads
    ///
    /// [default: the most that the recording has at once]
    #[arg(
        long,
        value_name = "CALLERS",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "0",
        requires = "wait_p99_ms",
        value_parser = whole(0..=CALLERS_MAX)
    )]
    pub(crate) closed: Option<u64>,
}

/// No more callers than this are replayed: a capacity is tried for each of them, up to a tenth.
const CALLERS_MAX: u64 = 100_000;

/// What [`PlanArguments::trial_ms`] is if no number is given: two seconds.
pub(crate) const TRIAL_MS_DEFAULT: u64 = 2_000;

/// What [`PlanArguments::size_classes`] is if no number is given.
const BYTES_MAX_DEFAULT: &str = "512";

#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct RuleArguments {
    /// Extra slots above the most objects that were alive at once, in per cent.
    #[arg(long, value_name = "PERCENT", default_value_t = Headroom::DEFAULT_PERCENT, value_parser = number(HEADROOM))]
    pub(crate) headroom: f64,
    /// The number of ticks per second of a lifetime trace. The default is the trace's own clock (a column `ms`);
    /// without either, times are in ticks, and no handles are proposed.
    #[arg(long, value_name = "HZ", value_parser = number(POSITIVE))]
    pub(crate) tick_rate: Option<f64>,
    /// How long handles must last: the hours that the program may run until the slot that is reused most has used up its
    /// generations.
    #[arg(long, value_name = "HOURS", default_value_t = SESSION_HOURS_DEFAULT, value_parser = number(POSITIVE))]
    pub(crate) session_hours: f64,
}

/// Write a made-up trace of any length to standard output.
///
/// The same options always give the same trace.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  millpond generate --events 50000000 > big.csv
  millpond generate --events 50000000 --heaptrack > big.heaptrack
  millpond generate --game --days 3 | millpond replay --heap days.svg -")]
pub(crate) struct GenerateArguments {
    /// The number of insertions and removals.
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = whole(1..=1_000_000_000_000_u64))]
    pub(crate) events: u64,
    /// The approximate number of objects alive at once.
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = whole(1..=10_000_000_u32))]
    pub(crate) live: u32,
    /// Write heaptrack's format instead of a lifetime trace.
    #[arg(long)]
    pub(crate) heaptrack: bool,
    /// Write lifetimes and sizes of a game that runs for days: sparks, bullets, paths, sounds, texts, decals.
    #[arg(long, conflicts_with_all = ["events", "live", "heaptrack"])]
    pub(crate) game: bool,
    /// The number of days that the game runs, at ten ticks per second.
    #[arg(long, value_name = "DAYS", default_value_t = 1.0, value_parser = number(1e-3..=365.0), requires = "game")]
    pub(crate) days: f64,
}

fn pattern(text: &str) -> Result<Pattern, String> {
    if text.is_empty() {
        return Err("expected a name".to_owned());
    }
    Ok(Pattern::new(text))
}

fn session_name(text: &str) -> Result<String, String> {
    if text.is_empty() || text.len() > TEXT_BYTES_MAX || text.contains(char::is_control) {
        return Err(format!("expected a name of one line and at most {TEXT_BYTES_MAX} bytes"));
    }
    Ok(text.to_owned())
}
