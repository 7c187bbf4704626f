//! The first pass: for each class, the number of sessions with each peak.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::pass::{Ended, Inputs, Visit};
use super::{MergeRules, NEEDS_MAX, Need, keep_first};
use crate::error::{Failure, Fault, shown};
use crate::plan::{Lengths, SlotPace};
use crate::summary::Row;
use crate::trace::CLASSES_MAX;

/// The results of the first pass by the groups' values; the value is empty if there are no groups.
pub(super) type Gathered = BTreeMap<String, Group>;

/// The sessions of one group.
#[derive(Debug, Default)]
pub(super) struct Group {
    pub(super) sessions: u64,
    pub(super) milliseconds: u64,
    /// How many sessions have no clock.
    pub(super) without_clock: u64,
    pub(super) is_heap: bool,
    numbers: HashMap<Box<str>, usize, foldhash::fast::RandomState>,
    pub(super) classes: Vec<ClassCounts>,
}

/// One class in all sessions of a group.
#[derive(Debug)]
pub(super) struct ClassCounts {
    pub(super) name: Box<str>,
    pub(super) sessions: u64,
    pub(super) births: u64,
    pub(super) calls_saved: u64,
    pub(super) bytes_max: Option<u64>,
    pub(super) worth_in: u64,
    /// How many sessions have this peak.
    pub(super) peaks: BTreeMap<u32, u64>,
    /// The lengths of the lifetimes that ended, and the ages of those that did not.
    pub(super) lives: Lengths,
    pub(super) ages: Lengths,
    pub(super) needs_most: Vec<Need>,
    /// The fastest use of the busiest slot, if all sessions say it.
    pub(super) pace: Option<SlotPace>,
    /// The number of the last session with this class.
    session: u64,
}

impl Group {
    /// The number of a class that the first pass has met.
    pub(super) fn number(&self, class: &str) -> Option<usize> {
        self.numbers.get(class).copied()
    }

    /// Whether a class is to be planned.
    pub(super) fn is_planned(&self, class: usize, rules: &MergeRules) -> bool {
        rules.all || self.classes[class].worth_in > 0
    }
}

/// The value of the group that a line belongs to.
pub(super) fn group_of<'r>(row: &'r Row<'_>, rules: &MergeRules) -> Result<&'r str, Fault> {
    let Some(column) = &rules.by else { return Ok("") };
    row.tag(column).ok_or_else(|| {
        row.fault(format!("there is no column `{}` (--by)", shown(column.as_bytes())))
    })
}

/// Reads all summaries; returns what they say, and what tells these sessions from others.
pub(super) fn gather(inputs: &mut Inputs, rules: &MergeRules) -> Result<(Gathered, u64), Failure> {
    let mut gather =
        Gather { rules, groups: Gathered::new(), classes: 0, sessions: 0, met: HashSet::default() };
    let seen = inputs.visit(&mut gather)?;
    Ok((gather.groups, seen))
}

struct Gather<'m> {
    rules: &'m MergeRules,
    groups: Gathered,
    /// How many classes all groups have.
    classes: usize,
    /// How many sessions have begun.
    sessions: u64,
    /// The hashes of all sessions.
    met: HashSet<u64>,
}

impl Visit for Gather<'_> {
    fn row(&mut self, row: &Row<'_>, path: &str) -> Result<(), Fault> {
        let value = group_of(row, self.rules)?;
        if !self.groups.contains_key(value) {
            self.groups.insert(value.to_owned(), Group::default());
        }
        let Some(group) = self.groups.get_mut(value) else { return Ok(()) };
        if row.begins_session {
            self.sessions += 1;
            group.begin_session(row)?;
        }
        let number = match group.number(row.class) {
            Some(number) => number,
            None if self.classes == CLASSES_MAX => {
                return Err(row.fault(format!("there are more than {CLASSES_MAX} classes")));
            }
            None => {
                self.classes += 1;
                group.add_class(row.class)
            }
        };
        group.classes[number].add(row, path, self.sessions)
    }

    fn end_session(&mut self, session: &Ended<'_>) -> Result<(), Fault> {
        if self.met.insert(session.hash) {
            return Ok(());
        }
        let name = shown(session.name.as_bytes());
        Err(Fault::whole(format!("session `{name}` is given twice, with the same lines")))
    }
}

impl Group {
    fn begin_session(&mut self, row: &Row<'_>) -> Result<(), Fault> {
        let is_heap = row.format != "lifetimes";
        if self.sessions > 0 && self.is_heap != is_heap {
            let why =
                "the summaries are of lifetime traces and of heap recordings, expected one kind";
            return Err(row.fault(why));
        }
        self.is_heap = is_heap;
        self.sessions += 1;
        match row.ticks_per_second {
            Some(rate) => {
                let milliseconds = (row.ticks as f64 / rate * 1000.0).round() as u64;
                self.milliseconds = self.milliseconds.saturating_add(milliseconds);
            }
            None => self.without_clock += 1,
        }
        Ok(())
    }

    fn add_class(&mut self, name: &str) -> usize {
        let number = self.classes.len();
        self.numbers.insert(name.into(), number);
        self.classes.push(ClassCounts {
            name: name.into(),
            sessions: 0,
            births: 0,
            calls_saved: 0,
            bytes_max: None,
            worth_in: 0,
            peaks: BTreeMap::new(),
            lives: Lengths::default(),
            ages: Lengths::default(),
            needs_most: Vec::new(),
            pace: Some(SlotPace::default()),
            session: 0,
        });
        number
    }
}

impl ClassCounts {
    fn add(&mut self, row: &Row<'_>, path: &str, session: u64) -> Result<(), Fault> {
        if std::mem::replace(&mut self.session, session) == session {
            let class = shown(row.class.as_bytes());
            return Err(row.fault(format!("class `{class}` occurs twice in its session")));
        }
        self.sessions += 1;
        self.births = self.births.saturating_add(row.births);
        self.calls_saved = self.calls_saved.saturating_add(row.births - u64::from(row.peak_live));
        self.bytes_max = self.bytes_max.max(row.bytes_max);
        self.worth_in += u64::from(row.worth_a_pool);
        *self.peaks.entry(row.peak_live).or_default() += 1;
        self.pace = self.pace.zip(row.pace()).map(|(fastest, pace)| fastest.or_faster(pace));
        row.add_lengths(&mut self.lives, &mut self.ages)?;
        let precedes = |other: &Need| {
            (other.peak_live, row.session, path)
                < (row.peak_live, other.session.as_str(), other.path.as_str())
        };
        keep_first(&mut self.needs_most, NEEDS_MAX, precedes, || Need {
            session: row.session.to_owned(),
            path: path.to_owned(),
            peak_live: row.peak_live,
        });
        Ok(())
    }

    /// The peak that this share of this many sessions do not exceed; it is 0 in sessions without the class.
    pub(super) fn peak_quantile(&self, sessions: u64, share: f64) -> u32 {
        let rank = ((sessions as f64 * share).ceil() as u64).clamp(1, sessions.max(1));
        let mut below = sessions - self.sessions;
        if below >= rank {
            return 0;
        }
        for (&peak, &count) in &self.peaks {
            below += count;
            if below >= rank {
                return peak;
            }
        }
        self.peak_max()
    }

    /// The greatest peak.
    pub(super) fn peak_max(&self) -> u32 {
        self.peaks.last_key_value().map_or(0, |(&peak, _)| peak)
    }
}
