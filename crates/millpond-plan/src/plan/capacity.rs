//! Derives a capacity from a peak.

/// How much larger a pool is than the trace's peak.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Headroom {
    /// Per cent of the peak.
    pub percent: f64,
}

impl Headroom {
    /// The default.
    ///
    /// A trace is a sample: another run of the same program has another peak. If the program itself limits a class, 0
    /// is right.
    pub const DEFAULT_PERCENT: f64 = 25.0;

    /// The capacity for a class with this peak: the peak and the headroom, rounded up.
    #[must_use]
    pub fn capacity(self, peak_live: u32) -> u32 {
        let capacity = f64::from(peak_live) * (1.0 + self.percent / 100.0);
        // A product such as 100 × 1.1 is a little above 110 in floating point.
        let capacity = (capacity - 1e-6).ceil();
        (capacity as u32).max(peak_live).max(1)
    }

    /// These bytes and the headroom, rounded up.
    #[must_use]
    pub fn bytes(self, peak_bytes: u64) -> u64 {
        // Beyond 2^53 bytes a float is not exact, but no memory is that large.
        (peak_bytes as f64 * (1.0 + self.percent / 100.0) - 1e-6).ceil() as u64
    }

    /// The rule in one sentence.
    #[must_use]
    pub fn rule(self) -> String {
        format!("capacity = peak live + {} %, rounded up", self.percent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_capacity_is_the_peak_and_the_headroom_rounded_up() {
        let capacity = |percent, peak| Headroom { percent }.capacity(peak);
        assert_eq!(capacity(25.0, 4), 5);
        assert_eq!(capacity(25.0, 1), 2);
        assert_eq!(capacity(10.0, 100), 110);
        assert_eq!(capacity(0.0, 276), 276);
        assert_eq!(capacity(0.0, 0), 1);
        assert_eq!(capacity(0.1, 1 << 24), (1 << 24) + 16_778);
        assert_eq!(capacity(1000.0, 1 << 24), (1 << 24) * 11);
    }
}
