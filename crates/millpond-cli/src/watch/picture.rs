//! The state of the running program.

use std::collections::{BTreeMap, VecDeque};

use super::dashboard::Detail;
use super::list::{Cell, List, Row};
use super::screen::{CURVE_CELLS, bar, curve_of};
use super::slots::AllSlots;
use crate::error::found;
use crate::output::figures::{count, small};
use crate::trace::CLASSES_MAX;
use crate::trace::live::{HEADER, LiveLine, PoolStats, live_line};

/// The minimum period of rates, in milliseconds.
const RATE_MS: u64 = 1000;

/// The maximum number of earlier statistics kept for a pool, for its rates and its curve.
const KEPT_MAX: usize = 64;

/// A pool is nearly full from this percentage on.
const NEARLY_FULL_PERCENT: u64 = 90;

/// The state of all pools after the lines that were read.
#[derive(Debug, Default)]
pub(super) struct Picture {
    pub(super) tick: u32,
    pub(super) has_ended: bool,
    /// The times of the newest statistics, and of those before.
    ms: u64,
    ms_before: u64,
    pools: BTreeMap<u64, Watched>,
    /// Earlier times, with their ticks.
    times: VecDeque<(u64, u32)>,
    slots: AllSlots,
}

/// One pool, and its history.
#[derive(Debug)]
pub(super) struct Watched {
    pub(super) stats: PoolStats,
    earlier: VecDeque<Earlier>,
}

#[derive(Debug, Clone, Copy)]
struct Earlier {
    ms: u64,
    live: u64,
    inserted: u64,
    removed: u64,
}

impl Picture {
    /// A picture without live slots.
    pub(super) fn without_slots() -> Self {
        Self { slots: AllSlots::ignored(), ..Self::default() }
    }

    /// Takes a line; the first of the file has the number 0.
    pub(super) fn line(&mut self, number: u64, line: &[u8]) -> Result<(), String> {
        if number == 0 {
            return match line == HEADER {
                true => Ok(()),
                false => Err(format!(
                    "{}, expected a live trace of pools (first line `tick,event,id,class,capacity,…`) or of \
                     lenders (`asked_us,got_us,returned_us,pool,capacity,…`)",
                    found(line)
                )),
            };
        }
        match live_line(line)? {
            LiveLine::Birth(tick, class, slot) => {
                self.clock(tick)?;
                slot.into_iter().for_each(|slot| self.slots.birth(class, slot, tick));
                Ok(())
            }
            LiveLine::Death(tick, class, slot) => {
                self.clock(tick)?;
                slot.into_iter().for_each(|slot| self.slots.death(class, slot));
                Ok(())
            }
            LiveLine::Stats(tick, stats) => {
                self.clock(tick)?;
                self.stats(stats)
            }
            LiveLine::End(tick) => {
                self.has_ended = true;
                self.clock(tick)
            }
        }
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

    fn stats(&mut self, stats: PoolStats) -> Result<(), String> {
        if stats.ms < self.ms {
            return Err(format!(
                "{} ms come after {} ms, expected times in ascending order",
                stats.ms, self.ms
            ));
        }
        if stats.ms > self.ms {
            // Pools that were not in the last round are gone.
            let last = self.ms;
            self.pools.retain(|_, pool| pool.stats.ms == last);
            (self.ms_before, self.ms) = (self.ms, stats.ms);
            keep(&mut self.times, (stats.ms, self.tick));
        }
        if self.pools.len() == CLASSES_MAX && !self.pools.contains_key(&stats.pool) {
            return Err(format!("more than {CLASSES_MAX} pools at once"));
        }
        let now = Earlier {
            ms: stats.ms,
            live: stats.live,
            inserted: stats.inserted,
            removed: stats.removed,
        };
        match self.pools.get_mut(&stats.pool) {
            Some(pool) => {
                keep(&mut pool.earlier, now);
                pool.stats = stats;
            }
            None => {
                let earlier = VecDeque::from([now]);
                self.pools.insert(stats.pool, Watched { stats, earlier });
            }
        }
        Ok(())
    }

    /// The current pools, in the recorder's order.
    pub(super) fn pools(&self) -> impl Iterator<Item = &Watched> {
        // The newest round may be incomplete.
        self.pools.values().filter(|pool| pool.stats.ms >= self.ms_before)
    }

    pub(super) fn list(&self) -> List {
        let headings = &[
            "<pool",
            "live",
            "peak",
            "slots",
            "<full",
            "born/s",
            "refused",
            "evicted",
            "retired",
            "lost",
            "died/s",
            "<live lately",
        ];
        List { headings, rows: self.pools().map(Watched::row).collect() }
    }

    /// What the dashboard shows of the selected pool.
    pub(super) fn detail(&self, class: &str) -> Option<Detail<'_>> {
        let pool = self.pools().find(|pool| pool.stats.class == class)?;
        let stats = &pool.stats;
        Some(Detail {
            title: class.to_owned(),
            used: stats.live,
            capacity: stats.capacity,
            label: format!(
                "{} of {} slots live, {} at the peak",
                count(stats.live),
                count(stats.capacity),
                count(stats.peak)
            ),
            curve_title: "live",
            curve: pool.curve(KEPT_MAX).collect(),
            map: self.slots.of(class).map(|slots| (slots, self.tick)),
        })
    }

