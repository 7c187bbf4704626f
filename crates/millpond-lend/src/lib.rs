//! Pools of what is expensive to open, such as connections to a database.
//!
//! A [`Lender`] lends objects that a [`Maker`] opens, on any asynchronous runtime; a [`BlockingLender`] is
//! the same for threads, and [`Lenders`] are several under one total. What they decide, they decide by a
//! [`Ledger`]: a state machine without clock, lock or I/O, through which [`replay`] also runs recorded
//! loans, to find out how many objects a program needs.
//!
//! # What it promises
//!
//! - **First come, first served.** An object that comes back is handed to the first who waits; nobody
//!   overtakes, not even the caller who has just given it back.
//! - **An exact capacity.** Never more objects exist than may, also while the capacity shrinks, but for
//!   loans that are still out.
//! - **Few openings.** Two at once, by the [`Keeper`], so that they survive callers who give up; and, once
//!   eight loans have come back, only if the wait for an object that exists would be longer than an
//!   opening, or nothing comes back for as long as one takes.
//! - **Bounded waits, and errors that say why**: [`AcquireError`] names who holds what since when, and why
//!   the last opening failed.
//! - **Nothing is lost** when a future is dropped at any await, or a maker panics.
//! - **No runtime** is needed to drop a loan, and none at all by a [`BlockingLender`].
//!
//! # Cost
//!
//! Acquiring and giving back lock one mutex each, read the clock, and allocate nothing. The mutex is never
//! held while users' code runs: makers, wakers, the drop of an object.
//!
//! # Features
//!
//! None by default: the crate then depends on millpond alone. `tokio` is [`Timer`]'s tokio; `rusqlite`,
//! `postgres`, `tokio-postgres`, `redis` are [makers]; `deadpool` and `bb8` take those crates' managers;
//! `metrics` and `tracing` report.
#![forbid(unsafe_code)]

mod blocking;
mod error;
mod hash;
pub mod ledger;
mod lender;
mod lenders;
mod maker;
pub mod makers;
#[cfg(any(feature = "metrics", feature = "tracing"))]
mod observe;
mod park;
mod quiet;
pub mod replay;
mod settings;
mod stats;
mod sync;
mod timer;
mod trace;

pub use blocking::{BlockingLender, BlockingLoan, BlockingMaker, Threaded, ThreadedError};
pub use error::{AcquireError, Holder, Lent, LoanHandle, Unopened};
pub use ledger::Ledger;
pub use lender::{
    Acquire, AcquireMany, Asynchronous, Builder, CloseReport, Keeper, Lender, Loan, Tenants,
    Threads,
};
pub use lenders::{Lenders, LendersKeeper};
pub use maker::Maker;
#[cfg(feature = "metrics")]
pub use observe::publish;
pub use settings::{IdleOrder, Settings};
pub use stats::{Closings, Stats, WAIT_BUCKETS};
pub use timer::Timer;
#[cfg(feature = "tokio")]
pub use timer::TokioTimer;
pub use trace::{LIVE_HEADER, LiveStats, TRACE_HEADER, TraceRow};

/// The code of the crate's page, compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// The code of the guide's page, compiled and run with the tests.
#[cfg(all(doctest, feature = "rusqlite"))]
#[doc = include_str!("../../../docs/guide/connections.md")]
struct Guide;
