//! What to pool first: the classes and places for which a pool saves the most calls to the allocator.
//!
//! A pool saves calls, so proposals are ranked by calls, and list the pool's bytes as the cost. A proposal is one of
//! these:
//!
//! - a pool, for the objects of one class;
//! - an allocator of size classes, for a place that requests many sizes;
//! - nothing that the program can do, for memory that a library allocates for itself. These come last.
//!
//! Nothing is proposed for a buffer that is resized, for a class with few births, or for one whose objects live until
//! the end. Neither is anything proposed for calls that the allocator mostly serves from blocks that it has
//! [at hand](at_hand): they are cheaper than others, so their share of the calls says little. Only a measurement shows
//! whether a pool still saves time.

mod at_hand;
mod units;

pub use at_hand::BLOCKS_DEFAULT as BLOCKS_AT_HAND_DEFAULT;
pub(super) use units::Units;

use std::cmp::Ordering;
use std::collections::HashMap;

use super::{Headroom, Rules, Statistics};
use crate::trace::{Caller, Wrapper};

/// Fewer calls than this are not worth a pool.
pub const CALLS_SAVED_MIN: u64 = 100;

/// A smaller share of all calls is not worth a pool.
pub const SHARE_MIN: f64 = 0.01;

/// The maximum number of functions named for each proposal.
const CALLERS_MAX: usize = 20;

/// The share that counts as most of the calls: of one function, which is then *the* caller, or of the blocks that the
/// allocator has at hand.
const MOST: f64 = 0.5;

/// What to pool first, and what not to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Advice {
    /// The best first; what libraries allocate for themselves comes last.
    pub proposals: Vec<Proposal>,
    /// What would be proposed if the allocator did not have a block at hand for most of the calls, in the same order.
    pub at_hand: Vec<Proposal>,
    /// Buffers that are resized, the busiest first.
    pub growing: Vec<Growing>,
    /// The program's own wrappers of the allocator that were skipped.
    pub wrappers: Vec<Wrapper>,
    /// The share of all calls that come from code without function names.
    pub nameless_share: f64,
    /// By class number, whether a pool of this class is proposed.
    pub worth_a_pool: Vec<bool>,
    /// The kinds of allocation by their numbers.
    pub kinds: Vec<Kind>,
}

/// A kind of allocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind {
    /// The proposal that it counts towards, by [`Proposal::unit`], if there is one.
    pub unit: u32,
    /// The bytes of a block, if the trace has them.
    pub bytes: Option<u64>,
}

/// The kinds of proposals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Means {
    /// A pool of objects of one class.
    Pool,
    /// An allocator of several sizes.
    SizeClasses,
    /// Nothing: the named library allocates for itself.
    Library(String),
}

/// One proposal.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// The class, or the smallest and the largest size.
    pub class: String,
    /// What is proposed.
    pub means: Means,
    /// The number of calls to the allocator.
    pub calls: u64,
    /// The number of those calls that could have reused a free slot.
    pub calls_saved: u64,
    /// The calls saved as a share of all calls in the trace.
    pub share_of_calls: f64,
    /// The number of calls that the allocator served with a block at hand; 0 in lifetime traces.
    pub calls_at_hand: u64,
    /// The peak of live objects.
    pub peak_live: u32,
    /// The number of slots, including the headroom.
    pub slots: u32,
    /// The size of those slots in bytes, if the trace has sizes.
    pub bytes: Option<u64>,
    /// The largest size in it.
    pub bytes_max: Option<u64>,
    /// The callers, the busiest first.
    pub callers: Vec<Caller>,
    /// Of recordings of a heap: the other classes with many calls that common allocators keep in the same bin. A pool
    /// for one of them alone leaves the bin in use, and may not pay off.
    pub together_with: Vec<String>,
    /// Its number, different from that of every other proposal.
    pub unit: u32,
    /// The time saved by following it, together with what should be taken with it; `None` if it was not measured.
    pub time_saved: Option<TimeSaved>,
}

