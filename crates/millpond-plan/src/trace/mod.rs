//! Traces of real programs as a stream of births and deaths, whatever format they are in.

mod allocation_csv;
mod allocations;
mod beforehand;
mod blocks;
mod born_ids;
pub(crate) mod both;
mod classes;
mod clock;
mod columns;
mod fields;
pub mod follow;
mod frames;
mod heap;
mod heaptrack;
mod heaptrack_raw;
mod interpreted;
mod language;
mod lifetimes;
pub mod live;
mod live_keys;
mod names;
mod neighbours;
mod of_sums;
pub(crate) mod oldest_first;
mod places;
mod profiler;
mod sizes;
mod stacks;
pub(crate) mod tape;
mod unit;
mod wrappers;

pub use allocations::Allocations;
pub(crate) use beforehand::Beforehand;
pub(crate) use fields::decimal;
pub use fields::hexadecimal;
pub use frames::Frames;
pub use interpreted::Interpreted;
pub use language::Language;
pub use names::{Module, Named, Nameless, Names};
pub(crate) use of_sums::{Frame, StacksOfSums};
pub(crate) use places::NO_NAME;
pub use places::{Caller, Place as CodePlace, Places, Wrapper};

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::rc::Rc;

use crate::error::{Fault, Place, found};
use crate::input::{Cut, Input, Lines, Source, known};
use crate::progress::Progress;
use crate::reading::Reading;

/// The maximum number of live objects, which a plan keeps in memory.
pub const LIVE_MAX: u32 = 1 << 24;

/// The maximum number of classes of a trace.
pub const CLASSES_MAX: usize = 1 << 16;

/// The ticks of a recording of a heap are milliseconds.
const MS_PER_SECOND: f64 = 1000.0;

/// A table of allocations that was written from counts has at most this many different times.
const TIMES_OF_COUNTS: u64 = 2;

/// The formats of traces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// `tick,event,id,class` lines.
    Lifetimes,
    /// A recording of a program's heap: classes are sizes, times are milliseconds.
    Heap(HeapFormat),
}

macro_rules! heap_formats {
    ($($(#[$doc:meta])* $format:ident: $name:literal,)*) => {
        /// The formats of recordings of a heap.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum HeapFormat {
            $($(#[$doc])* $format,)*
        }

        /// The names of all formats in JSON and in summaries.
        pub(crate) const FORMAT_NAMES: &[&str] = &["lifetimes", $($name,)*];

        impl Format {
            /// The format's name in JSON.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    Self::Lifetimes => "lifetimes",
                    $(Self::Heap(HeapFormat::$format) => $name,)*
                }
            }
        }
    };
}

heap_formats! {
    /// heaptrack's interpreted format.
    Heaptrack: "heaptrack",
    /// What `heaptrack --raw` writes.
    HeaptrackRaw: "heaptrack-raw",
    /// Recorded by `millpond-heap` in a Rust program.
    Millpond: "millpond-heap",
    /// Recorded by `millpond record` from Tracy's client.
    Tracy: "tracy",
    /// Recorded by `millpond_record.h` in a C or C++ program.
    Header: "millpond-record",
    /// `ms,event,address,size,stack` lines.
    Csv: "allocations",
}

/// One birth or death.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// The time: a tick, or a millisecond in recordings of a heap. It never decreases.
    pub tick: u32,
    /// The object's class, numbered from 0 in order of appearance.
    pub class: u32,
    /// The kind of allocation: a size requested from one call stack, numbered from 0. In lifetime traces, the class.
    pub kind: u32,
    /// A small number that belongs to the object while it is alive, and then to another one.
    pub key: u32,
    /// The object's size in bytes, if the trace has sizes; `None` at death.
    pub bytes: Option<u64>,
}

/// Receives the events of a trace.
pub trait Watch {
    /// An object is born.
    fn birth(&mut self, event: Event);
    /// A live object dies.
    fn death(&mut self, event: Event);
    /// The trace has ended in this tick, and this object is still alive.
    fn left(&mut self, class: u32, key: u32, last_tick: u32);
}

/// Watches nothing.
#[derive(Debug, Clone, Copy)]
pub struct Nobody;

impl Watch for Nobody {
    fn birth(&mut self, _event: Event) {}

    fn death(&mut self, _event: Event) {}

    fn left(&mut self, _class: u32, _key: u32, _last_tick: u32) {}
}

/// How a recording ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// With its last line.
    Whole,
    /// When the file reached its size limit, before the program ended.
    AtLimit,
    /// Without its last line: the program was killed, or its disk was full.
    Missing,
}

/// What a tick of a trace is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TickUnit {
    /// What its writer has called a tick.
    Tick,
    /// A millisecond, in recordings of a heap.
    Millisecond,
    /// A frame of the recorded program, in recordings with [marks of them](Frames::are_ticks).
    Frame,
}

