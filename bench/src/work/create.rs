//! Create: an empty store with room for all slots. Some take and touch their memory here, others leave
//! that to the first insertions, so read it together with fill.

use std::hint::black_box;
use std::time::{Duration, Instant};

use super::{Case, Work, operations};
use crate::contender::{Contender, Kind};
use crate::measure::{Lap, Timed};
use crate::object::Object;

/// See the module.
pub(crate) struct Create;

impl Work for Create {
    fn prepare<C: Contender, const P: usize>(case: Case) -> Option<Box<dyn Lap>> {
        C::new::<Object<P>>(case.slots)?;
        if C::KIND == Kind::Allocator {
            return None; // no store: an allocation per object, when it is born
        }
        Some(Box::new(Run::<C, P> { slots: case.slots, contender: std::marker::PhantomData }))
    }
}

struct Run<C, const P: usize> {
    slots: usize,
    contender: std::marker::PhantomData<C>,
}

impl<C: Contender, const P: usize> Lap for Run<C, P> {
    fn lap(&mut self) -> Timed {
        let stores = operations(self.slots) / self.slots;
        let mut elapsed = Duration::ZERO;
        for _ in 0..stores.max(1) {
            let start = Instant::now();
            let store = C::new::<Object<P>>(black_box(self.slots));
            elapsed += start.elapsed();
            black_box(&store);
        }
        Timed::whole(elapsed, self.slots * stores.max(1))
    }

    fn checksum(&mut self) -> Option<u64> {
        None
    }
}
