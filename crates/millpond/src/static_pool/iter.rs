use core::fmt;
use core::iter::FusedIterator;

use crate::handle::HandleLayout;
use crate::occupancy::{LiveSlots, Occupancy};
use crate::slots::KeptWords;
use crate::storage;

/// Implements what all iterators over a static pool have in common: `self.slots` is an iterator of the
/// pool's storage, and `$item` makes an item of what it yields and `self.words`.
macro_rules! iterator {
    ($(#[$doc:meta])* $name:ident over $slots:ty, yields $item:ty,
     |$words:ident, $slot:pat_param| $make:expr) => {
        $(#[$doc])*
        pub struct $name<'a, T, const N: usize, H: HandleLayout> {
            slots: $slots,
            words: KeptWords<'a, H::Word>,
        }

        impl<'a, T, const N: usize, H: HandleLayout> $name<'a, T, N, H> {
            #[inline]
            pub(super) fn new(slots: $slots, words: KeptWords<'a, H::Word>) -> Self {
                Self { slots, words }
            }
        }

        impl<'a, T, const N: usize, H: HandleLayout> Iterator for $name<'a, T, N, H> {
            type Item = $item;

            #[inline]
            fn next(&mut self) -> Option<$item> {
                let $slot = self.slots.next()?;
                let $words = self.words;
                $make
            }

            #[inline]
            fn size_hint(&self) -> (usize, Option<usize>) {
                self.slots.size_hint()
            }

            #[inline]
            fn fold<A, F: FnMut(A, $item) -> A>(self, start: A, mut f: F) -> A {
                let $words = self.words;
                self.slots.fold(start, |folded, $slot| match $make {
                    Some(item) => f(folded, item),
                    None => folded,
                })
            }
        }

        impl<T, const N: usize, H: HandleLayout> DoubleEndedIterator for $name<'_, T, N, H> {
            #[inline]
            fn next_back(&mut self) -> Option<Self::Item> {
                let $slot = self.slots.next_back()?;
                let $words = self.words;
                $make
            }
        }

        impl<T, const N: usize, H: HandleLayout> ExactSizeIterator for $name<'_, T, N, H> {}
        impl<T, const N: usize, H: HandleLayout> FusedIterator for $name<'_, T, N, H> {}
    };
}

/// Implements `Clone` and `Debug` for an iterator that lends values.
macro_rules! shared {
    ($name:ident, $debug:ident) => {
        impl<T, const N: usize, H: HandleLayout> Clone for $name<'_, T, N, H> {
            fn clone(&self) -> Self {
                Self { slots: self.slots.clone(), words: self.words }
            }
        }

        impl<T: fmt::Debug, const N: usize, H: HandleLayout> fmt::Debug for $name<'_, T, N, H> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.$debug().entries(self.clone()).finish()
            }
        }
    };
}

/// Implements `Debug` for an iterator that lends values to change.
macro_rules! exclusive {
    ($name:ident) => {
        impl<T, const N: usize, H: HandleLayout> fmt::Debug for $name<'_, T, N, H> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    };
}

iterator! {
    /// The handles and values of a static pool in index order; made by
    /// [`StaticPool::iter`](super::StaticPool::iter).
    Iter over storage::Values<'a, T>, yields (H, &'a T),
    |words, (index, value)| words.handle_at(index).map(|handle| (handle, value))
}
shared! { Iter, debug_map }

iterator! {
    /// The handles and values of a static pool, to change, in index order; made by
    /// [`StaticPool::iter_mut`](super::StaticPool::iter_mut).
    IterMut over storage::ValuesMut<'a, T>, yields (H, &'a mut T),
    |words, (index, value)| words.handle_at(index).map(|handle| (handle, value))
}
exclusive! { IterMut }

iterator! {
    /// The values of a static pool in index order; made by
    /// [`StaticPool::values`](super::StaticPool::values).
    Values over storage::Values<'a, T>, yields &'a T,
    |_words, (_, value)| Some(value)
}
shared! { Values, debug_list }

iterator! {
    /// The values of a static pool, to change, in index order; made by
    /// [`StaticPool::values_mut`](super::StaticPool::values_mut).
    ValuesMut over storage::ValuesMut<'a, T>, yields &'a mut T,
    |_words, (_, value)| Some(value)
}
exclusive! { ValuesMut }

/// The handles of a static pool in index order; made by
/// [`StaticPool::handles`](super::StaticPool::handles).
pub struct Handles<'a, const N: usize, H: HandleLayout> {
    live: LiveSlots<'a>,
    words: KeptWords<'a, H::Word>,
}

impl<'a, const N: usize, H: HandleLayout> Handles<'a, N, H> {
    #[inline]
    pub(super) fn new(occupancy: Occupancy<'a>, words: KeptWords<'a, H::Word>) -> Self {
        Self { live: occupancy.iter(), words }
    }
}

impl<const N: usize, H: HandleLayout> Iterator for Handles<'_, N, H> {
    type Item = H;

    #[inline]
    fn next(&mut self) -> Option<H> {
        self.words.handle_at(self.live.next()?)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.live.size_hint()
    }

    #[inline]
    fn fold<A, F: FnMut(A, H) -> A>(self, start: A, mut f: F) -> A {
        let words = self.words;
        self.live.fold(start, |folded, index| match words.handle_at(index) {
            Some(handle) => f(folded, handle),
            None => folded,
        })
    }
}

impl<const N: usize, H: HandleLayout> DoubleEndedIterator for Handles<'_, N, H> {
    #[inline]
    fn next_back(&mut self) -> Option<H> {
        self.words.handle_at(self.live.next_back()?)
    }
}

impl<const N: usize, H: HandleLayout> ExactSizeIterator for Handles<'_, N, H> {}
impl<const N: usize, H: HandleLayout> FusedIterator for Handles<'_, N, H> {}

impl<const N: usize, H: HandleLayout> Clone for Handles<'_, N, H> {
    fn clone(&self) -> Self {
        Self { live: self.live.clone(), words: self.words }
    }
}

impl<const N: usize, H: HandleLayout> fmt::Debug for Handles<'_, N, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}
