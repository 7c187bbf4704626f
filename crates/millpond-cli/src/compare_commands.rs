//! `millpond check` and `millpond diff`.

use std::path::Path;

use millpond_overflow::Budget;
use millpond_overflow::budget::Scenario;
use millpond_plan::compare::Opened;
use millpond_plan::compare::check::check;
use millpond_plan::compare::diff::{Limits, diff};
use millpond_plan::error::{Failure, Fault, reason, shown, shown_path};
use millpond_plan::output::budget_toml::scenario_name;
use millpond_plan::output::check::{CheckedRecording, check_json, check_markdown, check_text};
use millpond_plan::output::diff::{Compared, diff_json, diff_markdown, diff_text};
use millpond_plan::output::figures::number_of;
use millpond_plan::report;

use crate::compare_arguments::{CheckArguments, DiffArguments};
use crate::output_file::{self, BUDGET_BYTES_MAX, Kind};

/// Checks recordings against a budget.
pub(crate) fn run_check(arguments: &CheckArguments) -> Result<(), Failure> {
    let text = text_of(&arguments.budget)?;
    let told = |message: String| Fault::whole(message).of_input(&shown_path(&arguments.budget));
    let budget =
        Budget::from_toml(&text).map_err(|error| told(shown(error.to_string().as_bytes())))?;
    let mut checked = Vec::new();
    for path in &arguments.recordings {
        let name = path.to_string_lossy().into_owned();
        let scenario = scenario(&budget, arguments.scenario.as_deref(), &name).map_err(told)?;
        if scenario.entries().len() == 0 {
            return Err(told(format!(
                "scenario {} has no pools, so that anything fits; `millpond plan --all --budget` writes one for each class",
                shown(scenario.name().as_bytes())
            )));
        }
        let source = millpond_terminal::open(path).map_err(|fault| fault.of_input(&name))?;
        let check = check(&source, scenario, &text).map_err(|fault| fault.of_input(&name))?;
        checked.push(CheckedRecording { name, scenario: scenario.name().to_owned(), check });
    }
    millpond_terminal::print(&match (arguments.json, arguments.markdown) {
        (true, _) => check_json(&checked)?,
        (_, true) => check_markdown(&checked),
        _ => check_text(&checked, millpond_terminal::paint()),
    })?;
    let overflows = checked.iter().map(|of| of.check.overflows().count() as u64).sum::<u64>();
    match overflows {
        0 => Ok(()),
        1 => Err(Failure::Check("1 pool overflows".to_owned())),
        n => Err(Failure::Check(format!("{} overflow", number_of(n, "pool")))),
    }
}

/// The scenario for a recording: the one that is asked for, that of its name, or the only one.
fn scenario<'b>(
    budget: &'b Budget,
    wanted: Option<&str>,
    recording: &str,
) -> Result<Scenario<'b>, String> {
    if let Some(wanted) = wanted {
        return budget.scenario(wanted).map_err(|error| shown(error.to_string().as_bytes()));
    }
    let name = scenario_name(recording);
    let mut all = budget.scenario_names();
    match (budget.scenario(name), all.next(), all.next()) {
        (Ok(scenario), ..) => Ok(scenario),
        (_, Some(only), None) => budget.scenario(only).map_err(|error| error.to_string()),
        (Err(error), ..) => {
            Err(format!("{}; choose one with --scenario NAME", shown(error.to_string().as_bytes())))
        }
    }
}

fn text_of(path: &Path) -> Result<String, Failure> {
    let name = path.to_string_lossy();
    let fault = |message: &str| Fault::whole(message).of_input(&name);
    let bytes = std::fs::metadata(path).map_err(|error| fault(&reason(&error)))?.len();
    if bytes > BUDGET_BYTES_MAX {
        return Err(fault("is larger than any budget"));
    }
    std::fs::read_to_string(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::InvalidData => fault("is not UTF-8, expected a budget (TOML)"),
        _ => fault(&reason(&error)),
    })
}

/// Compares two recordings.
pub(crate) fn run_diff(arguments: &DiffArguments) -> Result<(), Failure> {
    let report = arguments.report.as_deref();
    report.map_or(Ok(()), |path| output_file::may_replace(path, Kind::Report))?;
    let names =
        [&arguments.before, &arguments.after].map(|path| path.to_string_lossy().into_owned());
    let open = |path: &Path, name: &str| {
        millpond_terminal::open(path).map_err(|fault| fault.of_input(name))
    };
    let sources = (open(&arguments.before, &names[0])?, open(&arguments.after, &names[1])?);
    let before = Opened::of(&sources.0).map_err(|fault| fault.of_input(&names[0]))?;
    let after = Opened::of(&sources.1).map_err(|fault| fault.of_input(&names[1]))?;
    if before.summary.allocations.is_some() != after.summary.allocations.is_some() {
        let why =
            "one is a recording of a heap and the other a lifetime trace, expected two of one kind";
        return Err(Fault::whole(why).of_input(&names[1]));
    }
    let limits = Limits::of_share(arguments.threshold / 100.0);
    let diff = diff(&before, &after, &limits).map_err(|fault| fault.of_input(&names[1]))?;
    let compared = Compared { names, format: after.summary.format, diff };
    millpond_terminal::print(&match (arguments.json, arguments.markdown) {
        (true, _) => diff_json(&compared)?,
        (_, true) => diff_markdown(&compared),
        _ => diff_text(&compared, millpond_terminal::paint()),
    })?;
    if let Some(path) = report {
        let place = output_file::write(path, Kind::Report, &report::diff::render(&compared))?;
        if !arguments.json && !arguments.markdown {
            millpond_terminal::print(&format!("\nReport: {}\n", shown_path(&place)))?;
        }
    }
    Ok(())
}
