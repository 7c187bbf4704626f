//! The third pass: the capacities that are sufficient for all sessions that are not given up.

use std::collections::BTreeMap;

use super::MergeRules;
use super::gather::Gathered;
use super::needs::{Levels, Needs};
use super::pass::{Ended, Inputs, Visit};
use crate::error::{Failure, Fault};
use crate::summary::Row;

/// For each group, by level and class, the capacities; a class that is not planned has none.
pub(super) type Capacities = BTreeMap<String, Vec<Vec<Option<u32>>>>;

/// Reads all summaries once more; returns the capacities, and what tells these sessions from others.
pub(super) fn capacities(
    inputs: &mut Inputs,
    rules: &MergeRules,
    gathered: &Gathered,
    levels: &Levels,
) -> Result<(Capacities, u64), Failure> {
    let peaks = levels.iter().map(|(value, group)| {
        let classes = gathered.get(value).map_or(0, |group| group.classes.len());
        (value.clone(), vec![vec![0; classes]; group.levels.len()])
    });
    let needs = Needs::new(rules, gathered);
    let mut visitor = Visitor { needs, levels, peaks: peaks.collect(), session: Vec::new() };
    let seen = inputs.visit(&mut visitor)?;
    let mut capacities = Capacities::new();
    for (value, peaks) in visitor.peaks {
        let Some(group) = gathered.get(&value) else { continue };
        let capacity = |(class, &peak): (usize, &u32)| {
            group.is_planned(class, rules).then(|| rules.headroom.capacity(peak))
        };
        let level = |peaks: &Vec<u32>| peaks.iter().enumerate().map(capacity).collect();
        capacities.insert(value, peaks.iter().map(level).collect());
    }
    Ok((capacities, seen))
}

struct Visitor<'m> {
    needs: Needs<'m>,
    levels: &'m Levels,
    /// For each group, by level and class, the greatest peak of the sessions that are served.
    peaks: BTreeMap<String, Vec<Vec<u32>>>,
    /// The planned classes of the session that is being read, and their peaks.
    session: Vec<(usize, u32)>,
}

impl Visit for Visitor<'_> {
    fn row(&mut self, row: &Row<'_>, _: &str) -> Result<(), Fault> {
        if row.begins_session {
            self.session.clear();
        }
        if let Some(class) = self.needs.row(row)? {
            self.session.push((class, row.peak_live));
        }
        Ok(())
    }

    fn end_session(&mut self, session: &Ended<'_>) -> Result<(), Fault> {
        let rank = Some(self.needs.rank(session.hash));
        let value = self.needs.value();
        let groups = self.levels.get(value).zip(self.peaks.get_mut(value));
        let (levels, peaks) = groups.ok_or_else(super::changed)?;
        for ((_, last_given_up), peaks) in levels.levels.iter().zip(peaks) {
            if rank <= *last_given_up {
                continue;
            }
            for &(class, peak) in &self.session {
                peaks[class] = peaks[class].max(peak);
            }
        }
        Ok(())
    }
}
