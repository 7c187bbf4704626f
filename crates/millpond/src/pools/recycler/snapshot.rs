//! Snapshots of a recycler.

use core::ops::Range;

use super::Recycler;
use crate::handle::HandleLayout;
use crate::slots::reuse::ReuseOrder;
use crate::snapshot::state::{Shape, sealed};

impl<T, R: ReuseOrder, H: HandleLayout> sealed::State for Recycler<T, R, H> {
    type Value = T;
    type Handle = H;
    const DEAD_HAVE_VALUES: bool = true;

    fn shape(&self) -> Shape {
        sealed::State::shape(&self.handles)
    }

    fn into_past(mut self) -> Self {
        self.handles.unwatch();
        self
    }

    fn used(&self) -> usize {
        sealed::State::used(&self.handles)
    }

    #[inline]
    fn word(&self, index: usize) -> H::Word {
        sealed::State::word(&self.handles, index)
    }

    #[inline]
    fn value(&self, index: usize) -> Option<&T> {
        self.objects.get(index)
    }

    fn order(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        sealed::State::order(&self.handles)
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> sealed::Restore for Recycler<T, R, H> {
    fn copy_state_from(&mut self, other: &Self)
    where
        T: Copy,
    {
        self.objects.copy_from_slice(&other.objects);
        self.handles.copy_state_from(&other.handles);
    }

    fn clone_state_from(&mut self, other: &Self)
    where
        T: Clone,
    {
        self.objects.clone_from_slice(&other.objects);
        self.handles.copy_state_from(&other.handles);
    }

    /// Releases all objects; they stay as they are.
    fn empty(&mut self) {
        self.handles.clear();
    }
}

#[cfg(feature = "serde")]
mod saved {
    use alloc::vec::Vec;

    use super::*;
    use crate::pools::allocator::HandleAllocator;
    use crate::reports::stats::Stats;
    use crate::slots::saved::{Checked, OrderOf};
    use crate::snapshot::format::{Refused, serde_of_pool};

    impl<T, R: ReuseOrder, H: HandleLayout> sealed::Load for Recycler<T, R, H> {
        const KIND: &'static str = "Recycler";
        const REUSE_NAME: &'static str = R::NAME;
        const ORDER_OF: OrderOf = <HandleAllocator<R, H> as sealed::Load>::ORDER_OF;

        fn saved_stats(&self) -> Stats {
            self.stats()
        }

        /// Without a hook.
        fn load(checked: &Checked<H::Word>, values: Vec<(usize, T)>) -> Result<Self, Refused> {
            let handles = sealed::Load::load(checked, Vec::new())?;
            let objects: Vec<T> = values.into_iter().map(|(_, object)| object).collect();
            Ok(Self {
                handles,
                objects: objects.into_boxed_slice(),
                on_release: Default::default(),
            })
        }
    }

    serde_of_pool!(Recycler<T, R, H>, [T, R: ReuseOrder, H: HandleLayout], values T);
}
