//! The second pass: how rare each session's needs are, and which sessions may be given up.
//!
//! A session is as rare as its rarest need: of its classes, the one for which fewest sessions had as great
//! a peak. To serve all sessions but N, the N rarest are given up; of equally rare ones, those without
//! which the pools would be smaller by most.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::counts::{Counts, Group, group_of};
use super::levels::Levels;
use super::partial::{Partial, RareGroupPart, RarePart, RareSessionPart};
use super::pass::{Ended, Inputs, Visit};
use super::{MergeRules, changed};
use crate::error::{Failure, Fault, shown};
use crate::summary::Row;

/// The place of a session among all: those that are given up first come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    /// How many sessions had as great a peak in the rarest need.
    rarity: u64,
    /// What the pools of these needs would be smaller by, in bytes where sizes are known.
    saved: Reverse<u64>,
    /// No two sessions have the same.
    hash: u64,
}

/// A session that may be given up. The order of such sessions is that in which they are.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RareSession {
    rank: Rank,
    pub(super) name: String,
    pub(super) path: String,
    /// Its planned classes, by their numbers, and their peaks.
    pub(super) peaks: Vec<(usize, u32)>,
}

/// The sessions that may be given up, of some or all sessions.
#[derive(Debug)]
pub struct Rare {
    /// What tells the counts of all sessions from others, and the rules.
    counts: u64,
    quantile_percent: f64,
    all: bool,
    /// For each group, the first to be given up first.
    pub(super) groups: BTreeMap<String, Vec<RareSession>>,
    /// What tells the sessions that were read from others.
    pub(super) seen: u64,
}

impl Rare {
    /// Reads summaries once more that are in the counts, or the sessions of parts that may be given up, and keeps the
    /// sessions that may be given up.
    ///
    /// # Errors
    /// If an input cannot be used, or is of other sessions than the counts.
    #[inline]
    pub fn of(inputs: &mut Inputs, rules: &MergeRules, counts: &Counts) -> Result<Self, Failure> {
        let mut ranking = Ranking::new(rules, counts)?;
        let seen = inputs.visit(&mut ranking)?;
        let rarest = |group: GroupRanking<'_>| group.rarest.into_sorted_vec();
        let (counts, groups) = (ranking.counts, ranking.groups.into_iter());
        Ok(Self {
            counts,
            quantile_percent: rules.quantile_percent,
            all: rules.all,
            groups: groups.map(|(value, group)| (value.to_owned(), rarest(group))).collect(),
            seen,
        })
    }

    /// The sessions, for [`of`](Self::of) with the same counts.
    ///
    /// # Errors
    /// None, unless a number cannot be written as JSON.
    #[inline]
    pub fn to_json(&self) -> Result<String, Failure> {
        let session = |rare: &RareSession| RareSessionPart {
            session: rare.name.clone(),
            path: rare.path.clone(),
            hash: rare.rank.hash,
            peaks: rare.peaks.clone(),
        };
        let group = |(value, rare): (&String, &Vec<RareSession>)| RareGroupPart {
            value: value.clone(),
            sessions: rare.iter().map(session).collect(),
        };
        Partial::Rare(RarePart {
            counts: self.counts,
            quantile_percent: self.quantile_percent,
            all: self.all,
            seen: self.seen,
            groups: self.groups.iter().map(group).collect(),
        })
        .to_json()
    }

    /// How many sessions these are.
    #[must_use]
    #[inline]
    pub fn sessions(&self) -> usize {
        self.groups.values().map(Vec::len).sum()
    }
}

struct Ranking<'m> {
    rules: &'m MergeRules,
    counts: u64,
    groups: BTreeMap<&'m str, GroupRanking<'m>>,
    /// The group of the session that is being read, and its planned classes with their peaks.
    value: String,
    peaks: Vec<(usize, u32)>,
}

struct GroupRanking<'m> {
    group: &'m Group,
    /// By class, its peaks in their order, each with how many sessions had it or a greater one.
    at_least: Vec<Vec<(u32, u64)>>,
    count_max: usize,
    /// At least `count_max` sessions are as rare as this, or rarer.
    rarity_max: u64,
    /// The rarest sessions so far, at most `count_max`; the one to be given up last is on top.
    rarest: BinaryHeap<RareSession>,
}

impl<'m> Ranking<'m> {
    #[inline]
    fn new(rules: &'m MergeRules, counts: &'m Counts) -> Result<Self, Failure> {
        let groups = counts.groups.iter().map(|(value, group)| {
            let at_least: Vec<_> =
                group.classes.iter().map(|class| at_least(&class.peaks)).collect();
            let count_max = Levels::of(group.sessions, rules.quantile_percent).given_up_max();
            let ranking = GroupRanking {
                rarity_max: rarity_max(group, rules, &at_least, count_max as u64),
                group,
                at_least,
                count_max,
                rarest: BinaryHeap::new(),
            };
            (value.as_str(), ranking)
        });
        let mut hasher = DefaultHasher::new();
        counts.to_json()?.hash(&mut hasher);
        Ok(Self {
            rules,
            counts: hasher.finish(),
            groups: groups.collect(),
            value: String::new(),
            peaks: Vec::new(),
        })
    }
}

