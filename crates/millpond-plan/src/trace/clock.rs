//! The clock of a lifetime trace, from ticks and milliseconds.

/// The first and the last time of a trace.
#[derive(Debug, Default)]
pub(super) struct Clock {
    first: Option<(u32, u64)>,
    last: Option<(u32, u64)>,
}

impl Clock {
    /// Records that this tick comes after this many milliseconds.
    pub(super) fn note(&mut self, tick: u32, ms: u64) -> Result<(), String> {
        if let Some((_, before)) = self.last
            && ms < before
        {
            return Err(format!(
                "{ms} ms come after {before} ms, expected times in ascending order"
            ));
        }
        self.first.get_or_insert((tick, ms));
        self.last = Some((tick, ms));
        Ok(())
    }

    /// Ticks per second, if both have advanced between the first time and the last.
    pub(super) fn ticks_per_second(&self) -> Option<f64> {
        let ((first_tick, first_ms), (last_tick, last_ms)) = (self.first?, self.last?);
        let (ticks, ms) = (last_tick.checked_sub(first_tick)?, last_ms.checked_sub(first_ms)?);
        (ticks > 0 && ms > 0).then(|| f64::from(ticks) * 1000.0 / ms as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_follows_from_the_first_and_the_last_time() {
        let rate = |times: &[(u32, u64)]| {
            let mut clock = Clock::default();
            times.iter().for_each(|&(tick, ms)| clock.note(tick, ms).expect("forwards"));
            clock.ticks_per_second()
        };
        assert_eq!(rate(&[(0, 100), (30, 400), (120, 2100)]), Some(60.0));
        assert_eq!(rate(&[]), None);
        assert_eq!(rate(&[(7, 100)]), None);
        assert_eq!(rate(&[(7, 100), (7, 200)]), None);
        assert_eq!(rate(&[(7, 100), (9, 100)]), None);
    }

    #[test]
    fn time_goes_forwards() {
        let mut clock = Clock::default();
        clock.note(1, 9).expect("the first");
        assert!(clock.note(2, 8).expect_err("backwards").contains("8 ms come after 9 ms"));
    }
}