/// The time saved by following a proposal, on the machine that measured it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeSaved {
    /// The number of calls to the allocator that pools serve instead.
    pub calls: u64,
    /// The least time saved in the whole recording, in milliseconds; negative if time is lost.
    pub least_ms: f64,
    /// The most time saved in the whole recording, in milliseconds.
    pub most_ms: f64,
}

/// Allocators keep blocks in bins whose sizes differ by this many bytes, …
const BIN_BYTES: u64 = 16;

/// … and include a header of this many bytes.
const HEADER_BYTES: u64 = 8;

/// The bin of a size in a common allocator.
fn bin(size: u64) -> u64 {
    size.saturating_add(HEADER_BYTES).div_ceil(BIN_BYTES).max(2)
}

/// A class is mentioned beside another that saves up to this many times as much.
const TOGETHER_ONE_IN: u64 = 4;

/// Finds for each pool the others that should be taken together with it.
fn find_company(proposals: &mut [Proposal]) {
    let pools: Vec<(u64, u64, String)> = proposals
        .iter()
        .filter(|proposal| proposal.means == Means::Pool)
        .filter_map(|pool| Some((bin(pool.bytes_max?), pool.calls_saved, pool.class.clone())))
        .collect();
    for pool in proposals.iter_mut().filter(|proposal| proposal.means == Means::Pool) {
        let Some(bytes) = pool.bytes_max else { continue };
        let shares_bin = |other: &&(u64, u64, String)| {
            other.0 == bin(bytes)
                && other.1 * TOGETHER_ONE_IN >= pool.calls_saved
                && other.2 != pool.class
        };
        pool.together_with = pools.iter().filter(shares_bin).map(|other| other.2.clone()).collect();
    }
}

impl Proposal {
    /// More calls saved come first, then fewer bytes; what cannot be followed comes last.
    fn by_rank(a: &Self, b: &Self) -> Ordering {
        let bytes = |proposal: &Self| proposal.bytes.unwrap_or(0);
        b.can_be_followed()
            .cmp(&a.can_be_followed())
            .then(b.calls_saved.cmp(&a.calls_saved))
            .then(bytes(a).cmp(&bytes(b)))
            .then_with(|| a.class.cmp(&b.class))
    }

    /// Whether the program can follow it.
    #[must_use]
    pub fn can_be_followed(&self) -> bool {
        !matches!(self.means, Means::Library(_))
    }

    /// Whether the allocator has a block at hand for most of the calls that a pool would save.
    fn is_mostly_at_hand(&self) -> bool {
        self.share_at_hand() > MOST
    }

    /// The share of the calls that a pool would save for which the allocator has a block at hand.
    #[must_use]
    pub fn share_at_hand(&self) -> f64 {
        (self.calls_at_hand as f64 / self.calls_saved.max(1) as f64).min(1.0)
    }

    /// The function that makes most of the calls, if one does.
    #[must_use]
    pub fn main_caller(&self) -> Option<&Caller> {
        let share = |caller: &&Caller| caller.allocations as f64 >= self.calls as f64 * MOST;
        self.callers.first().filter(share)
    }
}

/// A buffer that is resized, for which no pool is proposed.
#[derive(Debug, Clone, PartialEq)]
pub struct Growing {
    /// The function that resizes it.
    pub caller: Caller,
    /// The smallest and the largest size.
    pub sizes: (u64, u64),
    /// The calls as a share of all calls in the trace.
    pub share_of_calls: f64,
}

