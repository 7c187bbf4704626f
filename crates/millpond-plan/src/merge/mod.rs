//! Plans pools that are sufficient for nearly all of many sessions, from their summaries.
//!
//! The summaries are read twice, one session in memory at a time. The first pass counts, for each class, how many
//! sessions had which peak. The second asks how rare the needs of each session are, and keeps the rarest: those that may
//! be given up, as many as the user allows. The capacities that serve all others, and what they refuse, follow from both
//! without reading the sessions again. The results of both passes over parts of the sessions can be written and added
//! up, so the passes may run on many machines. Everything is a sum, a maximum or a list in a fixed order, so the order of the
//! summaries is of no importance.
//!
//! Functions here, and those that only a merge calls, are `#[inline]`: they are built in the program that merges, which is
//! not the one that plans, and which a first build leaves out.

mod counts;
mod levels;
mod partial;
mod pass;
mod plans;
mod rare;

use serde::{Deserialize, Serialize};

pub use counts::Counts;
pub use partial::{PARTIAL_BYTES_TO_LOOK_AT, is_partial};
pub use pass::{Inputs, Open};
pub use rare::Rare;

use crate::error::{Failure, Fault};
use crate::plan::{Between, Headroom, Layout, Length, PaceBetween};

/// The options of a merge.
#[derive(Debug, Clone, PartialEq)]
pub struct MergeRules {
    /// The minimum percentage of sessions without a refusal.
    pub quantile_percent: f64,
    /// Room on top of what these sessions need.
    pub headroom: Headroom,
    /// The column whose values have a plan each; without it, all sessions have one plan.
    pub by: Option<String>,
    /// Whether classes are planned that are worth a pool in no session.
    pub all: bool,
    /// How long the program has to run without a slot that retires.
    pub session_seconds: f64,
}

/// The plan for the sessions of one group.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupPlan {
    /// The value that they share in the column of [`MergeRules::by`].
    pub value: Option<String>,
    /// How many sessions there are.
    pub sessions: u64,
    /// How many seconds they lasted, if each of them has a clock.
    pub seconds: Option<f64>,
    /// Whether they are recordings of a heap: classes are sizes, lengths are milliseconds.
    pub is_heap: bool,
    /// The classes: those for which a pool saves most calls first.
    pub classes: Vec<ClassPlan>,
    /// How many more classes there are that are worth a pool in no session.
    pub left_out: usize,
    /// How many sessions would have been refused something.
    pub refused: u64,
    /// What other shares of sessions to serve would cost, the greatest first, and the planned one.
    pub levels: Vec<Level>,
    /// The sessions that miss most, the worst first.
    pub neediest: Vec<Refused>,
}

/// A class and the pool that it needs.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassPlan {
    /// Its name.
    pub name: String,
    /// The number of sessions that have it.
    pub sessions: u64,
    /// The number of objects in all of them.
    pub births: u64,
    /// How many calls to the allocator a pool in each session would have saved.
    pub calls_saved: u64,
    /// The peak that half of all sessions do not exceed; sessions without the class have the peak 0.
    pub peak_median: u32,
    /// The greatest peak.
    pub peak_max: u32,
    /// The size of the largest object, if the recordings have sizes.
    pub bytes_max: Option<u64>,
    /// The median length of a lifetime.
    pub life_median: Option<Between<Length>>,
    /// The length that 95 % of the lifetimes do not exceed.
    pub life_p95: Option<Between<Length>>,
    /// The number of sessions whose plan proposes a pool for it.
    pub worth_in: u64,
    /// The capacity to reserve.
    pub capacity: u32,
    /// In how many sessions a pool of this capacity would have refused something.
    pub refused_in: u64,
    /// How fast the busiest slot was used in the session where it was used fastest; `None` if one of the
    /// sessions does not say it or has no clock.
    pub pace: Option<PaceBetween>,
    /// The handle and the reuse order that follow.
    pub layout: Option<Layout>,
    /// The sessions with the greatest peaks, the greatest first.
    pub needs_most: Vec<Need>,
}

impl ClassPlan {
    /// What a pool of the planned capacity occupies, if the recordings have sizes: the objects alone, each as large as
    /// the largest.
    #[must_use]
    #[inline]
    pub fn bytes_at_capacity(&self) -> Option<u64> {
        Some(self.bytes_max?.saturating_mul(self.capacity.into()))
    }
}

/// A session's need for a class.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Need {
    /// The session's name.
    pub session: String,
    /// The summary that contains it.
    pub path: String,
    /// The peak of live objects.
    pub peak_live: u32,
}

/// A session that would have been refused something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The session's name.
    pub session: String,
    /// The summary that it is in.
    pub path: String,
    /// By how much its peaks exceed the capacities, all classes together.
    pub missing: u64,
    /// The class that misses most slots.
    pub class: String,
    /// The peak of live objects of this class.
    pub peak_live: u32,
    /// The capacity that is planned for this class.
    pub capacity: u32,
}

/// What it costs to serve a share of the sessions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// The share, in per cent.
    pub percent: f64,
    /// The slots of all pools.
    pub slots: u64,
    /// The bytes of all pools, if the recordings have sizes.
    pub bytes: Option<u64>,
    /// How many sessions would have been refused something.
    pub refused: u64,
}

/// How many sessions are named for each class.
const NEEDS_MAX: usize = 3;

/// How many of the sessions that would have been refused something are named.
const NEEDIEST_MAX: usize = 10;

/// Merges summaries: a plan for each group, in the order of their values.
///
/// # Errors
/// If a summary cannot be used.
#[inline]
pub fn merge(inputs: &mut Inputs, rules: &MergeRules) -> Result<Vec<GroupPlan>, Failure> {
    let counts = Counts::of(inputs, rules.by.as_deref())?;
    let rare = Rare::of(inputs, rules, &counts)?;
    plans(counts, rare, rules).map_err(|_| changed().of_input("the summaries"))
}

/// The plan for each group, in the order of their values, from the counts of all sessions and those of all sessions
/// that may be given up.
///
/// # Errors
/// If the latter are not all of those that were counted.
#[inline]
pub fn plans(counts: Counts, rare: Rare, rules: &MergeRules) -> Result<Vec<GroupPlan>, Fault> {
    if rare.seen != counts.seen {
        let why = "are other sessions than those that were counted, expected each part once";
        return Err(Fault::whole(why));
    }
    plans::plans(counts, rare, rules)
}

#[inline]
fn changed() -> Fault {
    Fault::whole("changed while being read, expected finished summaries")
}

/// Puts an item into a list in order that keeps only its first `count_max`. `precedes` says whether the item
/// comes before another one; it is only made if it stays.
fn keep_first<T>(
    list: &mut Vec<T>,
    count_max: usize,
    precedes: impl Fn(&T) -> bool,
    make: impl FnOnce() -> T,
) {
    let place = list.partition_point(|other| !precedes(other));
    if place < count_max {
        list.truncate(count_max - 1);
        list.insert(place, make());
    }
}
