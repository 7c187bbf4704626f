//! The picture for programs. The types are the schema.

use serde::Serialize;

use super::picture::{Picture, Watched};
use crate::error::Failure;
use crate::output::json::{Number, json_text};

/// What `watch --json` prints on each line.
#[derive(Serialize)]
struct PictureJson<'p> {
    path: &'p str,
    tick: u32,
    /// `null` while nobody knows.
    ticks_per_second: Option<Number>,
    /// How long the recording is.
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
    /// Events that the recorder lost, because the disk was too slow.
    dropped_events: u64,
    born_per_second: Option<Number>,
    died_per_second: Option<Number>,
}

/// The picture as one JSON object on one line.
pub(super) fn json(name: &str, picture: &Picture) -> Result<String, Failure> {
    json_text(&PictureJson {
        path: name,
        tick: picture.tick,
        ticks_per_second: picture.tick_rate().map(Number),
        seconds: Number(picture.seconds()),
        ended: picture.has_ended,
        pools: picture.pools().map(PoolJson::from).collect(),
    })
}

impl<'p> From<&'p Watched> for PoolJson<'p> {
    fn from(pool: &'p Watched) -> Self {
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
