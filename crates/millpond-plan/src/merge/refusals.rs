//! The fourth pass: which sessions the planned pools would have refused something.

use std::collections::BTreeMap;

use super::capacities::Capacities;
use super::gather::{ClassCounts, Gathered, Group, group_of};
use super::needs::{GroupLevels, Levels};
use super::pass::{Ended, Inputs, Visit};
use super::{ClassPlan, GroupPlan, Level, MergeRules, NEEDIEST_MAX, Refused, changed, keep_first};
use crate::error::{Failure, Fault};
use crate::plan::layout;
use crate::summary::Row;

/// Reads all summaries for the last time; returns the plans, and what tells these sessions from others.
pub(super) fn plans(
    inputs: &mut Inputs,
    rules: &MergeRules,
    gathered: Gathered,
    levels: &Levels,
    capacities: &Capacities,
) -> Result<(Vec<GroupPlan>, u64), Failure> {
    let mut visitor = Visitor { rules, groups: BTreeMap::new(), session: Session::default() };
    for (value, group) in gathered {
        let both = levels.get(&value).zip(capacities.get(&value));
        let Some((levels, capacities)) = both else { continue };
        let refusals = Refusals {
            levels,
            capacities,
            refused: vec![0; levels.levels.len()],
            refused_in: vec![0; group.classes.len()],
            neediest: Vec::new(),
            group,
        };
        visitor.groups.insert(value, refusals);
    }
    let seen = inputs.visit(&mut visitor)?;
    let plans = visitor.groups.into_iter().map(|(value, refusals)| refusals.plan(value, rules));
    Ok((plans.collect(), seen))
}

struct Visitor<'m> {
    rules: &'m MergeRules,
    groups: BTreeMap<String, Refusals<'m>>,
    session: Session,
}

/// The session that is being read.
#[derive(Default)]
struct Session {
    value: String,
    /// The levels at which it would have been refused something, a bit each.
    refused: u64,
    missing: u64,
    /// The class of which most are missing, and how many.
    class: Option<(usize, u32)>,
    peak_live: u32,
}

struct Refusals<'m> {
    levels: &'m GroupLevels,
    /// By level and class.
    capacities: &'m [Vec<Option<u32>>],
    /// By level, how many sessions would have been refused something.
    refused: Vec<u64>,
    /// By class the same, at the chosen level.
    refused_in: Vec<u64>,
    neediest: Vec<Refused>,
    group: Group,
}

impl Visit for Visitor<'_> {
    fn row(&mut self, row: &Row<'_>, _: &str) -> Result<(), Fault> {
        let value = group_of(row, self.rules)?;
        if row.begins_session {
            self.session = Session { value: value.to_owned(), ..Session::default() };
        }
        let refusals = self.groups.get_mut(value).ok_or_else(changed)?;
        let class = refusals.group.number(row.class).ok_or_else(changed)?;
        for (level, capacities) in refusals.capacities.iter().enumerate() {
            let missing = capacities[class].map_or(0, |n| row.peak_live.saturating_sub(n));
            if missing == 0 {
                continue;
            }
            self.session.refused |= 1 << level;
            if level == refusals.levels.chosen {
                refusals.refused_in[class] += 1;
                self.session.miss(class, missing, row.peak_live, &refusals.group);
            }
        }
        Ok(())
    }

    fn end_session(&mut self, ended: &Ended<'_>) -> Result<(), Fault> {
        let refusals = self.groups.get_mut(self.session.value.as_str()).ok_or_else(changed)?;
        for (level, refused) in refusals.refused.iter_mut().enumerate() {
            *refused += self.session.refused >> level & 1;
        }
        refusals.note(&self.session, ended);
        Ok(())
    }
}

impl Session {
    fn miss(&mut self, class: usize, missing: u32, peak_live: u32, group: &Group) {
        self.missing += u64::from(missing);
        let name = |class: usize| &group.classes[class].name;
        // Of two that miss as many, the first by its name, whatever their order in the summary.
        let is_worst = self.class.is_none_or(|(worst, most)| {
            missing > most || missing == most && name(class) < name(worst)
        });
        if is_worst {
            self.class = Some((class, missing));
            self.peak_live = peak_live;
        }
    }
}

impl Refusals<'_> {
    /// Keeps a session that would have been refused something, if it is one of those that miss most.
    fn note(&mut self, session: &Session, ended: &Ended<'_>) {
        let Some((class, missing)) = session.class else { return };
        let precedes = |other: &Refused| {
            let key = (ended.name, ended.path, &*self.group.classes[class].name, session.peak_live);
            let other_key = (&*other.session, &*other.path, &*other.class, other.peak_live);
            (other.missing, key) < (session.missing, other_key)
        };
        keep_first(&mut self.neediest, NEEDIEST_MAX, precedes, || Refused {
            session: ended.name.to_owned(),
            path: ended.path.to_owned(),
            missing: session.missing,
            class: self.group.classes[class].name.to_string(),
            peak_live: session.peak_live,
            capacity: session.peak_live - missing,
        });
    }

    fn plan(self, value: String, rules: &MergeRules) -> GroupPlan {
        let levels = (0..self.capacities.len()).map(|level| self.level(level)).collect();
        let group = self.group;
        let capacities = &self.capacities[self.levels.chosen];
        let counts = group.classes.into_iter().zip(capacities).zip(self.refused_in);
        let mut left_out = 0;
        let mut classes = Vec::new();
        for ((counts, capacity), refused_in) in counts {
            match capacity {
                Some(capacity) => {
                    classes.push(class_plan(counts, *capacity, refused_in, group.sessions, rules));
                }
                None => left_out += 1,
            }
        }
        classes.sort_by(|a, b| {
            let key = |class: &ClassPlan| (class.calls_saved, class.births);
            key(b).cmp(&key(a)).then_with(|| a.name.cmp(&b.name))
        });
        GroupPlan {
            value: rules.by.is_some().then_some(value),
            sessions: group.sessions,
            seconds: (group.without_clock == 0).then_some(group.milliseconds as f64 / 1000.0),
            is_heap: group.is_heap,
            classes,
            left_out,
            refused: self.refused[self.levels.chosen],
            levels,
            neediest: self.neediest,
        }
    }

    fn level(&self, level: usize) -> Level {
        let (percent, _) = self.levels.levels[level];
        let mut plan = Level { percent, slots: 0, bytes: Some(0), refused: self.refused[level] };
        for (class, capacity) in self.group.classes.iter().zip(&self.capacities[level]) {
            let Some(capacity) = capacity.map(u64::from) else { continue };
            plan.slots += capacity;
            let pool = class.bytes_max.map(|bytes| bytes.saturating_mul(capacity));
            plan.bytes = plan.bytes.zip(pool).map(|(all, pool)| all.saturating_add(pool));
        }
        plan
    }
}

fn class_plan(
    counts: ClassCounts,
    capacity: u32,
    refused_in: u64,
    sessions: u64,
    rules: &MergeRules,
) -> ClassPlan {
    ClassPlan {
        sessions: counts.sessions,
        births: counts.births,
        calls_saved: counts.calls_saved,
        peak_median: counts.peak_quantile(sessions, 0.5),
        peak_max: counts.peak_max(),
        bytes_max: counts.bytes_max,
        life_median: counts.lives.quantile(&counts.ages, 0.5),
        life_p95: counts.lives.quantile(&counts.ages, 0.95),
        worth_in: counts.worth_in,
        capacity,
        refused_in,
        pace: counts.pace,
        layout: counts.pace.map(|pace| layout(capacity, pace, rules.session_seconds)),
        needs_most: counts.needs_most,
        name: counts.name.into(),
    }
}
