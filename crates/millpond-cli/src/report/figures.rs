//! Numbers as people read them.

use super::model::TimeUnit;

/// `1234567` as `1,234,567`.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// `1234567` as `1.2 M`, for the ends of an axis.
pub(crate) fn short_count(number: u64) -> String {
    scaled(number, 1000, &["", " k", " M", " G", " T", " P", " E"])
}

/// A number of bytes as `1.2 MiB`.
pub(crate) fn bytes(number: u64) -> String {
    scaled(number, 1024, &[" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"])
}

/// A length of time in the trace's own unit.
pub(crate) fn duration(length: u64, unit: TimeUnit) -> String {
    match unit {
        TimeUnit::Ticks => plural(length, "tick"),
        TimeUnit::Events => plural(length, "event"),
        TimeUnit::Milliseconds if length < 10_000 => format!("{} ms", count(length)),
        TimeUnit::Milliseconds => format!("{} s", one_decimal(length as f64 / 1000.0)),
    }
}

/// A length of time as short as an axis needs it, without the word for a unit that has none.
pub(crate) fn short_duration(length: u64, unit: TimeUnit) -> String {
    match unit {
        TimeUnit::Ticks | TimeUnit::Events => short_count(length),
        TimeUnit::Milliseconds if length < 1000 => format!("{length} ms"),
        TimeUnit::Milliseconds => format!("{} s", one_decimal(length as f64 / 1000.0)),
    }
}

/// The word for one step of time.
pub(crate) fn unit_name(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Ticks => "tick",
        TimeUnit::Milliseconds => "ms",
        TimeUnit::Events => "event",
    }
}

/// The word for several steps of time.
pub(crate) fn unit_names(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Ticks => "ticks",
        TimeUnit::Milliseconds => "ms",
        TimeUnit::Events => "events",
    }
}

/// Seconds as the largest unit that leaves a number above one: `3.2 h`, `41 years`.
pub(crate) fn seconds(seconds: f64) -> String {
    const UNITS: [(f64, &str); 5] = [
        (365.25 * 86_400.0, "years"),
        (86_400.0, "days"),
        (3600.0, "h"),
        (60.0, "min"),
        (1.0, "s"),
    ];
    if !seconds.is_finite() || seconds < 0.0 {
        return "for ever".to_owned();
    }
    for (length, name) in UNITS {
        if seconds >= length {
            return format!("{} {name}", one_decimal(seconds / length));
        }
    }
    format!("{} ms", one_decimal(seconds * 1000.0))
}

/// A ratio as per cent, with a digit after the point where it is small.
pub(crate) fn percent(share: f64) -> String {
    format!("{} %", one_decimal(share * 100.0))
}

/// A mean: one decimal, more where that would show nothing but zero.
pub(crate) fn mean(value: f64) -> String {
    if value > 0.0 && value < 0.095 { format!("{value:.3}") } else { one_decimal(value) }
}

/// A number with the word for what it counts: `3 ticks`, `1 tick`.
pub(crate) fn plural(number: u64, word: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{} {word}{ending}", count(number))
}

fn scaled(number: u64, base: u64, units: &[&str]) -> String {
    let mut value = number as f64;
    let mut unit = 0;
    // The comparison is with what rounds up to `base`, so that 999,999 is 1 M and not 1000 k.
    while value >= base as f64 - 0.5 && unit + 1 < units.len() {
        value /= base as f64;
        unit += 1;
    }
    format!("{}{}", one_decimal(value), units[unit])
}

/// One digit after the point below 100 unless it is a zero; grouped whole numbers from there on.
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
    fn count_groups_by_three() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1000), "1,000");
        assert_eq!(count(u64::MAX), "18,446,744,073,709,551,615");
    }

    #[test]
    fn scaled_numbers_never_show_the_base() {
        assert_eq!(short_count(999), "999");
        assert_eq!(short_count(1000), "1 k");
        assert_eq!(short_count(12_600), "12.6 k");
        assert_eq!(short_count(999_999), "1 M");
        assert_eq!(bytes(1023), "1,023 B");
        assert_eq!(bytes(1024), "1 KiB");
        assert_eq!(bytes(11_489_893), "11 MiB");
        assert_eq!(bytes(u64::MAX), "16 EiB");
    }

    #[test]
    fn durations_name_their_unit() {
        assert_eq!(duration(1, TimeUnit::Ticks), "1 tick");
        assert_eq!(duration(12_600, TimeUnit::Ticks), "12,600 ticks");
        assert_eq!(duration(2113, TimeUnit::Milliseconds), "2,113 ms");
        assert_eq!(duration(21_130, TimeUnit::Milliseconds), "21.1 s");
        assert_eq!(seconds(0.004), "4 ms");
        assert_eq!(seconds(90.0), "1.5 min");
        assert_eq!(seconds(7200.0), "2 h");
        assert_eq!(seconds(1e9), "31.7 years");
        assert_eq!(seconds(f64::INFINITY), "for ever");
        assert_eq!(seconds(f64::NAN), "for ever");
    }

    #[test]
    fn means_and_shares_keep_what_matters() {
        assert_eq!(mean(0.0), "0");
        assert_eq!(mean(0.002), "0.002");
        assert_eq!(mean(1.165), "1.2");
        assert_eq!(percent(0.5), "50 %");
        assert_eq!(percent(0.0123), "1.2 %");
    }
}
