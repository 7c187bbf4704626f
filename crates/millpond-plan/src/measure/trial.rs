//! What is said of a proposal after a measurement: that it saves time for certain, or why it is no proposal.

use crate::plan::{LeftOut, TimeSaved, Verdict};

/// How often a proposal is measured if the machine disturbs it.
const TRIES: usize = 2;

/// By how much calls may be dearer than their prices, which are measured with little memory.
const DEARER_THAN_PRICES: f64 = 3.0;

/// How much of what a replay saves, at the lower end, is promised of a program: a choice, not a bound. A processor that works
/// out of order does a part of each call while the program waits for something else, and a replay has nothing else to wait
/// for. A pool for ENet's commands (`case-studies/enet`) saves 14 to 18 ns an object in a replay with nothing between two calls, 11 with eight
/// multiplications that wait for each other alone, and 3 with sixteen. ENet itself saved 8.
const SEEN: f64 = 0.5;

/// What a measurement says, for the whole recording: a range each, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Measured {
    /// What the proposal saves.
    pub(super) saved_ms: (f64, f64),
    /// What the system's allocator saves beside itself: nothing but what else the machine does.
    pub(super) control_ms: (f64, f64),
}

impl Measured {
    /// Before anything is measured.
    pub(super) const NOTHING_YET: Self = Self {
        saved_ms: (f64::INFINITY, f64::NEG_INFINITY),
        control_ms: (f64::INFINITY, f64::NEG_INFINITY),
    };

    /// Both measurements: what lies in one range or in the other, or between them.
    pub(super) fn and(self, other: Self) -> Self {
        let both = |one: (f64, f64), other: (f64, f64)| (one.0.min(other.0), one.1.max(other.1));
        Self {
            saved_ms: both(self.saved_ms, other.saved_ms),
            control_ms: both(self.control_ms, other.control_ms),
        }
    }

    /// The saving, as far as the control lets it be known.
    fn time(self, calls: u64) -> TimeSaved {
        let noise = self.control_ms.0.abs().max(self.control_ms.1.abs());
        let (low, high) = (self.saved_ms.0 - noise, self.saved_ms.1 + noise);
        let time = TimeSaved::with_margin(calls, low, high, true);
        TimeSaved { low_ms: time.low_ms.min(low * SEEN), ..time }
    }
}

/// What a proposal that serves so many calls is worth, whose calls cost at most `dearest_ns`: measured by `measure`, and
/// again if it says more than all calls cost. `None` if it cannot be measured.
pub(super) fn judged(
    calls: u64,
    dearest_ns: f64,
    mut measure: impl FnMut() -> Option<Measured>,
) -> Option<Verdict> {
    let most_ms = calls as f64 * dearest_ns * DEARER_THAN_PRICES / 1e6;
    let mut time = TimeSaved::default();
    for _ in 0..TRIES {
        time = measure()?.time(calls);
        let is_disturbed = time.high_ms > most_ms || time.low_ms < -most_ms;
        if !is_disturbed {
            let left_out = (time.low_ms <= 0.0).then_some(LeftOut::MayBeNothing);
            return Some(Verdict { time, left_out });
        }
    }
    Some(Verdict { time, left_out: Some(LeftOut::Disturbed) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The verdict on 1,000,000 calls of at most 100 ns, measured as these say, and how often it was measured.
    fn verdict(measured: &[[f64; 4]]) -> (Option<Verdict>, usize) {
        let mut times = 0;
        let of = judged(1_000_000, 100.0, || {
            let [low, high, control_low, control_high] = *measured.get(times)?;
            times += 1;
            Some(Measured { saved_ms: (low, high), control_ms: (control_low, control_high) })
        });
        (of, times)
    }

    #[test]
    fn what_is_certain_is_what_the_control_does_not_explain() {
        let (of, times) = verdict(&[[10.0, 20.0, -1.0, 2.0]]);
        let Verdict { time, left_out } = of.expect("it was measured");
        assert_eq!((time.low_ms, time.high_ms), (8.0 / 2.0, 22.0 * 1.25));
        assert_eq!((left_out, times, time.is_measured), (None, 1, true));
    }

    #[test]
    fn a_loss_keeps_its_margin() {
        let (of, _) = verdict(&[[-8.0, 4.0, 0.0, 0.0]]);
        let Verdict { time, .. } = of.expect("it was measured");
        assert_eq!((time.low_ms, time.high_ms), (-10.0, 5.0));
    }

    #[test]
    fn a_measurement_from_both_ends_has_the_range_of_both() {
        let one = Measured { saved_ms: (3.0, 5.0), control_ms: (-1.0, 0.5) };
        let other = Measured { saved_ms: (4.0, 9.0), control_ms: (-0.5, 2.0) };
        let both = Measured { saved_ms: (3.0, 9.0), control_ms: (-1.0, 2.0) };
        assert_eq!(Measured::NOTHING_YET.and(one).and(other), both);
        assert_eq!(Measured::NOTHING_YET.and(other).and(one), both);
    }

    #[test]
    fn a_range_with_zero_is_no_proposal() {
        for measured in [
            [-1.0, 20.0, 0.0, 0.0],
            [0.0, 0.0, 0.0, 0.0],
            [3.0, 9.0, -4.0, 1.0],
            [-9.0, -2.0, 0.0, 0.0],
        ] {
            let (of, times) = verdict(&[measured]);
            assert_eq!(
                of.expect("it was measured").left_out,
                Some(LeftOut::MayBeNothing),
                "{measured:?}"
            );
            assert_eq!(times, 1);
        }
    }

    #[test]
    fn what_exceeds_the_cost_of_all_calls_is_measured_again_and_then_dropped() {
        let disturbed = [10.0, 900.0, 0.0, 0.0];
        let (of, times) = verdict(&[disturbed, [10.0, 20.0, 0.0, 0.0]]);
        assert_eq!((of.and_then(|of| of.left_out), times), (None, 2));
        let by_control = [10.0, 20.0, -400.0, 0.0];
        let (of, times) = verdict(&[disturbed, by_control, [1.0, 2.0, 0.0, 0.0]]);
        assert_eq!(of.expect("it was measured").left_out, Some(LeftOut::Disturbed));
        assert_eq!(times, 2);
        assert_eq!(verdict(&[]), (None, 0));
    }
}