impl TickUnit {
    /// Its name: `tick`, `ms` or `frame`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Tick => "tick",
            Self::Millisecond => "ms",
            Self::Frame => "frame",
        }
    }

    /// The name of several: `ticks`, `ms` or `frames`.
    #[must_use]
    pub fn names(self) -> &'static str {
        match self {
            Self::Tick => "ticks",
            Self::Millisecond => "ms",
            Self::Frame => "frames",
        }
    }
}

/// A trace without its events.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Its format.
    pub format: Format,
    /// The tick of its first event.
    pub first_tick: u32,
    /// The tick of its end: its last event or, in recordings of a heap, its last timestamp.
    pub last_tick: u32,
    /// Of lifetime traces with a column `ms`: ticks per second.
    pub ticks_per_second: Option<f64>,
    /// Of recordings of a heap: the number of timestamps. The clock stands still between two of them.
    pub timestamps: Option<u64>,
    /// The frames of the recorded program, where it told of them.
    pub frames: Option<Frames>,
    /// If its frames are its ticks: its length in milliseconds.
    pub ms_in_frames: Option<u64>,
    /// The number of births.
    pub births: u64,
    /// The number of deaths.
    pub deaths: u64,
    /// The names of the classes, by their numbers.
    pub classes: Vec<String>,
    /// Of recordings of a heap: the allocations with their call stacks.
    pub allocations: Option<Allocations>,
    /// Of live traces: the number of events that were lost because the disk was too slow.
    pub missing_events: u64,
    /// Of recordings by `millpond-heap`, and of live traces: how they end.
    pub end: Option<End>,
    /// Where the file is cut short, if it is.
    pub cut: Option<Cut>,
    /// Whether its classes are pools of the recorded program already: in live traces.
    pub has_pools: bool,
    /// Of live traces: the number of objects that full pools refused.
    pub refused: u64,
    /// Of live traces: the classes whose pools refused objects.
    pub full: BTreeSet<String>,
    /// What was read, and what was passed over.
    pub reading: Reading,
}

impl Summary {
    /// The summary of a recording of a heap after its last event. The births follow from the kinds.
    fn of_heap(
        format: HeapFormat,
        ticks: RangeInclusive<u32>,
        timestamps: u64,
        deaths: u64,
        allocations: Allocations,
    ) -> Self {
        Self {
            format: Format::Heap(format),
            first_tick: *ticks.start(),
            last_tick: *ticks.end(),
            ticks_per_second: None,
            timestamps: Some(timestamps),
            frames: None,
            ms_in_frames: None,
            births: allocations.kinds().map(|(_, births)| births).sum(),
            deaths,
            classes: allocations.sizes.iter().map(u64::to_string).collect(),
            allocations: Some(allocations),
            missing_events: 0,
            end: None,
            cut: None,
            has_pools: false,
            refused: 0,
            full: BTreeSet::new(),
            reading: Reading::default(),
        }
    }

    /// The length of the trace in ticks, including the first and the last one.
    #[must_use]
    pub fn ticks(&self) -> u64 {
        u64::from(self.last_tick) - u64::from(self.first_tick) + 1
    }

    /// Births and deaths together.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.births + self.deaths
    }

    /// Ticks per second by the recording's own clock, if it has one.
    #[must_use]
    pub fn tick_rate(&self) -> Option<f64> {
        match self.format {
            Format::Lifetimes => self.ticks_per_second,
            Format::Heap(_) => {
                let per_ms = self.ms_in_frames.map_or(1.0, |ms| self.ticks() as f64 / ms as f64);
                self.has_times().then_some(per_ms * MS_PER_SECOND)
            }
        }
    }

    /// The frames in which it was read, if these are its ticks.
    pub(crate) fn frames_as_ticks(&self) -> Option<Rc<Frames>> {
        self.ms_in_frames.and(self.frames.clone()).map(Rc::new)
    }

    /// The unit of ticks.
    #[must_use]
    pub fn tick_unit(&self) -> TickUnit {
        match (self.format, self.ms_in_frames) {
            (Format::Lifetimes, _) => TickUnit::Tick,
            (Format::Heap(_), None) => TickUnit::Millisecond,
            (Format::Heap(_), Some(_)) => TickUnit::Frame,
        }
    }

    /// Whether times and the order of events are those of the program. A table of allocations with few different times
    /// was written from counts, as those of DHAT are.
    #[must_use]
    pub fn has_times(&self) -> bool {
        self.format != Format::Heap(HeapFormat::Csv)
            || self.timestamps.is_none_or(|times| times > TIMES_OF_COUNTS)
    }

    /// Why the recording is not whole, if it is not.
    #[must_use]
    pub fn unfinished(&self) -> Option<Fault> {
        let has_no_end = || Fault::whole("the recording has no end, expected its last line");
        let cut = self.cut.as_ref().map(Cut::fault);
        cut.or_else(|| (self.end == Some(End::Missing)).then(has_no_end))
    }

    /// Whether the recording says which object dies. heaptrack's interpreted files name only its size and its call stack:
    /// what follows from lives is then [between](crate::plan::Between) two ends.
    #[must_use]
    pub fn says_who_died(&self) -> bool {
        self.format != Format::Heap(HeapFormat::Heaptrack)
    }

    /// The language of the recorded program.
    #[must_use]
    pub fn language(&self) -> Language {
        Language::of(self.format, self.allocations.as_ref())
    }

    /// Refuses a recording without times, which cannot be replayed.
    ///
    /// # Errors
    /// If it has no times.
    pub fn expect_times(&self, what: &str) -> Result<(), Fault> {
        if self.has_times() {
            return Ok(());
        }
        Err(Fault::whole(format!(
            "has counts but no times; {what} needs a recording that can be replayed"
        )))
    }
}

