//! What can go wrong. Each error is one line that names the place and what was expected.

use std::fmt;
use std::path::Path;

use crate::output::foreign::is_hidden;

/// Where in an input something is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The input as a whole.
    Whole,
    /// A line of the uncompressed text, counted from 1, and the offset of its first byte.
    Line {
        /// The line's number, from 1.
        line: u64,
        /// The offset of the line's first byte in the uncompressed text.
        byte: u64,
    },
    /// The approximate offset in the stored file, compressed or not.
    Byte(u64),
}

/// A fault of an input: where it is, and what was expected instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Where it is.
    pub place: Place,
    /// What was found and what was expected, in one line.
    pub message: String,
}

impl Fault {
    /// A fault of the input as a whole.
    pub fn whole(message: impl Into<String>) -> Self {
        Self { place: Place::Whole, message: message.into() }
    }

    /// A fault at an offset of the stored file.
    pub fn at_byte(byte: u64, message: impl Into<String>) -> Self {
        Self { place: Place::Byte(byte), message: message.into() }
    }

    /// Says which input the fault is in.
    #[must_use]
    pub fn of_input(self, name: &str) -> Failure {
        Failure::Input { name: name.to_owned(), fault: self }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Place::Whole => {}
            Place::Line { line, byte } => write!(f, "line {line} (byte {byte}): ")?,
            Place::Byte(byte) => write!(f, "byte {byte}: ")?,
        }
        f.write_str(&self.message)
    }
}

/// Why a command did not end with exit code 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// An input cannot be used.
    Input {
        /// The input's name as the user typed it.
        name: String,
        /// What is wrong with it.
        fault: Fault,
    },
    /// The arguments cannot be used.
    Arguments(String),
    /// A result cannot be written.
    Output(String),
    /// A check that the command made has failed.
    Check(String),
    /// The command has done what it could: an input is cut short.
    Cut {
        /// The input's name as the user typed it.
        name: String,
        /// Where it ends.
        fault: Fault,
    },
    /// The command has done what it could: what it has recorded ended too early.
    Unfinished(String),
    /// The reader of the output has stopped reading; this is no error.
    ClosedPipe,
}

impl Failure {
    /// The exit code that goes with this failure.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::ClosedPipe => 0,
            Self::Check(_) => 1,
            Self::Input { .. } | Self::Arguments(_) | Self::Output(_) => 2,
            Self::Cut { .. } | Self::Unfinished(_) => 3,
        }
    }

    /// Classifies an error of writing to standard output: a closed pipe is no failure.
    #[must_use]
    pub fn from_stdout(error: &std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            Self::ClosedPipe
        } else {
            Self::Output(format!("standard output: {}", reason(error)))
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input { name, fault } => write!(f, "{}: {fault}", shown(name.as_bytes())),
            Self::Arguments(message)
            | Self::Output(message)
            | Self::Check(message)
            | Self::Unfinished(message) => f.write_str(message),
            Self::Cut { name, fault } => {
                let name = shown(name.as_bytes());
                write!(f, "{name}: {fault}; planned what is there (--whole refuses it)")
            }
            Self::ClosedPipe => f.write_str("the output was closed"),
        }
    }
}

/// The maximum number of characters of foreign text in a message.
const SHOWN_CHARS_MAX: usize = 120;

/// Foreign text made safe for a message: one line, nothing [hidden](is_hidden), cut if long.
#[must_use]
pub fn shown(text: &[u8]) -> String {
    // Bytes beyond what can be shown are not worth decoding: a character has at most four.
    let head = &text[..text.len().min(SHOWN_CHARS_MAX * 4)];
    let decoded = String::from_utf8_lossy(head);
    let mut out = String::new();
    let mut cut = head.len() < text.len();
    for (count, c) in decoded.chars().enumerate() {
        if count == SHOWN_CHARS_MAX {
            cut = true;
            break;
        }
        push_shown(&mut out, c);
    }
    if cut {
        out.push('…');
    }
    out
}

/// The beginning of a line, made safe for a message.
pub fn shown_start(line: &[u8]) -> String {
    const BYTES_MAX: usize = 60;
    shown(&line[..line.len().min(BYTES_MAX)])
}

/// What a message says of a line that is not the expected one.
pub fn found(line: &[u8]) -> String {
    format!("found `{}`", shown_start(line))
}

/// A path that can be copied from a message: one line, nothing [hidden](is_hidden), not cut.
#[must_use]
pub fn shown_path(path: &Path) -> String {
    let mut out = String::new();
    path.to_string_lossy().chars().for_each(|c| push_shown(&mut out, c));
    out
}

fn push_shown(out: &mut String, c: char) {
    if is_hidden(c) {
        out.extend(c.escape_default());
    } else {
        out.push(c);
    }
}

/// An I/O error in plain words, without the operating system's error number.
#[must_use]
pub fn reason(error: &std::io::Error) -> String {
    use std::io::ErrorKind;
    match error.kind() {
        ErrorKind::NotFound => "no such file".to_owned(),
        ErrorKind::PermissionDenied => "permission denied".to_owned(),
        ErrorKind::UnexpectedEof => "ends too early".to_owned(),
        _ => {
            let text = error.to_string();
            shown(text.split(" (os error").next().unwrap_or(&text).as_bytes())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_is_made_harmless() {
        assert_eq!(shown(b"a\nb\x1b[31m\xff"), "a\\nb\\u{1b}[31m\u{fffd}");
        assert_eq!(shown("a\u{202e}b".as_bytes()), "a\\u{202e}b");
        let long = shown("é".repeat(1000).as_bytes());
        assert_eq!(long.chars().count(), SHOWN_CHARS_MAX + 1);
        assert!(long.ends_with('…'));
    }

    #[test]
    fn reasons_are_plain_words() {
        let error = std::io::Error::from_raw_os_error(28);
        assert!(!reason(&error).contains("os error"), "{}", reason(&error));
        assert_eq!(reason(&std::io::ErrorKind::PermissionDenied.into()), "permission denied");
    }
}
