//! The first pass: for each class, the number of sessions with each peak.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::partial::{ClassPart, CountsPart, GroupPart, OldestFirstPart, Partial};
use super::pass::{Ended, Inputs, Visit};
use super::{MergeRules, NEEDS_MAX, Need, keep_first};
use crate::error::{Failure, Fault, shown};
use crate::plan::{Lengths, OldestFirst, PaceBetween, SlotPace};
use crate::summary::{Row, WRITTEN_BYTES_MAX};
use crate::trace::{CLASSES_MAX, LIVE_MAX};

/// What the summaries of some or all sessions say.
#[derive(Debug)]
pub struct Counts {
    /// The column whose values make groups.
    by: Option<String>,
    /// By the value that the sessions of a group share; it is empty if there is one group.
    pub(super) groups: BTreeMap<String, Group>,
    /// What tells these sessions from others.
    pub(super) seen: u64,
    lowest: Lowest,
}

/// The names of the sessions with the lowest hashes, at most [`LOWEST_MAX`]: whoever merges parts cannot keep the hashes
/// of all sessions, but a part of at least a hundredth of the sessions that is given twice has one of these.
type Lowest = BTreeMap<u64, Box<str>>;

const LOWEST_MAX: usize = 1000;

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
    /// The same as if the oldest of several equal objects had died first, if a session does not say who died.
    pub(super) oldest_first: Option<OldestFirst>,
    pub(super) needs_most: Vec<Need>,
    /// The fastest use of the busiest slot, if all sessions say it.
    pub(super) pace: Option<PaceBetween>,
    /// The number of the last session with this class.
    session: u64,
}

impl Group {
    /// The number of a class that the first pass has met.
    #[inline]
    pub(super) fn number(&self, class: &str) -> Option<usize> {
        self.numbers.get(class).copied()
    }

    /// Whether a class is to be planned.
    #[inline]
    pub(super) fn is_planned(&self, class: usize, rules: &MergeRules) -> bool {
        rules.all || self.classes[class].worth_in > 0
    }
}

/// The value of the group that a line belongs to.
#[inline]
pub(super) fn group_of<'r>(row: &'r Row<'_>, by: Option<&str>) -> Result<&'r str, Fault> {
    let Some(column) = by else { return Ok("") };
    row.tag(column).ok_or_else(|| {
        row.fault(format!("there is no column `{}` (--by)", shown(column.as_bytes())))
    })
}

impl Counts {
    /// Reads summaries, or the counts of parts of the sessions. `by` is the column whose values make groups.
    ///
    /// # Errors
    /// If an input cannot be used.
    #[inline]
    pub fn of(inputs: &mut Inputs, by: Option<&str>) -> Result<Self, Failure> {
        let mut counting = Counting::new(by);
        let seen = inputs.visit(&mut counting)?;
        Ok(counting.counts(seen))
    }

    /// The counts, for [`of`](Self::of) and [`read`](Self::read).
    ///
    /// # Errors
    /// None, unless a number cannot be written as JSON.
    #[inline]
    pub fn to_json(&self) -> Result<String, Failure> {
        let lowest = self.lowest.iter().map(|(&hash, name)| (hash, name.to_string())).collect();
        let groups = self.groups.iter().map(|(value, group)| group.part(value)).collect();
        let by = self.by.clone();
        Partial::Counts(CountsPart { by, seen: self.seen, lowest, groups }).to_json()
    }

    /// Reads counts that [`to_json`](Self::to_json) has written.
    ///
    /// # Errors
    /// If the input cannot be used, or is something else.
    #[inline]
    pub fn read(inputs: &mut Inputs) -> Result<Self, Failure> {
        let mut reading = Reading(None);
        inputs.visit(&mut reading)?;
        reading.0.ok_or_else(|| Fault::whole(NO_COUNTS).of_input("--counts"))
    }

    /// The column whose values make groups.
    #[must_use]
    #[inline]
    pub fn by(&self) -> Option<&str> {
        self.by.as_deref()
    }

    /// The number of sessions.
    #[must_use]
    #[inline]
    pub fn sessions(&self) -> u64 {
        self.groups.values().map(|group| group.sessions).sum()
    }
}

