//! `millpond plan`, and what happens without a command.

use std::path::{Path, PathBuf};

use std::time::Duration;

use crate::allocators::{self, Here, prices_here};
use crate::args::{PlanArguments, RuleArguments, TRIAL_MS_DEFAULT};
use crate::names::with_names;
use crate::output_file::{self, Kind};
use crate::record_command::{self, Recorded};
use crate::sums_command;
use crate::wanted::{as_wanted, wanted};
use millpond_plan::error::{Failure, Fault, shown, shown_path};
use millpond_plan::input::Source;
use millpond_plan::measure::{measure, trial};
use millpond_plan::nearest::{Known, fits_nothing};
use millpond_plan::output::budget_toml::{Scenario, budget_toml, scenario_name};
use millpond_plan::output::plan_csv::plan_csv;
use millpond_plan::output::plan_json::plan_json;
use millpond_plan::output::plan_text::{Wanted, plans_text};
use millpond_plan::pattern::Pattern;
use millpond_plan::plan::{
    BLOCKS_AT_HAND_DEFAULT, Headroom, NotTried, Rules, SESSION_HOURS_DEFAULT, TracePlan,
    all_proved, all_whole, plan, size_classes,
};
use millpond_plan::plan_report;
use millpond_plan::report::render;
use millpond_plan::summary::{COLUMNS, COLUMNS_MAX, summary_csv};
use millpond_plan::sums::are_sums;

/// The traces that are a part of the program; none if it was built from the published package.
const BUNDLED: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/bundled.rs"));

/// How many classes the tables of the bundled traces show.
const BUNDLED_TOP: usize = 5;

/// The rules that the bundled traces are planned by: 35 ticks a second is what they were
/// recorded at.
const BUNDLED_RULES: RuleArguments = RuleArguments {
    headroom: Headroom::DEFAULT_PERCENT,
    tick_rate: Some(35.0),
    session_hours: SESSION_HOURS_DEFAULT,
};

impl RuleArguments {
    fn rules(self, skip_callers: &[Pattern], blocks_at_hand: u8, here: Here) -> Rules {
        let Here { prices, not_tried } = here;
        Rules {
            not_tried,
            headroom: Headroom { percent: self.headroom },
            ticks_per_second: self.tick_rate,
            run_ms: None,
            skip_callers: skip_callers.to_vec(),
            blocks_at_hand,
            prices,
            session_seconds: self.session_hours * 3600.0,
        }
    }
}

/// The default path of the report.
const REPORT: &str = "report.html";

impl PlanArguments {
    /// The path of the report, if one is wanted.
    pub(crate) fn report_path(&self) -> Option<&Path> {
        match &self.report {
            Some(path) => Some(path),
            None if self.no_report || self.json || self.csv => None,
            None => Some(Path::new(REPORT)),
        }
    }
}

