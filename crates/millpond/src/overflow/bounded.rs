//! The part of a pool that code for pools of any kind can use, such as a policy.

use crate::handle::HandleLayout;
use crate::reports::errors::Full;
use crate::reports::stats::Stats;

/// A pool or allocator whose handles name lifetimes of its slots. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a pool of millpond",
    label = "not a pool",
    note = "a policy works with a `Pool`, `PackedPool`, `VecPool`, `PackedVecPool` or `StaticPool`, or with a `Spill` of two of them",
    note = "`EvictOldest::oldest` also works beside a `Recycler` or a `HandleAllocator`"
)]
pub trait Lifetimes: sealed::Sealed {
    /// The handle type, which names lifetimes.
    type Handle: HandleLayout;

    /// Returns the number of slots: live, free and retired.
    fn capacity(&self) -> usize;
    /// Returns the largest number of slots that there may be: every index is below it. It exceeds
    /// the capacity only in pools that grow.
    fn capacity_max(&self) -> usize;
    /// Returns the number of live slots.
    fn len(&self) -> usize;
    /// Returns whether no slot is live.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Returns whether an insertion would fail because every slot that the pool may have is live or
    /// retired.
    fn is_full(&self) -> bool;
    /// Returns whether `handle` names a live object.
    fn contains(&self, handle: Self::Handle) -> bool;
    /// Returns the counters: slots by state, the peak, insertions, refusals and evictions.
    fn stats(&self) -> Stats;

    /// Returns whether the slot of this live handle retires when the handle's lifetime ends.
    #[doc(hidden)]
    fn is_in_last_lifetime(&self, handle: Self::Handle) -> bool;
}

/// A pool of values that can be full. Each method does what the pools' own method of that name
/// does. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a pool that a policy can insert into",
    label = "not a pool of values",
    note = "a policy inserts into a `Pool`, `PackedPool`, `VecPool`, `PackedVecPool` or `StaticPool`, or a `Spill` of two of them",
    note = "for a `Recycler` or a `HandleAllocator`, call `EvictOldest::oldest` to find the object to remove"
)]
pub trait Bounded: Lifetimes {
    /// The type of the pool's values.
    type Value;

    /// Moves `value` into a free slot and returns its handle.
    ///
    /// # Errors
    ///
    /// If the pool is full. The error returns `value`.
    #[track_caller]
    fn insert(&mut self, value: Self::Value) -> Result<Self::Handle, Full<Self::Value>>;
    /// Moves the handle's value out, or returns `None` if the handle is refused.
    #[track_caller]
    fn remove(&mut self, handle: Self::Handle) -> Option<Self::Value>;
    /// Returns a reference to the handle's value, or `None` if the handle is refused.
    fn get(&self, handle: Self::Handle) -> Option<&Self::Value>;
    /// Returns a mutable reference to the handle's value, or `None` if the handle is refused.
    fn get_mut(&mut self, handle: Self::Handle) -> Option<&mut Self::Value>;
    /// Iterates over handles and values.
    fn iter<'a>(&'a self) -> impl Iterator<Item = (Self::Handle, &'a Self::Value)>
    where
        Self::Value: 'a;
    /// Iterates over handles and mutable references to values.
    fn iter_mut<'a>(&'a mut self) -> impl Iterator<Item = (Self::Handle, &'a mut Self::Value)>
    where
        Self::Value: 'a;
    /// Calls `keep` once per live object, and removes the values for which it returns `false`.
    #[track_caller]
    fn retain(&mut self, keep: impl FnMut(Self::Handle, &mut Self::Value) -> bool);
    /// Removes and drops all values.
    #[track_caller]
    fn clear(&mut self);

    /// Like `insert`, but a full pool does not count as a refusal.
    #[doc(hidden)]
    #[track_caller]
    fn insert_if_room(&mut self, value: Self::Value) -> Result<Self::Handle, Self::Value>;
    /// Counts a refusal, and returns the error of a full pool.
    #[doc(hidden)]
    fn refuse<V>(&mut self, value: V) -> Full<V>;
    /// Like `remove`, to make room for another object: counts as an eviction.
    #[doc(hidden)]
    #[track_caller]
    fn evict(&mut self, victim: Self::Handle) -> Option<Self::Value>;
}

