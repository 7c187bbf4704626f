//! The lock, and the clock: loom's under `--cfg millpond_loom`.

#[cfg(millpond_loom)]
pub(crate) use loom::sync::{Mutex, MutexGuard};
#[cfg(not(millpond_loom))]
pub(crate) use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// Locks, also after a panic: the ledger runs no code of users while it is locked.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Microseconds since the lender was built.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock {
    built: Instant,
}

impl Clock {
    pub(crate) fn new() -> Self {
        Self { built: Instant::now() }
    }

    #[inline]
    pub(crate) fn now_us(&self) -> u64 {
        let since = self.built.elapsed();
        since.as_secs() * 1_000_000 + u64::from(since.subsec_micros())
    }

    /// The moment, if it can be told.
    pub(crate) fn instant_at(&self, at_us: u64) -> Option<Instant> {
        self.built.checked_add(Duration::from_micros(at_us))
    }
}
