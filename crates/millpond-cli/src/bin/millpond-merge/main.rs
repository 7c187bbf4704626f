//! `millpond merge`, which the tool starts: one plan from the recordings of many sessions. It is a program of its own,
//! because it takes a fifth of the time that it takes to build the rest of the tool.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use millpond_cli::MergeArguments;
use millpond_cli::output_file::{self, Kind};
use millpond_plan::error::{Failure, shown_path};
use millpond_plan::merge::{Counts, GroupPlan, Inputs, MergeRules, Rare, merge, plans};
use millpond_plan::output::budget_toml::{Scenario, ScenarioPool, budget_toml};
use millpond_plan::output::figures::count;
use millpond_plan::output::merge_csv::merge_csv;
use millpond_plan::output::merge_json::merge_json;
use millpond_plan::output::merge_text::{Wanted, merge_text, rule};
use millpond_plan::plan::Headroom;

fn main() -> ExitCode {
    millpond_cli::run_merge(run).into()
}

/// Plans the sessions that the user names.
fn run(arguments: &MergeArguments) -> Result<(), Failure> {
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
        millpond_terminal::print(&merge_csv(&groups, &rules))
    } else {
        let wanted =
            Wanted { top: arguments.top, handles: !arguments.no_handles, all: arguments.all };
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
                requested_by: Vec::new(),
            })
            .collect(),
        left_out: group.left_out,
    };
    groups.iter().map(scenario).collect()
}
