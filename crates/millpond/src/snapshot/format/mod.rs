//! The saved form of a pool: what `serde` writes and reads.
//!
//! It has three parts: `version`, which is 1; `state`, everything about the slots; and `objects`.
//!
//! ```json
//! {
//!   "version": 1,
//!   "state": {
//!     "pool": "Pool", "reuse": "Lifo",
//!     "first": 1, "last": 2147483647, "wraps": false,
//!     "generations": [1, 2, 1, 1],
//!     "order": [[1, 1], [3, 1]],
//!     "inserted": 3, "refused": 0, "evicted": 0, "peak": 3
//!   },
//!   "objects": { "0v1": "a", "2v1": "c" }
//! }
//! ```
//!
//! - `first`, `last`, `wraps`: the generations of every slot.
//! - `generations`: for each slot, the generation of its handle, or of its next one; 0 if it has
//!   retired. Their number is the capacity: a reader allocates no more than this many slots need.
//! - `order`: ranges of slots, each the first slot and a number: the dead ones in the order of
//!   reuse. With `Roster`, `PackedPool`, `PackedVecPool` and `StaticPool`, the live ones come before them and the
//!   retired ones after; with `NextFit`, it is the cursor's slot; with `LowestFirst` and a side
//!   table, it is empty. For a `SyncPool`, it is not an order of slots, but for each home the word
//!   of 64 slots that it searches first.
//! - `objects`: in human-readable formats, a map from handles to values; for a recycler, a list of
//!   pairs, one for each slot, of the handle (`null` for a dead one) and the object. In other
//!   formats, the live slots as ranges like those of the order, and a list of the values by
//!   ascending slot; for a recycler, those of all slots.
//!
//! For a side table with a fixed capacity, `inserted`, `refused`, `evicted` and `peak` are 0. For
//! one that grows, `inserted` is 1, `peak` is the largest number of slots that it may have, or 0
//! without a limit, and `generations` ends at the last slot that ever had a value.
//!
//! The state of a [`VecPool`](crate::VecPool) or a [`PackedVecPool`](crate::PackedVecPool) also has its limit, and how many
//! slots it has now; the generations after these are those of slots that it had:
//!
//! ```json
//! {
//!   "capacity_max": 4294967295, "slots_there": 4,
//!   "slots": { "pool": "VecPool", "reuse": "Lifo", … "generations": [1, 2, 1, 1, 2, 1, 1, 1], … }
//! }
//! ```
//!
//! A pool of several parts has the parts: `{"version": 1, "first": …, "second": …}` for a
//! [`Spill`](crate::overflow::Spill), and for a [`PolicyPool`](crate::overflow::PolicyPool) also its
//! `policy`, the `VecPool` that it has `grown` by, and the `ages` of an `evict-oldest` (`null` for the other
//! policies), whose form `around/evict_oldest/saved.rs` has.
//!
//! Everything read is checked before a pool is made from it.

mod checks;
mod objects;
mod read;
mod state;
#[cfg(any(feature = "packed", feature = "vec"))]
mod vec_pool;

pub(crate) use objects::read_list;
pub(crate) use read::{Objects, Refused};
pub(crate) use state::{SavedState, Version};
#[cfg(any(feature = "packed", feature = "vec"))]
pub(crate) use vec_pool::{CheckedVecPool, SavedVecPool};

use core::fmt;
use core::marker::PhantomData;

use ::serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use ::serde::ser::{Serialize, SerializeStruct, Serializer};

use super::SnapshotOf;
use super::state::sealed::{Load, ObjectsFor, Restore, Save, State, Written};
use crate::handle::HandleLayout;
use objects::{ObjectsOf, ReadObjects};

/// Implements `Serialize` and `Deserialize` for a pool that is `Written`.
macro_rules! serde_of_pool {
    ($pool:ty, [$($generics:tt)*], values $value:ident) => {
        /// Serialises everything that the pool's future depends on, and its statistics; see
        /// [`snapshot`](crate::snapshot#saving-to-a-file).
        impl<$($generics)*> ::serde::Serialize for $pool
        where
            $value: ::serde::Serialize,
        {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                crate::snapshot::state::sealed::Written::write(self, serializer)
            }
        }

        /// Deserialises a pool without a name; see [`snapshot`](crate::snapshot#saving-to-a-file).
        impl<'de, $($generics)*> ::serde::Deserialize<'de> for $pool
        where
            $value: ::serde::Deserialize<'de>,
        {
            fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                crate::snapshot::state::sealed::Written::read(deserializer)
            }
        }
    };
}
pub(crate) use serde_of_pool;

const FIELDS: &[&str] = &["version", "state", "objects"];

/// Writes a pool's saved state and its objects.
pub(crate) fn serialize_parts<P: State, S: Serializer>(
    state: &impl Serialize,
    pool: &P,
    serializer: S,
) -> Result<S::Ok, S::Error>
where
    P::Value: Serialize,
{
    let mut saved = serializer.serialize_struct("Pool", FIELDS.len())?;
    saved.serialize_field("version", &Version::CURRENT)?;
    saved.serialize_field("state", state)?;
    saved.serialize_field("objects", &ObjectsOf(pool))?;
    saved.end()
}

