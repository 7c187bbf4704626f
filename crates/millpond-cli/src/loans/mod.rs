//! `millpond plan --wait-p99-ms`: how many objects a lender needs, from a trace of its loans.

mod csv;
mod csvlog;
mod json;
mod recording;
mod rows;
mod text;

use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use millpond_lend::replay::{LoanPlan, PoolTrace, Question, plan};

use crate::args::PlanArguments;
use crate::error::{Failure, Fault, shown, shown_path};
use crate::input::{Input, Lines, Source};
use crate::output::budget_toml::{Scenario, ScenarioPool, loans_toml, scenario_name};
use crate::output::figures::{count, milliseconds};
use crate::output_file::{self, Kind};
use crate::plan_command::budget_can_be_written;
use crate::report::loans;

/// The replays agree with Little's law to this share, or the trace is wrong.
const DEVIATION_MAX: f64 = 0.01;

/// One input, and the plans of its pools.
struct TracePlan {
    name: String,
    source: Format,
    plans: Vec<LoanPlan>,
}

/// What the loans were read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A trace of loans.
    Loans,
    /// PostgreSQL's log: when connections were held, but not how long their holders had waited.
    PostgresLog,
}

impl Format {
    fn name(self) -> &'static str {
        match self {
            Self::Loans => "loans",
            Self::PostgresLog => "postgresql-csvlog",
        }
    }
}

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
        traces.push(plan_path(path, &question)?);
    }
    let budget = match &arguments.budget {
        Some(path) => {
            let budget = budget_of(path, &traces, &question)?;
            Some(output_file::write(path, Kind::Budget, &budget)?)
        }
        None => None,
    };
    if arguments.json {
        crate::print(&json::json(&traces, &question)?)?;
    } else if arguments.csv {
        crate::print(&csv::csv(&traces)?)?;
    } else {
        crate::print(&text::text(&traces, &question))?;
    }
    if let Some(path) = report {
        let html = loans::render(&page(&traces, &question));
        let place = output_file::write(path, Kind::Report, &html)?;
        if !arguments.json && !arguments.csv {
            crate::print(&format!("Report: {}\n", shown_path(&place)))?;
        }
    }
    if let Some(place) = budget.filter(|_| !arguments.json && !arguments.csv) {
        crate::print(&format!("Budget: {}\n", shown_path(&place)))?;
    }
    follows_littles_law(&traces)
}

/// The capacities that serve, as a budget; an error if a pool has none.
fn budget_of(path: &Path, traces: &[TracePlan], question: &Question) -> Result<String, Failure> {
    let limit = milliseconds(question.wait_p99_us);
    let entry = |plan: &LoanPlan| {
        let refused = |why: String| {
            let pool = shown(plan.pool.as_bytes());
            Failure::Output(format!("{}: pool {pool}: {why}", shown_path(path)))
        };
        let smallest = plan.smallest.ok_or_else(|| {
            refused(format!("no capacity is enough for 99 % to wait at most {limit}"))
        })?;
        let capacity = u32::try_from(smallest)
            .map_err(|_| refused(format!("a capacity of {smallest} is too large for a budget")))?;
        let comment = format!("{} callers at once at the peak", count(plan.peak as u64));
        Ok(ScenarioPool { name: plan.pool.clone(), capacity, comment })
    };
    let scenario = |trace: &TracePlan| {
        let pools = trace.plans.iter().map(entry).collect::<Result<_, Failure>>()?;
        Ok(Scenario { name: scenario_name(&trace.name).to_owned(), pools, left_out: 0 })
    };
    let scenarios = traces.iter().map(scenario).collect::<Result<Vec<_>, Failure>>()?;
    let rule =
        format!("the smallest with which 99 % wait at most {limit}, if all are opened in advance");
    loans_toml(&scenarios, &rule)
        .map_err(|why| Failure::Output(format!("{}: {why}", shown_path(path))))
}

/// A replay that violates Little's law does not replay what was recorded.
fn follows_littles_law(traces: &[TracePlan]) -> Result<(), Failure> {
    let mut plans = traces.iter().flat_map(|trace| &trace.plans);
    match plans.find(|plan| plan.deviation() > DEVIATION_MAX) {
        Some(plan) => Err(Failure::Check(format!(
            "{}: the replay violates Little's law by {:.1} %; the trace is wrong",
            shown(plan.pool.as_bytes()),
            plan.deviation() * 100.0
        ))),
        None => Ok(()),
    }
}

/// The plans as a report draws them.
fn page<'a>(traces: &'a [TracePlan], question: &Question) -> loans::Page<'a> {
    let pools = traces.iter().flat_map(|trace| {
        trace.plans.iter().map(|plan| loans::Pool {
            trace: &trace.name,
            plan,
            verdict: text::verdict(plan, question),
            has_waits: trace.source == Format::Loans,
        })
    });
    loans::Page {
        generated_by: format!("millpond {}", env!("CARGO_PKG_VERSION")),
        wait_p99_us: question.wait_p99_us,
        open_us: question.open_us,
        pools: pools.collect(),
    }
}

fn plan_path(path: &Path, question: &Question) -> Result<TracePlan, Failure> {
    let name = path.to_string_lossy().into_owned();
    let of_input = |fault: Fault| fault.of_input(&name);
    let input = Source::from_path(path).map_err(of_input)?;
    let (source, pools) = pools(&input).map_err(of_input)?;
    let plans = pools.iter().map(|pool| plan(pool, question)).collect::<Vec<_>>();
    match plans.iter().find(|plan| has_too_few_callers(plan, question)) {
        Some(plan) => Err(Failure::Arguments(format!(
            "--closed: {name} has {} callers at once in {}, more than {}",
            plan.peak,
            shown(plan.pool.as_bytes()),
            question.callers.unwrap_or(0)
        ))),
        None => Ok(TracePlan { source, plans, name }),
    }
}

/// Whether the user sets fewer callers than were recorded; `false` without a number.
fn has_too_few_callers(plan: &LoanPlan, question: &Question) -> bool {
    question.callers.is_some_and(|callers| callers > 0 && callers < plan.peak)
}

/// The loans of an input, whose format is detected by its first bytes.
///
/// # Errors
/// If the input cannot be used.
pub fn pools(source: &Source) -> Result<(Format, Vec<PoolTrace>), Fault> {
    let mut reader = BufReader::new(Bytes(source.open()?));
    let start = reader.fill_buf().map_err(|error| Fault::whole(error.to_string()))?;
    if csvlog::begins(start) {
        return Ok((Format::PostgresLog, csvlog::read(reader)?));
    }
    Ok((Format::Loans, recording::read(Lines::new(source.open()?))?))
}

/// An input as a reader.
struct Bytes<'a>(Input<'a>);

impl Read for Bytes<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).map_err(|fault| io::Error::other(fault.to_string()))
    }
}
