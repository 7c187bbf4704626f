//! What to do first: the changes to a program that save most time in its allocator.
//!
//! A change saves the time of the calls that it takes away from the allocator, and costs the time of what serves them
//! instead. Both follow from counts and [prices](super::prices): how many of the calls are served from a block that the
//! allocator has [at hand](at_hand), and how many are not. A proposal is one of these:
//!
//! - packed pools of values, in place of a container of pointers;
//! - a pool, for the objects of one class, or of several classes of nearly the same size;
//! - an allocator of size classes, for a place that requests many sizes, or for the whole program;
//! - an arena, for what is built up and goes together;
//! - reserving the memory of a buffer, for a place that mostly resizes it;
//!
//! What saves most comes first, except that a simpler change comes before it if it saves nearly as much. Prices foretell;
//! a [trial](crate::measure) on this machine decides: after one, what a change saves for certain ranks it, and one that may
//! save nothing is left out. Another general allocator is no proposal, but a thing to try.

mod arena;
mod at_hand;
mod libraries;
mod pairs;
mod proposals;
mod units;

pub use at_hand::BLOCKS_DEFAULT as BLOCKS_AT_HAND_DEFAULT;
pub use libraries::Library;
pub use proposals::{Means, Proposal};
pub(super) use units::Units;

use std::collections::{HashMap, HashSet};

use super::prices::TimeSaved;
use super::{AllTime, Headroom, Rules, Statistics, TimeOf};
use crate::trace::Wrapper;

/// A proposal that saves less than this is not worth a change, …
pub const WORTH_MS: f64 = 0.1;

/// … unless it saves at least this share of all of the time.
pub const WORTH_SHARE_OF_TIME: f64 = 0.001;

/// By this share of its own time, any change may make a program faster or slower, because it moves code that it does not
/// touch (`case-studies/README.md`).
const SHARE_OF_LAYOUT: f64 = 0.01;

/// In a lifetime trace, a class that saves fewer calls than this is not worth a pool, …
const CALLS_SAVED_MIN: u64 = 100;

/// … nor is one with a smaller share of all calls.
pub const SHARE_MIN: f64 = 0.01;

/// A simpler change comes first if it saves this share of what the best one saves. Neither prices nor replays are more
/// accurate than that.
const NEARLY_AS_MUCH: f64 = 0.85;

/// A change that only adds this share to the savings of a simpler one is the same proposal.
const THE_SAME: f64 = 0.95;

/// What to do first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Advice {
    /// The proposals, the best first. They are numbered from 1 in this order.
    pub proposals: Vec<Proposal>,
    /// The best change, if none is worth it.
    pub best_of_none: Option<Proposal>,
    /// What a trial left out, and why.
    pub left_out: Vec<(Proposal, LeftOut)>,
    /// After a trial: what prices foretell of changes that were not tried.
    pub untried: Vec<Proposal>,
    /// Other general allocators whose prices are known: each is something to try, and no proposal.
    pub allocators: Vec<OtherAllocator>,
    /// What libraries allocate for themselves, the busiest first.
    pub libraries: Vec<Library>,
    /// The program's own wrappers of the allocator that were skipped.
    pub wrappers: Vec<Wrapper>,
    /// The share of all calls that come from code without function names.
    pub nameless_share: f64,
    /// By the number of each kind of allocation: the bytes of a block, if the trace has them.
    pub bytes_of_kinds: Vec<Option<u64>>,
    /// All of the time, if it is known.
    pub time: Option<AllTime>,
}

impl Advice {
    /// Puts the allocator first that saves most, with its start counted.
    pub fn rank_allocators(&mut self) {
        let ms = |of: &OtherAllocator| of.time_saved.rank_ms() - of.start_ms.unwrap_or(0.0);
        self.allocators.sort_by(|a, b| ms(b).total_cmp(&ms(a)));
    }

