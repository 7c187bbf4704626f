//! How the values of a place are found in index order, and by their address.

use super::{FlatPlace, Storage, ValueRuns, ValueRunsMut, Values, ValuesMut};
use crate::slots::{KeptWords, Place};

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
    fn words_and_iter_mut(
        storage: &mut Storage<Self>,
    ) -> (KeptWords<'_, Self::Word>, Self::ValuesMut<'_>);
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
        storage.iter()
    }

    #[inline]
    fn words_and_iter_mut(
        storage: &mut Storage<P>,
    ) -> (KeptWords<'_, P::Word>, ValuesMut<'_, P::Value>) {
        storage.words_and_iter_mut()
    }

    #[inline]
    fn runs(storage: &Storage<P>) -> ValueRuns<'_, P::Value> {
        storage.runs()
    }

    #[inline]
    fn runs_mut(storage: &mut Storage<P>) -> ValueRunsMut<'_, P::Value> {
        storage.runs_mut()
    }

    #[inline]
    fn index_of(storage: &Storage<P>, value: &P::Value) -> Option<usize> {
        storage.index_of(value)
    }
}

#[cfg(feature = "blocks")]
mod in_blocks {
    use super::{KeptWords, Storage, Walk};
    use crate::base::entry::Entry;
    use crate::handle::Word;
    use crate::slots::Blocks;
    use crate::values::{BlockRuns, BlockRunsMut, BlockValues, BlockValuesMut};

    impl<W: Word, E: Entry, T> Walk for Blocks<W, E, T> {
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
            storage.iter()
        }

        #[inline]
        fn words_and_iter_mut(
            storage: &mut Storage<Self>,
        ) -> (KeptWords<'_, W>, BlockValuesMut<'_, T>) {
            storage.words_and_iter_mut()
        }

        #[inline]
        fn runs(storage: &Storage<Self>) -> BlockRuns<'_, T> {
            storage.runs()
        }

        #[inline]
        fn runs_mut(storage: &mut Storage<Self>) -> BlockRunsMut<'_, T> {
            storage.runs_mut()
        }

        #[inline]
        fn index_of(storage: &Storage<Self>, value: &T) -> Option<usize> {
            storage.index_of(value)
        }
    }
}
