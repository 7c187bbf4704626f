//! Replays a script and measures the time.

use std::hint::black_box;

use crate::clock;
use crate::memory::{
    Arena, Bare, ByKind, BySize, Memory, Nowhere, Size, System, WithHandles, settle_heap,
};
use crate::script::{Script, Step};

/// What the program does between two calls to the allocator.
#[derive(Debug)]
pub enum Between {
    /// Nothing: all that the allocator and the pool need stays in the caches, and one call overlaps with the
    /// next.
    Nothing,
    /// Work of its own.
    OtherWork(OtherWork),
}

/// Work that leaves less to the allocator and the pool. It reads the next lines of its own memory each time,
/// which pushes what is not needed often out of the first-level cache; and it takes unpredictable branches, so that
/// calls do not overlap.
#[derive(Debug)]
pub struct OtherWork {
    words: Vec<u64>,
    stride: usize,
    /// The state of a linear congruential generator.
    random: u64,
}

/// The memory of the other work: larger than a first-level cache, smaller than a second-level one.
const OTHER_BYTES: usize = 256 << 10;

/// The number of bytes read between two calls.
const STRIDE_BYTES: usize = 2 << 10;

/// A line of a cache.
const LINE_BYTES: usize = 64;

/// How many events are timed together, of which the fastest round counts: long against the clock, and short against what the
/// machine does meanwhile, so that each is left alone in some round.
const TIMED_TOGETHER: usize = 1 << 10;

/// The number of unpredictable branches.
const BRANCHES: u32 = 2;

impl OtherWork {
    fn new() -> Self {
        Self { words: vec![1; OTHER_BYTES / size_of::<u64>()], stride: 0, random: 1 }
    }

    #[inline(always)]
    fn work(&mut self) {
        let words = STRIDE_BYTES / size_of::<u64>();
        let begin = self.stride * words;
        self.stride = (self.stride + 1) % (OTHER_BYTES / STRIDE_BYTES);
        let lines = self.words[begin..begin + words].iter().step_by(LINE_BYTES / size_of::<u64>());
        let sum = lines.fold(0_u64, |sum, word| sum.wrapping_add(*word));
        for _ in 0..BRANCHES {
            self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(sum | 1);
            if self.random >> 63 == 0 {
                one_way(self.random);
            } else {
                other_way(self.random);
            }
        }
    }
}

/// Called, so that the branch to it stays a branch.
#[inline(never)]
fn one_way(number: u64) {
    black_box(number);
}

#[inline(never)]
fn other_way(number: u64) {
    black_box(!number);
}

impl Between {
    /// Work of its own.
    #[must_use]
    pub fn other_work() -> Self {
        Self::OtherWork(OtherWork::new())
    }
}

/// Where the objects of the pooled kinds are.
#[derive(Debug, Clone, Copy)]
pub enum Kept<'p> {
    /// Nowhere: what the replay itself takes.
    Nowhere,
    /// In blocks of the system's allocator.
    System,
    /// In an arena of about so many bytes.
    Arena(u64),
    /// In millpond's pools, which check handles.
    Pools(Pools<'p>),
    /// In minimal pools, which check nothing.
    BarePools(Pools<'p>),
}

/// Pools of fixed slots.
#[derive(Debug, Clone, Copy)]
pub struct Pools<'p> {
    /// The slots of each pool.
    pub sizes: &'p [Size],
    /// By kind, the number of the pool; `u32::MAX` is none.
    pub pool_of: &'p [u32],
    /// How the program finds the pool of an object.
    pub found: Found,
}

/// How a program finds the pool of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// Its code names the pool.
    ByKind,
    /// By the size of the block, at its birth and at its death, as in an allocator.
    BySize,
}

/// A program that is replayed: the pooled kinds are kept somewhere, all others in blocks of the system's allocator.
///
/// Which memory it is, is chosen here and nowhere else: the replays are compiled in this crate, for each kind of memory.
pub struct Program<'p>(Box<dyn Laps + 'p>);

impl std::fmt::Debug for Program<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Program").finish_non_exhaustive()
    }
}

impl<'p> Program<'p> {
    /// A program for this script, whose kinds have so many bytes; `is_pooled` says which of them are `kept`.
    #[must_use]
    pub fn new(
        script: &Script,
        bytes_of: &'p [u64],
        is_pooled: &'p [bool],
        kept: Kept<'p>,
    ) -> Self {
        let by_kind = |of: Pools<'p>| ByKind(of.pool_of);
        let by_size = |of: Pools<'p>| BySize::new(bytes_of, of.pool_of);
        let replay = Replayed { script, bytes_of, is_pooled };
        Self(match kept {
            Kept::Nowhere => replay.in_memory(Nowhere),
            Kept::System => replay.in_memory(System { bytes_of }),
            Kept::Arena(bytes) => replay.in_memory(Arena::new(bytes_of, bytes)),
            Kept::Pools(of) => match of.found {
                Found::ByKind => replay.in_memory(WithHandles::new(of.sizes, by_kind(of))),
                Found::BySize => replay.in_memory(WithHandles::new(of.sizes, by_size(of))),
            },
            Kept::BarePools(of) => match of.found {
                Found::ByKind => replay.in_memory(Bare::new(of.sizes, by_kind(of))),
                Found::BySize => replay.in_memory(Bare::new(of.sizes, by_size(of))),
            },
        })
    }

    /// Replays the script once. Returns the nanoseconds that the timed parts took, some events each.
    pub fn lap(&mut self, script: &Script, between: &mut Between) -> Vec<u64> {
        self.0.lap(script, between)
    }
}

