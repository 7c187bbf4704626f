//! Churn: at 90 % of the slots live, remove one at random and insert one, again and again. The time is that
//! of both together.
//!
//! The victims come from the shuffled list of keys, front to back and round again, and not by drawing a place
//! in it: with few slots a drawn place often was written just before, and then the processor's guess whether
//! a load depends on a store decides between 3 and 10 ns, for any contender and by luck of the layout. A
//! program, too, gets its victims' keys from a list of its own (hits, expired timers).

use std::hint::black_box;
use std::time::Instant;

use super::{Case, NativeWork, Work, operations};
use crate::contender::Contender;
use crate::measure::{Lap, Timed};
use crate::object::Object;
use crate::population::Population;

/// See the module.
pub(crate) struct Churn;

impl Work for Churn {
    const NATIVE: Option<NativeWork> = Some(NativeWork { number: 2, operations });

    fn prepare<C: Contender, const P: usize>(case: Case) -> Option<Box<dyn Lap>> {
        (C::KEYS_LAST && C::REMOVES).then_some(())?;
        let mut run = Run {
            population: Population::<C, P>::thinned(case.slots, case.percent)?,
            at: 0,
            sum: 0,
        };
        run.pairs(case.slots); // the order of the free slots is history, no longer that of the filling
        Some(Box::new(run))
    }
}

struct Run<C: Contender, const P: usize> {
    population: Population<C, P>,
    /// The place of the next victim in the list.
    at: usize,
    sum: u64,
}

impl<C: Contender, const P: usize> Run<C, P> {
    fn pairs(&mut self, count: usize) {
        let Population { store, keys, next, .. } = &mut self.population;
        let (mut sum, mut number, mut left) = (0u64, *next, count);
        while left > 0 {
            let stretch = (keys.len() - self.at).min(left);
            for key in &mut keys[self.at..self.at + stretch] {
                sum += u64::from(C::remove(store, *key).x());
                *key = C::insert(store, Object::new(number));
                number = number.wrapping_add(1);
            }
            self.at = (self.at + stretch) % keys.len();
            left -= stretch;
        }
        *next = number;
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
