//! The files that the tool writes: whole or not at all, and never in place of anything else.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use millpond_plan::error::{Failure, reason, shown_path};
use millpond_plan::output::budget_toml::is_untouched_budget;
use millpond_plan::report::{MARKER, is_report};
use millpond_plan::summary;
use millpond_terminal::interrupt;

/// The kinds of files that the tool writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A report for people.
    Report,
    /// A budget for the program.
    Budget,
    /// A summary of recordings.
    Summary,
    /// A picture of a heap.
    HeapPicture,
}

impl Kind {
    /// The number of bytes by which a file is recognised.
    fn bytes_to_look_at(self) -> u64 {
        match self {
            // One byte more than the marker: the end of its line belongs to it.
            Self::Report => MARKER.len() as u64 + 1,
            Self::Budget => BUDGET_BYTES_MAX,
            Self::Summary => summary::BYTES_TO_LOOK_AT as u64,
            Self::HeapPicture => HEAP_MARKER.len() as u64,
        }
    }

    /// Whether a file that begins with `start` may be replaced by another of this kind.
    fn may_replace(self, start: &[u8]) -> bool {
        match self {
            Self::Report => is_report(start),
            Self::Budget => is_untouched_budget(start),
            Self::Summary => summary::is_summary(start),
            Self::HeapPicture => start.starts_with(HEAP_MARKER.as_bytes()),
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
            Self::HeapPicture => {
                "exists and is not a picture of `replay --heap`; not overwriting it"
            }
        }
    }
}

/// The first line of every picture of a heap.
pub const HEAP_MARKER: &str = "<!-- a heap over time, drawn by millpond replay -->\n";

/// Larger than any budget: one of all classes that a trace may have, with the longest names.
const BUDGET_BYTES_MAX: u64 = 1 << 26;

/// The directory of a file. That of a plain name is the current one.
fn directory_of(path: &Path) -> &Path {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    parent.unwrap_or(Path::new("."))
}

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
    let mut start = Vec::new();
    let wanted = kind.bytes_to_look_at();
    let read = match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => return Err(failed(path, "is a directory")),
        Ok(_) => fs::File::open(path).and_then(|file| file.take(wanted).read_to_end(&mut start)),
        Err(e) if e.kind() == ErrorKind::NotFound => {
            return match directory_of(path).is_dir() {
                true => Ok(()),
                false => Err(failed(path, "its directory does not exist")),
            };
        }
        Err(e) => Err(e),
    };
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
    let name = path.file_name().ok_or_else(|| failed(path, "is not a file name"))?;
    let mut unfinished = name.to_owned();
    unfinished.push(format!(".{}.unfinished", std::process::id()));
    let unfinished = path.with_file_name(unfinished);
    interrupt::whole(|| {
        let written = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&unfinished)
            .and_then(|mut file| file.write_all(text.as_bytes()))
            .and_then(|()| fs::rename(&unfinished, path));
        if let Err(e) = &written
            && e.kind() != ErrorKind::AlreadyExists
        {
            // Removes the unfinished file; if that fails too, the first error is reported.
            let _ = fs::remove_file(&unfinished);
        }
        written
    })
    .map_err(|e| failed(path, &reason(&e)))?;
    Ok(std::path::absolute(path).unwrap_or_else(|_| path.to_owned()))
}

fn failed(path: &Path, why: &str) -> Failure {
    Failure::Output(format!("{}: {why}", shown_path(path)))
}
