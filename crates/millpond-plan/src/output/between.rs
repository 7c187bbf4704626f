//! Figures from one end to the other, where a recording does not say who died.

use serde::Serialize;

use super::figures::count;
use super::json::LengthJson;
use crate::plan::{Between, Length};

/// What a plan says of a recording that does not say who died.
pub const WHO_DIED_IS_UNKNOWN: &str = "heaptrack's interpreted file does not say which of several blocks of one size and call stack is freed. So what \
     smaller pools refuse or evict, how long objects live, how long handles last and what a replay measures are ranges: \
     from the newest of them freed first to the oldest freed first, or one figure where both agree. Counts, peaks and \
     slots to reserve are exact. `heaptrack --raw` records which block is freed; then each range of lives is one figure.";

/// The same for the first lines of a plan, whose tables have no more than that.
pub const WHO_DIED_IS_UNKNOWN_BRIEFLY: &str = "heaptrack's interpreted file does not say which of several equal blocks is freed, so refusals and evictions are \
     ranges, as if the newest or the oldest were; `heaptrack --raw` records which.";

/// What is said of a replay, which lets the newest of several equal blocks die where a recording does not say which did.
pub const NEWEST_DIES_FIRST: &str = "heaptrack's interpreted file does not say which of several blocks of one size and call stack is freed. This replay \
     frees the newest, as if all were temporaries; where the oldest dies first, its figures are others. `heaptrack --raw` \
     records which block is freed.";

/// The same in a legend.
pub const ENDS: &str = "; from–to: where a recording does not say which of several equal blocks was freed, as if the newest, and as if the \
     oldest of them had been";

/// In a sentence: `1,544 to 4,208`, or the one figure.
pub fn between(figures: Between<u64>) -> String {
    match figures.one() {
        Some(one) => count(one),
        None => format!("{} to {}", count(figures.least), count(figures.most)),
    }
}

/// In a table: `1,544–4,208`, or the one figure.
pub fn in_table(figures: Between<u64>) -> String {
    match figures.one() {
        Some(one) => count(one),
        None => format!("{}–{}", count(figures.least), count(figures.most)),
    }
}

/// The length of a lifetime in a table; `≥` if it may be longer.
pub fn length_in_table(length: Option<Between<Length>>) -> String {
    let shown = |length: Length| {
        let sign = if length.at_least { "≥" } else { "" };
        format!("{sign}{}", count(length.ticks))
    };
    match length.map(|length| (length.one(), length)) {
        None => "–".to_owned(),
        Some((Some(one), _)) => shown(one),
        Some((None, both)) if both.least.ticks == both.most.ticks => shown(both.most),
        Some((None, both)) => format!("{}–{}", shown(both.least), shown(both.most)),
    }
}

/// Two figures as JSON: where there is one, it has a field of its own instead.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct BetweenJson<T> {
    least: T,
    most: T,
}

impl<T: PartialEq + Copy> BetweenJson<T> {
    /// The figures, unless they are one.
    pub fn of(figures: Between<T>) -> Option<Self> {
        figures.one().is_none().then_some(Self { least: figures.least, most: figures.most })
    }
}

impl BetweenJson<LengthJson> {
    /// The lengths, unless they are one.
    pub fn of_lengths(lengths: Option<Between<Length>>) -> Option<Self> {
        let lengths = lengths.filter(|lengths| lengths.one().is_none())?;
        Some(Self { least: lengths.least.into(), most: lengths.most.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_figure_stands_alone_and_two_stand_together() {
        let both = Between::ends(4208, 1544);
        assert_eq!(
            (between(both), in_table(both)),
            ("1,544 to 4,208".into(), "1,544–4,208".into())
        );
        assert_eq!(
            (between(Between::known(7)), in_table(Between::known(7))),
            ("7".into(), "7".into())
        );
        let length = |ticks, at_least| Length { ticks, at_least };
        let of = |one, other| length_in_table(Some(Between::of_lengths(one, other)));
        assert_eq!(of(length(719, true), length(20, false)), "20–≥719");
        assert_eq!(of(length(20, true), length(20, false)), "≥20");
        assert_eq!(of(length(5, false), length(5, false)), "5");
        assert_eq!(length_in_table(None), "–");
    }
}
