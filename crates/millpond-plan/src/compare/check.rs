//! Whether a recording fits into the pools of a budget.

use std::collections::HashSet;

use millpond_overflow::Overflow;
use millpond_overflow::budget::{Entry, Scenario};

use super::timeline::Moment;
use crate::error::Fault;
use crate::input::Source;
use crate::output::budget_toml::{Recorded, Sizes, requested_by};
use crate::plan::{ClassStatistics, NearPeak, Statistics};
use crate::progress::Silent;
use crate::trace::{self, Event, Summary, Watch};

/// A pool of the budget, and what the recording would do with it.
#[derive(Debug, Clone)]
pub struct Checked {
    /// Its name.
    pub pool: String,
    /// Its slots: those that it has, may grow to or spill into; of an untouched one, those that are planned.
    pub slots: u64,
    /// Whether a full pool evicts, so that it cannot overflow.
    pub evicts: bool,
    /// The most objects at once that the recording has.
    pub peak: u32,
    /// The objects that the full pool would refuse, or evict.
    pub turned_away: u64,
    /// When the pool is too small for the first time, if it is.
    pub first: Option<Moment>,
    /// The functions that request its objects, the busiest first.
    pub requested_by: Vec<RequestedBy>,
    /// What else is not as in the budget's recording, as far as the budget says how that was.
    pub changes: Vec<Change>,
}

/// What is not as it was, and may fit for all that. In each, the first is that of the budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Its objects are larger or smaller.
    Size(Sizes, Sizes),
    /// It has most objects at another time.
    PeakAt(NearPeak, NearPeak),
}

/// Fewer objects than these say nothing of their size.
const SIZED_MIN: u64 = 8;

/// Where not all objects are as large as each other, the largest is chance unless it is larger by this factor.
const LARGER_MIN: f64 = 1.1;

/// A function that requests objects of a pool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestedBy {
    /// Its name.
    pub function: String,
    /// How many it requests.
    pub births: u64,
    /// Whether the budget's recording did not have it; `None` if the budget names no functions for this pool.
    pub is_new: Option<bool>,
}

impl Checked {
    /// Whether the recording does not fit.
    #[must_use]
    pub fn overflows(&self) -> bool {
        self.first.is_some() && !self.evicts
    }
}

/// A recording beside a budget.
#[derive(Debug)]
pub struct Check {
    /// What the recording is.
    pub summary: Summary,
    /// The pools of the budget, those that overflow first, and of these the one with most too many.
    pub pools: Vec<Checked>,
    /// The classes that the budget has no pool for, with their peaks, the largest first.
    pub without_pool: Vec<(String, u32)>,
}

impl Check {
    /// The pools that overflow.
    pub fn overflows(&self) -> impl Iterator<Item = &Checked> {
        self.pools.iter().filter(|pool| pool.overflows())
    }
}

/// Checks whether a recording fits into a scenario of a budget, whose text says who requested what.
///
/// # Errors
/// If the recording cannot be used, or has no times.
pub fn check(source: &Source, scenario: Scenario<'_>, text: &str) -> Result<Check, Fault> {
    let mut filling = Filling::new(scenario);
    // The classes have names only at the end: all are counted, and the second reading fills the pools.
    let mut statistics = Statistics::default();
    let summary = trace::read(trace::open(source)?, &mut statistics, &mut Silent)?;
    summary.expect_times("a check")?;
    filling.name(&summary);
    if trace::read(trace::open(source)?, &mut filling, &mut Silent)? != summary {
        return Err(Fault::whole("changed while being read, expected a finished trace"));
    }
    let is_planned = |class: &String| filling.pools.iter().any(|pool| pool.name == *class);
    let classes = summary.classes.iter().zip(&statistics.classes);
    let mut without_pool: Vec<(String, u32)> = classes
        .filter(|(class, of)| of.peak_live > 0 && !is_planned(class))
        .map(|(class, of)| (class.clone(), of.peak_live))
        .collect();
    without_pool.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let callers = callers(&summary);
    let mut pools: Vec<Checked> = filling
        .pools
        .iter()
        .map(|pool| {
            let known = requested_by(text, scenario.name(), pool.name);
            let callers = pool.class.and_then(|class| callers.get(class as usize));
            let requested_by =
                callers.into_iter().flatten().map(|(function, births)| RequestedBy {
                    function: function.clone(),
                    births: *births,
                    is_new: known.as_ref().map(|known| !known.contains(function)),
                });
            Checked {
                pool: pool.name.to_owned(),
                slots: pool.slots,
                evicts: pool.evicts,
                peak: pool.peak,
                turned_away: pool.turned_away,
                first: pool.first.map(|tick| Moment::of(tick, &summary)),
                requested_by: requested_by.collect(),
                changes: (pool.class)
                    .and_then(|class| statistics.classes.get(class as usize))
                    .map(|of| {
                        let planned = Recorded::in_budget(text, scenario.name(), pool.name);
                        changes(planned, of, &summary)
                    })
                    .unwrap_or_default(),
            }
        })
        .collect();
    pools.sort_by_key(|pool| {
        let over = u64::from(pool.peak).saturating_sub(pool.slots);
        (std::cmp::Reverse((pool.overflows(), over)), pool.pool.clone())
    });
    Ok(Check { summary, pools, without_pool })
}

