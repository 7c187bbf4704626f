//! Growth: insertions from the first object on, each timed on its own. The time is that of the longest one.
//!
//! A store of a fixed capacity has taken its memory before; the others start with room for few objects.

use std::time::Duration;

use super::{Case, Work};
use crate::contender::{Contender, Kind};
use crate::measure::{Lap, Timed};
use crate::population::Population;

/// The name of this work.
pub(crate) const NAME: &str = "growth";

/// See the module.
pub(crate) struct Growth;

impl Work for Growth {
    fn prepare<C: Contender, const P: usize>(case: Case) -> Option<Box<dyn Lap>> {
        let is_store = !matches!(C::KIND, Kind::Allocator | Kind::Arena | Kind::Limit);
        (is_store && C::KEYS_LAST && C::REMOVES).then_some(())?;
        Population::<C, P>::growing(case.slots)?;
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
        let mut population = Population::<C, P>::growing(self.slots).expect("it fitted before");
        population.touch_keys();
        let mut longest = Duration::ZERO;
        for _ in 0..self.slots {
            longest = longest.max(population.insert_timed());
        }
        self.sum = self.sum.wrapping_mul(3).wrapping_add(population.sum_by_key());
        Timed::whole(longest, 1)
    }

    fn checksum(&mut self) -> Option<u64> {
        Some(self.sum)
    }
}