/// Plans the traces that the user names.
pub(crate) fn run(arguments: &PlanArguments) -> Result<(), Failure> {
    if arguments.run_ms.is_some() && arguments.traces.len() > 1 {
        let why = "--run-ms: expected one trace, found several";
        return Err(Failure::Arguments(why.to_owned()));
    }
    let wanted = wanted(arguments);
    let report = arguments.report_path();
    // Checked before the work starts, so that nothing is left half done.
    report.map_or(Ok(()), |path| output_file::may_replace(path, Kind::Report))?;
    budget_can_be_written(arguments, report)?;
    summary_can_be_written(arguments, report)?;
    recording_can_be_written(arguments, report)?;
    let mut sources = Vec::new();
    for path in &arguments.traces {
        sources.push((path.as_path(), open_named(path, arguments)?));
    }
    if are_sums(&sources)? {
        return sums_command::run(arguments, &sources);
    }
    let rules = rules(arguments);
    let mut plans = Vec::new();
    for (path, source) in &sources {
        plans.push(plan_path(path, source, &rules, arguments)?);
    }
    if let (Some(why), None) = (fits_no_class(arguments, &plans), &arguments.tracy) {
        return Err(Failure::Arguments(why));
    }
    if !arguments.measure {
        let sources: Vec<&Source> = sources.iter().map(|(_, source)| source).collect();
        try_here(&mut plans, &sources, &rules, arguments.trial_ms)?;
    }
    let mut lost = None;
    let mut places = String::new();
    if let Some(address) = &arguments.tracy {
        let recorded = record_command::for_plan(address, arguments)?;
        let plan = plan_recorded(&recorded, &rules, arguments)?;
        let recorder = match &arguments.output {
            Some(path) => {
                places += &record_command::place(path);
                None
            }
            None => Some(format!("--tracy {address}")),
        };
        plans.push(TracePlan { recorder, ended_by: Some(recorded.ended_by), ..plan });
        if !arguments.json && !arguments.csv {
            millpond_terminal::print(&format!("{}\n", recorded.what))?;
        }
        lost = recorded.lost;
    }
    if let Some(path) = &arguments.budget {
        let budget = budget_of(path, &plans, &rules, arguments.all)?;
        let place = output_file::write(path, Kind::Budget, &budget)?;
        let is_empty = plans.iter().all(|plan| Scenario::of(plan, arguments.all).pools.is_empty());
        let without = if is_empty { " (no class is worth a pool; --all adds them)" } else { "" };
        places += &format!("Budget: {}{without}\n", shown_path(&place));
    }
    if let Some(path) = &arguments.summary {
        let place = output_file::write(path, Kind::Summary, &summary_of(arguments, &plans))?;
        places += &format!("Summary: {}\n", shown_path(&place));
    }
    if arguments.json {
        millpond_terminal::print(&plan_json(&plans, &rules, &wanted)?)?;
    } else if arguments.csv {
        millpond_terminal::print(&plan_csv(&plans, &wanted))?;
    } else {
        print_text(&plans, &rules, &wanted)?;
    }
    if let Some(path) = report {
        places += &format!("Report: {}\n", write_report(path, &plans, &rules)?);
    }
    if !arguments.json && !arguments.csv && !places.is_empty() {
        millpond_terminal::print(&format!("\n{places}"))?;
    }
    all_proved(&plans)?;
    // A program that was recorded for it does not run twice alike: it is planned all the same.
    if let Some(why) = fits_no_class(arguments, &plans) {
        return Err(Failure::Arguments(why));
    }
    match lost {
        Some(why) => Err(Failure::Unfinished(format!("{why}; planned what came before"))),
        None => all_whole(plans.iter().map(TracePlan::cut)),
    }
}

/// The rules that the user sets, with the prices of this machine unless others are given.
fn rules(arguments: &PlanArguments) -> Rules {
    let here = match &arguments.prices {
        Some(prices) => Here { prices: prices.clone(), not_tried: Some(NotTried::Unasked) },
        None => prices_here(arguments.allocators),
    };
    let rules = arguments.rules.rules(&arguments.skip_caller, arguments.blocks_at_hand, here);
    Rules { run_ms: arguments.run_ms, ..rules }
}

/// As [`open`], with the trace's name in the error.
fn open_named(path: &Path, arguments: &PlanArguments) -> Result<Source, Failure> {
    open(path, arguments).map_err(|fault| fault.of_input(&path.to_string_lossy()))
}

/// Tries the first proposals of all plans here, in this many milliseconds together, unless there are no prices of this
/// machine to judge by.
fn try_here(
    plans: &mut [TracePlan],
    sources: &[&Source],
    rules: &Rules,
    trial_ms: u64,
) -> Result<(), Failure> {
    if rules.not_tried.is_some() || trial_ms == 0 {
        return Ok(());
    }
    let each = Duration::from_millis(trial_ms) / plans.len().max(1) as u32;
    for (plan, source) in plans.iter_mut().zip(sources) {
        let name = plan.name.clone();
        trial(plan, source, &rules.prices, each).map_err(|fault| fault.of_input(&name))?;
    }
    Ok(())
}

