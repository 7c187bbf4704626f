//! A file that another program is still writing, line by line.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::error::{Fault, Place, reason};
use crate::input::LINE_BYTES_MAX;

/// What is known of a program from the lines that it has written so far.
pub trait State {
    /// Before the first line.
    fn before() -> Self;

    /// Takes a line; the first of the file has the number 0.
    ///
    /// # Errors
    /// What is wrong with the line.
    fn line(&mut self, number: u64, line: &[u8]) -> Result<(), String>;
}

/// A file that another program is still writing, and the state after its lines so far.
#[derive(Debug)]
pub struct Following<S> {
    follow: Follow,
    /// The state.
    pub state: S,
}

impl<S: State> Following<S> {
    /// Opens a file, and reads its lines so far.
    ///
    /// # Errors
    /// If it is not a file that can be read, or if one of its lines is wrong.
    pub fn begin(path: &Path) -> Result<Self, Fault> {
        let mut following = Self { follow: Follow::open(path)?, state: S::before() };
        following.read_on()?;
        Ok(following)
    }

    /// Reads the new lines; whether there were any. If they contradict the earlier ones, another recording may have
    /// begun and be longer already; then the file is read again from its start.
    ///
    /// # Errors
    /// If the file cannot be read any more, or if one of its lines is wrong.
    pub fn read(&mut self) -> Result<bool, Fault> {
        self.read_on().or_else(|_| {
            self.follow.start_again()?;
            self.state = S::before();
            self.read_on()
        })
    }

    fn read_on(&mut self) -> Result<bool, Fault> {
        let mut has_news = false;
        loop {
            let state = &mut self.state;
            let news = self.follow.lines(|number, line| {
                has_news = true;
                state.line(number, line)
            })?;
            match news {
                News::UpToDate => return Ok(has_news),
                News::StartedAgain => self.state = S::before(),
            }
        }
    }

    /// The file's name as the user typed it.
    #[must_use]
    pub fn name(&self) -> String {
        self.follow.path.to_string_lossy().into_owned()
    }
}

/// Reads whole lines as they are written; an incomplete line is left for later.
#[derive(Debug)]
struct Follow {
    path: PathBuf,
    file: File,
    buffer: Vec<u8>,
    /// `buffer[..filled]` was read but not yet passed on: the beginning of a line.
    filled: usize,
    /// The offset of the next line in the file, and its number.
    byte: u64,
    line: u64,
}

/// The result of [`Follow::lines`].
#[derive(Debug, PartialEq, Eq)]
enum News {
    /// All lines were read.
    UpToDate,
    /// The file is shorter than before: another recording has begun, and the next call reads it from its start.
    StartedAgain,
}

impl Follow {
    fn open(path: &Path) -> Result<Self, Fault> {
        let whole = |e: std::io::Error| Fault::whole(reason(&e));
        // Checked before it is opened, because opening a pipe blocks.
        let kind = std::fs::metadata(path).map_err(whole)?.file_type();
        if !kind.is_file() {
            return Err(Fault::whole("is not a file, expected the live trace of a recorder"));
        }
        let file = File::open(path).map_err(whole)?;
        let buffer = vec![0; 2 * LINE_BYTES_MAX];
        Ok(Self { path: path.to_owned(), file, buffer, filled: 0, byte: 0, line: 0 })
    }

    /// Passes each new line to the function; its error is what is wrong with the line.
    fn lines(
        &mut self,
        mut see: impl FnMut(u64, &[u8]) -> Result<(), String>,
    ) -> Result<News, Fault> {
        let whole = |e: std::io::Error| Fault::whole(reason(&e));
        if self.file.metadata().map_err(whole)?.len() < self.byte + self.filled as u64 {
            self.start_again()?;
            return Ok(News::StartedAgain);
        }
        loop {
            let n = match self.file.read(&mut self.buffer[self.filled..]) {
                Ok(n) => n,
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(e) => return Err(whole(e)),
            };
            if n == 0 {
                return Ok(News::UpToDate);
            }
            self.filled += n;
            let mut begin = 0;
            for end in memchr::memchr_iter(b'\n', &self.buffer[..self.filled]) {
                let line = &self.buffer[begin..end];
                let line = line.strip_suffix(b"\r").unwrap_or(line);
                let place = Place::Line { line: self.line + 1, byte: self.byte };
                see(self.line, line).map_err(|message| Fault { place, message })?;
                self.byte += (end + 1 - begin) as u64;
                self.line += 1;
                begin = end + 1;
            }
            self.buffer.copy_within(begin..self.filled, 0);
            self.filled -= begin;
            if self.filled > LINE_BYTES_MAX {
                let message = format!(
                    "a line of more than {LINE_BYTES_MAX} bytes, expected the short lines of a live trace"
                );
                let place = Place::Line { line: self.line + 1, byte: self.byte };
                return Err(Fault { place, message });
            }
        }
    }

    /// Reads the file from its start again.
    fn start_again(&mut self) -> Result<(), Fault> {
        self.file.seek(SeekFrom::Start(0)).map_err(|e| Fault::whole(reason(&e)))?;
        (self.filled, self.byte, self.line) = (0, 0, 0);
        Ok(())
    }
}
