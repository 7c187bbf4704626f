//! The shares of sessions whose cost is reported, and how many sessions each of them gives up.

/// The shares, in per cent, that are reported if not too many sessions would have to be given up.
const PERCENTS: [f64; 7] = [100.0, 99.99, 99.9, 99.0, 95.0, 90.0, 50.0];

/// Shares below 99 %, and below the one that the user has asked for, are reported as long as they give up at most this
/// many sessions: those that may be given up are kept in memory.
const GIVEN_UP_MAX: usize = 1000;

/// The shares for one group of sessions.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Levels {
    /// The share in per cent and the number of sessions that are given up, the greatest share first.
    pub(super) levels: Vec<(f64, usize)>,
    /// The level that the user has asked for.
    pub(super) chosen: usize,
}

impl Levels {
    /// The levels of this many sessions.
    #[inline]
    pub(super) fn of(sessions: u64, quantile_percent: f64) -> Self {
        // A product such as 1000 × 0.1 % is a little below 1 in floating point.
        let given_up = |percent: f64| (sessions as f64 * (100.0 - percent) / 100.0 + 1e-6) as usize;
        let given_up_max = GIVEN_UP_MAX.max(given_up(quantile_percent.min(99.0)));
        let mut percents = PERCENTS.to_vec();
        if !percents.contains(&quantile_percent) {
            percents.push(quantile_percent);
        }
        percents.retain(|&percent| given_up(percent) <= given_up_max);
        percents.sort_by(|a, b| b.total_cmp(a));
        // With few sessions, 99.9 % and 99 % are the same.
        percents.dedup_by(|later, earlier| {
            let is_same = given_up(*later) == given_up(*earlier);
            if is_same && *later == quantile_percent {
                *earlier = *later;
            }
            is_same
        });
        let chosen = percents.iter().position(|&percent| percent == quantile_percent);
        Self {
            levels: percents.into_iter().map(|percent| (percent, given_up(percent))).collect(),
            chosen: chosen.unwrap_or_default(),
        }
    }

    /// How many sessions may be given up.
    #[inline]
    pub(super) fn given_up_max(&self) -> usize {
        self.levels.last().map_or(0, |&(_, given_up)| given_up)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(sessions: u64, quantile_percent: f64) -> Vec<f64> {
        let levels = Levels::of(sessions, quantile_percent);
        assert_eq!(levels.levels[levels.chosen].0, quantile_percent);
        levels.levels.iter().map(|&(percent, _)| percent).collect()
    }

    #[test]
    fn shares_are_reported_that_give_up_different_numbers_of_sessions() {
        assert_eq!(shares(20, 99.9), [99.9, 95.0, 90.0, 50.0]);
        assert_eq!(shares(1000, 99.9), [100.0, 99.9, 99.0, 95.0, 90.0, 50.0]);
        assert_eq!(shares(1000, 70.0), [100.0, 99.9, 99.0, 95.0, 90.0, 70.0, 50.0]);
    }

    #[test]
    fn of_many_sessions_no_more_are_given_up_than_asked_for_or_one_in_a_hundred() {
        assert_eq!(shares(10_000, 99.9), [100.0, 99.99, 99.9, 99.0, 95.0, 90.0]);
        assert_eq!(shares(1_000_000, 99.9), [100.0, 99.99, 99.9, 99.0]);
        assert_eq!(shares(1_000_000, 95.0), [100.0, 99.99, 99.9, 99.0, 95.0]);
        assert_eq!(Levels::of(1_000_000, 99.99).given_up_max(), 10_000);
        assert_eq!(Levels::of(0, 99.9).given_up_max(), 0);
    }
}
