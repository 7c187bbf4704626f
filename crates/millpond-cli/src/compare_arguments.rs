//! The arguments of `millpond check` and `millpond diff`.

use std::path::PathBuf;

use clap::Args;

use millpond_terminal::arguments::number;

/// Check whether recordings fit into the pools of a budget.
///
/// The budget is one that `millpond plan --all --budget` wrote, with a pool for each class, or any other that
/// `millpond_overflow::Budget::from_toml` reads. Each pool that overflows is told: when, by how much, and, where the
/// recording has call stacks, which functions request its objects, those first that the budget's recording did not
/// have. Objects of another size, and a peak at another time, are told where the budget says how they were: they are no
/// failure.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit codes:
  0  all recordings fit
  1  a pool overflows
  2  unusable input or arguments

Examples:
  millpond plan --all --budget budget.toml game.heap.gz
  millpond check budget.toml game.heap.gz
  millpond check --scenario e1m1 budget.toml nightly/*.csv.gz
  millpond check --json budget.toml game.csv | jq '.recordings[0].pools[0]'")]
pub(crate) struct CheckArguments {
    /// The budget.
    #[arg(value_name = "BUDGET.toml")]
    pub(crate) budget: PathBuf,
    /// The recordings.
    #[arg(required = true, value_name = "RECORDING")]
    pub(crate) recordings: Vec<PathBuf>,
    /// The scenario of the budget
    ///
    /// [default: the one with the name of the recording's file, or the only one]
    #[arg(long, value_name = "NAME")]
    pub(crate) scenario: Option<String>,
    /// Print JSON, for programs.
    #[arg(long)]
    pub(crate) json: bool,
    /// Print a table in Markdown, for a comment on a pull request.
    #[arg(long, conflicts_with = "json")]
    pub(crate) markdown: bool,
}

/// Compare two recordings of a program: what has grown, what is new, what lives longer, and whose peak is at another time.
///
/// In recordings of the heap, objects are compared by the function that requests them and their size, else by class. Where
/// both recordings have frames, lives are compared in frames.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit codes:
  0  done, whatever is different
  2  unusable input or arguments

Examples:
  millpond diff before.heap.gz after.heap.gz
  millpond diff --threshold 25 monday.csv.gz friday.csv.gz
  millpond diff --json before.heap.gz after.heap.gz | jq '.differences[0]'")]
pub(crate) struct DiffArguments {
    /// The first recording.
    pub(crate) before: PathBuf,
    /// The second recording.
    pub(crate) after: PathBuf,
    /// The share by which numbers have to grow or shrink to be told, in per cent, and by more than chance explains unless it is
    /// less than 10. Lives have to become longer or shorter by five times as much.
    #[arg(long, value_name = "PERCENT", default_value_t = 10.0, value_parser = number(0.0..=1000.0))]
    pub(crate) threshold: f64,
    /// Print JSON, for programs.
    #[arg(long)]
    pub(crate) json: bool,
    /// Print a table in Markdown, for a comment on a pull request.
    #[arg(long, conflicts_with = "json")]
    pub(crate) markdown: bool,
    /// Write a report to this file. It replaces an earlier report, and no other file.
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
}
