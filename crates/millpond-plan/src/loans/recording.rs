//! What a lender records: `asked_us,got_us,returned_us,pool` lines.

use millpond_lend::replay::{Line, PoolTrace, parse_line};
use millpond_lend::{LIVE_HEADER, TRACE_HEADER};

use super::notes::Notes;
use super::rows::Rows;
use crate::error::{Fault, found};
use crate::input::{Lines, decoded, known, lines_of};
use crate::reading::Reading;

/// Reads a recording: the pools in the order of their names.
pub(super) fn read(mut lines: Lines<'_>) -> Result<(Vec<PoolTrace>, Notes), Fault> {
    let mut rows = Rows::default();
    let mut reading = Reading::default();
    let mut header_lines = 1;
    while lines.advance()? {
        if header_lines > 0 {
            header(lines.block()).map_err(|message| Fault { place: lines.place(0), message })?;
        }
        lines.each(header_lines, |line| {
            reading.read += 1;
            loan(line, &mut rows)
        })?;
        header_lines = 0;
    }
    let (pools, cut) = (rows.into_pools(), lines.cut());
    if pools.is_empty() {
        return Err(cut.map_or_else(|| Fault::whole("no loan in it"), |cut| cut.fault()));
    }
    Ok((pools, Notes { cut, reading, ..Notes::default() }))
}

/// Checks the first line of a recording that begins like this.
fn header(block: &[u8]) -> Result<(), String> {
    let line = lines_of(block).next().map_or(&[][..], |(_, line)| line);
    if [TRACE_HEADER, LIVE_HEADER].iter().any(|header| header.as_bytes() == line) {
        return Ok(());
    }
    let found = known::text(block).map_or_else(|| found(line), str::to_owned);
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
