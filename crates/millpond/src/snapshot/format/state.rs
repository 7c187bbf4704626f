//! The saved form of the slots.

use alloc::string::String;
use alloc::vec::Vec;

use ::serde::de::{self, Deserializer};
use ::serde::{Deserialize, Serialize};

use super::super::state::{Shape, joined_order, sealed::Load, sealed::State};
use super::read_list;
use crate::handle::Word;
use crate::reports::stats::Stats;

/// The version of the format of lists of ages, and of pools in parts, whose parts have versions of their own.
#[derive(Clone, Copy, Serialize)]
#[serde(transparent)]
pub(crate) struct Version(u32);

impl Version {
    pub(crate) const CURRENT: Self = Self(1);
}

impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u32::deserialize(deserializer)? {
            1 => Ok(Self(1)),
            other => Err(other_version(other, 1)),
        }
    }
}

/// A pool of a version from 1 to `last`.
pub(super) fn other_version<E: de::Error>(version: u32, last: u32) -> E {
    let to = if last > 1 { "s 1 and 2" } else { " 1" };
    E::custom(format_args!("a saved pool of version {version}, but this program reads version{to}"))
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[doc(hidden)]
pub struct SavedState {
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

impl SavedState {
    /// Returns also the capacity, if not all slots are listed.
    pub(super) fn of<P: Load>(pool: &P, list_all: bool) -> (Self, Option<usize>) {
        let (kind, reuse, shape) = (P::KIND, P::REUSE_NAME, pool.shape());
        let grows = shape.capacity == Shape::GROWS;
        let leave_out = P::MAY_LEAVE_OUT && !list_all && pool.used() < shape.capacity;
        let slots = if grows || leave_out { pool.used() } else { shape.capacity };
        let mut state = Self::of_slots(pool, kind, reuse, slots, pool.saved_stats());
        if leave_out {
            // They come last in the order, or are not in it.
            for (first, count) in &mut state.order {
                *count = (*count).min((slots as u32).saturating_sub(*first));
            }
            state.order.retain(|(_, count)| *count > 0);
        }
        (state, leave_out.then_some(shape.capacity))
    }

    /// Of this many slots.
    pub(crate) fn of_slots<P: State>(
        pool: &P,
        kind: &str,
        reuse: &str,
        slots: usize,
        stats: Stats,
    ) -> Self {
        let (shape, stats) = (pool.shape(), stats.within_limit());
        Self {
            pool: kind.into(),
            reuse: reuse.into(),
            first: shape.cycle.start(),
            last: shape.cycle.last(),
            wraps: shape.cycle.wraps(),
            generations: (0..slots).map(|index| pool.word(index).generation()).collect(),
            order: joined_order(pool).map(|r| (r.start as u32, r.len() as u32)).collect(),
            inserted: stats.inserted,
            refused: stats.refused,
            evicted: stats.evicted,
            peak: stats.peak as u64,
        }
    }
}
