//! A summary, read line by line: memory depends on the number of its sessions, not on its length.

use std::collections::HashSet;
use std::fmt::Display;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::str::FromStr;

use csv_core::{ReadRecordResult, Reader};

use super::sketch::add_sketch;
use super::{BIRTHS_MAX, COLUMNS, COLUMNS_MAX, WRITTEN_BYTES_MAX};
use crate::error::{Fault, Place, shown};
use crate::input::{Input, LINE_BYTES_MAX, Lines};
use crate::output::foreign::of_csv;
use crate::plan::{Between, BusiestBetween, Lengths, OldestFirst, PaceBetween};
use crate::trace::{FORMAT_NAMES, LIVE_MAX};

/// The columns that are read; the others of [`COLUMNS`] are for people and databases.
const READ: [&str; 18] = [
    "session",
    "format",
    "ticks",
    "ticks_per_second",
    "class",
    "births",
    "peak_live",
    "left_live",
    "bytes_max",
    "worth_a_pool",
    "lives",
    "ages",
    "busiest_lifo",
    "busiest_fifo",
    "busiest_lifo_least",
    "busiest_fifo_least",
    "lives_oldest_first",
    "ages_oldest_first",
];

/// The columns of [`READ`] from here on are optional: without the first two, no handles are proposed; summaries of earlier
/// versions lack the others, which only recordings have that do not say who died.
const OPTIONAL: usize = Column::BusiestLifo as usize;

/// The columns of [`READ`] by their positions in it.
#[derive(Debug, Clone, Copy)]
enum Column {
    Session,
    Format,
    Ticks,
    TicksPerSecond,
    Class,
    Births,
    PeakLive,
    LeftLive,
    BytesMax,
    WorthAPool,
    Lives,
    Ages,
    BusiestLifo,
    BusiestFifo,
    BusiestLifoLeast,
    BusiestFifoLeast,
    LivesOldestFirst,
    AgesOldestFirst,
}

/// The positions of the columns.
#[derive(Debug)]
struct Header {
    /// By [`Column`], its position in a line; [`NOWHERE`] if it is missing.
    places: [usize; READ.len()],
    /// The user's own columns.
    tags: Vec<(String, usize)>,
    columns: usize,
}

/// The position of a missing column: no line has a field there.
const NOWHERE: usize = usize::MAX;

/// The lines of a summary, one after the other.
#[derive(Debug)]
pub struct Rows<'a> {
    lines: Lines<'a>,
    /// The offset of the next line in the block.
    next: usize,
    /// The offset of the line of `fields` in the block.
    line: usize,
    parser: Reader,
    fields: Vec<u8>,
    ends: Vec<usize>,
    header: Option<Header>,
    session: Option<Session>,
    /// The hashes of the sessions' names since the header.
    names: HashSet<u64>,
}

/// The session whose lines are being read.
#[derive(Debug)]
struct Session {
    name: String,
    /// The hash of the session's facts, without those of its classes.
    facts: u64,
}

/// One class in one session.
#[derive(Debug, Clone, Copy)]
pub struct Row<'r> {
    /// The session's name.
    pub session: &'r str,
    /// Whether this is the first line of the session.
    pub begins_session: bool,
    /// The format of the recording, as `plan --json` names it.
    pub format: &'r str,
    /// The length of the recording in ticks.
    pub ticks: u64,
    /// Ticks per second, if known.
    pub ticks_per_second: Option<f64>,
    /// The class.
    pub class: &'r str,
    /// The number of births.
    pub births: u64,
    /// The peak of live objects.
    pub peak_live: u32,
    /// The number of objects that were still alive at the end.
    pub left_live: u32,
    /// The size of the largest object, if the recording has sizes.
    pub bytes_max: Option<u64>,
    /// Whether the session's plan proposes a pool for the class.
    pub worth_a_pool: bool,
    /// The lifetimes of the busiest slot of the planned pool, if the summary has them.
    pub busiest_slot: Option<BusiestBetween>,
    /// A hash of the whole line.
    pub hash: u64,
    rows: &'r Rows<'r>,
}

