//! The lenders of a running program, from the live trace that `Lender::write_live` writes.

use std::collections::{BTreeMap, VecDeque};

use millpond_lend::replay::{Line, parse_line};
use millpond_lend::{LIVE_HEADER, LiveStats};

use super::dashboard::Detail;
use super::list::{Cell, List, Row};
use super::screen::{CURVE_CELLS, bar, curve_of};
use millpond_plan::output::figures::{count, milliseconds, small};
use millpond_plan::trace::CLASSES_MAX;

/// The minimum period of waits and rates.
const LATELY_US: u64 = 1_000_000;

/// The maximum number of waits kept for a lender; if there are more in a second, the last ones count.
const WAITS_MAX: usize = 65_536;

/// The maximum number of earlier statistics kept for a lender.
const KEPT_MAX: usize = 64;

/// Whether a file that begins with this line is a live trace of lenders.
pub(super) fn is_header(line: &[u8]) -> bool {
    line == LIVE_HEADER.as_bytes()
}

/// The state of all lenders after the lines that were read.
#[derive(Debug, Default)]
pub(super) struct Lenders {
    lenders: BTreeMap<String, Watched>,
}

/// One lender, and its history.
#[derive(Debug, Default)]
pub(super) struct Watched {
    /// Statistics, the newest last.
    stats: VecDeque<LiveStats>,
    /// When loans were returned, and how long their callers had waited, in the order of the file.
    waits: VecDeque<(u64, u64)>,
}

/// The recent waits of callers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Waits {
    pub(super) p50_us: u64,
    pub(super) p99_us: u64,
    pub(super) max_us: u64,
}

impl Lenders {
    /// Takes a line other than the first.
    pub(super) fn line(&mut self, line: &[u8]) -> Result<(), String> {
        if line.is_empty() {
            return Ok(());
        }
        let text = std::str::from_utf8(line).map_err(|_| "not UTF-8")?;
        let (pool, line) = parse_line(text)?;
        if self.lenders.len() == CLASSES_MAX && !self.lenders.contains_key(pool) {
            return Err(format!("more than {CLASSES_MAX} lenders"));
        }
        let watched = self.lenders.entry(pool.to_owned()).or_default();
        match line {
            Line::Row(row) => {
                let wait_us = row.got_us.unwrap_or(row.ended_us) - row.asked_us;
                keep(&mut watched.waits, (row.ended_us, wait_us), WAITS_MAX);
                Ok(())
            }
            Line::Stats(stats) => watched.take_in(stats),
            _ => Ok(()),
        }
    }

    pub(super) fn has_ended(&self) -> bool {
        let is_closed = |watched: &Watched| {
            watched.stats.back().is_some_and(|stats| stats.is_closed && stats.existing == 0)
        };
        !self.lenders.is_empty() && self.lenders.values().all(is_closed)
    }

    pub(super) fn seconds(&self) -> f64 {
        let newest = self.lenders.values().filter_map(|watched| watched.stats.back());
        newest.map(|stats| stats.at_us).max().unwrap_or(0) as f64 / 1e6
    }

    /// The lenders with statistics, by name.
    pub(super) fn with_stats(&self) -> impl Iterator<Item = (&str, &Watched, LiveStats)> {
        self.lenders
            .iter()
            .filter_map(|(name, watched)| Some((name.as_str(), watched, *watched.stats.back()?)))
    }

    pub(super) fn list(&self) -> List {
        let rows = self.with_stats().map(|(name, watched, stats)| Row {
            name: name.to_owned(),
            cells: cells(watched, stats),
            is_alarming: stats.waiting > 0
                || watched.lately(|then| then.timed_out + then.refused) > 0,
        });
        let headings = &[
            "<lender",
            "out",
            "waiting",
            "<busy",
            "wait 50 %",
            "99 %",
            "longest",
            "loans/s",
            "opening",
            "opened",
            "failed",
            "closed",
            "timed out",
            "refused",
            "<waiting lately",
        ];
        List { headings, rows: rows.collect() }
    }

    /// What the dashboard shows of the selected lender.
    pub(super) fn detail(&self, name: &str) -> Option<Detail<'_>> {
        let (_, watched, stats) = self.with_stats().find(|(lender, ..)| *lender == name)?;
        Some(Detail {
            title: name.to_owned(),
            used: stats.out,
            capacity: stats.capacity,
            label: format!(
                "{} of {} lent, {} open",
                count(stats.out),
                count(stats.capacity),
                count(stats.existing)
            ),
            curve_title: "callers waiting",
            curve: watched.stats.iter().map(|then| then.waiting).collect(),
            map: None,
        })
    }
}

impl Watched {
    fn take_in(&mut self, stats: LiveStats) -> Result<(), String> {
        let before_us = self.stats.back().map_or(0, |stats| stats.at_us);
        if stats.at_us < before_us {
            let at_us = stats.at_us;
            return Err(format!(
                "{at_us} µs come after {before_us} µs, expected times in ascending order"
            ));
        }
        keep(&mut self.stats, stats, KEPT_MAX);
        while self.waits.front().is_some_and(|(at_us, _)| at_us + LATELY_US < stats.at_us) {
            self.waits.pop_front();
        }
        Ok(())
    }

