//! The past of a pool.

use core::ops::Range;

use super::Pool;
use crate::handle::{Handle, HandleLayout, Word};
use crate::slots::reuse::{Lifo, Queue, ReuseOrder};
use crate::snapshot::state::{Shape, sealed};
use crate::snapshot::{SnapshotOf, snapshot_methods};

/// A snapshot of a [`Pool`](crate::Pool).
pub type Snapshot<T, R = Lifo, H = Handle<T>> = SnapshotOf<Pool<T, R, H>>;

impl<T, R: ReuseOrder, H: HandleLayout> sealed::State for Pool<T, R, H> {
    type Value = T;
    type Handle = H;

    fn shape(&self) -> Shape {
        Shape::new(self.capacity(), &self.core.circle())
    }

    #[cfg(feature = "debug-aids")]
    fn into_past(mut self) -> Self {
        self.unwatch();
        self
    }

    fn used(&self) -> usize {
        self.core.used(self.storage.words())
    }

    #[inline]
    fn word(&self, index: usize) -> H::Word {
        self.storage.words().get(index).unwrap_or(H::Word::RETIRED)
    }

    #[inline]
    fn value(&self, index: usize) -> Option<&T> {
        self.storage.get(index)
    }

    fn order(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.core.queue().order(&self.storage, self.used())
    }
}

snapshot_methods!(Pool<T, R, H>, [T, R: ReuseOrder, H: HandleLayout], values T);

impl<T, R: ReuseOrder, H: HandleLayout> Pool<T, R, H> {
    pub(crate) fn copy_state_from(&mut self, other: &Self)
    where
        T: Copy,
    {
        let used = self.core.used(self.storage.words()).max(other.core.used(other.storage.words()));
        self.storage.copy_state_from(&other.storage, used);
        let entries = other.storage.words().entries();
        self.core.copy_state_from(&other.core, entries, used, &mut self.storage);
    }

    /// If a clone or a drop panics, the pool is empty.
    pub(crate) fn clone_state_from(&mut self, other: &Self)
    where
        T: Clone,
    {
        let used = self.core.used(self.storage.words()).max(other.core.used(other.storage.words()));
        let guard = EmptyUnlessDone(self);
        guard.0.storage.clone_state_from(&other.storage, used);
        let Pool { core, storage } = &mut *guard.0;
        let entries = other.storage.words().entries();
        core.copy_state_from(&other.core, entries, used, storage);
        core::mem::forget(guard);
    }
}

/// Empties a pool that was left half-way.
struct EmptyUnlessDone<'a, T, R: ReuseOrder, H: HandleLayout>(&'a mut Pool<T, R, H>);

impl<T, R: ReuseOrder, H: HandleLayout> Drop for EmptyUnlessDone<'_, T, R, H> {
    fn drop(&mut self) {
        let capacity = self.0.capacity();
        self.0.core.mark_all_used(capacity);
        self.0.storage.recount_retired();
        self.0.clear();
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

        fn reuse_name() -> &'static str {
            R::NAME
        }

        fn order_of() -> OrderOf {
            <R::Queue<H::Index> as Queue<H::Index>>::ORDER_OF
        }

        fn saved_stats(&self) -> Stats {
            self.stats()
        }

        fn load(checked: &Checked<H::Word>, values: Vec<(usize, T)>) -> Result<Self, Refused> {
            let capacity = checked.words.len();
            let mut pool = Self::from_settings(&Settings::of_capacity(capacity))
                .map_err(|_| Refused::OutOfMemory(capacity))?;
            pool.storage.load(&checked.words, values, checked.inserted, checked.peak);
            pool.core.load(checked, &mut pool.storage);
            Ok(pool)
        }

        fn take_over_clones(&mut self, other: &Self)
        where
            T: Clone,
        {
            self.clone_state_from(other);
        }
    }

    serde_of_pool!(Pool<T, R, H>, [T, R: ReuseOrder, H: HandleLayout], values T);
}
