//! [`Timer`]: how the keeper sleeps.

use std::future::Future;
use std::time::Instant;

/// Sleeps, which is all that the keeper needs from a runtime.
///
/// ```
/// use std::time::Instant;
/// use millpond_lend::Timer;
///
/// /// For programs on smol and async-std.
/// struct SmolTimer;
///
/// impl Timer for SmolTimer {
///     async fn sleep_until(&self, deadline: Instant) {
///         async_io::Timer::at(deadline).await;
///     }
/// }
/// ```
pub trait Timer: Send + Sync + 'static {
    /// Completes at `deadline`, or a little later.
    fn sleep_until(&self, deadline: Instant) -> impl Future<Output = ()> + Send;
}

/// The timer of tokio, which also works with a single-threaded runtime.
#[cfg(feature = "tokio")]
#[derive(Debug, Clone, Copy, Default)]
pub struct TokioTimer;

#[cfg(feature = "tokio")]
impl Timer for TokioTimer {
    async fn sleep_until(&self, deadline: Instant) {
        tokio::time::sleep_until(deadline.into()).await;
    }
}