/// The functions that request each class, the busiest first.
fn callers(summary: &Summary) -> Vec<Vec<(String, u64)>> {
    let Some(allocations) = &summary.allocations else { return Vec::new() };
    let places = allocations.places(&[]);
    let kinds: Vec<(u32, u64)> = allocations.kinds().collect();
    let of_class = |class: usize| {
        let kinds = kinds.iter().enumerate();
        let kinds = kinds.filter(move |(_, kind)| kind.0 as usize == class);
        let callers = places.callers(kinds.map(|(number, kind)| (number, kind.1)));
        callers.into_iter().map(|caller| (caller.function, caller.allocations)).collect()
    };
    (0..summary.classes.len()).map(of_class).collect()
}

/// What is not as it was when the budget was planned.
fn changes(planned: Recorded, class: &ClassStatistics, summary: &Summary) -> Vec<Change> {
    let now = Recorded::of(class, summary);
    let differ = |was: &Sizes, is: &Sizes| match was.are_alike && is.are_alike {
        true => was != is,
        false => is.largest as f64 > was.largest as f64 * LARGER_MIN,
    };
    let sizes = planned.sizes.zip(now.sizes).filter(|(was, is)| differ(was, is));
    let sizes = sizes.filter(|_| class.lifetimes >= SIZED_MIN);
    let near = planned.near_peak.zip(now.near_peak).filter(|(was, is)| was.has_moved(is));
    let sizes = sizes.map(|(was, is)| Change::Size(was, is));
    sizes.into_iter().chain(near.map(|(was, is)| Change::PeakAt(was, is))).collect()
}

/// A pool while it is filled.
struct Pool<'b> {
    name: &'b str,
    slots: u64,
    evicts: bool,
    class: Option<u32>,
    live: u32,
    /// How many of them are in the pool.
    held: u64,
    peak: u32,
    turned_away: u64,
    first: Option<u32>,
}

struct Filling<'b> {
    pools: Vec<Pool<'b>>,
    /// The pool of each class.
    of_class: Vec<Option<usize>>,
    /// By key, whether the object is in its pool.
    is_held: HashSet<u32, foldhash::fast::RandomState>,
}

impl<'b> Filling<'b> {
    fn new(scenario: Scenario<'b>) -> Self {
        let pool = |(name, entry): (&'b str, Entry)| Pool {
            name,
            slots: match entry.is_untouched() {
                true => entry.capacity() as u64,
                false => entry.capacity_max() as u64,
            },
            evicts: matches!(entry.policy(), Overflow::EvictLeast | Overflow::EvictOldest),
            class: None,
            live: 0,
            held: 0,
            peak: 0,
            turned_away: 0,
            first: None,
        };
        let pools = scenario.entries().map(pool).collect();
        Self { pools, of_class: Vec::new(), is_held: HashSet::default() }
    }

    fn name(&mut self, summary: &Summary) {
        for (class, name) in summary.classes.iter().enumerate() {
            let pool = self.pools.iter().position(|pool| pool.name == name);
            if let Some(pool) = pool {
                self.pools[pool].class = Some(class as u32);
            }
            self.of_class.push(pool);
        }
    }

    fn pool(&mut self, class: u32) -> Option<&mut Pool<'b>> {
        let pool = self.of_class.get(class as usize).copied().flatten()?;
        self.pools.get_mut(pool)
    }
}

impl Watch for Filling<'_> {
    fn birth(&mut self, event: Event) {
        let Some(pool) = self.pool(event.class) else { return };
        pool.live += 1;
        pool.peak = pool.peak.max(pool.live);
        if pool.held < pool.slots {
            pool.held += 1;
            self.is_held.insert(event.key);
        } else {
            pool.turned_away += 1;
            pool.first.get_or_insert(event.tick);
        }
    }

    fn death(&mut self, event: Event) {
        let was_held = self.is_held.remove(&event.key);
        let Some(pool) = self.pool(event.class) else { return };
        pool.live -= 1;
        pool.held -= u64::from(was_held);
    }

    fn left(&mut self, _: u32, _: u32, _: u32) {}
}
