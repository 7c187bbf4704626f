//! Pools of what is expensive.
#![forbid(unsafe_code)]

mod blocking;
mod error;
mod hash;
pub mod ledger;
mod lender;
mod lenders;
mod maker;
mod park;
pub mod replay;
mod settings;
mod stats;
mod sync;
mod timer;
mod trace;

pub use blocking::{BlockingLender, BlockingLoan, BlockingMaker, Threaded, ThreadedError};
pub use error::{AcquireError, Holder, Lent, LoanHandle};
pub use ledger::Ledger;
pub use lender::{
    Acquire, AcquireMany, Asynchronous, Builder, CloseReport, Keeper, Lender, Loan, Tenants,
    Threads,
};
pub use lenders::{Lenders, LendersKeeper};
pub use maker::Maker;
pub use settings::{IdleOrder, Settings};
pub use stats::{Closings, Stats, WAIT_BUCKETS};
#[cfg(feature = "tokio")]
pub use timer::TokioTimer;
pub use timer::Timer;
pub use trace::{TRACE_HEADER, TraceRow};
