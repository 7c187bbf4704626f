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
    pub(super) fn add_pool(
        &self,
        name: String,
        stats: &Stats,
        by_threads: bool,
    ) -> Option<Arc<Gauges>> {
        let mut added = self.added.lock().unwrap_or_else(PoisonError::into_inner);
        let pool = added.pools;
        added.pools = pool.checked_add(1)?;
        let gauges = Arc::new(Gauges::new(pool, name, stats, by_threads));
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
    /// Several threads may count at once.
    by_threads: bool,
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
    fn new(pool: u32, name: String, stats: &Stats, by_threads: bool) -> Self {
        let counts = columns(stats).map(AtomicU64::new);
        let (dropped, gone) = (AtomicU64::new(0), AtomicBool::new(false));
        Self { pool, name, counts, by_threads, dropped, gone }
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

    /// Makes of a count what `next` returns for it, and returns that.
    #[inline]
    pub(super) fn update(&self, count: Count, next: impl Fn(u64) -> u64) -> u64 {
        let count = &self.counts[count as usize];
        if self.by_threads {
            let before =
                count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |now| Some(next(now)));
            return before.map_or_else(|now| now, next);
        }
        // Nobody else writes: plain loads and stores are enough, and take half of the time.
        let now = next(count.load(Ordering::Relaxed));
        count.store(now, Ordering::Relaxed);
        now
    }
}

fn columns(stats: &Stats) -> [u64; 8] {
    let Stats { capacity, live, peak, retired, inserted, removed, refused, evicted } = *stats;
    let [capacity, live, peak, retired] = [capacity, live, peak, retired].map(|slots| slots as u64);
    [capacity, live, peak, retired, inserted, removed, refused, evicted]
}
