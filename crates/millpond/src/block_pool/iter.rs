use core::fmt;
use core::iter::{Enumerate, FusedIterator};
use core::slice;

use super::{Block, BlockPool};
use crate::handle::{Handle, HandleLayout, Issue};
use crate::pool;
use crate::reuse::{Lifo, ReuseOrder};

/// The blocks of a pool one after the other, each with the index of its first slot, and of two blocks
/// what is left of an iterator over its slots.
#[derive(Clone)]
struct Chain<B, I> {
    blocks: Enumerate<B>,
    shift: u32,
    front: Option<(usize, I)>,
    back: Option<(usize, I)>,
    /// How many items neither end has handed out.
    remaining: usize,
}

impl<B: Iterator, I> Chain<B, I> {
    #[inline]
    fn new(blocks: B, shift: u32, remaining: usize) -> Self {
        Self { blocks: blocks.enumerate(), shift, front: None, back: None, remaining }
    }
}

impl<B, I> Chain<B, I>
where
    B: DoubleEndedIterator + ExactSizeIterator,
    I: DoubleEndedIterator,
{
    #[inline]
    fn next(&mut self, open: impl Fn(B::Item) -> Option<I>) -> Option<(usize, I::Item)> {
        loop {
            if let Some((first, slots)) = &mut self.front {
                if let Some(item) = slots.next() {
                    self.remaining = self.remaining.saturating_sub(1);
                    return Some((*first, item));
                }
            }
            match self.blocks.next() {
                Some((at, block)) => {
                    self.front = open(block).map(|slots| (at << self.shift, slots))
                }
                None => {
                    self.front = None;
                    let (first, slots) = self.back.as_mut()?;
                    let item = slots.next()?;
                    self.remaining = self.remaining.saturating_sub(1);
                    return Some((*first, item));
                }
            }
        }
    }

    #[inline]
    fn next_back(&mut self, open: impl Fn(B::Item) -> Option<I>) -> Option<(usize, I::Item)> {
        loop {
            if let Some((first, slots)) = &mut self.back {
                if let Some(item) = slots.next_back() {
                    self.remaining = self.remaining.saturating_sub(1);
                    return Some((*first, item));
                }
            }
            match self.blocks.next_back() {
                Some((at, block)) => self.back = open(block).map(|slots| (at << self.shift, slots)),
                None => {
                    self.back = None;
                    let (first, slots) = self.front.as_mut()?;
                    let item = slots.next_back()?;
                    self.remaining = self.remaining.saturating_sub(1);
                    return Some((*first, item));
                }
            }
        }
    }

    #[inline]
    fn fold<A>(
        self,
        start: A,
        open: impl Fn(B::Item) -> Option<I>,
        mut f: impl FnMut(A, usize, I::Item) -> A,
    ) -> A {
        let shift = self.shift;
        let mut folded = start;
        if let Some((first, slots)) = self.front {
            folded = slots.fold(folded, |folded, item| f(folded, first, item));
        }
        for (at, block) in self.blocks {
            if let Some(slots) = open(block) {
                let first = at << shift;
                folded = slots.fold(folded, |folded, item| f(folded, first, item));
            }
        }
        if let Some((first, slots)) = self.back {
            folded = slots.fold(folded, |folded, item| f(folded, first, item));
        }
        folded
    }
}

type Blocks<'a, T, R, H> = slice::Iter<'a, Block<T, R, H>>;
type BlocksMut<'a, T, R, H> = slice::IterMut<'a, Block<T, R, H>>;

/// The handle as the program knows it, of one of the pool of a block that begins at `first`.
#[inline]
fn outer<H: HandleLayout>(first: usize, inner: H) -> H {
    H::from_live_parts(first | inner.index() as usize, inner.word())
}

