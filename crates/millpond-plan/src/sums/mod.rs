//! Recordings that have sums for each place in a program and no single block: how many it requested, and bounds on how many
//! were alive at once.
//!
//! Counts of calls are exact. What a sum does not say is not made up: a place that asks for several sizes has their mean,
//! and becomes no class of that size; how many blocks were alive at once is a range, from what the recording counted to
//! what cannot be exceeded; and nothing is replayed, refused or evicted, because there are no lives.

mod csv;
mod dhat;
mod json;
mod memray;
mod page;
mod text;

pub use csv::csv;
pub use json::json;
pub use page::html;
pub use text::text;

use std::collections::HashMap;
use std::path::Path;

use crate::error::{Failure, Fault, shown_path};
use crate::input::{Cut, Source, decoded};
use crate::pattern::Pattern;
use crate::plan::Headroom;
use crate::reading::Reading;
use crate::trace::{StacksOfSums, Wrapper};

/// What added the blocks up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    /// valgrind's DHAT.
    Dhat {
        /// Whether the most bytes of a call stack are noted whenever it has them: before valgrind 3.17.
        keeps_peaks: bool,
    },
    /// The crate dhat-rs.
    DhatRs,
    /// memray with `--aggregate`.
    Memray,
}

impl Tool {
    /// Its name in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Dhat { .. } => "dhat",
            Self::DhatRs => "dhat-rs",
            Self::Memray => "memray",
        }
    }

    /// Whether it counts what was requested in all, and not only what was alive at the peak and at the end.
    #[must_use]
    pub fn counts_requests(self) -> bool {
        self != Self::Memray
    }

    /// What it says was requested; `None` if it does not count that.
    fn requested(self, counted: u64) -> Option<u64> {
        self.counts_requests().then_some(counted)
    }

    /// Its name in a sentence.
    fn title(self) -> &'static str {
        match self {
            Self::Dhat { .. } => "valgrind's DHAT",
            Self::DhatRs => "dhat-rs",
            Self::Memray => "memray",
        }
    }

    fn keeps_peaks(self) -> bool {
        match self {
            Self::Dhat { keeps_peaks } => keeps_peaks,
            Self::DhatRs => true,
            Self::Memray => false,
        }
    }
}

/// The size of the blocks of a place, as far as sums tell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Size {
    /// All have this size.
    Exactly(u64),
    /// All sums are multiples of this size, so all have it, unless several sizes were mixed in one proportion throughout.
    Assumed(u64),
    /// They have several sizes: their mean.
    Mean(f64),
}

impl Size {
    /// The size, if there is one.
    #[must_use]
    pub fn bytes(self) -> Option<u64> {
        match self {
            Self::Exactly(bytes) | Self::Assumed(bytes) => Some(bytes),
            Self::Mean(_) => None,
        }
    }
}

/// How many blocks were alive at once, at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AtOnce {
    /// No fewer than these: so many were counted at some moment, or on average.
    pub least: u64,
    /// No more than these.
    pub most: u64,
}

impl AtOnce {
    /// The number, if it is known.
    #[must_use]
    pub fn exactly(self) -> Option<u64> {
        (self.least == self.most).then_some(self.least)
    }
}

/// The sums of one call stack.
#[derive(Debug)]
struct Site {
    blocks: u64,
    bytes: u64,
    size: Size,
    at_once: AtOnce,
    /// When the program had most bytes.
    at_peak: u64,
    /// At the end.
    left: u64,
    /// How many were alive on average over the whole run, if that is known.
    on_average: Option<f64>,
}

/// What a file has.
#[derive(Debug)]
struct Sums {
    tool: Tool,
    command: Vec<u8>,
    sites: Vec<Site>,
    stacks: StacksOfSums,
    /// The most bytes that were alive at once.
    peak_bytes: Option<u64>,
    /// What was read, and what was passed over.
    reading: Reading,
    cut: Option<Cut>,
}

