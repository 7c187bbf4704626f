//! Recordings beside what was planned or recorded before: [`check`](check::check) compares one with a budget,
//! [`diff`](diff::diff) with another recording.

pub mod check;
pub mod diff;
mod sites;
mod timeline;

pub use sites::{Opened, Site};
pub use timeline::Moment;
