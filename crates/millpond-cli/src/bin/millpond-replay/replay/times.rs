//! The times of several laps.

/// Nanoseconds per event: the median of the rounds, and their quartiles.
///
/// A lap is timed in stretches. The median over the rounds is taken for each stretch, and these medians are added up;
/// likewise the quartiles. So a round that is disturbed for a while spoils only the stretches that the disturbance
/// hits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Times {
    pub(crate) median: f64,
    pub(crate) lower_quartile: f64,
    pub(crate) upper_quartile: f64,
}

impl Times {
    /// Of at least one lap, all with equally many stretches and this many events.
    pub(super) fn per_event(laps: &[Vec<u64>], events: usize) -> Self {
        let (mut quartiles, stretches) = ([0_u64; 3], laps[0].len());
        let mut of_stretch = Vec::with_capacity(laps.len());
        for stretch in 0..stretches {
            of_stretch.clear();
            of_stretch.extend(laps.iter().map(|lap| lap[stretch]));
            of_stretch.sort_unstable();
            let last = of_stretch.len() - 1;
            for (quarters, sum) in quartiles.iter_mut().enumerate() {
                *sum += of_stretch[(last * (quarters + 1)).div_ceil(4)];
            }
        }
        let [lower_quartile, median, upper_quartile] =
            quartiles.map(|sum| sum as f64 / events.max(1) as f64);
        Self { median, lower_quartile, upper_quartile }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_stretch_has_a_median_of_its_own() {
        let times = |lower_quartile, median, upper_quartile| Times {
            median,
            lower_quartile,
            upper_quartile,
        };
        let of = |laps: &[&[u64]]| {
            Times::per_event(&laps.iter().map(|lap| lap.to_vec()).collect::<Vec<_>>(), 10)
        };
        assert_eq!(of(&[&[70, 30]]), times(10.0, 10.0, 10.0));
        assert_eq!(of(&[&[10], &[20], &[30], &[40], &[1000]]), times(2.0, 3.0, 4.0));
        // Every lap was disturbed, but no stretch more than once.
        assert_eq!(
            of(&[&[9000, 30, 20], &[50, 9000, 20], &[50, 30, 9000]]),
            times(10.0, 10.0, 2700.0)
        );
    }
}
