//! The replay of a script, and the time that it takes.

use std::hint::black_box;
use std::time::Instant;

use super::memory::{Memory, System};
use super::script::{Script, Step};

/// What the program does between two calls to the allocator.
#[derive(Debug)]
pub(super) enum Between {
    /// Nothing: all that the allocator and the pool need stays in the caches.
    Nothing,
    /// It reads memory of its own, the next lines each time: what the allocator and the pool need is pushed
    /// out of the first-level cache unless it is needed often.
    OtherWork(Vec<u64>),
}

/// The memory that the program reads: more than a first-level cache, less than a second-level one.
const OTHER_BYTES: usize = 256 << 10;

/// How much of it it reads between two calls.
const STRIDE_BYTES: usize = 2 << 10;

/// A line of a cache.
const LINE_BYTES: usize = 64;

impl Between {
    pub(super) fn other_work() -> Self {
        Self::OtherWork(vec![1; OTHER_BYTES / size_of::<u64>()])
    }
}

/// A program that is replayed: the pooled kinds are in `memory`, all others in blocks of the system's
/// allocator.
///
/// Whatever the memory is, the way through the code is the same, so that the difference of two programs is
/// that of their memories.
pub(super) struct Program<'p, M: Memory> {
    is_pooled: &'p [bool],
    others: System<'p>,
    memory: M,
    /// The objects, by place.
    in_blocks: Vec<Option<<System<'p> as Memory>::Held>>,
    in_memory: Vec<Option<M::Held>>,
}

impl<'p, M: Memory> Program<'p, M> {
    pub(super) fn new(
        script: &Script,
        is_pooled: &'p [bool],
        others: System<'p>,
        memory: M,
    ) -> Self {
        Self {
            is_pooled,
            others,
            memory,
            in_blocks: (0..script.places).map(|_| None).collect(),
            in_memory: (0..script.places).map(|_| None).collect(),
        }
    }

    /// Replays the script once. Returns the nanoseconds that each timed part took.
    pub(super) fn lap(&mut self, script: &Script, between: &Between) -> Vec<u64> {
        let mut nanoseconds = Vec::with_capacity(script.parts.len());
        for (part, is_timed) in script.parts() {
            let begun = Instant::now();
            match between {
                Between::OtherWork(words) if is_timed => self.run_with_other_work(part, words),
                Between::OtherWork(_) | Between::Nothing => self.run(part),
            }
            if is_timed {
                nanoseconds.push(u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX));
            }
        }
        nanoseconds
    }

    #[inline(never)]
    fn run(&mut self, part: &[Step]) {
        for &step in part {
            self.step(step);
        }
    }

    #[inline(never)]
    fn run_with_other_work(&mut self, part: &[Step], words: &[u64]) {
        let strides = words.chunks(STRIDE_BYTES / size_of::<u64>()).cycle();
        for (&step, stride) in part.iter().zip(strides) {
            self.step(step);
            let lines = stride.iter().step_by(LINE_BYTES / size_of::<u64>());
            black_box(lines.fold(0_u64, |sum, word| sum.wrapping_add(*word)));
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
    use crate::measure::script::Recorder;
    use crate::trace::{Event, Watch};

    /// Counts what is asked of it, and notes what is given back wrongly.
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
        let mut recorder = Recorder::new(&bytes, 60);
        let event = |n: u32| Event { tick: 0, class: n % 3, kind: n % 3, key: n, bytes: None };
        (0..30).for_each(|n| recorder.birth(event(n)));
        // Ten are left at the end.
        (0..20).for_each(|n| recorder.death(event(n)));
        let script = recorder.finish();
        for between in [Between::Nothing, Between::other_work()] {
            let mut counted = Counted::default();
            let is_pooled = [false, true, true];
            let others = System { bytes_of: &bytes };
            let mut program = Program::new(&script, &is_pooled, others, &mut counted);
            let timed = script.parts().filter(|part| part.1).count();
            assert_eq!(program.lap(&script, &between).len(), timed);
            assert!(program.in_blocks.iter().all(Option::is_none));
            assert!(program.in_memory.iter().all(Option::is_none));
            assert_eq!(program.lap(&script, &between).len(), timed);
            assert_eq!(counted.taken.len(), 2 * 20);
            assert!(!counted.taken.contains(&0));
            assert!(counted.wrong == 0 && counted.live.iter().all(|live| !live));
        }
    }
}
