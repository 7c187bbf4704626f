//! What is different in a second recording of a program.

use std::collections::{HashMap, HashSet};

use super::sites::{Opened, STRETCHES, Site};
use super::timeline::Moment;
use crate::chance::{FEWER_DEVIATIONS, deviations, is_clearly_below};
use crate::error::Fault;

/// What counts as a difference. Two recordings of one program are never quite alike: threads and clocks see to that.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// The share by which numbers and sizes have to grow or shrink.
    pub share: f64,
    /// The number of objects by which they have to, besides.
    pub objects: u64,
    /// How many standard deviations they have to, besides, as if each object came by chance: games roll dice. Two would invent a
    /// change in every twentieth number.
    pub deviations: f64,
    /// The factor by which lives have to become longer.
    pub life_factor: f64,
    /// The number of lives that there have to be, because the median of a few is chance.
    pub lives: u64,
    /// The time by which they have to, besides, in frames or ticks.
    pub life: u64,
    /// The same in milliseconds, where a recording has no frames: three of them, at 60 a second.
    pub life_ms: u64,
}

impl Limits {
    /// The limits for this share, in place of a tenth. A smaller one also tells what chance may explain.
    #[must_use]
    pub fn of_share(share: f64) -> Self {
        let usual = Self::default();
        let deviations = usual.deviations * (share / usual.share).min(1.0);
        Self { share, deviations, life_factor: 1.0 + 5.0 * share, ..usual }
    }

    /// Whether two numbers differ by more than chance explains.
    fn is_beyond_chance(&self, a: u64, b: u64) -> bool {
        deviations(a, b) >= self.deviations
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            share: 0.1,
            objects: 8,
            deviations: 3.0,
            life_factor: 1.5,
            lives: 32,
            life: 3,
            life_ms: 50,
        }
    }
}

/// A peak is elsewhere if it is at least so many stretches away, and if there was little at either place in the other
/// recording.
const MOVED_STRETCHES: usize = 3;

/// How a site is different. In each, the first is before and the second after.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// It was not there before.
    New,
    /// It is not there any more.
    Gone,
    /// Its blocks are larger or smaller.
    Size(u64, u64),
    /// More or fewer are alive at once.
    Peak(u32, u32),
    /// More or fewer are born.
    Births(u64, u64),
    /// They live longer or shorter: the median, in frames or ticks.
    Life(u64, u64),
    /// Most are alive at another time.
    PeakAt(Moment, Moment),
}

/// A site that is different.
#[derive(Debug, Clone)]
pub struct Difference {
    /// The site before, if it was there.
    pub before: Option<Site>,
    /// The site after, if it is there.
    pub after: Option<Site>,
    /// How it is different.
    pub changes: Vec<Change>,
}

impl Difference {
    /// The function that allocates, or the class.
    #[must_use]
    pub fn name(&self) -> &str {
        self.after.as_ref().or(self.before.as_ref()).map_or("", |site| &site.name)
    }

    /// The bytes that are alive at its peak, before and after; objects where there are no sizes.
    #[must_use]
    pub fn weight(&self) -> (u64, u64) {
        let of = |site: &Option<Site>| {
            site.as_ref().map_or(0, |site| u64::from(site.peak) * site.bytes.unwrap_or(1).max(1))
        };
        (of(&self.before), of(&self.after))
    }
}

/// Two recordings beside each other.
#[derive(Debug)]
pub struct Diff {
    /// What is different, what weighs most first.
    pub differences: Vec<Difference>,
    /// How many sites are as before.
    pub alike: usize,
    /// The unit of lives: `frame`, `ms` or `tick`.
    pub life_unit: &'static str,
}

/// Compares two recordings.
///
/// # Errors
/// If one of them changed while it was read.
pub fn diff(before: &Opened<'_>, after: &Opened<'_>, limits: &Limits) -> Result<Diff, Fault> {
    let in_frames = before.has_frames() && after.has_frames();
    let has_times = before.has_fine_clock() && after.has_fine_clock();
    let is_heap = before.summary.allocations.is_some();
    let longer = before.length(in_frames).max(after.length(in_frames));
    let sites = (before.sites(in_frames, longer)?, after.sites(in_frames, longer)?);
    let life_unit = match (in_frames, is_heap) {
        (true, _) => "frame",
        (false, true) => "ms",
        (false, false) => "tick",
    };
    let is_by_clock = life_unit == "ms";
    let life = if is_by_clock { limits.life_ms } else { limits.life };
    let limits = &Limits { life, ..*limits };
    let mut alike = 0;
    let mut differences = Vec::new();
    for (one, other) in paired(sites.0, sites.1) {
        let changes = match (&one, &other) {
            (Some(one), Some(other)) => {
                let mut changes = changes(one, other, limits);
                if has_times {
                    changes.extend(changes_in_time(one, other, before, after, limits, is_by_clock));
                }
                changes
            }
            (Some(site), None) if is_noticed(site, limits) => vec![Change::Gone],
            (None, Some(site)) if is_noticed(site, limits) => vec![Change::New],
            _ => Vec::new(),
        };
        match changes.is_empty() {
            true => alike += 1,
            false => differences.push(Difference { before: one, after: other, changes }),
        }
    }
    differences.sort_by_key(|difference| {
        let (before, after) = difference.weight();
        (std::cmp::Reverse(before.abs_diff(after)), difference.name().to_owned())
    });
    Ok(Diff { differences, alike, life_unit })
}

