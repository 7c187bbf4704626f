//! What `millpond check` says: as text, as a table for a pull request, and as JSON.

use serde::Serialize;

use super::budget_toml::{Sizes, sizes_words};
use super::figures::{count, number_of, percent};
use super::foreign::{for_markdown, for_terminal};
use super::json::json_text;
use super::paint::Paint;
use super::table::{Table, name_cell};
use super::wrap::{wrapped, wrapped_behind};
use crate::compare::check::{Change, Check, Checked};
use crate::error::{Failure, shown};
use crate::plan::NearPeak;

/// How many functions are named for each pool.
const FUNCTIONS_MAX: usize = 3;

/// A recording that was checked.
#[derive(Debug)]
pub struct CheckedRecording {
    /// Its name as the user typed it.
    pub name: String,
    /// The scenario of the budget.
    pub scenario: String,
    /// The result.
    pub check: Check,
}

/// All recordings, for people.
pub fn check_text(recordings: &[CheckedRecording], paint: Paint) -> String {
    let mut text = String::new();
    for (at, recording) in recordings.iter().enumerate() {
        if at > 0 {
            text.push('\n');
        }
        text += &paint.strong(&format!("{}\n", shown(recording.name.as_bytes())));
        text += &wrapped(&sentence(recording));
        let overflows: Vec<&Checked> = recording.check.overflows().collect();
        if !overflows.is_empty() {
            text.push('\n');
            let mut table =
                Table::new(&["<pool", "slots", "at once", "too few by", "refuses", "<first full"]);
            for pool in &overflows {
                table.row(cells(pool, recording));
            }
            text += &table.render(paint);
        }
        for pool in &overflows {
            if let Some(words) = functions(pool) {
                text += &wrapped(&format!("{}: {words}", for_terminal(&pool.pool)));
            }
        }
        let changes = changes(recording);
        if !changes.is_empty() {
            text += &format!("\n{CHANGES}:\n");
        }
        for (pool, words) in changes {
            text += &wrapped_behind("  ", "    ", &format!("{}: {words}", for_terminal(pool)));
        }
    }
    text
}

/// All recordings, as Markdown.
pub fn check_markdown(recordings: &[CheckedRecording]) -> String {
    let overflowing = recordings.iter().filter(|of| of.check.overflows().next().is_some()).count();
    let mut text = match overflowing {
        0 => format!("**The pools of the budget fit {}.**\n", these(recordings.len())),
        n => format!(
            "**The pools of the budget are too small for {} of {}.**\n",
            count(n as u64),
            these(recordings.len())
        ),
    };
    text += "\n| recording | pool | slots | at once | too few by | refuses | first full | requested by |\n\
             | --- | --- | ---: | ---: | ---: | ---: | --- | --- |\n";
    for recording in recordings {
        let name = for_markdown(&recording.name);
        let mut rows = 0;
        for pool in recording.check.overflows() {
            rows += 1;
            let cells = cells(pool, recording).into_iter().map(|cell| for_markdown(&cell));
            let cells = cells.collect::<Vec<_>>().join(" | ");
            let functions = for_markdown(&functions(pool).unwrap_or_default());
            text += &format!("| {name} | {cells} | {functions} |\n");
        }
        if rows == 0 {
            let pools = number_of(recording.check.pools.len() as u64, "pool");
            text += &format!("| {name} | all {pools} fit | | | | | | |\n");
        }
    }
    let changed = |recording: &&CheckedRecording| !changes(recording).is_empty();
    for (at, recording) in recordings.iter().filter(changed).enumerate() {
        if at == 0 {
            text += &format!("\n{CHANGES}:\n\n");
        }
        for (pool, words) in changes(recording) {
            let (name, pool) = (for_markdown(&recording.name), for_markdown(pool));
            text += &format!("- {name}: {pool}: {words}\n");
        }
    }
    text
}

fn these(recordings: usize) -> String {
    number_of(recordings as u64, "recording")
}

