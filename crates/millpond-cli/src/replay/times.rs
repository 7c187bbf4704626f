//! The times of several laps.

use std::time::Duration;

/// Nanoseconds per event: the middle of all laps, and the fastest and slowest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Times {
    pub(crate) median: f64,
    pub(crate) min: f64,
    pub(crate) max: f64,
}

impl Times {
    /// Of laps, of which there is at least one, of so many events each.
    pub(super) fn per_event(mut laps: Vec<Duration>, events: usize) -> Self {
        laps.sort_unstable();
        let at = |place: usize| laps[place].as_nanos() as f64 / events.max(1) as f64;
        let (half, last) = (laps.len() / 2, laps.len() - 1);
        let median = if laps.len().is_multiple_of(2) {
            f64::midpoint(at(half - 1), at(half))
        } else {
            at(half)
        };
        Self { median, min: at(0), max: at(last) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        let of = |ms: &[u64]| {
            Times::per_event(ms.iter().map(|&ms| Duration::from_millis(ms)).collect(), 1_000_000)
        };
        assert_eq!(of(&[3, 1, 20]), Times { median: 3.0, min: 1.0, max: 20.0 });
        assert_eq!(of(&[4, 2]), Times { median: 3.0, min: 2.0, max: 4.0 });
        assert_eq!(of(&[7]), Times { median: 7.0, min: 7.0, max: 7.0 });
    }
}
