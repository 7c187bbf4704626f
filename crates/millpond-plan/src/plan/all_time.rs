//! The time that a saving is a share of.

use crate::trace::{Format, Summary};

/// All of the time in which the recorded calls were made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AllTime {
    /// In milliseconds.
    pub ms: f64,
    /// Whose time that is.
    pub of: TimeOf,
}

/// Whose time it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeOf {
    /// Of the recording, whose ticks are those of the program.
    Recording,
    /// Of the recording, which took longer than the program does without its recorder.
    SlowedRecording,
    /// Of the program alone, as its user says.
    Program,
}

impl AllTime {
    /// The program's own time if it is known, or else that of the recording.
    #[must_use]
    pub fn of(summary: &Summary, recorded_ms: Option<f64>, run_ms: Option<f64>) -> Option<Self> {
        let of_recording = match summary.format {
            Format::Lifetimes => TimeOf::Recording,
            Format::Heap(_) => TimeOf::SlowedRecording,
        };
        let of_program = run_ms.map(|ms| Self { ms, of: TimeOf::Program });
        of_program.or(recorded_ms.map(|ms| Self { ms, of: of_recording }))
    }
}

impl TimeOf {
    /// Its name in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Recording | Self::SlowedRecording => "recording",
            Self::Program => "program",
        }
    }
}
