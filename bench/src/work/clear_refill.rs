//! Clear and refill: a full store is emptied at once and filled again. The time is per slot.

use std::hint::black_box;
use std::time::Instant;

use super::{Case, Work, operations};
use crate::contender::Contender;
use crate::measure::{Lap, Timed};
use crate::population::Population;

/// See the module.
pub(crate) struct ClearRefill;

impl Work for ClearRefill {
    fn prepare<C: Contender, const P: usize>(case: Case) -> Option<Box<dyn Lap>> {
        let mut population = Population::<C, P>::full(case.slots)?;
        C::clear(&mut population.store).then_some(())?;
        Some(Box::new(Run { population, slots: case.slots }))
    }
}

struct Run<C: Contender, const P: usize> {
    population: Population<C, P>,
    slots: usize,
}

impl<C: Contender, const P: usize> Lap for Run<C, P> {
    fn lap(&mut self) -> Timed {
        let times = (operations(self.slots) / self.slots).max(1);
        let start = Instant::now();
        for _ in 0..times {
            C::clear(&mut self.population.store);
            self.population.keys.clear();
            for _ in 0..self.slots {
                self.population.insert();
            }
            black_box(&mut self.population.store);
        }
        Timed::whole(start.elapsed(), self.slots * times)
    }

    fn checksum(&mut self) -> Option<u64> {
        Some(self.population.sum_by_key())
    }
}
