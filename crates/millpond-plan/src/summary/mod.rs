//! A recording in a few lines: `plan --summary` writes it, and `merge` reads it.
//!
//! A summary is a table (CSV) with one line for each class of each session. Columns are identified by their names:
//! those of [`COLUMNS`], and all others are tags of the user. A table may contain many sessions, with the lines of each
//! together, and the header may be repeated between two sessions, so that concatenated summaries are a summary.

mod read;
mod sketch;
mod tag;
mod write;

pub use read::{Row, Rows};
pub use tag::Tag;
pub use write::BYTES_TO_LOOK_AT;
pub use write::{is_summary, summary_csv};

/// The columns that `plan --summary` writes besides the tags, in this order.
pub const COLUMNS: [&str; 24] = [
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
    // Of recordings that do not say who died, what would be if the oldest of several equal objects had died first, and
    // the ends of what is a range then: the columns above have the greatest use of a slot, and the least lives.
    "busiest_lifo_least",
    "busiest_fifo_least",
    "life_median_most",
    "life_p95_most",
    "lives_oldest_first",
    "ages_oldest_first",
];

/// The maximum number of columns.
pub const COLUMNS_MAX: usize = 70;

/// The maximum number of births of one class in one session, so that sums over millions of sessions are exact.
pub const BIRTHS_MAX: u64 = 1 << 40;

/// The maximum length in bytes of a session's name, a class's name and a tag.
pub const TEXT_BYTES_MAX: usize = 255;

/// The same of such a text as a summary has it: a hidden character of one byte is written as `\u{1b}`.
pub const WRITTEN_BYTES_MAX: usize = TEXT_BYTES_MAX * "\\u{1b}".len();
