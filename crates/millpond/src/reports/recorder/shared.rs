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
    counts: [AtomicU64; 8],
    pub(super) dropped: AtomicU64,
    /// The pool was dropped: it sends no more events.
    pub(super) gone: AtomicBool,
}

/// What is counted, in the order of the columns.
#[derive(Clone, Copy, Debug)]
pub(super) enum Count {
    Live = 1,
    Peak,
    Retired,
    Inserted,
    Removed,
    Refused,
    Evicted,
}

impl Gauges {
    fn new(pool: u32, name: String, stats: &Stats) -> Self {
        let counts = columns(stats).map(AtomicU64::new);
        let (dropped, gone) = (AtomicU64::new(0), AtomicBool::new(false));
        Self { pool, name, counts, dropped, gone }
    }

    pub(super) fn set(&self, stats: &Stats) {
        for (count, now) in self.counts.iter().zip(columns(stats)) {
            count.store(now, Ordering::Relaxed);
        }
    }

    /// The last values, by columns; each is read separately, because the pool may be in use.
    pub(super) fn get(&self) -> [u64; 8] {
        self.counts.each_ref().map(|count| count.load(Ordering::Relaxed))
    }

    pub(super) fn count(&self, count: Count) -> &AtomicU64 {
        &self.counts[count as usize]
    }

    /// Counts one more, and returns how many there are now.
    pub(super) fn add_one(&self, count: Count) -> u64 {
        self.count(count).fetch_add(1, Ordering::Relaxed).wrapping_add(1)
    }
}

fn columns(stats: &Stats) -> [u64; 8] {
    let Stats { capacity, live, peak, retired, inserted, removed, refused, evicted } = *stats;
    let [capacity, live, peak, retired] = [capacity, live, peak, retired].map(|slots| slots as u64);
    [capacity, live, peak, retired, inserted, removed, refused, evicted]
}
