//! The soak of memory that is lent for a frame.

use millpond_memory::{FrameMemory, FrameRef};

use super::random::Random;
use super::trials::{Trial, differ};

/// The maximum number of values in a frame; each step is a whole frame.
const VALUES_MAX: usize = 32;

/// An entry of a list that begins with the newest.
struct Entry<'frame> {
    number: u64,
    before: Option<FrameRef<'frame, Entry<'frame>>>,
}

/// Lists that are built and read within a frame. The model: how many entries fit, and the sum of their numbers.
pub(super) struct LentFrames {
    memory: FrameMemory,
    room: usize,
    numbers: u64,
    refused: u64,
}

impl LentFrames {
    pub(super) fn new(capacity: usize) -> Self {
        let memory = FrameMemory::new(capacity.min(VALUES_MAX) * size_of::<Entry<'_>>());
        let room = memory.capacity() / size_of::<Entry<'_>>();
        Self { memory, room, numbers: 0, refused: 0 }
    }
}

impl Trial for LentFrames {
    fn step(&mut self, random: &mut Random) -> Result<(), String> {
        let wanted = random.below(2 * self.room + 1);
        let numbers = self.numbers..self.numbers + wanted as u64;
        let (kept, sum) = self.memory.frame(|frame| {
            let (mut newest, mut kept) = (None, 0);
            for number in numbers {
                if let Ok(entry) = frame.insert(Entry { number, before: newest }) {
                    (newest, kept) = (Some(entry), kept + 1);
                }
            }
            let mut sum = 0;
            while let Some(entry) = newest {
                frame[entry].number += 1;
                sum += frame[entry].number;
                newest = frame[entry].before;
            }
            (kept, sum)
        });
        let fits = wanted.min(self.room);
        differ("how many values a frame has", kept, fits)?;
        differ(
            "the sum of the values",
            sum,
            (1..=fits as u64).map(|nth| self.numbers + nth).sum(),
        )?;
        self.numbers += 1;
        self.refused += (wanted - fits) as u64;
        Ok(())
    }

    fn check(&self) -> Result<(), String> {
        differ("refusals", self.memory.refused(), self.refused)?;
        let most = self.room * size_of::<Entry<'_>>();
        differ("the fullest frame has more than fits", self.memory.peak() > most, false)
    }

    fn live(&self) -> (usize, usize) {
        // No value lives between two steps; this is the number in the fullest frame.
        (self.memory.peak() / size_of::<Entry<'_>>(), size_of::<Entry<'_>>())
    }

    fn refused(&self) -> u64 {
        self.refused
    }
}
