//! Files that other programs read: whole or not at all, and untouched where nothing changes.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Writes a file, unless it has this content already: a file that is written is newer, and Ninja works again. Where a link
/// is, the link stays.
///
/// # Errors
///
/// If the place is no file's, or if it cannot be written: what was there is still there, and nothing is left beside it.
pub(crate) fn save(path: &Path, content: &[u8]) -> io::Result<()> {
    let place = place(path)?;
    if read(&place).is_some_and(|old| old == content) {
        return Ok(());
    }
    let mut name = place.file_name().map_or_else(OsString::new, OsString::from);
    name.push(format!(".{}.unfinished", std::process::id()));
    let unfinished = place.with_file_name(name);
    let written =
        OpenOptions::new().write(true).create_new(true).open(&unfinished).and_then(|mut file| {
            file.write_all(content)?;
            fs::rename(&unfinished, &place)
        });
    if written.as_ref().is_err_and(|error| error.kind() != ErrorKind::AlreadyExists) {
        // If that fails too, the first error is told.
        let _ = fs::remove_file(&unfinished);
    }
    written
}

/// What the file has, if there is one that can be read. A FIFO is not opened: it would wait for its other end.
pub(crate) fn read(path: &Path) -> Option<Vec<u8>> {
    fs::metadata(path).ok().filter(fs::Metadata::is_file).and_then(|_| fs::read(path).ok())
}

/// The file at the end of the path's links, or where one can be.
fn place(path: &Path) -> io::Result<PathBuf> {
    match fs::metadata(path) {
        Ok(found) if found.is_file() => fs::canonicalize(path),
        Ok(found) if found.is_dir() => Err(ErrorKind::IsADirectory.into()),
        Ok(_) => Err(io::Error::new(ErrorKind::InvalidInput, "not a regular file")),
        Err(error) if error.kind() == ErrorKind::NotFound && !path.is_symlink() => Ok(path.into()),
        Err(error) => Err(error),
    }
}
