//! `millpond plan`, and what happens without a command.

use std::path::Path;

use crate::args::{PlanArguments, RuleArguments};
use crate::error::{Failure, shown, shown_path};
use crate::input::Source;
use crate::measure::measure;
use crate::output::budget_toml::{budget_toml, scenario_name};
use crate::output::paint::Paint;
use crate::output::plan_csv::plan_csv;
use crate::output::plan_json::plan_json;
use crate::output::plan_text::{Wanted, rules_text, trace_text};
use crate::output_file::{self, Kind};
use crate::pattern::Pattern;
use crate::plan::{BLOCKS_AT_HAND_DEFAULT, Headroom, Rules, TracePlan, plan, size_classes};
use crate::plan_report;
use crate::report::render;

/// The traces that are part of the program.
const BUNDLED: [(&str, &[u8]); 3] = [
    (
        "freedoom2-map01-8bots.csv.gz",
        include_bytes!("../../../traces/freedoom2-map01-8bots.csv.gz"),
    ),
    ("freedoom2-map15-solo.csv.gz", include_bytes!("../../../traces/freedoom2-map15-solo.csv.gz")),
    (
        "openttd-600ticks.heaptrack.zst",
        include_bytes!("../../../traces/openttd-600ticks.heaptrack.zst"),
    ),
];

/// How many classes the tables of the bundled traces show.
const BUNDLED_TOP: usize = 8;

/// The rules that the bundled traces are planned by: 35 ticks a second is what they were
/// recorded at.
const BUNDLED_RULES: RuleArguments = RuleArguments {
    headroom: Headroom::DEFAULT_PERCENT,
    tick_rate: Some(35.0),
    session_hours: 24.0,
};

impl RuleArguments {
    fn rules(self, skip_callers: &[Pattern], blocks_at_hand: u8) -> Rules {
        Rules {
            headroom: Headroom { percent: self.headroom },
            ticks_per_second: self.tick_rate,
            skip_callers: skip_callers.to_vec(),
            blocks_at_hand,
            session_seconds: self.session_hours * 3600.0,
        }
    }
}

/// Where the report goes if nobody says.
const REPORT: &str = "report.html";

/// Plans the traces that the user names.
pub(crate) fn run(arguments: &PlanArguments) -> Result<(), Failure> {
    if let Some(wait_p99_ms) = arguments.wait_p99_ms {
        return crate::loans_command::run(arguments, wait_p99_ms);
    }
    let rules = arguments.rules.rules(&arguments.skip_caller, arguments.blocks_at_hand);
    let wanted = Wanted {
        top: arguments.top,
        classes: arguments.class.clone(),
        handles: !arguments.no_handles,
    };
    let report = match &arguments.report {
        Some(path) => Some(path.as_path()),
        None if arguments.no_report || arguments.json || arguments.csv => None,
        None => Some(Path::new(REPORT)),
    };
    // Asked before the work, so that nothing is half done.
    report.map_or(Ok(()), |path| output_file::may_replace(path, Kind::Report))?;
    budget_can_be_written(arguments, report)?;
    let mut plans = Vec::new();
    for path in &arguments.traces {
        plans.push(plan_path(path, &rules, arguments)?);
    }
    let mut places = String::new();
    if let Some(path) = &arguments.budget {
        let budget = budget_of(path, &plans, &rules, arguments.all)?;
        let place = output_file::write(path, Kind::Budget, &budget)?;
        places += &format!("Budget: {}\n", shown_path(&place));
    }
    if arguments.json {
        crate::print(&plan_json(&plans, &rules, &wanted))?;
    } else if arguments.csv {
        crate::print(&plan_csv(&plans, &wanted))?;
    } else {
        print_text(&plans, &rules, &wanted)?;
    }
    if let Some(path) = report {
        places += &format!("Report: {}\n", write_report(path, &plans, &rules)?);
    }
    if !arguments.json && !arguments.csv && !places.is_empty() {
        crate::print(&format!("\n{places}"))?;
    }
    all_proved(&plans)
}

/// Checks that each trace is a scenario of its own, and that the file is free.
fn budget_can_be_written(arguments: &PlanArguments, report: Option<&Path>) -> Result<(), Failure> {
    let Some(path) = arguments.budget.as_deref() else { return Ok(()) };
    let mut names = Vec::new();
    for trace in &arguments.traces {
        let trace = trace.to_string_lossy();
        let name = scenario_name(&trace).to_owned();
        if names.contains(&name) {
            let name = shown(name.as_bytes());
            let why = format!("--budget: two traces are called `{name}`, expected a name for each");
            return Err(Failure::Arguments(why));
        }
        names.push(name);
    }
    if report == Some(path) {
        let why = format!("--budget: {} is where the report goes", shown_path(path));
        return Err(Failure::Arguments(why));
    }
    output_file::may_replace(path, Kind::Budget)
}

fn budget_of(
    path: &Path,
    plans: &[TracePlan],
    rules: &Rules,
    all: bool,
) -> Result<String, Failure> {
    budget_toml(plans, rules, all)
        .map_err(|why| Failure::Output(format!("{}: {why}", shown_path(path))))
}

