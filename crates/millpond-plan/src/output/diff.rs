//! What `millpond diff` says: as text, as a table for a pull request, as JSON, and as a report.

use serde::Serialize;

use super::figures::{bytes, count, number_of};
use super::foreign::{for_markdown, for_terminal};
use super::json::json_text;
use super::paint::Paint;
use super::wrap::wrapped_behind;
use crate::compare::Site;
use crate::compare::diff::{Change, Diff, Difference};
use crate::error::{Failure, shown};
use crate::trace::Format;

/// Two recordings that were compared.
#[derive(Debug)]
pub struct Compared {
    /// Their names as the user typed them.
    pub names: [String; 2],
    /// The format of the second one.
    pub format: Format,
    /// The result.
    pub diff: Diff,
}

impl Compared {
    /// What is different, a heading and rows of a name and words.
    #[must_use]
    pub fn sections(&self) -> Vec<(&'static str, Vec<(String, String)>)> {
        let headings =
            ["New", "Grown", "Lives longer", "Peak at another time", "Smaller or shorter", "Gone"];
        let mut sections: Vec<_> = headings.map(|heading| (heading, Vec::new())).into();
        for difference in &self.diff.differences {
            let row = (name(difference), self.words(difference));
            sections[section(difference)].1.push(row);
        }
        sections.retain(|(_, rows)| !rows.is_empty());
        sections
    }

    /// What is different in general, in a sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        let Diff { differences, alike, .. } = &self.diff;
        let what = match self.format {
            Format::Heap(_) => "call site",
            Format::Lifetimes => "class",
        };
        let alike = number_of(*alike as u64, what);
        match differences.len() {
            0 => format!("Nothing is different: {alike} as before."),
            1 => format!("1 is different, {alike} as before."),
            n => format!("{} are different, {alike} as before.", count(n as u64)),
        }
    }

    fn words(&self, difference: &Difference) -> String {
        let unit = self.diff.life_unit;
        let mut parts = Vec::new();
        for change in &difference.changes {
            parts.push(match change {
                Change::New => amount("", difference.after.as_ref()),
                Change::Gone => amount("before: ", difference.before.as_ref()),
                Change::Size(a, b) => format!("{} bytes → {} bytes each", count(*a), count(*b)),
                Change::Peak(a, b) => {
                    format!("at once {} → {}", count((*a).into()), count((*b).into()))
                }
                Change::Births(a, b) => format!("created {} → {}", count(*a), count(*b)),
                Change::Life(a, b) => {
                    let life = |length: u64| match unit {
                        "ms" => format!("{} ms", count(length)),
                        _ => number_of(length, unit),
                    };
                    format!("median life {} → {}", life(*a), life(*b))
                }
                Change::PeakAt(a, b) => {
                    format!("peak {} → {}", a.words(self.format), b.words(self.format))
                }
            });
        }
        parts.join("; ")
    }
}

fn amount(before: &str, site: Option<&Site>) -> String {
    let Some(site) = site else { return String::new() };
    let at_once = count(site.peak.into());
    let size = site.bytes.map(|size| format!(" of {size} bytes")).unwrap_or_default();
    let memory = site.bytes.map(|size| format!(" ({})", bytes(size * u64::from(site.peak))));
    format!("{before}{}{size}, at once {at_once}{}", count(site.births), memory.unwrap_or_default())
}

/// The function or class; the size is told in words where it has changed.
fn name(difference: &Difference) -> String {
    let has_other_size = difference.changes.iter().any(|change| matches!(change, Change::Size(..)));
    let site = difference.after.as_ref().or(difference.before.as_ref());
    let is_there_and_was = difference.after.is_some() && difference.before.is_some();
    match site.and_then(|site| site.bytes) {
        Some(bytes) if is_there_and_was && !has_other_size => {
            format!("{}, {} bytes", difference.name(), count(bytes))
        }
        _ => difference.name().to_owned(),
    }
}

/// The section of a difference: that of its first change.
fn section(difference: &Difference) -> usize {
    match difference.changes.first() {
        Some(Change::New) => 0,
        Some(Change::Size(a, b) | Change::Births(a, b)) if b > a => 1,
        Some(Change::Peak(a, b)) if b > a => 1,
        Some(Change::Life(a, b)) if b > a => 2,
        Some(Change::PeakAt(..)) => 3,
        Some(Change::Gone) => 5,
        _ => 4,
    }
}

/// For people.
pub fn diff_text(compared: &Compared, paint: Paint) -> String {
    let [before, after] = &compared.names;
    let heading = format!("{} → {}\n", shown(before.as_bytes()), shown(after.as_bytes()));
    let mut text = paint.strong(&heading);
    text += &super::wrap::wrapped(&compared.sentence());
    for (heading, rows) in compared.sections() {
        text += &format!("\n{}", paint.strong(&format!("{heading}\n")));
        for (name, words) in rows {
            text += &wrapped_behind("  ", "    ", &format!("{}: {words}", for_terminal(&name)));
        }
    }
    text
}

/// As Markdown.
pub fn diff_markdown(compared: &Compared) -> String {
    let mut text = format!("**{}**\n", compared.sentence());
    let sections = compared.sections();
    if !sections.is_empty() {
        text += "\n| | what | before → after |\n| --- | --- | --- |\n";
    }
    for (heading, rows) in sections {
        for (name, words) in rows {
            text +=
                &format!("| {heading} | {} | {} |\n", for_markdown(&name), for_markdown(&words));
        }
    }
    text
}

#[derive(Serialize)]
struct Json<'d> {
    millpond: &'static str,
    before: &'d str,
    after: &'d str,
    life_unit: &'static str,
    alike: usize,
    differences: Vec<DifferenceJson<'d>>,
}

#[derive(Serialize)]
struct DifferenceJson<'d> {
    name: &'d str,
    /// What has changed: `new`, `gone`, `size`, `peak`, `births`, `life`, `peak-at`.
    changes: Vec<&'static str>,
    before: Option<SiteJson>,
    after: Option<SiteJson>,
}

#[derive(Serialize)]
struct SiteJson {
    bytes: Option<u64>,
    lifetimes: u64,
    peak_live: u32,
    peak_tick: u32,
    left_live: u32,
    /// The median length of a life, in `life_unit`.
    life: Option<u64>,
}

impl From<&Site> for SiteJson {
    fn from(site: &Site) -> Self {
        Self {
            bytes: site.bytes,
            lifetimes: site.births,
            peak_live: site.peak,
            peak_tick: site.peak_tick,
            left_live: site.left,
            life: site.life,
        }
    }
}

/// For programs.
///
/// # Errors
/// None that a caller could avoid.
pub fn diff_json(compared: &Compared) -> Result<String, Failure> {
    let [before, after] = &compared.names;
    let differences = compared.diff.differences.iter().map(|of| DifferenceJson {
        name: of.name(),
        changes: of.changes.iter().map(kind).collect(),
        before: of.before.as_ref().map(SiteJson::from),
        after: of.after.as_ref().map(SiteJson::from),
    });
    json_text(&Json {
        millpond: env!("CARGO_PKG_VERSION"),
        before,
        after,
        life_unit: compared.diff.life_unit,
        alike: compared.diff.alike,
        differences: differences.collect(),
    })
}

fn kind(change: &Change) -> &'static str {
    match change {
        Change::New => "new",
        Change::Gone => "gone",
        Change::Size(..) => "size",
        Change::Peak(..) => "peak",
        Change::Births(..) => "births",
        Change::Life(..) => "life",
        Change::PeakAt(..) => "peak-at",
    }
}
