//! Live traces: lifetime traces that also contain the pools' statistics, as `millpond::recorder` writes them.

use std::collections::HashMap;

use super::CLASSES_MAX;
use super::classes::NAME_BYTES_MAX;
use super::fields::decimal;
use crate::error::shown;

/// The first line of a live trace.
pub const HEADER: &[u8] =
    b"tick,event,id,class,capacity,live,peak,retired,inserted,removed,refused,\
                            evicted,dropped,ms";

/// The state of a pool, from a line of a live trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PoolStats {
    /// The pool's number in this trace.
    pub pool: u64,
    /// The pool's name.
    pub class: String,
    /// The number of its slots.
    pub capacity: u64,
    /// The number of live objects.
    pub live: u64,
    /// The peak of live objects.
    pub peak: u64,
    /// The number of retired slots.
    pub retired: u64,
    /// The number of lifetimes that have begun.
    pub inserted: u64,
    /// The number of lifetimes that have ended.
    pub removed: u64,
    /// The number of refused insertions.
    pub refused: u64,
    /// The number of objects that were evicted for others.
    pub evicted: u64,
    /// The number of its events that are missing from the trace.
    pub dropped: u64,
    /// The time, in milliseconds since the recording began.
    pub ms: u64,
}

/// Parses a `stats` line after its first two columns.
pub(super) fn pool_stats(id: &[u8], class: &[u8], rest: &[u8]) -> Result<PoolStats, String> {
    let pool = number(id, "pool number")?;
    let class = class_name(class)?;
    let mut columns = rest.split(|&b| b == b',');
    let mut next = |what: &str| number(columns.next().unwrap_or_default(), what);
    let stats = PoolStats {
        pool,
        class: class.to_owned(),
        capacity: next("capacity")?,
        live: next("live")?,
        peak: next("peak")?,
        retired: next("retired")?,
        inserted: next("inserted")?,
        removed: next("removed")?,
        refused: next("refused")?,
        evicted: next("evicted")?,
        dropped: next("dropped")?,
        ms: next("ms")?,
    };
    Ok(stats)
}

fn class_name(class: &[u8]) -> Result<&str, String> {
    if class.is_empty() || class.len() > NAME_BYTES_MAX {
        return Err(format!("a class of {} bytes, expected 1 to {NAME_BYTES_MAX}", class.len()));
    }
    std::str::from_utf8(class).map_err(|_| format!("the class `{}` is not UTF-8", shown(class)))
}

fn number(text: &[u8], what: &str) -> Result<u64, String> {
    decimal(text)
        .ok_or_else(|| format!("{what} `{}`, expected a number from 0 to 2^64 - 1", shown(text)))
}

/// What a live trace lacks, by its own account. Each pool reports its totals.
#[derive(Debug, Default)]
pub(super) struct Lacking {
    /// Events that were lost because the disk was too slow.
    pub(super) dropped: u64,
    /// Objects that full pools refused.
    pub(super) refused: u64,
    /// Both by the number of the pool, for as many pools as there may be classes.
    by_pool: HashMap<u64, (u64, u64), foldhash::fast::RandomState>,
}

impl Lacking {
    pub(super) fn note(&mut self, stats: &PoolStats) {
        if self.by_pool.len() == CLASSES_MAX && !self.by_pool.contains_key(&stats.pool) {
            return;
        }
        let now = (stats.dropped, stats.refused);
        let before = self.by_pool.insert(stats.pool, now).unwrap_or_default();
        self.dropped = self.dropped.saturating_add(now.0.saturating_sub(before.0));
        self.refused = self.refused.saturating_add(now.1.saturating_sub(before.1));
    }
}