fn sentence(recording: &CheckedRecording) -> String {
    let Check { pools, without_pool, .. } = &recording.check;
    let scenario = shown(recording.scenario.as_bytes());
    let all = number_of(pools.len() as u64, "pool");
    let overflows = recording.check.overflows().count() as u64;
    let mut text = match overflows {
        0 => format!("Fits scenario {scenario}: {all}"),
        n => format!("Does not fit scenario {scenario}: {} of {all} overflow", count(n)),
    };
    let fullest = pools.iter().filter(|pool| !pool.overflows() && pool.slots > 0);
    let share = |pool: &&Checked| f64::from(pool.peak) / pool.slots as f64;
    if let Some(pool) =
        fullest.max_by(|a, b| share(a).total_cmp(&share(b))).filter(|of| of.peak > 0)
    {
        let (peak, slots) = (count(pool.peak.into()), count(pool.slots));
        let name = for_terminal(&pool.pool);
        text += &format!(
            "; the fullest that fits is {name}, {peak} of {slots} ({})",
            percent(share(&pool))
        );
    }
    // The largest is told: it is the one that may be new since the budget.
    if let Some((class, peak)) = without_pool.first() {
        let (classes, class) = (number_of(without_pool.len() as u64, "class"), name_cell(class));
        let at_once = number_of((*peak).into(), "object");
        text += &match without_pool.len() {
            1 => format!("; {classes} without a pool, {class} (at most {at_once})"),
            _ => format!("; {classes} without a pool, the largest {class} (at most {at_once})"),
        };
    }
    text + "."
}

fn cells(pool: &Checked, recording: &CheckedRecording) -> Vec<String> {
    let first = pool.first.map(|first| first.words(recording.check.summary.format));
    vec![
        pool.pool.clone(),
        count(pool.slots),
        count(pool.peak.into()),
        count(u64::from(pool.peak).saturating_sub(pool.slots)),
        count(pool.turned_away),
        first.unwrap_or_default(),
    ]
}

/// What stands above the changes, which are no failure.
const CHANGES: &str = "Not as in the budget's recording";

/// What is not as it was, pool by pool, in words.
fn changes(recording: &CheckedRecording) -> Vec<(&str, String)> {
    let words = |change: &Change| match change {
        Change::Size(was, is) => {
            format!("{}, planned with {}", sizes_words(*is), sizes_words(*was))
        }
        Change::PeakAt(was, is) => {
            let NearPeak { from, to, of, unit } = is;
            format!(
                "near its peak from {} to {} of {} {}, planned with {} to {} of {}",
                count(*from),
                count(*to),
                count(*of),
                unit.names(),
                count(was.from),
                count(was.to),
                count(was.of)
            )
        }
    };
    let pools = recording.check.pools.iter();
    pools
        .flat_map(|of| of.changes.iter().map(move |change| (of.pool.as_str(), words(change))))
        .collect()
}

/// Who requests the objects of a pool: new functions first.
fn functions(pool: &Checked) -> Option<String> {
    let new: Vec<&str> = named(pool, |is_new| is_new == Some(true));
    let known: Vec<&str> = named(pool, |is_new| is_new != Some(true));
    let list = |names: &[&str]| {
        let mut words = names
            .iter()
            .take(FUNCTIONS_MAX)
            .map(|name| for_terminal(name))
            .collect::<Vec<_>>()
            .join(", ");
        if names.len() > FUNCTIONS_MAX {
            words += &format!(" and {} more", count((names.len() - FUNCTIONS_MAX) as u64));
        }
        words
    };
    match (new.is_empty(), known.is_empty()) {
        (true, true) => None,
        (true, false) => Some(format!("requested by {}", list(&known))),
        (false, true) => Some(format!("new since the budget: requested by {}", list(&new))),
        (false, false) => Some(format!(
            "new since the budget: requested by {}; as before by {}",
            list(&new),
            list(&known)
        )),
    }
}

fn named(pool: &Checked, wanted: impl Fn(Option<bool>) -> bool) -> Vec<&str> {
    let wanted = pool.requested_by.iter().filter(|of| wanted(of.is_new));
    wanted.map(|of| of.function.as_str()).collect()
}

#[derive(Serialize)]
struct Json<'c> {
    millpond: &'static str,
    fits: bool,
    recordings: Vec<RecordingJson<'c>>,
}

