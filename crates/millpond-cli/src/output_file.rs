//! The files that the tool writes: whole or not at all, and never in place of anything else.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use millpond_plan::error::{Failure, reason};
use millpond_plan::merge::{PARTIAL_BYTES_TO_LOOK_AT, is_partial};
use millpond_plan::output::budget_toml::is_untouched_budget;
use millpond_plan::report::{MARKER, is_report};
use millpond_plan::summary;
use millpond_terminal::output_file::{self, directory_of, existing, failed};

/// The kinds of files that the tool writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A report for people.
    Report,
    /// A budget for the program.
    Budget,
    /// A summary of recordings.
    Summary,
    /// What a merge of some sessions leaves for a merge of all.
    Partial,
    /// A picture of a heap.
    HeapPicture,
    /// A recording of a running program.
    Recording,
}

impl Kind {
    /// The number of bytes by which a file is recognised.
    fn bytes_to_look_at(self) -> u64 {
        match self {
            // One byte more than the marker: the end of its line belongs to it.
            Self::Report => MARKER.len() as u64 + 1,
            Self::Budget => BUDGET_BYTES_MAX,
            Self::Summary => summary::BYTES_TO_LOOK_AT as u64,
            Self::Partial => PARTIAL_BYTES_TO_LOOK_AT as u64,
            Self::HeapPicture => HEAP_MARKER.len() as u64,
            Self::Recording => RECORDING_START.len() as u64,
        }
    }

    /// Whether a file that begins with `start` may be replaced by another of this kind.
    fn may_replace(self, start: &[u8]) -> bool {
        match self {
            Self::Report => is_report(start),
            Self::Budget => is_untouched_budget(start),
            Self::Summary => summary::is_summary(start),
            Self::Partial => is_partial(start),
            Self::HeapPicture => start.starts_with(HEAP_MARKER.as_bytes()),
            Self::Recording => start.starts_with(RECORDING_START),
        }
    }

    /// Why a file of another kind is not replaced.
    fn refusal(self) -> &'static str {
        match self {
            Self::Report => {
                "exists and is not a millpond report; not overwriting it (see --report, --no-report)"
            }
            Self::Budget => "exists and is not an unedited millpond budget; not overwriting it",
            Self::Summary => "exists and is not a millpond summary; not overwriting it",
            Self::Partial => "exists and was not written by `merge --partial`; not overwriting it",
            Self::HeapPicture => {
                "exists and is not a picture of `replay --heap`; not overwriting it"
            }
            Self::Recording => {
                "exists and was not written by `millpond record`; not overwriting it"
            }
        }
    }
}

/// The first line of every picture of a heap.
pub const HEAP_MARKER: &str = "<!-- a heap over time, drawn by millpond replay -->\n";

/// What a recording says of itself in the header of its compression.
pub const RECORDING_COMMENT: &str = "millpond recording";

/// How a recording begins: as gzip with a comment and without a time.
const RECORDING_START: &[u8] = b"\x1f\x8b\x08\x10\0\0\0\0\x04\xffmillpond recording\0";

/// Larger than any budget: one of all classes that a trace may have, with the longest names.
pub(crate) const BUDGET_BYTES_MAX: u64 = 1 << 26;

/// Whether two paths are those of one file, which need not exist yet.
pub fn is_same(a: &Path, b: &Path) -> bool {
    let place = |path: &Path| {
        let directory = fs::canonicalize(directory_of(path)).ok()?;
        Some((directory, path.file_name()?.to_owned()))
    };
    a == b || place(a).is_some_and(|a| Some(a) == place(b))
}

/// Checks that a file of this kind may be written here: there is nothing in an existing directory, or an earlier file.
///
/// # Errors
/// If there is something else, if it cannot be read, or if there is no such directory.
pub fn may_replace(path: &Path, kind: Kind) -> Result<(), Failure> {
    let Some(place) = existing(path)? else { return Ok(()) };
    let mut start = Vec::new();
    let wanted = kind.bytes_to_look_at();
    let read = fs::File::open(place).and_then(|file| file.take(wanted).read_to_end(&mut start));
    match read {
        Err(e) => Err(failed(path, &reason(&e))),
        Ok(_) if kind.may_replace(&start) => Ok(()),
        Ok(_) => Err(failed(path, kind.refusal())),
    }
}

/// Writes a file; returns where it is.
///
/// # Errors
/// If it may not be written there, or cannot.
pub fn write(path: &Path, kind: Kind, text: &str) -> Result<PathBuf, Failure> {
    may_replace(path, kind)?;
    output_file::write(path, |file| file.write_all(text.as_bytes()))?;
    Ok(std::path::absolute(path).unwrap_or_else(|_| path.to_owned()))
}
