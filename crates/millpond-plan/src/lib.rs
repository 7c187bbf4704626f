//! Reads recordings of real programs, and plans object pools from them.
//!
//! ```
//! use millpond_plan::input::Source;
//! use millpond_plan::plan::{Rules, plan};
//!
//! let trace = b"tick,event,id,class\n0,alloc,1,Spark\n0,alloc,2,Spark\n3,free,1,Spark\n";
//! let plan = plan("game.csv", &Source::from_memory(trace), &Rules::default())?;
//! assert_eq!(plan.classes[0].capacity, 3); // two at once, and a quarter more, rounded up
//! assert!(plan.proof().holds()); // replayed on real pools
//! # Ok::<(), millpond_plan::error::Fault>(())
//! ```
//!
//! This library is what the tool `millpond` does without its command line: it reads no arguments, writes no files, and
//! draws on no terminal. Its interface may change until millpond 1.0.
//!
//! - [`input`] opens recordings, plain or compressed; [`trace`] reads them in each of their formats, and [`loans`]
//!   those of lenders; [`sums`] has the files of tools that add up by place and keep no single block.
//! - [`plan`](mod@plan) computes capacities, proves them by replaying the recording on real pools, and advises what to
//!   pool; [`measure`](mod@measure) measures what following the advice saves on this machine; [`summary`] and [`merge`] do so for many sessions.
//! - [`output`] writes plans as text, JSON, CSV and TOML; [`report`] writes them as a page for any browser.

mod chance;
pub mod compare;
pub mod error;
pub mod input;
pub mod loans;
pub mod measure;
pub mod merge;
pub mod nearest;
pub mod output;
pub mod pattern;
pub mod plan;
pub mod plan_report;
pub mod progress;
pub mod random;
pub mod reading;
pub mod report;
pub mod samples;
pub mod summary;
pub mod sums;
pub mod trace;

pub use millpond_laps::clock;
