//! When objects are born and die: at random in waves, or as in a trace.

use std::path::Path;

use millpond_plan::error::{Failure, Fault};
use millpond_plan::trace::{self, Event, Watch};

/// The shape of the load.
#[derive(Debug)]
pub(crate) enum Shape {
    /// The number of live objects rises and falls in waves, to more than the capacity.
    Synthetic,
    /// As in a trace, again and again.
    Trace {
        /// All births and deaths of all classes.
        events: Vec<TraceEvent>,
        /// The number of keys.
        keys: usize,
        /// The peak of live objects.
        peak: usize,
    },
}

/// A birth or death: the object's key, and in the lowest bit whether it is born.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TraceEvent(u32);

impl TraceEvent {
    pub(super) fn key(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub(super) fn is_birth(self) -> bool {
        self.0 & 1 != 0
    }
}

impl Shape {
    /// Reads a trace.
    pub(crate) fn of_trace(path: &Path) -> Result<Self, Failure> {
        let name = path.to_string_lossy();
        let read = || -> Result<Recorder, Fault> {
            let source = millpond_terminal::open(path)?;
            let mut progress = source.progress(&format!("reading {name}"));
            let mut recorder = Recorder::default();
            trace::read(trace::open(&source)?, &mut recorder, &mut *progress)?;
            Ok(recorder)
        };
        let Recorder { events, keys, peak, .. } = read().map_err(|fault| fault.of_input(&name))?;
        Ok(Self::Trace { events, keys, peak })
    }

    /// The number of slots that each pool needs for it, if it determines that.
    pub(super) fn capacity(&self) -> Option<usize> {
        match self {
            Self::Synthetic => None,
            Self::Trace { peak, .. } => Some((*peak).max(1)),
        }
    }

    pub(super) fn keys(&self) -> usize {
        match self {
            Self::Synthetic => 0,
            Self::Trace { keys, .. } => *keys,
        }
    }
}

/// Records births and deaths. A key has fewer than 31 bits, because no more than 2^24 objects are alive at once.
#[derive(Debug, Default)]
struct Recorder {
    events: Vec<TraceEvent>,
    keys: usize,
    live: usize,
    peak: usize,
}

const _: () = assert!(trace::LIVE_MAX < 1 << 31);

impl Watch for Recorder {
    fn birth(&mut self, event: Event) {
        self.events.push(TraceEvent(event.key << 1 | 1));
        self.keys = self.keys.max(event.key as usize + 1);
        self.live += 1;
        self.peak = self.peak.max(self.live);
    }

    fn death(&mut self, event: Event) {
        self.events.push(TraceEvent(event.key << 1));
        self.live -= 1;
    }

    fn left(&mut self, _class: u32, _key: u32, _last_tick: u32) {}
}
