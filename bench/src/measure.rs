//! Runs one work on all contenders, in turns, and sums up the laps.
//!
//! A loop of our own, not criterion or divan: they finish one contender before they start the next, so
//! that a machine that slows down for a minute (heat, neighbours, frequency steps) is charged to whoever
//! was running. Here every round gives each contender one lap, a different one first each time, and a
//! disturbance hits all of them alike; medians over the rounds then leave it out. In its turn a contender
//! runs two laps, and only the second counts: the first brings back into the caches what the others have
//! pushed out, as it would be in a program that uses one pool.
//!
//! A lap is timed in chunks of some ten microseconds. Each chunk is judged over the rounds by itself, and the figure is the
//! sum of the chunks' medians, so that what disturbs the machine for a moment counts for a chunk and not for a lap. One
//! process has its addresses by chance, and they decide up to a sixth of a loop's time: several processes take turns
//! ([`crate::processes`]).

use std::collections::HashSet;
use std::time::{Duration, Instant};

use crate::cell::{Cell, quantile};
use crate::contender::Kind;

/// What one lap took.
#[derive(Clone, Debug)]
pub(crate) struct Timed {
    /// What each chunk took: as many in every lap, and each does the same in every lap.
    chunks: Vec<Duration>,
    /// What their sum is divided by; the same for all contenders.
    operations: usize,
}

/// The operations of a chunk, at least.
const CHUNK: usize = 10_000;

impl Timed {
    /// In one chunk.
    pub(crate) fn whole(elapsed: Duration, operations: usize) -> Self {
        Self { chunks: vec![elapsed], operations }
    }

    /// Does so many steps of so many operations each, in chunks. `work` does as many steps as it is told.
    pub(crate) fn of_steps(steps: usize, each: usize, mut work: impl FnMut(usize)) -> Self {
        let chunk = CHUNK.div_ceil(each.max(1));
        let mut clock = Clock::start(steps.div_ceil(chunk));
        let mut left = steps;
        while left > 0 {
            let now = left.min(chunk);
            work(now);
            clock.end_chunk();
            left -= now;
        }
        clock.stop(steps * each)
    }
}

/// Times the chunks of a lap.
pub(crate) struct Clock {
    chunks: Vec<Duration>,
    since: Instant,
}

impl Clock {
    /// With room for so many chunks, so that nothing is allocated while it runs.
    pub(crate) fn start(chunks: usize) -> Self {
        Self { chunks: Vec::with_capacity(chunks), since: Instant::now() }
    }

    pub(crate) fn end_chunk(&mut self) {
        let now = Instant::now();
        self.chunks.push(now - self.since);
        self.since = now;
    }

    pub(crate) fn stop(self, operations: usize) -> Timed {
        Timed { chunks: self.chunks, operations }
    }
}

/// One contender at one work, ready to run.
pub(crate) trait Lap {
    /// Does the work once more and times it. Each lap of a contender continues from the last.
    fn lap(&mut self) -> Timed;

    /// Follows from everything that the laps did: the same for all contenders after the same number of
    /// laps, or one of them did not do the work. `None` for a limit that does less on purpose.
    fn checksum(&mut self) -> Option<u64>;
}

/// A contender that may take part.
pub(crate) struct Candidate {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    /// Makes it ready to run, or says that it lacks what the work needs.
    pub(crate) prepare: Box<dyn Fn() -> Option<Box<dyn Lap>>>,
}

/// One work on objects of one size in stores of one size.
pub(crate) struct Task {
    pub(crate) work: String,
    pub(crate) object_bytes: usize,
    pub(crate) slots: usize,
    pub(crate) candidates: Vec<Candidate>,
}

/// Stores of all contenders together take at most so much; above it they are made anew for each round,
/// one at a time.
const KEPT_BYTES_MAX: usize = 7 << 29;

/// What each contender needs, per slot, beside the object: handle, generation, links, the key.
const BYTES_BESIDE_OBJECT: usize = 32;

/// Runs `task`. An error names contenders whose results differ.
pub(crate) fn run(task: &Task, rounds: usize) -> Result<Vec<Cell>, String> {
    let each = task.slots * (task.object_bytes + BYTES_BESIDE_OBJECT);
    let samples = if each * names(task) <= KEPT_BYTES_MAX {
        run_kept(task, rounds)?
    } else {
        run_anew(task, rounds)?
    };
    let cells = task.candidates.iter().zip(samples);
    Ok(cells
        .filter(|(_, laps)| !laps.is_empty())
        .map(|(one, laps)| cell(task, one, &laps))
        .collect())
}

/// How many contenders there are. Of several of one name at most one is ever made ready.
fn names(task: &Task) -> usize {
    task.candidates.iter().map(|candidate| candidate.name).collect::<HashSet<_>>().len()
}

