//! The content of a report, as plain data: `millpond plan` fills it, [`render`](super::render) draws it.
//!
//! Texts may be long and hostile: the renderer escapes them, cuts what is too long to show, and reduces the points of
//! series. It keeps the given order unless another one is stated, so put important things first.

pub use crate::plan::{Between, Proof};

/// One report: the results of one call of the tool.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Report {
    /// The headline, such as `Pool plan for 3 traces`.
    pub title: String,
    /// The tool and its version, such as `millpond 0.1.0`.
    pub generated_by: String,
    /// How the capacities were chosen, in one sentence that names the headroom.
    pub rule: String,
    /// The traces, in the order in which the user named them.
    pub traces: Vec<Trace>,
}

/// One trace and the pools that it needs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Trace {
    /// The file's name as the user typed it.
    pub name: String,
    /// Its format.
    pub format: Format,
    /// The unit of the time axis.
    pub time_unit: TimeUnit,
    /// The summary figures, shown as tiles: about four to eight of them.
    pub facts: Vec<Fact>,
    /// What the recording lacks, a sentence or two each.
    pub missing: Vec<String>,
    /// What the result means, in one sentence, for a new user.
    pub meaning: String,
    /// The result of the replay through real pools, over all classes; `None` if there was none.
    pub proof: Option<Proof>,
    /// Live objects over time, all classes together; `None` if it was not kept.
    pub live_over_time: Option<Series>,
    /// The classes, the most interesting first: the first sixty get plots.
    pub classes: Vec<Class>,
    /// What to pool first, best first; empty if nothing is worth pooling.
    pub savings: Vec<Saving>,
    /// That all of them save next to nothing, if so.
    pub little_time: Option<String>,
}

/// The format of a trace.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Format {
    /// `tick,event,id,class` lines.
    #[default]
    Lifetimes,
    /// A recording of a heap: a class is a requested size in bytes.
    Heap,
}

/// The unit of a trace's time axis.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TimeUnit {
    /// A tick: one frame of the game.
    #[default]
    Ticks,
    /// A millisecond of wall time.
    Milliseconds,
    /// A frame of the recorded program, as it has marked them.
    Frames,
    /// An event: the trace has no clock that is fine enough.
    Events,
}

/// One summary figure: `lifetimes` / `14,678`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fact {
    /// The label.
    pub label: String,
    /// The figure as text.
    pub value: String,
}

/// One class of objects and the pool that it needs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Class {
    /// The trace's `class` column, or the requested size in bytes as a decimal string.
    pub name: String,
    /// The number of objects.
    pub lifetimes: u64,
    /// The peak of live objects.
    pub peak_live: u64,
    /// The live count that was not exceeded in 99 % of the time; `None` if there are no times.
    pub p99_live: Option<u64>,
    /// The number of objects that were still alive at the end.
    pub left_live: u64,
    /// Its births in each unit of time; `None` if there are no times.
    pub births: Option<Births>,
    /// The median length of a lifetime; `None` if there was none.
    pub lifetime_median: Option<Between<Length>>,
    /// The length that 95 % of the lifetimes do not exceed; `None` if there was none.
    pub lifetime_p95: Option<Between<Length>>,
    /// The function that requests most of them, and how many; `None` if the trace has no call stacks.
    pub caller: Option<Caller>,
    /// The capacity to reserve.
    pub capacity: u64,
    /// The size of a pool of that capacity, if that of its objects is known.
    pub bytes_at_capacity: Option<u64>,
    /// The refusals and evictions of smaller pools, the largest first.
    pub smaller: Vec<Smaller>,
    /// The suitable handle type, such as `Handle32<T, 10>`; empty if none was chosen.
    pub handle: String,
    /// How long the busiest slot lasts, by generation bits.
    pub generations: Vec<GenerationLife>,
    /// What the replay of this class showed; `None` if there was none.
    pub proof: Option<Proof>,
    /// Live objects over time; `None` if they were not kept.
    pub live_over_time: Option<Series>,
    /// Lifetimes by their length.
    pub lifetime_histogram: Vec<Bin>,
    /// The same as if the oldest of several equal objects had died first, if the recording does not say who died. Then
    /// `lifetime_histogram` and `slots` are as if the newest had.
    pub lifetimes_oldest_first: Vec<Bin>,
    /// Which slots were live when; `None` if it was not kept.
    pub slots: Option<SlotMap>,
}

/// Births in a unit of time.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Births {
    /// The mean.
    pub mean: f64,
    /// The peak.
    pub worst: u64,
}

/// The effects of a pool that is smaller than planned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Smaller {
    /// The capacity of the smaller pool.
    pub capacity: u64,
    /// The number of insertions that it would have refused.
    pub refused: Between<u64>,
    /// The number of objects that it would have evicted instead, the oldest first.
    pub evicted: Between<u64>,
}

/// How long the busiest slot lasts before its generations are used up, at the observed pace.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GenerationLife {
    /// Bits of generation in the handle: 12, 24 or 32.
    pub bits: u32,
    /// Seconds with newest-first reuse; `None` if no slot is reused.
    pub lifo_seconds: Between<Option<f64>>,
    /// Seconds with oldest-first reuse; `None` if no slot is reused.
    pub fifo_seconds: Between<Option<f64>>,
}

/// A quantity over time: its minimum and maximum in each of `points.len()` equal stretches of time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Series {
    /// The start of the first stretch, in units of time.
    pub start: u64,
    /// The end of the last stretch, in units of time.
    pub end: u64,
    /// The minimum and the maximum of each stretch.
    pub points: Vec<(u64, u64)>,
}

/// One bar of a histogram of lifetimes: `from <= length < to`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Bin {
    /// The lower bound, in units of time.
    pub from: u64,
    /// The upper bound, which is not included.
    pub to: u64,
    /// The number of lifetimes in it.
    pub count: u64,
}

/// Which slots of a pool were live when, as a grid: time runs along a row, slots run downwards.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SlotMap {
    /// The start of the first column, in units of time.
    pub start: u64,
    /// The end of the last column, in units of time.
    pub end: u64,
    /// The number of slots in all rows: the pool's capacity.
    pub slots: u64,
    /// The number of columns, each a stretch of time.
    pub columns: usize,
    /// The number of rows, each a stretch of slots, with slot 0 in the first.
    pub rows: usize,
    /// `rows × columns` cells, row by row: the live share of the cell, from 0 (never live) to 255 (all of its slots,
    /// all of the time).
    pub cells: Vec<u8>,
}

/// The length of a lifetime.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Length {
    /// The length, in units of time.
    pub steps: u64,
    /// Whether it may be longer, because it includes objects that were still alive at the end.
    pub at_least: bool,
}

/// One proposal of what to pool.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Saving {
    /// What it is about: a class, sizes, or all calls.
    pub class: String,
    /// The time that it saves, in words.
    pub time: String,
    /// The number of calls to the allocator.
    pub calls: u64,
    /// The number of calls that a pool would have saved.
    pub calls_saved: u64,
    /// Their share of all calls in the trace, from 0.0 to 1.0.
    pub share: f64,
    /// The proposal, its saving and its cost, in a sentence.
    pub why: String,
    /// A command that shows more, if there is one.
    pub next: Option<String>,
    /// The callers, the busiest first.
    pub callers: Vec<Caller>,
}

/// A function that allocates.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Caller {
    /// The function's name, and those of its callers.
    pub function: String,
    /// The number of its allocations.
    pub allocations: u64,
}
