//! Snapshots of a pool.

use core::ops::Range;

use super::Pool;
use crate::handle::{Handle, HandleLayout};
use crate::slots::reuse::{Lifo, Queue, ReuseOrder};
use crate::snapshot::SnapshotOf;
use crate::snapshot::state::{Shape, sealed};

/// A snapshot of a [`Pool`](crate::Pool).
pub type Snapshot<T, R = Lifo, H = Handle<T>> = SnapshotOf<Pool<T, R, H>>;

impl<T, R: ReuseOrder, H: HandleLayout> sealed::State for Pool<T, R, H> {
    type Value = T;
    type Handle = H;

    fn shape(&self) -> Shape {
        Shape::new(self.capacity(), &self.core.circle())
    }

    fn into_past(mut self) -> Self {
        self.unwatch();
        self
    }

    fn order(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.core.queue().order(&self.storage, self.used())
    }

    crate::pools::shell::stored_state!(T, H);
}

impl<T, R: ReuseOrder, H: HandleLayout> sealed::Restore for Pool<T, R, H> {
    crate::pools::shell::stored_restore!(T);

    fn empty(&mut self) {
        let capacity = self.capacity();
        self.core.mark_used_until(capacity);
        self.storage.recount_retired();
        self.clear();
    }
}

#[cfg(feature = "serde")]
mod saved {
    use alloc::vec::Vec;

    use super::*;
    use crate::pools::settings::Settings;
    use crate::reports::stats::Stats;
    use crate::slots::saved::{Checked, OrderOf};
    use crate::snapshot::format::{Refused, serde_of_pool};

    impl<T, R: ReuseOrder, H: HandleLayout> sealed::Load for Pool<T, R, H> {
        const KIND: &'static str = "Pool";
        const REUSE_NAME: &'static str = R::NAME;
        const ORDER_OF: OrderOf = <R::Queue<H::Index> as Queue<H::Index>>::ORDER_OF;

        fn saved_stats(&self) -> Stats {
            self.stats()
        }

        fn load(checked: &Checked<H::Word>, values: Vec<(usize, T)>) -> Result<Self, Refused> {
            let capacity = checked.words.len();
            let mut pool = Self::from_settings(&Settings::of_capacity(capacity))
                .map_err(|_| Refused::out_of_memory(capacity))?;
            pool.storage.load(&checked.words, values, checked.inserted, checked.peak);
            pool.core.load(checked, &mut pool.storage);
            Ok(pool)
        }
    }

    serde_of_pool!(Pool<T, R, H>, [T, R: ReuseOrder, H: HandleLayout], values T);
}
