//! What a lender records: `asked_us,got_us,returned_us,pool` lines.

use millpond_lend::replay::{Line, PoolTrace, parse_line};
use millpond_lend::{LIVE_HEADER, TRACE_HEADER};

use super::rows::Rows;
use crate::error::Fault;
use crate::input::{LINE_BYTES_MAX, Lines, lines_of};

/// Reads a recording: the pools in the order of their names.
pub(super) fn read(mut lines: Lines<'_>) -> Result<Vec<PoolTrace>, Fault> {
    let mut rows = Rows::default();
    let mut is_header = true;
    while lines.advance()? {
        for (offset, line) in lines_of(lines.block()) {
            if line.len() > LINE_BYTES_MAX {
                return Err(lines.too_long(offset));
            }
            let taken = if is_header { header(line) } else { loan(line, &mut rows) };
            taken.map_err(|message| Fault { place: lines.place(offset), message })?;
            is_header = false;
        }
    }
    let pools = rows.into_pools();
    if pools.is_empty() {
        return Err(Fault::whole("no loan in it"));
    }
    Ok(pools)
}

fn header(line: &[u8]) -> Result<(), String> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    if [TRACE_HEADER, LIVE_HEADER].iter().any(|header| header.as_bytes() == line) {
        return Ok(());
    }
    Err(format!("expected {TRACE_HEADER}, or PostgreSQL's csvlog"))
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
