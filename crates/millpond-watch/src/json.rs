//! The state as JSON. The types are the schema.

use millpond_lend::LiveStats;
use serde::Serialize;

use super::loans::{Lenders, Waits, Watched as WatchedLender};
use super::picture::{Picture, Watched};
use millpond_plan::error::Failure;
use millpond_plan::output::json::{Number, json_text};

/// What `watch --json` prints on each line.
#[derive(Serialize)]
struct PictureJson<'p> {
    path: &'p str,
    tick: u32,
    /// `null` while it is unknown.
    ticks_per_second: Option<Number>,
    /// The length of the recording.
    seconds: Number,
    /// Whether the program has ended it.
    ended: bool,
    pools: Vec<PoolJson<'p>>,
}

#[derive(Serialize)]
struct PoolJson<'p> {
    pool: &'p str,
    capacity: u64,
    live: u64,
    peak: u64,
    retired: u64,
    inserted: u64,
    removed: u64,
    refused: u64,
    evicted: u64,
    /// Events that the recorder lost because the disk was too slow.
    dropped_events: u64,
    born_per_second: Option<Number>,
    died_per_second: Option<Number>,
}

/// The picture as one JSON object on one line.
pub(super) fn json(name: &str, picture: &Picture) -> Result<String, Failure> {
    json_text(&PictureJson {
        path: name,
        tick: picture.tick(),
        ticks_per_second: picture.tick_rate().map(Number),
        seconds: Number(picture.seconds()),
        ended: picture.has_ended(),
        pools: picture.pools().map(PoolJson::from).collect(),
    })
}

impl<'p> From<Watched<'p>> for PoolJson<'p> {
    fn from(pool: Watched<'p>) -> Self {
        let stats = &pool.stats;
        let (born, died) = pool.rates().unzip();
        Self {
            pool: &stats.class,
            capacity: stats.capacity,
            live: stats.live,
            peak: stats.peak,
            retired: stats.retired,
            inserted: stats.inserted,
            removed: stats.removed,
            refused: stats.refused,
            evicted: stats.evicted,
            dropped_events: stats.dropped,
            born_per_second: born.map(Number),
            died_per_second: died.map(Number),
        }
    }
}

/// What `watch --json` prints on each line if the trace is one of lenders.
#[derive(Serialize)]
struct LendersJson<'p> {
    path: &'p str,
    /// The length of the recording.
    seconds: Number,
    /// Whether the program has ended it.
    ended: bool,
    lenders: Vec<LenderJson<'p>>,
}

#[derive(Serialize)]
struct LenderJson<'p> {
    pool: &'p str,
    capacity: u64,
    existing: u64,
    opening: u64,
    idle: u64,
    /// The number of lent objects.
    out: u64,
    /// The number of waiting callers.
    waiting: u64,
    loans: u64,
    opened: u64,
    open_failed: u64,
    closed: u64,
    timed_out: u64,
    refused: u64,
    cancelled: u64,
    /// Lines that the program lost because the disk was too slow.
    rows_lost: u64,
    /// Recent waits; `null` if no caller has got an object.
    wait_p50_ms: Option<Number>,
    wait_p99_ms: Option<Number>,
    wait_longest_ms: Option<Number>,
    loans_per_second: Option<Number>,
}

/// The lenders as one JSON object on one line.
pub(super) fn lenders_json(name: &str, lenders: &Lenders) -> Result<String, Failure> {
    json_text(&LendersJson {
        path: name,
        seconds: Number(lenders.seconds()),
        ended: lenders.has_ended(),
        lenders: lenders.with_stats().map(LenderJson::of).collect(),
    })
}

impl<'p> LenderJson<'p> {
    fn of((pool, watched, stats): (&'p str, &WatchedLender, LiveStats)) -> Self {
        let waits = watched.waits();
        let wait =
            |us: fn(&Waits) -> u64| waits.as_ref().map(|waits| Number(us(waits) as f64 / 1_000.0));
        Self {
            pool,
            capacity: stats.capacity,
            existing: stats.existing,
            opening: stats.opening,
            idle: stats.idle,
            out: stats.out,
            waiting: stats.waiting,
            loans: stats.loans,
            opened: stats.opened,
            open_failed: stats.open_failed,
            closed: stats.closed,
            timed_out: stats.timed_out,
            refused: stats.refused,
            cancelled: stats.cancelled,
            rows_lost: stats.rows_lost,
            wait_p50_ms: wait(|waits| waits.p50_us),
            wait_p99_ms: wait(|waits| waits.p99_us),
            wait_longest_ms: wait(|waits| waits.max_us),
            loans_per_second: watched.loans_per_s().map(Number),
        }
    }
}
