//! Sparse walk: move every live object one step where few are left of many: 100, at random places. The time is that
//! of the whole walk, since what it costs is to find the live ones.

use std::hint::black_box;
use std::marker::PhantomData;
use std::time::Instant;

use super::iterate::Form;
use super::{Case, Work};
use crate::contender::Contender;
use crate::measure::{Lap, Timed};
use crate::object::Object;
use crate::population::Population;

/// How the names of these works begin.
pub(crate) const PREFIX: &str = "sparse";

/// How many objects are left.
pub(crate) const LIVE: usize = 100;

/// How many slots a lap passes at least.
const PASSED: usize = if cfg!(test) { 1_000 } else { 10_000_000 };

/// See the module; `F` is how the loop is written.
pub(crate) struct Sparse<F>(PhantomData<F>);

impl<F: Form> Work for Sparse<F> {
    fn prepare<C: Contender, const P: usize>(case: Case) -> Option<Box<dyn Lap>> {
        // Who reaches its objects only by the program's own keys has no dead slots to pass.
        (C::KEYS_LAST && C::REMOVES && C::WALKS_WITHOUT_KEYS).then_some(())?;
        let mut population = Population::<C, P>::thinned_to(LIVE.min(case.slots), case.slots)?;
        F::walk::<C, P>(&mut population.store, &[], Object::advance).then_some(())?;
        let walks = PASSED.div_ceil(case.slots);
        Some(Box::new(Run::<F, C, P> { population, walks, form: PhantomData }))
    }
}

struct Run<F, C: Contender, const P: usize> {
    population: Population<C, P>,
    walks: usize,
    form: PhantomData<F>,
}

impl<F: Form, C: Contender, const P: usize> Run<F, C, P> {
    #[inline(never)]
    fn walks(&mut self) {
        for _ in 0..self.walks {
            F::walk::<C, P>(&mut self.population.store, &[], Object::advance);
            black_box(&mut self.population.store);
        }
    }
}

impl<F: Form, C: Contender, const P: usize> Lap for Run<F, C, P> {
    fn lap(&mut self) -> Timed {
        let start = Instant::now();
        self.walks();
        Timed::whole(start.elapsed(), self.walks)
    }

    fn checksum(&mut self) -> Option<u64> {
        Some(self.population.sum_by_key())
    }
}