    /// Whether anything is worth a change.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.proposals.is_empty()
    }

    /// Whether anything was measured.
    #[must_use]
    pub fn is_measured(&self) -> bool {
        let all = self.proposals.iter().chain(&self.best_of_none);
        !self.left_out.is_empty() || all.into_iter().any(|proposal| proposal.time_saved.is_measured)
    }

    /// Whether a change that saves this is worth it.
    #[must_use]
    pub fn is_worth(&self, time: TimeSaved) -> bool {
        is_worth(time.rank_ms(), self.time.map(|all| all.ms))
    }

    /// The number of the proposal to pool this class, if there is one.
    #[must_use]
    pub fn number_of(&self, class: &str) -> Option<usize> {
        let of_class =
            |proposal: &Proposal| proposal.is_pool() && proposal.classes.iter().any(|c| c == class);
        self.proposals.iter().position(of_class).map(|place| place + 1)
    }

    /// The classes that proposals put into pools.
    pub(super) fn pooled_classes(&self) -> HashSet<&str> {
        let pools = self.proposals.iter().filter(|proposal| proposal.is_pool());
        pools.flat_map(|proposal| &proposal.classes).map(String::as_str).collect()
    }

    /// Records what a trial says, by the number of a proposal, and ranks the proposals again, by what they save for
    /// certain. Those that a trial could decide, and did not, are no proposals any more; `can_be_tried` tells them.
    pub fn note_trial(
        &mut self,
        verdicts: &HashMap<usize, Verdict>,
        can_be_tried: impl Fn(&Proposal) -> bool,
    ) {
        let mut all = std::mem::take(&mut self.proposals);
        all.extend(self.best_of_none.take());
        let mut kept = Vec::new();
        for (number, mut proposal) in (1..).zip(all) {
            let left_out = match verdicts.get(&number) {
                Some(verdict) => {
                    proposal.time_saved = verdict.time;
                    verdict.left_out
                }
                None if can_be_tried(&proposal) => {
                    self.untried.push(proposal);
                    continue;
                }
                // What prices foretell is all that is known of it.
                None => None,
            };
            match left_out.or(self.hidden(proposal.time_saved)) {
                // Its capacity is worth a pool, whatever time it saves.
                Some(_) if proposal.is_worth_by_count => kept.push(proposal),
                Some(why) => self.left_out.push((proposal, why)),
                None => kept.push(proposal),
            }
        }
        self.rank(kept);
    }

    /// Whether the program, whose own time is known, would show a saving: what is certain of it may be less than what the
    /// layout of its code decides.
    fn hidden(&self, saved: TimeSaved) -> Option<LeftOut> {
        let program = self.time.filter(|all| all.of == TimeOf::Program)?;
        (saved.low_ms < program.ms * SHARE_OF_LAYOUT).then_some(LeftOut::WithinLayout)
    }

    /// Ranks the possible changes, and leaves out those that are not worth it.
    fn rank(&mut self, mut all: Vec<Proposal>) {
        all.sort_by(Proposal::by_time);
        let (worth, rest): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|of| of.is_worth_by_count || self.is_worth(of.time_saved));
        self.proposals = simplest_first(distinct(worth));
        self.best_of_none = match self.proposals.is_empty() {
            true => simplest_first(rest).into_iter().next(),
            false => None,
        };
    }
}

/// Another general allocator, to try.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OtherAllocator {
    /// Its name.
    pub name: String,
    /// The calls that it would serve: all of them.
    pub calls: u64,
    /// The time that its calls save.
    pub time_saved: TimeSaved,
    /// Its library, where it is installed.
    pub library: Option<String>,
    /// How much longer a program takes to start with it, if that was measured.
    pub start_ms: Option<f64>,
}

impl OtherAllocator {
    /// What it saves with its start counted.
    #[must_use]
    pub fn saved_ms(&self) -> (f64, f64) {
        let start_ms = self.start_ms.unwrap_or(0.0);
        (self.time_saved.low_ms - start_ms, self.time_saved.high_ms - start_ms)
    }
}

/// What a trial says of a proposal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verdict {
    /// What it saves, as far as the trial tells.
    pub time: TimeSaved,
    /// Why it is no proposal, if it is none.
    pub left_out: Option<LeftOut>,
}

/// Why a trial leaves a proposal out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeftOut {
    /// It may save nothing: the range reaches zero.
    MayBeNothing,
    /// The measurement was disturbed, and so was the next one: it says more than all calls cost.
    Disturbed,
    /// It may save less than the program gains or loses when its code lies elsewhere.
    WithinLayout,
}

impl LeftOut {
    /// Its name in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::MayBeNothing => "may-save-nothing",
            Self::Disturbed => "disturbed",
            Self::WithinLayout => "within-layout",
        }
    }
}

/// Puts the simplest of those first that save nearly as much as the best. They are sorted by time.
fn simplest_first(mut all: Vec<Proposal>) -> Vec<Proposal> {
    let most_ms = all.first().map_or(0.0, |best| best.time_saved.rank_ms());
    let saves_nearly_as_much = |of: &&Proposal| of.time_saved.rank_ms() >= most_ms * NEARLY_AS_MUCH;
    let simplest =
        all.iter().take_while(saves_nearly_as_much).enumerate().min_by_key(|(_, of)| of.effort());
    if let Some((place, _)) = simplest {
        all[..=place].rotate_right(1);
    }
    all
}