/// Writes the report; returns where it is, for people.
fn write_report(path: &Path, plans: &[TracePlan], rules: &Rules) -> Result<String, Failure> {
    let html = render(&plan_report::report(plans, rules));
    Ok(shown_path(&output_file::write(path, Kind::Report, &html)?))
}

/// The plans are worth nothing if they do not hold.
fn all_proved(plans: &[TracePlan]) -> Result<(), Failure> {
    match plans.iter().find(|plan| !plan.proof().holds()) {
        Some(plan) => {
            Err(Failure::Check(format!("{}: the plan does not hold", shown(plan.name.as_bytes()))))
        }
        None => Ok(()),
    }
}

fn plan_path(path: &Path, rules: &Rules, arguments: &PlanArguments) -> Result<TracePlan, Failure> {
    let name = path.to_string_lossy();
    let source = Source::from_path(path).map_err(|fault| fault.of_input(&name))?;
    let mut plan = plan(&name, &source, rules).map_err(|fault| fault.of_input(&name))?;
    if let Some(bytes_max) = arguments.size_classes {
        let classes = size_classes(&plan, &source, bytes_max, rules);
        plan.size_classes = Some(classes.map_err(|fault| fault.of_input(&name))?);
    }
    if arguments.measure {
        measure(&mut plan, &source).map_err(|fault| fault.of_input(&name))?;
    }
    Ok(plan)
}

/// Plans the bundled traces and says what comes next.
pub(crate) fn run_bundled() -> Result<(), Failure> {
    let rules = BUNDLED_RULES.rules(&[], BLOCKS_AT_HAND_DEFAULT);
    output_file::may_replace(Path::new(REPORT), Kind::Report)?;
    let mut plans = Vec::new();
    for (name, bytes) in BUNDLED {
        let source = Source::from_memory(bytes);
        plans.push(plan(name, &source, &rules).map_err(|fault| fault.of_input(name))?);
    }
    crate::print(WELCOME)?;
    let wanted = Wanted { top: BUNDLED_TOP, classes: None, handles: true };
    print_text(&plans, &rules, &wanted)?;
    let place = write_report(Path::new(REPORT), &plans, &rules)?;
    crate::print(&format!("\nReport, for a browser:\n{place}\n{NEXT}"))?;
    all_proved(&plans)
}

const WELCOME: &str = "\
millpond: how large does each object pool have to be?
These are the plans for three traces that come with it: two games of Freedoom 2
in which every actor was recorded, and a game of OpenTTD whose every malloc and
free heaptrack recorded.
";

const NEXT: &str = "
Next:
  millpond plan TRACE          your own trace: tick,event,id,class, or heaptrack's
  heaptrack ./your-game        records one without changing the game, on Linux
  millpond odds                how unlikely it is that two handles are mixed up
  millpond plan --help         all options, with examples
(`cargo run --release -- plan TRACE` if millpond is not installed)
";

fn print_text(plans: &[TracePlan], rules: &Rules, wanted: &Wanted) -> Result<(), Failure> {
    let paint = Paint::for_stdout();
    let mut text = rules_text(rules, wanted, paint);
    for plan in plans {
        text.push_str(&trace_text(plan, wanted, paint));
    }
    crate::print(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_that_is_too_large_for_a_budget_is_named() {
        let text = b"tick,event,id,class\n0,alloc,1,Imp\n3,free,1,Imp\n";
        let rules = BUNDLED_RULES.rules(&[], BLOCKS_AT_HAND_DEFAULT);
        let plan = plan("a.csv", &Source::from_memory(text), &rules);
        let mut plans = [plan.expect("a good trace")];
        assert!(budget_of(Path::new("b.toml"), &plans, &rules, true).is_ok());
        plans[0].classes[0].capacity = (1 << 24) + 1;
        let failure = budget_of(Path::new("b.toml"), &plans, &rules, true).expect_err("too large");
        assert_eq!(
            failure.to_string(),
            "b.toml: class Imp: 16777217 slots are more than the 16777216 that a budget can say"
        );
    }

    #[test]
    fn a_plan_that_does_not_hold_is_a_failed_check() {
        let text = b"tick,event,id,class\n0,alloc,1,Imp\n3,free,1,Imp\n";
        let plan = plan(
            "a.csv",
            &Source::from_memory(text),
            &BUNDLED_RULES.rules(&[], BLOCKS_AT_HAND_DEFAULT),
        );
        let mut plans = [plan.expect("a good trace")];
        assert_eq!(all_proved(&plans), Ok(()));
        plans[0].classes[0].proof.stale_resolved = 1;
        let failure = all_proved(&plans).expect_err("a handle lied");
        assert_eq!(failure.exit_code(), 1);
        assert_eq!(failure.to_string(), "a.csv: the plan does not hold");
        let wanted = Wanted { top: 8, classes: None, handles: true };
        let text = trace_text(&plans[0], &wanted, Paint::for_stdout());
        assert!(text.contains("NOT PROVED"), "{text}");
    }
}
