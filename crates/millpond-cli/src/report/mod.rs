//! `report.html`: one self-contained file with tables and plots that a person wants to look at.

pub mod model;