/// Whether a change that saves this many milliseconds is worth it, of this many in all.
#[must_use]
pub fn is_worth(saved_ms: f64, all_ms: Option<f64>) -> bool {
    saved_ms >= WORTH_MS
        || all_ms.is_some_and(|all| saved_ms > 0.0 && saved_ms >= all * WORTH_SHARE_OF_TIME)
}

/// Leaves out what is nearly the same as a simpler proposal. They are sorted by time.
fn distinct(all: Vec<Proposal>) -> Vec<Proposal> {
    let is_covered = |one: &Proposal| {
        all.iter().any(|other| {
            other.effort() < one.effort()
                && other.is_of_slots()
                && one.is_of_slots()
                && other.time_saved.rank_ms() >= one.time_saved.rank_ms() * THE_SAME
                && other.calls as f64 >= one.calls as f64 * THE_SAME
        })
    };
    let kept: Vec<bool> = all.iter().map(|one| !is_covered(one)).collect();
    all.into_iter().zip(kept).filter_map(|(one, is_kept)| is_kept.then_some(one)).collect()
}

/// Whether a pool that saves `calls_saved` of a class's `calls` is worth it for its capacity alone, in a trace of
/// `all_calls`.
fn is_worth_by_count(calls: u64, calls_saved: u64, all_calls: u64) -> bool {
    calls_saved >= CALLS_SAVED_MIN
        && mostly_saved(calls, calls_saved)
        && calls_saved as f64 >= all_calls as f64 * SHARE_MIN
}

