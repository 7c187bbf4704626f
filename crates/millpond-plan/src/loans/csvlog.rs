//! PostgreSQL's log as CSV (`log_destination = 'csvlog'`), as a trace of loans.
//!
//! With `log_min_duration_statement = 0` or `log_duration = on` the log has a line for each statement, at
//! its end, with its duration. A hold is a transaction: from the start of its first statement to the end of
//! its last, as a program holds a connection for as long. The column `virtual_transaction_id` tells them
//! apart: the number behind its slash is that of the session's transaction, and 0 outside of one. How long
//! the program had waited for the connection is not in the log, nor what it did between two transactions.
//!
//! A statement that fails has no duration, and held its connection all the same: until its error, or, in a block of
//! statements, until that is rolled back. It began with its own text in the log (`log_statement`), or with what was
//! parsed and bound for it, or with its transaction. Without any of them its beginning is unknown: one that was cancelled,
//! or waited for another transaction, is counted from the session's line before, and all others as if they had failed at
//! once.
//!
//! A statement may have several lines with durations. The plan of `auto_explain` tells the duration of a statement
//! whose own line follows, so it is not read. A driver that prepares a statement before it executes it makes one
//! request, even if both are transactions of their own.

use std::collections::{BTreeMap, HashMap};
use std::hash::BuildHasher;
use std::io::BufRead;

use csv_core::{ReadFieldResult, Reader};
use millpond_lend::TraceRow;
use millpond_lend::replay::PoolTrace;

use super::notes::{Half, LEFT_OUT, NO_STATEMENT, Notes, OTHER_LANGUAGE, PLAN};
use super::rows::Rows;
use crate::error::{Fault, Place, shown};
use crate::input::{Cut, CutIn, decoded};
use crate::pattern::Pattern;
use crate::trace::hexadecimal;

/// The number of bytes read of each field: more than any relevant field has.
const FIELD_BYTES: usize = 1024;

/// The maximum number of sessions at once.
const SESSIONS_MAX: usize = 1 << 20;

/// Columns, from 0, by PostgreSQL's documentation of its log.
const LOG_TIME: usize = 0;
const USER: usize = 1;
const DATABASE: usize = 2;
const SESSION: usize = 5;
const TAG: usize = 7;
const VIRTUAL_TRANSACTION: usize = 9;
const SEVERITY: usize = 11;
const SQLSTATE: usize = 12;
const MESSAGE: usize = 13;
const QUERY: usize = 19;
const BACKEND: usize = 23;

/// PostgreSQL 9.0 to 12 write 23 columns, later versions more.
const COLUMNS_MIN: usize = 23;

/// Whether a file that begins like this is such a log: with a time such as `2026-11-22 09:16:56.318 UTC,`.
pub(super) fn begins(start: &[u8]) -> bool {
    let first = start.split(|byte| *byte == b',').next().unwrap_or_default();
    std::str::from_utf8(first).is_ok_and(|first| time(first).is_some())
}

/// Reads a log: one pool for each database, one row for each transaction. Statements that fit a pattern are left out. A
/// last line without an end is an error, or the place where the log is cut short; `cut_in` says at the end whether the
/// data is.
pub(super) fn read<R: BufRead>(
    from: &mut R,
    left_out: &[Pattern],
    accepts_cut: bool,
    cut_in: impl FnOnce(&R) -> Option<CutIn>,
) -> Result<(Vec<PoolTrace>, Notes), Fault> {
    let mut records = Records { accepts_cut, ..Records::new() };
    let mut log = Log { patterns: left_out, ..Log::default() };
    while let Some(record) = records.next(from)? {
        log.line(&record).map_err(|message| Fault { place: record.place, message })?;
    }
    let (pools, notes) = log.finish()?;
    let mut cut = records.cut;
    if let Some(what) = cut_in(from) {
        let end = Cut { what, line: records.reader.line(), byte: records.byte };
        cut = Some(Cut { what, ..cut.unwrap_or(end) });
    }
    Ok((pools, Notes { cut, ..notes }))
}

