//! Plans for loans as text.

use std::fmt::Write;

use millpond_lend::replay::{AtCapacity, LoanPlan, Question};

use super::{Format, TracePlan};
use crate::error::shown;
use crate::output::figures::{count, milliseconds, number_of};
use crate::output::paint::Paint;
use crate::output::table::Table;
use crate::output::wrap::wrapped;

/// The number of capacities beside the sufficient one that are shown one by one.
const AROUND: usize = 5;

/// The approximate number of other capacities that are shown.
const STEPS: usize = 20;

/// All plans, one pool after the other.
pub fn text(traces: &[TracePlan], question: &Question, paint: Paint) -> String {
    let mut text = String::new();
    for trace in traces {
        for note in trace.notes.sentences() {
            text += &wrapped(&format!("{}: {note}", shown(trace.name.as_bytes())));
        }
        for plan in &trace.plans {
            text += &pool(plan, trace.source, question, paint);
        }
    }
    text
}

fn pool(plan: &LoanPlan, source: Format, question: &Question, paint: Paint) -> String {
    let pool = shown(plan.pool.as_bytes());
    let mut facts = format!(
        "{pool}: {}, held for {} on average; {:.2} busy on average over the {} from the first request to the last \
         return. ",
        requests(plan),
        milliseconds(plan.mean_hold_us as u64),
        plan.busy,
        milliseconds(plan.over_us),
    );
    facts += &match source {
        Format::Loans => {
            let waits = plan.recorded;
            format!(
                "Recorded waits: 50 % up to {}, 99 % up to {}, at most {}; {} were not served.",
                milliseconds(waits.p50_us),
                milliseconds(waits.p99_us),
                milliseconds(waits.max_us),
                count(plan.unserved as u64)
            )
        }
        Format::PostgresLog => {
            "From PostgreSQL's log: one loan per transaction; waits are not recorded.".into()
        }
    };
    let mut text = wrapped(&facts);
    let _ = write!(
        text,
        "\nWaits for each capacity, with objects opened in advance (idle_min) or as needed\n{}",
        table(plan).render(paint)
    );
    for sentence in verdict(plan, question) {
        text += &wrapped(&format!("{pool}: {sentence}"));
    }
    let law =
        format!("in every replay, busy equals rate × hold to {:.2} %", plan.deviation() * 100.0);
    text += &wrapped(&format!("{pool}: {law} (Little's law)."));
    text.push('\n');
    text
}

/// How many requests there were, and how many in a second, where there is such a rate.
fn requests(plan: &LoanPlan) -> String {
    let requests = number_of(plan.asks as u64, "request");
    let over = milliseconds(plan.asked_over_us);
    match plan.rate_per_s {
        Some(rate) => format!("{requests}, {rate:.1} per second over {over}"),
        None if plan.asks == 1 => requests,
        None => format!("{requests} within {over}, too short a time for a rate"),
    }
}

fn table(plan: &LoanPlan) -> Table {
    let is_refused = |at: &AtCapacity| at.in_advance.refused + at.as_needed.refused > 0;
    let has_refusals = rows_to_show(plan).any(is_refused);
    let mut headings =
        vec!["capacity", "50 %", "90 %", "99 %", "longest", "busy", "as needed: 99 %", "opened"];
    headings.extend(has_refusals.then_some("refused"));
    let mut table = Table::new(&headings);
    for at in rows_to_show(plan) {
        let waits = at.in_advance.waits;
        let mut row = vec![
            at.capacity.to_string(),
            milliseconds(waits.p50_us),
            milliseconds(waits.p90_us),
            milliseconds(waits.p99_us),
            milliseconds(waits.max_us),
            format!("{:.2}", at.in_advance.busy),
            milliseconds(at.as_needed.waits.p99_us),
            at.as_needed.opened.to_string(),
        ];
        row.extend(has_refusals.then(|| at.in_advance.refused.to_string()));
        table.row(row);
    }
    table
}

/// The capacities around the sufficient one, up to the first with which no caller waits.
fn rows_to_show(plan: &LoanPlan) -> impl Iterator<Item = &AtCapacity> {
    let first_without = plan.capacities.iter().position(|at| at.in_advance.waits.p99_us == 0);
    let last = first_without.unwrap_or(plan.capacities.len());
    let smallest = plan.smallest.unwrap_or(usize::MAX);
    let around = move |at: &AtCapacity| at.capacity.abs_diff(smallest) <= AROUND;
    let step = plan.capacities.len().div_ceil(STEPS).max(1);
    plan.capacities
        .iter()
        .enumerate()
        .filter(move |(index, at)| *index <= last && (index % step == 0 || around(at)))
        .map(|(_, at)| at)
}

/// What the figures mean, a sentence each.
pub(super) fn verdict(plan: &LoanPlan, question: &Question) -> Vec<String> {
    let limit = milliseconds(question.wait_p99_us);
    let opening = milliseconds(question.open_us);
    let mut sentences = vec![match plan.smallest {
        Some(capacity) => format!(
            "a capacity of {capacity} is enough if all are opened in advance (idle_min {capacity}): 99 % \
             wait at most {limit}."
        ),
        None => format!("no capacity is enough for 99 % to wait at most {limit}."),
    }];
    sentences.extend(plan.callers.map(|callers| closed(plan, callers)));
    sentences.extend(plan.smallest.map(|_| match plan.smallest_as_needed {
        Some(capacity) => {
            format!("if they are opened as needed, each within {opening}, a capacity of {capacity} is enough.")
        }
        None => format!(
            "if they are opened as needed, no capacity is enough in this recording: the first callers wait \
             {opening} for an opening (--open-ms)."
        ),
    }));
    if let Some(times) = plan.holds_grow.filter(|_| plan.more_will_not_help()) {
        sentences.push(format!(
            "loans are held {times:.1} times longer when most are lent, so the bottleneck lies behind them, \
             and more will not help."
        ));
    }
    sentences
}

/// The meaning of replaying callers, who request again only after their loans.
fn closed(plan: &LoanPlan, callers: usize) -> String {
    let mut sentence = format!(
        "replayed as {}, each of whom thinks between two loans as recorded (--closed)",
        number_of(callers as u64, "caller")
    );
    let smallest = plan.capacities.iter().find(|at| Some(at.capacity) == plan.smallest);
    for at in [plan.capacities.first(), smallest, plan.capacities.last()].into_iter().flatten() {
        let over = milliseconds(at.in_advance.over_us);
        let _ = match at.in_advance.rate_per_s {
            Some(rate) => write!(
                sentence,
                "; a capacity of {} gives {rate:.1} loans a second over {over}",
                at.capacity
            ),
            None => write!(sentence, "; a capacity of {} takes {over} in all", at.capacity),
        };
    }
    sentence + "."
}