/// The handle of an inserted value, and the evicted object, if any, with the handle that it had.
pub type Inserted<P> =
    (<P as Lifetimes>::Handle, Option<(<P as Lifetimes>::Handle, <P as Bounded>::Value)>);

/// What seals the traits; it can be named by the crates beside this one alone (`__parts`).
pub mod sealed {
    /// Only pools of this repository have it.
    pub trait Sealed {}
}

/// Implements [`Lifetimes`] with a type's own methods and two that only its module can have.
#[doc(hidden)]
#[macro_export]
macro_rules! __lifetimes {
    (
        [$($generics:tt)*] $pool:ty, $handle:ty,
        last: |$last:ident, $asked:ident| $is_last:expr,
        most: |$most:ident| $capacity_max:expr $(,)?
    ) => {
        impl<$($generics)*> $crate::overflow::sealed::Sealed for $pool {}

        impl<$($generics)*> $crate::overflow::Lifetimes for $pool {
            type Handle = $handle;

            #[inline]
            fn capacity(&self) -> usize {
                self.capacity()
            }
            #[inline]
            fn capacity_max(&$most) -> usize {
                $capacity_max
            }
            #[inline]
            fn len(&self) -> usize {
                self.len()
            }
            #[inline]
            fn is_full(&self) -> bool {
                self.is_full()
            }
            #[inline]
            fn contains(&self, handle: $handle) -> bool {
                self.contains(handle)
            }
            fn stats(&self) -> $crate::Stats {
                self.stats()
            }
            #[inline]
            fn is_in_last_lifetime(&$last, $asked: $handle) -> bool {
                $is_last
            }
        }
    };
}
pub(crate) use __lifetimes as lifetimes;

/// Implements [`Bounded`] with a pool's own methods and five that only its module can have.
#[doc(hidden)]
#[macro_export]
macro_rules! __bounded {
    (
        [$($generics:tt)*] $pool:ty, $value:ty, $handle:ty,
        last: |$last:ident, $asked:ident| $is_last:expr,
        most: |$most:ident| $capacity_max:expr,
        insert: |$inserting:ident, $inserted:ident| $insert:expr,
        refuse: |$refusing:ident, $refused:ident| $refuse:expr,
        evict: |$evicting:ident, $victim:ident| $evict:expr $(,)?
    ) => {
        $crate::__lifetimes! {
            [$($generics)*] $pool, $handle,
            last: |$last, $asked| $is_last,
            most: |$most| $capacity_max
        }

        impl<$($generics)*> $crate::overflow::Bounded for $pool {
            type Value = $value;

            #[inline]
            #[track_caller]
            fn insert(&mut self, value: $value) -> Result<$handle, $crate::Full<$value>> {
                self.insert(value)
            }
            #[inline]
            #[track_caller]
            fn remove(&mut self, handle: $handle) -> Option<$value> {
                self.remove(handle)
            }
            #[inline]
            fn get(&self, handle: $handle) -> Option<&$value> {
                self.get(handle)
            }
            #[inline]
            fn get_mut(&mut self, handle: $handle) -> Option<&mut $value> {
                self.get_mut(handle)
            }
            #[inline]
            fn iter<'a>(&'a self) -> impl Iterator<Item = ($handle, &'a $value)>
            where
                $value: 'a,
            {
                self.iter()
            }
            #[inline]
            fn iter_mut<'a>(&'a mut self) -> impl Iterator<Item = ($handle, &'a mut $value)>
            where
                $value: 'a,
            {
                self.iter_mut()
            }
            #[track_caller]
            fn retain(&mut self, keep: impl FnMut($handle, &mut $value) -> bool) {
                self.retain(keep);
            }
            #[track_caller]
            fn clear(&mut self) {
                self.clear();
            }
            // Inlined like `Pool::insert`: as a call, it would wait for the value to reach the
            // stack.
            #[inline(always)]
            #[track_caller]
            fn insert_if_room(&mut $inserting, $inserted: $value) -> Result<$handle, $value> {
                $insert
            }
            fn refuse<V>(&mut $refusing, $refused: V) -> $crate::Full<V> {
                $refuse
            }
            #[inline]
            #[track_caller]
            fn evict(&mut $evicting, $victim: $handle) -> Option<$value> {
                $evict
            }
        }
    };
}
pub(crate) use __bounded as bounded;