/// Whether most objects are gone before the end, so that others can have their slots.
fn mostly_saved(calls: u64, calls_saved: u64) -> bool {
    calls_saved * 2 >= calls
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proposal(class: &str, means: Means, calls: u64, ms: f64) -> Proposal {
        Proposal {
            class: class.to_owned(),
            means,
            calls,
            calls_saved: calls,
            time_saved: TimeSaved { low_ms: ms, high_ms: ms, ..TimeSaved::default() },
            ..Proposal::default()
        }
    }

    fn ranked(all: Vec<Proposal>, recorded_ms: Option<f64>) -> Advice {
        let time = recorded_ms.map(|ms| AllTime { ms, of: TimeOf::Recording });
        let mut advice = Advice { time, ..Advice::default() };
        advice.rank(all);
        advice
    }

    fn classes(proposals: &[Proposal]) -> Vec<&str> {
        proposals.iter().map(|proposal| proposal.class.as_str()).collect()
    }

    #[test]
    fn what_saves_most_time_comes_first_but_a_simpler_change_before_it() {
        let sizes = || Means::ProgramSizeClasses(vec![16, 32]);
        let many = vec![
            proposal("small", Means::Pool, 5, 1.0),
            proposal("all", sizes(), 90, 10.0),
            proposal("half", Means::Pool, 50, 8.4),
        ];
        assert_eq!(classes(&ranked(many, None).proposals), ["all", "half", "small"]);
        let many = vec![
            proposal("small", Means::Pool, 5, 1.0),
            proposal("all", sizes(), 90, 10.0),
            proposal("most", Means::Pool, 70, 8.6),
            proposal("other", Means::SizeClasses, 80, 9.0),
        ];
        assert_eq!(classes(&ranked(many, None).proposals), ["most", "all", "other", "small"]);
    }

    #[test]
    fn what_is_nearly_the_same_is_told_once() {
        let all = vec![
            proposal("pool", Means::Pool, 96, 9.7),
            proposal("all", Means::ProgramSizeClasses(vec![16]), 100, 10.0),
            proposal("arena", Means::Arena, 96, 12.0),
        ];
        assert_eq!(classes(&ranked(all, None).proposals), ["arena", "pool"]);
    }

    #[test]
    fn nothing_is_worth_it_only_below_both_thresholds() {
        let of = |ms, recorded_ms| {
            let advice = ranked(vec![proposal("a", Means::Pool, 9, ms)], recorded_ms);
            assert_eq!(advice.best_of_none.is_some(), advice.is_empty());
            !advice.is_empty()
        };
        assert!(of(0.1, None) && of(0.1, Some(1e9)) && of(0.05, Some(50.0)));
        assert!(!of(0.09, None) && !of(0.09, Some(100.0)) && !of(-1.0, Some(1.0)));
    }

    #[test]
    fn a_trial_ranks_by_what_is_certain_and_leaves_out_what_is_not() {
        let all = vec![
            proposal("one", Means::Pool, 9, 6.0),
            proposal("two", Means::Pool, 9, 5.0),
            proposal("three", Means::Pool, 9, 4.0),
            proposal("four", Means::Pool, 9, 3.0),
            proposal("untried", Means::Pool, 9, 2.0),
            proposal("buffer", Means::Reserve, 9, 1.0),
        ];
        let mut advice = ranked(all, None);
        assert!(!advice.is_measured());
        let verdict = |low_ms, high_ms, left_out| Verdict {
            time: TimeSaved { low_ms, high_ms, is_measured: true, calls: 9 },
            left_out,
        };
        let verdicts = HashMap::from([
            (1, verdict(-1.0, 90.0, Some(LeftOut::MayBeNothing))),
            (2, verdict(0.5, 80.0, None)),
            (3, verdict(2.0, 3.0, None)),
            (4, verdict(500.0, 900.0, Some(LeftOut::Disturbed))),
        ]);
        advice.note_trial(&verdicts, |of| of.means == Means::Pool);
        // The middle of "two" is far beyond that of "three".
        assert_eq!(classes(&advice.proposals), ["three", "buffer", "two"]);
        assert!(advice.is_measured());
        let left_out: Vec<_> =
            advice.left_out.iter().map(|(of, why)| (of.class.as_str(), *why)).collect();
        assert_eq!(left_out, [("one", LeftOut::MayBeNothing), ("four", LeftOut::Disturbed)]);
        assert_eq!(classes(&advice.untried), ["untried"]);
    }

    #[test]
    fn nothing_is_proposed_if_a_trial_is_sure_of_nothing() {
        let mut by_count = proposal("capacity", Means::Pool, 9, 1.0);
        by_count.is_worth_by_count = true;
        let all = vec![proposal("one", Means::Pool, 9, 3.0), by_count];
        let mut advice = ranked(all, None);
        let time = TimeSaved { low_ms: -0.1, high_ms: 2.0, is_measured: true, calls: 9 };
        let nothing = Verdict { time, left_out: Some(LeftOut::MayBeNothing) };
        advice.note_trial(&HashMap::from([(1, nothing), (2, nothing)]), |_| true);
        assert_eq!(classes(&advice.proposals), ["capacity"], "its capacity is worth a pool");
        assert_eq!((advice.left_out.len(), advice.best_of_none), (1, None));
    }

    #[test]
    fn what_the_layout_of_code_hides_is_no_proposal_where_the_programs_time_is_known() {
        let time = |low_ms| TimeSaved { low_ms, high_ms: 9.0, is_measured: true, calls: 9 };
        let verdicts = HashMap::from([
            (1, Verdict { time: time(1.54), left_out: None }),
            (2, Verdict { time: time(1.56), left_out: None }),
        ]);
        for (of, proposed) in [
            (TimeOf::Program, &["seen"][..]),
            (TimeOf::Recording, &["seen", "hidden", "foretold"]),
            (TimeOf::SlowedRecording, &["seen", "hidden", "foretold"]),
        ] {
            let all = [("hidden", 3.0), ("seen", 2.0), ("foretold", 0.5)];
            let mut advice = Advice {
                time: Some(AllTime { ms: 155.0, of }),
                proposals: all.map(|(class, ms)| proposal(class, Means::Pool, 9, ms)).into(),
                ..Advice::default()
            };
            advice.note_trial(&verdicts, |of| of.class != "foretold");
            assert_eq!(classes(&advice.proposals), proposed, "{of:?}");
            let hidden = advice.left_out.iter().map(|(of, why)| (of.class.as_str(), *why));
            let expected = ["hidden", "foretold"].map(|class| (class, LeftOut::WithinLayout));
            let expected = if of == TimeOf::Program { &expected[..] } else { &[] };
            assert!(hidden.eq(expected.iter().copied()), "{of:?}");
        }
    }

    #[test]
    fn what_is_worth_a_pool_by_its_counts() {
        assert!(is_worth_by_count(200, 100, 10_000));
        assert!(!is_worth_by_count(200, 99, 100), "few");
        assert!(!is_worth_by_count(201, 100, 100), "most live on");
        assert!(!is_worth_by_count(200, 100, 10_001), "a small share");
    }
}
