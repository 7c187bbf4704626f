//! How many objects a lender needs, from a trace of its loans.

mod csv;
mod csvlog;
mod json;
mod notes;
mod recording;
mod rows;
mod text;

pub use csv::csv;
pub use json::json;
pub use notes::{Half, Notes};
pub use text::text;

use std::io::{BufRead, BufReader};
use std::path::Path;

use millpond_lend::replay::{LoanPlan, PoolTrace, Question, plan};

use crate::error::{Failure, Fault, shown, shown_path};
use crate::input::{Bytes, Cut, Lines, Source};
use crate::output::budget_toml::{Scenario, ScenarioPool, loans_toml, scenario_name};
use crate::output::figures::{count, milliseconds};
use crate::pattern::Pattern;
use crate::report;

/// The replays agree with Little's law to this share, or the trace is wrong.
const DEVIATION_MAX: f64 = 0.01;

/// One input, and the plans of its pools.
#[derive(Debug)]
pub struct TracePlan {
    name: String,
    source: Format,
    notes: Notes,
    plans: Vec<LoanPlan>,
}

impl TracePlan {
    /// Its name, and where it is cut short, if it is.
    #[must_use]
    pub fn cut(&self) -> (&str, Option<Fault>) {
        (&self.name, self.notes.cut.as_ref().map(Cut::fault))
    }
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

/// The capacities that serve, as a budget for the file at `path`.
///
/// # Errors
/// If a pool has none, or one that is too large for a budget.
pub fn budget_of(
    path: &Path,
    traces: &[TracePlan],
    question: &Question,
) -> Result<String, Failure> {
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
        Ok(ScenarioPool { name: plan.pool.clone(), capacity, comment, requested_by: Vec::new() })
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

/// Checks that the replays agree with Little's law: one that does not, does not replay what was recorded.
///
/// # Errors
/// If one violates it.
pub fn follows_littles_law(traces: &[TracePlan]) -> Result<(), Failure> {
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

/// The plans as a report: a page for any browser.
#[must_use]
pub fn html(traces: &[TracePlan], question: &Question) -> String {
    let pools = traces.iter().flat_map(|trace| {
        trace.plans.iter().map(|plan| report::loans::Pool {
            trace: &trace.name,
            plan,
            notes: trace.notes.sentences(),
            verdict: text::verdict(plan, question),
            has_waits: trace.source == Format::Loans,
        })
    });
    report::loans::render(&report::loans::Page {
        generated_by: format!("millpond {}", env!("CARGO_PKG_VERSION")),
        wait_p99_us: question.wait_p99_us,
        open_us: question.open_us,
        pools: pools.collect(),
    })
}

/// Plans the pools of one input. Statements of a server's log that fit a pattern are left out.
///
/// # Errors
/// If the input cannot be used, or if more callers were recorded than the question has.
pub fn plan_loans(
    name: &str,
    input: &Source,
    question: &Question,
    left_out: &[Pattern],
) -> Result<TracePlan, Failure> {
    let Recording { format: source, pools, notes } =
        recorded(input, left_out).map_err(|fault| fault.of_input(name))?;
    let plans = pools.iter().map(|pool| plan(pool, question)).collect::<Vec<_>>();
    match plans.iter().find(|plan| has_too_few_callers(plan, question)) {
        Some(plan) => Err(Failure::Arguments(format!(
            "--closed: {name} has {} callers at once in {}, more than {}",
            plan.peak,
            shown(plan.pool.as_bytes()),
            question.callers.unwrap_or(0)
        ))),
        None => Ok(TracePlan { source, notes, plans, name: name.to_owned() }),
    }
}

/// Whether the user sets fewer callers than were recorded; `false` without a number.
fn has_too_few_callers(plan: &LoanPlan, question: &Question) -> bool {
    question.callers.is_some_and(|callers| callers > 0 && callers < plan.peak)
}

/// The loans of an input.
#[derive(Debug)]
pub struct Recording {
    /// What they were read from.
    pub format: Format,
    /// The pools in the order of their names.
    pub pools: Vec<PoolTrace>,
    /// What there is to say about how they were read.
    pub notes: Notes,
}

/// Reads the loans of an input, whose format is detected by its first bytes. Statements of a server's log that fit a
/// pattern are left out; letters are compared in lower case.
///
/// # Errors
/// If the input cannot be used.
pub fn recorded(source: &Source, left_out: &[Pattern]) -> Result<Recording, Fault> {
    let left_out: Vec<Pattern> =
        left_out.iter().map(|pattern| Pattern::new(&csvlog::plain(pattern.text()))).collect();
    let mut reader = BufReader::new(Bytes::new(source.open()?));
    let start = reader.fill_buf().map_err(|error| Fault::whole(error.to_string()))?;
    if csvlog::begins(start) {
        let accepts_cut = reader.get_ref().input().accepts_cut();
        let cut_in = |reader: &BufReader<Bytes<'_>>| reader.get_ref().input().cut_in();
        let (pools, notes) = csvlog::read(&mut reader, &left_out, accepts_cut, cut_in)?;
        return Ok(Recording { format: Format::PostgresLog, pools, notes });
    }
    let (pools, notes) = recording::read(Lines::new(source.open()?))?;
    Ok(Recording { format: Format::Loans, pools, notes })
}
