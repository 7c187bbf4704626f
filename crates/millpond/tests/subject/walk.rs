//! Iterators of any pool. Each method calls the method of the same name of the pool's own iterator: a plain
//! `Box<dyn Iterator>` would count, fold and find the last item by `next` alone.

use std::cell::Cell;

use super::{AnyHandle, Key};

thread_local! {
    static OWN_BLOCKS: Cell<usize> = const { Cell::new(0) };
}

/// How many blocks of memory the adapters of this thread have taken for themselves after their pools were made.
pub(crate) fn own_blocks() -> usize {
    OWN_BLOCKS.get()
}

/// A box of an adapter's own.
pub(super) fn own_box<V>(value: V) -> Box<V> {
    OWN_BLOCKS.set(OWN_BLOCKS.get() + 1);
    Box::new(value)
}

/// An array of an adapter's own, with room for so many.
pub(super) fn own_vec<V>(room: usize) -> Vec<V> {
    OWN_BLOCKS.set(OWN_BLOCKS.get() + usize::from(room > 0));
    Vec::with_capacity(room)
}

/// An iterator over handles and what they name, of which the handles become keys.
pub(crate) trait Steps<V> {
    fn next(&mut self) -> Option<(Key, V)>;
    fn size_hint(&self) -> (usize, Option<usize>);
    fn nth(&mut self, n: usize) -> Option<(Key, V)>;
    fn count(self: Box<Self>) -> usize;
    fn last(self: Box<Self>) -> Option<(Key, V)>;
    fn for_each(self: Box<Self>, work: &mut dyn FnMut((Key, V)));
    /// Leaks the iterator, but not its box.
    fn forget(self: Box<Self>);
}

/// One that knows how many it has.
pub(crate) trait ExactSteps<V>: Steps<V> {
    fn len(&self) -> usize;
}

/// One that can be used from both ends.
pub(crate) trait StepsFromBothEnds<V>: ExactSteps<V> {
    fn next_back(&mut self) -> Option<(Key, V)>;
}

/// One that can be cloned, too.
pub(crate) trait StepsToClone<V>: StepsFromBothEnds<V> {
    fn clone_box<'a>(&self) -> Box<dyn StepsToClone<V> + 'a>
    where
        Self: 'a;
}

fn keyed<H: AnyHandle, V>((handle, value): (H, V)) -> (Key, V) {
    (Key::of(handle), value)
}

impl<H: AnyHandle, V, I: Iterator<Item = (H, V)>> Steps<V> for I {
    fn next(&mut self) -> Option<(Key, V)> {
        Iterator::next(self).map(keyed)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        Iterator::size_hint(self)
    }

    fn nth(&mut self, n: usize) -> Option<(Key, V)> {
        Iterator::nth(self, n).map(keyed)
    }

    fn count(self: Box<Self>) -> usize {
        Iterator::count(*self)
    }

    fn last(self: Box<Self>) -> Option<(Key, V)> {
        Iterator::last(*self).map(keyed)
    }

    fn for_each(self: Box<Self>, work: &mut dyn FnMut((Key, V))) {
        Iterator::for_each(*self, |item| work(keyed(item)));
    }

    fn forget(self: Box<Self>) {
        std::mem::forget(*self);
    }
}

impl<H: AnyHandle, V, I: ExactSizeIterator<Item = (H, V)>> ExactSteps<V> for I {
    fn len(&self) -> usize {
        ExactSizeIterator::len(self)
    }
}

impl<H, V, I> StepsFromBothEnds<V> for I
where
    H: AnyHandle,
    I: DoubleEndedIterator<Item = (H, V)> + ExactSizeIterator,
{
    fn next_back(&mut self) -> Option<(Key, V)> {
        DoubleEndedIterator::next_back(self).map(keyed)
    }
}

impl<H, V, I> StepsToClone<V> for I
where
    H: AnyHandle,
    I: DoubleEndedIterator<Item = (H, V)> + ExactSizeIterator + Clone,
{
    fn clone_box<'a>(&self) -> Box<dyn StepsToClone<V> + 'a>
    where
        Self: 'a,
    {
        own_box(self.clone())
    }
}

/// A pool's iterator in a box: `dyn Steps` or one of those that can do more.
macro_rules! walks {
    ($($(#[$meta:meta])* $name:ident: $steps:ident, $both_ends:tt;)+) => {$(
        $(#[$meta])*
        pub(crate) struct $name<'a, V>(Box<dyn $steps<V> + 'a>);

        impl<'a, V> $name<'a, V> {
            pub(super) fn new(steps: impl $steps<V> + 'a) -> Self {
                Self(own_box(steps))
            }

            /// Leaks it, as `std::mem::forget` leaks the pool's own.
            pub(crate) fn forget(self) {
                self.0.forget();
            }
        }

        impl<V> Iterator for $name<'_, V> {
            type Item = (Key, V);

            fn next(&mut self) -> Option<(Key, V)> {
                self.0.next()
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                self.0.size_hint()
            }

            fn nth(&mut self, n: usize) -> Option<(Key, V)> {
                self.0.nth(n)
            }

            fn count(self) -> usize {
                self.0.count()
            }

            fn last(self) -> Option<(Key, V)> {
                self.0.last()
            }

            fn fold<A, F: FnMut(A, (Key, V)) -> A>(self, start: A, mut f: F) -> A {
                let mut all = Some(start);
                self.0.for_each(&mut |item| {
                    let before = all.take().expect("the function has returned");
                    all = Some(f(before, item));
                });
                all.expect("the function has returned")
            }
        }

        walks!(@both_ends $name $both_ends);
    )+};
    (@both_ends $name:ident one_end) => {};
    (@both_ends $name:ident exact) => {
        impl<V> ExactSizeIterator for $name<'_, V> {
            fn len(&self) -> usize {
                self.0.len()
            }
        }
    };
    (@both_ends $name:ident both_ends) => {
        walks!(@both_ends $name exact);

        impl<V> DoubleEndedIterator for $name<'_, V> {
            fn next_back(&mut self) -> Option<(Key, V)> {
                self.0.next_back()
            }
        }
    };
}

walks! {
    Walk: Steps, one_end;
    /// With a length.
    ExactWalk: ExactSteps, exact;
    /// From both ends.
    WalkFromBothEnds: StepsFromBothEnds, both_ends;
    /// From both ends, and to be cloned.
    WalkToClone: StepsToClone, both_ends;
}

impl<'a, V: 'a> Clone for WalkToClone<'a, V> {
    fn clone(&self) -> Self {
        Self(self.0.clone_box())
    }
}
