//! The time, by which a plan says how long it took, and what calls cost.

pub use imp::*;

/// The processor's time of this thread: what else a machine does is not in it. Where the system does not tell it, the
/// time.
#[must_use]
pub fn worked() -> std::time::Duration {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        std::time::Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
    }
    #[cfg(not(unix))]
    now()
}

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
mod imp {
    use std::sync::OnceLock;
    use std::time::{Duration, Instant};

    /// The time since the first call.
    #[must_use]
    pub fn now() -> Duration {
        static FIRST: OnceLock<Instant> = OnceLock::new();
        FIRST.get_or_init(Instant::now).elapsed()
    }
}

/// WebAssembly has no clock: whoever runs it may have one.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
mod imp {
    use std::sync::OnceLock;
    use std::time::Duration;

    static CLOCK: OnceLock<fn() -> Duration> = OnceLock::new();

    /// Sets the clock, unless one is set.
    pub fn set(clock: fn() -> Duration) {
        // A second one is not needed.
        let _ = CLOCK.set(clock);
    }

    /// The time by the clock that was set; always 0 without one.
    #[must_use]
    pub fn now() -> Duration {
        CLOCK.get().map_or(Duration::ZERO, |clock| clock())
    }
}
