//! The saved form of a pool whose policy is chosen at run time: the policy, all parts, and the ages of the objects.

mod migrate;

use alloc::string::String;

use ::serde::de::{self, Deserializer};
use ::serde::ser::Serializer;
use ::serde::{Deserialize, Serialize};

use super::{EvictOldest, PolicyPool, Pool, VecPool};
use crate::handle::HandleLayout;
use crate::policies::{Overflow, Spill};
use crate::slots::reuse::ReuseOrder;
use crate::snapshot::format::{Part, Refused, Version, serde_of_pool};
use crate::snapshot::state::sealed::{State, Written};

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

impl<T, R: ReuseOrder, H: HandleLayout> Written for PolicyPool<T, R, H> {
    fn write<S: Serializer>(&self, list_all: bool, serializer: S) -> Result<S::Ok, S::Error>
    where
        T: Serialize,
    {
        // The list has a place for each slot.
        let list_all = list_all || self.ages.is_some();
        let saved = SavedPolicyPool {
            version: Version::CURRENT,
            policy: self.policy.name().into(),
            first: Part::of(self.first(), list_all),
            second: Part::of(self.second(), list_all),
            grown: Part::of(self.pools.second(), list_all),
            ages: self.ages.as_ref(),
        };
        saved.serialize(serializer)
    }

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error>
    where
        T: Deserialize<'de>,
    {
        type Read<T, R, H> =
            SavedPolicyPool<Part<Pool<T, R, H>>, Part<VecPool<T, R, H>>, Option<EvictOldest<H>>>;
        let saved: Read<T, R, H> = SavedPolicyPool::deserialize(deserializer)?;
        let policy = saved.policy.as_str().parse().map_err(de::Error::custom)?;
        let (first, second, grown) = (saved.first.pool, saved.second.pool, saved.grown.pool);
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

serde_of_pool!(PolicyPool<T, R, H>, [T, R: ReuseOrder, H: HandleLayout], values T);