/// Opens a trace, which may be cut short unless the user wants it whole.
pub(crate) fn open(path: &Path, arguments: &PlanArguments) -> Result<Source, Fault> {
    let source = as_wanted(with_names(millpond_terminal::open(path)?, path), arguments);
    Ok(if arguments.whole { source } else { source.up_to_its_end() })
}

/// Why no class of any plan is shown, if the user's pattern fits none.
fn fits_no_class(arguments: &PlanArguments, plans: &[TracePlan]) -> Option<String> {
    let classes = plans.iter().flat_map(|plan| &plan.classes).map(|class| Known {
        name: class.name.clone(),
        functions: class.callers.iter().map(|caller| caller.function.as_str()).collect(),
    });
    fits_nothing(arguments.class.as_ref()?, &classes.collect::<Vec<_>>())
}

/// Checks that each trace is a scenario of its own, and that the file is free.
pub(crate) fn budget_can_be_written(
    arguments: &PlanArguments,
    report: Option<&Path>,
) -> Result<(), Failure> {
    let Some(path) = arguments.budget.as_deref() else { return Ok(()) };
    names_differ("--budget", &arguments.traces)?;
    is_elsewhere("--budget", path, report, "the report")?;
    output_file::may_replace(path, Kind::Budget)
}

/// Checks that each trace is a session of its own, and that the file is free.
fn summary_can_be_written(arguments: &PlanArguments, report: Option<&Path>) -> Result<(), Failure> {
    let Some(path) = arguments.summary.as_deref() else { return Ok(()) };
    if arguments.session.is_some() && arguments.traces.len() > 1 {
        let why = "--session: expected one trace, found several";
        return Err(Failure::Arguments(why.to_owned()));
    }
    let columns = arguments.tag.iter().map(|tag| tag.column.as_str());
    let mut met = Vec::new();
    for column in columns {
        if met.contains(&column) {
            return Err(Failure::Arguments(format!("--tag: `{column}` is given twice")));
        }
        met.push(column);
    }
    if COLUMNS.len() + met.len() > COLUMNS_MAX {
        let tags_max = COLUMNS_MAX - COLUMNS.len();
        return Err(Failure::Arguments(format!("--tag: expected at most {tags_max} tags")));
    }
    for trace in &arguments.traces {
        if arguments.session.is_none() && trace.to_string_lossy().contains(char::is_control) {
            let name = shown_path(trace);
            return Err(Failure::Arguments(format!(
                "`{name}` cannot name a session; name it with --session NAME"
            )));
        }
    }
    names_differ("--summary", &arguments.traces)?;
    is_elsewhere("--summary", path, report, "the report")?;
    is_elsewhere("--summary", path, arguments.budget.as_deref(), "the budget")?;
    output_file::may_replace(path, Kind::Summary)
}

/// Checks that the file for the recording is free.
fn recording_can_be_written(
    arguments: &PlanArguments,
    report: Option<&Path>,
) -> Result<(), Failure> {
    let Some(path) = arguments.output.as_deref() else { return Ok(()) };
    is_elsewhere("--output", path, report, "the report")?;
    is_elsewhere("--output", path, arguments.budget.as_deref(), "the budget")?;
    is_elsewhere("--output", path, arguments.summary.as_deref(), "the summary")?;
    output_file::may_replace(path, Kind::Recording)
}

/// Checks that the traces have a name each.
fn names_differ(option: &str, traces: &[PathBuf]) -> Result<(), Failure> {
    let mut names = Vec::new();
    for trace in traces {
        let trace = trace.to_string_lossy();
        let name = scenario_name(&trace).to_owned();
        if names.contains(&name) {
            let name = shown(name.as_bytes());
            let why = format!("{option}: two traces are named `{name}`, expected different names");
            return Err(Failure::Arguments(why));
        }
        names.push(name);
    }
    Ok(())
}

