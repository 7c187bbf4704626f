//! Random get: read one field of a live object chosen at random, in a full store.
//!
//! The keys are in random order and read front to back, so that what is random is the object alone.

use std::hint::black_box;

use super::{Case, NativeWork, Work, operations};
use crate::contender::Contender;
use crate::measure::{Lap, Timed};
use crate::population::Population;

/// See the module.
pub(crate) struct Get;

impl Work for Get {
    const NATIVE: Option<NativeWork> = Some(NativeWork { number: 1, operations });

    fn prepare<C: Contender, const P: usize>(case: Case) -> Option<Box<dyn Lap>> {
        C::UPDATES.then_some(())?;
        Some(Box::new(Run { population: Population::<C, P>::full(case.slots)?, at: 0, sum: 0 }))
    }
}

struct Run<C: Contender, const P: usize> {
    population: Population<C, P>,
    /// The next key to use.
    at: usize,
    sum: u64,
}

impl<C: Contender, const P: usize> Run<C, P> {
    #[inline(never)]
    fn lookups(&mut self, count: usize) {
        let mut left = count;
        while left > 0 {
            let keys = &self.population.keys[self.at..];
            let keys = &keys[..keys.len().min(left)];
            let mut sum = 0u64;
            for &key in keys {
                sum += u64::from(C::get(&self.population.store, key).x());
            }
            self.sum = self.sum.wrapping_add(sum);
            self.at = (self.at + keys.len()) % self.population.keys.len();
            left -= keys.len();
        }
        black_box(self.sum);
    }
}

impl<C: Contender, const P: usize> Lap for Run<C, P> {
    fn lap(&mut self) -> Timed {
        let operations = operations(self.population.keys.len());
        Timed::of_steps(operations, 1, |lookups| self.lookups(lookups))
    }

    fn checksum(&mut self) -> Option<u64> {
        Some(self.sum)
    }
}
