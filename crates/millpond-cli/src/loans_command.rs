//! `millpond plan --wait-p99-ms`: how many objects a lender needs, from a trace of its loans.

use std::fmt::Write;
use std::io::{self, BufReader, Read};
use std::path::Path;

use millpond_lend::replay::{AtCapacity, LoanPlan, Question, ReadError, plan, read};

use crate::args::PlanArguments;
use crate::error::{Failure, Fault, Place, shown};
use crate::input::{Input, Source};
use crate::output::table::Table;

/// The replays agree with Little's law to this share, or the trace is wrong.
const DEVIATION_MAX: f64 = 0.01;

/// Plans each trace of loans that the user names.
pub(crate) fn run(arguments: &PlanArguments, wait_p99_ms: f64) -> Result<(), Failure> {
    if arguments.json || arguments.budget.is_some() || arguments.report.is_some() {
        let why = "--wait-p99-ms: a plan for loans is text, without --json, --budget and --report";
        return Err(Failure::Arguments(why.to_owned()));
    }
    let question = Question {
        wait_p99_us: (wait_p99_ms * 1_000.0) as u64,
        open_us: (arguments.open_ms * 1_000.0) as u64,
        ..Question::default()
    };
    let mut plans = Vec::new();
    for path in &arguments.traces {
        plans.extend(plan_path(path, &question)?);
    }
    for plan in &plans {
        crate::print(&text(plan, wait_p99_ms))?;
    }
    match plans.iter().find(|plan| plan.deviation() > DEVIATION_MAX) {
        Some(plan) => Err(Failure::Check(format!(
            "{}: the replay is off Little's law by {:.1} %: the trace is wrong",
            shown(plan.pool.as_bytes()),
            plan.deviation() * 100.0
        ))),
        None => Ok(()),
    }
}

/// An input as a reader.
struct Bytes<'a>(Input<'a>);

impl Read for Bytes<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).map_err(|fault| io::Error::other(fault.to_string()))
    }
}

fn plan_path(path: &Path, question: &Question) -> Result<Vec<LoanPlan>, Failure> {
    let name = path.to_string_lossy();
    let of_input = |fault: Fault| fault.of_input(&name);
    let source = Source::from_path(path).map_err(of_input)?;
    let pools = read(BufReader::new(Bytes(source.open().map_err(of_input)?)));
    let pools = pools.map_err(|error| of_input(fault(error)))?;
    Ok(pools.iter().map(|pool| plan(pool, question)).collect())
}

fn fault(error: ReadError) -> Fault {
    match error {
        ReadError::Line { number, what } => Fault::whole(format!("line {number}: {what}")),
        other => Fault { place: Place::Whole, message: other.to_string() },
    }
}

fn text(plan: &LoanPlan, wait_p99_ms: f64) -> String {
    let mut text = String::new();
    let pool = shown(plan.pool.as_bytes());
    let [p50, p99, max] = plan.recorded_wait_us.map(ms);
    let _ = write!(
        text,
        "{pool}: {} asks, {:.1} a second, held for {} on average; {:.2} are busy (rate × hold)\n\
         recorded waits: 50 % up to {p50}, 99 % up to {p99}, at most {max}",
        plan.asks,
        plan.rate_per_s,
        ms(plan.mean_hold_us as u64),
        plan.busy,
    );
    if plan.unserved > 0 {
        let _ = write!(text, "; {} got nothing", plan.unserved);
    }
    text += "\n\nWaits with each capacity\n";
    let mut table =
        Table::new(&["capacity", "50 %", "90 %", "99 %", "longest", "refused", "opened", "busy"]);
    for at in rows_to_show(plan) {
        table.row(vec![
            at.capacity.to_string(),
            ms(at.wait_p50_us),
            ms(at.wait_p90_us),
            ms(at.wait_p99_us),
            ms(at.wait_max_us),
            at.refused.to_string(),
            at.opened.to_string(),
            format!("{:.2}", at.busy),
        ]);
    }
    text += &table.render(crate::output::paint::Paint::for_stdout());
    match plan.smallest {
        Some(capacity) => {
            let _ = writeln!(
                text,
                "{pool}: a capacity of {capacity} serves: 99 % wait up to {wait_p99_ms} ms at most."
            );
        }
        None => {
            let _ = writeln!(
                text,
                "{pool}: no capacity serves within {wait_p99_ms} ms; opening alone may take longer \
                 (--open-ms)."
            );
        }
    }
    if let Some(times) = plan.holds_grow.filter(|_| plan.more_will_not_help()) {
        let _ = writeln!(
            text,
            "Loans are held {times:.1} times longer when most are out: more will not help, what is \
             behind them is the bottleneck."
        );
    }
    text.push('\n');
    text
}

/// The capacities around the one that serves, and up to the first with which nobody waits.
fn rows_to_show(plan: &LoanPlan) -> impl Iterator<Item = &AtCapacity> {
    let first_without = plan.capacities.iter().position(|at| at.wait_p99_us == 0);
    let last = first_without.unwrap_or(plan.capacities.len());
    let smallest = plan.smallest.unwrap_or(usize::MAX);
    let around = move |at: &AtCapacity| at.capacity.abs_diff(smallest) <= 5;
    let step = plan.capacities.len().div_ceil(20).max(1);
    plan.capacities
        .iter()
        .enumerate()
        .filter(move |(index, at)| *index <= last && (index % step == 0 || around(at)))
        .map(|(_, at)| at)
}

/// Microseconds as milliseconds.
fn ms(us: u64) -> String {
    format!("{:.1} ms", us as f64 / 1_000.0)
}
