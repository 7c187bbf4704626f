use alloc::string::String;
use alloc::sync::Arc;
use core::sync::atomic::Ordering::{Relaxed, Release};

use super::event::{Event, EventKind};
use super::shared::{Count, Gauges, Shared};
use crate::reports::stats::Stats;

/// Reports the lifetimes of one pool, or of anything else with slots, to a
/// [`Recorder`](super::Recorder).
///
/// A pool that is [recorded](crate::Pool::record) contains one. For your own array, or a pool of
/// another crate, [`Recorder::track`](super::Recorder::track) returns one, and the program calls
/// its methods, on one thread or on several. No method waits. Dropping the track ends all lifetimes that it has open.
///
/// ```
/// use millpond::recorder::Recorder;
///
/// let recorder = Recorder::to_writer(Vec::new())?;
/// let seats = recorder.track("seats", 40);
/// seats.birth(7);
/// recorder.tick();
/// seats.death(7);
/// drop(seats);
/// let summary = recorder.finish()?;
/// assert_eq!((summary.events, summary.dropped), (2, 0));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Track {
    shared: Arc<Shared>,
    /// `None` if 2^32 pools have already been recorded.
    gauges: Option<Arc<Gauges>>,
}

impl Track {
    /// A track that starts with these counters and live slots. `by_threads`: several threads may use it at once.
    pub(super) fn new(
        shared: &Arc<Shared>,
        name: String,
        stats: Stats,
        live: impl Iterator<Item = usize>,
        by_threads: bool,
    ) -> Self {
        let gauges = shared.add_pool(name, &stats, by_threads);
        let track = Self { shared: Arc::clone(shared), gauges };
        live.for_each(|index| track.tell(EventKind::Birth, index as u32));
        track
    }

    /// Reports that a lifetime of slot `index` has begun; call it before another thread can end it.
    pub fn birth(&self, index: u32) {
        self.tell(EventKind::Birth, index);
        self.count(|gauges| {
            gauges.update(Count::Inserted, one_more);
            let live = gauges.update(Count::Live, one_more);
            gauges.update(Count::Peak, |peak| peak.max(live));
        });
    }

    /// Reports that the lifetime of slot `index` has ended; call it before another thread can begin
    /// the next.
    pub fn death(&self, index: u32) {
        self.tell(EventKind::Death, index);
        self.count(|gauges| {
            gauges.update(Count::Removed, one_more);
            gauges.update(Count::Live, |live| live.saturating_sub(1));
        });
    }

    /// Reports that all lifetimes have ended.
    pub fn all_dead(&self) {
        self.tell(EventKind::Restart, 0);
        self.tell(EventKind::Settled, 0);
        self.count(|gauges| {
            let ended = gauges.get()[Count::Live as usize];
            gauges.update(Count::Live, |live| live.saturating_sub(ended));
            gauges.update(Count::Removed, |removed| removed.wrapping_add(ended));
        });
    }

    /// Reports that an insertion was refused because all slots are live.
    pub fn refused(&self) {
        self.count(|gauges| _ = gauges.update(Count::Refused, one_more));
    }

    /// Reports that an object was evicted to make room for another; also report its death.
    pub fn evicted(&self) {
        self.count(|gauges| _ = gauges.update(Count::Evicted, one_more));
    }

    /// Reports that a slot will not be used again; also report the death of its object.
    pub fn retired(&self) {
        self.count(|gauges| _ = gauges.update(Count::Retired, one_more));
    }

    /// The pool's whole state was replaced by these counters and live slots. The lifetimes of slots
    /// that were live before continue.
    pub(crate) fn restart(&self, stats: Stats, live: impl Iterator<Item = usize>) {
        self.tell(EventKind::Restart, 0);
        live.for_each(|index| self.tell(EventKind::Live, index as u32));
        self.tell(EventKind::Settled, 0);
        self.resized(stats);
    }

    /// The pool has grown or shrunk: it has these counters now, and the same live slots.
    pub(crate) fn resized(&self, stats: Stats) {
        self.count(|gauges| gauges.set(&stats));
    }

    /// Stops reporting: all current lifetimes end in the trace.
    pub(crate) fn close(&self) {
        self.count(|gauges| gauges.gone.store(true, Release));
    }

    fn tell(&self, kind: EventKind, index: u32) {
        let Some(gauges) = &self.gauges else { return };
        if self.shared.closed.load(Relaxed) {
            return;
        }
        let tick = self.shared.tick.load(Relaxed);
        if !self.shared.ring.add(Event { kind, pool: gauges.pool, index, tick }) {
            gauges.dropped.fetch_add(1, Relaxed);
        }
    }

    fn count(&self, count: impl FnOnce(&Gauges)) {
        if let Some(gauges) = &self.gauges {
            count(gauges);
        }
    }
}

impl Drop for Track {
    fn drop(&mut self) {
        self.close();
    }
}

fn one_more(count: u64) -> u64 {
    count.wrapping_add(1)
}
