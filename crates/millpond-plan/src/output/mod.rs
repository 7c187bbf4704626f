//! The output, for people and for programs.

pub mod advice;
pub mod between;
pub mod budget_toml;
pub mod csv_table;
pub mod figures;
pub mod foreign;
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