#[derive(Serialize)]
struct RecordingJson<'c> {
    path: &'c str,
    scenario: &'c str,
    fits: bool,
    pools: Vec<PoolJson<'c>>,
    /// The classes that the budget has no pool for.
    without_pool: Vec<ClassJson<'c>>,
}

#[derive(Serialize)]
struct ClassJson<'c> {
    class: &'c str,
    peak_live: u32,
}

#[derive(Serialize)]
struct PoolJson<'c> {
    pool: &'c str,
    slots: u64,
    peak_live: u32,
    overflows: bool,
    /// Whether a full pool evicts, so that it cannot overflow.
    evicts: bool,
    /// How many slots it has too few.
    too_few_by: u64,
    /// The objects that the full pool refuses, or evicts.
    turned_away: u64,
    /// When it is too small for the first time.
    first: Option<MomentJson>,
    requested_by: Vec<FunctionJson<'c>>,
    /// What else is not as in the budget's recording, as far as the budget says how that was. It may fit.
    changes: Vec<ChangeJson>,
}

#[derive(Serialize)]
#[serde(tag = "what", rename_all = "kebab-case")]
enum ChangeJson {
    Size { planned: SizesJson, now: SizesJson },
    PeakAt { planned: NearPeakJson, now: NearPeakJson },
}

#[derive(Serialize)]
struct SizesJson {
    bytes_max: u64,
    /// Whether all objects are as large.
    are_alike: bool,
}

/// From when to when there were nearly as many as at the peak.
#[derive(Serialize)]
struct NearPeakJson {
    /// `tick`, `ms` or `frame`.
    unit: &'static str,
    from: u64,
    to: u64,
    of: u64,
}

impl From<Change> for ChangeJson {
    fn from(change: Change) -> Self {
        let sizes = |of: Sizes| SizesJson { bytes_max: of.largest, are_alike: of.are_alike };
        let near = |of: NearPeak| {
            let NearPeak { unit, from, to, of } = of;
            NearPeakJson { unit: unit.name(), from, to, of }
        };
        match change {
            Change::Size(was, is) => Self::Size { planned: sizes(was), now: sizes(is) },
            Change::PeakAt(was, is) => Self::PeakAt { planned: near(was), now: near(is) },
        }
    }
}

#[derive(Serialize)]
struct MomentJson {
    tick: u32,
    frame: Option<u64>,
    seconds: Option<f64>,
}

#[derive(Serialize)]
struct FunctionJson<'c> {
    function: &'c str,
    lifetimes: u64,
    /// Whether the budget's recording did not have it; `null` if the budget does not say.
    is_new: Option<bool>,
}

/// All recordings, for programs.
///
/// # Errors
/// None that a caller could avoid.
pub fn check_json(recordings: &[CheckedRecording]) -> Result<String, Failure> {
    let recordings: Vec<RecordingJson<'_>> = recordings
        .iter()
        .map(|of| RecordingJson {
            path: &of.name,
            scenario: &of.scenario,
            fits: of.check.overflows().next().is_none(),
            pools: of.check.pools.iter().map(PoolJson::from).collect(),
            without_pool: (of.check.without_pool.iter())
                .map(|(class, peak)| ClassJson { class, peak_live: *peak })
                .collect(),
        })
        .collect();
    let fits = recordings.iter().all(|of| of.fits);
    json_text(&Json { millpond: env!("CARGO_PKG_VERSION"), fits, recordings })
}

impl<'c> From<&'c Checked> for PoolJson<'c> {
    fn from(of: &'c Checked) -> Self {
        Self {
            pool: &of.pool,
            slots: of.slots,
            peak_live: of.peak,
            overflows: of.overflows(),
            evicts: of.evicts,
            too_few_by: u64::from(of.peak).saturating_sub(of.slots),
            turned_away: of.turned_away,
            first: of.first.map(|first| MomentJson {
                tick: first.tick,
                frame: first.frame,
                seconds: first.seconds,
            }),
            requested_by: (of.requested_by.iter())
                .map(|of| FunctionJson {
                    function: &of.function,
                    lifetimes: of.births,
                    is_new: of.is_new,
                })
                .collect(),
            changes: of.changes.iter().copied().map(ChangeJson::from).collect(),
        }
    }
}
