//! What chance may explain: two recordings of one program are never quite alike.

/// A count is clearly below a peak if it is less than this share of it, and so many standard deviations away.
const FEWER_SHARE: f64 = 0.8;
pub(crate) const FEWER_DEVIATIONS: f64 = 2.0;

/// How many standard deviations two numbers of objects are apart, if each comes by chance.
pub(crate) fn deviations(a: u64, b: u64) -> f64 {
    a.abs_diff(b) as f64 / ((a + b) as f64).sqrt().max(1.0)
}

/// Whether a count is clearly below a peak, by so many deviations.
pub(crate) fn is_clearly_below(count: u32, peak: u32, by: f64) -> bool {
    f64::from(count) < f64::from(peak) * FEWER_SHARE && deviations(count.into(), peak.into()) >= by
}
