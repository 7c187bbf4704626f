//! Parsers of the values of options.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// For times and rates.
pub const POSITIVE: RangeInclusive<f64> = 1e-3..=1e9;

/// Parses a number in a range.
pub fn number(range: RangeInclusive<f64>) -> impl Fn(&str) -> Result<f64, String> + Clone {
    move |text| in_range(text, "a number", &range)
}

/// Parses a whole number in a range.
pub fn whole<T>(range: RangeInclusive<T>) -> impl Fn(&str) -> Result<T, String> + Clone
where
    T: Clone + Display + FromStr + PartialOrd,
{
    move |text| in_range(text, "a whole number", &range)
}

fn in_range<T>(text: &str, what: &str, range: &RangeInclusive<T>) -> Result<T, String>
where
    T: Display + FromStr + PartialOrd,
{
    let parsed = text.parse().ok().filter(|number| range.contains(number));
    parsed.ok_or_else(|| format!("expected {what} from {} to {}", range.start(), range.end()))
}
