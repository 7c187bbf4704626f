//! The saved form of a pool: what `serde` writes and reads.
//!
//! It has these parts: `version`; `capacity`, in version 2; `state`, everything about the slots; and `objects`.
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
//!   retired. In version 1, their number is the capacity: a reader allocates no more than this many slots need.
//! - `capacity`: the number of slots, of which `generations` and `order` have only those below the first that was never used:
//!   the others have the `first` generation, and come last in the order. Of a `Pool` or `HandleAllocator` whose order keeps no
//!   list of them, and whose values are aligned to 64 bytes at most: there they cost a reader addresses alone, and a limited
//!   number of these. It is of version 1 if all slots were used, and so is every other kind of pool.
//! - `order`: ranges of slots, each the first slot and a number: the dead ones in the order of reuse. With `Roster`,
//!   `PackedPool`, `PackedVecPool` and `StaticPool`, the live ones come before them and the retired ones after; with
//!   `LowestFirst` and a side table, it is empty. For a `SyncPool`, it is not an order of slots, but for each home the
//!   word of 64 slots that it searches first.
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
//! The crate `millpond-overflow` has the forms of pools of several parts, and of lists of ages.
//!
//! Everything read is checked before a pool is made from it.

mod checks;
mod migrate;
mod new_pool;
mod objects;
mod read;
mod state;

#[cfg(feature = "__c")]
pub(crate) use checks::check;
pub use migrate::{MigrateError, OldPool, check as check_migration, take_over, used as used_slots};
pub(crate) use migrate::{migrate, migrations};
pub use new_pool::NewPool;
pub(crate) use new_pool::units;
pub use objects::read_list;
pub(crate) use read::Objects;
pub use read::Refused;
pub(crate) use state::Form;
pub use state::other_version;

use core::fmt;
use core::marker::PhantomData;

use ::serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use ::serde::ser::{Serialize, SerializeStruct, Serializer};

use super::{SnapshotOf, State};
use crate::handle::HandleLayout;
pub(crate) use objects::ObjectsOf;
use objects::ReadObjects;
use state::GrownForm;

/// Implements `Serialize` and `Deserialize` for a pool whose slots are one list.
macro_rules! serde_of_pool {
    ($pool:ty, [$($generics:tt)*], values $value:ident) => {
        /// Serialises everything that the pool's future depends on, and its statistics; see
        /// [`snapshot`](crate::snapshot#saving-to-a-file).
        impl<$($generics)*> ::serde::Serialize for $pool
        where
            $value: ::serde::Serialize,
        {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                crate::snapshot::format::write(self, false, serializer)
            }
        }

        /// Deserialises a pool without a name; see [`snapshot`](crate::snapshot#saving-to-a-file).
        impl<'de, $($generics)*> ::serde::Deserialize<'de> for $pool
        where
            $value: ::serde::Deserialize<'de>,
        {
            fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                crate::snapshot::format::read(deserializer)
            }
        }
    };
}
pub(crate) use serde_of_pool;

const FIELDS: &[&str] = &["version", "capacity", "state", "objects"];

/// Writes a pool's saved state and its objects; `capacity`: if not all slots are in the state.
pub(crate) fn serialize_parts<S: Serializer>(
    (state, capacity): (&impl Serialize, Option<usize>),
    objects: &impl Serialize,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let fields = FIELDS.len() - usize::from(capacity.is_none());
    let mut saved = serializer.serialize_struct("Pool", fields)?;
    match capacity {
        None => {
            saved.serialize_field("version", &1_u32)?;
            saved.skip_field("capacity")?;
        }
        Some(capacity) => {
            saved.serialize_field("version", &VERSION_MAX)?;
            saved.serialize_field("capacity", &(capacity as u64))?;
        }
    }
    saved.serialize_field("state", state)?;
    saved.serialize_field("objects", objects)?;
    saved.end()
}

/// The version of a file that leaves out slots which were never used. Others have version 1.
const VERSION_MAX: u32 = 2;

/// Reads the state and the objects of a pool. What reads is the same for all pools with the same handles and values, so
/// that a program with several has it once.
struct PartsVisitor<S, H, T> {
    /// What the pool is called.
    name: &'static str,
    /// The number of slots that a state has.
    slots: fn(&S) -> usize,
    /// The last version that it may have.
    version_max: u32,
    dead_have_values: bool,
    objects: PhantomData<(H, T)>,
}

/// The capacity, of a pool some of whose slots are left out; the state; the objects.
type PartsRead<S, H, T> = (Option<u64>, S, Objects<H, T>);

impl<S, H, T> PartsVisitor<S, H, T> {
    fn check<E: de::Error>(&self, version: u32) -> Result<u32, E> {
        match version {
            1.. if version <= self.version_max => Ok(version),
            other => Err(other_version(other, self.version_max)),
        }
    }

    fn objects_of(&self, slots: usize) -> ReadObjects<H, T> {
        ReadObjects { slots, dead_have_values: self.dead_have_values, objects: PhantomData }
    }
}

