//! A trace as a benchmark: the time of its births and deaths in each pool type and reuse order, and in boxes of the
//! system's allocator.

mod contender;
mod entrant;
mod json;
mod latency;
mod object;
mod run;
mod script;
#[cfg(test)]
mod tests;
mod text;
mod times;
mod verdict;

pub(crate) use json::json;
use script::Walks;
pub(crate) use script::{Limits, Script};
pub(crate) use text::text;

use entrant::{Entrant, Kind};
use latency::{Latency, Timer};
use millpond_plan::plan::{AllTime, TimeOf};
use millpond_plan::progress::Progress;
use millpond_terminal::progress::Bar;
use times::Times;
use verdict::Verdict;

/// A trace with few events is replayed repeatedly, so that a lap has at least this many; fewer in builds whose times
/// mean nothing.
const LAP_EVENTS_MIN: usize = if cfg!(debug_assertions) { 10_000 } else { 200_000 };

/// The result for one trace.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// The trace's name as the user typed it.
    pub(crate) name: String,
    pub(crate) script: Summary,
    /// The number of rounds.
    pub(crate) rounds: usize,
    /// The number of replays of the trace in each lap.
    pub(crate) passes: usize,
    pub(crate) timer: Timer,
    pub(crate) results: Vec<Measured>,
    pub(crate) verdict: Option<Verdict>,
}

/// What was replayed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Summary {
    /// Births and deaths in the trace, and the births alone.
    pub(crate) events_in_trace: u64,
    pub(crate) births_in_trace: u64,
    /// The recorded time in milliseconds, if the trace has a clock.
    pub(crate) recorded_ms: Option<f64>,
    /// How many of them were read.
    pub(crate) events_taken: u64,
    /// Births and deaths that were replayed; the remaining objects die at the end.
    pub(crate) events: usize,
    /// How often all objects were visited, and the number of visits.
    pub(crate) walks: Walks,
    pub(crate) lifetimes: usize,
    pub(crate) classes: usize,
    pub(crate) slots: usize,
    /// The smallest and the largest object, as replayed.
    pub(crate) bytes_min: usize,
    pub(crate) bytes_max: usize,
    /// The number of classes whose objects are larger than can be replayed.
    pub(crate) cut: usize,
    /// The size of all slots together.
    pub(crate) pool_bytes: u64,
    /// Whether the trace says which object dies; otherwise the newest of its size and call stack did.
    pub(crate) says_who_died: bool,
}

/// The whole recording, for which a verdict says what a pool saves.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Recording {
    /// Calls to the allocator for an object.
    pub(crate) calls: u64,
    /// What the times are of: births and deaths, or ticks with a walk.
    pub(crate) timed: u64,
    pub(crate) has_walks: bool,
    /// Its time, if it has a clock.
    pub(crate) time: Option<AllTime>,
}

impl Summary {
    pub(crate) fn recording(&self) -> Recording {
        let walks = self.walks.count as u64;
        // Of a part of the trace only the ticks of this part are known.
        let ticks = u128::from(walks) * u128::from(self.events_in_trace)
            / u128::from(self.events_taken.max(1));
        Recording {
            calls: self.births_in_trace,
            timed: if walks > 0 { ticks as u64 } else { self.events_in_trace },
            has_walks: walks > 0,
            time: self.recorded_ms.map(|ms| AllTime { ms, of: TimeOf::Recording }),
        }
    }
}

/// The figures of one pool type.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) name: &'static str,
    kind: Kind,
    /// The time of an event, or of a tick with its walk.
    pub(crate) times: Times,
    pub(crate) latency: Latency,
    /// Whether every removed object was the one that was inserted.
    pub(crate) right: bool,
}

impl Outcome {
    /// The contender that the others are compared with.
    pub(crate) fn boxes(&self) -> Option<&Measured> {
        self.results.iter().find(|measured| measured.kind == Kind::Box)
    }

    /// Its median relative to that of boxes: less than 1 is faster.
    pub(crate) fn ratio(&self, measured: &Measured) -> Option<f64> {
        Some(measured.times.median / self.boxes()?.times.median)
    }

    /// The first that returned a wrong object.
    pub(crate) fn wrong(&self) -> Option<&Measured> {
        self.results.iter().find(|measured| !measured.right)
    }
}

/// Replays a trace on every contender, in rounds of one lap each, so that a disturbance of the machine affects all of
/// them.
pub(crate) fn replay(name: &str, script: &Script, rounds: usize) -> Outcome {
    replay_through(entrant::all(script.walks().count > 0), name, script, rounds)
}

fn replay_through(entrants: Vec<Entrant>, name: &str, script: &Script, rounds: usize) -> Outcome {
    let visits = usize::try_from(script.walks().visits).unwrap_or(usize::MAX);
    let passes = LAP_EVENTS_MIN.div_ceil(script.events().saturating_add(visits).max(1));
    let per_lap = script.events() * passes;
    // With walks, times are those of whole ticks.
    let timed_per_lap = match script.walks().count {
        0 => per_lap,
        walks => walks * passes,
    };
    let laps = (entrants.len() * (rounds + 1)) as u64;
    let mut progress = Bar::on_stderr("replaying", laps);
    let mut done = 0;
    let mut lap_done = |progress: &mut Bar| {
        done += 1;
        progress.update(done, done * per_lap as u64);
    };

    let mut laps: Vec<Vec<Vec<u64>>> = vec![Vec::with_capacity(rounds); entrants.len()];
    let mut right = vec![true; entrants.len()];
    for round in 0..rounds {
        for turn in 0..entrants.len() {
            // No contender always follows the same one.
            let at = (turn + round) % entrants.len();
            let lap = (entrants[at].lap)(script, passes, entrants[at].way);
            laps[at].push(lap.stretches);
            right[at] &= lap.sum == script.sum().wrapping_mul(passes as u64);
            lap_done(&mut progress);
        }
    }
    let timer = Timer::measured();
    let mut nanoseconds = vec![0; script.events()];
    let mut results = Vec::new();
    for ((Entrant { name, kind, way, timed, .. }, laps), right) in
        entrants.into_iter().zip(laps).zip(right)
    {
        nanoseconds.fill(u32::MAX);
        let mut worst_seen = 0;
        for _ in 0..rounds {
            worst_seen = timed(script, &mut nanoseconds, way).max(worst_seen);
        }
        let latency = Latency::new(&mut nanoseconds, worst_seen, timer);
        results.push(Measured {
            name,
            kind,
            times: Times::per_event(&laps, timed_per_lap),
            latency,
            right,
        });
        lap_done(&mut progress);
    }
    drop(progress);
    let summary = script.summary();
    let verdict = Verdict::of(&results, &summary.recording());
    Outcome { name: name.to_owned(), script: summary, rounds, passes, timer, results, verdict }
}
