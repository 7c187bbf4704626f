//! The peak since a moment of the program's choice, and when it was.

use core::fmt;

use super::stats::Stats;

/// Watches the number of live objects of a pool from outside: the peak since the last [`reset`](Self::reset), and in which
/// tick it was. ([`Stats::peak`] is that since the pool was built, without a time.)
///
/// Call [`note`](Self::note) once in each tick. It compares the pool's counters with those of the tick before, so that the
/// pool's own operations pay nothing for it. The peak within a tick is exact if it is the pool's first of that size, or if
/// objects were only inserted or only removed in that tick; otherwise it is between two numbers: `at_least` were live at the
/// tick's end or before it, and `at_most` if all insertions of the tick came before all its removals. (A `SyncPool` counts
/// no exact peak itself: there, `at_most` may be too small.)
///
/// ```
/// use millpond::{PeakMeter, Pool};
///
/// let mut pool = Pool::new(100);
/// let mut meter = PeakMeter::default();
/// for tick in 0..60 {
///     if tick == 20 {
///         (0..70).for_each(|spark| _ = pool.insert(spark).unwrap()); // an explosion
///     }
///     meter.note(tick, &pool.stats());
///     pool.clear();
/// }
/// let peak = meter.peak().unwrap();
/// assert_eq!((peak.at_least, peak.at_most, peak.tick), (70, 70, 20));
///
/// meter.reset(); // for the next level
/// meter.note(60, &pool.stats());
/// assert_eq!(meter.peak().unwrap().at_most, 0);
/// assert_eq!(pool.stats().peak, 70); // of the pool's whole life
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct PeakMeter {
    peak: Option<Peak>,
    /// The counters of the tick before.
    before: Option<Stats>,
}

/// The most objects that were live at once, and when; returned by [`PeakMeter::peak`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peak {
    /// So many were live at once.
    pub at_least: usize,
    /// No more were.
    pub at_most: usize,
    /// The first tick in which as many were live.
    pub tick: u64,
}

impl PeakMeter {
    /// Notes the counters of a pool at the end of this tick. O(1).
    pub fn note(&mut self, tick: u64, stats: &Stats) {
        let peak = self.within(tick, stats);
        self.before = Some(*stats);
        // Of two with the same most, the first one.
        if self.peak.is_none_or(|known| known.at_most < peak.at_most) {
            self.peak = Some(peak);
        }
    }

    /// The peak since the counters that were noted last, of a tick that ends with these.
    fn within(&self, tick: u64, stats: &Stats) -> Peak {
        let Some(before) = self.before.filter(|before| before.inserted <= stats.inserted) else {
            // The first tick, or another pool: the counters say nothing of what was before.
            return Peak { at_least: stats.live, at_most: stats.live, tick };
        };
        if stats.peak > before.peak {
            return Peak { at_least: stats.peak, at_most: stats.peak, tick };
        }
        let born = usize::try_from(stats.inserted - before.inserted).unwrap_or(usize::MAX);
        let at_most = before.live.saturating_add(born).min(stats.peak);
        let at_least = before.live.max(stats.live);
        Peak { at_least, at_most: at_most.max(at_least), tick }
    }

    /// Returns the peak since the last [`reset`](Self::reset), or `None` if nothing was noted since.
    #[must_use]
    pub fn peak(&self) -> Option<Peak> {
        self.peak
    }

    /// Forgets the peak. The next one begins with the objects that were live when the counters were noted last.
    pub fn reset(&mut self) {
        self.peak = None;
    }
}

/// Formats the peak as "70 in tick 20", or "60 to 70 in tick 20".
impl fmt::Display for Peak {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { at_least, at_most, tick } = self;
        match at_least == at_most {
            true => write!(f, "{at_most} in tick {tick}"),
            false => write!(f, "{at_least} to {at_most} in tick {tick}"),
        }
    }
}
