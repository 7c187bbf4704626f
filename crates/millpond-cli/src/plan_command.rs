//! `millpond plan`, and what happens without a command.

use std::path::Path;

use crate::args::{PlanArguments, RuleArguments};
use crate::error::{Failure, shown};
use crate::input::Source;
use crate::output::paint::Paint;
use crate::output::plan_json::plan_json;
use crate::output::plan_text::{rules_text, trace_text};
use crate::plan::{Headroom, Rules, TracePlan, plan};
use crate::report::render;
use crate::{plan_report, report_file};

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
const BUNDLED_RULES: RuleArguments =
    RuleArguments { headroom: Headroom::DEFAULT_PERCENT, tick_rate: 35.0, session_hours: 24.0 };

impl RuleArguments {
    fn rules(self) -> Rules {
        Rules {
            headroom: Headroom { percent: self.headroom },
            ticks_per_second: self.tick_rate,
            session_seconds: self.session_hours * 3600.0,
        }
    }
}

/// Where the report goes if nobody says.
const REPORT: &str = "report.html";

/// Plans the traces that the user names.
pub(crate) fn run(arguments: &PlanArguments) -> Result<(), Failure> {
    let rules = arguments.rules.rules();
    let report = match &arguments.report {
        Some(path) => Some(path.as_path()),
        None if arguments.no_report || arguments.json => None,
        None => Some(Path::new(REPORT)),
    };
    // Asked before the work, so that nothing is half done.
    report.map_or(Ok(()), report_file::may_replace)?;
    let mut plans = Vec::new();
    for path in &arguments.traces {
        plans.push(plan_path(path, &rules)?);
    }
    if arguments.json {
        crate::print(&plan_json(&plans, &rules))?;
    } else {
        print_text(&plans, &rules, arguments.top)?;
    }
    if let Some(path) = report {
        let place = write_report(path, &plans, &rules)?;
        if !arguments.json {
            crate::print(&format!("\nReport: {place}\n"))?;
        }
    }
    all_proved(&plans)
}

/// Writes the report; returns where it is, for people.
fn write_report(path: &Path, plans: &[TracePlan], rules: &Rules) -> Result<String, Failure> {
    let html = render(&plan_report::report(plans, rules));
    let place = report_file::write(path, &html)?;
    Ok(shown(place.to_string_lossy().as_bytes()))
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

fn plan_path(path: &Path, rules: &Rules) -> Result<TracePlan, Failure> {
    let name = path.to_string_lossy();
    let source = Source::from_path(path).map_err(|fault| fault.of_input(&name))?;
    plan(&name, &source, rules).map_err(|fault| fault.of_input(&name))
}

/// Plans the bundled traces and says what comes next.
pub(crate) fn run_bundled() -> Result<(), Failure> {
    let rules = BUNDLED_RULES.rules();
    report_file::may_replace(Path::new(REPORT))?;
    let mut plans = Vec::new();
    for (name, bytes) in BUNDLED {
        let source = Source::from_memory(bytes);
        plans.push(plan(name, &source, &rules).map_err(|fault| fault.of_input(name))?);
    }
    crate::print(WELCOME)?;
    print_text(&plans, &rules, BUNDLED_TOP)?;
    let place = write_report(Path::new(REPORT), &plans, &rules)?;
    crate::print(&format!("\nReport: {place} (open it in a browser)\n{NEXT}"))?;
    all_proved(&plans)
}

const WELCOME: &str = "\
millpond: how large does each object pool have to be?
These are the plans for three traces that come with it: two games of Freedoom 2 in which every
actor was recorded, and a game of OpenTTD whose every malloc and free heaptrack recorded.
";

const NEXT: &str = "
Next:
  millpond plan TRACE          your own trace: lines of tick,event,id,class, or a heaptrack file
  heaptrack ./your-game        records one without changing the game, on any Linux machine
  millpond odds                how unlikely it is that two handles are mistaken for each other
  millpond plan --help         all options, with examples
(`cargo run --release -- plan TRACE` if millpond is not installed)
";

fn print_text(plans: &[TracePlan], rules: &Rules, top: usize) -> Result<(), Failure> {
    let paint = Paint::for_stdout();
    let mut text = rules_text(rules, paint);
    for plan in plans {
        text.push_str(&trace_text(plan, top, paint));
    }
    crate::print(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_that_does_not_hold_is_a_failed_check() {
        let text = b"tick,event,id,class\n0,alloc,1,Imp\n3,free,1,Imp\n";
        let plan = plan("a.csv", &Source::from_memory(text), &BUNDLED_RULES.rules());
        let mut plans = [plan.expect("a good trace")];
        assert_eq!(all_proved(&plans), Ok(()));
        plans[0].classes[0].proof.stale_resolved = 1;
        let failure = all_proved(&plans).expect_err("a handle lied");
        assert_eq!(failure.exit_code(), 1);
        assert_eq!(failure.to_string(), "a.csv: the plan does not hold");
        let text = trace_text(&plans[0], 8, Paint::for_stdout());
        assert!(text.contains("NOT PROVED"), "{text}");
    }
}