/// An iterator over all blocks: `$slots` is the iterator of a block's own pool, made by `$open`, and
/// `$make` makes an item of the index of the block's first slot and an item of `$slots`. It is `exact`
/// if there is one item for each value.
macro_rules! iterator {
    (
        $(#[$doc:meta])*
        $name:ident over $blocks:ty, $pool:ident.$open:ident() as $slots:ty,
        yields $item:ty, exact: $exact:literal, |$first:pat_param, $of_slot:pat_param| $make:expr
    ) => {
        $(#[$doc])*
        pub struct $name<'a, T, R: ReuseOrder = Lifo, H: HandleLayout = Handle<T>> {
            chain: Chain<$blocks, $slots>,
        }

        impl<'a, T, R: ReuseOrder, H: HandleLayout> $name<'a, T, R, H> {
            #[inline]
            fn open(block: <$blocks as Iterator>::Item) -> Option<$slots> {
                Some(block.$pool()?.$open())
            }
        }

        impl<'a, T, R: ReuseOrder, H: HandleLayout> Iterator for $name<'a, T, R, H> {
            type Item = $item;

            #[inline]
            fn next(&mut self) -> Option<$item> {
                self.chain.next(Self::open).map(|($first, $of_slot)| $make)
            }

            #[inline]
            fn size_hint(&self) -> (usize, Option<usize>) {
                let remaining = self.chain.remaining;
                (if $exact { remaining } else { 0 }, Some(remaining))
            }

            #[inline]
            fn last(mut self) -> Option<Self::Item> {
                self.next_back()
            }

            #[inline]
            fn fold<A, F: FnMut(A, $item) -> A>(self, start: A, mut f: F) -> A {
                self.chain.fold(start, Self::open, |folded, $first, $of_slot| f(folded, $make))
            }
        }

        impl<'a, T, R: ReuseOrder, H: HandleLayout> DoubleEndedIterator for $name<'a, T, R, H> {
            #[inline]
            fn next_back(&mut self) -> Option<$item> {
                self.chain.next_back(Self::open).map(|($first, $of_slot)| $make)
            }
        }

        impl<T, R: ReuseOrder, H: HandleLayout> FusedIterator for $name<'_, T, R, H> {}
    };
}

/// Implements `Clone` and `Debug` for an iterator that lends values.
macro_rules! shared {
    ($name:ident, $debug:ident $(, $bound:path)?) => {
        impl<T, R: ReuseOrder, H: HandleLayout> Clone for $name<'_, T, R, H> {
            fn clone(&self) -> Self {
                Self { chain: self.chain.clone() }
            }
        }

        impl<T $(: $bound)?, R: ReuseOrder, H: HandleLayout> fmt::Debug for $name<'_, T, R, H> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.$debug().entries(self.clone()).finish()
            }
        }
    };
}

