//! The saved form of a list of ages.
//!
//! ```json
//! { "version": 1, "generations": [4, 0, 1], "order": [2, 0] }
//! ```
//!
//! `generations` has, for each slot up to the last one in the list, the generation of the listed handle, or 0. `order`
//! has the listed slots, the oldest first. So a reader allocates no more places than the file has numbers.

use alloc::vec;
use alloc::vec::Vec;

use ::serde::de::{self, Deserializer};
use ::serde::ser::Serializer;
use ::serde::{Deserialize, Serialize};

use millpond::__parts::{Refused, read_list};
use millpond::HandleLayout;

use super::EvictOldest;
use crate::saved::Version;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedAges {
    version: Version,
    #[serde(deserialize_with = "read_list")]
    generations: Vec<u32>,
    #[serde(deserialize_with = "read_list")]
    order: Vec<u32>,
}

impl SavedAges {
    fn of<H: HandleLayout>(ages: &EvictOldest<H>) -> Self {
        let slots = ages.places.iter().rposition(|place| place.handle.is_some());
        let mut generations = vec![0; slots.map_or(0, |last| last + 1)];
        let mut order = Vec::new();
        for handle in ages.listed() {
            generations[handle.index() as usize] = handle.generation();
            order.push(handle.index());
        }
        Self { version: Version::CURRENT, generations, order }
    }

    fn into_list<H: HandleLayout>(self) -> Result<EvictOldest<H>, Refused> {
        let Self { mut generations, order, .. } = self;
        let listed = generations.iter().filter(|generation| **generation != 0).count();
        if order.len() != listed {
            return Err(Refused::order_length(listed, order.len()));
        }
        let mut ages = EvictOldest::default();
        ages.grow_to(generations.len());
        for slot in order {
            let Some(generation) = generations.get_mut(slot as usize) else {
                return Err(Refused::no_such_slot(u64::from(slot)));
            };
            let slot_index = slot as usize;
            match core::mem::take(generation) {
                0 => return Err(Refused::twice(slot_index)),
                generation => match H::from_parts(slot, generation) {
                    Some(handle) => ages.note(handle),
                    None => return Err(Refused::generation(slot_index, generation)),
                },
            }
        }
        Ok(ages)
    }
}

impl<H: HandleLayout> EvictOldest<H> {
    /// The list of a pool that has exactly this many slots, which the caller knows to be proportionate.
    pub(crate) fn of_exactly(mut self, slots: usize) -> Result<Self, Refused> {
        if self.places.len() > slots {
            return Err(Refused::no_such_slot(self.places.len() as u64 - 1));
        }
        self.grow_to(slots);
        Ok(self)
    }
}

/// Serialises the listed handles in their order; see [`snapshot`](millpond::snapshot#saving-to-a-file).
impl<H: HandleLayout> Serialize for EvictOldest<H> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        SavedAges::of(self).serialize(serializer)
    }
}

/// Deserialises a list. It has a place for each of the pool's slots from the first insertion on.
impl<'de, H: HandleLayout> Deserialize<'de> for EvictOldest<H> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        SavedAges::deserialize(deserializer)?.into_list().map_err(de::Error::custom)
    }
}
