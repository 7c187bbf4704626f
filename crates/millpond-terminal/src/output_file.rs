//! Files that commands write: whole or not at all, and only where a regular file is or can be.

use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use millpond_plan::error::{Failure, reason, shown_path};

use crate::interrupt;

/// The directory of a file. That of a plain name is the current one.
#[must_use]
pub fn directory_of(path: &Path) -> &Path {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    parent.unwrap_or(Path::new("."))
}

/// A failure to write a file.
#[must_use]
pub fn failed(path: &Path, why: &str) -> Failure {
    Failure::Output(format!("{}: {why}", shown_path(path)))
}

/// The regular file at a path, at the end of its links; `None` if there is nothing yet, in a directory that exists.
///
/// Nothing is opened: to open a FIFO waits for its other end, and to open a device may do anything.
///
/// # Errors
/// If there is something else, such as a directory, a FIFO, a device or a link to nothing, or if there is no such
/// directory.
pub fn existing(path: &Path) -> Result<Option<PathBuf>, Failure> {
    let told = |error: io::Error| failed(path, &reason(&error));
    let found = match fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return match directory_of(path).is_dir() {
                true => Ok(None),
                false => Err(failed(path, "its directory does not exist")),
            };
        }
        Err(error) => return Err(told(error)),
    };
    let (place, kind) = if found.is_symlink() {
        let place = fs::canonicalize(path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => failed(path, "is a link to nothing"),
            _ => told(error),
        })?;
        let kind = fs::metadata(&place).map_err(told)?.file_type();
        (place, kind)
    } else {
        (path.to_owned(), found.file_type())
    };
    if kind.is_dir() {
        return Err(failed(path, "is a directory"));
    }
    if !kind.is_file() {
        return Err(failed(path, "is not a regular file"));
    }
    Ok(Some(place))
}

/// Writes a file beside its place and then moves it there, so that it is there whole or not at all. Where a link to a
/// file is, the link stays, and its file is replaced.
///
/// # Errors
/// If something else than a file is there ([`existing`]), or if it cannot be written.
pub fn write(
    path: &Path,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    let place = existing(path)?.unwrap_or_else(|| path.to_owned());
    let name = place.file_name().ok_or_else(|| failed(path, "is not a file name"))?;
    let mut unfinished = name.to_owned();
    unfinished.push(format!(".{}.unfinished", std::process::id()));
    let unfinished = place.with_file_name(unfinished);
    interrupt::whole(|| {
        let written =
            OpenOptions::new().write(true).create_new(true).open(&unfinished).and_then(|file| {
                let mut file = BufWriter::new(file);
                content(&mut file)?;
                file.flush()?;
                drop(file);
                fs::rename(&unfinished, &place)
            });
        if let Err(error) = &written
            && error.kind() != ErrorKind::AlreadyExists
        {
            // Removes the unfinished file; if that fails too, the first error is reported.
            let _ = fs::remove_file(&unfinished);
        }
        written
    })
    .map_err(|error| failed(path, &reason(&error)))
}
