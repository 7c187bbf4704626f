//! The state of the running program.

use std::collections::{BTreeMap, VecDeque};

use super::dashboard::Detail;
use super::list::{Cell, List, Row};
use super::screen::{CURVE_CELLS, bar, curve_of};
use super::slots::AllSlots;
use millpond_plan::output::figures::{count, small};
use millpond_plan::trace::live::{LiveLine, PoolStats, Pools};

/// The minimum period of rates, in milliseconds.
const RATE_MS: u64 = 1000;

/// The maximum number of earlier statistics kept for a pool, for its rates and its curve.
const KEPT_MAX: usize = 64;

/// A pool is nearly full from this percentage on.
const NEARLY_FULL_PERCENT: u64 = 90;

/// The state of all pools after the lines that were read, and what the screen shows beside it.
#[derive(Debug, Default)]
pub(super) struct Picture {
    pools: Pools,
    /// Earlier statistics by the number of the pool.
    earlier: BTreeMap<u64, VecDeque<Earlier>>,
    /// Earlier times, with their ticks.
    times: VecDeque<(u64, u32)>,
    slots: AllSlots,
}

/// One pool, and its history.
#[derive(Debug, Clone, Copy)]
pub(super) struct Watched<'p> {
    pub(super) stats: &'p PoolStats,
    earlier: &'p VecDeque<Earlier>,
}

#[derive(Debug, Clone, Copy)]
struct Earlier {
    ms: u64,
    live: u64,
    inserted: u64,
    removed: u64,
}

impl Picture {
    /// Takes a line; the first of the file has the number 0.
    pub(super) fn line(&mut self, number: u64, line: &[u8]) -> Result<(), String> {
        let ms_before = self.pools.ms();
        match self.pools.line(number, line)? {
            Some(LiveLine::Birth(tick, class, Some(slot))) => self.slots.birth(class, slot, tick),
            Some(LiveLine::Death(_, class, Some(slot))) => self.slots.death(class, slot),
            Some(LiveLine::Stats(tick, stats)) => {
                if stats.ms > ms_before {
                    keep(&mut self.times, (stats.ms, tick));
                    self.earlier.retain(|&pool, _| self.pools.has(pool));
                }
                let PoolStats { ms, live, inserted, removed, .. } = stats;
                let earlier = self.earlier.entry(stats.pool).or_default();
                keep(earlier, Earlier { ms, live, inserted, removed });
            }
            _ => {}
        }
        Ok(())
    }

    /// The current pools, in the recorder's order.
    pub(super) fn pools(&self) -> impl Iterator<Item = Watched<'_>> {
        let watched = |stats| Some(Watched { stats, earlier: self.earlier.get(&stats.pool)? });
        self.pools.current().filter_map(watched)
    }

    pub(super) fn tick(&self) -> u32 {
        self.pools.tick()
    }

    pub(super) fn has_ended(&self) -> bool {
        self.pools.has_ended()
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
        List { headings, rows: self.pools().map(|pool| pool.row()).collect() }
    }

    /// What the dashboard shows of the selected pool.
    pub(super) fn detail(&self, class: &str) -> Option<Detail<'_>> {
        let pool = self.pools().find(|pool| pool.stats.class == class)?;
        let stats = pool.stats;
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
            map: self.slots.of(class).map(|slots| (slots, self.tick())),
        })
    }

    /// The length of the recording in seconds.
    pub(super) fn seconds(&self) -> f64 {
        self.pools.ms() as f64 / 1000.0
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

impl<'p> Watched<'p> {
    /// Recent births and deaths per second.
    pub(super) fn rates(self) -> Option<(f64, f64)> {
        let now = self.earlier.back()?;
        let far = |then: &&Earlier| now.ms - then.ms >= RATE_MS;
        let then = self.earlier.iter().rev().find(far).or(self.earlier.front())?;
        let seconds = (now.ms - then.ms) as f64 / 1000.0;
        let rate = |now: u64, then: u64| now.saturating_sub(then) as f64 / seconds;
        (seconds > 0.0)
            .then(|| (rate(now.inserted, then.inserted), rate(now.removed, then.removed)))
    }

    fn row(self) -> Row {
        let stats = self.stats;
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
    fn curve(self, looks: usize) -> impl Iterator<Item = u64> + 'p {
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
    use millpond_plan::trace::live::HEADER;

    fn picture(lines: &[&str]) -> Result<Picture, String> {
        let mut picture = Picture::default();
        picture.line(0, HEADER)?;
        for (number, line) in (1..).zip(lines) {
            picture.line(number, line.as_bytes())?;
        }
        Ok(picture)
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
}
