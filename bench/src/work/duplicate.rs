//! Clone: copy a full store with all its objects, and drop the copy. The time is per object; what the system takes to provide
//! and take back the memory is in it.

use std::hint::black_box;

use super::{Case, Work, operations};
use crate::contender::Contender;
use crate::measure::{Lap, Timed};
use crate::population::Population;

/// The name of this work.
pub(crate) const NAME: &str = "clone";

/// See the module.
pub(crate) struct Duplicate;

impl Work for Duplicate {
    fn prepare<C: Contender, const P: usize>(case: Case) -> Option<Box<dyn Lap>> {
        let population = Population::<C, P>::full(case.slots)?;
        C::duplicate(&population.store)?;
        Some(Box::new(Run { population, slots: case.slots }))
    }
}

struct Run<C: Contender, const P: usize> {
    population: Population<C, P>,
    slots: usize,
}

impl<C: Contender, const P: usize> Run<C, P> {
    #[inline(never)]
    fn copies(&mut self, count: usize) {
        for _ in 0..count {
            drop(black_box(C::duplicate(black_box(&self.population.store))));
        }
    }
}

impl<C: Contender, const P: usize> Lap for Run<C, P> {
    fn lap(&mut self) -> Timed {
        let copies = (operations(self.slots) / self.slots).max(1);
        Timed::of_steps(copies, self.slots, |copies| self.copies(copies))
    }

    /// Of a copy, which has the same objects. Not by key: some maps' keys name one map only.
    fn checksum(&mut self) -> Option<u64> {
        self.population.store = C::duplicate(&self.population.store)?;
        Some(self.population.sum_by_walk())
    }
}
