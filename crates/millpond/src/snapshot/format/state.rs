//! The saved form of the slots.

use alloc::string::String;
use alloc::vec::Vec;

use ::serde::de::{self, Deserializer};
use ::serde::{Deserialize, Serialize};

use super::super::state::{Shape, joined_order, sealed::Load, sealed::State};
use super::read_list;
use crate::handle::Word;
use crate::reports::stats::Stats;

/// The version of the format.
#[derive(Clone, Copy, Serialize)]
#[serde(transparent)]
pub(crate) struct Version(u32);

impl Version {
    pub(crate) const CURRENT: Self = Self(1);

    pub(super) fn number(self) -> u32 {
        self.0
    }
}

impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u32::deserialize(deserializer)? {
            1 => Ok(Self(1)),
            other => Err(de::Error::custom(format_args!(
                "a saved pool of version {other}, but this program reads version 1"
            ))),
        }
    }
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
    pub(super) fn of<P: Load>(pool: &P) -> Self {
        let (kind, reuse, shape) = (P::KIND, P::REUSE_NAME, pool.shape());
        let slots = if shape.capacity == Shape::GROWS { pool.used() } else { shape.capacity };
        Self::of_slots(pool, kind, reuse, slots, pool.saved_stats())
    }

    /// Of this many slots.
    pub(crate) fn of_slots<P: State>(
        pool: &P,
        kind: &str,
        reuse: &str,
        slots: usize,
        stats: Stats,
    ) -> Self {
        let shape = pool.shape();
        Self {
            pool: kind.into(),
            reuse: reuse.into(),
            first: shape.first,
            last: shape.last,
            wraps: shape.wraps,
            generations: (0..slots).map(|index| pool.word(index).generation()).collect(),
            order: joined_order(pool).map(|r| (r.start as u32, r.len() as u32)).collect(),
            inserted: stats.inserted,
            refused: stats.refused,
            evicted: stats.evicted,
            peak: stats.peak as u64,
        }
    }
}
