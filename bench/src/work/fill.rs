//! Fill: insert until a new store is full.

use std::hint::black_box;
use std::time::{Duration, Instant};

use super::{Case, NativeWork, Work, operations};
use crate::contender::Contender;
use crate::measure::{Lap, Timed};
use crate::population::Population;

/// See the module.
pub(crate) struct Fill;

impl Work for Fill {
    const NATIVE: Option<NativeWork> = Some(NativeWork { number: 0, operations });

    fn prepare<C: Contender, const P: usize>(case: Case) -> Option<Box<dyn Lap>> {
        C::UPDATES.then_some(())?;
        let population = Population::<C, P>::empty(case.slots)?;
        drop(population);
        Some(Box::new(Run::<C, P> {
            slots: case.slots,
            sum: 0,
            contender: std::marker::PhantomData,
        }))
    }
}

struct Run<C, const P: usize> {
    slots: usize,
    sum: u64,
    contender: std::marker::PhantomData<C>,
}

impl<C: Contender, const P: usize> Lap for Run<C, P> {
    fn lap(&mut self) -> Timed {
        let stores = (operations(self.slots) / self.slots).max(1);
        let mut elapsed = Duration::ZERO;
        for _ in 0..stores {
            let mut population = Population::<C, P>::empty(self.slots).expect("it fitted before");
            population.touch_keys();
            let start = Instant::now();
            for _ in 0..self.slots {
                population.insert();
            }
            black_box(&mut population.store);
            elapsed += start.elapsed();
            self.sum = self.sum.wrapping_mul(3).wrapping_add(population.sum_by_key());
        }
        Timed::whole(elapsed, self.slots * stores)
    }

    fn checksum(&mut self) -> Option<u64> {
        Some(self.sum)
    }
}
