//! The output, for people and for programs.

pub mod advice;
pub mod budget_toml;
pub mod figures;
mod handles;
pub mod json;
pub mod meaning;
pub mod merge_csv;
pub mod merge_json;
pub mod merge_text;
pub mod paint;
pub mod plan_csv;
pub mod plan_json;
pub mod plan_text;
pub mod size_classes;
pub mod table;
pub mod wrap;

use crate::error::{Failure, shown};

/// The finished CSV table.
pub fn csv_text(table: csv::Writer<Vec<u8>>) -> Result<String, Failure> {
    let text = table.into_inner().map_err(|e| csv_failure(e.into_error().into()))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// A field of a CSV table; empty if the value is unknown.
pub fn csv_field(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// A table that could not be written, for lack of memory.
pub fn csv_failure(error: csv::Error) -> Failure {
    Failure::Output(format!("the table: {}", shown(error.to_string().as_bytes())))
}
