//! Bursts: at 90 % of the slots live, remove as many as 1/16 of the slots at random, then insert as many.
//! The time is that of one removal and one insertion together. The victims come from the shuffled list of
//! keys, as in churn.

use std::hint::black_box;

use super::{Case, NativeWork, Work, operations};
use crate::contender::Contender;
use crate::measure::{Lap, Timed};
use crate::object::Object;
use crate::population::Population;

/// See the module.
pub(crate) struct Burst;

impl Work for Burst {
    const NATIVE: Option<NativeWork> = Some(NativeWork { number: 3, operations });

    fn prepare<C: Contender, const P: usize>(case: Case) -> Option<Box<dyn Lap>> {
        (C::KEYS_LAST && C::REMOVES).then_some(())?;
        let population = Population::<C, P>::thinned(case.slots, case.percent)?;
        let mut run = Run { population, size: (case.slots / 16).max(1), at: 0, sum: 0 };
        for _ in 0..16 {
            run.burst();
        }
        Some(Box::new(run))
    }
}

struct Run<C: Contender, const P: usize> {
    population: Population<C, P>,
    size: usize,
    /// The place of the next victim in the list.
    at: usize,
    sum: u64,
}

impl<C: Contender, const P: usize> Run<C, P> {
    #[inline(never)]
    fn burst(&mut self) {
        let Population { store, keys, next, .. } = &mut self.population;
        if self.at + self.size > keys.len() {
            self.at = 0;
        }
        let victims = &mut keys[self.at..self.at + self.size];
        let mut sum = 0u64;
        for &key in victims.iter() {
            sum += u64::from(C::remove(store, key).x());
        }
        black_box(&mut *store);
        let mut number = *next;
        for key in victims.iter_mut() {
            *key = C::insert(store, Object::new(number));
            number = number.wrapping_add(1);
        }
        *next = number;
        self.at += self.size;
        black_box(store);
        self.sum = self.sum.wrapping_add(sum);
    }
}

impl<C: Contender, const P: usize> Lap for Run<C, P> {
    fn lap(&mut self) -> Timed {
        let bursts = (operations(self.population.keys.len()) / self.size).max(1);
        Timed::of_steps(bursts, self.size, |bursts| (0..bursts).for_each(|_| self.burst()))
    }

    fn checksum(&mut self) -> Option<u64> {
        Some(self.sum ^ self.population.sum_by_key())
    }
}