    pub(super) fn waits(&self) -> Option<Waits> {
        let mut waits: Vec<u64> = self.waits.iter().map(|(_, wait_us)| *wait_us).collect();
        waits.sort_unstable();
        let at = |percent: usize| waits.get((waits.len() * percent).div_ceil(100) - 1).copied();
        let max_us = *waits.last()?;
        Some(Waits { p50_us: at(50)?, p99_us: at(99)?, max_us })
    }

    /// The statistics of a second ago, or the oldest known ones.
    fn earlier(&self) -> Option<LiveStats> {
        let now = self.stats.back()?;
        let is_far = |then: &&LiveStats| now.at_us - then.at_us >= LATELY_US;
        self.stats.iter().rev().find(is_far).or(self.stats.front()).copied()
    }

    /// The recent growth of a total.
    fn lately(&self, total: impl Fn(&LiveStats) -> u64) -> u64 {
        let (Some(now), Some(then)) = (self.stats.back(), self.earlier()) else { return 0 };
        total(now).saturating_sub(total(&then))
    }

    pub(super) fn loans_per_s(&self) -> Option<f64> {
        let seconds = (self.stats.back()?.at_us - self.earlier()?.at_us) as f64 / 1e6;
        (seconds > 0.0).then(|| self.lately(|stats| stats.loans) as f64 / seconds)
    }
}

fn cells(watched: &Watched, stats: LiveStats) -> Vec<Cell> {
    let waits = watched.waits();
    let wait = |of: fn(Waits) -> u64| {
        let us = waits.map(of);
        Cell::new(us.map_or_else(String::new, milliseconds), us.unwrap_or(0) as f64)
    };
    let most = watched.stats.iter().map(|stats| stats.waiting).max().unwrap_or(0);
    let skipped = watched.stats.len().saturating_sub(CURVE_CELLS);
    let lately = watched.stats.iter().skip(skipped).map(|stats| stats.waiting);
    vec![
        Cell::count(stats.out),
        Cell::count_or_empty(stats.waiting),
        Cell::new(
            bar(stats.out, stats.existing, stats.capacity),
            stats.out as f64 / stats.capacity.max(1) as f64,
        ),
        wait(|waits| waits.p50_us),
        wait(|waits| waits.p99_us),
        wait(|waits| waits.max_us),
        Cell::known(watched.loans_per_s(), small),
        Cell::count_or_empty(stats.opening),
        Cell::count(stats.opened),
        Cell::count_or_empty(stats.open_failed),
        Cell::count_or_empty(stats.closed),
        Cell::count_or_empty(stats.timed_out),
        Cell::count_or_empty(stats.refused),
        Cell::new(curve_of(lately, most), stats.waiting as f64),
    ]
}

fn keep<T>(queue: &mut VecDeque<T>, item: T, most: usize) {
    if queue.len() == most {
        queue.pop_front();
    }
    queue.push_back(item);
}

#[cfg(test)]
mod tests {
    use super::*;
    use millpond_plan::output::paint::Paint;

    fn stats(at_us: u64, loans: u64) -> String {
        format!("{at_us},,,orders,8,5,1,1,3,2,{loans},5,1,0,0,0,0,0,0")
    }

    fn lenders(lines: &[&str]) -> Result<Lenders, String> {
        let mut lenders = Lenders::default();
        lines.iter().try_for_each(|line| lenders.line(line.as_bytes()))?;
        Ok(lenders)
    }

    #[test]
    fn waits_and_rates_are_those_of_the_last_second() {
        let lines = [
            "0,900000,1000000,orders",
            &stats(1_000_000, 1),
            "2000000,2001000,2500000,orders",
            "2000000,2003000,2600000,orders",
            "2100000,,2700000,orders",
            &stats(3_000_000, 11),
        ];
        let lenders = lenders(&lines).expect("good lines");
        let watched = &lenders.lenders["orders"];
        let waits = Waits { p50_us: 3_000, p99_us: 600_000, max_us: 600_000 };
        assert_eq!(watched.waits(), Some(waits), "the one that got nothing counts");
        assert_eq!(watched.loans_per_s(), Some(5.0));
        assert!(!lenders.has_ended());
        let list = lenders.list();
        let text = list.text(Paint::new(false));
        assert!(text.contains("orders") && text.contains("600.0 ms"), "{text}");
        assert!(list.rows[0].is_alarming, "callers wait");
        let detail = lenders.detail("orders").expect("it is in the list");
        assert_eq!((detail.used, detail.capacity, detail.curve), (3, 8, vec![2, 2]));
        let json = crate::json::lenders_json("a.trace", &lenders).expect("JSON");
        assert!(json.contains("\"waiting\":2") && json.contains("\"wait_p50_ms\":3"), "{json}");
    }

    #[test]
    fn what_is_wrong_is_said_and_closed_lenders_have_ended() {
        assert!(lenders(&[&stats(9, 1), &stats(8, 1)]).expect_err("backwards").contains("8 µs"));
        assert!(lenders(&["1,2"]).expect_err("short").contains("four fields"));
        assert!(Lenders::default().line(b"1,2,3,\xff").is_err());
        let closed = "9,,,orders,8,0,0,0,0,0,9,5,0,5,0,0,0,0,1";
        assert!(lenders(&[closed]).expect("good").has_ended());
        assert!(
            !lenders(&[closed, "8,,,carts,8,1,0,0,1,0,9,5,0,5,0,0,0,0,1"])
                .expect("good")
                .has_ended()
        );
        let empty = Lenders::default();
        assert!(!empty.has_ended());
        assert!(empty.list().rows.is_empty() && empty.detail("orders").is_none());
    }
}
