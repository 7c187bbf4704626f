//! Finds out how large a lender must be, by replaying a trace of its loans for every capacity up to
//! 64, and beyond that in steps of a tenth.
//!
//! The replay runs the same [`Ledger`](crate::Ledger) as the program, with a simulated clock:
//! callers ask when they asked in the trace, each loan is held as long as it was held, and the
//! waits follow from the capacity.
//!
//! Each capacity is replayed twice. First, with all objects opened in advance
//! ([`idle_min`](crate::Builder::idle_min) is the capacity); [`LoanPlan::smallest`] refers to this.
//! Second, with nothing open at first: the first callers also wait for openings, and the lender
//! uses fewer objects than it may have, as long as a wait is shorter than an opening.
//!
//! ```
//! use millpond_lend::replay::{Question, plan, read};
//!
//! // Ten callers at once, and each holds its loan for 2 ms.
//! let mut trace = String::from("asked_us,got_us,returned_us,pool\n");
//! for _ in 0..10 {
//!     trace += "1000,1000,3000,orders\n";
//! }
//! let pools = read(trace.as_bytes()).unwrap();
//! let question = Question { wait_p99_us: 4_000, open_us: 0, ..Question::default() };
//! let plan = plan(&pools[0], &question);
//! assert_eq!(plan.smallest, Some(4)); // three rounds of at most four: the last wait 4 ms
//! ```
//!
//! Callers that had to wait did not ask again meanwhile, so a trace of a lender that was too small
//! shows less demand than there is. With [`Question::callers`], a caller asks again after the same
//! pause as in the trace, so callers that wait less also ask more. A trace of a slow database plans
//! for a slow database.

mod callers;
mod read;
mod simulate;

pub use read::{Line, PoolTrace, ReadError, parse_line, read};
pub use simulate::{AtCapacity, Run, Waits};

use crate::trace::TraceRow;

/// Up to this capacity, each one is replayed. Beyond it, each is a tenth larger than the one
/// before, and the last step before the smallest that serves is replayed one by one.
const EACH_UP_TO: usize = 64;

/// The requirement that a capacity must meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Question {
    /// 99 % of the callers must wait no longer than this.
    pub wait_p99_us: u64,
    /// How long opening an object takes.
    pub open_us: u64,
    /// How many callers may wait at once.
    pub waiters_max: usize,
    /// The number of callers, each of which asks, holds, returns, pauses, and asks again; at least
    /// as many as were present at once. `None` if the demand does not depend on the waits.
    pub callers: Option<usize>,
}

impl Default for Question {
    fn default() -> Self {
        Self { wait_p99_us: 5_000, open_us: 10_000, waiters_max: 65_536, callers: None }
    }
}

/// The result for one pool of a trace.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LoanPlan {
    /// The pool's name.
    pub pool: String,
    /// The number of requests in the trace.
    pub asks: usize,
    /// How many of them got no loan; they are replayed with the mean hold.
    pub unserved: usize,
    /// The time from the first request to the last one.
    pub asked_over_us: u64,
    /// Requests per second over that time: those after the first moment, so an even row of one every 50 ms has 20.
    /// `None` if they came within less than a millisecond, as one alone or a burst does.
    pub rate_per_s: Option<f64>,
    /// How long a loan was held, on average.
    pub mean_hold_us: f64,
    /// The time from the first request to the last return.
    pub over_us: u64,
    /// How many loans were out on average over that time, if nobody had waited.
    pub busy: f64,
    /// The recorded waits.
    pub recorded: Waits,
    /// The largest number of callers served or waiting at once: with this capacity nobody waits,
    /// unless callers ask sooner than in the trace.
    pub peak: usize,
    /// The number of callers, if each asks again only after its loan.
    pub callers: Option<usize>,
    /// The waits with each capacity, the smallest first.
    pub capacities: Vec<AtCapacity>,
    /// The smallest replayed capacity that serves if all objects are opened in advance; `None` if
    /// none does.
    pub smallest: Option<usize>,
    /// The smallest replayed capacity that serves if objects are opened as needed; `None` if none
    /// does.
    pub smallest_as_needed: Option<usize>,
    /// How many times longer loans are held when most are out than when fewest are, if known. If
    /// this is much above 1, more objects will not help, because the server behind them is the
    /// bottleneck.
    pub holds_grow: Option<f64>,
}

impl LoanPlan {
    /// Returns whether holds grow so much with the number of loans out that more objects will not
    /// help.
    #[must_use]
    pub fn more_will_not_help(&self) -> bool {
        self.holds_grow.is_some_and(|times| times > 1.5)
    }

