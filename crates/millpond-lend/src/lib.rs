//! Pools of objects that are expensive to open, such as database connections.
//!
//! A [`Lender`] lends objects that a [`Maker`] opens, on any asynchronous runtime; a
//! [`BlockingLender`] does the same for threads, and [`Lenders`] are several lenders under one
//! total. All decisions of one lender are made by a [`Ledger`], a state machine without clock, lock
//! or I/O.
//! [`replay`] runs recorded loans through it, to find out how many objects a program needs.
//!
//! # What it promises
//!
//! - **First come, first served.** A returned object goes to the first waiting caller; nobody
//!   overtakes, not even the caller that has just returned it.
//! - **An exact capacity.** There are never more objects than the capacity, except for loans that
//!   are still out when the capacity shrinks.
//! - **Few openings.** The [`Keeper`], not the caller, opens objects, so openings survive callers
//!   that give up. It opens at most [`openings_max`](Builder::openings_max) at once (2 by default).
//!   Once eight loans have been returned, it opens one only if the wait for an existing object
//!   would be longer than an opening, or callers have waited, all together, for as long as one takes.
//! - **Bounded waits, and errors that say why**: [`AcquireError`] says who holds which object since
//!   when, and why the last opening failed.
//! - **Nothing is lost** if a future is dropped at any await, or a maker panics. A maker, object, error, waker or timer
//!   that panics costs one object at most, even while the caller's own panic unwinds.
//! - **Nothing half done is lent again**: a loan that a panic drops, or one in the middle of an
//!   [`exchange`](Loan::exchange), is closed. A transaction that a caller left open is rolled back.
//! - **A fork and a sleep of the machine are noticed**: a forked child is told that the lender is its
//!   parent's, and after a sleep, objects are checked before they are lent.
//! - **No runtime** is needed to drop a loan, and a [`BlockingLender`] needs none at all.
//!
//! # Cost
//!
//! Acquiring and returning each lock one mutex, read the clock, and allocate nothing. The mutex is
//! never held while user code runs: makers, wakers, the drop of an object.
//!
//! # Features
//!
//! None by default: the crate then depends only on millpond. `tokio` adds a [`Timer`] of tokio;
//! `rusqlite`, `postgres`, `tokio-postgres` and `redis` add [makers]; `deadpool` and `bb8` add
//! adapters for those crates' managers; `metrics` and `tracing` report to the crates of these
//! names. Each of these also exports its crate, for example as `millpond_lend::rusqlite`. `quanta`
//! reads the processor's time-stamp counter, which halves the time of a loan; it is not for machines
//! that sleep, nor for virtual machines that move to another host.
#![forbid(unsafe_code)]

mod blocking;
mod causes;
mod error;
mod hash;
pub mod ledger;
mod lender;
mod lenders;
mod maker;
pub mod makers;
#[cfg(any(feature = "metrics", feature = "tracing"))]
mod observe;
mod outside;
mod park;
mod quiet;
pub mod replay;
mod settings;
mod stats;
mod sync;
mod timer;
mod trace;

// The crates that features enable: a program that names their types by these paths needs no dependency on them of its own.
#[cfg(feature = "bb8")]
pub use bb8;
#[cfg(feature = "deadpool")]
pub use deadpool;
#[cfg(feature = "metrics")]
pub use metrics;
#[cfg(feature = "postgres")]
pub use postgres;
#[cfg(feature = "redis")]
pub use redis;
#[cfg(feature = "rusqlite")]
pub use rusqlite;
#[cfg(feature = "tokio")]
pub use tokio;
#[cfg(feature = "tokio-postgres")]
pub use tokio_postgres;
#[cfg(feature = "tracing")]
pub use tracing;

pub use blocking::{BlockingLender, BlockingLoan, BlockingMaker, Threaded, ThreadedError};
pub use causes::{WithCauses, with_causes};
pub use error::{AcquireError, Holder, Lent, LoanHandle, Unopened};
pub use ledger::Ledger;
pub use lender::{
    Acquire, AcquireMany, Asynchronous, Builder, CloseReport, Exchange, Keeper, Lender, Loan,
    Tenants, Threads,
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

/// The code of the page on connections, compiled and run with the tests.
#[cfg(all(doctest, feature = "rusqlite", feature = "tokio-postgres"))]
#[doc = include_str!("../docs/connections.md")]
struct Guide;

/// The code of the page on what may come back, compiled and run with the tests.
#[cfg(all(doctest, feature = "rusqlite", feature = "tokio-postgres"))]
#[doc = include_str!("../docs/what-may-come-back.md")]
struct MayComeBack;

/// The code of the page on poolers, forks and sleep, compiled with the tests.
#[cfg(all(doctest, feature = "tokio-postgres"))]
#[doc = include_str!("../docs/poolers-forks-and-sleep.md")]
struct Poolers;
