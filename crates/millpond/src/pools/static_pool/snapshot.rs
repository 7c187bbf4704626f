//! Snapshots of a static pool.

use core::ops::Range;

use super::StaticPool;
use crate::handle::HandleLayout;
use crate::slots::reuse::Queue;
use crate::snapshot::state::{Shape, sealed};

impl<T, const N: usize, H: HandleLayout> sealed::State for StaticPool<T, N, H> {
    type Value = T;
    type Handle = H;

    fn shape(&self) -> Shape {
        Shape::new(N, &self.core.circle())
    }

    fn order(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        Queue::<H::Index>::order(self.core.queue(), &self.storage, self.used())
    }

    crate::pools::shell::stored_state!(T, H);
}

impl<T, const N: usize, H: HandleLayout> sealed::Restore for StaticPool<T, N, H> {
    crate::pools::shell::stored_restore!(T);

    fn empty(&mut self) {
        let StaticPool { core, storage } = self;
        core.mark_used_until(N);
        storage.recount_retired();
        let circle = core.circle();
        // Not by the order, which is that of other live slots.
        for index in 0..N {
            let Some(generation) = storage.words().of_live(index) else { continue };
            drop(storage.take(index, circle.word_after(generation)));
        }
        core.reset_order(storage);
    }
}

#[cfg(all(feature = "serde", feature = "alloc"))]
mod saved {
    use alloc::vec::Vec;

    use super::super::StaticStorage;
    use super::*;
    use crate::handle::Word;
    use crate::reports::stats::Stats;
    use crate::slots::saved::{Checked, OrderOf};
    use crate::snapshot::format::{Refused, serde_of_pool};

    impl<T, const N: usize, H: HandleLayout> sealed::Load for StaticPool<T, N, H> {
        const KIND: &'static str = "StaticPool";
        const REUSE_NAME: &'static str = "";
        const ORDER_OF: OrderOf = OrderOf::All;

        fn saved_stats(&self) -> Stats {
            self.stats()
        }

        fn load(checked: &Checked<H::Word>, values: Vec<(usize, T)>) -> Result<Self, Refused> {
            let found = checked.words.len();
            if found != N {
                return Err(Refused::new(alloc::format!(
                    "a saved pool of {found} slots, expected {N}"
                )));
            }
            let start = checked.circle.start().generation();
            let mut pool = Self::with_handle();
            pool.storage = StaticStorage::<T, N, H>::fresh(start);
            pool.storage.load(&checked.words, values, checked.inserted, checked.peak);
            pool.core.load(checked, &mut pool.storage);
            Ok(pool)
        }
    }

    serde_of_pool!(StaticPool<T, N, H>, [T, const N: usize, H: HandleLayout], values T);
}
