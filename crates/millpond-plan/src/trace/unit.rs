//! Units of the times in a table: milliseconds, which may have a fraction, microseconds, nanoseconds.

use super::fields::decimal;
use crate::error::shown;

/// The nanoseconds of a millisecond.
pub(super) const NS_PER_MS: u64 = 1_000_000;

/// A unit of time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Unit {
    #[default]
    Ms,
    Us,
    Ns,
}

impl Unit {
    /// The unit that a line begins with, and the rest of the line.
    pub(super) fn of(line: &[u8]) -> Option<(Self, &[u8])> {
        // The micro sign and the Greek letter, as tools write either.
        let names = [
            ("ms", Self::Ms),
            ("us", Self::Us),
            ("\u{b5}s", Self::Us),
            ("\u{3bc}s", Self::Us),
            ("ns", Self::Ns),
        ];
        names.into_iter().find_map(|(name, unit)| Some((unit, line.strip_prefix(name.as_bytes())?)))
    }

    /// The unit that a column is named after.
    pub(super) fn of_column(name: &[u8]) -> Option<Self> {
        Self::of(name).filter(|(_, rest)| rest.is_empty()).map(|(unit, _)| unit)
    }

    /// Its name in messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Ms => "ms",
            Self::Us => "µs",
            Self::Ns => "ns",
        }
    }

    fn in_ns(self) -> u64 {
        match self {
            Self::Ms => NS_PER_MS,
            Self::Us => 1000,
            Self::Ns => 1,
        }
    }

    /// A time in this unit, in nanoseconds; digits below a nanosecond are dropped.
    pub(super) fn ns(self, text: &[u8]) -> Result<u64, String> {
        let (whole, fraction) = match text.iter().position(|&b| b == b'.') {
            Some(point) => (&text[..point], &text[point + 1..]),
            None => (text, &b"0"[..]),
        };
        let is_number = !fraction.is_empty() && fraction.iter().all(u8::is_ascii_digit);
        let of_whole = decimal(whole).and_then(|whole| whole.checked_mul(self.in_ns()));
        let mut below = 0;
        let mut place = self.in_ns() / 10;
        for digit in fraction {
            below += u64::from(digit.wrapping_sub(b'0')).saturating_mul(place);
            place /= 10;
        }
        match of_whole.and_then(|ns| ns.checked_add(below)).filter(|_| is_number) {
            Some(ns) => Ok(ns),
            None => Err(format!("time `{}`, expected a number of {}", shown(text), self.name())),
        }
    }

    /// Nanoseconds in this unit.
    pub(super) fn shown(self, ns: u64) -> String {
        let (whole, below) = (ns / self.in_ns(), ns % self.in_ns());
        if below == 0 {
            return whole.to_string();
        }
        let digits = self.in_ns().ilog10() as usize;
        let fraction = format!("{below:0digits$}");
        format!("{whole}.{}", fraction.trim_end_matches('0'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_every_unit_are_read_to_the_nanosecond() {
        for (unit, text, ns) in [
            (Unit::Ms, "12", 12_000_000),
            (Unit::Ms, "12.345", 12_345_000),
            (Unit::Ms, "0.0000019", 1),
            (Unit::Us, "7.25", 7_250),
            (Unit::Ns, "18446744073709551615", u64::MAX),
            (Unit::Ns, "5.9", 5),
        ] {
            assert_eq!(unit.ns(text.as_bytes()), Ok(ns), "{text}");
        }
        for wrong in [
            "",
            ".",
            "1.",
            ".5",
            "-1",
            "1e3",
            "1.5.2",
            "1,5",
            "99999999999999999999",
            "18446744073709551615",
        ] {
            let why = Unit::Ms.ns(wrong.as_bytes()).expect_err(wrong);
            assert!(why.contains("expected a number of ms"), "{why}");
        }
        assert_eq!(Unit::of("\u{b5}s,event".as_bytes()), Some((Unit::Us, &b",event"[..])));
        assert_eq!(Unit::of_column(b"ms_of_frame"), None);
        assert_eq!(Unit::Ms.shown(12_345_000), "12.345");
        assert_eq!([Unit::Us.shown(7_000), Unit::Ns.shown(9)], ["7", "9"]);
    }
}
