//! The saved form of two pools that act as one: both.

mod migrate;

use ::serde::de::{self, Deserializer};
use ::serde::ser::Serializer;
use ::serde::{Deserialize, Serialize};

use super::Spill;
use super::snapshot::{HandleOf, ValueOf};
use crate::handle::HandleLayout;
use crate::policies::{Bounded, slots_together};
use crate::snapshot::format::{Part, Refused, Version};
use crate::snapshot::state::sealed::{Restore, Written};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedSpill<A, B> {
    version: Version,
    first: A,
    second: B,
}

impl<A, B> Written for Spill<A, B>
where
    A: Bounded + Written + Restore<Value = ValueOf<A>, Handle = HandleOf<A>>,
    B: Bounded<Value = ValueOf<A>, Handle = HandleOf<A>>,
    B: Written + Restore<Value = ValueOf<A>, Handle = HandleOf<A>>,
{
    fn write<S: Serializer>(&self, list_all: bool, serializer: S) -> Result<S::Ok, S::Error>
    where
        ValueOf<A>: Serialize,
    {
        let (version, first, second) =
            (Version::CURRENT, Part::of(&self.first, list_all), Part::of(&self.second, list_all));
        SavedSpill { version, first, second }.serialize(serializer)
    }

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error>
    where
        ValueOf<A>: Deserialize<'de>,
    {
        let saved: SavedSpill<Part<A>, Part<B>> = SavedSpill::deserialize(deserializer)?;
        let (first, second) = (saved.first.pool, saved.second.pool);
        let (ours, theirs) = (first.capacity_max(), second.capacity_max());
        match slots_together(ours, theirs, <HandleOf<A> as HandleLayout>::CAPACITY_MAX) {
            Some(_) => Ok(Self { first, second }),
            None => {
                Err(de::Error::custom(Refused::too_many_slots(ours.saturating_add(theirs) as u64)))
            }
        }
    }
}

/// Serialises both pools; see [`snapshot`](crate::snapshot#saving-to-a-file).
impl<A, B> Serialize for Spill<A, B>
where
    Self: Written<Value: Serialize>,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.write(false, serializer)
    }
}

/// Deserialises both pools, without names; see [`snapshot`](crate::snapshot#saving-to-a-file).
impl<'de, A, B> Deserialize<'de> for Spill<A, B>
where
    Self: Written<Value: Deserialize<'de>>,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::read(deserializer)
    }
}
