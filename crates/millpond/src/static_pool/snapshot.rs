//! The past of a static pool.

use core::ops::Range;

use super::StaticPool;
#[cfg(all(feature = "serde", feature = "alloc"))]
use super::storage::StaticStorage;
use crate::handle::{HandleLayout, Word};
use crate::snapshot::snapshot_methods;
use crate::snapshot::state::{Shape, sealed};

impl<T, const N: usize, H: HandleLayout> sealed::State for StaticPool<T, N, H> {
    type Value = T;
    type Handle = H;

    fn shape(&self) -> Shape {
        Shape::new(N, &self.storage.roster().circle())
    }

    fn used(&self) -> usize {
        self.storage.roster().used()
    }

    fn word(&self, index: usize) -> H::Word {
        self.storage.roster().word(index).unwrap_or(H::Word::RETIRED)
    }

    fn value(&self, index: usize) -> Option<&T> {
        self.storage.get(index)
    }

    fn order(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.storage.roster().order()
    }
}

snapshot_methods!(StaticPool<T, N, H>, [T, const N: usize, H: HandleLayout], values T);

impl<T, const N: usize, H: HandleLayout> StaticPool<T, N, H> {
    fn copy_state_from(&mut self, other: &Self)
    where
        T: Copy,
    {
        self.storage.copy_state_from(&other.storage);
    }

    fn clone_state_from(&mut self, other: &Self)
    where
        T: Clone,
    {
        self.storage.clone_state_from(&other.storage);
    }
}

#[cfg(all(feature = "serde", feature = "alloc"))]
mod saved {
    use alloc::vec::Vec;

    use super::*;
    use crate::Stats;
    use crate::snapshot::format::{Checked, OrderOf, Refused, serde_of_pool};

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
            Ok(Self { storage: StaticStorage::load(checked, values) })
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
