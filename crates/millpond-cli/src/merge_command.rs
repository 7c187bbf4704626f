//! `millpond merge`: one plan from the recordings of many sessions.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::args::HEADROOM;
use crate::output_file::{self, Kind};
use millpond_plan::error::{Failure, shown_path};
use millpond_plan::merge::{Counts, GroupPlan, Inputs, MergeRules, Rare, merge, plans};
use millpond_plan::output::budget_toml::{Scenario, ScenarioPool, budget_toml};
use millpond_plan::output::figures::count;
use millpond_plan::output::merge_csv::merge_csv;
use millpond_plan::output::merge_json::merge_json;
use millpond_plan::output::merge_text::{Wanted, merge_text, rule};
use millpond_plan::plan::{Headroom, SESSION_HOURS_DEFAULT};
use millpond_terminal::arguments::{POSITIVE, number, whole};

/// Plan pools from the summaries of many sessions, for a given share of sessions without refusals.
///
/// `millpond plan --summary` writes summaries: tables with a line for each class of each session. The order of the
/// summaries does not matter, and summaries can be concatenated. `-` reads standard input.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  millpond plan --no-report --summary evening.csv --tag level=map01 game.csv.gz
  millpond merge summaries/*.csv
  millpond merge --quantile 99 --by level --budget budget.toml summaries/*.csv

Of more sessions than one machine reads, each part is read twice, wherever it is:
  millpond merge --partial counts-17.json part-17/*.csv
  millpond merge --partial counts.json counts-*.json
  millpond merge --counts counts.json --partial rare-17.json part-17/*.csv
  millpond merge --counts counts.json rare-*.json

One plan, from a pipe:
  cat summaries/*.csv | millpond merge --json - | jq '.groups[0].refused'")]
pub(crate) struct MergeArguments {
    /// Summaries to merge, or what `merge --partial` has written of parts of the sessions.
    #[arg(required = true, value_name = "SUMMARY")]
    summaries: Vec<PathBuf>,
    /// Print no plan, but write to this file what the next step needs of these sessions: their counts or, with --counts,
    /// those of them that may be given up. An earlier such file is replaced.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["json", "csv", "budget", "headroom", "session_hours", "no_handles", "top"])]
    partial: Option<PathBuf>,
    /// The counts of all sessions, which `merge --partial` has written. All of the following steps need the same.
    #[arg(long, value_name = "COUNTS")]
    counts: Option<PathBuf>,
    /// The minimum share of sessions without any refusal, in per cent.
    #[arg(long, value_name = "PERCENT", default_value_t = 99.9, value_parser = number(0.0..=100.0))]
    quantile: f64,
    /// Extra room above the need of these sessions, in per cent.
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0, value_parser = number(HEADROOM))]
    headroom: f64,
    /// Make a separate plan for each value of this column, such as the level (`plan --tag`).
    #[arg(long, value_name = "COLUMN")]
    by: Option<String>,
    /// Plan all classes, including those that are not worth a pool in any session.
    #[arg(long)]
    all: bool,
    /// How long the program has to run before the first slot uses up its generations.
    #[arg(long, value_name = "HOURS", default_value_t = SESSION_HOURS_DEFAULT, value_parser = number(POSITIVE))]
    session_hours: f64,
    /// Propose no handles, for programs that do not refer to objects by handle.
    #[arg(long)]
    no_handles: bool,
    /// Print the plan as JSON, for programs.
    #[arg(long)]
    json: bool,
    /// Print the classes as CSV, for spreadsheets.
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Write the capacities to this file, for the program to read at startup: TOML, with a scenario for each value of
    /// --by. An earlier budget is replaced unless it has been edited.
    #[arg(long, value_name = "FILE")]
    budget: Option<PathBuf>,
    /// How many classes the tables show.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = whole(0..=usize::MAX))]
    top: usize,
}

/// Plans the sessions that the user names.
pub(crate) fn run(arguments: &MergeArguments) -> Result<(), Failure> {
    let mut inputs = Inputs::new(&arguments.summaries, millpond_terminal::open);
    let counts = arguments.counts.as_ref().map(counts_of).transpose()?;
    let mut rules = MergeRules {
        quantile_percent: arguments.quantile,
        headroom: Headroom { percent: arguments.headroom },
        by: arguments.by.clone(),
        all: arguments.all,
        session_seconds: arguments.session_hours * 3600.0,
    };
    if let Some((path, counts)) = &counts {
        use_groups_of(counts, path, &mut rules)?;
    }
    // Checked before the work starts, so that nothing is left half done.
    let budget = arguments.budget.as_deref();
    budget.map_or(Ok(()), |path| output_file::may_replace(path, Kind::Budget))?;
    if let Some(path) = &arguments.partial {
        output_file::may_replace(path, Kind::Partial)?;
        return write_partial(path, &mut inputs, counts.map(|(_, counts)| counts), &rules);
    }
    let groups = match counts {
        Some((path, counts)) => {
            let rare = Rare::of(&mut inputs, &rules, &counts)?;
            plans(counts, rare, &rules).map_err(|fault| {
                Failure::Arguments(format!("--counts {}: the others {fault}", shown_path(path)))
            })?
        }
        None => merge(&mut inputs, &rules)?,
    };
    let mut place = String::new();
    if let Some(path) = budget {
        let text = budget_toml(&scenarios(&groups), &rule(&rules))
            .map_err(|why| Failure::Output(format!("{}: {why}", shown_path(path))))?;
        let written = output_file::write(path, Kind::Budget, &text)?;
        place = format!("\nBudget: {}\n", shown_path(&written));
    }
    if arguments.json {
        millpond_terminal::print(&merge_json(&groups, &rules)?)
    } else if arguments.csv {
        millpond_terminal::print(&merge_csv(&groups, &rules)?)
    } else {
        let wanted = Wanted { top: arguments.top, handles: !arguments.no_handles };
        let text = merge_text(&groups, &rules, &wanted, millpond_terminal::paint());
        millpond_terminal::print(&(text + &place))
    }
}

/// Reads the counts of all sessions.
fn counts_of(path: &PathBuf) -> Result<(&Path, Counts), Failure> {
    let file = &mut Inputs::new(std::slice::from_ref(path), millpond_terminal::open);
    Ok((path, Counts::read(file)?))
}

/// The sessions have the groups of the counts.
fn use_groups_of(counts: &Counts, path: &Path, rules: &mut MergeRules) -> Result<(), Failure> {
    let by = counts.by().map(str::to_owned);
    if rules.by.is_some() && rules.by != by {
        let path = shown_path(path);
        return Err(Failure::Arguments(format!(
            "{path}: was counted without this --by, expected the same column as in `merge --partial`"
        )));
    }
    rules.by = by;
    Ok(())
}

/// Writes what the next step needs of these sessions.
fn write_partial(
    path: &Path,
    inputs: &mut Inputs,
    counts: Option<Counts>,
    rules: &MergeRules,
) -> Result<(), Failure> {
    let (text, what) = match counts {
        Some(counts) => {
            let rare = Rare::of(inputs, rules, &counts)?;
            (
                rare.to_json()?,
                format!("{} sessions that may be given up", count(rare.sessions() as u64)),
            )
        }
        None => {
            let counts = Counts::of(inputs, rules.by.as_deref())?;
            (counts.to_json()?, format!("the counts of {} sessions", count(counts.sessions())))
        }
    };
    let written = output_file::write(path, Kind::Partial, &text)?;
    millpond_terminal::print(&format!("{}: {what}\n", shown_path(&written)))
}

/// The name of the scenario of all sessions.
const ALL_SESSIONS: &str = "all";

fn scenarios(groups: &[GroupPlan]) -> Vec<Scenario> {
    let scenario = |group: &GroupPlan| Scenario {
        name: group.value.clone().unwrap_or_else(|| ALL_SESSIONS.to_owned()),
        pools: group
            .classes
            .iter()
            .map(|class| ScenarioPool {
                name: class.name.clone(),
                capacity: class.capacity,
                comment: format!(
                    "{} at the greatest peak; refused in {} of {} sessions",
                    count(class.peak_max.into()),
                    count(class.refused_in),
                    count(group.sessions)
                ),
            })
            .collect(),
        left_out: group.left_out,
    };
    groups.iter().map(scenario).collect()
}
