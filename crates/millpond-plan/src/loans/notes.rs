//! What was not read from a recording of loans as a request, and what looks as if it should not be.

use std::collections::BTreeMap;

use crate::error::shown;
use crate::input::Cut;
use crate::output::figures::{count, milliseconds, number_of};
use crate::reading::{Reading, Reason};

/// What there is to say about how a recording was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Notes {
    /// What was read, and what was passed over.
    pub reading: Reading,
    /// The number of lines by auto_explain, which are second lines about statements.
    pub plans: u64,
    /// The number of durations in another language, and the first of them.
    pub other_language: Option<(u64, String)>,
    /// The number of statements that the user leaves out.
    pub left_out: u64,
    /// The number of statements that failed.
    pub failed: u64,
    /// How many of them have no beginning in the log.
    pub failed_without_start: u64,
    /// The number of transactions in the log, ...
    pub transactions: u64,
    /// ... and of those between them that are not in it.
    pub unlogged: u64,
    /// The number of statements, and the shortest duration of one in microseconds.
    pub durations: Option<(u64, u64)>,
    /// The settings that let a part of the statements out of the log, as it says itself: names and values.
    pub parameters: BTreeMap<String, String>,
    /// The statements that are half of the requests of a pool.
    pub half: Vec<Half>,
    /// Where the recording ends, if that is not its end.
    pub cut: Option<Cut>,
}

/// What a reader of a server's log passes over.
pub(super) const NO_STATEMENT: Reason = Reason {
    name: "line-about-no-statement",
    one: "line about no statement",
    many: "lines about no statement",
};
pub(super) const PLAN: Reason = Reason {
    name: "plan-of-auto-explain",
    one: "plan of auto_explain",
    many: "plans of auto_explain",
};
pub(super) const OTHER_LANGUAGE: Reason = Reason {
    name: "duration-in-another-language",
    one: "duration in another language",
    many: "durations in another language",
};
pub(super) const LEFT_OUT: Reason = Reason {
    name: "statement-left-out",
    one: "statement that is left out (--skip-statement)",
    many: "statements that are left out (--skip-statement)",
};

/// A statement that is half of the requests of a pool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Half {
    /// The name of the pool.
    pub pool: String,
    /// Its text.
    pub statement: String,
    /// How often it was a request.
    pub requests: u64,
    /// The number of all requests.
    pub of: u64,
}

/// The settings by which a server logs only a part of its statements.
const PARAMETERS: [&str; 4] = [
    "log_min_duration_statement",
    "log_min_duration_sample",
    "log_statement_sample_rate",
    "log_transaction_sample_rate",
];

/// Where fewer transactions than these are missing, or a smaller share, they may be the server's own.
const UNLOGGED_MIN: u64 = 10;
const UNLOGGED_SHARE_MIN: f64 = 0.1;

/// In a log of all statements, of this many some took no longer than this.
const DURATIONS_MIN: u64 = 20;
const SHORTEST_US: u64 = 1_000;

impl Notes {
    /// Notes a line that tells a setting: `parameter "log_min_duration_statement" changed to "100"`.
    pub(super) fn note_parameter(&mut self, message: &str) {
        let words = || message.strip_prefix("parameter \"")?.split_once("\" changed to \"");
        let Some((name, value)) = words() else { return };
        if PARAMETERS.contains(&name) {
            let value = value.trim_end_matches('"').to_owned();
            self.parameters.insert(name.to_owned(), value);
        }
    }

    /// Notes how long a statement took.
    pub(super) fn note_duration(&mut self, us: u64) {
        let (statements, shortest) = self.durations.unwrap_or((0, u64::MAX));
        self.durations = Some((statements + 1, shortest.min(us)));
    }

    /// The transactions that are missing, if they are too many to be the server's own.
    #[must_use]
    pub fn missing_transactions(&self) -> Option<u64> {
        let share = self.unlogged as f64 / (self.unlogged + self.transactions).max(1) as f64;
        (self.unlogged >= UNLOGGED_MIN && share >= UNLOGGED_SHARE_MIN).then_some(self.unlogged)
    }

    /// The shortest duration in microseconds, if it is so long that shorter ones seem to be left out.
    #[must_use]
    pub fn threshold_us(&self) -> Option<u64> {
        let (statements, shortest) = self.durations?;
        (statements >= DURATIONS_MIN && shortest > SHORTEST_US).then_some(shortest)
    }

    /// Why the log seems to have only a part of the statements.
    fn is_a_part(&self) -> Option<String> {
        let settings: Vec<String> = self
            .parameters
            .iter()
            .filter(|(_, value)| !matches!(&***value, "0" | "-1"))
            .map(|(name, value)| {
                format!("{} = {}", shown(name.as_bytes()), shown(value.as_bytes()))
            })
            .collect();
        let why = match (self.missing_transactions(), self.threshold_us()) {
            _ if !settings.is_empty() => format!("it sets {}", settings.join(", ")),
            (Some(missing), _) => {
                format!("{} of its sessions are not in it", number_of(missing, "transaction"))
            }
            (None, Some(us)) => format!("no statement in it took less than {}", milliseconds(us)),
            (None, None) => return None,
        };
        Some(format!(
            "The log seems to have only a part of the statements: {why}. The others held connections, too, so a plan from \
             it is too small. Log all of them (log_min_duration_statement = 0, and no sample rate)."
        ))
    }

    /// A sentence or two for each.
    #[must_use]
    pub fn sentences(&self) -> Vec<String> {
        let mut all = vec![self.reading.sentence()];
        all.extend(self.cut.as_ref().map(Cut::sentence));
        if let Some((durations, first)) = &self.other_language {
            all.push(format!(
                "{} skipped, because the server wrote them in another language (`{first}`): these requests are \
                 missing from the plan. Set lc_messages = 'C' for all sessions.",
                were(*durations, "duration")
            ));
        }
        all.extend(self.is_a_part());
        if self.failed > 0 {
            let unknown = match self.failed_without_start {
                0 => String::new(),
                some => format!(
                    " {} no beginning in the log: those that were cancelled or waited for others are counted from the \
                     session's line before, which is at most too long, and the others as if they had failed at once \
                     (log_statement = 'all' shows it).",
                    if some == 1 { "1 has".to_owned() } else { format!("{} have", count(some)) }
                ),
            };
            let failed = number_of(self.failed, "statement");
            all.push(format!("{failed} failed and held a connection until then.{unknown}"));
        }
        if self.left_out > 0 {
            all.push(format!("{} left out (--skip-statement).", were(self.left_out, "statement")));
        }
        all.extend(self.half.iter().map(|half| {
            let statement = shown(half.statement.as_bytes());
            format!(
                "{}: `{statement}` makes {} of {} requests. If a pool of the program sends it, rather than somebody \
                 who needs a connection, leave it out with --skip-statement.",
                shown(half.pool.as_bytes()),
                count(half.requests),
                count(half.of)
            )
        }));
        all
    }
}

/// `1 statement was`, `3 statements were`.
fn were(number: u64, what: &str) -> String {
    format!("{} {}", number_of(number, what), if number == 1 { "was" } else { "were" })
}
