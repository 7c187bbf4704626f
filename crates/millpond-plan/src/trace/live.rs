//! Live traces: lifetime traces that also contain the pools' statistics, as `millpond::recorder` writes them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::CLASSES_MAX;
use super::classes::NAME_BYTES_MAX;
use super::columns::{split, wrong_columns};
use super::fields::decimal;
use crate::error::{found, shown};

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
    /// The classes of those pools.
    pub(super) full: BTreeSet<String>,
    /// Both numbers by the number of the pool, for as many pools as there may be classes.
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
        if now.1 > 0 && !self.full.contains(&stats.class) {
            self.full.insert(stats.class.clone());
        }
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
    let Some((tick, event, id, class, rest)) = split(line) else {
        return Err(wrong_columns(line));
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

/// The state of all pools after the lines of a live trace so far.
#[derive(Debug, Default)]
pub struct Pools {
    tick: u32,
    has_ended: bool,
    /// The times of the newest statistics, and of those before.
    ms: u64,
    ms_before: u64,
    pools: BTreeMap<u64, PoolStats>,
}

impl Pools {
    /// Takes a line, and returns what it says; the first line of the file has the number 0, and says nothing.
    ///
    /// # Errors
    /// What is wrong with the line.
    pub fn line<'l>(
        &mut self,
        number: u64,
        line: &'l [u8],
    ) -> Result<Option<LiveLine<'l>>, String> {
        if number == 0 {
            return match line == HEADER {
                true => Ok(None),
                false => Err(format!(
                    "{}, expected a live trace of pools (first line `tick,event,id,class,capacity,…`) or of \
                     lenders (`asked_us,got_us,returned_us,pool,capacity,…`)",
                    found(line)
                )),
            };
        }
        let says = live_line(line)?;
        match &says {
            LiveLine::Birth(tick, ..) | LiveLine::Death(tick, ..) => self.clock(*tick)?,
            LiveLine::Stats(tick, stats) => {
                self.clock(*tick)?;
                self.stats(stats)?;
            }
            LiveLine::End(tick) => {
                self.has_ended = true;
                self.clock(*tick)?;
            }
        }
        Ok(Some(says))
    }

    fn clock(&mut self, tick: u32) -> Result<(), String> {
        if tick < self.tick {
            let before = self.tick;
            return Err(format!(
                "tick {tick} comes after tick {before}, expected times in ascending order"
            ));
        }
        self.tick = tick;
        Ok(())
    }

    fn stats(&mut self, stats: &PoolStats) -> Result<(), String> {
        if stats.ms < self.ms {
            return Err(format!(
                "{} ms come after {} ms, expected times in ascending order",
                stats.ms, self.ms
            ));
        }
        if stats.ms > self.ms {
            // Pools that were not in the last round are gone.
            let last = self.ms;
            self.pools.retain(|_, pool| pool.ms == last);
            (self.ms_before, self.ms) = (self.ms, stats.ms);
        }
        if self.pools.len() == CLASSES_MAX && !self.pools.contains_key(&stats.pool) {
            return Err(format!("more than {CLASSES_MAX} pools at once"));
        }
        self.pools.insert(stats.pool, stats.clone());
        Ok(())
    }

    /// The current pools, in the recorder's order.
    pub fn current(&self) -> impl Iterator<Item = &PoolStats> {
        // The newest round may be incomplete.
        self.pools.values().filter(|pool| pool.ms >= self.ms_before)
    }

    /// Whether a pool was in the newest round or the one before.
    #[must_use]
    pub fn has(&self, pool: u64) -> bool {
        self.pools.contains_key(&pool)
    }

    /// The current tick.
    #[must_use]
    pub fn tick(&self) -> u32 {
        self.tick
    }

    /// The time of the newest statistics, in milliseconds since the recording began.
    #[must_use]
    pub fn ms(&self) -> u64 {
        self.ms
    }

    /// Whether the recording has ended.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.has_ended
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pools(lines: &[&str]) -> Result<Pools, String> {
        let mut pools = Pools::default();
        pools.line(0, HEADER)?;
        for (number, line) in (1..).zip(lines) {
            pools.line(number, line.as_bytes())?;
        }
        Ok(pools)
    }

    fn names(pools: &Pools) -> Vec<&str> {
        pools.current().map(|pool| pool.class.as_str()).collect()
    }

    #[test]
    fn pools_that_are_gone_go_and_half_a_round_hides_nobody() {
        let a = |ms| format!("1,stats,0,a,8,5,7,0,1,3,0,0,0,{ms}");
        let b = |ms| format!("1,stats,1,b,8,5,7,0,1,3,0,0,0,{ms}");
        let (a1, b1, a2, a3) = (a(1), b(1), a(2), a(3));
        assert_eq!(names(&pools(&[&a1, &b1, &a2]).expect("good")), ["a", "b"]);
        assert_eq!(names(&pools(&[&a1, &b1, &a2, &a3]).expect("good")), ["a"]);
    }

    #[test]
    fn time_goes_forwards() {
        let error = pools(&["5,alloc,0,a", "4,free,0,a"]).expect_err("backwards");
        assert!(error.contains("tick 4 comes after tick 5"), "{error}");
        let lines = ["1,stats,0,a,8,5,7,0,1,3,0,0,0,9", "1,stats,0,a,8,5,7,0,1,3,0,0,0,8"];
        assert!(pools(&lines).expect_err("backwards").contains("8 ms come after 9 ms"));
        assert!(Pools::default().line(0, b"tick,event,id,class").is_err());
    }

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