/// Reads the state and the objects of a pool. What reads is the same for all pools with the same handles and values, so
/// that a program with several has it once.
struct PartsVisitor<S, H, T> {
    /// What the pool is called.
    name: &'static str,
    /// The number of slots that a state has.
    slots: fn(&S) -> usize,
    dead_have_values: bool,
    objects: PhantomData<(H, T)>,
}

impl<S, H, T> PartsVisitor<S, H, T> {
    fn objects_of(&self, slots: usize) -> ReadObjects<H, T> {
        ReadObjects { slots, dead_have_values: self.dead_have_values, objects: PhantomData }
    }
}

/// A pool whose largest generation may be smaller than the handle layout's.
pub(crate) fn from_saved_up_to<P: Load>(
    saved: &SavedState,
    objects: ObjectsFor<P>,
    generation_max: u32,
) -> Result<P, Refused> {
    let (checked, values) = checks::check::<P>(saved, objects, generation_max)?;
    P::load(&checked, values)
}

/// Every pool whose slots are saved in one list.
impl<P: Load> Save for P {
    const NAME: &'static str = P::KIND;
    type Saved = SavedState;

    fn to_saved(&self) -> SavedState {
        SavedState::of(self)
    }

    fn saved_slots(saved: &SavedState) -> usize {
        saved.generations.len()
    }

    fn from_saved(saved: SavedState, objects: ObjectsFor<P>) -> Result<P, Refused> {
        from_saved_up_to(&saved, objects, P::Handle::LIFETIMES_MAX)
    }
}

impl<'de, S, H, T> Visitor<'de> for PartsVisitor<S, H, T>
where
    S: Deserialize<'de>,
    H: HandleLayout,
    T: Deserialize<'de>,
{
    type Value = (S, Objects<H, T>);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a saved {} of version {}", self.name, Version::CURRENT.number())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut fields: A) -> Result<Self::Value, A::Error> {
        let missing = |at| de::Error::invalid_length(at, &self);
        let _: Version = fields.next_element()?.ok_or_else(|| missing(0))?;
        let state: S = fields.next_element()?.ok_or_else(|| missing(1))?;
        let read = self.objects_of((self.slots)(&state));
        let objects = fields.next_element_seed(read)?.ok_or_else(|| missing(2))?;
        Ok((state, objects))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Self::Value, A::Error> {
        let (mut version, mut state, mut objects) = (None::<Version>, None::<S>, None);
        while let Some(field) = fields.next_key::<Field>()? {
            match field {
                Field::Version => put(&mut version, fields.next_value()?, "version")?,
                Field::State => put(&mut state, fields.next_value()?, "state")?,
                Field::Objects => {
                    let read = self.objects_of(state.as_ref().map_or(usize::MAX, self.slots));
                    put(&mut objects, fields.next_value_seed(read)?, "objects")?;
                }
            }
        }
        version.ok_or_else(|| de::Error::missing_field("version"))?;
        let state = state.ok_or_else(|| de::Error::missing_field("state"))?;
        let objects = objects.ok_or_else(|| de::Error::missing_field("objects"))?;
        Ok((state, objects))
    }
}

#[derive(::serde::Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum Field {
    Version,
    State,
    Objects,
}

fn put<V, E: de::Error>(place: &mut Option<V>, value: V, field: &'static str) -> Result<(), E> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(E::duplicate_field(field)),
    }
}

/// A pool that is in one piece.
impl<P: Save> Written for P {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error>
    where
        P::Value: Serialize,
    {
        if let Some((slot, _)) = self.detached().first() {
            return Err(::serde::ser::Error::custom(format_args!(
                "the object of slot {slot} is detached: reattach it, or free its slot, before you save the pool"
            )));
        }
        serialize_parts(&self.to_saved(), self, serializer)
    }

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error>
    where
        P::Value: Deserialize<'de>,
    {
        let parts = PartsVisitor {
            name: P::NAME,
            slots: P::saved_slots,
            dead_have_values: P::DEAD_HAVE_VALUES,
            objects: PhantomData,
        };
        let (state, objects) = deserializer.deserialize_struct("Pool", FIELDS, parts)?;
        P::from_saved(state, objects).map_err(de::Error::custom)
    }
}

/// A pool that is a part of another.
pub(crate) struct Part<P>(pub(crate) P);

impl<P: Written<Value: Serialize>> Serialize for Part<&P> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.write(serializer)
    }
}

impl<'de, P: Written<Value: Deserialize<'de>>> Deserialize<'de> for Part<P> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        P::read(deserializer).map(Self)
    }
}

impl<P: Written + Restore<Value: Serialize>> Serialize for SnapshotOf<P> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_pool().write(serializer)
    }
}

/// Deserialises a snapshot whose values are cloned.
impl<'de, P: Written + Restore<Value: Deserialize<'de> + Clone>> Deserialize<'de>
    for SnapshotOf<P>
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::cloned(P::read(deserializer)?))
    }
}
