use alloc::string::String;
use alloc::sync::Arc;
use core::sync::atomic::Ordering;

use super::event::{Event, Kind};
use super::shared::{Gauges, Shared};
use crate::reports::stats::Stats;

/// Reports the lifetimes of one pool, or of anything else with slots, to a
/// [`Recorder`](super::Recorder).
///
/// A pool that is [recorded](crate::Pool::record) contains one. For your own array, or a pool of
/// another crate, [`Recorder::track`](super::Recorder::track) returns one, and the program calls
/// its methods. No method waits. Dropping the track ends all lifetimes that it has open.
///
/// ```
/// use millpond::recorder::Recorder;
///
/// let recorder = Recorder::to_writer(Vec::new())?;
/// let mut seats = recorder.track("seats", 40);
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
    stats: Stats,
    dropped: u64,
}

impl Track {
    /// A track that starts with these counters and live slots.
    pub(super) fn new(
        shared: &Arc<Shared>,
        name: String,
        stats: Stats,
        live: impl Iterator<Item = usize>,
    ) -> Self {
        let gauges = shared.add_pool(name, &stats);
        let mut track = Self { shared: Arc::clone(shared), gauges, stats, dropped: 0 };
        live.for_each(|index| track.tell(Kind::Birth, index as u32));
        track
    }

    /// Reports that a lifetime of slot `index` has begun.
    pub fn birth(&mut self, index: u32) {
        self.stats.inserted += 1;
        self.stats.live += 1;
        self.stats.peak = self.stats.peak.max(self.stats.live);
        self.tell(Kind::Birth, index);
    }

    /// Reports that the lifetime of slot `index` has ended.
    pub fn death(&mut self, index: u32) {
        self.stats.removed += 1;
        self.stats.live = self.stats.live.saturating_sub(1);
        self.tell(Kind::Death, index);
    }

    /// Reports that all lifetimes have ended.
    pub fn all_dead(&mut self) {
        self.stats.removed += self.stats.live as u64;
        self.stats.live = 0;
        self.tell(Kind::Restart, 0);
        self.tell(Kind::Settled, 0);
    }

    /// Reports that an insertion was refused because all slots are live.
    pub fn refused(&mut self) {
        self.stats.refused += 1;
        self.publish();
    }

    /// Reports that an object was evicted to make room for another; also report its death.
    pub fn evicted(&mut self) {
        self.stats.evicted += 1;
        self.publish();
    }

    /// Reports that a slot will not be used again; also report the death of its object.
    pub fn retired(&mut self) {
        self.stats.retired += 1;
        self.publish();
    }

    /// The pool's whole state was replaced by these counters and live slots. The lifetimes of slots
    /// that were live before continue.
    pub(crate) fn restart(&mut self, stats: Stats, live: impl Iterator<Item = usize>) {
        self.stats = stats;
        self.tell(Kind::Restart, 0);
        live.for_each(|index| self.tell(Kind::Live, index as u32));
        self.tell(Kind::Settled, 0);
    }

    /// The pool has grown or shrunk: it has these counters now, and the same live slots.
    pub(crate) fn resized(&mut self, stats: Stats) {
        self.stats = stats;
        self.publish();
    }

    fn tell(&mut self, kind: Kind, index: u32) {
        let Some(gauges) = &self.gauges else { return };
        if self.shared.closed.load(Ordering::Relaxed) {
            return;
        }
        let tick = self.shared.tick.load(Ordering::Relaxed);
        if !self.shared.ring.add(Event { kind, pool: gauges.pool, index, tick }) {
            self.dropped += 1;
            gauges.dropped.store(self.dropped, Ordering::Relaxed);
        }
        self.publish();
    }

    fn publish(&self) {
        if let Some(gauges) = &self.gauges {
            gauges.set(&self.stats);
        }
    }
}

impl Drop for Track {
    fn drop(&mut self) {
        if let Some(gauges) = &self.gauges {
            gauges.gone.store(true, Ordering::Release);
        }
    }
}
