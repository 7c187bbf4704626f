//! What happens to a process without its doing: it is copied by a fork, or its machine sleeps.
//!
//! To ask the system takes longer than a loan, so both are asked about only if the last question is some time ago. Neither
//! a fork nor a sleep is over within so short a time.

use std::process;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::sync::Clock;

/// A question that is no older than this still has its answer. A fork copies the tables of the process's memory, a sleep
/// stops its threads and the devices; both take longer.
const ANSWERED_FOR_US: u64 = 20;

/// By how much more the time of day must have advanced than the clock that stands still in a sleep. Less is a
/// correction of the time of day, or a sleep that no connection notices.
const SLEEP_MIN_US: i64 = 1_000_000;

/// The process that built a lender. A child that was forked from it has the lender's memory, but neither its keeper nor its
/// threads, and its connections are the parent's.
#[derive(Debug)]
pub(crate) struct Origin {
    process: u32,
    /// When the number of the process was last asked for.
    asked_us: AtomicU64,
}

impl Origin {
    pub(crate) fn here() -> Self {
        Self { process: process::id(), asked_us: AtomicU64::new(0) }
    }

    /// The process that built the lender, if it is not this one. Takes no lock: another thread may have held it when the
    /// process was forked, and never returns it here.
    #[inline]
    pub(crate) fn elsewhere(&self, now_us: u64) -> Option<u32> {
        if now_us.saturating_sub(self.asked_us.load(Relaxed)) < ANSWERED_FOR_US {
            return None;
        }
        self.ask(now_us)
    }

    #[inline(never)]
    fn ask(&self, now_us: u64) -> Option<u32> {
        if self.is_here() {
            self.asked_us.store(now_us, Relaxed);
            return None;
        }
        Some(self.process)
    }

    /// Whether the lender was built by this process.
    pub(crate) fn is_here(&self) -> bool {
        process::id() == self.process
    }
}

/// Compares the time of day with the lender's clock, which stands still while the machine sleeps (as that of Linux and of
/// macOS does).
#[derive(Debug, Default)]
pub(crate) struct SleepWatch {
    /// When they were last compared.
    compared_us: u64,
    /// How far the time of day was ahead then.
    ahead_us: i64,
}

impl SleepWatch {
    pub(crate) fn new(clock: &Clock) -> Self {
        let compared_us = clock.now_us();
        Self { compared_us, ahead_us: ahead_us(clock, compared_us) }
    }

    /// Whether the machine has slept since the last call, or its time of day was set forward.
    #[inline]
    pub(crate) fn has_slept(&mut self, now_us: u64, clock: &Clock) -> bool {
        now_us.saturating_sub(self.compared_us) >= ANSWERED_FOR_US && self.compare(now_us, clock)
    }

    #[inline(never)]
    fn compare(&mut self, now_us: u64, clock: &Clock) -> bool {
        self.compared_us = now_us;
        // Read anew: the caller may have waited for the lock since it read `now_us`.
        let ahead_us = ahead_us(clock, clock.now_us());
        let was_ahead_us = std::mem::replace(&mut self.ahead_us, ahead_us);
        ahead_us.saturating_sub(was_ahead_us) > SLEEP_MIN_US
    }
}

/// How far the time of day is ahead of the lender's clock.
fn ahead_us(clock: &Clock, now_us: u64) -> i64 {
    clock.time_of_day_us().saturating_sub(i64::try_from(now_us).unwrap_or(i64::MAX))
}