/// Implements `Debug` for an iterator that lends values to change.
macro_rules! exclusive {
    ($name:ident) => {
        impl<T, R: ReuseOrder, H: HandleLayout> fmt::Debug for $name<'_, T, R, H> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    };
}

/// Implements `ExactSizeIterator` for the iterators with one item for each value.
macro_rules! exact {
    ($($name:ident),*) => {$(
        impl<T, R: ReuseOrder, H: HandleLayout> ExactSizeIterator for $name<'_, T, R, H> {}
    )*};
}

iterator! {
    /// The handles and values of a block pool in index order; made by [`BlockPool::iter`].
    Iter over Blocks<'a, T, R, H>, pool.iter() as pool::Iter<'a, T, R, H>,
    yields (H, &'a T), exact: true, |first, (inner, value)| (outer(first, inner), value)
}
shared! { Iter, debug_map, fmt::Debug }

iterator! {
    /// The handles and values of a block pool, to change, in index order; made by
    /// [`BlockPool::iter_mut`].
    IterMut over BlocksMut<'a, T, R, H>, pool_mut.iter_mut() as pool::IterMut<'a, T, R, H>,
    yields (H, &'a mut T), exact: true, |first, (inner, value)| (outer(first, inner), value)
}
exclusive! { IterMut }

iterator! {
    /// The handles of a block pool in index order; made by [`BlockPool::handles`].
    Handles over Blocks<'a, T, R, H>, pool.handles() as pool::Handles<'a, R, H>,
    yields H, exact: true, |first, inner| outer(first, inner)
}
shared! { Handles, debug_list }

iterator! {
    /// The values of a block pool in index order; made by [`BlockPool::values`].
    Values over Blocks<'a, T, R, H>, pool.values() as pool::Values<'a, T>,
    yields &'a T, exact: true, |_, value| value
}
shared! { Values, debug_list, fmt::Debug }

iterator! {
    /// The values of a block pool, to change, in index order; made by [`BlockPool::values_mut`].
    ValuesMut over BlocksMut<'a, T, R, H>, pool_mut.values_mut() as pool::ValuesMut<'a, T>,
    yields &'a mut T, exact: true, |_, value| value
}
exclusive! { ValuesMut }

exact! { Iter, IterMut, Handles, Values, ValuesMut }

iterator! {
    /// The runs of a block pool's live slots: `(first index, &[T])`, in index order, from both ends. A
    /// run ends with its block; made by [`BlockPool::runs`].
    ValueRuns over Blocks<'a, T, R, H>, pool.runs() as pool::ValueRuns<'a, T>,
    yields (usize, &'a [T]), exact: false, |first, (slot, run)| (first | slot, run)
}
shared! { ValueRuns, debug_map, fmt::Debug }

iterator! {
    /// The runs of a block pool's live slots, to change: `(first index, &mut [T])`, in index order, from
    /// both ends. A run ends with its block; made by [`BlockPool::runs_mut`].
    ValueRunsMut over BlocksMut<'a, T, R, H>, pool_mut.runs_mut() as pool::ValueRunsMut<'a, T>,
    yields (usize, &'a mut [T]), exact: false, |first, (slot, run)| (first | slot, run)
}
exclusive! { ValueRunsMut }

impl<T, R: ReuseOrder, H: HandleLayout> BlockPool<T, R, H> {
    /// The handles and values in index order, from both ends. In hot code prefer
    /// [`for_each`](Iterator::for_each) or [`runs`](Self::runs) over `for`.
    ///
    /// ```
    /// # use millpond::BlockPool;
    /// let mut pool = BlockPool::with_blocks(1, 8);
    /// let a = pool.insert("a").unwrap();
    /// let b = pool.insert("b").unwrap();
    /// assert_eq!(pool.iter().collect::<Vec<_>>(), [(a, &"a"), (b, &"b")]);
    /// assert_eq!(pool.iter().next_back(), Some((b, &"b")));
    /// ```
    #[inline]
    pub fn iter(&self) -> Iter<'_, T, R, H> {
        Iter { chain: Chain::new(self.blocks.iter(), self.shift, self.len()) }
    }

    /// The handles and values, to change, in index order, from both ends.
    ///
    /// ```
    /// # use millpond::BlockPool;
    /// let mut pool = BlockPool::with_blocks(8, 8);
    /// let handle = pool.insert(1).unwrap();
    /// pool.iter_mut().for_each(|(_, value)| *value *= 10);
    /// assert_eq!(pool[handle], 10);
    /// ```
    #[inline]
    pub fn iter_mut(&mut self) -> IterMut<'_, T, R, H> {
        let live = self.len();
        IterMut { chain: Chain::new(self.blocks.iter_mut(), self.shift, live) }
    }

    /// The handles in index order, from both ends.
    #[inline]
    pub fn handles(&self) -> Handles<'_, T, R, H> {
        Handles { chain: Chain::new(self.blocks.iter(), self.shift, self.len()) }
    }

    /// The values in index order, from both ends.
    ///
    /// ```
    /// # use millpond::BlockPool;
    /// let mut pool = BlockPool::with_blocks(8, 8);
    /// pool.insert(1).unwrap();
    /// pool.insert(2).unwrap();
    /// assert_eq!(pool.values().sum::<i32>(), 3);
    /// ```
    #[inline]
    pub fn values(&self) -> Values<'_, T, R, H> {
        Values { chain: Chain::new(self.blocks.iter(), self.shift, self.len()) }
    }

    /// The values, to change, in index order, from both ends.
    #[inline]
    pub fn values_mut(&mut self) -> ValuesMut<'_, T, R, H> {
        let live = self.len();
        ValuesMut { chain: Chain::new(self.blocks.iter_mut(), self.shift, live) }
    }

    /// The runs of live slots in index order: `(first index, slice)` for each stretch of adjacent live
    /// slots of a block.
    ///
    /// ```
    /// # use millpond::BlockPool;
    /// let mut pool = BlockPool::with_blocks(4, 8);
    /// let handles: Vec<_> = (0..6).map(|i| pool.insert(i).unwrap()).collect();
    /// pool.remove(handles[1]);
    /// assert_eq!(
    ///     pool.runs().collect::<Vec<_>>(),
    ///     [(0, &[0][..]), (2, &[2, 3]), (4, &[4, 5])],
    /// );
    /// ```
    #[inline]
    pub fn runs(&self) -> ValueRuns<'_, T, R, H> {
        ValueRuns { chain: Chain::new(self.blocks.iter(), self.shift, self.len()) }
    }

    /// The runs of live slots, to change: `(first index, slice)`.
    ///
    /// ```
    /// # use millpond::BlockPool;
    /// let mut pool = BlockPool::with_blocks(8, 8);
    /// let handle = pool.insert(1.0).unwrap();
    /// for (_, run) in pool.runs_mut() {
    ///     for value in run {
    ///         *value += 0.5;
    ///     }
    /// }
    /// assert_eq!(pool[handle], 1.5);
    /// ```
    #[inline]
    pub fn runs_mut(&mut self) -> ValueRunsMut<'_, T, R, H> {
        let live = self.len();
        ValueRunsMut { chain: Chain::new(self.blocks.iter_mut(), self.shift, live) }
    }

    /// Moves all values out, in index order. What is not taken is removed when the iterator is
    /// dropped; if the iterator is leaked, what it has not handed out stays in the pool.
    ///
    /// ```
    /// # use millpond::BlockPool;
    /// let mut pool = BlockPool::with_blocks(8, 8);
    /// let handle = pool.insert("a").unwrap();
    /// assert_eq!(pool.drain().collect::<Vec<_>>(), [(handle, "a")]);
    /// assert!(pool.is_empty() && !pool.contains(handle));
    /// ```
    #[inline]
    pub fn drain(&mut self) -> super::Drain<'_, T, R, H> {
        super::Drain::new(self)
    }

    /// Moves out the values that the function chooses, one at a time, in index order. What the
    /// iterator has not come to stays in the pool.
    ///
    /// ```
    /// # use millpond::BlockPool;
    /// let mut pool = BlockPool::with_blocks(2, 8);
    /// for i in 0..6 {
    ///     pool.insert(i).unwrap();
    /// }
    /// let even: Vec<_> = pool.extract_if(|_, value| *value % 2 == 0).map(|(_, v)| v).collect();
    /// assert_eq!(even, [0, 2, 4]);
    /// assert_eq!(pool.len(), 3);
    /// ```
    #[inline]
    pub fn extract_if<F: FnMut(H, &mut T) -> bool>(
        &mut self,
        choose: F,
    ) -> super::ExtractIf<'_, T, R, H, F> {
        super::ExtractIf::new(self, choose)
    }
}
