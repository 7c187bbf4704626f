//! The saved form of a pool whose policy is chosen at run time: the `policy`, all parts (the last is the `VecPool` that
//! it has `grown` by), and the `ages` of the objects of an `evict-oldest` (`null` for the other policies).

mod migrate;

use alloc::string::String;

use ::serde::de::{self, Deserializer};
use ::serde::ser::Serializer;
use ::serde::{Deserialize, Serialize};

use millpond::__parts::{NewPool, Refused, write};
use millpond::reuse::ReuseOrder;
use millpond::snapshot::State;
use millpond::{HandleLayout, Pool, VecPool};

use super::PolicyPool;
use crate::saved::Version;
use crate::{EvictOldest, Overflow, Spill};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedPolicyPool<F, G, A> {
    version: Version,
    policy: String,
    first: F,
    second: F,
    grown: G,
    ages: A,
}

/// A part that is written with all its slots, if it is so, also those that were never used.
struct Part<'a, P>(&'a P, bool);

impl<P: NewPool<Value: Serialize>> Serialize for Part<'_, P> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        write(self.0, self.1, serializer)
    }
}

/// Serialises everything that the pool's future depends on, and its statistics; see
/// [`snapshot`](millpond::snapshot#saving-to-a-file).
impl<T: Serialize, R: ReuseOrder, H: HandleLayout> Serialize for PolicyPool<T, R, H> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // The list has a place for each slot.
        let list_all = self.ages.is_some();
        let saved = SavedPolicyPool {
            version: Version::CURRENT,
            policy: self.policy.name().into(),
            first: Part(self.first(), list_all),
            second: Part(self.second(), list_all),
            grown: self.pools.second(),
            ages: self.ages.as_ref(),
        };
        saved.serialize(serializer)
    }
}

/// Deserialises a pool without a name; see [`snapshot`](millpond::snapshot#saving-to-a-file).
impl<'de, T: Deserialize<'de>, R: ReuseOrder, H: HandleLayout> Deserialize<'de>
    for PolicyPool<T, R, H>
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        type Read<T, R, H> =
            SavedPolicyPool<Pool<T, R, H>, VecPool<T, R, H>, Option<EvictOldest<H>>>;
        let saved = Read::<T, R, H>::deserialize(deserializer)?;
        let policy = saved.policy.as_str().parse().map_err(de::Error::custom)?;
        let (first, second, grown) = (saved.first, saved.second, saved.grown);
        let slots = [first.capacity(), second.capacity(), grown.capacity_max()];
        let all_listed = [&first, &second].iter().all(|part| part.used() == part.capacity());
        let ages = check(policy, slots, all_listed, saved.ages).map_err(de::Error::custom)?;
        let pools = Spill::new(Spill::new(first, second), grown);
        Ok(Self { policy, pools, ages })
    }
}

/// Checks that a pool of this policy may have these parts. The list of ages gets a place for each slot: in a pool that
/// evicts there is no growth, and the file must have a number for each of them (`all_listed`).
fn check<H: HandleLayout>(
    policy: Overflow,
    [first, second, grown]: [usize; 3],
    all_listed: bool,
    ages: Option<EvictOldest<H>>,
) -> Result<Option<EvictOldest<H>>, Refused> {
    let together = first.saturating_add(second).saturating_add(grown);
    if together > H::CAPACITY_MAX {
        return Err(Refused::too_many_slots(together as u64));
    }
    let other = |what| Err(Refused::other(what, policy.name()));
    match policy {
        Overflow::Grow if second > 0 => return other("policy: it spills"),
        Overflow::Grow => {}
        _ if grown > 0 => return other("policy: it grows"),
        _ => {}
    }
    if ages.is_some() && !all_listed {
        return Err(Refused::new("a pool that evicts has slots that are not listed".into()));
    }
    match ages {
        None if policy != Overflow::EvictOldest => Ok(None),
        Some(ages) if policy == Overflow::EvictOldest => ages.of_exactly(together).map(Some),
        _ => other("policy, with ages or without"),
    }
}
