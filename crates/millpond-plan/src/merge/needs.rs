//! The second pass: how rare each session's needs are, and which sessions are given up.
//!
//! A session is as rare as its rarest need: of its classes, the one for which fewest sessions had as great
//! a peak. To serve all sessions but N, the N rarest are given up; of equally rare ones, those without
//! which the pools would be smaller by most.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::gather::{Gathered, Group, group_of};
use super::pass::{Ended, Inputs, Visit};
use super::{MergeRules, changed};
use crate::error::{Failure, Fault};
use crate::summary::Row;

/// The shares of sessions, in per cent, whose cost is always reported.
const PERCENTS: [f64; 7] = [100.0, 99.99, 99.9, 99.0, 95.0, 90.0, 50.0];

/// The place of a session among all: those that are given up first come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank {
    /// How many sessions had as great a peak in the rarest need.
    rarity: u64,
    /// What the pools of these needs would be smaller by, in bytes where sizes are known.
    saved: Reverse<u64>,
    /// No two sessions have the same.
    hash: u64,
}

/// For each group the shares of sessions to serve, the greatest first.
pub(super) type Levels = BTreeMap<String, GroupLevels>;

/// The shares of one group.
#[derive(Debug)]
pub(super) struct GroupLevels {
    /// By level, the share in per cent and the last session that is given up.
    pub(super) levels: Vec<(f64, Option<Rank>)>,
    /// The level that the user has asked for.
    pub(super) chosen: usize,
}

/// Reads all summaries once more; returns who is given up, and what tells these sessions from others.
pub(super) fn levels(
    inputs: &mut Inputs,
    rules: &MergeRules,
    gathered: &Gathered,
) -> Result<(Levels, u64), Failure> {
    let mut ranking = Ranking { needs: Needs::new(rules, gathered), ranks: BTreeMap::new() };
    let seen = inputs.visit(&mut ranking)?;
    let mut levels = Levels::new();
    for (value, mut ranks) in ranking.ranks {
        ranks.sort_unstable();
        levels.insert(value, GroupLevels::of(&ranks, rules.quantile_percent));
    }
    Ok((levels, seen))
}

struct Ranking<'m> {
    needs: Needs<'m>,
    ranks: BTreeMap<String, Vec<Rank>>,
}

impl Visit for Ranking<'_> {
    fn row(&mut self, row: &Row<'_>, _: &str) -> Result<(), Fault> {
        self.needs.row(row).map(drop)
    }

    fn end_session(&mut self, session: &Ended<'_>) -> Result<(), Fault> {
        let rank = self.needs.rank(session.hash);
        match self.ranks.get_mut(self.needs.value()) {
            Some(ranks) => ranks.push(rank),
            None => drop(self.ranks.insert(self.needs.value().to_owned(), vec![rank])),
        }
        Ok(())
    }
}

impl GroupLevels {
    /// The levels of sessions with these ranks, in their order.
    fn of(ranks: &[Rank], quantile_percent: f64) -> Self {
        // A product such as 1000 × 0.1 % is a little below 1 in floating point.
        let given_up =
            |percent: f64| (ranks.len() as f64 * (100.0 - percent) / 100.0 + 1e-6) as usize;
        let mut percents = PERCENTS.to_vec();
        if !percents.contains(&quantile_percent) {
            percents.push(quantile_percent);
        }
        percents.sort_by(|a, b| b.total_cmp(a));
        // With few sessions, 99.9 % and 99 % are the same.
        percents.dedup_by(|later, earlier| {
            let is_same = given_up(*later) == given_up(*earlier);
            if is_same && *later == quantile_percent {
                *earlier = *later;
            }
            is_same
        });
        let chosen = percents.iter().position(|&percent| percent == quantile_percent);
        let last = |percent| given_up(percent).checked_sub(1).map(|place| ranks[place]);
        Self {
            levels: percents.into_iter().map(|percent| (percent, last(percent))).collect(),
            chosen: chosen.unwrap_or_default(),
        }
    }
}

/// The rarity of the needs of the session that is being read.
pub(super) struct Needs<'m> {
    rules: &'m MergeRules,
    groups: BTreeMap<&'m str, GroupNeeds<'m>>,
    /// The session's group, and what is known of it so far.
    value: String,
    rarity: u64,
    saved: u64,
}

struct GroupNeeds<'m> {
    group: &'m Group,
    /// By class, its peaks in their order, each with how many sessions had it or a greater one.
    at_least: Vec<Vec<(u32, u64)>>,
}

impl<'m> Needs<'m> {
    pub(super) fn new(rules: &'m MergeRules, gathered: &'m Gathered) -> Self {
        let groups = gathered.iter().map(|(value, group)| {
            let at_least = group.classes.iter().map(|class| at_least(&class.peaks)).collect();
            (value.as_str(), GroupNeeds { group, at_least })
        });
        Self { rules, groups: groups.collect(), value: String::new(), rarity: u64::MAX, saved: 0 }
    }

    /// Records a line; returns the number of its class if that is to be planned.
    pub(super) fn row(&mut self, row: &Row<'_>) -> Result<Option<usize>, Fault> {
        let value = group_of(row, self.rules)?;
        if row.begins_session {
            value.clone_into(&mut self.value);
            (self.rarity, self.saved) = (u64::MAX, 0);
        }
        let needs = self.groups.get(value).ok_or_else(changed)?;
        let class = needs.group.number(row.class).ok_or_else(changed)?;
        if !needs.group.is_planned(class, self.rules) {
            return Ok(None);
        }
        let list = &needs.at_least[class];
        let place = list.binary_search_by_key(&row.peak_live, |&(peak, _)| peak);
        let place = place.map_err(|_| changed())?;
        let (peak, at_least) = list[place];
        // The smallest pool has a slot, so one object is never refused.
        if peak > 1 && at_least <= self.rarity {
            let next = place.checked_sub(1).map_or(0, |place| list[place].0);
            let bytes = needs.group.classes[class].bytes_max.unwrap_or(1).max(1);
            let saved = u64::from(peak - next).saturating_mul(bytes);
            self.saved =
                if at_least == self.rarity { self.saved.saturating_add(saved) } else { saved };
            self.rarity = at_least;
        }
        Ok(Some(class))
    }

    /// The group of the session whose lines have been noted.
    pub(super) fn value(&self) -> &str {
        &self.value
    }

    /// The rank of the session whose lines have been noted.
    pub(super) fn rank(&self, hash: u64) -> Rank {
        Rank { rarity: self.rarity, saved: Reverse(self.saved), hash }
    }
}

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
