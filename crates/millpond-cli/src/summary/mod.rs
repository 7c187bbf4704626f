//! A recording in a few lines: what `plan --summary` writes and `merge` reads.
//!
//! A summary is a table (CSV) with one line for each class of each session. The columns are known by
//! their names: those of [`COLUMNS`], and every other one is a tag that the user has given. A table may
//! hold many sessions, the lines of each together, and a header may stand again between two sessions:
//! summaries that are written one behind the other are a summary.

mod read;
mod sketch;
mod tag;
mod write;

pub use read::{Row, Rows};
pub use tag::Tag;
pub(crate) use write::BYTES_TO_LOOK_AT;
pub use write::{is_summary, summary_csv};

/// The columns that `plan --summary` writes beside the tags, in their order.
pub const COLUMNS: [&str; 18] = [
    "session",
    "format",
    "ticks",
    "ticks_per_second",
    "class",
    "births",
    "peak_live",
    "p99_live",
    "left_live",
    "bytes_max",
    "births_worst",
    "busiest_lifo",
    "busiest_fifo",
    "worth_a_pool",
    "life_median",
    "life_p95",
    "lives",
    "ages",
];

/// The most columns that a summary may have.
pub const COLUMNS_MAX: usize = 64;

/// The most objects of one class that may come into being in one session: sums over millions of sessions
/// stay exact.
pub const BIRTHS_MAX: u64 = 1 << 40;

/// The most bytes of a session's name, a class's name and a tag.
pub const TEXT_BYTES_MAX: usize = 255;
