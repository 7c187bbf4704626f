//! The state shared by the program's threads and the writer's thread.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::ring::Ring;
use crate::reports::stats::Stats;

#[derive(Debug)]
pub(super) struct Shared {
    pub(super) ring: Ring,
    pub(super) tick: AtomicU32,
    /// Nothing more is written, because the recorder was closed or writing has failed.
    pub(super) closed: AtomicBool,
    /// Pools that the writer does not know yet. Locked when a pool is added, and by the writer.
    added: Mutex<Added>,
}

#[derive(Debug, Default)]
struct Added {
    gauges: Vec<Arc<Gauges>>,
    pools: u32,
}

impl Shared {
    pub(super) fn new(ring: Ring) -> Self {
        Self {
            ring,
            tick: AtomicU32::new(0),
            closed: AtomicBool::new(false),
            added: Mutex::default(),
        }
    }

    /// The gauges of a new pool; `None` if no number is left for it.
    pub(super) fn add_pool(&self, name: String, stats: &Stats) -> Option<Arc<Gauges>> {
        let mut added = self.added.lock().unwrap_or_else(PoisonError::into_inner);
        let pool = added.pools;
        added.pools = pool.checked_add(1)?;
        let gauges = Arc::new(Gauges::new(pool, name, stats));
        added.gauges.push(Arc::clone(&gauges));
        Some(gauges)
    }

    /// The pools added since the last call, in the order of their numbers.
    pub(super) fn take_added(&self) -> Vec<Arc<Gauges>> {
        let mut added = self.added.lock().unwrap_or_else(PoisonError::into_inner);
        core::mem::take(&mut added.gauges)
    }
}

/// The counters of a pool, which the writer can read at any time; correct even if events are
/// dropped.
#[derive(Debug)]
pub(super) struct Gauges {
    pub(super) pool: u32,
    pub(super) name: String,
    capacity: AtomicU64,
    live: AtomicU64,
    peak: AtomicU64,
    retired: AtomicU64,
    inserted: AtomicU64,
    removed: AtomicU64,
    refused: AtomicU64,
    evicted: AtomicU64,
    pub(super) dropped: AtomicU64,
    /// The pool was dropped: it sends no more events.
    pub(super) gone: AtomicBool,
}

impl Gauges {
    fn new(pool: u32, name: String, stats: &Stats) -> Self {
        let zero = || AtomicU64::new(0);
        let gauges = Self {
            pool,
            name,
            capacity: zero(),
            live: zero(),
            peak: zero(),
            retired: zero(),
            inserted: zero(),
            removed: zero(),
            refused: zero(),
            evicted: zero(),
            dropped: zero(),
            gone: AtomicBool::new(false),
        };
        gauges.set(stats);
        gauges
    }

    /// Plain stores, because only the pool's owner sets them.
    pub(super) fn set(&self, stats: &Stats) {
        self.capacity.store(stats.capacity as u64, Ordering::Relaxed);
        self.live.store(stats.live as u64, Ordering::Relaxed);
        self.peak.store(stats.peak as u64, Ordering::Relaxed);
        self.retired.store(stats.retired as u64, Ordering::Relaxed);
        self.inserted.store(stats.inserted, Ordering::Relaxed);
        self.removed.store(stats.removed, Ordering::Relaxed);
        self.refused.store(stats.refused, Ordering::Relaxed);
        self.evicted.store(stats.evicted, Ordering::Relaxed);
    }

    /// The last values; each is read separately, because the pool may be in use.
    pub(super) fn get(&self) -> Stats {
        Stats {
            capacity: self.capacity.load(Ordering::Relaxed) as usize,
            live: self.live.load(Ordering::Relaxed) as usize,
            peak: self.peak.load(Ordering::Relaxed) as usize,
            retired: self.retired.load(Ordering::Relaxed) as usize,
            inserted: self.inserted.load(Ordering::Relaxed),
            removed: self.removed.load(Ordering::Relaxed),
            refused: self.refused.load(Ordering::Relaxed),
            evicted: self.evicted.load(Ordering::Relaxed),
        }
    }
}

/// For shared pools: what each thread counts.
#[cfg(feature = "sync")]
impl Gauges {
    /// A lifetime has begun, on any thread.
    pub(super) fn count_birth(&self) {
        self.inserted.fetch_add(1, Ordering::Relaxed);
        let live = self.live.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
        self.peak.fetch_max(live, Ordering::Relaxed);
    }

    /// A lifetime has ended, on any thread.
    pub(super) fn count_death(&self) {
        self.removed.fetch_add(1, Ordering::Relaxed);
        self.live.fetch_sub(1, Ordering::Relaxed);
    }

    pub(super) fn count_refusal(&self) {
        self.refused.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn count_retired(&self) {
        self.retired.fetch_add(1, Ordering::Relaxed);
    }
}
