//! What was not read from a recording of loans as a request, and what looks as if it should not be.

use crate::error::shown;
use crate::input::Cut;
use crate::output::figures::{count, number_of};

/// What there is to say about how a recording was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Notes {
    /// The number of lines by auto_explain, which are second lines about statements.
    pub plans: u64,
    /// The number of durations in another language, and the first of them.
    pub other_language: Option<(u64, String)>,
    /// The number of statements that the user leaves out.
    pub left_out: u64,
    /// The statements that are half of the requests of a pool.
    pub half: Vec<Half>,
    /// Where the recording ends, if that is not its end.
    pub cut: Option<Cut>,
}

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

impl Notes {
    /// A sentence or two for each.
    #[must_use]
    pub fn sentences(&self) -> Vec<String> {
        let mut all = Vec::new();
        all.extend(self.cut.as_ref().map(Cut::sentence));
        if let Some((durations, first)) = &self.other_language {
            all.push(format!(
                "{} skipped, because the server wrote them in another language (`{first}`): these requests are \
                 missing from the plan. Set lc_messages = 'C' for all sessions.",
                were(*durations, "duration")
            ));
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
