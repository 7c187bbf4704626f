//! The times of single operations.

use std::time::Instant;

use hdrhistogram::Histogram;

/// The cost of reading the clock twice, as every timed operation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Timer {
    /// The median of many measurements of nothing.
    pub(crate) nanoseconds: u32,
}

impl Timer {
    pub(super) fn measured() -> Self {
        let mut samples: Vec<u32> = (0..100_001)
            .map(|_| {
                let begun = Instant::now();
                u32::try_from(begun.elapsed().as_nanos()).unwrap_or(u32::MAX)
            })
            .collect();
        let half = samples.len() / 2;
        Self { nanoseconds: *samples.select_nth_unstable(half).1 }
    }

    fn without(self, nanoseconds: u32) -> u64 {
        u64::from(nanoseconds.saturating_sub(self.nanoseconds))
    }
}

/// The time of each operation in its fastest round, without what the system did meanwhile, and without the timer's own
/// cost.
#[derive(Debug, Clone)]
pub(crate) struct Latency {
    histogram: Histogram<u64>,
    /// The longest time of any operation in any round, for whatever reason.
    pub(crate) worst_seen: u64,
}

impl Latency {
    pub(super) fn new(nanoseconds: &[u32], worst_seen: u32, timer: Timer) -> Self {
        let mut histogram = Histogram::new_with_bounds(1, u64::from(u32::MAX), 3)
            .expect("the bounds are in order and three digits can be had");
        for &nanoseconds in nanoseconds {
            histogram.saturating_record(timer.without(nanoseconds));
        }
        Self { histogram, worst_seen: timer.without(worst_seen) }
    }

    /// The nanoseconds that this share of the operations does not exceed.
    pub(crate) fn at(&self, quantile: f64) -> u64 {
        self.histogram.value_at_quantile(quantile)
    }

    /// The time of the slowest operation, in nanoseconds.
    pub(crate) fn worst(&self) -> u64 {
        self.histogram.max()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_timer_is_taken_off_and_never_too_much() {
        let timer = Timer { nanoseconds: 20 };
        let latency = Latency::new(&[10, 20, 30, 120], 1020, timer);
        assert_eq!((latency.at(0.5), latency.at(0.75), latency.worst()), (0, 10, 100));
        assert_eq!(latency.worst_seen, 1000);
    }
}