    /// The length of the recording in seconds.
    pub(super) fn seconds(&self) -> f64 {
        self.ms as f64 / 1000.0
    }

    /// Recent ticks per second.
    pub(super) fn tick_rate(&self) -> Option<f64> {
        let &(ms, tick) = self.times.back()?;
        let &(ms_then, tick_then) = self
            .times
            .iter()
            .rev()
            .find(|(then, _)| ms - then >= RATE_MS)
            .or(self.times.front())?;
        (ms > ms_then).then(|| f64::from(tick - tick_then) * 1000.0 / (ms - ms_then) as f64)
    }
}

impl Watched {
    /// Recent births and deaths per second.
    pub(super) fn rates(&self) -> Option<(f64, f64)> {
        let now = self.earlier.back()?;
        let far = |then: &&Earlier| now.ms - then.ms >= RATE_MS;
        let then = self.earlier.iter().rev().find(far).or(self.earlier.front())?;
        let seconds = (now.ms - then.ms) as f64 / 1000.0;
        let rate = |now: u64, then: u64| now.saturating_sub(then) as f64 / seconds;
        (seconds > 0.0)
            .then(|| (rate(now.inserted, then.inserted), rate(now.removed, then.removed)))
    }

    fn row(&self) -> Row {
        let stats = &self.stats;
        let (born, died) = self.rates().unzip();
        let cells = vec![
            Cell::count(stats.live),
            Cell::count(stats.peak),
            Cell::count(stats.capacity),
            Cell::new(
                bar(stats.live, stats.peak, stats.capacity),
                stats.live as f64 / stats.capacity.max(1) as f64,
            ),
            Cell::known(born, small),
            Cell::count_or_empty(stats.refused),
            Cell::count_or_empty(stats.evicted),
            Cell::count_or_empty(stats.retired),
            Cell::count_or_empty(stats.dropped),
            Cell::known(died, small),
            Cell::new(curve_of(self.curve(CURVE_CELLS), stats.peak), stats.live as f64),
        ];
        let nearly_full = u128::from(stats.capacity) * u128::from(NEARLY_FULL_PERCENT);
        let is_nearly_full = u128::from(stats.live) * 100 >= nearly_full;
        Row { name: stats.class.clone(), cells, is_alarming: stats.refused > 0 || is_nearly_full }
    }

    /// The number of live objects in each of the last `looks` rounds of statistics, the newest last.
    fn curve(&self, looks: usize) -> impl Iterator<Item = u64> + '_ {
        self.earlier.iter().skip(self.earlier.len().saturating_sub(looks)).map(|then| then.live)
    }
}

fn keep<T>(queue: &mut VecDeque<T>, item: T) {
    if queue.len() == KEPT_MAX {
        queue.pop_front();
    }
    queue.push_back(item);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(lines: &[&str]) -> Result<Picture, String> {
        let mut picture = Picture::default();
        picture.line(0, HEADER)?;
        for (number, line) in (1..).zip(lines) {
            picture.line(number, line.as_bytes())?;
        }
        Ok(picture)
    }

    fn names(picture: &Picture) -> Vec<&str> {
        picture.pools().map(|pool| pool.stats.class.as_str()).collect()
    }

    #[test]
    fn rates_are_those_of_the_last_second() {
        let line = |second: u64| {
            let (inserted, ms) = (second * second * 10, second * 1000);
            format!("{},stats,0,imps,8,5,7,0,{inserted},3,0,0,0,{ms}", second * 60)
        };
        let lines: Vec<String> = (1..=5).map(line).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let picture = picture(&lines).expect("good lines");
        let pool = picture.pools().next().expect("a pool");
        assert_eq!(pool.rates(), Some((90.0, 0.0)));
        assert_eq!(picture.tick_rate(), Some(60.0));
        assert_eq!(pool.curve(3).collect::<Vec<_>>(), [5, 5, 5]);
    }

    #[test]
    fn pools_that_are_gone_go_and_half_a_round_hides_nobody() {
        let a = |ms| format!("1,stats,0,a,8,5,7,0,1,3,0,0,0,{ms}");
        let b = |ms| format!("1,stats,1,b,8,5,7,0,1,3,0,0,0,{ms}");
        let (a1, b1, a2, a3) = (a(1), b(1), a(2), a(3));
        assert_eq!(names(&picture(&[&a1, &b1, &a2]).expect("good")), ["a", "b"]);
        assert_eq!(names(&picture(&[&a1, &b1, &a2, &a3]).expect("good")), ["a"]);
    }

    #[test]
    fn time_goes_forwards() {
        let error = picture(&["5,alloc,0,a", "4,free,0,a"]).expect_err("backwards");
        assert!(error.contains("tick 4 comes after tick 5"), "{error}");
        let lines = ["1,stats,0,a,8,5,7,0,1,3,0,0,0,9", "1,stats,0,a,8,5,7,0,1,3,0,0,0,8"];
        assert!(picture(&lines).expect_err("backwards").contains("8 ms come after 9 ms"));
        assert!(Picture::default().line(0, b"tick,event,id,class").is_err());
    }
}
