//! What a lender records: `asked_us,got_us,returned_us,pool` lines.

use millpond_lend::replay::{Line, PoolTrace, parse_line};
use millpond_lend::{LIVE_HEADER, TRACE_HEADER};

use super::notes::Notes;
use super::rows::Rows;
use crate::error::{Fault, found};
use crate::input::{Lines, decoded, known};

/// Reads a recording: the pools in the order of their names.
pub(super) fn read(mut lines: Lines<'_>) -> Result<(Vec<PoolTrace>, Notes), Fault> {
    let mut rows = Rows::default();
    let mut is_header = true;
    while lines.advance()? {
        lines.each(0, |line| match std::mem::take(&mut is_header) {
            true => header(line),
            false => loan(line, &mut rows),
        })?;
    }
    let (pools, cut) = (rows.into_pools(), lines.cut());
    if pools.is_empty() {
        return Err(cut.map_or_else(|| Fault::whole("no loan in it"), |cut| cut.fault()));
    }
    Ok((pools, Notes { cut, ..Notes::default() }))
}

fn header(line: &[u8]) -> Result<(), String> {
    if [TRACE_HEADER, LIVE_HEADER].iter().any(|header| header.as_bytes() == line) {
        return Ok(());
    }
    let found = known::text(line).map_or_else(|| found(line), str::to_owned);
    Err(format!(
        "{found}, expected a trace of loans (first line `{TRACE_HEADER}`) or PostgreSQL's csvlog"
    ))
}

fn loan(line: &[u8], rows: &mut Rows) -> Result<(), String> {
    let line = decoded(line);
    if line.is_empty() {
        return Ok(());
    }
    if let (pool, Line::Row(row)) = parse_line(&line)? {
        let pool = rows.reserve(pool)?;
        rows.push(pool, row);
    }
    Ok(())
}
