//! The arguments of `millpond merge`.

use std::path::PathBuf;

use clap::Args;

use millpond_plan::plan::SESSION_HOURS_DEFAULT;
use millpond_terminal::arguments::{POSITIVE, number, whole};

use crate::headroom::HEADROOM;

/// Work out how many slots each pool needs, so that no pool is full in a given share of many sessions.
///
/// `millpond plan --summary` writes summaries: tables with a line for each class of each session. The order of the
/// summaries does not matter, and summaries can be concatenated. `-` reads standard input.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  millpond plan --no-report --summary evening.csv --tag level=map01 game.csv.gz
  millpond merge summaries/*.csv
  millpond merge --quantile 99 --by level --budget budget.toml summaries/*.csv

If one machine cannot read all sessions, read each part twice, on any machine:
  millpond merge --partial counts-17.json part-17/*.csv
  millpond merge --partial counts.json counts-*.json
  millpond merge --counts counts.json --partial rare-17.json part-17/*.csv
  millpond merge --counts counts.json rare-*.json

One plan, from a pipe:
  cat summaries/*.csv | millpond merge --json - | jq '.groups[0].refused'")]
pub struct MergeArguments {
    /// Summaries to merge, or what `merge --partial` has written of parts of the sessions.
    #[arg(required = true, value_name = "SUMMARY")]
    pub summaries: Vec<PathBuf>,
    /// Print no plan, but write to this file what the next step needs of these sessions: their counts or, with --counts,
    /// those of them that may be given up. An earlier such file is replaced.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["json", "csv", "budget", "headroom", "session_hours", "no_handles", "top"])]
    pub partial: Option<PathBuf>,
    /// The counts of all sessions, which `merge --partial` has written. All of the following steps need the same.
    #[arg(long, value_name = "COUNTS")]
    pub counts: Option<PathBuf>,
    /// The share of sessions in which no pool may be full, in per cent.
    #[arg(long, value_name = "PERCENT", default_value_t = 99.9, value_parser = number(0.0..=100.0))]
    pub quantile: f64,
    /// Extra room above the need of these sessions, in per cent.
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0, value_parser = number(HEADROOM))]
    pub headroom: f64,
    /// Make a separate plan for each value of this column, such as the level (`plan --tag`).
    #[arg(long, value_name = "COLUMN")]
    pub by: Option<String>,
    /// Plan all classes, including those that are not worth a pool in any session, and show all tables.
    #[arg(long)]
    pub all: bool,
    /// How long handles must last: the hours that the program may run until the slot that is reused most has used up its
    /// generations.
    #[arg(long, value_name = "HOURS", default_value_t = SESSION_HOURS_DEFAULT, value_parser = number(POSITIVE))]
    pub session_hours: f64,
    /// Propose no handles, for programs that do not refer to objects by handle.
    #[arg(long)]
    pub no_handles: bool,
    /// Print the plan as JSON, for programs.
    #[arg(long)]
    pub json: bool,
    /// Print the classes as CSV, for spreadsheets.
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
    /// Write the capacities to this file, for the program to read at startup: TOML, with a scenario for each value of
    /// --by. An earlier budget is replaced unless it has been edited.
    #[arg(long, value_name = "FILE")]
    pub budget: Option<PathBuf>,
    /// How many classes the tables show.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = whole(0..=usize::MAX))]
    pub top: usize,
}