/// Checks that a file does not go where another one goes.
fn is_elsewhere(
    option: &str,
    path: &Path,
    other: Option<&Path>,
    what: &str,
) -> Result<(), Failure> {
    if other.is_none_or(|other| !output_file::is_same(path, other)) {
        return Ok(());
    }
    Err(Failure::Arguments(format!("{option}: {} is also the file for {what}", shown_path(path))))
}

fn summary_of(arguments: &PlanArguments, plans: &[TracePlan]) -> String {
    let name = |plan: &TracePlan| {
        arguments.session.clone().unwrap_or_else(|| scenario_name(&plan.name).to_owned())
    };
    let names: Vec<_> = plans.iter().map(name).collect();
    let sessions: Vec<_> = names.iter().map(String::as_str).zip(plans).collect();
    summary_csv(&sessions, &arguments.tag)
}

fn budget_of(
    path: &Path,
    plans: &[TracePlan],
    rules: &Rules,
    all: bool,
) -> Result<String, Failure> {
    let scenarios: Vec<_> = plans.iter().map(|plan| Scenario::of(plan, all)).collect();
    budget_toml(&scenarios, &rules.headroom.rule())
        .map_err(|why| Failure::Output(format!("{}: {why}", shown_path(path))))
}

/// Writes the report; returns its path as text.
fn write_report(path: &Path, plans: &[TracePlan], rules: &Rules) -> Result<String, Failure> {
    let html = render(&plan_report::report(plans, rules));
    Ok(shown_path(&output_file::write(path, Kind::Report, &html)?))
}

fn plan_path(
    path: &Path,
    source: &Source,
    rules: &Rules,
    arguments: &PlanArguments,
) -> Result<TracePlan, Failure> {
    let name = path.to_string_lossy();
    let mut plan = plan_source(&name, source, rules, arguments)?;
    if arguments.measure {
        measure(&mut plan, source, &rules.prices).map_err(|fault| fault.of_input(&name))?;
    }
    if arguments.allocators {
        allocators::measure(&mut plan, path, arguments.measure);
    }
    Ok(plan)
}

/// Plans what was recorded a moment ago.
fn plan_recorded(
    recorded: &Recorded,
    rules: &Rules,
    arguments: &PlanArguments,
) -> Result<TracePlan, Failure> {
    let Recorded { name, source, .. } = recorded;
    plan_source(name, source, rules, arguments)
}

fn plan_source(
    name: &str,
    source: &Source,
    rules: &Rules,
    arguments: &PlanArguments,
) -> Result<TracePlan, Failure> {
    let mut plan = plan(name, source, rules).map_err(|fault| fault.of_input(name))?;
    if let Some(fault) = plan.summary.unfinished().filter(|_| arguments.whole) {
        return Err(fault.of_input(name));
    }
    if let Some(bytes_max) = arguments.size_classes {
        let classes = size_classes(&plan, source, bytes_max, rules);
        plan.size_classes = Some(classes.map_err(|fault| fault.of_input(name))?);
    }
    Ok(plan)
}

/// What happens without a command: the demonstration if cargo runs the tool in its repository, and else an explanation.
pub(crate) fn run_without_command() -> Result<(), Failure> {
    // By name and not by its folder, which would make a program of each place that it is built in.
    let run_by_cargo = std::env::var_os("CARGO_PKG_NAME");
    match run_by_cargo.is_some_and(|name| name == env!("CARGO_PKG_NAME")) && !BUNDLED.is_empty() {
        true => run_bundled(),
        false => millpond_terminal::print(&format!("{EXPLANATION}{NEXT}")),
    }
}

