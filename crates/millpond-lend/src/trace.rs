//! Lines of a trace: when callers asked, got a loan and returned it, and the lender's counters.

use std::fmt;

use crate::stats::Stats;

/// The first line of a trace.
pub const TRACE_HEADER: &str = "asked_us,got_us,returned_us,pool";

/// The first line of a live trace, which has [`LiveStats`] between its rows.
pub const LIVE_HEADER: &str = "asked_us,got_us,returned_us,pool,capacity,existing,opening,idle,out,waiting,loans,\
                               opened,open_failed,closed,timed_out,refused,cancelled,rows_lost,is_closed";

/// One answered request to a recorded lender, in microseconds since the lender was built.
///
/// As a line: `asked_us,got_us,returned_us,pool`. For a caller that got no loan, `got_us` is empty,
/// and `returned_us` is when it gave up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceRow {
    /// When the caller asked.
    pub asked_us: u64,
    /// When it got a loan; `None` if it got none.
    pub got_us: Option<u64>,
    /// When the loan was returned, or the caller gave up.
    pub ended_us: u64,
}

impl TraceRow {
    /// Returns the row as a line of a trace, without the line break.
    pub fn with_pool<'a>(&'a self, pool: &'a str) -> impl fmt::Display + 'a {
        OfPool { what: self, pool }
    }
}

/// A line of a trace.
struct OfPool<'a, T> {
    what: &'a T,
    pool: &'a str,
}

impl fmt::Display for OfPool<'_, TraceRow> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TraceRow { asked_us, got_us, ended_us } = self.what;
        match got_us {
            Some(got_us) => write!(f, "{asked_us},{got_us},{ended_us},{}", self.pool),
            None => write!(f, "{asked_us},,{ended_us},{}", self.pool),
        }
    }
}

impl fmt::Display for OfPool<'_, LiveStats> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},,,{}", self.what.at_us, self.pool)?;
        self.what.columns().iter().try_for_each(|column| write!(f, ",{column}"))
    }
}

/// The counters of a lender at one moment of a live trace; totals are since it was built.
///
/// As a line: the time is in the column `asked_us`, `got_us` and `returned_us` are empty, and the
/// other columns of [`LIVE_HEADER`] follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct LiveStats {
    /// The moment, in microseconds since the lender was built.
    pub at_us: u64,
    /// How many objects may exist.
    pub capacity: u64,
    /// How many exist.
    pub existing: u64,
    /// How many are being opened.
    pub opening: u64,
    /// How many are idle.
    pub idle: u64,
    /// How many are lent.
    pub out: u64,
    /// How many callers are waiting.
    pub waiting: u64,
    /// How many objects were lent.
    pub loans: u64,
    /// How many openings succeeded.
    pub opened: u64,
    /// How many openings failed.
    pub open_failed: u64,
    /// How many objects were closed, for any reason.
    pub closed: u64,
    /// How many callers waited for the whole acquire timeout.
    pub timed_out: u64,
    /// How many callers were refused.
    pub refused: u64,
    /// How many callers gave up.
    pub cancelled: u64,
    /// How many rows are missing from the trace.
    pub rows_lost: u64,
    /// Whether the lender is closed.
    pub is_closed: bool,
}

/// How many columns follow the pool in a line of [`LiveStats`].
pub(crate) const LIVE_COLUMNS: usize = 15;

impl LiveStats {
    pub(crate) fn new(at_us: u64, stats: &Stats, is_closed: bool) -> Self {
        let wide = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
        Self {
            at_us,
            capacity: wide(stats.capacity),
            existing: wide(stats.existing),
            opening: wide(stats.opening),
            idle: wide(stats.idle),
            out: wide(stats.out),
            waiting: wide(stats.waiting),
            loans: stats.loans,
            opened: stats.opened,
            open_failed: stats.open_failed,
            closed: stats.closings.total(),
            timed_out: stats.timed_out,
            refused: stats.refused,
            cancelled: stats.cancelled,
            rows_lost: stats.trace_rows_lost,
            is_closed,
        }
    }

    /// The columns behind the pool, in the order of [`LIVE_HEADER`].
    fn columns(&self) -> [u64; LIVE_COLUMNS] {
        [
            self.capacity,
            self.existing,
            self.opening,
            self.idle,
            self.out,
            self.waiting,
            self.loans,
            self.opened,
            self.open_failed,
            self.closed,
            self.timed_out,
            self.refused,
            self.cancelled,
            self.rows_lost,
            u64::from(self.is_closed),
        ]
    }

    /// The statistics with these columns.
    pub(crate) fn from_columns(at_us: u64, columns: [u64; LIVE_COLUMNS]) -> Self {
        let [
            capacity,
            existing,
            opening,
            idle,
            out,
            waiting,
            loans,
            opened,
            open_failed,
            closed,
            timed_out,
            refused,
            cancelled,
            rows_lost,
            is_closed,
        ] = columns;
        Self {
            at_us,
            capacity,
            existing,
            opening,
            idle,
            out,
            waiting,
            loans,
            opened,
            open_failed,
            closed,
            timed_out,
            refused,
            cancelled,
            rows_lost,
            is_closed: is_closed > 0,
        }
    }

    /// Returns the line, without the line break.
    pub fn with_pool<'a>(&'a self, pool: &'a str) -> impl fmt::Display + 'a {
        OfPool { what: self, pool }
    }
}
