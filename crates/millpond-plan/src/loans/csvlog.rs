//! PostgreSQL's log as CSV (`log_destination = 'csvlog'`), as a trace of loans.
//!
//! With `log_min_duration_statement = 0` or `log_duration = on` the log has a line for each statement, at
//! its end, with its duration. A hold is a transaction: from the start of its first statement to the end of
//! its last, as a program holds a connection for as long. The column `virtual_transaction_id` tells them
//! apart: the number behind its slash is that of the session's transaction, and 0 outside of one. How long
//! the program had waited for the connection is not in the log, nor what it did between two transactions.

use std::collections::BTreeMap;
use std::io::BufRead;

use csv_core::{ReadFieldResult, Reader};
use millpond_lend::TraceRow;
use millpond_lend::replay::PoolTrace;

use super::rows::Rows;
use crate::error::{Fault, Place, shown};
use crate::trace::hexadecimal;

/// The number of bytes read of each field: more than any relevant field has.
const FIELD_BYTES: usize = 256;

/// Columns, from 0, by PostgreSQL's documentation of its log.
const LOG_TIME: usize = 0;
const DATABASE: usize = 2;
const SESSION: usize = 5;
const TAG: usize = 7;
const VIRTUAL_TRANSACTION: usize = 9;
const MESSAGE: usize = 13;

/// PostgreSQL 9.0 to 12 write 23 columns, later versions more.
const COLUMNS_MIN: usize = 23;

/// Whether a file that begins like this is such a log: with a time such as `2026-11-22 09:16:56.318 UTC,`.
pub(super) fn begins(start: &[u8]) -> bool {
    let first = start.split(|byte| *byte == b',').next().unwrap_or_default();
    std::str::from_utf8(first).is_ok_and(|first| time(first).is_some())
}

/// Reads a log: one pool for each database, one row for each transaction.
pub(super) fn read(mut from: impl BufRead) -> Result<Vec<PoolTrace>, Fault> {
    let mut records = Records::new();
    let mut log = Log::default();
    while let Some(record) = records.next(&mut from)? {
        log.line(&record).map_err(|message| Fault { place: record.place, message })?;
    }
    log.into_pools()
}

/// The fields of a line of the log that matter here.
#[derive(Debug)]
struct Record {
    place: Place,
    fields: [String; MESSAGE + 1],
}

/// Reads records, of whatever length, into a bounded memory.
struct Records {
    reader: Reader,
    byte: u64,
}

impl Records {
    fn new() -> Self {
        Self { reader: Reader::new(), byte: 0 }
    }

    /// The next record; `None` at the end.
    fn next(&mut self, from: &mut impl BufRead) -> Result<Option<Record>, Fault> {
        let place = Place::Line { line: self.reader.line(), byte: self.byte };
        let mut record = Record { place, fields: Default::default() };
        let mut column = 0;
        let mut field = [0; FIELD_BYTES];
        let mut filled = 0;
        let mut surplus = [0; FIELD_BYTES];
        loop {
            let input = from.fill_buf().map_err(|error| Fault::whole(error.to_string()))?;
            let room = if filled < FIELD_BYTES { &mut field[filled..] } else { &mut surplus };
            let (result, taken, written) = self.reader.read_field(input, room);
            from.consume(taken);
            self.byte += taken as u64;
            filled = (filled + written).min(FIELD_BYTES);
            let is_record_end = match result {
                ReadFieldResult::InputEmpty | ReadFieldResult::OutputFull => continue,
                ReadFieldResult::Field { record_end } => record_end,
                ReadFieldResult::End => return Ok(None),
            };
            if let Some(kept) = record.fields.get_mut(column) {
                *kept = String::from_utf8_lossy(&field[..filled]).into_owned();
            }
            (column, filled) = (column + 1, 0);
            if !is_record_end {
                continue;
            }
            if column < COLUMNS_MIN {
                let message = format!(
                    "{column} columns, expected the {COLUMNS_MIN} or more of PostgreSQL's csvlog"
                );
                return Err(Fault { place, message });
            }
            return Ok(Some(record));
        }
    }
}

/// A transaction whose end has not come yet.
#[derive(Debug, Clone, Copy)]
struct Open {
    transaction: u64,
    start_us: u64,
    end_us: u64,
    /// Of its statements: times are logged in milliseconds, durations in microseconds.
    busy_us: u64,
}

