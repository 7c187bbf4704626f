//! The record of `millpond-bench-threads`.

use std::path::Path;

use serde::Deserialize;

use crate::csv;

/// One figure: nanoseconds per operation of a thread.
#[derive(Debug, Deserialize)]
pub(crate) struct Row {
    pub(crate) comparison: String,
    pub(crate) contender: String,
    pub(crate) threads: usize,
    /// Nothing if the contender panics.
    pub(crate) ns: Option<f64>,
}

pub(crate) fn load(path: &Path) -> Result<Vec<Row>, String> {
    csv::read(path)
}