impl Visit for Ranking<'_> {
    #[inline]
    fn row(&mut self, row: &Row<'_>, _: &str) -> Result<(), Fault> {
        let value = group_of(row, self.rules.by.as_deref())?;
        if row.begins_session {
            value.clone_into(&mut self.value);
            self.peaks.clear();
        }
        let group = self.groups.get(value).ok_or_else(changed)?.group;
        let class = group.number(row.class).ok_or_else(changed)?;
        if group.is_planned(class, self.rules) {
            self.peaks.push((class, row.peak_live));
        }
        Ok(())
    }

    #[inline]
    fn end_session(&mut self, session: &Ended<'_>) -> Result<(), Fault> {
        let ranking = self.groups.get_mut(self.value.as_str()).ok_or_else(changed)?;
        self.peaks.sort_unstable();
        ranking.add(session.name, session.path, session.hash, &self.peaks)
    }

    #[inline]
    fn partial(&mut self, partial: Partial) -> Result<u64, Fault> {
        let Partial::Rare(part) = partial else {
            let why = "has counts, expected summaries or the sessions that may be given up \
                       (merge --counts COUNTS --partial FILE)";
            return Err(Fault::whole(why));
        };
        if part.counts != self.counts {
            return Err(Fault::whole("was made with other counts, expected those of --counts"));
        }
        if (part.quantile_percent, part.all) != (self.rules.quantile_percent, self.rules.all) {
            let options = |quantile: f64, all: bool| {
                format!("--quantile {quantile}{}", if all { " --all" } else { "" })
            };
            let found = options(part.quantile_percent, part.all);
            let expected = options(self.rules.quantile_percent, self.rules.all);
            return Err(Fault::whole(format!("was made with {found}, expected {expected}")));
        }
        for group in part.groups {
            let ranking = self.groups.get_mut(group.value.as_str()).ok_or_else(changed)?;
            for session in group.sessions {
                let is_ascending = session.peaks.is_sorted_by(|(a, _), (b, _)| a < b);
                let is_known = |class| class < ranking.group.classes.len();
                let is_planned = |&(class, _): &(usize, u32)| {
                    is_known(class) && ranking.group.is_planned(class, self.rules)
                };
                if !is_ascending || !session.peaks.iter().all(is_planned) {
                    let name = shown(session.session.as_bytes());
                    return Err(Fault::whole(format!(
                        "session `{name}` has other classes than the counts"
                    )));
                }
                ranking.add(&session.session, &session.path, session.hash, &session.peaks)?;
            }
        }
        Ok(part.seen)
    }
}

impl GroupRanking<'_> {
    /// Keeps a session if it may be given up.
    #[inline]
    fn add(
        &mut self,
        name: &str,
        path: &str,
        hash: u64,
        peaks: &[(usize, u32)],
    ) -> Result<(), Fault> {
        let rank = self.rank(hash, peaks)?;
        if self.rarest.len() == self.count_max {
            if self.rarest.peek().is_none_or(|last| rank >= last.rank) {
                return Ok(());
            }
            self.rarest.pop();
        }
        if rank.rarity <= self.rarity_max {
            let (name, path) = (name.to_owned(), path.to_owned());
            self.rarest.push(RareSession { rank, name, path, peaks: peaks.to_vec() });
        }
        Ok(())
    }

    #[inline]
    fn rank(&self, hash: u64, peaks: &[(usize, u32)]) -> Result<Rank, Fault> {
        let mut rank = Rank { rarity: u64::MAX, saved: Reverse(0), hash };
        for &(class, peak) in peaks {
            let list = &self.at_least[class];
            let place = list.binary_search_by_key(&peak, |&(peak, _)| peak);
            let place = place.map_err(|_| changed())?;
            let (_, at_least) = list[place];
            // The smallest pool has a slot, so one object is never refused.
            if peak > 1 && at_least <= rank.rarity {
                let next = place.checked_sub(1).map_or(0, |place| list[place].0);
                let bytes = self.group.classes[class].bytes_max.unwrap_or(1).max(1);
                let saved = u64::from(peak - next).saturating_mul(bytes);
                let of_others = if at_least == rank.rarity { rank.saved.0 } else { 0 };
                rank.saved = Reverse(of_others.saturating_add(saved));
                rank.rarity = at_least;
            }
        }
        Ok(rank)
    }
}

/// By peak in its order, how many sessions had it or a greater one.
#[inline]
fn at_least(peaks: &BTreeMap<u32, u64>) -> Vec<(u32, u64)> {
    let mut at_least = 0;
    let from_the_top = peaks.iter().rev().map(|(&peak, &count)| {
        at_least += count;
        (peak, at_least)
    });
    let mut list: Vec<_> = from_the_top.collect();
    list.reverse();
    list
}

/// A rarity that at least this many sessions have or fall below: a session that is less rare is not among the first.
#[inline]
fn rarity_max(
    group: &Group,
    rules: &MergeRules,
    at_least: &[Vec<(u32, u64)>],
    sessions: u64,
) -> u64 {
    let of_class = |list: &Vec<(u32, u64)>| {
        let rarities = list.iter().filter(|(peak, _)| *peak > 1).map(|&(_, at_least)| at_least);
        rarities.filter(|&at_least| at_least >= sessions).min()
    };
    let planned = at_least.iter().enumerate().filter(|(class, _)| group.is_planned(*class, rules));
    planned.filter_map(|(_, list)| of_class(list)).min().unwrap_or(u64::MAX)
}
