//! Where the slots of a pool lie.

use crate::base::OutOfMemory;
use crate::handle::{HandleLayout, Word};
use crate::slots::reuse::ReuseOrder;
use crate::slots::{Circle, EntryOf, Needs, Place, SlotKind};
use crate::values::{Storage, Walk};

/// A place with room for values, for the words of such handles, and for what such an order keeps: one block on the heap,
/// several blocks, or the pool itself. Sealed.
#[doc(hidden)]
pub trait PoolPlace<T, R: ReuseOrder, H: HandleLayout>:
    Place<Value = T, Word = H::Word, Entry = EntryOf<R, H>> + Walk + TryClone
{
}

impl<T, R: ReuseOrder, H: HandleLayout, P> PoolPlace<T, R, H> for P where
    P: Place<Value = T, Word = H::Word, Entry = EntryOf<R, H>> + Walk + TryClone
{
}

/// How the slots of a pool are copied.
#[doc(hidden)]
pub trait TryClone: Place + Sized {
    /// A copy with the same words. If a value's clone panics, what was copied is dropped. `touch`: touch every page.
    fn try_clone(
        storage: &Storage<Self>,
        needs: Needs<Self::Entry>,
        circle: &Circle<Self::Word>,
        touch: bool,
    ) -> Result<Storage<Self>, OutOfMemory>
    where
        Self::Value: Clone;

    /// All slots, which are dead, begin at this generation from now on; their words are written next.
    #[cfg(all(feature = "serde", feature = "alloc"))]
    fn begin_at(_storage: &mut Storage<Self>, _first: Self::Word) {}
}

#[cfg(feature = "alloc")]
impl<T, K: SlotKind> TryClone for crate::slots::Block<T, K> {
    fn try_clone(
        storage: &Storage<Self>,
        _: Needs<K::Entry>,
        _: &Circle<K::Word>,
        touch: bool,
    ) -> Result<Storage<Self>, OutOfMemory>
    where
        T: Clone,
    {
        storage.try_clone(touch)
    }
}

#[cfg(feature = "blocks")]
impl<T, K: SlotKind> TryClone for crate::slots::Blocks<T, K> {
    fn try_clone(
        storage: &Storage<Self>,
        needs: Needs<K::Entry>,
        circle: &Circle<K::Word>,
        _: bool,
    ) -> Result<Storage<Self>, OutOfMemory>
    where
        T: Clone,
    {
        storage.try_clone_blocks(needs, circle)
    }
}

impl<T, K: SlotKind, const N: usize> TryClone for crate::slots::Inline<T, K, N> {
    fn try_clone(
        storage: &Storage<Self>,
        _: Needs<K::Entry>,
        circle: &Circle<K::Word>,
        _: bool,
    ) -> Result<Storage<Self>, OutOfMemory>
    where
        T: Clone,
    {
        let mut copy = Storage::<Self>::fresh(circle.start().generation());
        copy.clone_into_fresh(storage);
        Ok(copy)
    }

    #[cfg(all(feature = "serde", feature = "alloc"))]
    fn begin_at(storage: &mut Storage<Self>, first: K::Word) {
        *storage = Storage::fresh(first.generation());
    }
}
