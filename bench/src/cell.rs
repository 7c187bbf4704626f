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
    /// Half the distance of the processes' quartiles, in percent of the median, if there were several.
    #[serde(serialize_with = "csv::rounded_if_any")]
    pub(crate) spread_percent: Option<f64>,
    pub(crate) rounds: usize,
    /// The figure of each process, in the order of the processes. Only until the verdict: not recorded.
    #[serde(skip)]
    pub(crate) processes: Vec<f64>,
}

impl Cell {
    pub(crate) fn group(&self) -> Group {
        Group { object_bytes: self.object_bytes, slots: self.slots }
    }

    /// The median over the processes of how many times the time of `other` in the same process this one took: while the
    /// machine is slow, it slows both.
    pub(crate) fn ratio(&self, other: &Self) -> f64 {
        let processes = self.processes.iter().zip(&other.processes);
        let mut ratios: Vec<f64> = processes.map(|(own, other)| own / other).collect();
        ratios.sort_by(f64::total_cmp);
        if ratios.is_empty() { self.median / other.median } else { quantile(&ratios, 0.5) }
    }
}

/// One cell of those that several processes measured: the median of their figures.
pub(crate) fn merged(of: &[Cell]) -> Option<Cell> {
    let mut figures: Vec<f64> = of.iter().map(|cell| cell.median).collect();
    let processes = figures.clone();
    figures.sort_by(f64::total_cmp);
    let first = of.first()?.clone();
    let [low, median, high] = [0.25, 0.5, 0.75].map(|part| quantile(&figures, part));
    let spread_percent = (of.len() > 1).then(|| (high - low) / 2.0 / median * 100.0);
    Some(Cell { median, spread_percent, processes, ..first })
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

    fn measured(processes: &[f64]) -> Cell {
        let cells: Vec<Cell> = processes
            .iter()
            .map(|&median| Cell {
                work: "work".into(),
                object_bytes: 16,
                slots: 1000,
                contender: "one".into(),
                kind: Kind::Index,
                median,
                spread_percent: None,
                rounds: 1,
                processes: Vec::new(),
            })
            .collect();
        merged(&cells).unwrap()
    }

    #[test]
    fn ratio_compares_figures_of_the_same_process() {
        // The machine is slow in two processes of three, and in one of them only for the second contender.
        let (one, two) = (measured(&[1.0, 4.0, 2.0]), measured(&[2.0, 8.0, 8.0]));
        assert_eq!((one.median / two.median, one.ratio(&two)), (0.25, 0.5));
    }

    #[test]
    fn merged_takes_the_median_of_the_processes_and_how_far_they_differ() {
        let cell = measured(&[4.0, 1.0, 2.0]);
        assert_eq!((cell.median, cell.spread_percent), (2.0, Some(37.5)));
        assert_eq!(measured(&[4.0]).spread_percent, None);
        assert_eq!(merged(&[]), None);
    }

    #[test]
    fn quantile_takes_the_middle_or_between_the_two_middles() {
        assert_eq!(quantile(&[1.0, 2.0, 9.0], 0.5), 2.0);
        assert_eq!(quantile(&[1.0, 2.0, 4.0, 9.0], 0.5), 3.0);
        assert_eq!(quantile(&[7.0], 0.25), 7.0);
    }
}
