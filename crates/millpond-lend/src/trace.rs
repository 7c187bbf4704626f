//! Rows of a trace: who asked when, got when, gave back when.

use std::fmt;

/// The first line of a trace.
pub const TRACE_HEADER: &str = "asked_us,got_us,returned_us,pool";

/// One answered ask of a recorded lender, in microseconds since the lender was built.
///
/// As a line: `asked_us,got_us,returned_us,pool`; `got_us` is empty for a caller who got nothing, and
/// `returned_us` is then when it gave up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceRow {
    /// When the caller asked.
    pub asked_us: u64,
    /// When it got a loan; `None` if it got none.
    pub got_us: Option<u64>,
    /// When the loan came back, or the caller gave up.
    pub ended_us: u64,
}

impl TraceRow {
    /// The row as a line of a trace, without its end.
    pub fn with_pool<'a>(&'a self, pool: &'a str) -> impl fmt::Display + 'a {
        Line { row: self, pool }
    }
}

struct Line<'a> {
    row: &'a TraceRow,
    pool: &'a str,
}

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TraceRow { asked_us, got_us, ended_us } = self.row;
        match got_us {
            Some(got_us) => write!(f, "{asked_us},{got_us},{ended_us},{}", self.pool),
            None => write!(f, "{asked_us},,{ended_us},{}", self.pool),
        }
    }
}
