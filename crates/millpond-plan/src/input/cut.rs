//! Where an input is cut short: a disk was full, a copy was interrupted, or it is still being written.

use std::cell::Cell;
use std::rc::Rc;

use crate::error::{Fault, Place};
use crate::output::figures::count;

/// What ended too early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CutIn {
    /// The last line has no end.
    Text,
    /// The gzip data has no end.
    Gzip,
    /// The zstd data has no end.
    Zstd,
}

impl CutIn {
    /// What a refused input is told.
    pub(super) fn refusal(self) -> &'static str {
        match self {
            Self::Text => "the last line is cut short, expected a line end after it",
            Self::Gzip => "the gzip data is cut short",
            Self::Zstd => "the zstd data is cut short",
        }
    }

    /// Its name in a sentence and in JSON.
    #[must_use]
    pub fn what(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Gzip => "gzip data",
            Self::Zstd => "zstd data",
        }
    }
}

/// Where an input that was read up to its end is cut short.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// What ended too early.
    pub what: CutIn,
    /// The first line that is missing or has no end, counted from 1.
    pub line: u64,
    /// Where that line begins in the uncompressed text.
    pub byte: u64,
}

impl Cut {
    /// Where it ends, and that the rest is missing.
    #[must_use]
    pub fn sentence(&self) -> String {
        format!(
            "The recording is cut short: its {} ends in line {} (byte {}), and the rest is missing. This plan is of what \
             is there.",
            self.what.what(),
            count(self.line),
            count(self.byte)
        )
    }

    /// The same as a fault, where there is nothing to plan.
    #[must_use]
    pub fn fault(&self) -> Fault {
        Fault {
            place: Place::Line { line: self.line, byte: self.byte },
            message: self.what.refusal().to_owned(),
        }
    }
}

/// Whether a cut is an end like any other, and whether there was one.
#[derive(Debug, Clone, Default)]
pub(super) struct Ending {
    pub(super) is_accepted: bool,
    pub(super) met: Rc<Cell<Option<CutIn>>>,
}

impl Ending {
    /// The end of compressed data that should go on: no more bytes, or an error.
    pub(super) fn meet(&self, what: CutIn) -> std::io::Result<()> {
        if !self.is_accepted {
            return Err(std::io::Error::other(what.refusal()));
        }
        self.met.set(Some(what));
        Ok(())
    }
}
