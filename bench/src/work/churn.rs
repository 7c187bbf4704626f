//! Churn: at 90 % of the slots live, remove one at random and insert one, again and again. The time is that
//! of both together.

use std::hint::black_box;
use std::time::Instant;

use super::{Case, Work, operations};
use crate::contender::Contender;
use crate::measure::{Lap, Timed};
use crate::population::Population;

/// See the module.
pub(crate) struct Churn;

impl Work for Churn {
    fn prepare<C: Contender, const P: usize>(case: Case) -> Option<Box<dyn Lap>> {
        (C::KEYS_LAST && C::REMOVES).then_some(())?;
        let mut run =
            Run { population: Population::<C, P>::thinned(case.slots, case.percent)?, sum: 0 };
        run.pairs(case.slots); // the order of the free slots is history, no longer that of the filling
        Some(Box::new(run))
    }
}

struct Run<C: Contender, const P: usize> {
    population: Population<C, P>,
    sum: u64,
}

impl<C: Contender, const P: usize> Run<C, P> {
    fn pairs(&mut self, count: usize) {
        let Population { store, keys, random, next } = &mut self.population;
        let mut sum = 0u64;
        for _ in 0..count {
            let place = random.below(keys.len());
            sum += u64::from(C::remove(store, keys[place]).x());
            keys[place] = C::insert(store, crate::object::Object::new(*next));
            *next = next.wrapping_add(1);
        }
        black_box(store);
        self.sum = self.sum.wrapping_add(sum);
    }
}

impl<C: Contender, const P: usize> Lap for Run<C, P> {
    fn lap(&mut self) -> Timed {
        let operations = operations(self.population.keys.len());
        let start = Instant::now();
        self.pairs(operations);
        Timed { elapsed: start.elapsed(), operations }
    }

    fn checksum(&mut self) -> Option<u64> {
        Some(self.sum ^ self.population.sum_by_key())
    }
}
