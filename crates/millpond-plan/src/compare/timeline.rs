//! When something happens in a recording, in the units that its reader has.

use crate::output::figures::{count, duration};
use crate::trace::{Format, Summary};

/// A moment of a recording.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moment {
    /// The tick: a millisecond in recordings of a heap.
    pub tick: u32,
    /// The frame of the program, if the recording has frames.
    pub frame: Option<u64>,
    /// The time since the beginning of the recording in seconds, if it has a clock.
    pub seconds: Option<f64>,
}

impl Moment {
    /// This tick of a recording.
    #[must_use]
    pub fn of(tick: u32, summary: &Summary) -> Self {
        let frame = summary.frames.as_ref().and_then(|frames| frames.at(tick));
        let since = f64::from(tick.saturating_sub(summary.first_tick));
        Self { tick, frame, seconds: summary.tick_rate().map(|rate| since / rate) }
    }

    /// The moment in words: `frame 812 (14 s)`, `tick 300 (8.6 s)`, `1.2 s`.
    #[must_use]
    pub fn words(&self, format: Format) -> String {
        let time = self.seconds.map(duration);
        match (self.frame, format, time) {
            (Some(frame), _, Some(time)) => format!("frame {} ({time})", count(frame)),
            (None, Format::Heap(_), Some(time)) => time,
            (None, _, Some(time)) => format!("tick {} ({time})", count(self.tick.into())),
            (Some(frame), _, None) => format!("frame {}", count(frame)),
            (None, _, None) => format!("tick {}", count(self.tick.into())),
        }
    }
}