impl<'de, S, H, T> Visitor<'de> for PartsVisitor<S, H, T>
where
    S: Deserialize<'de>,
    H: HandleLayout,
    T: Deserialize<'de>,
{
    type Value = PartsRead<S, H, T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let versions = if self.version_max > 1 { "1 or 2" } else { "1" };
        write!(f, "a saved {} of version {versions}", self.name)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut fields: A) -> Result<Self::Value, A::Error> {
        let missing = |at| de::Error::invalid_length(at, &self);
        let version = self.check(fields.next_element()?.ok_or_else(|| missing(0))?)?;
        let capacity = match version {
            1 => None,
            _ => Some(fields.next_element()?.ok_or_else(|| missing(1))?),
        };
        let before = 1 + usize::from(capacity.is_some());
        let state: S = fields.next_element()?.ok_or_else(|| missing(before))?;
        let read = self.objects_of((self.slots)(&state));
        let objects = fields.next_element_seed(read)?.ok_or_else(|| missing(before + 1))?;
        Ok((capacity, state, objects))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Self::Value, A::Error> {
        let (mut version, mut state, mut objects) = (None::<u32>, None::<S>, None);
        let mut capacity = None::<u64>;
        while let Some(field) = fields.next_key::<Field>()? {
            match field {
                Field::Version => {
                    put(&mut version, self.check(fields.next_value()?)?, "version")?;
                }
                Field::Capacity => put(&mut capacity, fields.next_value()?, "capacity")?,
                Field::State => put(&mut state, fields.next_value()?, "state")?,
                Field::Objects => {
                    let read = self.objects_of(state.as_ref().map_or(usize::MAX, self.slots));
                    put(&mut objects, fields.next_value_seed(read)?, "objects")?;
                }
            }
        }
        match (version.ok_or_else(|| de::Error::missing_field("version"))?, capacity) {
            (1, Some(_)) => {
                return Err(de::Error::unknown_field("capacity", &["state", "objects"]));
            }
            (1, None) | (_, Some(_)) => {}
            (_, None) => return Err(de::Error::missing_field("capacity")),
        }
        let state = state.ok_or_else(|| de::Error::missing_field("state"))?;
        let objects = objects.ok_or_else(|| de::Error::missing_field("objects"))?;
        Ok((capacity, state, objects))
    }
}

#[derive(::serde::Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum Field {
    Version,
    Capacity,
    State,
    Objects,
}

fn put<V, E: de::Error>(place: &mut Option<V>, value: V, field: &'static str) -> Result<(), E> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(E::duplicate_field(field)),
    }
}

/// Writes a pool. `list_all`: also the slots that were never used.
pub fn write<P: NewPool<Value: Serialize>, S: Serializer>(
    pool: &P,
    list_all: bool,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    if let Some((slot, _)) = pool.detached().first() {
        return Err(::serde::ser::Error::custom(format_args!(
            "the object of slot {slot} is detached: reattach it, or free its slot, before you save the pool"
        )));
    }
    let (slots, capacity) = Form::of(pool, list_all);
    // No slot was live beyond.
    let listed = if P::DEAD_HAVE_VALUES { pool.shape().capacity } else { pool.used() };
    let slot = |index| (pool.word(index), pool.value(index));
    let objects = ObjectsOf::<P::Handle, _>::new(listed, P::DEAD_HAVE_VALUES, slot);
    if !P::GROWS {
        return serialize_parts((&slots, capacity), &objects, serializer);
    }
    let (capacity_max, slots_there) = (pool.shape().capacity_max, pool.counted().capacity);
    let (capacity_max, slots_there) = (capacity_max as u64, slots_there as u64);
    serialize_parts((&GrownForm { capacity_max, slots_there, slots }, None), &objects, serializer)
}

/// Reads a pool.
pub(crate) fn read<'de, P: NewPool<Value: Deserialize<'de>>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<P, D::Error> {
    read_within(deserializer, false, None)
}

/// Reads a pool with no more slots than these. `listed_alone`: without those that its file leaves out.
fn read_within<'de, P: NewPool<Value: Deserialize<'de>>, D: Deserializer<'de>>(
    deserializer: D,
    listed_alone: bool,
    slots_max: Option<usize>,
) -> Result<P, D::Error> {
    let parts = deserializer;
    let (capacity, growth, slots, objects) = if P::GROWS {
        let (capacity, form, objects) =
            read_parts::<P, _, _>(parts, listed_alone, |form: &GrownForm| form.slots.listed())?;
        (capacity, Some((form.capacity_max, form.slots_there)), form.slots, objects)
    } else {
        let (capacity, slots, objects) = read_parts::<P, _, _>(parts, listed_alone, Form::listed)?;
        (capacity, None, slots, objects)
    };
    let capacity = capacity.filter(|_| !listed_alone);
    let claimed = capacity.unwrap_or(slots.listed() as u64);
    if let Some(slots_max) = slots_max.filter(|slots_max| claimed > *slots_max as u64) {
        return Err(de::Error::custom(format_args!(
            "the file has a pool of {claimed} slots, and the program reads up to {slots_max}"
        )));
    }
    let checked = match growth {
        Some(growth) => checks::check_growing::<P>(slots, growth, objects),
        None => checks::check::<P>(&slots, capacity, objects, P::Handle::LIFETIMES_MAX),
    };
    let (state, values) = checked.map_err(de::Error::custom)?;
    let mut pool = P::unused(&state).map_err(de::Error::custom)?;
    match pool.take_over(&state, values) {
        Ok(()) => Ok(pool),
        Err(_) => Err(de::Error::custom(Refused::out_of_memory(state.slots))),
    }
}

