//! What a lender reports to the crates `metrics` and `tracing`.

#[cfg(feature = "tracing")]
use crate::lender::{Acquire, Lender};
#[cfg(feature = "tracing")]
use crate::maker::Maker;
#[cfg(feature = "metrics")]
use crate::stats::Stats;

/// Sets the gauges and counters `millpond_lend_*` of the crate `metrics`, with the label `pool`. Call it
/// whenever they are collected.
#[cfg(feature = "metrics")]
pub fn publish(pool: &str, stats: &Stats) {
    use metrics::{counter, gauge};
    let pool = || pool.to_owned();
    gauge!("millpond_lend_capacity", "pool" => pool()).set(stats.capacity as f64);
    gauge!("millpond_lend_existing", "pool" => pool()).set(stats.existing as f64);
    gauge!("millpond_lend_idle", "pool" => pool()).set(stats.idle as f64);
    gauge!("millpond_lend_out", "pool" => pool()).set(stats.out as f64);
    gauge!("millpond_lend_waiting", "pool" => pool()).set(stats.waiting as f64);
    gauge!("millpond_lend_wait_p99_us", "pool" => pool()).set(stats.wait_us_at(0.99) as f64);
    counter!("millpond_lend_loans_total", "pool" => pool()).absolute(stats.loans);
    counter!("millpond_lend_timed_out_total", "pool" => pool()).absolute(stats.timed_out);
    counter!("millpond_lend_refused_total", "pool" => pool()).absolute(stats.refused);
    counter!("millpond_lend_cancelled_total", "pool" => pool()).absolute(stats.cancelled);
    counter!("millpond_lend_opened_total", "pool" => pool()).absolute(stats.opened);
    counter!("millpond_lend_open_failed_total", "pool" => pool()).absolute(stats.open_failed);
    counter!("millpond_lend_checks_total", "pool" => pool()).absolute(stats.checks);
    counter!("millpond_lend_closed_total", "pool" => pool()).absolute(stats.closings.total());
}

#[cfg(feature = "tracing")]
impl<M: Maker> Lender<M> {
    /// Calls [`acquire`](Self::acquire) in a span `acquire` of the crate `tracing`, with the field
    /// `pool`. The span lasts as long as the wait.
    #[track_caller]
    pub fn acquire_in_span(&self) -> tracing::instrument::Instrumented<Acquire<'_, M>> {
        use tracing::Instrument;
        self.acquire().instrument(tracing::info_span!("acquire", pool = self.name()))
    }
}