/// All contenders ready at once, then the rounds.
fn run_kept(task: &Task, rounds: usize) -> Result<Vec<Vec<Timed>>, String> {
    let mut ready: Vec<_> = task.candidates.iter().map(|one| (one.prepare)()).collect();
    let mut samples = vec![Vec::new(); ready.len()];
    for round in 0..rounds {
        for turn in 0..ready.len() {
            let index = (turn + round) % ready.len();
            if let Some(lap) = &mut ready[index] {
                lap.lap();
                samples[index].push(lap.lap());
            }
        }
    }
    let sums = ready.iter_mut().map(|lap| lap.as_mut().and_then(|lap| lap.checksum()));
    check(task, &sums.collect::<Vec<_>>())?;
    Ok(samples)
}

/// One contender at a time: made, warmed up, timed and dropped in each round.
fn run_anew(task: &Task, rounds: usize) -> Result<Vec<Vec<Timed>>, String> {
    let count = task.candidates.len();
    let mut samples = vec![Vec::new(); count];
    for round in 0..rounds {
        let mut sums = vec![None; count];
        for turn in 0..count {
            let index = (turn + round) % count;
            let Some(mut lap) = (task.candidates[index].prepare)() else { continue };
            lap.lap();
            samples[index].push(lap.lap());
            sums[index] = lap.checksum();
        }
        check(task, &sums)?;
    }
    Ok(samples)
}

/// The sum of the medians of the chunks, in nanoseconds per operation.
fn nanoseconds(laps: &[Timed]) -> f64 {
    let Timed { chunks, operations } = &laps[0];
    let medians = (0..chunks.len()).map(|at| {
        let mut times: Vec<f64> = laps.iter().map(|lap| lap.chunks[at].as_secs_f64()).collect();
        times.sort_by(f64::total_cmp);
        quantile(&times, 0.5)
    });
    medians.sum::<f64>() * 1e9 / *operations as f64
}

/// Compares the checksums of those that have one.
fn check(task: &Task, sums: &[Option<u64>]) -> Result<(), String> {
    let mut known =
        task.candidates.iter().zip(sums).filter_map(|(one, sum)| Some((one.name, (*sum)?)));
    let Some((first, expected)) = known.next() else { return Ok(()) };
    match known.find(|&(_, sum)| sum != expected) {
        None => Ok(()),
        Some((other, sum)) => Err(format!(
            "{}, {} bytes, {} slots: {other} ends with checksum {sum:x}, {first} with {expected:x}: \
             they did not do the same work",
            task.work, task.object_bytes, task.slots
        )),
    }
}

fn cell(task: &Task, candidate: &Candidate, laps: &[Timed]) -> Cell {
    let ns = nanoseconds(laps);
    Cell {
        work: task.work.clone(),
        object_bytes: task.object_bytes,
        slots: task.slots,
        contender: candidate.name.to_owned(),
        kind: candidate.kind,
        median: ns,
        spread_percent: None,
        rounds: laps.len(),
        processes: vec![ns],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_chunk_is_judged_over_the_rounds_by_itself() {
        // Each lap is disturbed, each in another chunk.
        let laps = [[90, 20, 30], [10, 90, 30], [10, 20, 90]].map(|chunks| Timed {
            chunks: chunks.map(Duration::from_nanos).to_vec(),
            operations: 6,
        });
        assert!((nanoseconds(&laps) - 10.0).abs() < 1e-9, "{}", nanoseconds(&laps));
    }

    #[test]
    fn a_lap_of_steps_does_each_of_them_once_and_in_chunks() {
        for (steps, each, chunks) in
            [(3 * CHUNK, 1, 3), (25, CHUNK / 10, 3), (2, 5 * CHUNK, 2), (1, 1, 1)]
        {
            let mut done = 0;
            let timed = Timed::of_steps(steps, each, |steps| done += steps);
            assert_eq!((done, timed.chunks.len(), timed.operations), (steps, chunks, steps * each));
        }
    }

    struct Answers(u64);

    impl Lap for Answers {
        fn lap(&mut self) -> Timed {
            Timed::whole(Duration::from_nanos(10), 5)
        }

        fn checksum(&mut self) -> Option<u64> {
            Some(self.0)
        }
    }

    fn candidate(name: &'static str, sum: u64) -> Candidate {
        Candidate {
            name,
            kind: Kind::Index,
            prepare: Box::new(move || Some(Box::new(Answers(sum)))),
        }
    }

    fn task(slots: usize, sums: [u64; 2]) -> Task {
        let candidates = vec![candidate("one", sums[0]), candidate("two", sums[1])];
        Task { work: "work".into(), object_bytes: 16, slots, candidates }
    }

    #[test]
    fn run_refuses_contenders_that_end_differently() {
        for slots in [1000, KEPT_BYTES_MAX] {
            assert_eq!(run(&task(slots, [1, 1]), 3).unwrap()[1].median, 2.0);
            let message = run(&task(slots, [1, 2]), 3).unwrap_err();
            assert!(message.contains("two ends with checksum 2, one with 1"), "{message}");
        }
    }
}
