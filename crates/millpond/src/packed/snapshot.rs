//! The past of a packed pool.

use core::ops::Range;

use super::PackedPool;
use crate::handle::{HandleLayout, Word};
use crate::snapshot::snapshot_methods;
use crate::snapshot::state::{Shape, sealed};

impl<T, H: HandleLayout> sealed::State for PackedPool<T, H> {
    type Value = T;
    type Handle = H;

    fn shape(&self) -> Shape {
        Shape::new(self.capacity(), self.roster.circle())
    }

    #[cfg(feature = "debug-aids")]
    fn into_past(mut self) -> Self {
        self.unwatch();
        self
    }

    fn used(&self) -> usize {
        self.roster.used(self.len())
    }

    fn word(&self, index: usize) -> H::Word {
        self.roster.word(index, self.len()).unwrap_or(H::Word::RETIRED)
    }

    fn value(&self, index: usize) -> Option<&T> {
        self.roster.position_at(index, self.len()).map(|position| &self.values[position])
    }

    fn order(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.roster.order(self.len())
    }
}

snapshot_methods!(PackedPool<T, H>, [T, H: HandleLayout], values T);

impl<T, H: HandleLayout> PackedPool<T, H> {
    fn copy_state_from(&mut self, other: &Self)
    where
        T: Copy,
    {
        #[cfg(feature = "debug-aids")]
        self.note_restored(self.values.len(), other);
        self.roster.take_over(self.values.len(), &other.roster, other.values.len());
        self.values.copy_from(&other.values);
    }

    /// If a clone or a drop panics, the pool is empty.
    fn clone_state_from(&mut self, other: &Self)
    where
        T: Clone,
    {
        let live = self.values.len();
        let guard = EmptyUnlessDone { pool: self, live };
        guard.pool.values.clone_from(&other.values);
        #[cfg(feature = "debug-aids")]
        guard.pool.note_restored(live, other);
        guard.pool.roster.take_over(live, &other.roster, other.values.len());
        core::mem::forget(guard);
    }
}

/// Empties a pool whose values are no longer those of its roster.
struct EmptyUnlessDone<'a, T, H: HandleLayout> {
    pool: &'a mut PackedPool<T, H>,
    /// How many slots are live in the roster.
    live: usize,
}

impl<T, H: HandleLayout> Drop for EmptyUnlessDone<'_, T, H> {
    fn drop(&mut self) {
        self.pool.roster.release_all(self.live);
        self.pool.values.clear();
    }
}

#[cfg(feature = "serde")]
mod saved {
    use alloc::vec::Vec;

    use super::*;
    use crate::Stats;
    use crate::settings::Settings;
    use crate::snapshot::format::{Checked, OrderOf, Refused, serde_of_pool};

    impl<T, H: HandleLayout> sealed::Load for PackedPool<T, H> {
        const KIND: &'static str = "PackedPool";

        fn reuse_name() -> &'static str {
            ""
        }

        fn order_of() -> OrderOf {
            OrderOf::All
        }

        fn saved_stats(&self) -> Stats {
            self.stats()
        }

        fn load(checked: &Checked<H::Word>, mut values: Vec<(usize, T)>) -> Result<Self, Refused> {
            let capacity = checked.words.len();
            let mut pool = Self::from_settings(&Settings::of_capacity(capacity))
                .map_err(|_| Refused::OutOfMemory(capacity))?;
            pool.roster.load(checked);
            let live = values.len();
            values.sort_unstable_by_key(|(index, _)| pool.roster.position_at(*index, live));
            pool.values.extend(values.into_iter().map(|(_, value)| value));
            Ok(pool)
        }

        fn take_over_clones(&mut self, other: &Self)
        where
            T: Clone,
        {
            self.clone_state_from(other);
        }
    }

    serde_of_pool!(PackedPool<T, H>, [T, H: HandleLayout], values T);
}
