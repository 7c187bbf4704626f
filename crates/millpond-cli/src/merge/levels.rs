//! The second pass: how rare each session is, and the capacities that follow.
//!
//! A session is as rare as its rarest need: of its classes, the one for which fewest sessions had as great
//! a peak. To serve all sessions but N, classes are cut down together: every peak that no more than
//! `rarity` sessions reached is given up, with the greatest `rarity` for which no more than N sessions are
//! refused anything.

use std::collections::BTreeMap;

use super::gather::{Gathered, Group, group_of};
use super::pass::{Ended, Inputs, Visit};
use super::{MergeRules, changed};
use crate::error::{Failure, Fault};
use crate::summary::Row;

/// The shares of sessions, in per cent, whose cost is always told.
const PERCENTS: [f64; 7] = [100.0, 99.99, 99.9, 99.0, 95.0, 90.0, 50.0];

/// For each group its levels, the greatest share first.
pub(super) type Levels = BTreeMap<String, GroupLevels>;

/// The levels of one group.
#[derive(Debug)]
pub(super) struct GroupLevels {
    /// By level, its share in per cent and the capacities by class; a class that is not planned has none.
    pub(super) levels: Vec<(f64, Vec<Option<u32>>)>,
    /// The level that the user has asked for.
    pub(super) chosen: usize,
}

/// Reads all summaries once more; returns the levels, and what tells these sessions from others.
pub(super) fn levels(
    inputs: &mut Inputs,
    rules: &MergeRules,
    gathered: &Gathered,
) -> Result<(Levels, u64), Failure> {
    let rarities = gathered.iter().map(|(value, group)| {
        let at_least = group.classes.iter().map(|class| at_least(&class.peaks)).collect();
        (value.as_str(), Rarities { group, at_least, sessions: BTreeMap::new() })
    });
    let mut visitor =
        Visitor { rules, groups: rarities.collect(), value: String::new(), rarity: u64::MAX };
    let seen = inputs.visit(&mut visitor)?;
    let levels = visitor.groups.into_iter();
    Ok((levels.map(|(value, group)| (value.to_owned(), group.levels(rules))).collect(), seen))
}

/// By peak, in their order, how many sessions have it or a greater one.
fn at_least(peaks: &BTreeMap<u32, u64>) -> Vec<(u32, u64)> {
    let mut at_least = 0;
    let mut list: Vec<_> = peaks
        .iter()
        .rev()
        .map(|(&peak, &count)| {
            at_least += count;
            (peak, at_least)
        })
        .collect();
    list.reverse();
    list
}

struct Visitor<'m> {
    rules: &'m MergeRules,
    groups: BTreeMap<&'m str, Rarities<'m>>,
    /// The group of the session that is being read, and how rare its needs are so far.
    value: String,
    rarity: u64,
}

struct Rarities<'m> {
    group: &'m Group,
    at_least: Vec<Vec<(u32, u64)>>,
    /// By rarity, how many sessions are as rare. Sessions that need one object of each class
    /// at most are not counted.
    sessions: BTreeMap<u64, u64>,
}

impl Visit for Visitor<'_> {
    fn row(&mut self, row: &Row<'_>, _: &str) -> Result<(), Fault> {
        let value = group_of(row, self.rules)?;
        if row.begins_session {
            value.clone_into(&mut self.value);
            self.rarity = u64::MAX;
        }
        let rarities = self.groups.get(value).ok_or_else(changed)?;
        let class = rarities.group.number(row.class).ok_or_else(changed)?;
        // The smallest pool has a slot, so one object is never refused.
        if row.peak_live > 1 && rarities.group.is_planned(class, self.rules) {
            let list = &rarities.at_least[class];
            let place = list.binary_search_by_key(&row.peak_live, |&(peak, _)| peak);
            let (_, at_least) = list[place.map_err(|_| changed())?];
            self.rarity = self.rarity.min(at_least);
        }
        Ok(())
    }

    fn end_session(&mut self, _: &Ended<'_>) -> Result<(), Fault> {
        let rarities = self.groups.get_mut(self.value.as_str()).ok_or_else(changed)?;
        if self.rarity < u64::MAX {
            *rarities.sessions.entry(self.rarity).or_default() += 1;
        }
        Ok(())
    }
}

impl Rarities<'_> {
    fn levels(&self, rules: &MergeRules) -> GroupLevels {
        let mut percents = PERCENTS.to_vec();
        if !percents.contains(&rules.quantile_percent) {
            percents.push(rules.quantile_percent);
        }
        percents.sort_by(|a, b| b.total_cmp(a));
        // Few sessions do not tell 99.9 % from 99 %.
        percents.dedup_by(|later, earlier| {
            let is_same = self.refused_max(*later) == self.refused_max(*earlier);
            if is_same && *later == rules.quantile_percent {
                *earlier = *later;
            }
            is_same
        });
        let chosen = percents.iter().position(|&percent| percent == rules.quantile_percent);
        let level = |percent| (percent, self.capacities(self.rarity(percent), rules));
        GroupLevels {
            levels: percents.into_iter().map(level).collect(),
            chosen: chosen.unwrap_or_default(),
        }
    }

    /// How many sessions may be refused something.
    fn refused_max(&self, percent: f64) -> u64 {
        // A product such as 1000 × 0.1 % is a little below 1 in floating point.
        (self.group.sessions as f64 * (100.0 - percent) / 100.0 + 1e-6) as u64
    }

    /// The greatest rarity that may be given up.
    fn rarity(&self, percent: f64) -> u64 {
        let refused_max = self.refused_max(percent);
        let mut refused = 0;
        let mut sums = self.sessions.iter().map(|(&rarity, &sessions)| {
            refused += sessions;
            (rarity, refused)
        });
        let too_many = sums.find(|&(_, refused)| refused > refused_max);
        too_many.map_or(self.group.sessions, |(rarity, _)| rarity - 1)
    }

    fn capacities(&self, rarity: u64, rules: &MergeRules) -> Vec<Option<u32>> {
        let capacity = |list: &[(u32, u64)]| {
            let served = list.iter().rev().find(|&&(_, at_least)| at_least > rarity);
            rules.headroom.capacity(served.map_or(0, |&(peak, _)| peak))
        };
        let capacities = self
            .at_least
            .iter()
            .enumerate()
            .map(|(class, list)| self.group.is_planned(class, rules).then(|| capacity(list)));
        capacities.collect()
    }
}