impl Open {
    fn row(self) -> TraceRow {
        let ended_us = self.end_us.max(self.start_us.saturating_add(self.busy_us));
        TraceRow { asked_us: self.start_us, got_us: Some(self.start_us), ended_us }
    }
}

/// A session: when it began, and its process.
type Session = (u64, u64);

/// The state after the lines read so far.
#[derive(Debug, Default)]
struct Log {
    zone: Option<String>,
    /// Each with the number of its pool, in which there is room for it.
    open: BTreeMap<Session, (usize, Open)>,
    rows: Rows,
}

impl Log {
    fn line(&mut self, record: &Record) -> Result<(), String> {
        let field = |column: usize| record.fields[column].as_str();
        let (end_us, zone) = time(field(LOG_TIME)).ok_or_else(|| {
            let found = shown(field(LOG_TIME).as_bytes());
            format!("`{found}`, expected a time such as `2026-11-22 09:16:56.318 UTC`")
        })?;
        match &self.zone {
            None => self.zone = Some(zone.to_owned()),
            Some(first) if first == zone => {}
            Some(first) => {
                let (first, zone) = (shown(first.as_bytes()), shown(zone.as_bytes()));
                return Err(format!(
                    "the time zone was {first} and is {zone}, expected one (log_timezone = 'UTC')"
                ));
            }
        }
        let duration_us = duration_us(field(MESSAGE));
        let is_disconnection = field(MESSAGE).starts_with("disconnection:");
        if duration_us.is_none() && !is_disconnection {
            return Ok(());
        }
        let session = session(field(SESSION)).ok_or_else(|| {
            let found = shown(field(SESSION).as_bytes());
            format!("`{found}`, expected a session such as `6921810c.2d1f`")
        })?;
        let Some(duration_us) = duration_us else {
            self.end(session);
            return Ok(());
        };
        let transaction = transaction(field(VIRTUAL_TRANSACTION)).ok_or_else(|| {
            let found = shown(field(VIRTUAL_TRANSACTION).as_bytes());
            format!("`{found}`, expected a virtual transaction such as `3/15`")
        })?;
        let is_its_end = transaction == 0 && matches!(field(TAG), "COMMIT" | "ROLLBACK");
        if let Some((_, open)) = self.open.get_mut(&session)
            && (is_its_end || open.transaction == transaction)
        {
            open.end_us = open.end_us.max(end_us);
            open.busy_us = open.busy_us.saturating_add(duration_us);
        } else {
            self.end(session);
            let start_us = end_us.saturating_sub(duration_us);
            let open = Open { transaction, start_us, end_us, busy_us: duration_us };
            let pool = self.rows.reserve(field(DATABASE))?;
            self.open.insert(session, (pool, open));
        }
        if transaction == 0 {
            self.end(session);
        }
        Ok(())
    }

    /// Ends the open transaction of a session.
    fn end(&mut self, session: Session) {
        if let Some((pool, open)) = self.open.remove(&session) {
            self.rows.push(pool, open.row());
        }
    }

    fn into_pools(mut self) -> Result<Vec<PoolTrace>, Fault> {
        while let Some((_, (pool, open))) = self.open.pop_first() {
            self.rows.push(pool, open.row());
        }
        let mut pools = self.rows.into_pools();
        let rows = pools.iter().flat_map(|pool| &pool.rows);
        let Some(first_us) = rows.map(|row| row.asked_us).min() else {
            let what = "no duration of a statement in it, expected some \
                        (log_min_duration_statement = 0, or log_duration = on)";
            return Err(Fault::whole(what));
        };
        for row in pools.iter_mut().flat_map(|pool| &mut pool.rows) {
            row.asked_us -= first_us;
            row.got_us = Some(row.asked_us);
            row.ended_us -= first_us;
        }
        Ok(pools)
    }
}

/// Microseconds of `duration: 20.353 ms  statement: …`.
fn duration_us(message: &str) -> Option<u64> {
    let (ms, _) = message.strip_prefix("duration: ")?.split_once(" ms")?;
    let (whole, part) = ms.split_once('.')?;
    let (whole, part) = (number(whole)?, (part.len() == 3).then(|| number(part))??);
    whole.checked_mul(1_000)?.checked_add(part)
}