/// A place in the code, and the blocks of one size, or of several, that it requested.
#[derive(Debug, Clone, PartialEq)]
pub struct PlaceSums {
    /// The function.
    pub function: String,
    /// The function and those that called it, the innermost first: at most three.
    pub stack: Vec<String>,
    /// The library that allocates here for itself.
    pub inside: Option<String>,
    /// How many call stacks are added up.
    pub stacks: u64,
    /// The size of its blocks.
    pub size: Size,
    /// How many blocks were requested in all, or if its [tool](Tool::counts_requests) does not count that, how many there
    /// were for certain.
    pub blocks: u64,
    /// The bytes of all of them.
    pub bytes: u64,
    /// How many were alive at once.
    pub at_once: AtOnce,
    /// Whether no more than `at_once.most` is the sum of peaks that were counted, and not only what cannot be exceeded.
    pub is_counted: bool,
    /// How many were alive on average over the whole run, if that is known.
    pub on_average: Option<f64>,
    /// How many were alive at the end.
    pub left: u64,
    /// The slots to reserve, with the headroom: for the most that can have been alive at once, where that was counted and
    /// all have one size.
    pub reserve: Option<u32>,
}

impl PlaceSums {
    /// What the reserved slots take.
    #[must_use]
    pub fn bytes_reserved(&self) -> Option<u64> {
        Some(self.size.bytes()?.saturating_mul(u64::from(self.reserve?)))
    }
}

/// What is planned from a file of sums.
#[derive(Debug)]
pub struct SumsPlan {
    /// The file's name as the user typed it.
    pub name: String,
    /// What wrote it.
    pub tool: Tool,
    /// The command that was recorded; empty if it is unknown.
    pub command: String,
    /// All blocks, counted as those of a [place](PlaceSums::blocks).
    pub blocks: u64,
    /// The number of call stacks with blocks.
    pub call_stacks: u64,
    /// What was read, and what was passed over.
    pub reading: Reading,
    /// The most bytes that were alive at once; `None` if the file is cut short.
    pub peak_bytes: Option<u64>,
    /// The places, those with most blocks first.
    pub places: Vec<PlaceSums>,
    /// The program's own wrappers of the allocator that were skipped.
    pub wrappers: Vec<Wrapper>,
    /// Where the file is cut short, if it is.
    pub cut: Option<Cut>,
}

impl SumsPlan {
    /// Its name, and where it is cut short, if it is.
    #[must_use]
    pub fn cut(&self) -> (&str, Option<Fault>) {
        (&self.name, self.cut.as_ref().map(Cut::fault))
    }

    /// The places whose function or size matches.
    #[must_use]
    pub fn wanted(&self, pattern: Option<&Pattern>) -> Vec<&PlaceSums> {
        let fits = |place: &&PlaceSums| {
            let size = || place.size.bytes().map(|bytes| bytes.to_string());
            pattern.is_none_or(|pattern| {
                pattern.matches(&place.function)
                    || size().is_some_and(|size| pattern.matches(&size))
            })
        };
        self.places.iter().filter(fits).collect()
    }
}

/// Whether a source is a file of sums, which [`plan_sums`] plans.
///
/// # Errors
/// If it cannot be read.
pub fn recognises(source: &Source) -> Result<bool, Fault> {
    let beginning = source.open()?.into_beginning()?;
    Ok(dhat::recognises(&beginning) || memray::recognises(&beginning))
}

/// Whether these sources, each with its name, are files of sums: all of them, or none.
///
/// # Errors
/// If one cannot be read, or if some are and others are not.
pub fn are_sums(sources: &[(impl AsRef<Path>, Source)]) -> Result<bool, Failure> {
    let mut files_of_sums = Vec::new();
    for (name, source) in sources {
        let fault = |fault: Fault| fault.of_input(&name.as_ref().to_string_lossy());
        if recognises(source).map_err(fault)? {
            files_of_sums.push(name.as_ref());
        }
    }
    match files_of_sums.first() {
        Some(first) if files_of_sums.len() < sources.len() => Err(Failure::Arguments(format!(
            "{} has sums by place and no single block, expected to be planned apart from recordings of blocks",
            shown_path(first)
        ))),
        first => Ok(first.is_some()),
    }
}

/// Refuses, for a file of sums, an option that only single blocks answer.
#[must_use]
pub fn needs_blocks(option: &str, name: &Path) -> Failure {
    Failure::Arguments(format!(
        "{option}: {} has sums by place, expected a recording with single blocks (`heaptrack --raw ./program`)",
        shown_path(name)
    ))
}