/// A line of a live trace, without the id of its object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LiveLine<'l> {
    /// A lifetime begins in this tick, in a pool of this class and, if the trace has slots, in this slot.
    Birth(u32, &'l str, Option<u32>),
    /// A lifetime ends.
    Death(u32, &'l str, Option<u32>),
    /// A pool's statistics, in this tick.
    Stats(u32, PoolStats),
    /// The recording has ended in this tick.
    End(u32),
}

/// Parses a line of a live trace other than the first.
///
/// # Errors
/// What is wrong with the line.
pub fn live_line(line: &[u8]) -> Result<LiveLine<'_>, String> {
    let Some((tick, event, id, class, rest)) = super::lifetimes::split(line) else {
        return Err(super::lifetimes::wrong_columns(line));
    };
    let Some(tick) = decimal(tick).and_then(|tick| u32::try_from(tick).ok()) else {
        return Err(format!("tick `{}`, expected a number from 0 to 2^32 - 1", shown(tick)));
    };
    match event {
        b"alloc" => Ok(LiveLine::Birth(tick, class_name(class)?, slot(rest)?)),
        b"free" => Ok(LiveLine::Death(tick, class_name(class)?, slot(rest)?)),
        b"stats" => Ok(LiveLine::Stats(tick, pool_stats(id, class, rest)?)),
        b"end" => Ok(LiveLine::End(tick)),
        _ => Err(format!("event `{}`, expected `alloc`, `free`, `stats` or `end`", shown(event))),
    }
}

/// The slot of an event: the column after the class, which recorders may omit.
pub(super) fn slot(rest: &[u8]) -> Result<Option<u32>, String> {
    let text = rest.split(|&b| b == b',').next().unwrap_or_default();
    if text.is_empty() {
        return Ok(None);
    }
    match decimal(text).and_then(|slot| u32::try_from(slot).ok()) {
        Some(slot) => Ok(Some(slot)),
        None => Err(format!("slot `{}`, expected a number from 0 to 2^32 - 1", shown(text))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_or_refused_with_a_reason() {
        let line = b"12,stats,3,imps,8,5,7,1,20,15,2,4,6,3500";
        let Ok(LiveLine::Stats(12, stats)) = live_line(line) else { panic!() };
        assert_eq!((stats.pool, stats.class.as_str(), stats.capacity), (3, "imps", 8));
        assert_eq!((stats.live, stats.peak, stats.retired), (5, 7, 1));
        assert_eq!((stats.inserted, stats.removed, stats.refused), (20, 15, 2));
        assert_eq!((stats.evicted, stats.dropped, stats.ms), (4, 6, 3500));
        assert_eq!(live_line(b"7,alloc,1,imps"), Ok(LiveLine::Birth(7, "imps", None)));
        assert_eq!(live_line(b"7,alloc,1,imps,5"), Ok(LiveLine::Birth(7, "imps", Some(5))));
        assert_eq!(live_line(b"8,free,1,imps,5,9"), Ok(LiveLine::Death(8, "imps", Some(5))));
        assert_eq!(live_line(b"7,end,99,recorder"), Ok(LiveLine::End(7)));
        for (wrong, why) in [
            (&b""[..], "empty"),
            (b"12,stats,3,imps,8,5,7,1,20,15,2,4,6", "ms ``"),
            (b"12,stats,3,imps,8,-5,7,1,20,15,2,4,6,1", "live `-5`"),
            (b"12,stats,x,imps,8,5,7,1,20,15,2,4,6,1", "pool number `x`"),
            (b"12,stats,3,,8,5,7,1,20,15,2,4,6,1", "a class of 0 bytes"),
            (b"12,stats,3,\xff,8,5,7,1,20,15,2,4,6,1", "not UTF-8"),
            (b"99999999999,end,0,recorder", "tick"),
            (b"1,boo,0,recorder", "event `boo`"),
            (b"1,end", "columns"),
            (b"1,alloc,0,imps,-3", "slot `-3`"),
            (b"1,free,0,imps,4294967296", "slot `4294967296`"),
            (b"1,free,0,\xff", "not UTF-8"),
        ] {
            let message = live_line(wrong).expect_err("wrong");
            assert!(message.contains(why), "{message}");
        }
    }

    #[test]
    fn the_header_is_the_recorder_s() {
        assert_eq!(HEADER, millpond::recorder::HEADER.as_bytes());
    }
}
