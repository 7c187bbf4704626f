//! Where the slots of a pool lie.

use crate::base::OutOfMemory;
use crate::handle::HandleLayout;
use crate::slots::reuse::ReuseOrder;
use crate::slots::{EntryOf, Inline, Place};
use crate::values::Storage;

/// A place with room for values, for the words of such handles, and for what such an order keeps: one block on the heap, or
/// the pool itself. Sealed.
#[doc(hidden)]
pub trait PoolPlace<T, R: ReuseOrder, H: HandleLayout>:
    Place<Word = H::Word, Entry = EntryOf<R, H>> + Sized
{
    /// A copy with the same words. If a value's clone panics, what was copied is dropped. `touch`: touch every page.
    fn try_clone<L: Clone>(
        storage: &Storage<T, Self, L>,
        touch: bool,
    ) -> Result<Storage<T, Self, L>, OutOfMemory>
    where
        T: Clone;
}

impl<T, R: ReuseOrder, H: HandleLayout, const N: usize> PoolPlace<T, R, H>
    for Inline<T, (R, H::Word, H::Index), N>
{
    fn try_clone<L: Clone>(
        storage: &Storage<T, Self, L>,
        _: bool,
    ) -> Result<Storage<T, Self, L>, OutOfMemory>
    where
        T: Clone,
    {
        let mut copy = Storage::fresh(storage.words().start(), storage.ledger().clone());
        copy.clone_into_unused(storage);
        Ok(copy)
    }
}