/// Whether a site that is only in one of them is worth a word: a few blocks come and go with the environment.
fn is_noticed(site: &Site, limits: &Limits) -> bool {
    site.births >= limits.objects
}

/// Pairs the sites of both. Sites of one function that have no partner of their size are paired by the number of their
/// births, the most first: then their blocks have another size.
fn paired(before: Vec<Site>, after: Vec<Site>) -> Vec<(Option<Site>, Option<Site>)> {
    let mut after: HashMap<(String, Option<u64>), Site> =
        after.into_iter().map(|site| ((site.name.clone(), site.bytes), site)).collect();
    let mut pairs = Vec::new();
    let mut left: HashMap<String, Vec<Site>> = HashMap::new();
    for site in before {
        match after.remove(&(site.name.clone(), site.bytes)) {
            Some(partner) => pairs.push((Some(site), Some(partner))),
            None => left.entry(site.name.clone()).or_default().push(site),
        }
    }
    let mut right: HashMap<String, Vec<Site>> = HashMap::new();
    after.into_values().for_each(|site| right.entry(site.name.clone()).or_default().push(site));
    let functions: HashSet<String> = left.keys().chain(right.keys()).cloned().collect();
    for function in functions {
        let most_first = |sites: Option<Vec<Site>>| {
            let mut sites = sites.unwrap_or_default();
            sites.sort_by_key(|site| (std::cmp::Reverse(site.births), site.bytes));
            sites.into_iter()
        };
        let (mut ones, mut others) =
            (most_first(left.remove(&function)), most_first(right.remove(&function)));
        loop {
            match (ones.next(), others.next()) {
                (None, None) => break,
                pair => pairs.push(pair),
            }
        }
    }
    pairs
}

fn changes(one: &Site, other: &Site, limits: &Limits) -> Vec<Change> {
    let mut changes = Vec::new();
    if let (Some(a), Some(b)) = (one.bytes, other.bytes)
        && a != b
        && one.births.max(other.births) >= limits.objects
    {
        changes.push(Change::Size(a, b));
    }
    let differs = |a: u64, b: u64| {
        let apart = a.abs_diff(b);
        apart >= limits.objects
            && apart as f64 > a.max(b) as f64 * limits.share
            && limits.is_beyond_chance(a, b)
    };
    if differs(one.peak.into(), other.peak.into()) {
        changes.push(Change::Peak(one.peak, other.peak));
    }
    if differs(one.births, other.births) {
        changes.push(Change::Births(one.births, other.births));
    }
    changes
}

fn changes_in_time(
    one: &Site,
    other: &Site,
    before: &Opened<'_>,
    after: &Opened<'_>,
    limits: &Limits,
    is_by_clock: bool,
) -> Vec<Change> {
    let mut changes = Vec::new();
    let knows_lives = before.summary.says_who_died() && after.summary.says_who_died();
    if knows_lives
        && let (Some(a), Some(b)) = (one.life, other.life)
        && one.births.min(other.births) >= limits.lives
        && a.abs_diff(b) >= limits.life
        && is_longer((a, b), limits)
        // On a slow machine all lives take longer, and as many births.
        && one.life_in_births.zip(other.life_in_births).is_none_or(|births| is_longer(births, limits))
    {
        changes.push(Change::Life(a, b));
    }
    // A recording that goes on for longer has its peaks at another share of its time, and a slow one at another time. One that
    // has moved is at another of both; and after another share of all births, where the clock is that of a machine that may be
    // slow for a while.
    let courses = if is_by_clock { 3 } else { 2 };
    let has_moved = || {
        let mut of_both = one.courses.iter().zip(&other.courses).take(courses);
        of_both.all(|of| has_moved(of, (one.peak, other.peak), limits))
    };
    if one.peak.min(other.peak) >= limits.objects as u32 && has_moved() {
        let at = |site: &Site, of: &Opened<'_>| Moment::of(site.peak_tick, &of.summary);
        changes.push(Change::PeakAt(at(one, before), at(other, after)));
    }
    changes
}

fn is_longer((a, b): (u64, u64), limits: &Limits) -> bool {
    a.max(b) as f64 >= a.min(b) as f64 * limits.life_factor
}

/// Whether the most are alive in another stretch of time, and clearly fewer where they were before. A count that stays near its
/// peak has none that could move.
fn has_moved((one, other): (&Vec<u32>, &Vec<u32>), peaks: (u32, u32), limits: &Limits) -> bool {
    let peak_of = |course: &[u32]| {
        let most = course.iter().copied().max().unwrap_or(0);
        course.iter().position(|&live| live == most).unwrap_or(0)
    };
    let (at, then) = (peak_of(one), peak_of(other));
    let is_low = |course: &[u32], at: usize, peak: u32| {
        // A peak at the border of two stretches may be in either.
        let near = at.saturating_sub(1)..(at + 2).min(STRETCHES);
        let most = course.get(near).unwrap_or_default().iter().copied().max().unwrap_or(0);
        // At each of the two places, a share of the deviations is enough: chance would have to be at both.
        let usual = Limits::default().deviations;
        is_clearly_below(most, peak, FEWER_DEVIATIONS * limits.deviations / usual)
    };
    at.abs_diff(then) >= MOVED_STRETCHES && is_low(one, then, peaks.0) && is_low(other, at, peaks.1)
}
