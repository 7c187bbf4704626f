//! What a report says, as plain data: `millpond plan` fills it, [`render`](super::render) draws it.
//!
//! Nothing in here has to be short or harmless: the renderer escapes every text, cuts what is
//! too long to show, and thins out what has too many points. Where an order is not stated, the
//! renderer keeps the one that it is given, so the important things go first.

/// One report: everything that one call of the tool found out.
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
    /// Which of the formats it is in.
    pub format: Format,
    /// What one step of the time axis is.
    pub time_unit: TimeUnit,
    /// The summary figures, shown as tiles: about four to eight of them.
    pub facts: Vec<Fact>,
    /// What the result means, in one sentence, for a new user.
    pub meaning: String,
    /// What the replay through real pools showed, over all classes; `None` if there was none.
    pub proof: Option<Proof>,
    /// Live objects over time, all classes together; `None` if it was not kept.
    pub live_over_time: Option<Series>,
    /// The classes, the most interesting first: the first sixty get plots.
    pub classes: Vec<Class>,
    /// What to pool first, best first; empty if nothing is worth pooling.
    pub savings: Vec<Saving>,
}

/// The format that a trace is in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Format {
    /// `tick,event,id,class` lines.
    #[default]
    Lifetimes,
    /// heaptrack's interpreted format: a class is a requested size in bytes.
    Heaptrack,
}

/// What one step of a trace's time axis is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TimeUnit {
    /// A tick: one frame of the game.
    #[default]
    Ticks,
    /// A millisecond of wall time.
    Milliseconds,
    /// An event: the trace carries no clock that is fine enough.
    Events,
}

/// One summary figure: `lifetimes` / `14,678`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fact {
    /// What is counted.
    pub label: String,
    /// The figure, formatted as it is to be read.
    pub value: String,
}

/// What the replays through real pools of the planned capacities counted: one with newest-first and
/// one with oldest-first reuse, added up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Proof {
    /// Insertions and removals carried out.
    pub operations: u64,
    /// Insertions that a full pool refused; a proved plan has none.
    pub refused: u64,
    /// Handles of live objects that were looked up.
    pub live_checked: u64,
    /// How many of those did not lead to their own object; a proved plan has none.
    pub live_wrong: u64,
    /// Handles of dead objects that were tried.
    pub stale_checked: u64,
    /// How many of those resolved all the same; a proved plan has none.
    pub stale_resolved: u64,
    /// Values dropped by the pools.
    pub drops: u64,
    /// Values that had to be dropped: each inserted one exactly once.
    pub drops_expected: u64,
}

impl Proof {
    /// Whether nothing was refused, every live handle led to its object, no stale one to any, and
    /// every value was dropped once.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.refused == 0
            && self.live_wrong == 0
            && self.stale_resolved == 0
            && self.drops == self.drops_expected
    }
}

/// One class of objects and the pool that it needs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Class {
    /// The trace's `class` column, or the requested size in bytes as a decimal string.
    pub name: String,
    /// How many objects there were in all.
    pub lifetimes: u64,
    /// The peak of live objects.
    pub peak_live: u64,
    /// What the live count did not exceed in 99 % of the time.
    pub p99_live: u64,
    /// How many were still alive at the end.
    pub left_live: u64,
    /// Births in an average step of time.
    pub births_mean: f64,
    /// Births in the worst step of time.
    pub births_worst: u64,
    /// The median length of a lifetime; `None` if there was none.
    pub lifetime_median: Option<Length>,
    /// The length that 95 % of the lifetimes do not exceed; `None` if there was none.
    pub lifetime_p95: Option<Length>,
    /// The capacity to reserve.
    pub capacity: u64,
    /// What a pool of that capacity occupies, where the object's size is known.
    pub bytes_at_capacity: Option<u64>,
    /// The refusals and evictions of smaller pools, the largest first.
    pub smaller: Vec<Smaller>,
    /// The handle type that follows, such as `Handle32<T, 10>`; empty if none was chosen.
    pub handle: String,
    /// How long the busiest slot lasts, by generation bits.
    pub generations: Vec<GenerationLife>,
    /// What the replay of this class showed; `None` if there was none.
    pub proof: Option<Proof>,
    /// Live objects over time.
    pub live_over_time: Series,
    /// Lifetimes by their length.
    pub lifetime_histogram: Vec<Bin>,
    /// Which slots were live when; `None` if it was not kept.
    pub slots: Option<SlotMap>,
}

/// What a pool that is smaller than planned would have done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Smaller {
    /// The capacity of the smaller pool.
    pub capacity: u64,
    /// How many insertions it would have refused.
    pub refused: u64,
    /// How many objects it would have evicted under evict-oldest instead.
    pub evicted: u64,
}

/// How long the busiest slot lasts before its generations are used up at the observed rate.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct GenerationLife {
    /// Bits of generation in the handle: 12, 24 or 32.
    pub bits: u32,
    /// Seconds of running under newest-first reuse; `None` if no slot is ever reused.
    pub lifo_seconds: Option<f64>,
    /// Seconds of running under oldest-first reuse; `None` if no slot is ever reused.
    pub fifo_seconds: Option<f64>,
}

/// A quantity over time, as the least and the greatest value within each of `points.len()` equal
/// stretches of time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Series {
    /// Where the first stretch begins, in time units.
    pub start: u64,
    /// Where the last stretch ends, in time units.
    pub end: u64,
    /// Least and greatest value of each stretch.
    pub points: Vec<(u64, u64)>,
}

/// One bar of a histogram of lifetimes: `from <= length < to`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Bin {
    /// The shortest length that counts, in time units.
    pub from: u64,
    /// The first length that no longer counts.
    pub to: u64,
    /// How many lifetimes were that long.
    pub count: u64,
}

/// Which slots of a pool were live when, as a grid: time runs along a row, slots run downwards.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SlotMap {
    /// Where the first column begins, in time units.
    pub start: u64,
    /// Where the last column ends, in time units.
    pub end: u64,
    /// How many slots the rows stand for: the pool's capacity.
    pub slots: u64,
    /// How many stretches of time there are.
    pub columns: usize,
    /// How many stretches of slots there are, slot 0 in the first.
    pub rows: usize,
    /// `rows × columns` cells, row by row: the occupied share of the cell, 0 (never live) to 255
    /// (all of its slots live all of the time).
    pub cells: Vec<u8>,
}

/// The length of a lifetime.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Length {
    /// The length, in time units.
    pub steps: u64,
    /// Whether it may be longer: objects that were still alive at the end are part of it.
    pub at_least: bool,
}

/// One proposal of what to pool.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Saving {
    /// The class, or the smallest and the largest size.
    pub class: String,
    /// Calls to the allocator.
    pub calls: u64,
    /// Calls that a pool would have made unnecessary.
    pub calls_saved: u64,
    /// Those as a share of all calls in the trace: 0.0 to 1.0.
    pub share: f64,
    /// What is proposed, what it saves and what it takes, in a sentence.
    pub why: String,
    /// The functions that ask, the busiest first.
    pub callers: Vec<Caller>,
}

/// A function that allocates.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Caller {
    /// The function's name and those of its callers.
    pub function: String,
    /// The number of its allocations.
    pub allocations: u64,
}
