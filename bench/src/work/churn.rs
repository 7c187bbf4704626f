//! Churn: at 90 % of the slots live, remove one at random and insert one, again and again. The time is that
//! of both together. Side by side, compilers fold the removal and the insertion of some stores into one another: the list of
//! free slots stays in a register, and hardly anything of it is done. No program has them side by side, so the work is
//! done a second time with the store opaque in between, as if other code came there.
//!
//! The victims come from the shuffled list of keys, front to back and round again, and not by drawing a place
//! in it: with few slots a drawn place often was written just before, and then the processor's guess whether
//! a load depends on a store decides between 3 and 10 ns, for any contender and by luck of the layout. A
//! program, too, gets its victims' keys from a list of its own (hits, expired timers).

use std::hint::black_box;

use super::{Case, NativeWork, Work, operations};
use crate::contender::Contender;
use crate::measure::{Lap, Timed};
use crate::object::Object;
use crate::population::Population;

/// The name of the work with the store opaque between removal and insertion.
pub(crate) const OPAQUE: &str = "churn, opaque";

/// See the module. `IS_OPAQUE`: the compiler knows nothing of the store between removal and insertion.
pub(crate) struct Churn<const IS_OPAQUE: bool>;

impl<const IS_OPAQUE: bool> Work for Churn<IS_OPAQUE> {
    /// C++'s is the one side by side.
    const NATIVE: Option<NativeWork> =
        if IS_OPAQUE { None } else { Some(NativeWork { number: 2, operations }) };

    fn prepare<C: Contender, const P: usize>(case: Case) -> Option<Box<dyn Lap>> {
        (C::KEYS_LAST && C::REMOVES).then_some(())?;
        let mut run = Run::<IS_OPAQUE, C, P> {
            population: Population::<C, P>::thinned(case.slots, case.percent)?,
            at: 0,
            sum: 0,
        };
        run.pairs(case.slots); // the order of the free slots is history, no longer that of the filling
        Some(Box::new(run))
    }
}

struct Run<const IS_OPAQUE: bool, C: Contender, const P: usize> {
    population: Population<C, P>,
    /// The place of the next victim in the list.
    at: usize,
    sum: u64,
}

impl<const IS_OPAQUE: bool, C: Contender, const P: usize> Run<IS_OPAQUE, C, P> {
    #[inline(never)]
    fn pairs(&mut self, count: usize) {
        let Population { store, keys, next, .. } = &mut self.population;
        let (mut sum, mut number, mut left) = (0u64, *next, count);
        while left > 0 {
            let stretch = (keys.len() - self.at).min(left);
            for key in &mut keys[self.at..self.at + stretch] {
                sum += u64::from(C::remove(store, *key).x());
                if IS_OPAQUE {
                    black_box(&mut *store);
                }
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

impl<const IS_OPAQUE: bool, C: Contender, const P: usize> Lap for Run<IS_OPAQUE, C, P> {
    fn lap(&mut self) -> Timed {
        let operations = operations(self.population.keys.len());
        Timed::of_steps(operations, 1, |pairs| self.pairs(pairs))
    }

    fn checksum(&mut self) -> Option<u64> {
        Some(self.sum ^ self.population.sum_by_key())
    }
}
