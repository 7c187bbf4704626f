use alloc::string::String;
use alloc::sync::Arc;
use core::sync::atomic::Ordering;

use super::event::{Event, Kind};
use super::shared::{Gauges, Shared};
use crate::reports::stats::Stats;

/// What a shared pool reports to a [`Recorder`](super::Recorder): like a [`Track`](super::Track),
/// but by `&self`.
#[derive(Debug)]
pub(crate) struct SharedTrack {
    shared: Arc<Shared>,
    /// `None` if 2^32 pools have already been recorded.
    gauges: Option<Arc<Gauges>>,
}

impl SharedTrack {
    pub(super) fn new(
        shared: &Arc<Shared>,
        name: String,
        stats: Stats,
        live: impl Iterator<Item = usize>,
    ) -> Self {
        let gauges = shared.add_pool(name, &stats);
        let track = Self { shared: Arc::clone(shared), gauges };
        live.for_each(|index| track.tell(Kind::Birth, index as u32));
        track
    }

    /// A lifetime of this slot begins; called before another thread can end it.
    pub(crate) fn birth(&self, index: u32) {
        self.tell(Kind::Birth, index);
        self.count(Gauges::count_birth);
    }

    /// The lifetime of this slot ends; called before another thread can begin the next.
    pub(crate) fn death(&self, index: u32) {
        self.tell(Kind::Death, index);
        self.count(Gauges::count_death);
    }

    /// An insertion was refused, because all slots are taken.
    pub(crate) fn refused(&self) {
        self.count(Gauges::count_refusal);
    }

    /// A slot will not be used again.
    pub(crate) fn retired(&self) {
        self.count(Gauges::count_retired);
    }

    /// Stops reporting: all current lifetimes end in the trace.
    pub(crate) fn close(&self) {
        self.count(|gauges| gauges.gone.store(true, Ordering::Release));
    }

    fn tell(&self, kind: Kind, index: u32) {
        let Some(gauges) = &self.gauges else { return };
        if self.shared.closed.load(Ordering::Relaxed) {
            return;
        }
        let tick = self.shared.tick.load(Ordering::Relaxed);
        if !self.shared.ring.add(Event { kind, pool: gauges.pool, index, tick }) {
            gauges.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn count(&self, count: impl FnOnce(&Gauges)) {
        if let Some(gauges) = &self.gauges {
            count(gauges);
        }
    }
}

impl Drop for SharedTrack {
    fn drop(&mut self) {
        self.close();
    }
}
