//! What a lender records: `asked_us,got_us,returned_us,pool` lines.

use millpond_lend::replay::{Line, PoolTrace, parse_line};
use millpond_lend::{LIVE_HEADER, TRACE_HEADER};

use super::rows::Rows;
use crate::error::{Fault, found};
use crate::input::Lines;
use crate::trace::BYTE_ORDER_MARK;

/// Reads a recording: the pools in the order of their names.
pub(super) fn read(mut lines: Lines<'_>) -> Result<Vec<PoolTrace>, Fault> {
    let mut rows = Rows::default();
    let mut is_header = true;
    while lines.advance()? {
        lines.each(0, |line| match std::mem::take(&mut is_header) {
            true => header(line),
            false => loan(line, &mut rows),
        })?;
    }
    let pools = rows.into_pools();
    if pools.is_empty() {
        return Err(Fault::whole("no loan in it"));
    }
    Ok(pools)
}

fn header(line: &[u8]) -> Result<(), String> {
    let line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
    if [TRACE_HEADER, LIVE_HEADER].iter().any(|header| header.as_bytes() == line) {
        return Ok(());
    }
    let found = found(line);
    Err(format!(
        "{found}, expected a trace of loans (first line `{TRACE_HEADER}`) or PostgreSQL's csvlog"
    ))
}

fn loan(line: &[u8], rows: &mut Rows) -> Result<(), String> {
    let line = std::str::from_utf8(line).map_err(|_| "not UTF-8")?;
    if line.is_empty() {
        return Ok(());
    }
    if let (pool, Line::Row(row)) = parse_line(line)? {
        let pool = rows.reserve(pool)?;
        rows.push(pool, row);
    }
    Ok(())
}