const NO_COUNTS: &str = "has no counts, expected what `merge --partial` has written";

/// Takes counts as they are grouped.
struct Reading(Option<Counts>);

impl Visit for Reading {
    #[inline]
    fn row(&mut self, _: &Row<'_>, _: &str) -> Result<(), Fault> {
        Err(Fault::whole(NO_COUNTS))
    }

    #[inline]
    fn end_session(&mut self, _: &Ended<'_>) -> Result<(), Fault> {
        Ok(())
    }

    #[inline]
    fn partial(&mut self, partial: Partial) -> Result<u64, Fault> {
        let Partial::Counts(part) = partial else { return Err(Fault::whole(NO_COUNTS)) };
        let by = part.by.clone();
        let mut counting = Counting::new(by.as_deref());
        let seen = counting.partial(Partial::Counts(part))?;
        self.0 = Some(counting.counts(seen));
        Ok(seen)
    }
}

struct Counting<'m> {
    by: Option<&'m str>,
    groups: BTreeMap<String, Group>,
    /// How many classes all groups have.
    classes: usize,
    /// How many sessions have begun.
    sessions: u64,
    /// The hashes of all sessions that were read here.
    met: HashSet<u64>,
    lowest: Lowest,
}

impl Visit for Counting<'_> {
    #[inline]
    fn row(&mut self, row: &Row<'_>, path: &str) -> Result<(), Fault> {
        let value = group_of(row, self.by)?;
        if !self.groups.contains_key(value) {
            self.groups.insert(value.to_owned(), Group::default());
        }
        let Some(group) = self.groups.get_mut(value) else { return Ok(()) };
        if row.begins_session {
            self.sessions += 1;
            group.begin_session(row)?;
        }
        let number = group
            .number_or_new(row.class, &mut self.classes)
            .ok_or_else(|| row.fault(TOO_MANY_CLASSES))?;
        group.classes[number].add(row, path, self.sessions)
    }

    #[inline]
    fn end_session(&mut self, session: &Ended<'_>) -> Result<(), Fault> {
        self.meet(session.hash, session.name)?;
        self.met.insert(session.hash);
        Ok(())
    }

    #[inline]
    fn partial(&mut self, partial: Partial) -> Result<u64, Fault> {
        let Partial::Counts(part) = partial else {
            let why = "has sessions that may be given up, expected summaries or counts (--counts)";
            return Err(Fault::whole(why));
        };
        if part.by.as_deref() != self.by {
            let grouped = |by: Option<&str>| {
                by.map_or("not grouped".to_owned(), |by| {
                    format!("grouped --by {}", shown(by.as_bytes()))
                })
            };
            let (found, expected) = (grouped(part.by.as_deref()), grouped(self.by));
            return Err(Fault::whole(format!("its sessions are {found}, expected {expected}")));
        }
        for (hash, name) in part.lowest {
            self.meet(hash, &name)?;
        }
        for group in part.groups {
            if group.value.len() > WRITTEN_BYTES_MAX {
                return Err(Fault::whole("a group's value is too long"));
            }
            self.groups.entry(group.value.clone()).or_default().add(group, &mut self.classes)?;
        }
        Ok(part.seen)
    }
}

impl<'m> Counting<'m> {
    #[inline]
    fn new(by: Option<&'m str>) -> Self {
        Self {
            by,
            groups: BTreeMap::new(),
            classes: 0,
            sessions: 0,
            met: HashSet::default(),
            lowest: Lowest::new(),
        }
    }

    #[inline]
    fn counts(self, seen: u64) -> Counts {
        Counts { by: self.by.map(str::to_owned), groups: self.groups, seen, lowest: self.lowest }
    }

    /// Records a session, unless it is known to have been given before.
    #[inline]
    fn meet(&mut self, hash: u64, name: &str) -> Result<(), Fault> {
        if self.met.contains(&hash) || self.lowest.insert(hash, name.into()).is_some() {
            let name = shown(name.as_bytes());
            return Err(Fault::whole(format!(
                "session `{name}` is given twice, with the same lines"
            )));
        }
        if self.lowest.len() > LOWEST_MAX {
            self.lowest.pop_last();
        }
        Ok(())
    }
}