/// Plans the bundled traces and suggests the next step.
fn run_bundled() -> Result<(), Failure> {
    let rules = BUNDLED_RULES.rules(&[], BLOCKS_AT_HAND_DEFAULT, prices_here(false));
    output_file::may_replace(Path::new(REPORT), Kind::Report)?;
    let sources: Vec<Source> =
        BUNDLED.iter().map(|&(_, bytes)| Source::from_memory(bytes)).collect();
    let mut plans = Vec::new();
    for (&(name, _), source) in BUNDLED.iter().zip(&sources) {
        plans.push(plan(name, source, &rules).map_err(|fault| fault.of_input(name))?);
    }
    try_here(&mut plans, &sources.iter().collect::<Vec<_>>(), &rules, TRIAL_MS_DEFAULT)?;
    millpond_terminal::print(WELCOME)?;
    let wanted =
        Wanted { top: BUNDLED_TOP, classes: None, handles: true, measured: false, all: false };
    print_text(&plans, &rules, &wanted)?;
    let place = write_report(Path::new(REPORT), &plans, &rules)?;
    millpond_terminal::print(&format!(
        "\nReport, with plots (open it in a browser):\n{place}\n{NEXT}"
    ))?;
    all_proved(&plans)
}

const WELCOME: &str = "\
millpond: how large does each object pool have to be? Here are the answers for
three recordings that come with it: two games of Freedoom 2 and one of OpenTTD.

";

const EXPLANATION: &str = "\
millpond works out how large each object pool of a program has to be, from a
recording of the program.

Usage: millpond plan RECORDING...
";

const NEXT: &str = "
Next:
  heaptrack --raw ./your-game  record a program without changing it, on Linux
  millpond plan RECORDING      plan its pools, and write a report
  millpond plan --help         all options, and the other kinds of recordings
  millpond --help              all commands
(In the repository: `cargo run --release -- plan RECORDING`)
";

fn print_text(plans: &[TracePlan], rules: &Rules, wanted: &Wanted) -> Result<(), Failure> {
    millpond_terminal::print(&plans_text(plans, rules, wanted, millpond_terminal::paint()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_that_is_too_large_for_a_budget_is_named() {
        let text = b"tick,event,id,class\n0,alloc,1,Imp\n3,free,1,Imp\n";
        let rules =
            BUNDLED_RULES.rules(&[], BLOCKS_AT_HAND_DEFAULT, Here::reference(NotTried::Unasked));
        let plan = plan("a.csv", &Source::from_memory(text), &rules);
        let mut plans = [plan.expect("a good trace")];
        assert!(budget_of(Path::new("b.toml"), &plans, &rules, true).is_ok());
        plans[0].classes[0].capacity = (1 << 24) + 1;
        let failure = budget_of(Path::new("b.toml"), &plans, &rules, true).expect_err("too large");
        assert_eq!(
            failure.to_string(),
            "b.toml: class Imp: 16777217 slots, expected at most 16777216, which is the limit of a budget"
        );
    }

    #[test]
    fn a_plan_that_does_not_hold_is_a_failed_check() {
        let text = b"tick,event,id,class\n0,alloc,1,Imp\n3,free,1,Imp\n";
        let rules =
            BUNDLED_RULES.rules(&[], BLOCKS_AT_HAND_DEFAULT, Here::reference(NotTried::Unasked));
        let plan = plan("a.csv", &Source::from_memory(text), &rules);
        let mut plans = [plan.expect("a good trace")];
        assert_eq!(all_proved(&plans), Ok(()));
        plans[0].classes[0].proof.stale_resolved = 1;
        let failure = all_proved(&plans).expect_err("a handle lied");
        assert_eq!(failure.exit_code(), 1);
        assert_eq!(failure.to_string(), "a.csv: the plan does not hold");
        let wanted = Wanted { top: 8, classes: None, handles: true, measured: false, all: false };
        let text = plans_text(&plans, &rules, &wanted, millpond_terminal::paint());
        assert!(text.contains("CHECK FAILED") && !text.contains("Checked"), "{text}");
    }
}
