//! `millpond plan --wait-p99-ms`.

use millpond_lend::replay::Question;
use millpond_plan::error::{Failure, shown_path};
use millpond_plan::loans;
use millpond_plan::plan::all_whole;

use crate::args::PlanArguments;
use crate::output_file::{self, Kind};
use crate::plan_command::{budget_can_be_written, open};

/// Plans each trace of loans that the user names.
pub(crate) fn run(arguments: &PlanArguments, wait_p99_ms: f64) -> Result<(), Failure> {
    if arguments.class.is_some() || arguments.size_classes.is_some() {
        let why = "--wait-p99-ms cannot be combined with --class or --size-classes";
        return Err(Failure::Arguments(why.to_owned()));
    }
    let report = arguments.report_path();
    report.map_or(Ok(()), |path| output_file::may_replace(path, Kind::Report))?;
    budget_can_be_written(arguments, report)?;
    let question = Question {
        wait_p99_us: (wait_p99_ms * 1_000.0) as u64,
        open_us: (arguments.open_ms * 1_000.0) as u64,
        callers: arguments.closed.and_then(|callers| usize::try_from(callers).ok()),
        ..Question::default()
    };
    let mut traces = Vec::new();
    for path in &arguments.traces {
        let name = path.to_string_lossy();
        let source = open(path, arguments).map_err(|fault| fault.of_input(&name))?;
        traces.push(loans::plan_loans(&name, &source, &question, &arguments.skip_statement)?);
    }
    let budget = match &arguments.budget {
        Some(path) => {
            let budget = loans::budget_of(path, &traces, &question)?;
            Some(output_file::write(path, Kind::Budget, &budget)?)
        }
        None => None,
    };
    if arguments.json {
        millpond_terminal::print(&loans::json(&traces, &question)?)?;
    } else if arguments.csv {
        millpond_terminal::print(&loans::csv(&traces))?;
    } else {
        millpond_terminal::print(&loans::text(&traces, &question, millpond_terminal::paint()))?;
    }
    if let Some(path) = report {
        let html = loans::html(&traces, &question);
        let place = output_file::write(path, Kind::Report, &html)?;
        if !arguments.json && !arguments.csv {
            millpond_terminal::print(&format!("Report: {}\n", shown_path(&place)))?;
        }
    }
    if let Some(place) = budget.filter(|_| !arguments.json && !arguments.csv) {
        millpond_terminal::print(&format!("Budget: {}\n", shown_path(&place)))?;
    }
    loans::follows_littles_law(&traces)?;
    all_whole(traces.iter().map(loans::TracePlan::cut))
}
