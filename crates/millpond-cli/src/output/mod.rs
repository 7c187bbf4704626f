//! The output, for people and for programs.

pub(crate) mod advice;
pub(crate) mod budget_toml;
pub(crate) mod figures;
mod handles;
pub(crate) mod json;
pub(crate) mod meaning;
pub(crate) mod merge_csv;
pub(crate) mod merge_json;
pub(crate) mod merge_text;
pub(crate) mod paint;
pub(crate) mod plan_csv;
pub(crate) mod plan_json;
pub(crate) mod plan_text;
pub mod progress;
pub(crate) mod size_classes;
pub(crate) mod table;
pub(crate) mod wrap;

use crate::error::{Failure, shown};

/// The finished CSV table.
pub(crate) fn csv_text(table: csv::Writer<Vec<u8>>) -> Result<String, Failure> {
    let text = table.into_inner().map_err(|e| csv_failure(e.into_error().into()))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// A field of a CSV table; empty if the value is unknown.
pub(crate) fn csv_field(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// A table that could not be written, for lack of memory.
pub(crate) fn csv_failure(error: csv::Error) -> Failure {
    Failure::Output(format!("the table: {}", shown(error.to_string().as_bytes())))
}