/// The hexadecimal numbers of `6921810c.2d1f`.
fn session(text: &str) -> Option<Session> {
    let (begun, process) = text.split_once('.')?;
    Some((hexadecimal(begun.as_bytes())?, hexadecimal(process.as_bytes())?))
}

/// The number of the transaction in `3/15`; 0 outside of one.
fn transaction(text: &str) -> Option<u64> {
    let (backend, transaction) = text.split_once('/')?;
    number(backend)?;
    number(transaction)
}

/// Microseconds since 1 January 1970 in the log's own zone, and the name of that.
fn time(text: &str) -> Option<(u64, &str)> {
    let mut words = text.split(' ');
    let (date, clock, zone) = (words.next()?, words.next()?, words.next()?);
    let [year, month, day] = numbers(date, '-')?;
    let (clock, ms) = clock.split_once('.')?;
    let [hour, minute, second] = numbers(clock, ':')?;
    let ms = (ms.len() == 3).then(|| number(ms))??;
    let is_in_range = (1970..10_000).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && (hour, minute, second) <= (23, 59, 60)
        && minute < 60
        && second <= 60
        && words.next().is_none();
    if !is_in_range {
        return None;
    }
    let seconds = ((days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second;
    Some(((seconds * 1_000 + ms) * 1_000, zone))
}

/// Days since 1 January 1970, in a calendar whose years begin in March.
fn days(year: u64, month: u64, day: u64) -> u64 {
    let year = if month <= 2 { year.saturating_sub(1) } else { year };
    let months = (month + 9) % 12;
    let leap_days = year / 4 - year / 100 + year / 400;
    // The first of March of the year 0 was 719,468 days before; the first day of a month is 1.
    (year * 365 + leap_days + (months * 153 + 2) / 5 + day).saturating_sub(719_469)
}

fn numbers<const N: usize>(text: &str, between: char) -> Option<[u64; N]> {
    let numbers: Option<Vec<u64>> = text.split(between).map(number).collect();
    numbers?.try_into().ok()
}

/// A number of at most ten digits.
fn number(text: &str) -> Option<u64> {
    let is_plain = (1..=10).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    is_plain.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line of the log: a statement that ends at this time.
    fn line(ms: &str, session: &str, tag: &str, transaction: &str, message: &str) -> String {
        format!(
            "2026-11-22 09:16:56.{ms} UTC,\"cook\",\"shop\",31,\"[local]\",{session},5,\"{tag}\",\
             2026-11-22 09:16:56 UTC,{transaction},0,LOG,00000,\"{message}\",,,,,,,,,\"psql\"\n"
        )
    }

    #[test]
    fn times_out_of_range_are_none() {
        assert_eq!(time("1970-01-01 00:00:01.002 UTC"), Some((1_002_000, "UTC")));
        assert!(time("9999-12-31 23:59:60.999 UTC").is_some());
        for text in [
            "9999999999-01-01 00:00:00.000 UTC",
            "9999999999-9999999999-9999999999 9999999999:9999999999:9999999999.999 UTC",
            "1969-12-31 23:59:59.000 UTC",
            "1970-00-01 00:00:00.000 UTC",
            "1970-01-00 00:00:00.000 UTC",
            "1970-01-01 24:00:00.000 UTC",
            "1970-01-01 00:60:00.000 UTC",
            "1970-01-01 00:00:00.000",
        ] {
            assert_eq!(time(text), None, "{text}");
        }
    }

    /// The holds, as start and length in microseconds since the first.
    fn holds(text: &str) -> Result<Vec<(u64, u64)>, String> {
        let pools = read(text.as_bytes()).map_err(|fault| fault.to_string())?;
        assert_eq!(pools.len(), 1);
        assert_eq!(pools[0].pool, "shop");
        let hold = |row: &TraceRow| (row.asked_us, row.ended_us - row.asked_us);
        Ok(pools[0].rows.iter().map(hold).collect())
    }

    #[test]
    fn a_transaction_is_one_hold_and_a_statement_of_its_own_another() {
        let log = [
            line("100", "a.1", "CREATE TABLE", "3/0", "duration: 1.585 ms  statement: create"),
            line("200", "a.1", "BEGIN", "3/3", "duration: 0.016 ms  statement: begin"),
            line("201", "a.1", "INSERT", "3/3", "duration: 0.144 ms  statement: insert"),
            line("201", "b.2", "SELECT", "4/0", "duration: 0.500 ms  statement: select"),
            line("220", "a.1", "SELECT", "3/3", "duration: 19.000 ms  statement: \n\"\"hot\"\""),
            line("230", "a.1", "COMMIT", "3/0", "duration: 0.064 ms  statement: commit"),
            line("300", "a.1", "SELECT", "3/0", "duration: 0.112 ms"),
        ];
        // The first began at 98,415 µs.
        let expected = [(0, 1_585), (101_569, 30_016), (102_085, 500), (201_473, 112)];
        assert_eq!(holds(&log.concat()).unwrap(), expected);
    }

    /// As drivers send them: parse, bind and execute are logged before the transaction ends.
    #[test]
    fn statements_of_the_extended_protocol_end_with_the_next_transaction() {
        let log = [
            line("100", "a.1", "SELECT", "3/7", "duration: 0.100 ms  parse s1: select"),
            line("100", "a.1", "SELECT", "3/7", "duration: 0.200 ms  bind s1: select"),
            line("101", "a.1", "SELECT", "3/7", "duration: 0.300 ms  execute s1: select"),
            line("150", "a.1", "SELECT", "3/8", "duration: 0.400 ms  execute s1: select"),
            line("190", "a.1", "SELECT", "3/0", "duration: 0.700 ms  statement: select"),
            line("200", "a.1", "SELECT", "3/9", "duration: 0.500 ms  execute s1: select"),
            line("250", "a.1", "idle", "", "disconnection: session time: 0:00:00.027"),
        ];
        let expected = [(0, 1_100), (49_700, 400), (89_400, 700), (99_600, 500)];
        assert_eq!(holds(&log.concat()).unwrap(), expected);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let good = line("100", "a.1", "SELECT", "3/0", "duration: 1.000 ms");
        let fails = |text: String| holds(&text).unwrap_err();
        let said = fails(format!("{good}2026-11-22 09:16:56.318 UTC,1,2\n"));
        assert!(said.starts_with("line 2 (byte ") && said.contains("3 columns"), "{said}");
        let said = fails(good.clone() + &good.replace("2026-11-22 09:16:56.100 UTC", "yesterday"));
        assert!(said.contains("line 2") && said.contains("`yesterday`"), "{said}");
        let said = fails(good.clone() + &good.replace("56.100 UTC", "56.100 CET"));
        assert!(said.contains("was UTC and is CET"), "{said}");
        let said = fails(good.replace("3/0", "3"));
        assert!(said.contains("`3`, expected a virtual transaction"), "{said}");
        let said = fails(good.replace("duration: 1.000 ms", "connection received"));
        assert!(said.contains("no duration of a statement"), "{said}");
        // An unterminated quote takes no memory.
        let said = fails(good.clone() + "2026-11-22 09:16:56.318 UTC,\"" + &"x\n".repeat(1 << 20));
        assert!(said.contains("2 columns"), "{said}");
    }

    #[test]
    fn times_are_those_of_the_calendar() {
        let seconds = |text: &str| time(text).map(|(us, _)| us / 1_000_000);
        assert_eq!(seconds("1970-01-01 00:00:00.000 UTC"), Some(0));
        assert_eq!(seconds("2000-02-29 12:00:00.000 UTC"), Some(951_825_600));
        assert_eq!(seconds("2024-03-01 00:00:00.999 UTC"), Some(1_709_251_200));
        assert_eq!(seconds("2026-11-22 09:16:56.318 UTC"), Some(1_795_339_016));
        for wrong in [
            "2026-13-22 09:16:56.318 UTC",
            "2026-11-22 24:16:56.318 UTC",
            "2026-11-22 09:16:56 UTC",
            "2026-11-22 09:16:56.318",
            "tick,event",
            "",
        ] {
            assert_eq!(time(wrong), None, "{wrong}");
        }
        assert!(begins(b"2026-11-22 09:16:56.318 UTC,,,31107") && !begins(b"asked_us,got_us"));
    }
}
