//! Estimates the time that the second of two programs saves.

/// The laps of a program before and after a change, round by round.
///
/// Whatever else a machine does makes a part of a lap slower, never faster. So of each part the fastest
/// round counts. How far that can be relied on shows in two halves of the rounds, which know nothing of each
/// other.
#[derive(Debug, Default)]
pub(super) struct Estimate {
    rounds: usize,
    /// By half and part, the least nanoseconds before and after.
    halves: [Vec<[u64; 2]>; 2],
}

impl Estimate {
    /// Records a round: the time of each part before and after.
    pub(super) fn note(&mut self, before: &[u64], after: &[u64]) {
        let half = &mut self.halves[self.rounds % 2];
        self.rounds += 1;
        half.resize(before.len(), [u64::MAX; 2]);
        for (fastest, now) in half.iter_mut().zip(before.iter().zip(after)) {
            *fastest = [fastest[0].min(*now.0), fastest[1].min(*now.1)];
        }
    }

    /// Whether no round was recorded.
    pub(super) fn is_empty(&self) -> bool {
        self.rounds == 0
    }

    /// The nanoseconds that a whole lap saves: by the half of the rounds that says less, and by the other.
    pub(super) fn range(&self) -> (f64, f64) {
        let [one, other] = [&self.halves[0], &self.halves[1]].map(|half| {
            let saved = |part: &[u64; 2]| part[0] as f64 - part[1] as f64;
            half.iter().map(saved).sum::<f64>()
        });
        (one.min(other), one.max(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_machine_does_meanwhile_is_left_out() {
        let mut estimate = Estimate::default();
        // Every lap is disturbed somewhere, and no part always.
        for (before, after) in [
            ([100, 9000], [70, 65]),
            ([9000, 100], [70, 9000]),
            ([100, 101], [9000, 60]),
            ([102, 100], [72, 60]),
        ] {
            estimate.note(&before, &after);
        }
        // The first half: 100 + 101 before, 70 + 60 after; the second: 102 + 100 and 70 + 60.
        assert_eq!(estimate.range(), (71.0, 72.0));
    }

    #[test]
    fn a_change_may_cost_time() {
        let mut estimate = Estimate::default();
        estimate.note(&[10, 10], &[15, 10]);
        estimate.note(&[10, 10], &[10, 13]);
        assert_eq!(estimate.range(), (-5.0, -3.0));
    }
}