/// Reads the state and the objects of a pool whose slots have this form.
fn read_parts<'de, P, S, D>(
    deserializer: D,
    listed_alone: bool,
    slots: fn(&S) -> usize,
) -> Result<PartsRead<S, P::Handle, P::Value>, D::Error>
where
    P: NewPool<Value: Deserialize<'de>>,
    S: Deserialize<'de>,
    D: Deserializer<'de>,
{
    // Where slots that are left out stay so, any pool may leave them out.
    let version_max = if P::MAY_LEAVE_OUT || listed_alone { VERSION_MAX } else { 1 };
    let (name, dead_have_values, objects) = (P::KIND, P::DEAD_HAVE_VALUES, PhantomData);
    let parts = PartsVisitor { name, slots, version_max, dead_have_values, objects };
    deserializer.deserialize_struct("Pool", FIELDS, parts)
}

/// A saved pool with the slots that its file lists and no others, whatever capacity the file claims: reading it takes no more
/// memory, and no more addresses, than the file's size justifies.
///
/// The file of a [`Pool`](crate::Pool) or a [`HandleAllocator`](crate::HandleAllocator) leaves out the slots that were never
/// used. A pool that is read itself has them all,
/// [untouched](crate::PoolBuilder::untouched), and is refused if they take too many addresses
/// ([saving to a file](crate::snapshot#saving-to-a-file)). Where the program is to decide how many slots there are, let a
/// pool of its own [take over](crate::Pool::migrate_from) the used part:
///
/// ```
/// use millpond::Pool;
/// use millpond::snapshot::UsedPart;
///
/// let new = || Pool::<[u64; 32]>::builder().capacity(1 << 20).untouched().build();
/// let mut chunks = new();
/// let chunk = chunks.insert([7; 32]).unwrap();
/// let file = serde_json::to_string(&chunks)?; // of 1,048,576 slots, it lists one
/// assert!(file.len() < 500);
///
/// let old: UsedPart<Pool<[u64; 32]>> = serde_json::from_str(&file)?;
/// assert_eq!(old.0.capacity(), 1);
/// let mut chunks = new();
/// chunks.migrate_from(old.0)?; // touches the memory of one slot
/// assert_eq!(chunks[chunk], [7; 32]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// It can be a field of a struct that derives `Deserialize`. Needs the feature `serde`.
#[derive(Clone, Debug)]
pub struct UsedPart<P>(pub P);

impl<'de, P: NewPool<Value: Deserialize<'de>>> Deserialize<'de> for UsedPart<P> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read_within(deserializer, true, None).map(Self)
    }
}

/// A saved pool of at most `SLOTS` slots: a file that claims more is refused before the pool takes any memory or addresses.
///
/// For pools with values (not `Spill` and `PolicyPool` of `millpond-overflow`), and as a field of a struct that derives
/// `Deserialize`. Needs the feature `serde`.
///
/// ```
/// use millpond::Pool;
/// use millpond::snapshot::UpTo;
///
/// let file = serde_json::to_string(&Pool::<u64>::builder().capacity(1 << 20).untouched().build())?;
/// assert!(file.len() < 500); // and claims 8 MiB
/// let read = serde_json::from_str::<UpTo<Pool<u64>, 4096>>(&file);
/// assert_eq!(
///     read.unwrap_err().to_string().split(" at line").next(),
///     Some("the file has a pool of 1048576 slots, and the program reads up to 4096"),
/// );
///
/// let UpTo(pool) = serde_json::from_str::<UpTo<Pool<u64>, { 1 << 20 }>>(&file)?;
/// assert_eq!(pool.capacity(), 1 << 20);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct UpTo<P, const SLOTS: usize>(pub P);

impl<'de, P: NewPool<Value: Deserialize<'de>>, const SLOTS: usize> Deserialize<'de>
    for UpTo<P, SLOTS>
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read_within(deserializer, false, Some(SLOTS)).map(Self)
    }
}

impl<P: State + Serialize> Serialize for SnapshotOf<P> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_pool().serialize(serializer)
    }
}

/// Deserialises a snapshot whose values are cloned.
impl<'de, P: State<Value: Clone> + Deserialize<'de>> Deserialize<'de> for SnapshotOf<P> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::cloned(P::deserialize(deserializer)?))
    }
}
