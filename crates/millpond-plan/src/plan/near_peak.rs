//! When a class has nearly as many objects as at its peak.

use crate::chance::{FEWER_DEVIATIONS, is_clearly_below};
use crate::trace::{Summary, TickUnit};

/// A recording with fewer ticks says too little of when something was.
pub(crate) const FINE_TICKS_MIN: u64 = 200;

/// A peak of fewer objects is chance.
const PEAK_MIN: u32 = 8;

/// A peak has moved if it is this share of the time away: three of fifty stretches, as in a comparison of two recordings.
const MOVED_SHARE: f64 = 0.06;

/// By live count, when so many were alive for the first and for the last time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Heights {
    times: Vec<(u32, u32)>,
    live: u32,
}

impl Heights {
    /// An object is born in this tick.
    #[inline]
    pub(crate) fn birth(&mut self, tick: u32) {
        if self.live as usize == self.times.len() {
            self.times.push((tick, tick));
        }
        self.live += 1;
    }

    /// An object dies in this tick.
    #[inline]
    pub(crate) fn death(&mut self, tick: u32) {
        self.live -= 1;
        self.times[self.live as usize].1 = tick;
    }

    /// The first and the last tick with so many, of which there is at least one.
    fn with(&self, count: u32, last_tick: u32) -> (u32, u32) {
        let (first, last) = self.times[count as usize - 1];
        (first, if self.live >= count { last_tick } else { last })
    }
}

/// The stretch of time that begins and ends with nearly as many objects as at the peak: neither before nor after it was
/// there any such time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NearPeak {
    /// In what it is counted.
    pub unit: TickUnit,
    /// Its beginning, from that of the recording on.
    pub from: u64,
    /// Its end.
    pub to: u64,
    /// The length of the recording.
    pub of: u64,
}

impl NearPeak {
    /// That of a class in a recording; `None` if the peak may be chance, or if it is in no part of the time. Nor is there any
    /// by the clock of a machine, which may be slow for a while: all that comes later is then at another share of the time.
    #[must_use]
    pub fn of(heights: &Heights, summary: &Summary) -> Option<Self> {
        let peak = heights.times.len() as u32;
        if peak < PEAK_MIN || summary.ticks() < FINE_TICKS_MIN || !summary.has_times() {
            return None;
        }
        let most_below =
            (0..peak).rev().find(|&count| is_clearly_below(count, peak, FEWER_DEVIATIONS))?;
        let (first, last) = heights.with(most_below + 1, summary.last_tick);
        let frames = summary.frames.as_ref().filter(|frames| frames.are_ticks());
        let near = match (summary.tick_unit(), frames) {
            (TickUnit::Frame, Some(frames)) => Self {
                unit: TickUnit::Frame,
                from: first.into(),
                to: last.into(),
                of: frames.count(),
            },
            (_, Some(frames)) => {
                let frame = |tick| frames.at(tick).unwrap_or(0);
                let (from, to) = (frame(first), frame(last));
                Self { unit: TickUnit::Frame, from, to, of: frames.count() }
            }
            (TickUnit::Millisecond, None) => return None,
            (unit, None) => {
                let since = |tick: u32| u64::from(tick.saturating_sub(summary.first_tick));
                Self { unit, from: since(first), to: since(last), of: summary.ticks() }
            }
        };
        let is_part = (near.to - near.from) as f64 <= near.of as f64 * (1.0 - 2.0 * MOVED_SHARE);
        is_part.then_some(near)
    }

    /// Whether the peak of another recording is clearly at another time: of the whole time, and after the beginning, since
    /// one that goes on for longer has its peaks at another share of its time, and a slow one at another time.
    #[must_use]
    pub fn has_moved(&self, other: &Self) -> bool {
        let longer = self.of.max(other.of);
        let is_apart = |one: u64, two: u64| {
            let share = |time: u64, of: u64| time as f64 / of.max(1) as f64;
            let gap =
                |a: &Self, of_a: u64, b: &Self, of_b: u64| share(b.from, of_b) - share(a.to, of_a);
            gap(self, one, other, two).max(gap(other, two, self, one)) >= MOVED_SHARE
        };
        self.unit == other.unit && is_apart(self.of, other.of) && is_apart(longer, longer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(from: u64, to: u64, of: u64) -> NearPeak {
        NearPeak { unit: TickUnit::Tick, from, to, of }
    }

    #[test]
    fn heights_know_the_first_and_the_last_time_of_each_count() {
        let mut heights = Heights::default();
        for tick in [0, 5, 5] {
            heights.birth(tick);
        }
        heights.death(7);
        heights.birth(9);
        heights.death(11);
        heights.death(12);
        assert_eq!([1, 2, 3].map(|count| heights.with(count, 20)), [(0, 20), (5, 12), (5, 11)]);
    }

    #[test]
    fn a_peak_moves_if_it_is_elsewhere_by_both_measures() {
        assert!(near(100, 200, 1000).has_moved(&near(260, 300, 1000)));
        assert!(near(260, 300, 1000).has_moved(&near(100, 200, 1000)));
        assert!(!near(100, 200, 1000).has_moved(&near(259, 300, 1000)));
        // On a slow machine, and in a recording that goes on for longer.
        assert!(!near(100, 200, 1000).has_moved(&near(500, 1000, 5000)));
        assert!(!near(100, 200, 1000).has_moved(&near(100, 200, 5000)));
        let frames = NearPeak { unit: TickUnit::Frame, ..near(700, 800, 1000) };
        assert!(!near(100, 200, 1000).has_moved(&frames));
    }
}
