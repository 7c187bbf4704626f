//! How long the busiest slot of a pool lasts before its generations are used up.

/// The widths of a generation, in bits, that a plan reports; the last is that of a `Handle`.
pub const GENERATION_BITS: [u32; 3] = [12, 24, 31];

/// The number of lifetimes of the busiest slot in the whole trace.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BusiestSlot {
    /// If the slot freed last is used next.
    pub lifo: u64,
    /// If the slot freed first is used next.
    pub fifo: u64,
}

impl BusiestSlot {
    /// The pace, in a trace of this many seconds.
    #[must_use]
    pub fn pace(self, trace_seconds: f64) -> SlotPace {
        SlotPace {
            lifo: seconds_until(1, self.lifo, trace_seconds),
            fifo: seconds_until(1, self.fifo, trace_seconds),
        }
    }
}

/// How fast the busiest slot of a pool uses up its generations: the seconds for one lifetime, or `None` if no slot was
/// used twice.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SlotPace {
    /// If the slot freed last is used next.
    pub lifo: Option<f64>,
    /// If the slot freed first is used next.
    pub fifo: Option<f64>,
}

impl SlotPace {
    /// The faster of both, for each reuse order.
    #[must_use]
    pub fn or_faster(self, other: Self) -> Self {
        let faster = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => Some(a.min(b)),
            _ => a.or(b),
        };
        Self { lifo: faster(self.lifo, other.lifo), fifo: faster(self.fifo, other.fifo) }
    }
}

/// Seconds until a slot has had `lifetimes` lifetimes, at the trace's pace.
///
/// `None` if no slot was used twice in the trace, so that there is no pace.
#[must_use]
pub fn seconds_until(lifetimes: u64, busiest_slot: u64, trace_seconds: f64) -> Option<f64> {
    (busiest_slot > 1).then(|| lifetimes as f64 * trace_seconds / busiest_slot as f64)
}

/// The number of lifetimes that a generation of this width distinguishes; generation 0 is not used.
#[must_use]
pub fn lifetimes_of(generation_bits: u32) -> u64 {
    (1 << generation_bits) - 1
}

#[cfg(test)]
mod tests {
    use millpond::{Handle, HandleLayout};

    use super::*;

    #[test]
    fn the_widest_generation_is_that_of_a_handle() {
        let lifetimes = GENERATION_BITS.map(lifetimes_of);
        assert_eq!(lifetimes.last(), Some(&u64::from(Handle::<()>::LIFETIMES_MAX)));
    }

    #[test]
    fn seconds_follow_from_the_rate() {
        // 100 lifetimes in 10 s: 4,095 lifetimes take 409.5 s.
        assert_eq!(seconds_until(lifetimes_of(12), 100, 10.0), Some(409.5));
        assert_eq!(seconds_until(lifetimes_of(12), 1, 10.0), None);
        assert_eq!(seconds_until(lifetimes_of(12), 0, 10.0), None);
    }

    #[test]
    fn the_faster_pace_counts_in_each_order() {
        let slow = BusiestSlot { lifo: 100, fifo: 1 }.pace(10.0);
        let fast = BusiestSlot { lifo: 50, fifo: 2 }.pace(1.0);
        assert_eq!((slow.lifo, slow.fifo), (Some(0.1), None));
        let both = SlotPace { lifo: Some(0.02), fifo: Some(0.5) };
        assert_eq!((slow.or_faster(fast), fast.or_faster(slow)), (both, both));
        assert_eq!(SlotPace::default().or_faster(slow), slow);
    }
}
