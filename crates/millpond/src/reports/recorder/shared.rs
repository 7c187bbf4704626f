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
    /// Nothing more is written: the end was asked for, or writing has failed.
    pub(super) closed: AtomicBool,
    /// Pools that the writer has not heard of yet. Locked when a pool is added, and by the writer.
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

    /// A new pool's gauges; `None` when there is no number left for it.
    pub(super) fn add_pool(&self, name: String, stats: &Stats) -> Option<Arc<Gauges>> {
        let mut added = self.added.lock().unwrap_or_else(PoisonError::into_inner);
        let pool = added.pools;
        added.pools = pool.checked_add(1)?;
        let gauges = Arc::new(Gauges::new(pool, name, stats));
        added.gauges.push(Arc::clone(&gauges));
        Some(gauges)
    }

    /// The pools that were added since this was asked last, in the order of their numbers.
    pub(super) fn take_added(&self) -> Vec<Arc<Gauges>> {
        let mut added = self.added.lock().unwrap_or_else(PoisonError::into_inner);
        core::mem::take(&mut added.gauges)
    }
}

/// How a pool stands, for the writer to look at when it likes: true also when events are dropped.
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
    /// The pool is gone: no event of it comes any more.
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

    /// Plain stores: only the pool's owner sets them.
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

    /// What was set last; each number by itself, as the pool may be at work.
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

/// For pools of threads: what each thread counts.
#[cfg(feature = "sync")]
impl Gauges {
    /// A lifetime has begun, on whichever thread.
    pub(super) fn count_birth(&self) {
        self.inserted.fetch_add(1, Ordering::Relaxed);
        let live = self.live.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
        self.peak.fetch_max(live, Ordering::Relaxed);
    }

    /// A lifetime has ended, on whichever thread.
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
