//! Numbers in reports.

use super::model::TimeUnit;
use crate::output;
pub(super) use crate::output::figures::{byte_unit, bytes, count, number_of, percent};

/// `1234567` as `1.2 M`, for the ends of an axis.
pub(super) fn short_count(number: u64) -> String {
    const UNITS: [&str; 7] = ["", " k", " M", " G", " T", " P", " E"];
    let mut value = number as f64;
    let mut unit = 0;
    // Compared with what rounds up to 1000, so that 999,999 is 1 M and not 1000 k.
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    format!("{}{}", one_decimal(value), UNITS[unit])
}

/// A length of time in the trace's own unit.
pub(super) fn duration(length: u64, unit: TimeUnit) -> String {
    match unit {
        TimeUnit::Ticks => number_of(length, "tick"),
        TimeUnit::Frames => number_of(length, "frame"),
        TimeUnit::Events => number_of(length, "event"),
        TimeUnit::Milliseconds if length < 10_000 => format!("{} ms", count(length)),
        TimeUnit::Milliseconds => format!("{} s", one_decimal(length as f64 / 1000.0)),
    }
}

/// A short length of time for an axis, without the names of ticks and events.
pub(super) fn short_duration(length: u64, unit: TimeUnit) -> String {
    match unit {
        TimeUnit::Ticks | TimeUnit::Frames | TimeUnit::Events => short_count(length),
        TimeUnit::Milliseconds if length < 1000 => format!("{length} ms"),
        TimeUnit::Milliseconds => format!("{} s", one_decimal(length as f64 / 1000.0)),
    }
}

/// The name of one unit of time.
pub(super) fn unit_name(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Ticks => "tick",
        TimeUnit::Milliseconds => "ms",
        TimeUnit::Frames => "frame",
        TimeUnit::Events => "event",
    }
}

/// The name of several units of time.
pub(super) fn unit_names(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Ticks => "ticks",
        TimeUnit::Milliseconds => "ms",
        TimeUnit::Frames => "frames",
        TimeUnit::Events => "events",
    }
}

/// Seconds in a suitable unit; infinity is "forever".
pub(super) fn seconds(seconds: f64) -> String {
    if seconds.is_finite() { output::figures::duration(seconds) } else { "forever".to_owned() }
}

/// A mean with one decimal, or more if that would show only zero.
pub(super) fn mean(value: f64) -> String {
    if value > 0.0 && value < 0.095 { format!("{value:.3}") } else { one_decimal(value) }
}

/// One decimal below 100, unless it is zero; whole numbers with separators from there on.
fn one_decimal(value: f64) -> String {
    if value >= 99.95 {
        return count(value.round() as u64);
    }
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scaled_numbers_never_show_the_base() {
        assert_eq!(short_count(999), "999");
        assert_eq!(short_count(1000), "1 k");
        assert_eq!(short_count(12_600), "12.6 k");
        assert_eq!(short_count(999_999), "1 M");
        assert_eq!(short_count(u64::MAX), "18.4 E");
    }

    #[test]
    fn durations_name_their_unit() {
        assert_eq!(duration(1, TimeUnit::Ticks), "1 tick");
        assert_eq!(duration(12_600, TimeUnit::Ticks), "12,600 ticks");
        assert_eq!(duration(2113, TimeUnit::Milliseconds), "2,113 ms");
        assert_eq!(duration(21_130, TimeUnit::Milliseconds), "21.1 s");
        assert_eq!(seconds(f64::INFINITY), "forever");
        assert_eq!(seconds(f64::NAN), "forever");
    }

    #[test]
    fn means_keep_what_matters() {
        assert_eq!(mean(0.0), "0");
        assert_eq!(mean(0.002), "0.002");
        assert_eq!(mean(1.165), "1.2");
    }
}
