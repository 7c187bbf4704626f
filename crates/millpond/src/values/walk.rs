//! How the values of a place are found in index order, and by their address.

use super::{FlatCut, FlatPlace, Storage, ValueRuns, ValueRunsMut, Values, ValuesMut};
use crate::base::address::position_in;
use crate::slots::Place;

/// Finds the values of live slots with their indices, in index order, from both ends.
pub trait Walks<V>: DoubleEndedIterator<Item = (usize, V)> + ExactSizeIterator {}

impl<V, I: DoubleEndedIterator<Item = (usize, V)> + ExactSizeIterator> Walks<V> for I {}

/// A place whose values can be visited in index order.
pub trait Walk: Place + Sized {
    /// Visits the live values with their indices.
    type Values<'a>: Walks<&'a Self::Value> + Clone
    where
        Self: 'a;
    /// The same, mutable.
    type ValuesMut<'a>: Walks<&'a mut Self::Value>
    where
        Self: 'a;
    /// Visits the runs of live values with the indices of their first slots.
    type Runs<'a>: Iterator<Item = (usize, &'a [Self::Value])>
    where
        Self: 'a;
    /// The same, mutable.
    type RunsMut<'a>: Iterator<Item = (usize, &'a mut [Self::Value])>
    where
        Self: 'a;

    #[doc(hidden)]
    fn iter(storage: &Storage<Self>) -> Self::Values<'_>;
    /// The values, mutable, with the words as they are stored, which have the generations.
    #[doc(hidden)]
    fn words_and_iter_mut(storage: &mut Storage<Self>) -> (&[Self::Word], Self::ValuesMut<'_>);
    #[doc(hidden)]
    fn runs(storage: &Storage<Self>) -> Self::Runs<'_>;
    #[doc(hidden)]
    fn runs_mut(storage: &mut Storage<Self>) -> Self::RunsMut<'_>;
    /// The slot of a value, from its address.
    #[doc(hidden)]
    fn index_of(storage: &Storage<Self>, value: &Self::Value) -> Option<usize>;
}

impl<P: FlatPlace> Walk for P {
    type Values<'a>
        = Values<'a, P::Value>
    where
        P: 'a;
    type ValuesMut<'a>
        = ValuesMut<'a, P::Value>
    where
        P: 'a;
    type Runs<'a>
        = ValueRuns<'a, P::Value>
    where
        P: 'a;
    type RunsMut<'a>
        = ValueRunsMut<'a, P::Value>
    where
        P: 'a;

    #[inline]
    fn iter(storage: &Storage<P>) -> Values<'_, P::Value> {
        Values::new(storage.values(), storage.occupancy())
    }

    #[inline]
    fn words_and_iter_mut(
        storage: &mut Storage<P>,
    ) -> (&[P::Word], ValuesMut<'_, P::Value>) {
        let (words, values, occupancy) = storage.split_mut();
        (words, ValuesMut::new(values, occupancy))
    }

    #[inline]
    fn runs(storage: &Storage<P>) -> ValueRuns<'_, P::Value> {
        let (values, runs) = (storage.values(), storage.occupancy().runs());
        // SAFETY: the slots are borrowed with the storage; those of a run are live (invariant 4 of `values`), so their
        // values are initialised (invariant 2).
        unsafe { ValueRuns::new(FlatCut::new(values.as_ptr().cast(), values.len(), runs)) }
    }

    #[inline]
    fn runs_mut(storage: &mut Storage<P>) -> ValueRunsMut<'_, P::Value> {
        storage.words_and_runs_mut().1
    }

    fn index_of(storage: &Storage<P>, value: &P::Value) -> Option<usize> {
        position_in(storage.values(), core::ptr::from_ref(value))
            .filter(|&index| storage.words.is_live(index))
    }
}

#[cfg(feature = "blocks")]
mod in_blocks {
    use super::{KeptWords, Storage, Walk};

    use crate::slots::{Blocks, SlotKind};
    use crate::values::block_walk::{
        BlockCut, BlockRuns, BlockRunsMut, BlockValues, BlockValuesMut,
    };

    impl<T, K: SlotKind> Walk for Blocks<T, K> {
        type Values<'a>
            = BlockValues<'a, T>
        where
            Self: 'a;
        type ValuesMut<'a>
            = BlockValuesMut<'a, T>
        where
            Self: 'a;
        type Runs<'a>
            = BlockRuns<'a, T>
        where
            Self: 'a;
        type RunsMut<'a>
            = BlockRunsMut<'a, T>
        where
            Self: 'a;

        #[inline]
        fn iter(storage: &Storage<Self>) -> BlockValues<'_, T> {
            // SAFETY: both are of this storage, which is borrowed as long as the walk.
            unsafe { BlockValues::new(storage.place().values(), &storage.words) }
        }

        #[inline]
        fn words_and_iter_mut(
            storage: &mut Storage<Self>,
        ) -> (KeptWords<'_, K::Word>, BlockValuesMut<'_, T>) {
            storage.words.refresh();
            // SAFETY: both are of this storage, the values of which are borrowed mutably as long as the walk.
            let values = unsafe { BlockValuesMut::new(storage.place().values(), &storage.words) };
            (storage.words.kept(), values)
        }

        #[inline]
        fn runs(storage: &Storage<Self>) -> BlockRuns<'_, T> {
            // SAFETY: both are of this storage, which is borrowed as long as the runs.
            unsafe { BlockRuns::new(BlockCut::new(storage.place().values(), &storage.words)) }
        }

        #[inline]
        fn runs_mut(storage: &mut Storage<Self>) -> BlockRunsMut<'_, T> {
            storage.words.refresh();
            // SAFETY: both are of this storage, the values of which are borrowed mutably as long as the runs.
            unsafe { BlockRunsMut::new(BlockCut::new(storage.place().values(), &storage.words)) }
        }

        // O(blocks).
        fn index_of(storage: &Storage<Self>, value: &T) -> Option<usize> {
            let index = storage.place().slot_at(core::ptr::from_ref(value).addr())?;
            storage.words.is_live(index).then_some(index)
        }
    }
}
