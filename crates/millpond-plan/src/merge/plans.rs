//! The capacities that suffice for all sessions that are not given up, and what they refuse the others.
//!
//! No session has to be read for this: without the sessions that are given up, the greatest peak of a class is that of
//! the counted ones, and a session that is served is refused nothing.

use super::counts::{ClassCounts, Counts, Group};
use super::levels::Levels;
use super::rare::{Rare, RareSession};
use super::{ClassPlan, GroupPlan, Level, MergeRules, NEEDIEST_MAX, Refused, changed, keep_first};
use crate::error::Fault;
use crate::plan::{Between, OldestFirst, layout};

/// The plan of each group.
#[inline]
pub(super) fn plans(
    counts: Counts,
    mut rare: Rare,
    rules: &MergeRules,
) -> Result<Vec<GroupPlan>, Fault> {
    let plan = |(value, group): (String, Group)| {
        let rare = rare.groups.remove(&value).unwrap_or_default();
        let levels = Levels::of(group.sessions, rules.quantile_percent);
        let capacities = capacities(&group, &rare, &levels, rules)?;
        Ok(Sessions { rules, levels, capacities, rare, group }.plan(value))
    };
    counts.groups.into_iter().map(plan).collect()
}

/// By level and class, the capacities; a class that is not planned has none.
#[inline]
fn capacities(
    group: &Group,
    rare: &[RareSession],
    levels: &Levels,
    rules: &MergeRules,
) -> Result<Vec<Vec<Option<u32>>>, Fault> {
    let mut peaks: Vec<_> = group.classes.iter().map(|class| class.peaks.clone()).collect();
    let mut given_up = 0;
    let mut capacities = Vec::new();
    for &(_, until) in &levels.levels {
        for session in rare.get(given_up..until).ok_or_else(changed)? {
            for &(class, peak) in &session.peaks {
                let count = peaks[class].get_mut(&peak).ok_or_else(changed)?;
                *count -= 1;
                if *count == 0 {
                    peaks[class].remove(&peak);
                }
            }
        }
        given_up = until;
        let capacity = |class: usize| {
            let peak_max = peaks[class].last_key_value().map_or(0, |(&peak, _)| peak);
            group.is_planned(class, rules).then(|| rules.headroom.capacity(peak_max))
        };
        capacities.push((0..peaks.len()).map(capacity).collect());
    }
    Ok(capacities)
}

/// The sessions of one group and the capacities for them.
struct Sessions<'m> {
    rules: &'m MergeRules,
    levels: Levels,
    capacities: Vec<Vec<Option<u32>>>,
    rare: Vec<RareSession>,
    group: Group,
}

impl Sessions<'_> {
    #[inline]
    fn plan(self, value: String) -> GroupPlan {
        let levels: Vec<_> = (0..self.levels.levels.len()).map(|level| self.level(level)).collect();
        let (refused_in, neediest) = self.refused();
        let Self { rules, levels: Levels { chosen, .. }, mut capacities, group, .. } = self;
        let counts = group.classes.into_iter().zip(capacities.swap_remove(chosen)).zip(refused_in);
        let mut left_out = 0;
        let mut classes = Vec::new();
        for ((counts, capacity), refused_in) in counts {
            match capacity {
                Some(capacity) => {
                    classes.push(class_plan(counts, capacity, refused_in, group.sessions, rules));
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
            refused: levels[chosen].refused,
            levels,
            neediest,
        }
    }

    /// What a level costs.
    #[inline]
    fn level(&self, level: usize) -> Level {
        let (percent, given_up) = self.levels.levels[level];
        let capacities = &self.capacities[level];
        let is_refused = |session: &&RareSession| {
            missing(session, capacities).any(|(_, _, missing)| missing > 0)
        };
        let refused = self.rare[..given_up].iter().filter(is_refused).count() as u64;
        let mut plan = Level { percent, slots: 0, bytes: Some(0), refused };
        for (class, capacity) in self.group.classes.iter().zip(capacities) {
            let Some(capacity) = capacity.map(u64::from) else { continue };
            plan.slots += capacity;
            let pool = class.bytes_max.map(|bytes| bytes.saturating_mul(capacity));
            plan.bytes = plan.bytes.zip(pool).map(|(all, pool)| all.saturating_add(pool));
        }
        plan
    }

    /// By class, in how many sessions the planned pools would have refused something; and the sessions that miss most.
    #[inline]
    fn refused(&self) -> (Vec<u64>, Vec<Refused>) {
        let mut refused_in = vec![0; self.group.classes.len()];
        let mut neediest = Vec::new();
        let (_, given_up) = self.levels.levels[self.levels.chosen];
        let name = |class: usize| &*self.group.classes[class].name;
        for session in &self.rare[..given_up] {
            let capacities = &self.capacities[self.levels.chosen];
            let (mut all, mut worst) = (0_u64, None);
            for (class, peak, missing) in missing(session, capacities) {
                if missing == 0 {
                    continue;
                }
                refused_in[class] += 1;
                all += u64::from(missing);
                // Of two that miss as many, the first by its name, whatever their order in the summary.
                let is_worst = worst.is_none_or(|(worst, _, most)| {
                    missing > most || missing == most && name(class) < name(worst)
                });
                if is_worst {
                    worst = Some((class, peak, missing));
                }
            }
            let Some((class, peak, missing)) = worst else { continue };
            let precedes = |other: &Refused| {
                let key = (&*session.name, &*session.path, name(class), peak);
                let other_key = (&*other.session, &*other.path, &*other.class, other.peak_live);
                (other.missing, key) < (all, other_key)
            };
            keep_first(&mut neediest, NEEDIEST_MAX, precedes, || Refused {
                session: session.name.clone(),
                path: session.path.clone(),
                missing: all,
                class: name(class).to_owned(),
                peak_live: peak,
                capacity: peak - missing,
            });
        }
        (refused_in, neediest)
    }
}

/// The session's planned classes and their peaks, and how many slots each of them misses.
#[inline]
fn missing<'s>(
    session: &'s RareSession,
    capacities: &'s [Option<u32>],
) -> impl Iterator<Item = (usize, u32, u32)> + 's {
    session.peaks.iter().map(|&(class, peak)| {
        (class, peak, capacities[class].map_or(0, |capacity| peak.saturating_sub(capacity)))
    })
}

#[inline]
fn class_plan(
    counts: ClassCounts,
    capacity: u32,
    refused_in: u64,
    sessions: u64,
    rules: &MergeRules,
) -> ClassPlan {
    let length = |share| {
        let one = counts.lives.quantile(&counts.ages, share)?;
        let of = |of: &OldestFirst| of.ended.quantile(&of.left, share);
        let other = counts.oldest_first.as_ref().and_then(of).unwrap_or(one);
        Some(Between::of_lengths(one, other))
    };
    ClassPlan {
        life_median: length(0.5),
        life_p95: length(0.95),
        sessions: counts.sessions,
        births: counts.births,
        calls_saved: counts.calls_saved,
        peak_median: counts.peak_quantile(sessions, 0.5),
        peak_max: counts.peak_max(),
        bytes_max: counts.bytes_max,
        worth_in: counts.worth_in,
        capacity,
        refused_in,
        pace: counts.pace,
        // What lasts at the faster end, lasts.
        layout: counts.pace.map(|pace| layout(capacity, pace.fastest, rules.session_seconds)),
        needs_most: counts.needs_most,
        name: counts.name.into(),
    }
}
