//! What a merge of some of the sessions writes, for a merge of all of them: counts, and sessions that may be given up.
//!
//! Both are JSON: numbers, names and nothing that depends on the machine, so that the sessions may be split in any way
//! and over any machines. Whatever a file says is checked when it is added to others.

use serde::{Deserialize, Serialize};

use super::Need;
use crate::error::{Failure, Fault};
use crate::input::Input;

/// The file of one part. The name of the variant is how a part is recognised.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) enum Partial {
    #[serde(rename = "millpond_counts")]
    Counts(CountsPart),
    #[serde(rename = "millpond_rare_sessions")]
    Rare(RarePart),
}

/// How a part begins.
const BEGINNINGS: [&str; 2] = ["{\"millpond_counts\":", "{\"millpond_rare_sessions\":"];

/// The number of bytes by which a part is recognised.
pub const PARTIAL_BYTES_TO_LOOK_AT: usize = BEGINNINGS[1].len();

/// Whether a file that begins like this is one that [`Counts::to_json`](super::Counts::to_json) or
/// [`Rare::to_json`](super::Rare::to_json) has written.
#[must_use]
#[inline]
pub fn is_partial(start: &[u8]) -> bool {
    BEGINNINGS.iter().any(|beginning| start.starts_with(beginning.as_bytes()))
}

/// What the first pass counts in a part of the sessions.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CountsPart {
    pub(super) by: Option<String>,
    /// What tells these sessions from others.
    pub(super) seen: u64,
    /// The sessions with the lowest hashes, so that a part that is given twice is found out.
    pub(super) lowest: Vec<(u64, String)>,
    pub(super) groups: Vec<GroupPart>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GroupPart {
    pub(super) value: String,
    pub(super) sessions: u64,
    pub(super) milliseconds: u64,
    pub(super) without_clock: u64,
    pub(super) is_heap: bool,
    pub(super) classes: Vec<ClassPart>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ClassPart {
    pub(super) name: String,
    pub(super) sessions: u64,
    pub(super) births: u64,
    pub(super) calls_saved: u64,
    pub(super) bytes_max: Option<u64>,
    pub(super) worth_in: u64,
    /// How many sessions have this peak.
    pub(super) peaks: Vec<(u32, u64)>,
    /// How many lifetimes have this length.
    pub(super) lives: Vec<(u32, u64)>,
    pub(super) ages: Vec<(u32, u64)>,
    /// Both as if the oldest had died first, if a session does not say who died.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) oldest_first: Option<OldestFirstPart>,
    pub(super) needs_most: Vec<Need>,
    /// The seconds for one lifetime of the busiest slot, in the orders Lifo and Fifo.
    pub(super) pace: Option<(Option<f64>, Option<f64>)>,
    /// The same at the slower end; earlier versions had but one.
    #[serde(default)]
    pub(super) slowest: Option<(Option<f64>, Option<f64>)>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OldestFirstPart {
    pub(super) lives: Vec<(u32, u64)>,
    pub(super) ages: Vec<(u32, u64)>,
}

/// The sessions of a part that may be given up.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RarePart {
    /// What tells the counts of all sessions from others.
    pub(super) counts: u64,
    pub(super) quantile_percent: f64,
    pub(super) all: bool,
    /// What tells the sessions of the part from others.
    pub(super) seen: u64,
    pub(super) groups: Vec<RareGroupPart>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RareGroupPart {
    pub(super) value: String,
    pub(super) sessions: Vec<RareSessionPart>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RareSessionPart {
    pub(super) session: String,
    pub(super) path: String,
    pub(super) hash: u64,
    /// The peaks of the planned classes, which are numbered as in the counts, in the order of the numbers.
    pub(super) peaks: Vec<(usize, u32)>,
}

impl Partial {
    /// The text of the file: one line.
    #[inline]
    pub(super) fn to_json(&self) -> Result<String, Failure> {
        let json = serde_json::to_string(self);
        json.map(|json| json + "\n").map_err(|e| Failure::Output(format!("a part of a merge: {e}")))
    }

    /// Reads a file that begins like one of a part.
    #[inline]
    pub(super) fn read(input: &mut Input<'_>) -> Result<Self, Fault> {
        let text = read_all(input)?;
        serde_json::from_slice(&text).map_err(|e| {
            Fault::whole(format!("is not a part that `merge --partial` has written: {e}"))
        })
    }
}

/// A compressed part is read to this many times its stored size: no JSON of numbers and names is smaller.
const EXPANSION_MAX: u64 = 200;

/// The whole text, unless it is far larger than what is stored.
#[inline]
fn read_all(input: &mut Input<'_>) -> Result<Vec<u8>, Fault> {
    const BLOCK_BYTES: usize = 1 << 16;
    let bytes_max = input.bytes_stored().max(BLOCK_BYTES as u64).saturating_mul(EXPANSION_MAX);
    let mut text = Vec::new();
    loop {
        let end = text.len();
        if end as u64 > bytes_max {
            let why = format!("expands to more than {EXPANSION_MAX} times its stored size");
            return Err(Fault::whole(why));
        }
        text.resize(end + BLOCK_BYTES, 0);
        let read = input.read(&mut text[end..])?;
        text.truncate(end + read);
        if read == 0 {
            return Ok(text);
        }
    }
}