impl Row<'_> {
    /// The value of one of the user's own columns; `None` if there is no such column.
    #[must_use]
    #[inline]
    pub fn tag(&self, column: &str) -> Option<&str> {
        let header = self.rows.header.as_ref()?;
        let (_, place) = header.tags.iter().find(|(name, _)| name == column)?;
        self.rows.field(*place).ok()
    }

    /// Adds the lengths of the lifetimes that ended, and the ages of the objects that were still alive. Of a recording
    /// without times, neither is known.
    ///
    /// # Errors
    /// If they contradict the line's counts.
    #[inline]
    pub fn add_lengths(&self, lives: &mut Lengths, ages: &mut Lengths) -> Result<(), Fault> {
        self.add_columns([Column::Lives, Column::Ages], lives, ages)
    }

    /// Whether the recording does not say who died, so that there are other lengths as if the oldest had died first.
    ///
    /// # Errors
    /// If the line is not UTF-8.
    #[inline]
    pub fn has_oldest_first(&self) -> Result<bool, Fault> {
        let has = |column| self.rows.text(column).map(|text| !text.is_empty());
        Ok(has(Column::LivesOldestFirst)? || has(Column::AgesOldestFirst)?)
    }

    /// Adds the same as if the oldest of several equal objects had died first; what is known, if the recording says who
    /// died.
    ///
    /// # Errors
    /// If they contradict the line's counts.
    #[inline]
    pub fn add_oldest_first(&self, all: &mut OldestFirst) -> Result<(), Fault> {
        let columns = match self.has_oldest_first()? {
            true => [Column::LivesOldestFirst, Column::AgesOldestFirst],
            false => [Column::Lives, Column::Ages],
        };
        self.add_columns(columns, &mut all.ended, &mut all.left)
    }

    fn add_columns(
        &self,
        [ended_column, left_column]: [Column; 2],
        lives: &mut Lengths,
        ages: &mut Lengths,
    ) -> Result<(), Fault> {
        let is_empty = |column| self.rows.text(column).map(str::is_empty);
        if is_empty(ended_column)? && is_empty(left_column)? {
            return Ok(());
        }
        let ended = self.births - u64::from(self.left_live);
        for (column, lengths, expected) in
            [(ended_column, lives, ended), (left_column, ages, u64::from(self.left_live))]
        {
            let name = READ[column as usize];
            let found = add_sketch(self.rows.text(column)?, lengths)
                .map_err(|why| self.fault(format!("{name}: {why}")))?;
            if found != expected {
                let why = format!("{name} has {found} lifetimes, expected {expected}");
                return Err(self.fault(why));
            }
        }
        Ok(())
    }

    /// The pace of the busiest slot, if the summary has it and the session has a clock.
    #[must_use]
    #[inline]
    pub fn pace(&self) -> Option<PaceBetween> {
        let seconds = self.ticks as f64 / self.ticks_per_second?;
        Some(self.busiest_slot?.pace(seconds))
    }

    /// A fault of this line.
    #[must_use]
    pub fn fault(&self, message: impl Into<String>) -> Fault {
        self.rows.fault(message)
    }
}

impl<'a> Rows<'a> {
    /// Starts reading.
    #[must_use]
    #[inline]
    pub fn new(input: Input<'a>) -> Self {
        Self {
            lines: Lines::new(input),
            next: 0,
            line: 0,
            parser: Reader::new(),
            fields: vec![0; LINE_BYTES_MAX + 1],
            ends: vec![0; COLUMNS_MAX],
            header: None,
            session: None,
            names: HashSet::new(),
        }
    }