impl Advice {
    /// Whether anything is worth a pool.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.proposals.is_empty()
    }

    /// Whether anything was measured.
    #[must_use]
    pub fn is_measured(&self) -> bool {
        self.proposals.iter().chain(&self.at_hand).any(|proposal| proposal.time_saved.is_some())
    }

    /// Records the measured times, by the number of a proposal. Moves what is served at hand to the proposals if it
    /// certainly saves time. What certainly saves most comes first: the other end of a range varies with the load of
    /// the machine.
    pub fn note_times(&mut self, times: &HashMap<u32, TimeSaved>) {
        for proposal in self.proposals.iter_mut().chain(&mut self.at_hand) {
            proposal.time_saved = times.get(&proposal.unit).copied();
        }
        let saves_time =
            |proposal: &mut Proposal| proposal.time_saved.is_some_and(|time| time.least_ms > 0.0);
        self.proposals.extend(self.at_hand.extract_if(.., saves_time));
        let time = |proposal: &Proposal| {
            proposal.time_saved.map_or(f64::NEG_INFINITY, |time| time.least_ms)
        };
        self.proposals.sort_by(|a, b| {
            b.can_be_followed()
                .cmp(&a.can_be_followed())
                .then(time(b).total_cmp(&time(a)))
                .then_with(|| Proposal::by_rank(a, b))
        });
    }
}

/// Whether a pool that saves `calls_saved` of a unit's `calls` is worth it, in a trace of `all_calls`.
fn is_worth_it(calls: u64, calls_saved: u64, all_calls: u64) -> bool {
    calls_saved >= CALLS_SAVED_MIN
        && calls_saved * 2 >= calls
        && calls_saved as f64 >= all_calls as f64 * SHARE_MIN
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pool(class: u64, calls_saved: u64) -> Proposal {
        Proposal {
            class: class.to_string(),
            means: Means::Pool,
            calls: calls_saved,
            calls_saved,
            share_of_calls: 0.1,
            calls_at_hand: 0,
            peak_live: 1,
            slots: 2,
            bytes: Some(2 * class),
            bytes_max: Some(class),
            callers: Vec::new(),
            together_with: Vec::new(),
            unit: class as u32,
            time_saved: None,
        }
    }

    #[test]
    fn busy_sizes_of_one_bin_are_named_together() {
        let mut proposals = [
            pool(56, 1000),
            pool(48, 900),
            pool(64, 900),
            pool(42, 200),
            pool(8, 100),
            pool(24, 90),
        ];
        find_company(&mut proposals);
        let found: Vec<_> = proposals.iter().map(|p| p.together_with.join(" ")).collect();
        assert_eq!(found, ["48", "56", "", "56 48", "24", "8"]);
    }

    #[test]
    fn what_saves_most_time_comes_first_once_it_is_measured() {
        let at_hand = [pool(8, 5000), pool(9, 4000), pool(10, 3000)];
        let library = Proposal { means: Means::Library("libc".to_owned()), ..pool(7, 9000) };
        let mut advice = Advice {
            proposals: vec![pool(1, 1000), pool(2, 900), pool(3, 800), library],
            at_hand: at_hand.to_vec(),
            ..Advice::default()
        };
        assert!(!advice.is_measured());
        let times = [(2, 1.0, 2.0), (1, -1.0, 3.0), (8, 0.1, 0.2), (9, -0.1, 9.0)];
        let times = times
            .map(|(unit, least_ms, most_ms)| (unit, TimeSaved { calls: 1, least_ms, most_ms }));
        advice.note_times(&HashMap::from(times));
        let classes = |proposals: &[Proposal]| {
            proposals.iter().map(|proposal| proposal.class.clone()).collect::<Vec<_>>()
        };
        // 1 and 9 may cost time; 3 was not measured.
        assert_eq!(classes(&advice.proposals), ["2", "8", "1", "3", "7"]);
        assert_eq!(classes(&advice.at_hand), ["9", "10"]);
        assert!(advice.is_measured());
    }

    #[test]
    fn what_is_worth_a_pool() {
        assert!(is_worth_it(200, 100, 10_000));
        assert!(!is_worth_it(200, 99, 100), "few");
        assert!(!is_worth_it(201, 100, 100), "most live on");
        assert!(!is_worth_it(200, 100, 10_001), "a small share");
    }
}
