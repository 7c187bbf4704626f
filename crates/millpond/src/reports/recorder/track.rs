use alloc::string::String;
use alloc::sync::Arc;
use core::sync::atomic::Ordering;

use super::event::{Event, Kind};
use super::shared::{Gauges, Shared};
use crate::reports::stats::Stats;

/// What one pool, or anything else that has slots, tells a [`Recorder`](super::Recorder).
///
/// A pool has one inside once it is [recorded](crate::Pool::record). For an array of your own, or a pool
/// of another crate, [`Recorder::track`](super::Recorder::track) makes one, and the program reports what
/// happens. No method waits for anything. Dropping it ends the lifetimes that it knows of.
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
    /// `None` if 2^32 pools were recorded already.
    gauges: Option<Arc<Gauges>>,
    stats: Stats,
    dropped: u64,
}

impl Track {
    /// The track of something that stands like this, and whose live slots are these.
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

    /// A lifetime of this slot has begun.
    pub fn birth(&mut self, index: u32) {
        self.stats.inserted += 1;
        self.stats.live += 1;
        self.stats.peak = self.stats.peak.max(self.stats.live);
        self.tell(Kind::Birth, index);
    }

    /// The lifetime of this slot has ended.
    pub fn death(&mut self, index: u32) {
        self.stats.removed += 1;
        self.stats.live = self.stats.live.saturating_sub(1);
        self.tell(Kind::Death, index);
    }

    /// All lifetimes have ended.
    pub fn all_dead(&mut self) {
        self.stats.removed += self.stats.live as u64;
        self.stats.live = 0;
        self.tell(Kind::Restart, 0);
        self.tell(Kind::Settled, 0);
    }

    /// Somebody was refused, because all slots are live.
    pub fn refused(&mut self) {
        self.stats.refused += 1;
        self.publish();
    }

    /// An object had to go to make room for another; report its death as well.
    pub fn evicted(&mut self) {
        self.stats.evicted += 1;
        self.publish();
    }

    /// A slot will not be used again; report the death of its object as well.
    pub fn retired(&mut self) {
        self.stats.retired += 1;
        self.publish();
    }

    /// The pool's state was replaced as a whole: it stands like this now, and these slots are live. The
    /// lifetimes of slots that were live before go on.
    pub(crate) fn restart(&mut self, stats: Stats, live: impl Iterator<Item = usize>) {
        self.stats = stats;
        self.tell(Kind::Restart, 0);
        live.for_each(|index| self.tell(Kind::Live, index as u32));
        self.tell(Kind::Settled, 0);
    }

    /// The pool stands like this now, and the same slots are live: it has grown or shrunk.
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