/// The fields of a line of the log that matter here.
#[derive(Debug)]
struct Record {
    place: Place,
    fields: [String; BACKEND + 1],
}

impl Record {
    /// Whether this is an error that ends what a client asked for. Servers before version 13 do not say which process
    /// it is, and only clients have a user and a database.
    fn is_failure(&self) -> bool {
        matches!(&*self.fields[SEVERITY], "ERROR" | "FATAL" | "PANIC")
            && matches!(&*self.fields[BACKEND], "" | "client backend")
            && !self.fields[USER].is_empty()
            && !self.fields[DATABASE].is_empty()
    }
}

/// Reads records, of whatever length, into a bounded memory.
struct Records {
    reader: Reader,
    byte: u64,
    accepts_cut: bool,
    /// Where the last line has no end.
    cut: Option<Cut>,
}

impl Records {
    fn new() -> Self {
        Self { reader: Reader::new(), byte: 0, accepts_cut: false, cut: None }
    }

    /// The next record; `None` at the end.
    fn next(&mut self, from: &mut impl BufRead) -> Result<Option<Record>, Fault> {
        let (line, byte) = (self.reader.line(), self.byte);
        let place = Place::Line { line, byte };
        let mut record = Record { place, fields: Default::default() };
        let mut column = 0;
        let mut field = [0; FIELD_BYTES];
        let mut filled = 0;
        let mut surplus = [0; FIELD_BYTES];
        loop {
            let input = from.fill_buf().map_err(|error| Fault::whole(error.to_string()))?;
            let room = if filled < FIELD_BYTES { &mut field[filled..] } else { &mut surplus };
            let (result, taken, written) = self.reader.read_field(input, room);
            let is_end = input.is_empty();
            from.consume(taken);
            self.byte += taken as u64;
            filled = (filled + written).min(FIELD_BYTES);
            let is_record_end = match result {
                ReadFieldResult::InputEmpty | ReadFieldResult::OutputFull => continue,
                ReadFieldResult::Field { record_end } => record_end,
                ReadFieldResult::End => return Ok(None),
            };
            if let Some(kept) = record.fields.get_mut(column) {
                *kept = decoded(&field[..filled]).into_owned();
            }
            (column, filled) = (column + 1, 0);
            if !is_record_end {
                continue;
            }
            if is_end && self.accepts_cut {
                self.cut = Some(Cut { what: CutIn::Text, line, byte });
            }
            if column < COLUMNS_MIN && self.cut.is_some() {
                return Ok(None);
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
#[derive(Debug, Clone)]
struct Open {
    transaction: u64,
    start_us: u64,
    end_us: u64,
    /// Of its statements: times are logged in milliseconds, durations in microseconds.
    busy_us: u64,
    /// The text of its only statement, if it has one.
    statement: Option<String>,
    /// Whether the client opened it with `BEGIN`, so that it goes on after an error.
    is_block: bool,
}

impl Open {
    fn row(&self) -> TraceRow {
        let ended_us = self.end_us.max(self.start_us.saturating_add(self.busy_us));
        TraceRow { asked_us: self.start_us, got_us: Some(self.start_us), ended_us }
    }
}

/// What a driver has prepared and not executed yet.
#[derive(Debug, Clone, Copy)]
struct Prepared {
    transaction: u64,
    start_us: u64,
    busy_us: u64,
}

/// A session: when it began, and its process.
type Session = (u64, u64);

/// What is known of a session.
#[derive(Debug, Default)]
struct State {
    /// The text of its next duration, from a line without a duration (`log_statement`), and when that began.
    text: Option<(String, u64)>,
    /// When its last line was written.
    last_us: Option<u64>,
    /// The last transaction that a line names, and the statements since then that were transactions without a name.
    transactions: (u64, u64),
    prepared: Option<Prepared>,
    /// With the number of its pool, in which there is room for it.
    open: Option<(usize, Open)>,
}

/// How often each statement was a request of its own, for one pool.
#[derive(Debug, Default)]
struct Texts {
    /// By the hash of a text.
    requests: HashMap<u64, u64, foldhash::fast::RandomState>,
    /// The one with most requests, and how many.
    most: (String, u64),
    /// All requests, those of several statements, too.
    all: u64,
}

impl Texts {
    fn count(&mut self, statement: Option<&str>) {
        self.all += 1;
        let Some(text) = statement else { return };
        let hash = self.requests.hasher().hash_one(text);
        let requests = self.requests.entry(hash).or_default();
        *requests += 1;
        if *requests > self.most.1 {
            self.most.1 = *requests;
            if self.most.0 != text {
                text.clone_into(&mut self.most.0);
            }
        }
    }

    /// The statement that makes half of the requests, if there are others.
    fn half(self, pool: &str) -> Option<Half> {
        let (statement, requests) = self.most;
        let is_half = requests >= 2 && requests < self.all && requests * 2 >= self.all;
        is_half.then(|| Half { pool: pool.to_owned(), statement, requests, of: self.all })
    }
}

/// The state after the lines read so far.
#[derive(Debug, Default)]
struct Log<'p> {
    patterns: &'p [Pattern],
    zone: Option<String>,
    sessions: BTreeMap<Session, State>,
    rows: Rows,
    /// By the number of the pool.
    texts: Vec<Texts>,
    notes: Notes,
}

impl Log<'_> {
    fn line(&mut self, record: &Record) -> Result<(), String> {
        self.notes.reading.read += 1;
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
        let message = match record.is_failure() {
            true => Message::Failure,
            false => message(field(MESSAGE), field(TAG)),
        };
        match message {
            Message::Other => {
                self.notes.reading.pass_over(&NO_STATEMENT);
                self.notes.note_parameter(field(MESSAGE));
                return Ok(());
            }
            Message::Plan => {
                self.notes.plans += 1;
                self.notes.reading.pass_over(&PLAN);
                return Ok(());
            }
            Message::OtherLanguage => {
                let first = || shown(field(MESSAGE).lines().next().unwrap_or_default().as_bytes());
                self.notes.other_language.get_or_insert_with(|| (0, first())).0 += 1;
                self.notes.reading.pass_over(&OTHER_LANGUAGE);
                return Ok(());
            }
            Message::Authorized
            | Message::Disconnection
            | Message::Failure
            | Message::Text(_)
            | Message::Prepares(_)
            | Message::Statement(..) => {}
        }
        let session = session(field(SESSION)).ok_or_else(|| {
            let found = shown(field(SESSION).as_bytes());
            format!("`{found}`, expected a session such as `6921810c.2d1f`")
        })?;
        if self.sessions.len() == SESSIONS_MAX && !self.sessions.contains_key(&session) {
            return Err(format!("more than {SESSIONS_MAX} sessions at once"));
        }
        let before_us = self.state(session).last_us.replace(end_us);
        let (duration_us, text) = match message {
            Message::Authorized => return Ok(()),
            Message::Disconnection => {
                self.extend_if_idle(session, field(TAG), end_us);
                self.end(session);
                self.sessions.remove(&session);
                return Ok(());
            }
            Message::Text(text) => {
                self.state(session).text = Some((text.to_owned(), end_us));
                return Ok(());
            }
            Message::Failure => return self.fails(session, record, before_us, end_us),
            Message::Prepares(us) => (us, None),
            Message::Statement(us, text) => (us, Some(text)),
            Message::Other | Message::Plan | Message::OtherLanguage => return Ok(()),
        };
        let transaction = transaction_of(record)?;
        let is_its_end = transaction == 0 && matches!(field(TAG), "COMMIT" | "ROLLBACK");
        let start_us = end_us.saturating_sub(duration_us);
        let Some(text) = text else {
            self.note_transaction(session, transaction, false);
            self.prepares(
                session,
                Prepared { transaction, start_us, busy_us: duration_us },
                end_us,
            );
            return Ok(());
        };
        let begun = self.state(session).text.take();
        let text = text.map(str::to_owned).or(begun.map(|(text, _)| text));
        self.notes.note_duration(duration_us);
        self.note_transaction(session, transaction, !is_its_end);
        let opens_block = opens_block(field(TAG), text.as_deref());
        let has_open = self.state(session).open.is_some();
        if text.as_deref().is_some_and(|text| self.is_left_out(text)) && !(is_its_end && has_open) {
            self.notes.left_out += 1;
            self.notes.reading.pass_over(&LEFT_OUT);
            self.state(session).prepared = None;
            return Ok(());
        }
        if let Some((_, open)) = &mut self.state(session).open
            && (is_its_end || open.transaction == transaction)
        {
            open.end_us = open.end_us.max(end_us);
            open.busy_us = open.busy_us.saturating_add(duration_us);
            open.statement = None;
            open.is_block |= opens_block;
        } else {
            self.end(session);
            let mut open = Open {
                transaction,
                start_us,
                end_us,
                busy_us: duration_us,
                statement: text,
                is_block: opens_block,
            };
            if let Some(before) = self.state(session).prepared.take() {
                open.busy_us = open.busy_us.saturating_add(before.busy_us);
                open.start_us = match before.transaction == transaction && transaction != 0 {
                    true => before.start_us.min(open.start_us),
                    false => open.start_us.saturating_sub(before.busy_us),
                };
            }
            let pool = self.rows.reserve(field(DATABASE))?;
            self.state(session).open = Some((pool, open));
        }
        if transaction == 0 {
            self.end(session);
        }
        Ok(())
    }

    /// A statement fails, or the server ends the session.
    fn fails(
        &mut self,
        session: Session,
        record: &Record,
        before_us: Option<u64>,
        end_us: u64,
    ) -> Result<(), String> {
        let field = |column: usize| record.fields[column].as_str();
        let (tag, sqlstate, query) = (field(TAG), field(SQLSTATE), field(QUERY));
        let ends_session = field(SEVERITY) != "ERROR";
        // Nothing was asked for: the session has not begun, or the server ends one that is idle.
        let is_idle = tag == "idle" || is_idle_in_transaction(tag);
        if matches!(tag, "" | "startup" | "authentication") || (is_idle && ends_session) {
            self.extend_if_idle(session, tag, end_us);
            self.end(session);
            return Ok(());
        }
        let transaction = transaction_of(record)?;
        self.notes.failed += 1;
        self.note_transaction(session, transaction, false);
        let state = self.state(session);
        let (text, prepared) = (state.text.take(), state.prepared.take());
        if let Some((_, open)) = &mut state.open
            && (open.transaction == transaction || (open.is_block && sqlstate == IN_FAILED_BLOCK))
        {
            open.end_us = open.end_us.max(end_us);
            open.statement = None;
            // A commit that fails is the end, too.
            let goes_on = open.is_block && tag != "COMMIT" && !ends_session;
            if !goes_on {
                self.end(session);
            }
            return Ok(());
        }
        self.end(session);
        if self.is_left_out(query) {
            self.notes.left_out += 1;
            self.notes.reading.pass_over(&LEFT_OUT);
            return Ok(());
        }
        let prepared = prepared.filter(|before| before.transaction == transaction);
        let begun = prepared.map(|before| before.start_us).or(text.map(|(_, us)| us));
        let start_us = begun.unwrap_or_else(|| {
            self.notes.failed_without_start += 1;
            before_us.filter(|_| takes_time(sqlstate)).unwrap_or(end_us)
        });
        let is_block = opens_block("", Some(query)) && !ends_session;
        let pool = self.rows.reserve(field(DATABASE))?;
        let statement = Some(query.to_owned());
        let start_us = start_us.min(end_us);
        let open = Open { transaction, start_us, end_us, busy_us: 0, statement, is_block };
        self.state(session).open = Some((pool, open));
        if !is_block {
            self.end(session);
        }
        Ok(())
    }

    /// An open transaction lasts until this moment, if the session idles in it.
    fn extend_if_idle(&mut self, session: Session, tag: &str, end_us: u64) {
        if let Some((_, open)) = &mut self.state(session).open
            && is_idle_in_transaction(tag)
        {
            open.end_us = open.end_us.max(end_us);
        }
    }

    /// Counts the transactions between two lines of a session that have no line: a server that logs all has none.
    fn note_transaction(&mut self, session: Session, transaction: u64, is_one: bool) {
        let state = self.sessions.entry(session).or_default();
        let (last, nameless) = &mut state.transactions;
        if transaction == 0 {
            *nameless += u64::from(is_one);
            self.notes.transactions += u64::from(is_one);
            return;
        }
        if transaction != *last {
            self.notes.transactions += 1;
        }
        if *last > 0 && transaction > *last {
            let missing = (transaction - *last - 1).saturating_sub(*nameless);
            self.notes.unlogged = self.notes.unlogged.saturating_add(missing);
        }
        (*last, *nameless) = (transaction, 0);
    }

    fn state(&mut self, session: Session) -> &mut State {
        self.sessions.entry(session).or_default()
    }

    fn is_left_out(&self, text: &str) -> bool {
        let text = plain(text);
        self.patterns.iter().any(|pattern| pattern.matches(&text))
    }

    /// A statement is prepared: a part of the open transaction, or of the next one.
    fn prepares(&mut self, session: Session, this: Prepared, end_us: u64) {
        if let Some((_, open)) = &mut self.state(session).open
            && open.transaction == this.transaction
        {
            open.end_us = open.end_us.max(end_us);
            open.busy_us = open.busy_us.saturating_add(this.busy_us);
            return;
        }
        self.end(session);
        let state = self.state(session);
        state.prepared = Some(match state.prepared {
            Some(before) if before.transaction == this.transaction && this.transaction != 0 => {
                Prepared { busy_us: before.busy_us.saturating_add(this.busy_us), ..before }
            }
            Some(before) => Prepared {
                start_us: this.start_us.saturating_sub(before.busy_us),
                busy_us: before.busy_us.saturating_add(this.busy_us),
                ..this
            },
            None => this,
        });
    }

    /// Ends the open transaction of a session.
    fn end(&mut self, session: Session) {
        if let Some((pool, open)) = self.state(session).open.take() {
            self.push(pool, &open);
        }
    }

    fn push(&mut self, pool: usize, open: &Open) {
        if self.texts.len() <= pool {
            self.texts.resize_with(pool + 1, Texts::default);
        }
        self.texts[pool].count(open.statement.as_deref());
        self.rows.push(pool, open.row());
    }

    fn finish(mut self) -> Result<(Vec<PoolTrace>, Notes), Fault> {
        let open: Vec<(usize, Open)> =
            std::mem::take(&mut self.sessions).into_values().filter_map(|of| of.open).collect();
        for (pool, open) in open {
            self.push(pool, &open);
        }
        let texts = self.texts.into_iter().enumerate();
        let half = texts.filter_map(|(pool, texts)| texts.half(self.rows.name(pool)));
        self.notes.half = half.collect();
        let mut pools = self.rows.into_pools();
        let rows = pools.iter().flat_map(|pool| &pool.rows);
        let Some(first_us) = rows.map(|row| row.asked_us).min() else {
            return Err(Fault::whole(nothing_in_it(&self.notes)));
        };
        for row in pools.iter_mut().flat_map(|pool| &mut pool.rows) {
            row.asked_us -= first_us;
            row.got_us = Some(row.asked_us);
            row.ended_us -= first_us;
        }
        Ok((pools, self.notes))
    }
}

/// Why a log has no request.
fn nothing_in_it(notes: &Notes) -> String {
    if let Some((_, first)) = &notes.other_language {
        return format!(
            "the durations are not in English (`{first}`), expected a server with lc_messages = 'C'"
        );
    }
    if notes.left_out > 0 {
        return "all of its statements are left out by --skip-statement".to_owned();
    }
    if notes.plans > 0 {
        return "no duration of a statement in it, only plans of auto_explain, expected some \
                (log_min_duration_statement = 0, or log_duration = on)"
            .to_owned();
    }
    "no duration of a statement in it, expected some (log_min_duration_statement = 0, or log_duration = on)"
        .to_owned()
}

/// The text of a statement as patterns see it: in lower case, without spaces around it and the semicolon.
pub(super) fn plain(text: &str) -> String {
    text.trim().trim_end_matches(';').trim_end().to_lowercase()
}

/// The state of an error that says that the block of statements has failed before.
const IN_FAILED_BLOCK: &str = "25P02";

/// Whether a session waits for its client within a transaction.
fn is_idle_in_transaction(tag: &str) -> bool {
    tag.starts_with("idle in transaction")
}

/// Whether statements fail with this state after some time: cancelled, or in conflict with another transaction.
fn takes_time(sqlstate: &str) -> bool {
    ["57", "40"].iter().any(|class| sqlstate.starts_with(class)) || sqlstate == "55P03"
}

/// Whether a statement begins a block of statements.
fn opens_block(tag: &str, text: Option<&str>) -> bool {
    let starts = |word: &str| {
        let start = text.and_then(|text| text.trim_start().get(..word.len()));
        start.is_some_and(|start| start.eq_ignore_ascii_case(word))
    };
    matches!(tag, "BEGIN" | "START TRANSACTION") || starts("begin") || starts("start transaction")
}

/// The number of the transaction of a line; 0 outside of one.
fn transaction_of(record: &Record) -> Result<u64, String> {
    let field = &record.fields[VIRTUAL_TRANSACTION];
    transaction(field).ok_or_else(|| {
        let found = shown(field.as_bytes());
        format!("`{found}`, expected a virtual transaction such as `3/15`")
    })
}

/// What a line of the log says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Message<'m> {
    /// A statement has taken this many microseconds; its text, if it is in the line.
    Statement(u64, Option<&'m str>),
    /// A statement was parsed or bound, which is a part of its request.
    Prepares(u64),
    /// The plan of a statement, by auto_explain. The statement has a line of its own.
    Plan,
    /// The text of a statement whose duration follows.
    Text(&'m str),
    /// A statement has failed, or the server ended the session.
    Failure,
    /// The session has begun.
    Authorized,
    /// The session has ended.
    Disconnection,
    /// A duration in another language.
    OtherLanguage,
    Other,
}

/// Reads `duration: 20.353 ms  statement: …` and what else there may be.
fn message<'m>(text: &'m str, tag: &str) -> Message<'m> {
    if text.starts_with("disconnection:") {
        return Message::Disconnection;
    }
    if text.starts_with("connection authorized:") {
        return Message::Authorized;
    }
    let Some(after) = text.strip_prefix("duration: ") else {
        let is_text = text.starts_with("statement: ") || text.starts_with("execute ");
        return match text.split_once(": ") {
            Some((_, statement)) if is_text => Message::Text(statement),
            Some((word, after)) if is_duration_in_another_language(word, after) => {
                Message::OtherLanguage
            }
            _ => Message::Other,
        };
    };
    let Some((number, what)) = after.split_once(" ms") else { return Message::Other };
    let Some(us) = microseconds(number) else { return Message::Other };
    let what = what.trim_start();
    let starts = |word: &str| what.starts_with(word);
    if starts("plan:") {
        return Message::Plan;
    }
    if starts("parse ") || starts("bind ") || (what.is_empty() && matches!(tag, "PARSE" | "BIND")) {
        return Message::Prepares(us);
    }
    let has_text = starts("statement: ") || starts("execute ");
    let statement = what.split_once(": ").filter(|_| has_text).map(|(_, statement)| statement);
    Message::Statement(us, statement)
}

/// Whether this is `durée : 20.353 ms, instruction : …` or the like: a word, a number with three digits behind its
/// point, a unit. Nothing else in the log begins like this.
fn is_duration_in_another_language(word: &str, after: &str) -> bool {
    let number = after.split(' ').next().unwrap_or_default();
    let is_word = !word.bytes().any(|b| b.is_ascii_digit() || b == b'\n');
    is_word && microseconds(number).is_some() && after.len() > number.len()
}

/// Microseconds of `20.353` milliseconds.
fn microseconds(ms: &str) -> Option<u64> {
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
        let (pools, _) =
            read(&mut text.as_bytes(), &[], false, |_| None).map_err(|fault| fault.to_string())?;
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