/// Plans from a file of sums. Functions that match one of the patterns are skipped as wrappers of the allocator.
///
/// # Errors
/// If it cannot be used.
pub fn plan_sums(
    name: &str,
    source: &Source,
    headroom: Headroom,
    skip: &[Pattern],
) -> Result<SumsPlan, Fault> {
    let read = match memray::recognises(&source.open()?.into_beginning()?) {
        true => memray::read,
        false => dhat::read,
    };
    let Sums { tool, command, sites, stacks, peak_bytes, reading, cut } = read(source.open()?)?;
    let found = stacks.places(skip);
    let mut numbers: HashMap<(u32, Option<(u64, bool)>), usize> = HashMap::new();
    let mut groups: Vec<Group> = Vec::new();
    for (site, &place) in sites.iter().zip(&found.of_kind) {
        let size = match site.size {
            Size::Exactly(bytes) => Some((bytes, true)),
            Size::Assumed(bytes) => Some((bytes, false)),
            Size::Mean(_) => None,
        };
        let next = groups.len();
        let at = *numbers.entry((place, size)).or_insert(next);
        if at == next {
            groups.push(Group { place, size: site.size, ..Group::default() });
        }
        groups[at].add(site);
    }
    let mut places: Vec<PlaceSums> = groups
        .into_iter()
        .map(|group| {
            let of = &found.places[group.place as usize];
            group.sums(of, peak_bytes.filter(|_| cut.is_none()), headroom)
        })
        .collect();
    places.sort_by(|a, b| {
        b.blocks
            .cmp(&a.blocks)
            .then_with(|| a.function.cmp(&b.function))
            .then(a.bytes.cmp(&b.bytes))
    });
    Ok(SumsPlan {
        name: name.to_owned(),
        tool,
        command: decoded(&command).into_owned(),
        blocks: sites.iter().fold(0, |all, site| all.saturating_add(site.blocks)),
        call_stacks: sites.len() as u64,
        reading,
        peak_bytes,
        places,
        wrappers: found.wrappers,
        cut,
    })
}

/// The call stacks of one place whose blocks have one size, or several.
#[derive(Default)]
struct Group {
    place: u32,
    size: Size,
    stacks: u64,
    blocks: u64,
    bytes: u64,
    /// The greatest lower bound of one stack, and the sums of what all have at the same moments.
    least: u64,
    at_peak: u64,
    left: u64,
    on_average: Option<f64>,
    most: u64,
    /// Whether one of them may have had more than was counted.
    is_open: bool,
}

impl Default for Size {
    fn default() -> Self {
        Self::Mean(0.0)
    }
}

impl Group {
    fn add(&mut self, site: &Site) {
        let add = |to: &mut u64, more: u64| *to = to.saturating_add(more);
        self.stacks += 1;
        add(&mut self.blocks, site.blocks);
        add(&mut self.bytes, site.bytes);
        add(&mut self.at_peak, site.at_peak);
        add(&mut self.left, site.left);
        add(&mut self.most, site.at_once.most);
        self.least = self.least.max(site.at_once.least);
        self.is_open |= site.at_once.exactly().is_none();
        self.on_average = match (self.on_average, site.on_average) {
            (Some(all), Some(more)) => Some(all + more),
            (all, more) => all.or(more),
        };
    }

    fn sums(
        self,
        of: &crate::trace::CodePlace,
        peak_bytes: Option<u64>,
        headroom: Headroom,
    ) -> PlaceSums {
        let average = self.on_average.map_or(0, |mean| mean.ceil() as u64);
        let least = self.least.max(self.at_peak).max(self.left).max(average).min(self.blocks);
        let fit = match (self.size, peak_bytes) {
            (Size::Exactly(bytes @ 1..), Some(peak)) => peak / bytes,
            _ => u64::MAX,
        };
        let at_once = AtOnce { least, most: self.most.min(fit).max(least) };
        let size = match self.size {
            Size::Mean(_) => Size::Mean(self.bytes as f64 / self.blocks as f64),
            size => size,
        };
        let is_known = at_once.exactly().is_some() || !self.is_open;
        let slots = u32::try_from(at_once.most).ok();
        let slots = slots.filter(|_| is_known && size.bytes().is_some());
        PlaceSums {
            function: of.function.clone(),
            stack: of.stack.clone(),
            inside: of.inside.clone(),
            stacks: self.stacks,
            size,
            blocks: self.blocks,
            bytes: self.bytes,
            at_once,
            is_counted: is_known,
            on_average: self.on_average,
            left: self.left,
            reserve: slots.map(|blocks| headroom.capacity(blocks)),
        }
    }
}
