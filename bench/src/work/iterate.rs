//! Iterate: move every live object one step. The time is per live object; dead slots are at random places.

use std::hint::black_box;
use std::marker::PhantomData;

use super::{Case, NativeWork, Work};
use crate::contender::Contender;
use crate::measure::{Lap, Timed};
use crate::object::Object;
use crate::population::Population;

/// A way to write the loop.
pub(crate) trait Form: 'static {
    /// This loop's number in C++.
    #[cfg_attr(not(feature = "cpp"), allow(dead_code, reason = "only the C++ contenders ask"))]
    const NATIVE: Option<NativeWork> = None;

    /// Visits all objects, or answers that the contender has no such loop.
    fn walk<C: Contender, const P: usize>(
        store: &mut C::Store<Object<P>>,
        keys: &[C::Key<Object<P>>],
        visit: impl FnMut(&mut Object<P>),
    ) -> bool;
}

/// `for value in store`.
pub(crate) struct For;

impl Form for For {
    const NATIVE: Option<NativeWork> = Some(NativeWork { number: 4, operations: |_| VISITS });

    #[inline(always)]
    fn walk<C: Contender, const P: usize>(
        store: &mut C::Store<Object<P>>,
        keys: &[C::Key<Object<P>>],
        visit: impl FnMut(&mut Object<P>),
    ) -> bool {
        C::walk_for(store, keys, visit)
    }
}

/// `store.iter_mut().for_each`.
pub(crate) struct ForEach;

impl Form for ForEach {
    #[inline(always)]
    fn walk<C: Contender, const P: usize>(
        store: &mut C::Store<Object<P>>,
        _keys: &[C::Key<Object<P>>],
        visit: impl FnMut(&mut Object<P>),
    ) -> bool {
        C::walk_for_each(store, visit)
    }
}

/// A loop over runs, and in it one over the run's slice.
pub(crate) struct Runs;

impl Form for Runs {
    #[inline(always)]
    fn walk<C: Contender, const P: usize>(
        store: &mut C::Store<Object<P>>,
        _keys: &[C::Key<Object<P>>],
        visit: impl FnMut(&mut Object<P>),
    ) -> bool {
        C::walk_runs(store, visit)
    }
}

/// See the module; `F` is how the loop is written.
pub(crate) struct Iterate<F>(PhantomData<F>);

/// How many objects a lap visits at least.
const VISITS: usize = if cfg!(test) { 500 } else { 250_000 };

impl<F: Form> Work for Iterate<F> {
    const NATIVE: Option<NativeWork> = F::NATIVE;

    fn prepare<C: Contender, const P: usize>(case: Case) -> Option<Box<dyn Lap>> {
        let mut population = Population::<C, P>::thinned(case.slots, case.percent)?;
        F::walk::<C, P>(&mut population.store, &population.keys, Object::advance).then_some(())?;
        let passes = VISITS.div_ceil(population.keys.len().max(1));
        Some(Box::new(Run::<F, C, P> { population, passes, form: PhantomData }))
    }
}

struct Run<F, C: Contender, const P: usize> {
    population: Population<C, P>,
    passes: usize,
    form: PhantomData<F>,
}

impl<F: Form, C: Contender, const P: usize> Run<F, C, P> {
    #[inline(never)]
    fn passes(&mut self, count: usize) {
        for _ in 0..count {
            F::walk::<C, P>(&mut self.population.store, &self.population.keys, Object::advance);
            black_box(&mut self.population.store);
        }
    }
}

impl<F: Form, C: Contender, const P: usize> Lap for Run<F, C, P> {
    fn lap(&mut self) -> Timed {
        let each = self.population.keys.len();
        Timed::of_steps(self.passes, each, |passes| self.passes(passes))
    }

    fn checksum(&mut self) -> Option<u64> {
        C::UPDATES.then(|| self.population.sum_by_key())
    }
}
