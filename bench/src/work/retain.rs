//! Retain: one pass over a full store that kills 5 % of the objects, at random places. The time is per
//! object visited; filling up again between the frames is not timed.

use std::hint::black_box;
use std::time::{Duration, Instant};

use super::{Case, Work, operations};
use crate::contender::Contender;
use crate::measure::{Lap, Timed};
use crate::population::Population;

/// See the module.
pub(crate) struct Retain;

impl Work for Retain {
    fn prepare<C: Contender, const P: usize>(case: Case) -> Option<Box<dyn Lap>> {
        (C::REMOVES && C::WALKS_WITHOUT_KEYS).then_some(())?;
        let mut population = Population::<C, P>::full(case.slots)?;
        C::retain(&mut population.store, |_| true).then_some(())?;
        Some(Box::new(Run { population, slots: case.slots, frame: 0 }))
    }
}

struct Run<C: Contender, const P: usize> {
    population: Population<C, P>,
    slots: usize,
    frame: u32,
}

impl<C: Contender, const P: usize> Lap for Run<C, P> {
    fn lap(&mut self) -> Timed {
        let frames = (operations(self.slots) / self.slots).max(1);
        let mut elapsed = Duration::ZERO;
        for _ in 0..frames {
            self.frame = (self.frame + 1) % 20;
            let (frame, mut killed) = (self.frame, 0);
            let start = Instant::now();
            C::retain(&mut self.population.store, |object| {
                let stays = object.life % 20 != frame;
                killed += u32::from(!stays);
                stays
            });
            black_box(&mut self.population.store);
            elapsed += start.elapsed();
            for _ in 0..killed {
                let object = self.population.make();
                C::insert(&mut self.population.store, object);
            }
        }
        Timed::whole(elapsed, self.slots * frames)
    }

    fn checksum(&mut self) -> Option<u64> {
        Some(self.population.sum_by_walk())
    }
}
