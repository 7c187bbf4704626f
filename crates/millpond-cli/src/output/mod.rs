//! What a person or a program gets to see.

pub(crate) mod advice;
pub(crate) mod budget_toml;
pub(crate) mod figures;
pub(crate) mod json;
pub(crate) mod meaning;
pub(crate) mod paint;
pub(crate) mod plan_csv;
pub(crate) mod plan_json;
pub(crate) mod plan_text;
pub mod progress;
pub(crate) mod size_classes;
pub(crate) mod table;
pub(crate) mod wrap;
