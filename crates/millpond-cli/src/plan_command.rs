//! `millpond plan`, and what happens without a command.

use std::path::Path;

use crate::args::{PlanArguments, RuleArguments};
use crate::error::Failure;
use crate::input::Source;
use crate::output::paint::Paint;
use crate::output::plan_json::plan_json;
use crate::output::plan_text::{rules_text, trace_text};
use crate::plan::{Headroom, Rules, TracePlan, plan};

/// The traces that are part of the program.
const BUNDLED: [(&str, &[u8]); 3] = [
    (
        "freedoom2-map01-8bots.csv.gz",
        include_bytes!("../../../traces/freedoom2-map01-8bots.csv.gz"),
    ),
    (
        "freedoom2-map15-solo.csv.gz",
        include_bytes!("../../../traces/freedoom2-map15-solo.csv.gz"),
    ),
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
    tick_rate: 35.0,
    session_hours: 24.0,
};

impl RuleArguments {
    fn rules(self) -> Rules {
        Rules {
            headroom: Headroom {
                percent: self.headroom,
            },
            ticks_per_second: self.tick_rate,
            session_seconds: self.session_hours * 3600.0,
        }
    }
}

/// Plans the traces that the user names.
pub(crate) fn run(arguments: &PlanArguments) -> Result<(), Failure> {
    let rules = arguments.rules.rules();
    let mut plans = Vec::new();
    for path in &arguments.traces {
        plans.push(plan_path(path, &rules)?);
    }
    if arguments.json {
        crate::print(&plan_json(&plans, &rules))?;
    } else {
        print_text(&plans, &rules, arguments.top)?;
    }
    all_proved(&plans)
}

/// The plans are worth nothing if they do not hold.
fn all_proved(plans: &[TracePlan]) -> Result<(), Failure> {
    match plans.iter().find(|plan| !plan.proof().holds()) {
        Some(plan) => Err(Failure::Check(format!(
            "{}: the plan does not hold",
            plan.name
        ))),
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
    let mut plans = Vec::new();
    for (name, bytes) in BUNDLED {
        let source = Source::from_memory(bytes);
        plans.push(plan(name, &source, &rules).map_err(|fault| fault.of_input(name))?);
    }
    print_text(&plans, &rules, BUNDLED_TOP)?;
    all_proved(&plans)
}

fn print_text(plans: &[TracePlan], rules: &Rules, top: usize) -> Result<(), Failure> {
    let paint = Paint::for_stdout();
    let mut text = rules_text(rules, paint);
    for plan in plans {
        text.push_str(&trace_text(plan, top, paint));
    }
    crate::print(&text)
}