    /// Returns the largest deviation of a replay from Little's law, as a share. Above 0.01, the
    /// trace is wrong.
    #[must_use]
    pub fn deviation(&self) -> f64 {
        let runs = self
            .capacities
            .iter()
            .flat_map(|at| [at.in_advance, at.as_needed])
            .filter(|run| run.refused == 0);
        runs.map(|run| run.deviation).fold(0.0, f64::max)
    }
}

/// Replays `trace` for every capacity up to 64, then in steps of a tenth, and finds the smallest
/// replayed capacity that meets `question`.
#[must_use]
pub fn plan(trace: &PoolTrace, question: &Question) -> LoanPlan {
    let peak = peak(&trace.rows);
    let callers = question.callers.map(|callers| callers.max(peak));
    let loans = simulate::Loans::of(&trace.rows, callers);
    let at_once_max = callers.unwrap_or(peak);
    let mut capacities: Vec<AtCapacity> = Vec::new();
    let serves = |at: &AtCapacity| at.in_advance.serves(question.wait_p99_us);
    let serves_as_needed = |at: &AtCapacity| at.as_needed.serves(question.wait_p99_us);
    let mut capacity = 1;
    while capacity <= at_once_max {
        let at = simulate::simulate(&loans, capacity, question);
        let is_first = serves(&at) && !capacities.iter().any(serves);
        let before = capacities.last().map_or(0, |at| at.capacity);
        if is_first && capacity > before + 1 {
            for between in before + 1..capacity {
                capacities.push(simulate::simulate(&loans, between, question));
            }
        }
        capacities.push(at);
        capacity = if capacity < EACH_UP_TO { capacity + 1 } else { capacity + capacity / 10 };
    }
    let smallest = capacities.iter().find(|at| serves(at)).map(|at| at.capacity);
    let smallest_as_needed =
        capacities.iter().find(|at| serves_as_needed(at)).map(|at| at.capacity);
    let waits = trace.rows.iter().filter_map(|row| Some(row.got_us? - row.asked_us)).collect();
    LoanPlan {
        pool: trace.pool.clone(),
        asks: trace.rows.len(),
        unserved: trace.rows.iter().filter(|row| row.got_us.is_none()).count(),
        asked_over_us: loans.asked_over_us(),
        rate_per_s: loans.rate_per_s(),
        mean_hold_us: loans.mean_hold_us(),
        over_us: loans.over_us(),
        busy: loans.busy(),
        recorded: Waits::of(waits),
        peak,
        callers,
        capacities,
        smallest,
        smallest_as_needed,
        holds_grow: holds_grow(&trace.rows),
    }
}

/// The peak of open requests, waiting or served.
fn peak(rows: &[TraceRow]) -> usize {
    most_at_once(rows.iter().map(|row| (row.asked_us, row.ended_us))).0
}

/// The peak of overlapping spans, and how many overlap when each begins, in the order of their beginnings.
fn most_at_once(spans: impl Iterator<Item = (u64, u64)>) -> (usize, Vec<usize>) {
    let mut begins = Vec::new();
    let mut ends = Vec::new();
    for (begin, end) in spans {
        begins.push(begin);
        ends.push(end);
    }
    begins.sort_unstable();
    ends.sort_unstable();
    let mut ended = 0;
    let mut at_once = Vec::with_capacity(begins.len());
    for (index, begin) in begins.iter().enumerate() {
        while ends.get(ended).is_some_and(|end| end <= begin) && ended < index {
            ended += 1;
        }
        at_once.push(index + 1 - ended);
    }
    (at_once.iter().copied().max().unwrap_or(0), at_once)
}

/// The mean hold of the third of the loans that began when most were out, divided by that of the third that began when
/// fewest were.
fn holds_grow(rows: &[TraceRow]) -> Option<f64> {
    let mut spans: Vec<(u64, u64)> =
        rows.iter().filter_map(|row| Some((row.got_us?, row.ended_us))).collect();
    spans.sort_unstable();
    let (_, at_once) = most_at_once(spans.iter().copied());
    let mut holds: Vec<(usize, u64)> =
        at_once.into_iter().zip(spans).map(|(out, (got, ended))| (out, ended - got)).collect();
    holds.sort_unstable_by_key(|(out, _)| *out);
    let third = holds.len() / 3;
    let (few, many) = (holds.get(..third)?, holds.get(holds.len() - third..)?);
    if third < 10 || few.last()?.0 >= many.first()?.0 {
        return None;
    }
    let mean = |part: &[(usize, u64)]| {
        part.iter().map(|(_, hold)| *hold as f64).sum::<f64>() / part.len() as f64
    };
    let few = mean(few);
    (few > 0.0).then(|| mean(many) / few)
}

#[cfg(test)]
mod tests;
