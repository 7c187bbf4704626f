//! Reads traces of loans.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, BufRead};

use crate::trace::{LIVE_HEADER, LiveStats, TRACE_HEADER, TraceRow};

/// The maximum length of a line of a trace.
const LINE_MAX: usize = 4_096;

/// The loans of one pool, in the order of the asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PoolTrace {
    /// The pool's name; empty if it has none.
    pub pool: String,
    /// The pool's rows.
    pub rows: Vec<TraceRow>,
}

/// Why a trace could not be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadError {
    /// The reader failed.
    Io(io::Error),
    /// A line is wrong.
    Line {
        /// The number of the line, counted from 1.
        number: usize,
        /// What is wrong with it.
        what: &'static str,
    },
    /// The trace has no loans.
    Empty,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::Line { number, what } => write!(f, "line {number}: {what}"),
            Self::Empty => f.write_str("no loan in it"),
        }
    }
}

impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::Line { .. } | Self::Empty => None,
        }
    }
}

/// Reads a trace: [`TRACE_HEADER`], then a line for each loan. Returns the pools in the order of
/// their names. Takes memory in proportion to the trace.
///
/// # Errors
///
/// If the reader fails, a line is wrong, or there are no loans.
pub fn read(mut from: impl BufRead) -> Result<Vec<PoolTrace>, ReadError> {
    let mut pools: BTreeMap<String, Vec<TraceRow>> = BTreeMap::new();
    let mut line = Vec::new();
    let mut number = 0;
    loop {
        line.clear();
        let mut limited = io::Read::take(&mut from, LINE_MAX as u64 + 1);
        if limited.read_until(b'\n', &mut line).map_err(ReadError::Io)? == 0 {
            break;
        }
        number += 1;
        let wrong = |what| ReadError::Line { number, what };
        if line.len() > LINE_MAX {
            return Err(wrong("longer than 4,096 bytes"));
        }
        let text = std::str::from_utf8(&line).map_err(|_| wrong("not UTF-8"))?;
        let text = text.trim_end_matches(['\n', '\r']);
        if number == 1 {
            let header = text.trim_start_matches('\u{feff}');
            let is_header = matches!(header, TRACE_HEADER | LIVE_HEADER);
            is_header.then_some(()).ok_or(wrong("expected asked_us,got_us,returned_us,pool"))?;
            continue;
        }
        if text.is_empty() {
            continue;
        }
        let (pool, Line::Row(row)) = parse_line(text).map_err(wrong)? else { continue };
        match pools.get_mut(pool) {
            Some(rows) => rows.push(row),
            None => {
                pools.insert(pool.to_owned(), vec![row]);
            }
        }
    }
    if pools.is_empty() {
        return Err(ReadError::Empty);
    }
    let in_order = |(pool, mut rows): (String, Vec<TraceRow>)| {
        rows.sort_by_key(|row| row.asked_us);
        PoolTrace { pool, rows }
    };
    Ok(pools.into_iter().map(in_order).collect())
}

/// A line of a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Line {
    /// An answered request.
    Row(TraceRow),
    /// The lender's counters; only in live traces.
    Stats(LiveStats),
}

/// Parses a line of a trace other than the first, into the pool's name and the line's content.
///
/// # Errors
///
/// What is wrong with it.
pub fn parse_line(text: &str) -> Result<(&str, Line), &'static str> {
    let mut fields = text.split(',');
    let mut next = || fields.next().ok_or("expected four fields: asked_us,got_us,returned_us,pool");
    let (asked, got, ended, pool) = (next()?, next()?, next()?, next()?);
    let asked_us = number(asked).ok_or("asked_us is not a number of microseconds")?;
    if got.is_empty() && ended.is_empty() {
        let columns: Option<Vec<u64>> = fields.map(number).collect();
        let columns = columns.and_then(|columns| columns.try_into().ok());
        let columns = columns.ok_or("expected the 15 numbers of a live trace's statistics")?;
        return Ok((pool, Line::Stats(LiveStats::from_columns(asked_us, columns))));
    }
    let ended_us = number(ended).ok_or("returned_us is not a number of microseconds")?;
    let got_us = match got {
        "" => None,
        got => Some(number(got).ok_or("got_us is not a number of microseconds")?),
    };
    if got_us.is_some_and(|got_us| got_us < asked_us) {
        return Err("got_us is before asked_us");
    }
    if ended_us < got_us.unwrap_or(asked_us) {
        return Err("returned_us is before what came before it");
    }
    if fields.next().is_some() {
        return Err("more than four fields: asked_us,got_us,returned_us,pool");
    }
    Ok((pool, Line::Row(TraceRow { asked_us, got_us, ended_us })))
}

/// A number below 2^53: sums of such times neither overflow nor lose precision.
fn number(text: &str) -> Option<u64> {
    let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_plain.then(|| text.parse().ok()).flatten().filter(|number| *number < 1 << 53)
}
