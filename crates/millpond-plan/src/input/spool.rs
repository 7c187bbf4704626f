//! A temporary copy of an input that cannot be read twice.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::path::PathBuf;

use crate::error::{Fault, reason};

/// The maximum number of bytes copied: an endless pipe must not fill the disk.
const SPOOL_BYTES_MAX: u64 = 16 << 30;

/// The number of names tried before giving up.
const NAMES_MAX: u32 = 100;

/// A file in the directory for temporary files, removed when this is dropped. Where an open file can lose its name, it
/// does so at once, so that nothing stays behind if the process is interrupted.
#[derive(Debug)]
pub struct Spool {
    file: Option<File>,
    /// Where it is, if it still has a name.
    path: Option<PathBuf>,
    bytes: u64,
}

impl Spool {
    /// Creates an empty file.
    ///
    /// # Errors
    /// If there is no room, or no directory for temporary files.
    pub fn create() -> Result<Self, Fault> {
        Self::create_named().map_err(|e| failed(&e))
    }

    /// Copies all that the pipe gives, up to a limit.
    pub(super) fn fill(&mut self, pipe: impl Read) -> Result<(), Fault> {
        let mut file = self.file();
        let copied = std::io::copy(&mut pipe.take(SPOOL_BYTES_MAX + 1), &mut file);
        self.bytes = copied.map_err(|e| failed(&e))?;
        if self.bytes > SPOOL_BYTES_MAX {
            return Err(Fault::whole(format!(
                "is longer than {} GiB; save it to a file first",
                SPOOL_BYTES_MAX >> 30
            )));
        }
        Ok(())
    }

    fn create_named() -> std::io::Result<Self> {
        let directory = std::env::temp_dir();
        let process = std::process::id();
        for number in 0..NAMES_MAX {
            let path = directory.join(format!("millpond-{process}-{number}.spool"));
            match Self::create_at(path) {
                Ok(spool) => return Ok(spool),
                Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
                Err(e) => return Err(e),
            }
        }
        Err(ErrorKind::AlreadyExists.into())
    }

    /// An interruption between the two calls would leave the file behind.
    fn create_at(path: PathBuf) -> std::io::Result<Self> {
        let file = open_new(&path)?;
        let has_name = cfg!(not(unix)) || std::fs::remove_file(&path).is_err();
        Ok(Self { file: Some(file), path: has_name.then_some(path), bytes: 0 })
    }

    /// Takes bytes from a program that writes its recording here, up to the same limit.
    fn append(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.bytes + bytes.len() as u64 > SPOOL_BYTES_MAX {
            return Err(ErrorKind::FileTooLarge.into());
        }
        let written = self.file().write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    /// The copy.
    pub(super) fn file(&self) -> &File {
        self.file.as_ref().expect("the file is there until the drop")
    }

    /// The number of bytes copied.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Write for Spool {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.append(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file().flush()
    }
}

fn failed(e: &std::io::Error) -> Fault {
    Fault::whole(format!("cannot be copied to a temporary file: {}", reason(e)))
}

/// Creates a new file that only its owner can read.
fn open_new(path: &std::path::Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

impl Drop for Spool {
    fn drop(&mut self) {
        // Closed first: some systems do not remove an open file.
        self.file = None;
        if let Some(path) = &self.path {
            // A file that cannot be removed stays in the directory for temporary files; there is no way to report it.
            let _ = std::fs::remove_file(path);
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::io::Seek;

    #[test]
    fn a_copy_has_no_name_that_could_stay_behind() {
        let mut spool = Spool::create().expect("there is room");
        spool.fill(&b"a trace"[..]).expect("there is room");
        assert_eq!((spool.path.as_ref(), spool.bytes()), (None, 7));
        let mut text = String::new();
        let mut file = spool.file();
        file.rewind().expect("a file");
        file.read_to_string(&mut text).expect("text");
        assert_eq!(text, "a trace");
    }
}