const TOO_MANY_CLASSES: &str = "there are more than 65536 classes";
const _: () = assert!(CLASSES_MAX == 65_536);

impl Group {
    #[inline]
    fn begin_session(&mut self, row: &Row<'_>) -> Result<(), Fault> {
        let is_heap = row.format != "lifetimes";
        if self.sessions > 0 && self.is_heap != is_heap {
            return Err(row.fault(TWO_KINDS));
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

    /// The number of a class, which may be new; `None` if all groups together then have too many.
    #[inline]
    fn number_or_new(&mut self, name: &str, classes: &mut usize) -> Option<usize> {
        if let Some(number) = self.number(name) {
            return Some(number);
        }
        if *classes == CLASSES_MAX {
            return None;
        }
        *classes += 1;
        Some(self.add_class(name))
    }

    #[inline]
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
            oldest_first: None,
            needs_most: Vec::new(),
            pace: Some(PaceBetween::default()),
            session: 0,
        });
        number
    }
}

const TWO_KINDS: &str =
    "the summaries are of lifetime traces and of heap recordings, expected one kind";

/// What a part says that no part can say.
#[inline]
fn contradicts(what: &str) -> Fault {
    Fault::whole(format!("{what}, expected counts that `merge --partial` has written"))
}

impl Group {
    #[inline]
    fn part(&self, value: &str) -> GroupPart {
        GroupPart {
            value: value.to_owned(),
            sessions: self.sessions,
            milliseconds: self.milliseconds,
            without_clock: self.without_clock,
            is_heap: self.is_heap,
            classes: self.classes.iter().map(ClassCounts::part).collect(),
        }
    }

    /// Adds the counts of the same group in a part of the sessions.
    #[inline]
    fn add(&mut self, part: GroupPart, classes: &mut usize) -> Result<(), Fault> {
        if self.sessions > 0 && self.is_heap != part.is_heap {
            return Err(Fault::whole(TWO_KINDS));
        }
        if part.without_clock > part.sessions {
            return Err(contradicts("more sessions without a clock than sessions"));
        }
        self.is_heap = part.is_heap;
        self.milliseconds = self.milliseconds.saturating_add(part.milliseconds);
        self.without_clock += part.without_clock;
        self.sessions = self
            .sessions
            .checked_add(part.sessions)
            .filter(|&sessions| sessions <= SESSIONS_MAX)
            .ok_or_else(|| contradicts("too many sessions"))?;
        let mut met = HashSet::new();
        for class in part.classes {
            if class.sessions > part.sessions {
                return Err(contradicts("a class has more sessions than its group"));
            }
            if class.name.is_empty() || class.name.len() > WRITTEN_BYTES_MAX {
                return Err(contradicts("a class has no name, or one that is too long"));
            }
            let number = self.number_or_new(&class.name, classes);
            let number = number.ok_or_else(|| Fault::whole(TOO_MANY_CLASSES))?;
            if !met.insert(number) {
                return Err(contradicts("a class occurs twice"));
            }
            self.classes[number].add_part(class)?;
        }
        Ok(())
    }
}

/// No sum of what so many sessions say exceeds 64 bits.
const SESSIONS_MAX: u64 = 1 << 40;

impl ClassCounts {
    #[inline]
    fn part(&self) -> ClassPart {
        // The first length of a bin stands for all of it, as when it was counted.
        let lengths = |lengths: &Lengths| -> Vec<_> {
            let bin = |(first, _, count): (u64, u64, u64)| (u32::try_from(first).ok(), count);
            lengths.bins().map(bin).filter_map(|(first, count)| first.zip(Some(count))).collect()
        };
        ClassPart {
            name: self.name.to_string(),
            sessions: self.sessions,
            births: self.births,
            calls_saved: self.calls_saved,
            bytes_max: self.bytes_max,
            worth_in: self.worth_in,
            peaks: self.peaks.iter().map(|(&peak, &count)| (peak, count)).collect(),
            lives: lengths(&self.lives),
            ages: lengths(&self.ages),
            oldest_first: self.oldest_first.as_ref().map(|oldest| OldestFirstPart {
                lives: lengths(&oldest.ended),
                ages: lengths(&oldest.left),
            }),
            needs_most: self.needs_most.clone(),
            pace: self.pace.map(|pace| (pace.fastest.lifo, pace.fastest.fifo)),
            slowest: self.pace.map(|pace| (pace.slowest.lifo, pace.slowest.fifo)),
        }
    }

