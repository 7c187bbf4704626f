//! The file that a report goes to: whole or not at all, and never in place of anything else.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use crate::error::{Failure, reason, shown};
use crate::report::{MARKER, is_report};

/// Checks that a report may be written here: there is nothing, or an earlier report.
///
/// # Errors
/// If there is something else, or nobody knows what.
pub(crate) fn may_replace(path: &Path) -> Result<(), Failure> {
    let mut start = Vec::new();
    // One byte more than the marker: the end of its line belongs to it.
    let wanted = MARKER.len() as u64 + 1;
    let read = match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => return Err(failed(path, "is a directory")),
        Ok(_) => fs::File::open(path).and_then(|file| file.take(wanted).read_to_end(&mut start)),
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(()),
        Err(e) => Err(e),
    };
    match read {
        Err(e) => Err(failed(path, &reason(&e))),
        Ok(_) if is_report(&start) => Ok(()),
        Ok(_) => Err(failed(
            path,
            "is there and is no report of millpond, expected nothing or an earlier report \
             (--report FILE, --no-report)",
        )),
    }
}

/// Writes a report; returns where it is.
///
/// # Errors
/// If it may not be written there, or cannot.
pub(crate) fn write(path: &Path, html: &str) -> Result<PathBuf, Failure> {
    may_replace(path)?;
    let name = path.file_name().ok_or_else(|| failed(path, "is no name for a file"))?;
    let mut unfinished = name.to_owned();
    unfinished.push(format!(".{}.unfinished", std::process::id()));
    let unfinished = path.with_file_name(unfinished);
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&unfinished)
        .and_then(|mut file| file.write_all(html.as_bytes()))
        .and_then(|()| fs::rename(&unfinished, path));
    if let Err(e) = written {
        if e.kind() != ErrorKind::AlreadyExists {
            // What was begun goes away; if even that fails, the first error says why.
            let _ = fs::remove_file(&unfinished);
        }
        return Err(failed(path, &reason(&e)));
    }
    Ok(std::path::absolute(path).unwrap_or_else(|_| path.to_owned()))
}

fn failed(path: &Path, why: &str) -> Failure {
    Failure::Output(format!("{}: {why}", shown(path.to_string_lossy().as_bytes())))
}
