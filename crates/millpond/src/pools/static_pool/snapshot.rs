//! The past of a static pool.

use core::ops::Range;

use super::StaticPool;
use crate::handle::{HandleLayout, Word};
use crate::slots::reuse::Queue;
use crate::snapshot::snapshot_methods;
use crate::snapshot::state::{Shape, sealed};

impl<T, const N: usize, H: HandleLayout> sealed::State for StaticPool<T, N, H> {
    type Value = T;
    type Handle = H;

    fn shape(&self) -> Shape {
        Shape::new(N, &self.core.circle())
    }

    fn used(&self) -> usize {
        self.core.used(self.storage.words())
    }

    fn word(&self, index: usize) -> H::Word {
        self.storage.words().get(index).unwrap_or(H::Word::RETIRED)
    }

    fn value(&self, index: usize) -> Option<&T> {
        self.storage.get(index)
    }

    fn order(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        Queue::<H::Index>::order(self.core.queue(), &self.storage, self.used())
    }
}

snapshot_methods!(StaticPool<T, N, H>, [T, const N: usize, H: HandleLayout], values T);

impl<T, const N: usize, H: HandleLayout> StaticPool<T, N, H> {
    fn copy_state_from(&mut self, other: &Self)
    where
        T: Copy,
    {
        let used = sealed::State::used(self).max(sealed::State::used(other));
        self.storage.copy_state_from(&other.storage, used);
        let entries = other.storage.words().entries();
        self.core.copy_state_from(&other.core, entries, used, &mut self.storage);
    }

    /// If a clone or a drop panics, the pool is empty.
    fn clone_state_from(&mut self, other: &Self)
    where
        T: Clone,
    {
        let used = sealed::State::used(self).max(sealed::State::used(other));
        let guard = EmptyUnlessDone(self);
        guard.0.storage.clone_state_from(&other.storage, used);
        let StaticPool { core, storage } = &mut *guard.0;
        let entries = other.storage.words().entries();
        core.copy_state_from(&other.core, entries, used, storage);
        core::mem::forget(guard);
    }
}

/// Empties a pool that was left half-way.
struct EmptyUnlessDone<'a, T, const N: usize, H: HandleLayout>(&'a mut StaticPool<T, N, H>);

impl<T, const N: usize, H: HandleLayout> Drop for EmptyUnlessDone<'_, T, N, H> {
    fn drop(&mut self) {
        let StaticPool { core, storage } = &mut *self.0;
        core.mark_all_used(N);
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
    use crate::reports::stats::Stats;
    use crate::slots::saved::{Checked, OrderOf};
    use crate::snapshot::format::{Refused, serde_of_pool};

    impl<T, const N: usize, H: HandleLayout> sealed::Load for StaticPool<T, N, H> {
        const KIND: &'static str = "StaticPool";

        fn reuse_name() -> &'static str {
            ""
        }

        fn order_of() -> OrderOf {
            OrderOf::All
        }

        fn saved_stats(&self) -> Stats {
            self.stats()
        }

        fn load(checked: &Checked<H::Word>, values: Vec<(usize, T)>) -> Result<Self, Refused> {
            let found = checked.words.len();
            if found != N {
                return Err(Refused::NotThisCapacity { expected: N, found });
            }
            let start = checked.circle.start().generation();
            let mut pool = Self::with_handle();
            pool.storage = StaticStorage::<T, N, H>::fresh(start);
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

    serde_of_pool!(StaticPool<T, N, H>, [T, const N: usize, H: HandleLayout], values T);
}
