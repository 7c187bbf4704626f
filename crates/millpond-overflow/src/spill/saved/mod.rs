//! The saved form of two pools that act as one: `{"version": 1, "first": …, "second": …}`.

mod migrate;

use ::serde::de::{self, Deserializer};
use ::serde::ser::Serializer;
use ::serde::{Deserialize, Serialize};

use millpond::__parts::Refused;
use millpond::HandleLayout;
use millpond::overflow::Bounded;

use super::snapshot::{HandleOf, ValueOf};
use super::{Spill, slots_together};
use crate::saved::Version;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedSpill<A, B> {
    version: Version,
    first: A,
    second: B,
}

/// Serialises both pools; see [`snapshot`](millpond::snapshot#saving-to-a-file).
impl<A: Serialize, B: Serialize> Serialize for Spill<A, B> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { first, second } = self;
        SavedSpill { version: Version::CURRENT, first, second }.serialize(serializer)
    }
}

/// Deserialises both pools, without names; see [`snapshot`](millpond::snapshot#saving-to-a-file).
impl<'de, A, B> Deserialize<'de> for Spill<A, B>
where
    A: Bounded + Deserialize<'de>,
    B: Bounded<Value = ValueOf<A>, Handle = HandleOf<A>> + Deserialize<'de>,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let SavedSpill { first, second, .. } = SavedSpill::<A, B>::deserialize(deserializer)?;
        let (ours, theirs) = (first.capacity_max(), second.capacity_max());
        match slots_together(ours, theirs, <HandleOf<A> as HandleLayout>::CAPACITY_MAX) {
            Some(_) => Ok(Self { first, second }),
            None => {
                Err(de::Error::custom(Refused::too_many_slots(ours.saturating_add(theirs) as u64)))
            }
        }
    }
}
