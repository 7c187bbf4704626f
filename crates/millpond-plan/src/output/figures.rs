//! Numbers for people.

/// A whole number with separators between thousands: `14,678`.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number with its noun: `1 slot`, `2 slots`, `3 classes`.
pub fn number_of(number: u64, what: &str) -> String {
    let ending = match what.as_bytes() {
        _ if number == 1 => "",
        [.., b's'] => "es",
        _ => "s",
    };
    format!("{} {what}{ending}", count(number))
}

/// The unit of a size, or of a range of sizes, as it is written: `byte` for `1`, `bytes` for all others.
pub fn byte_unit(size: &str) -> &'static str {
    if size == "1" { "byte" } else { "bytes" }
}

/// A size in bytes, KiB, MiB or GiB.
pub fn bytes(number: u64) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    if number < 10_240 {
        return format!("{} B", count(number));
    }
    let mut value = number as f64 / 1024.0;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if value < 100.0 {
        format!("{value:.1} {}", UNITS[unit])
    } else {
        format!("{value:.0} {}", UNITS[unit])
    }
}

/// A length of time in a suitable unit: `42 ms`, `95 s`, `3.2 h`, `14 d`, `2.1 y`.
pub fn duration(seconds: f64) -> String {
    duration_beside(seconds, seconds)
}

/// A stretch of time in the unit that fits a longer one, as the marks of an axis share it.
pub fn duration_beside(seconds: f64, longest_seconds: f64) -> String {
    const MINUTE: f64 = 60.0;
    const HOUR: f64 = 60.0 * MINUTE;
    const DAY: f64 = 24.0 * HOUR;
    const YEAR: f64 = 365.25 * DAY;
    let (unit_seconds, unit) = match longest_seconds {
        s if s > 0.0 && s < 0.1 => (0.001, "ms"),
        s if s < 2.0 * MINUTE => (1.0, "s"),
        s if s < 2.0 * HOUR => (MINUTE, "min"),
        s if s < 2.0 * DAY => (HOUR, "h"),
        s if s < YEAR => (DAY, "d"),
        s if s < 1e6 * YEAR => (YEAR, "y"),
        _ => return "> 1M y".to_owned(),
    };
    let value = seconds / unit_seconds;
    if value < 10.0 {
        format!("{value:.1} {unit}")
    } else {
        format!("{} {unit}", count(value.round() as u64))
    }
}

/// Microseconds as milliseconds, or as seconds if there are many: `0 ms`, `0.050 ms`, `4.1 ms`, `8,737 ms`,
/// `12.0 s`.
pub fn milliseconds(us: u64) -> String {
    match us {
        0 => "0 ms".to_owned(),
        1..1_000 => format!("{:.3} ms", us as f64 / 1_000.0),
        1_000..1_000_000 => format!("{:.1} ms", us as f64 / 1_000.0),
        1_000_000..10_000_000 => format!("{} ms", count((us + 500) / 1_000)),
        _ => format!("{:.1} s", us as f64 / 1_000_000.0),
    }
}

/// A small number: whole numbers as they are, others with about three digits: `0.018`, `1.17`, `60`, `428`.
pub fn small(number: f64) -> String {
    match number {
        n if n.fract() == 0.0 => count(n as u64),
        n if n < 0.001 => "<0.001".to_owned(),
        n if n < 1.0 => format!("{n:.3}"),
        n if n < 100.0 => format!("{n:.2}"),
        n => count(n.round() as u64),
    }
}

/// A share in per cent, with a digit after the point where it is small, or nearly all.
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if share < 1.0 && percent >= 99.5 {
        format!("{:.1} %", percent.min(99.9))
    } else if percent >= 9.95 || percent == 0.0 {
        format!("{percent:.0} %")
    } else {
        format!("{percent:.1} %")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_readable() {
        let counts = [0, 999, 1000, 14_678, 1_000_000].map(count);
        assert_eq!(counts, ["0", "999", "1,000", "14,678", "1,000,000"]);
        assert_eq!([0, 1, 2].map(|n| number_of(n, "slot")), ["0 slots", "1 slot", "2 slots"]);
        assert_eq!([1, 1000].map(|n| number_of(n, "class")), ["1 class", "1,000 classes"]);
        let sizes = [0, 10_239, 10_240, 11_489_893, u64::MAX].map(bytes);
        assert_eq!(sizes, ["0 B", "10,239 B", "10.0 KiB", "11.0 MiB", "16384 PiB"]);
        let times = [0.0, 0.0042, 0.5, 119.0, 120.0, 7200.0, 200_000.0, 1e9, 1e15].map(duration);
        assert_eq!(
            times,
            ["0.0 s", "4.2 ms", "0.5 s", "119 s", "2.0 min", "2.0 h", "2.3 d", "32 y", "> 1M y"]
        );
        let marks = [0.0, 0.75, 1.5, 3.0].map(|days| duration_beside(days * 86_400.0, 259_200.0));
        assert_eq!(marks, ["0.0 d", "0.8 d", "1.5 d", "3.0 d"]);
        let waits = [0, 50, 4_100, 999_900, 8_736_600, 12_000_000].map(milliseconds);
        assert_eq!(waits, ["0 ms", "0.050 ms", "4.1 ms", "999.9 ms", "8,737 ms", "12.0 s"]);
        let numbers = [0.0, 0.0001, 0.0184, 1.165, 60.0, 427.8].map(small);
        assert_eq!(numbers, ["0", "<0.001", "0.018", "1.17", "60", "428"]);
    }

    #[test]
    fn shares_keep_a_digit_where_they_are_small_or_nearly_all() {
        assert_eq!(
            [0.0, 0.014, 0.0994, 0.0996, 0.93, 0.994, 0.9951, 0.99999, 1.0].map(percent),
            ["0 %", "1.4 %", "9.9 %", "10 %", "93 %", "99 %", "99.5 %", "99.9 %", "100 %"]
        );
    }
}
