//! The saved form of the slots.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use ::serde::de;
use ::serde::{Deserialize, Serialize};

use super::super::ranges::joined;
use super::super::state::Shape;
use super::new_pool::NewPool;
use super::read_list;
use crate::handle::Word;
use crate::reports::stats::Stats;

/// A pool of a version from 1 to `last`.
pub fn other_version<E: de::Error>(version: u32, last: u32) -> E {
    let to = if last > 1 { "s 1 and 2" } else { " 1" };
    E::custom(format_args!("a saved pool of version {version}, but this program reads version{to}"))
}

/// The largest count that a pool reads from a file, takes over from another pool, or writes into a file. Counts rise beyond it,
/// by one with each operation, and no process lives long enough for one of them, or the sum of two, to go beyond a `u64`; in
/// the file of such a pool they are this.
pub(super) const COUNT_MAX: u64 = (1 << 62) - 1;

/// As a file says them, and another pool takes them over: no count is above [`COUNT_MAX`], and they agree.
pub(super) fn within_limit(stats: Stats) -> Stats {
    let inserted = stats.inserted.min(COUNT_MAX);
    let removed = inserted.saturating_sub(stats.live as u64);
    let (refused, evicted) = (stats.refused.min(COUNT_MAX), stats.evicted.min(removed));
    Stats { inserted, removed, refused, evicted, ..stats }
}

/// The slots of a pool as a file has them. Some formats write the name that serde knows.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename = "SavedState", expecting = "the slots of a pool")]
pub(crate) struct Form {
    pub(crate) pool: String,
    pub(crate) reuse: String,
    pub(crate) first: u32,
    pub(crate) last: u32,
    pub(crate) wraps: bool,
    #[serde(deserialize_with = "read_list")]
    pub(crate) generations: Vec<u32>,
    #[serde(deserialize_with = "read_list")]
    pub(crate) order: Vec<(u32, u32)>,
    pub(crate) inserted: u64,
    pub(crate) refused: u64,
    pub(crate) evicted: u64,
    pub(crate) peak: u64,
}

/// The slots of a pool that grows in one piece, as a file has them.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename = "SavedVecPool", expecting = "the slots of a pool that grows")]
pub(super) struct GrownForm {
    pub(super) capacity_max: u64,
    /// The number of slots that exist: the first ones.
    pub(super) slots_there: u64,
    /// The slots that exist or existed.
    pub(super) slots: Form,
}

impl Form {
    /// The number of slots with a generation, which the number of objects cannot exceed.
    pub(crate) fn listed(&self) -> usize {
        self.generations.len()
    }

    /// Returns also the capacity, if not all slots are listed.
    pub(crate) fn of<P: NewPool>(pool: &P, list_all: bool) -> (Self, Option<usize>) {
        let capacity = pool.shape().capacity;
        let leave_out = P::MAY_LEAVE_OUT && !list_all && pool.used() < capacity;
        let slots = match leave_out || capacity == Shape::GROWS {
            true => pool.used(),
            false => pool.counted().capacity.max(pool.used()),
        };
        let generations = (0..slots).map(|index| pool.word(index).generation());
        let slots_of = (pool.shape(), pool.counted());
        let mut form = Self::of_slots((P::KIND, P::REUSE), slots_of, generations, pool.order());
        if leave_out {
            // They come last in the order, or are not in it.
            for (first, count) in &mut form.order {
                *count = (*count).min((slots as u32).saturating_sub(*first));
            }
            form.order.retain(|(_, count)| *count > 0);
        }
        (form, leave_out.then_some(capacity))
    }

    /// Of slots with these generations.
    pub(crate) fn of_slots(
        (pool, reuse): (&str, &str),
        (shape, stats): (Shape, Stats),
        generations: impl Iterator<Item = u32>,
        order: impl Iterator<Item = Range<usize>>,
    ) -> Self {
        let stats = within_limit(stats);
        Self {
            pool: pool.into(),
            reuse: reuse.into(),
            first: shape.cycle.start(),
            last: shape.cycle.last(),
            wraps: shape.cycle.wraps(),
            generations: generations.collect(),
            order: joined(order).map(|r| (r.start as u32, r.len() as u32)).collect(),
            inserted: stats.inserted,
            refused: stats.refused,
            evicted: stats.evicted,
            peak: stats.peak as u64,
        }
    }
}