    /// Adds the counts of the same class in a part of the sessions.
    #[inline]
    fn add_part(&mut self, part: ClassPart) -> Result<(), Fault> {
        let mut sessions = 0_u64;
        for (peak, count) in part.peaks {
            if peak == 0 || peak > LIVE_MAX || count == 0 {
                return Err(contradicts("a peak is 0 or too large, or no session has it"));
            }
            sessions = sessions.saturating_add(count);
            let all = self.peaks.entry(peak).or_default();
            *all = all.saturating_add(count);
        }
        if sessions != part.sessions || sessions == 0 || part.worth_in > sessions {
            return Err(contradicts("the peaks of a class are not those of its sessions"));
        }
        let pace_of = |(lifo, fifo)| SlotPace { lifo, fifo };
        let is_time = |seconds: Option<f64>| seconds.is_none_or(|s| s.is_finite() && s > 0.0);
        for pace in [part.pace, part.slowest].into_iter().flatten().map(pace_of) {
            if !is_time(pace.lifo) || !is_time(pace.fifo) {
                return Err(contradicts("the pace of a slot is no time"));
            }
        }
        let pace = part.pace.map(|fastest| PaceBetween {
            fastest: pace_of(fastest),
            slowest: pace_of(part.slowest.unwrap_or(fastest)),
        });
        self.sessions += sessions;
        self.births = self.births.saturating_add(part.births);
        self.calls_saved = self.calls_saved.saturating_add(part.calls_saved);
        self.bytes_max = self.bytes_max.max(part.bytes_max);
        self.worth_in += part.worth_in;
        self.pace = self.pace.zip(pace).map(|(fastest, pace)| fastest.or_faster(pace));
        if part.oldest_first.is_some() {
            self.begin_oldest_first();
        }
        if let Some(all) = &mut self.oldest_first {
            let (lives, ages) = match &part.oldest_first {
                Some(oldest) => (&oldest.lives, &oldest.ages),
                None => (&part.lives, &part.ages),
            };
            lives.iter().for_each(|&(length, count)| all.ended.add_many(length, count));
            ages.iter().for_each(|&(length, count)| all.left.add_many(length, count));
        }
        part.lives.into_iter().for_each(|(length, count)| self.lives.add_many(length, count));
        part.ages.into_iter().for_each(|(length, count)| self.ages.add_many(length, count));
        for need in part.needs_most {
            self.note_need(need.peak_live, &need.session, &need.path);
        }
        Ok(())
    }

    /// Begins to count lengths at both ends: the sessions so far say who died.
    #[inline]
    fn begin_oldest_first(&mut self) {
        if self.oldest_first.is_none() {
            let (ended, left) = (self.lives.clone(), self.ages.clone());
            self.oldest_first = Some(OldestFirst { ended, left });
        }
    }

    #[inline]
    fn note_need(&mut self, peak_live: u32, session: &str, path: &str) {
        let precedes = |other: &Need| {
            (other.peak_live, session, path)
                < (peak_live, other.session.as_str(), other.path.as_str())
        };
        keep_first(&mut self.needs_most, NEEDS_MAX, precedes, || Need {
            session: session.to_owned(),
            path: path.to_owned(),
            peak_live,
        });
    }

    #[inline]
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
        if row.has_oldest_first()? {
            self.begin_oldest_first();
        }
        if let Some(all) = &mut self.oldest_first {
            row.add_oldest_first(all)?;
        }
        row.add_lengths(&mut self.lives, &mut self.ages)?;
        self.note_need(row.peak_live, row.session, path);
        Ok(())
    }

    /// The peak that this share of this many sessions do not exceed; it is 0 in sessions without the class.
    #[inline]
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
    #[inline]
    pub(super) fn peak_max(&self) -> u32 {
        self.peaks.last_key_value().map_or(0, |(&peak, _)| peak)
    }
}