    /// The next line of a class; `None` at the end.
    ///
    /// # Errors
    /// If the input cannot be read, or the line is invalid.
    #[inline]
    pub fn advance(&mut self) -> Result<Option<Row<'_>>, Fault> {
        while let Some(columns) = self.parse_line()? {
            if !self.is_header(columns) {
                self.check_columns(columns)?;
                let begins_session = self.enter_session()?;
                return self.row(begins_session).map(Some);
            }
            self.header = Some(self.read_header(columns)?);
            self.session = None;
            self.names.clear();
        }
        match self.header {
            Some(_) => Ok(None),
            None => Err(Fault::whole("is empty, expected a summary (plan --summary)")),
        }
    }

    /// Splits the next line into fields; returns their number, or `None` at the end.
    #[inline]
    fn parse_line(&mut self) -> Result<Option<usize>, Fault> {
        if self.next == self.lines.block().len() {
            if !self.lines.advance()? {
                return Ok(None);
            }
            self.next = 0;
        }
        self.line = self.next;
        let rest = &self.lines.block()[self.line..];
        // A block ends with the end of a line.
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        self.next += (end + 1).min(rest.len());
        let line = &rest[..end];
        if end > LINE_BYTES_MAX {
            return Err(self.lines.too_long(self.line));
        }
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            return Err(self.fault("is empty, expected a line of a summary"));
        }
        self.parser.reset();
        let (result, _, written, ended) =
            self.parser.read_record(line, &mut self.fields, &mut self.ends);
        if result == ReadRecordResult::InputEmpty {
            let (fields, ends) = (&mut self.fields[written..], &mut self.ends[ended..]);
            let (result, _, _, ended_last) = self.parser.read_record(b"\n", fields, ends);
            match result {
                ReadRecordResult::Record => return Ok(Some(ended + ended_last)),
                ReadRecordResult::OutputEndsFull => {}
                _ => return Err(self.fault("a quote does not end on its line")),
            }
        }
        Err(self.fault(format!("has more than {COLUMNS_MAX} columns")))
    }

    /// Whether the current line is a header: the first line is one, and so is a later one with words instead of
    /// numbers.
    #[inline]
    fn is_header(&self, columns: usize) -> bool {
        let Some(header) = &self.header else { return true };
        let is_number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
        let ticks = header.places[Column::Ticks as usize];
        (columns != header.columns || !self.field(ticks).is_ok_and(is_number))
            && (0..columns).any(|place| self.field(place) == Ok(READ[Column::Births as usize]))
            && self.read_header(columns).is_ok()
    }

    #[inline]
    fn check_columns(&self, columns: usize) -> Result<(), Fault> {
        match &self.header {
            Some(header) if header.columns != columns => {
                let expected = header.columns;
                Err(self
                    .fault(format!("has {columns} columns, expected {expected} as in the header")))
            }
            _ => Ok(()),
        }
    }

    #[inline]
    fn read_header(&self, columns: usize) -> Result<Header, Fault> {
        let names = (0..columns).map(|place| self.field(place)).collect::<Result<Vec<_>, _>>()?;
        let mut places = [NOWHERE; READ.len()];
        for (number, (place, column)) in places.iter_mut().zip(READ).enumerate() {
            let found = names.iter().position(|name| *name == column);
            if found.is_none() && number >= OPTIONAL {
                continue;
            }
            *place = found.ok_or_else(|| {
                let line = shown(names.join(",").as_bytes());
                self.fault(format!(
                    "`{line}` has no column `{column}`, expected a summary's header"
                ))
            })?;
        }
        let mut tags = Vec::new();
        for (place, &name) in names.iter().enumerate() {
            if names[..place].contains(&name) {
                let name = shown(name.as_bytes());
                return Err(self.fault(format!("there are two columns `{name}`, expected one")));
            }
            if !COLUMNS.contains(&name) {
                tags.push((name.to_owned(), place));
            }
        }
        Ok(Header { places, tags, columns })
    }

    /// Records the session of the current line; returns whether it is a new one.
    #[inline]
    fn enter_session(&mut self) -> Result<bool, Fault> {
        let name = self.name(Column::Session)?;
        let mut facts = DefaultHasher::new();
        for column in [Column::Session, Column::Format, Column::Ticks, Column::TicksPerSecond] {
            self.text(column)?.hash(&mut facts);
        }
        for (_, place) in self.header.iter().flat_map(|header| &header.tags) {
            let value = self.field(*place)?;
            self.check_length("a tag", value)?;
            value.hash(&mut facts);
        }
        let facts = facts.finish();
        match &self.session {
            Some(session) if session.name == name => {
                if session.facts != facts {
                    let why = "differs from the line before, which is of the same session";
                    return Err(self.fault(why));
                }
                Ok(false)
            }
            _ => {
                let name = name.to_owned();
                let mut hasher = DefaultHasher::new();
                name.hash(&mut hasher);
                if !self.names.insert(hasher.finish()) {
                    let name = shown(name.as_bytes());
                    let why =
                        format!("session `{name}` occurs again, expected its lines to be adjacent");
                    return Err(self.fault(why));
                }
                self.session = Some(Session { name, facts });
                Ok(true)
            }
        }
    }

    #[inline]
    fn row(&self, begins_session: bool) -> Result<Row<'_>, Fault> {
        let births = self.number(Column::Births, 1..=BIRTHS_MAX)?;
        let peak_max = births.min(LIVE_MAX.into()) as u32;
        let peak_live = self.number(Column::PeakLive, 1..=peak_max)?;
        let mut hasher = DefaultHasher::new();
        let columns = self.header.as_ref().map_or(0, |header| header.columns);
        for place in 0..columns {
            self.field(place)?.hash(&mut hasher);
        }
        Ok(Row {
            session: self.text(Column::Session)?,
            begins_session,
            format: self.format()?,
            ticks: self.number(Column::Ticks, 1..=1_u64 << 32)?,
            ticks_per_second: self.optional(Column::TicksPerSecond, 1e-3..=1e9)?,
            class: self.name(Column::Class)?,
            births,
            peak_live,
            left_live: self.number(Column::LeftLive, 0..=peak_live)?,
            bytes_max: self.optional(Column::BytesMax, 0..=u64::MAX)?,
            worth_a_pool: match self.text(Column::WorthAPool)? {
                "true" => true,
                "false" => false,
                other => return Err(self.unexpected(Column::WorthAPool, other, "true or false")),
            },
            busiest_slot: self.busiest_slot(births)?,
            hash: hasher.finish(),
            rows: self,
        })
    }

    #[inline]
    fn busiest_slot(&self, births: u64) -> Result<Option<BusiestBetween>, Fault> {
        let uses = |most: Column, least: Column| {
            let Some(most) = self.optional(most, 1..=births)? else { return Ok(None) };
            let least = self.optional(least, 1..=most)?.unwrap_or(most);
            Ok(Some(Between { least, most }))
        };
        let lifo = uses(Column::BusiestLifo, Column::BusiestLifoLeast)?;
        let fifo = uses(Column::BusiestFifo, Column::BusiestFifoLeast)?;
        Ok(lifo.zip(fifo).map(|(lifo, fifo)| BusiestBetween { lifo, fifo }))
    }

    #[inline]
    fn format(&self) -> Result<&str, Fault> {
        let format = self.text(Column::Format)?;
        if FORMAT_NAMES.contains(&format) {
            return Ok(format);
        }
        let expected = format!("one of {}", FORMAT_NAMES.join(", "));
        Err(self.unexpected(Column::Format, format, &expected))
    }

    fn number<T: FromStr + PartialOrd + Display>(
        &self,
        column: Column,
        range: std::ops::RangeInclusive<T>,
    ) -> Result<T, Fault> {
        let text = self.text(column)?;
        text.parse().ok().filter(|number| range.contains(number)).ok_or_else(|| {
            let expected = format!("a number from {} to {}", range.start(), range.end());
            self.unexpected(column, text, &expected)
        })
    }

    /// A number, or an empty field.
    fn optional<T: FromStr + PartialOrd + Display>(
        &self,
        column: Column,
        range: std::ops::RangeInclusive<T>,
    ) -> Result<Option<T>, Fault> {
        if self.text(column)?.is_empty() {
            return Ok(None);
        }
        self.number(column, range).map(Some)
    }

    /// The name of a session or a class.
    #[inline]
    fn name(&self, column: Column) -> Result<&str, Fault> {
        let name = self.text(column)?;
        if name.is_empty() {
            return Err(self.unexpected(column, name, "a name"));
        }
        self.check_length(READ[column as usize], name)?;
        Ok(name)
    }

    #[inline]
    fn check_length(&self, what: &str, text: &str) -> Result<(), Fault> {
        if text.len() <= WRITTEN_BYTES_MAX {
            return Ok(());
        }
        let bytes = text.len();
        Err(self.fault(format!("{what} has {bytes} bytes, expected at most {WRITTEN_BYTES_MAX}")))
    }

    #[inline]
    fn text(&self, column: Column) -> Result<&str, Fault> {
        // Every caller has read a header.
        let header = self.header.as_ref();
        self.field(header.map_or(NOWHERE, |header| header.places[column as usize]))
    }

    #[inline]
    fn field(&self, place: usize) -> Result<&str, Fault> {
        let begin = if place == 0 { Some(&0) } else { self.ends.get(place - 1) };
        let bytes = match (begin, self.ends.get(place)) {
            (Some(&begin), Some(&end)) => self.fields.get(begin..end),
            _ => None,
        };
        let text = std::str::from_utf8(bytes.unwrap_or_default());
        text.map(of_csv).map_err(|_| self.fault("is not UTF-8"))
    }

    #[inline]
    fn unexpected(&self, column: Column, found: &str, expected: &str) -> Fault {
        let name = READ[column as usize];
        let found = match found {
            "" => "empty".to_owned(),
            _ => format!("`{}`", shown(found.as_bytes())),
        };
        self.fault(format!("{name} is {found}, expected {expected}"))
    }

    fn fault(&self, message: impl Into<String>) -> Fault {
        let place: Place = self.lines.place(self.line);
        Fault { place, message: message.into() }
    }
}
