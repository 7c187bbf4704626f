//! The lock, the shared number, and the clock: loom's under `--cfg millpond_loom`.

#[cfg(millpond_loom)]
pub(crate) use loom::sync::{
    Mutex, MutexGuard,
    atomic::{AtomicUsize, Ordering},
};
#[cfg(test)]
use std::sync::atomic::AtomicU64;
#[cfg(not(millpond_loom))]
pub(crate) use std::sync::{
    Mutex, MutexGuard,
    atomic::{AtomicUsize, Ordering},
};
use std::time::{Duration, Instant, SystemTime};

/// Locks, even after a panic: no users' code runs while the ledger is locked.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Microseconds since the lender was built.
#[derive(Debug)]
pub(crate) struct Clock {
    built: Instant,
    #[cfg(feature = "quanta")]
    counter: Counter,
    /// For how long the machine has slept, as a test wants it.
    #[cfg(test)]
    pub(crate) slept_us: AtomicU64,
}

/// The processor's time-stamp counter, or the system's clock if the processor has no steady counter.
#[cfg(feature = "quanta")]
#[derive(Debug)]
struct Counter {
    clock: quanta::Clock,
    built: u64,
}

impl Clock {
    pub(crate) fn new() -> Self {
        #[cfg(feature = "quanta")]
        let clock = quanta::Clock::new();
        Self {
            built: Instant::now(),
            #[cfg(feature = "quanta")]
            counter: Counter { built: clock.raw(), clock },
            #[cfg(test)]
            slept_us: AtomicU64::new(0),
        }
    }

    #[cfg(not(feature = "quanta"))]
    #[inline]
    pub(crate) fn now_us(&self) -> u64 {
        let since = self.built.elapsed();
        since.as_secs() * 1_000_000 + u64::from(since.subsec_micros())
    }

    #[cfg(feature = "quanta")]
    #[inline]
    pub(crate) fn now_us(&self) -> u64 {
        let Counter { clock, built } = &self.counter;
        clock.delta_as_nanos(*built, clock.raw()) / 1000
    }

    /// Microseconds since the year 1970. This clock goes on while the machine sleeps; it may be set, also back.
    pub(crate) fn time_of_day_us(&self) -> i64 {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let time_us = i64::try_from(since.as_micros()).unwrap_or(i64::MAX);
        #[cfg(test)]
        let time_us = time_us
            + i64::try_from(self.slept_us.load(std::sync::atomic::Ordering::SeqCst)).unwrap();
        time_us
    }

    /// The current time, if it can be read.
    pub(crate) fn instant_at(&self, at_us: u64) -> Option<Instant> {
        self.built.checked_add(Duration::from_micros(at_us))
    }
}

#[cfg(all(test, not(millpond_loom)))]
mod tests {
    use super::*;

    #[test]
    fn the_clock_counts_microseconds() {
        let clock = Clock::new();
        let (before, from) = (clock.now_us(), Instant::now());
        std::thread::sleep(Duration::from_millis(50));
        let (least, after) = (from.elapsed(), clock.now_us());
        let most = clock.built.elapsed();
        let counted = Duration::from_micros(after - before);
        // The counter was calibrated for only a few hundred microseconds.
        assert!(counted >= least.mul_f64(0.99) && counted <= most.mul_f64(1.01), "{counted:?}");
        let told = clock.instant_at(after).unwrap() - clock.built;
        assert!(told >= least.mul_f64(0.99) && told <= most.mul_f64(1.01), "{told:?}");
    }
}
