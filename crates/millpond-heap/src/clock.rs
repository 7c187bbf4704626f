//! Milliseconds since a recording began, from the system's cheapest clock.
//!
//! A recording reads the time for every event. Linux has a clock that costs a quarter of the exact
//! one and is at most a few milliseconds late.

/// A point in time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment(Time);

#[cfg(not(any(target_os = "linux", target_os = "android")))]
type Time = std::time::Instant;

#[cfg(any(target_os = "linux", target_os = "android"))]
type Time = u64;

impl Moment {
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    pub(crate) fn now() -> Self {
        Self(std::time::Instant::now())
    }

    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    pub(crate) fn elapsed_ms(self) -> u64 {
        self.0.elapsed().as_millis() as u64
    }

    #[cfg(any(target_os = "linux", target_os = "android"))]
    #[inline]
    #[allow(unsafe_code, reason = "the standard library has the exact clock only")]
    pub(crate) fn now() -> Self {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the place is a `timespec` that may be written.
        unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC_COARSE, &raw mut time) };
        Self(time.tv_sec as u64 * 1000 + time.tv_nsec as u64 / 1_000_000)
    }

    #[cfg(any(target_os = "linux", target_os = "android"))]
    #[inline]
    pub(crate) fn elapsed_ms(self) -> u64 {
        Self::now().0.saturating_sub(self.0)
    }
}
