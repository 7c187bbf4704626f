//! Snapshots.

use core::ops::Range;

use super::{Growth, PoolPlace, SlotPool};
use crate::handle::{HandleLayout, Word};
use crate::reports::errors::PoolName;
use crate::slots::reuse::{Queue, ReuseOrder};
use crate::snapshot::Checksum;
use crate::snapshot::state::{Shape, sealed};

crate::snapshot::snapshot_methods!(
    SlotPool<T, G, R, H, P>,
    [T, R: ReuseOrder, H: HandleLayout, P: PoolPlace<T, R, H>, G: Growth<T, R, H, P>], values T
);

impl<T, R: ReuseOrder, H: HandleLayout, P: PoolPlace<T, R, H>, G: Growth<T, R, H, P>> sealed::State
    for SlotPool<T, G, R, H, P>
{
    type Value = T;
    type Handle = H;

    /// Pools of the same limit have the same shape, however far they have grown.
    fn shape(&self) -> Shape {
        let block_sizes = self.growth.block_sizes(&self.storage);
        Shape {
            block_sizes,
            ..Shape::new(self.growth.slots_max(&self.storage), &self.core.circle())
        }
    }

    fn add_growth_to(&self, sum: &mut Checksum) {
        self.growth.add_to(&self.storage, sum);
    }

    fn into_past(mut self) -> Self {
        self.unwatch();
        self
    }

    fn used(&self) -> usize {
        match self.growth.known(&self.storage) {
            known if known > self.capacity() => known,
            _ => self.core.used(self.storage.words()),
        }
    }

    #[inline]
    fn word(&self, index: usize) -> H::Word {
        self.growth.word_of(index, &self.storage, &self.core).unwrap_or(H::Word::RETIRED)
    }

    #[inline]
    fn value(&self, index: usize) -> Option<&T> {
        self.storage.get(index)
    }

    fn order(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.core.queue().order(&self.storage, self.core.used(self.storage.words()))
    }
}

impl<T, R: ReuseOrder, H: HandleLayout, P: PoolPlace<T, R, H>, G: Growth<T, R, H, P>>
    SlotPool<T, G, R, H, P>
{
    /// Gives this pool as many slots as `other` has, because what comes next depends on it, and its state.
    fn become_like(&mut self, other: &Self, copy_values: impl FnOnce(&mut Self, &Self, usize)) {
        // If the numbers of slots differ, the order's data is of no use.
        let used = match self.capacity() == other.capacity() {
            true => {
                self.core.used(self.storage.words()).max(other.core.used(other.storage.words()))
            }
            false => other.capacity(),
        };
        let Self { storage, core, growth, .. } = self;
        if growth.become_like(storage, core, &other.growth, &other.storage).is_err() {
            panic!("no memory for the slots of {}", PoolName(self.name()));
        }
        copy_values(self, other, used);
        let Self { core, storage, .. } = self;
        core.copy_state_from(&other.core, other.storage.words().entries(), used, storage);
    }
}

impl<T, R: ReuseOrder, H: HandleLayout, P: PoolPlace<T, R, H>, G: Growth<T, R, H, P>>
    sealed::Restore for SlotPool<T, G, R, H, P>
{
    fn copy_state_from(&mut self, other: &Self)
    where
        T: Copy,
    {
        self.become_like(other, |own, other, used| {
            own.storage.copy_state_from(&other.storage, used);
        });
    }

    fn clone_state_from(&mut self, other: &Self)
    where
        T: Clone,
    {
        self.become_like(other, |own, other, used| {
            own.storage.clone_state_from(&other.storage, used);
        });
    }

    fn empty(&mut self) {
        self.core.mark_all_used(self.growth.known(&self.storage));
        self.storage.recount_retired();
        self.storage.clear(&mut self.core);
    }
}

/// Serialises everything that the pool's future depends on, and its statistics; see
/// [`snapshot`](crate::snapshot#saving-to-a-file).
#[cfg(all(feature = "serde", feature = "alloc"))]
impl<T: ::serde::Serialize, R: ReuseOrder, H: HandleLayout, P, G> ::serde::Serialize
    for SlotPool<T, G, R, H, P>
where
    P: PoolPlace<T, R, H>,
    G: Growth<T, R, H, P>,
    Self: sealed::Written<Value = T>,
{
    fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        sealed::Written::write(self, serializer)
    }
}

/// Deserialises a pool without a name; see [`snapshot`](crate::snapshot#saving-to-a-file).
#[cfg(all(feature = "serde", feature = "alloc"))]
impl<'de, T: ::serde::Deserialize<'de>, R: ReuseOrder, H: HandleLayout, P, G>
    ::serde::Deserialize<'de> for SlotPool<T, G, R, H, P>
where
    P: PoolPlace<T, R, H>,
    G: Growth<T, R, H, P>,
    Self: sealed::Written<Value = T>,
{
    fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        sealed::Written::read(deserializer)
    }
}
