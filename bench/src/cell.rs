//! What was measured of one contender at one work.

use serde::{Deserialize, Serialize};

use crate::contender::Kind;
use crate::csv;

/// What the laps of one contender at one task took, in nanoseconds per operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Cell {
    pub(crate) work: String,
    pub(crate) object_bytes: usize,
    pub(crate) slots: usize,
    pub(crate) contender: String,
    pub(crate) kind: Kind,
    #[serde(rename = "median_ns", serialize_with = "csv::rounded")]
    pub(crate) median: f64,
    /// Half the distance of the quartiles, in percent of the median.
    #[serde(serialize_with = "csv::rounded_if_any")]
    pub(crate) spread_percent: Option<f64>,
    pub(crate) rounds: usize,
    /// What each round's lap took, in the order of the rounds. Only until the verdict: not recorded.
    #[serde(skip)]
    pub(crate) laps: Vec<f64>,
}

impl Cell {
    pub(crate) fn group(&self) -> Group {
        Group { object_bytes: self.object_bytes, slots: self.slots }
    }

    /// The median over the rounds of how many times the time of `other` in the same round this one took: a round in
    /// which the machine is slow slows both.
    pub(crate) fn ratio(&self, other: &Self) -> f64 {
        let rounds = self.laps.iter().zip(&other.laps);
        let mut ratios: Vec<f64> = rounds.map(|(own, other)| own / other).collect();
        ratios.sort_by(f64::total_cmp);
        if ratios.is_empty() { self.median / other.median } else { quantile(&ratios, 0.5) }
    }
}

/// A group of cells that one table shows: objects of one size in stores of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) object_bytes: usize,
    pub(crate) slots: usize,
}

/// The value below which `part` of the sorted `values` lie, between neighbours by proportion.
pub(crate) fn quantile(values: &[f64], part: f64) -> f64 {
    let place = part * (values.len() - 1) as f64;
    let (low, high) = (values[place.floor() as usize], values[place.ceil() as usize]);
    low + (high - low) * place.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantile_takes_the_middle_or_between_the_two_middles() {
        assert_eq!(quantile(&[1.0, 2.0, 9.0], 0.5), 2.0);
        assert_eq!(quantile(&[1.0, 2.0, 4.0, 9.0], 0.5), 3.0);
        assert_eq!(quantile(&[7.0], 0.25), 7.0);
    }
}