/// What a program replays.
#[derive(Clone, Copy)]
struct Replayed<'s, 'p> {
    script: &'s Script,
    bytes_of: &'p [u64],
    is_pooled: &'p [bool],
}

impl<'p> Replayed<'_, 'p> {
    fn in_memory<M: Memory + 'p>(self, memory: M) -> Box<dyn Laps + 'p> {
        Box::new(Replay::new(
            self.script,
            self.is_pooled,
            System { bytes_of: self.bytes_of },
            memory,
        ))
    }
}

/// A replay, whatever the memory is.
trait Laps {
    fn lap(&mut self, script: &Script, between: &mut Between) -> Vec<u64>;
}

/// The replay in one memory.
///
/// Whatever the memory is, the way through the code is the same, so that the difference of two programs is
/// that of their memories.
struct Replay<'p, M: Memory> {
    is_pooled: &'p [bool],
    others: System<'p>,
    memory: M,
    /// The objects, by place.
    in_blocks: Vec<Option<<System<'p> as Memory>::Held>>,
    in_memory: Vec<Option<M::Held>>,
}

impl<'p, M: Memory> Replay<'p, M> {
    fn new(script: &Script, is_pooled: &'p [bool], others: System<'p>, memory: M) -> Self {
        Self {
            is_pooled,
            others,
            memory,
            in_blocks: (0..script.places).map(|_| None).collect(),
            in_memory: (0..script.places).map(|_| None).collect(),
        }
    }

    #[inline(never)]
    fn run(&mut self, part: &[Step]) {
        for &step in part {
            self.step(step);
        }
    }

    #[inline(never)]
    fn run_with_other_work(&mut self, part: &[Step], other: &mut OtherWork) {
        for &step in part {
            self.step(step);
            other.work();
        }
    }

    #[inline(always)]
    fn step(&mut self, step: Step) {
        let (kind, place) = (step.kind(), step.place as usize);
        if self.is_pooled[kind as usize] {
            exchange(&mut self.memory, &mut self.in_memory[place], step.is_birth(), kind);
        } else {
            exchange(&mut self.others, &mut self.in_blocks[place], step.is_birth(), kind);
        }
    }
}

impl<M: Memory> Laps for Replay<'_, M> {
    /// Replays the script once. Returns the nanoseconds that the timed parts took, [`TIMED_TOGETHER`] events each.
    fn lap(&mut self, script: &Script, between: &mut Between) -> Vec<u64> {
        let mut nanoseconds = Vec::with_capacity(script.steps.len() / TIMED_TOGETHER);
        settle_heap();
        for (part, is_timed) in script.parts() {
            if !is_timed {
                self.run(part);
                continue;
            }
            for steps in part.chunks(TIMED_TOGETHER) {
                let begun = clock::worked();
                match between {
                    Between::OtherWork(other) => self.run_with_other_work(steps, other),
                    Between::Nothing => self.run(steps),
                }
                nanoseconds
                    .push(u64::try_from((clock::worked() - begun).as_nanos()).unwrap_or(u64::MAX));
            }
        }
        nanoseconds
    }
}

/// A birth or death in a place.
#[inline(always)]
fn exchange<M: Memory>(memory: &mut M, place: &mut Option<M::Held>, is_birth: bool, kind: u32) {
    if is_birth {
        *place = memory.take(kind);
    } else if let Some(held) = place.take() {
        memory.give_back(held);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts requests, and records wrong frees.
    #[derive(Default)]
    struct Counted {
        taken: Vec<u32>,
        live: Vec<bool>,
        wrong: usize,
    }

    impl Memory for &mut Counted {
        type Held = usize;

        fn take(&mut self, kind: u32) -> Option<usize> {
            self.taken.push(kind);
            self.live.push(true);
            Some(self.live.len() - 1)
        }

        fn give_back(&mut self, held: usize) {
            self.wrong += usize::from(!std::mem::take(&mut self.live[held]));
        }
    }

    #[test]
    fn the_pooled_kinds_are_in_the_memory_and_nothing_is_left_there() {
        let bytes = [8, 16, 24];
        let step = |n: u32, is_birth| Step::new(n % 3, n, is_birth);
        let births = (0..3000).map(|n| step(n, true));
        let deaths = (0..2000).map(|n| step(n, false));
        // A thousand are left, and die untimed.
        let left = (2000..3000).map(|n| step(n, false));
        let steps: Vec<Step> = births.chain(deaths).chain(left).collect();
        let parts = vec![(5000, true), (6000, false)];
        let script = Script { steps, parts, places: 3000, bytes_peak: 3000 * 40 };
        for mut between in [Between::Nothing, Between::other_work()] {
            let mut counted = Counted::default();
            let is_pooled = [false, true, true];
            let others = System { bytes_of: &bytes };
            let mut program = Replay::new(&script, &is_pooled, others, &mut counted);
            let timed = script.parts().filter(|part| part.1);
            let timed = timed.map(|part| part.0.len().div_ceil(TIMED_TOGETHER)).sum::<usize>();
            assert!(timed > 2, "the test has more than is timed together");
            assert_eq!(program.lap(&script, &mut between).len(), timed);
            assert!(program.in_blocks.iter().all(Option::is_none));
            assert!(program.in_memory.iter().all(Option::is_none));
            assert_eq!(program.lap(&script, &mut between).len(), timed);
            assert_eq!(counted.taken.len(), 2 * 2000);
            assert!(!counted.taken.contains(&0));
            assert!(counted.wrong == 0 && counted.live.iter().all(|live| !live));
        }
    }
}