/// Reads a trace from beginning to end, and passes every event to the watcher.
///
/// # Errors
/// If any of its lines is invalid.
pub fn read(
    input: Input<'_>,
    watch: &mut dyn Watch,
    progress: &mut dyn Progress,
) -> Result<Summary, Fault> {
    let mut lines = Lines::new(input);
    let read = read_format(&mut lines, watch, progress);
    match lines.cut() {
        // What has no event before it is cut is not worth more words than that.
        Some(cut) => read.map(|of| Summary { cut: Some(cut), ..of }).map_err(|_| cut.fault()),
        None => read,
    }
}

/// Opens a recording for [`read`], which then leaves out what the recorder has allocated for itself, unless it is
/// [wanted](Source::with_profiler).
///
/// # Errors
/// If it cannot be read.
pub fn open(source: &Source) -> Result<Input<'_>, Fault> {
    let beforehand = source.beforehand(heap::beforehand)?;
    Ok(source.open()?.without(Rc::clone(&beforehand.profilers)))
}

/// The frames that are the ticks of a recording if it is [read in them](Input::in_frames): a program's own unit of time.
///
/// # Errors
/// If it cannot be read.
pub(crate) fn frames(source: &Source) -> Result<Option<Rc<Frames>>, Fault> {
    Ok(source.beforehand(heap::beforehand)?.frames.clone())
}

fn read_format(
    lines: &mut Lines<'_>,
    watch: &mut dyn Watch,
    progress: &mut dyn Progress,
) -> Result<Summary, Fault> {
    if !lines.advance()? {
        return Err(Fault::whole(format!("is empty, expected {EXPECTED}")));
    }
    let block = lines.block();
    if lifetimes::recognises(block) {
        lifetimes::read(lines, watch, progress)
    } else if heaptrack_raw::recognises(block) {
        heaptrack_raw::read(lines, watch, progress)
    } else if heaptrack::recognises(block) {
        heaptrack::read(lines, watch, progress)
    } else if heap::recognises(block) {
        heap::read(lines, watch, progress)
    } else if allocation_csv::recognises(block) {
        allocation_csv::read(lines, watch, progress)
    } else {
        Err(unrecognised(block))
    }
}

const EXPECTED: &str = "a lifetime trace (first line `tick,event,id,class`), a heaptrack file (`v VERSION \
                        FILEVERSION`), a recording of millpond-heap (`millpond heap 1`) or a table of \
                        allocations (`ms,event,address,size,stack`, or with `us` or `ns`)";

fn unrecognised(block: &[u8]) -> Fault {
    let line = block.split(|&b| b == b'\n').next().unwrap_or(block);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let found = known::text(block).map_or_else(|| found(line), str::to_owned);
    Fault {
        place: Place::Line { line: 1, byte: 0 },
        message: format!("{found}, expected {EXPECTED}"),
    }
}

/// The records of one format, one per line.
trait Records {
    /// Takes the next line and passes its event to the watcher; the error is what is wrong with the line.
    fn line(&mut self, line: &[u8], watch: &mut dyn Watch) -> Result<(), String>;

    /// The number of births and deaths so far.
    fn events(&self) -> u64;

    /// Called at the end of the input: passes the remaining objects to the watcher, and returns the summary, but for the
    /// number of lines.
    fn finish(self, watch: &mut dyn Watch) -> Result<Summary, Fault>;
}

/// Reads a trace whose first block was read; its first lines are the header and are skipped.
fn read_lines(
    lines: &mut Lines<'_>,
    header_lines: usize,
    mut records: impl Records,
    watch: &mut dyn Watch,
    progress: &mut dyn Progress,
) -> Result<Summary, Fault> {
    let mut skipped = header_lines;
    let mut read = 0;
    loop {
        lines.each(skipped, |line| {
            read += 1;
            records.line(line, watch)
        })?;
        skipped = 0;
        progress.update(lines.input().bytes_read(), records.events());
        if !lines.advance()? {
            let mut summary = records.finish(watch)?;
            summary.reading.read = read;
            return Ok(summary);
        }
    }
}
