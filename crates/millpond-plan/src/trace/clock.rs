//! The clock of a lifetime trace, from ticks and times.

use super::unit::Unit;

/// The first and the last time of a trace.
#[derive(Debug, Default)]
pub(super) struct Clock {
    first: Option<(u32, u64)>,
    last: Option<(u32, u64)>,
}

impl Clock {
    /// Records that this tick comes after this many nanoseconds, which the trace has in this unit.
    pub(super) fn note(&mut self, tick: u32, ns: u64, unit: Unit) -> Result<(), String> {
        if let Some((_, before)) = self.last
            && ns < before
        {
            let (now, before, unit) = (unit.shown(ns), unit.shown(before), unit.name());
            return Err(format!(
                "{now} {unit} come after {before} {unit}, expected times in ascending order"
            ));
        }
        self.first.get_or_insert((tick, ns));
        self.last = Some((tick, ns));
        Ok(())
    }

    /// Ticks per second, if both have advanced between the first time and the last.
    pub(super) fn ticks_per_second(&self) -> Option<f64> {
        let ((first_tick, first_ns), (last_tick, last_ns)) = (self.first?, self.last?);
        let (ticks, ns) = (last_tick.checked_sub(first_tick)?, last_ns.checked_sub(first_ns)?);
        (ticks > 0 && ns > 0).then(|| f64::from(ticks) * 1e9 / ns as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_follows_from_the_first_and_the_last_time() {
        let rate = |times: &[(u32, u64)]| {
            let mut clock = Clock::default();
            times.iter().for_each(|&(tick, ms)| {
                clock.note(tick, ms * 1_000_000, Unit::Ms).expect("forwards")
            });
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
        clock.note(1, 9_000_000, Unit::Ms).expect("the first");
        assert!(
            clock
                .note(2, 8_000_000, Unit::Ms)
                .expect_err("backwards")
                .contains("8 ms come after 9 ms")
        );
    }
}
