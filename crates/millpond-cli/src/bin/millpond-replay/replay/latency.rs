//! The times of single operations.

use std::time::Instant;

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
/// cost: the nanoseconds that these shares of the operations do not exceed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Latency {
    pub(crate) p50: u64,
    pub(crate) p90: u64,
    pub(crate) p99: u64,
    pub(crate) p999: u64,
    pub(crate) p9999: u64,
    pub(crate) worst: u64,
    /// The longest time of any operation in any round, for whatever reason.
    pub(crate) worst_seen: u64,
}

impl Latency {
    /// Sorts the times.
    pub(super) fn new(nanoseconds: &mut [u32], worst_seen: u32, timer: Timer) -> Self {
        nanoseconds.sort_unstable();
        let at = |share: f64| {
            let place = (share * nanoseconds.len() as f64).ceil() as usize;
            nanoseconds.get(place.saturating_sub(1)).map_or(0, |&time| timer.without(time))
        };
        Self {
            p50: at(0.5),
            p90: at(0.9),
            p99: at(0.99),
            p999: at(0.999),
            p9999: at(0.9999),
            worst: at(1.0),
            worst_seen: timer.without(worst_seen),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_timer_is_taken_off_and_never_too_much() {
        let timer = Timer { nanoseconds: 20 };
        let latency = Latency::new(&mut [120, 10, 30, 20], 1020, timer);
        assert_eq!((latency.p50, latency.p90, latency.worst), (0, 100, 100));
        assert_eq!(latency.worst_seen, 1000);
    }

    #[test]
    fn a_share_is_of_all_operations() {
        let mut times: Vec<u32> = (1..=10_000).rev().collect();
        let latency = Latency::new(&mut times, 0, Timer { nanoseconds: 0 });
        let Latency { p50, p90, p99, p999, p9999, worst, .. } = latency;
        assert_eq!([p50, p90, p99, p999, p9999, worst], [5000, 9000, 9900, 9990, 9999, 10_000]);
        assert_eq!(Latency::new(&mut [], 0, Timer { nanoseconds: 0 }).worst, 0);
    }
}
