//! The part of a pool that policies can use.

use crate::handle::HandleLayout;
use crate::reports::errors::Full;
use crate::reports::stats::Stats;

/// Whatever begins and ends lifetimes of a limited number of slots. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a pool of millpond",
    label = "not a pool",
    note = "a policy works with a `Pool`, `PackedPool`, `BlockPool` or `StaticPool`, or with a `Spill` of two of them"
)]
pub trait Lifetimes: sealed::Sealed {
    /// What names a lifetime.
    type Handle: HandleLayout;

    /// The number of slots: live, free and retired.
    fn capacity(&self) -> usize;
    /// How many slots there may be at most: every index is below this number, for ever. More than the
    /// capacity only in what grows.
    fn capacity_max(&self) -> usize {
        self.capacity()
    }
    /// Whether only the handles, and the memory, limit the number of slots.
    #[doc(hidden)]
    fn is_unlimited(&self) -> bool {
        false
    }
    /// The number of live slots.
    fn len(&self) -> usize;
    /// Whether no slot is live.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Whether nothing can be added: every slot is live or retired.
    fn is_full(&self) -> bool;
    /// Whether `handle` names a live object.
    fn contains(&self, handle: Self::Handle) -> bool;
    /// How it stands, and what it has done.
    fn stats(&self) -> Stats;

    /// Whether the slot of this live handle retires when the handle's lifetime ends.
    #[doc(hidden)]
    fn is_in_last_lifetime(&self, handle: Self::Handle) -> bool;
}

/// A pool of values that can be full. Its methods do what those of the same names on the pools do.
/// Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a pool that a policy can insert into",
    label = "not a pool of values",
    note = "a policy inserts into a `Pool`, `PackedPool`, `BlockPool` or `StaticPool`, or a `Spill` of two of them",
    note = "for a `Recycler`, an `AnyPool` or a `HandleAllocator`, ask `EvictOldest::oldest` which object to remove"
)]
pub trait Bounded: Lifetimes {
    /// What the pool holds.
    type Value;

    /// Moves a value in.
    ///
    /// # Errors
    ///
    /// If the pool is full. The error returns the value.
    #[cfg_attr(feature = "debug-aids", track_caller)]
    fn insert(&mut self, value: Self::Value) -> Result<Self::Handle, Full<Self::Value>>;
    /// Moves the value out, or returns `None` if the handle is refused.
    #[cfg_attr(feature = "debug-aids", track_caller)]
    fn remove(&mut self, handle: Self::Handle) -> Option<Self::Value>;
    /// Returns a reference to the value, or `None` if the handle is refused.
    fn get(&self, handle: Self::Handle) -> Option<&Self::Value>;
    /// Returns a mutable reference to the value, or `None` if the handle is refused.
    fn get_mut(&mut self, handle: Self::Handle) -> Option<&mut Self::Value>;
    /// All handles and values.
    fn iter<'a>(&'a self) -> impl Iterator<Item = (Self::Handle, &'a Self::Value)>
    where
        Self::Value: 'a;
    /// Iterates over handles and mutable values.
    fn iter_mut<'a>(&'a mut self) -> impl Iterator<Item = (Self::Handle, &'a mut Self::Value)>
    where
        Self::Value: 'a;
    /// Removes the values of which the function says `false`.
    fn retain(&mut self, keep: impl FnMut(Self::Handle, &mut Self::Value) -> bool);
    /// Removes all values.
    fn clear(&mut self);

    /// As `insert`, but a full pool does not count as a refusal.
    #[doc(hidden)]
    #[cfg_attr(feature = "debug-aids", track_caller)]
    fn insert_if_room(&mut self, value: Self::Value) -> Result<Self::Handle, Self::Value>;
    /// Counts a refusal, and says what is said of a full pool.
    #[doc(hidden)]
    fn refuse<V>(&mut self, value: V) -> Full<V>;
    /// As `remove`, for another object to take the slot: counts as an eviction, and no memory is given
    /// back.
    #[doc(hidden)]
    fn evict(&mut self, victim: Self::Handle) -> Option<Self::Value>;
}

/// The slots of two pools that share their handles, if the handle layout can name so many.
pub(crate) fn slots_together(first: usize, second: usize, slots_max: usize) -> Option<usize> {
    first.checked_add(second).filter(|slots| *slots <= slots_max)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On 32 bits a layout may name `usize::MAX` slots.
    #[test]
    fn a_sum_beyond_all_numbers_is_more_than_any_layout_can_name() {
        assert_eq!(slots_together(3, 5, 8), Some(8));
        assert_eq!(slots_together(3, 6, 8), None);
        assert_eq!(slots_together(usize::MAX, 0, usize::MAX), Some(usize::MAX));
        assert_eq!(slots_together(usize::MAX, 1, usize::MAX), None);
        assert_eq!(slots_together(usize::MAX / 2 + 1, usize::MAX / 2 + 1, usize::MAX), None);
    }
}

pub(crate) mod sealed {
    pub trait Sealed {}
}

/// Makes something [`Lifetimes`], from its own methods and one that only its module can have.
macro_rules! lifetimes {
    (
        [$($generics:tt)*] $pool:ty, $handle:ty,
        last: |$last:ident, $asked:ident| $is_last:expr
        $(, most: |$most:ident| $capacity_max:expr, unlimited: $is_unlimited:expr)? $(,)?
    ) => {
        impl<$($generics)*> crate::policies::sealed::Sealed for $pool {}

        impl<$($generics)*> crate::policies::Lifetimes for $pool {
            type Handle = $handle;

            #[inline]
            fn capacity(&self) -> usize {
                self.capacity()
            }
            $(
                #[inline]
                fn capacity_max(&self) -> usize {
                    let $most = self;
                    $capacity_max
                }
                fn is_unlimited(&self) -> bool {
                    let $most = self;
                    $is_unlimited
                }
            )?
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
            fn stats(&self) -> crate::reports::stats::Stats {
                self.stats()
            }
            #[inline]
            fn is_in_last_lifetime(&self, $asked: $handle) -> bool {
                let $last = self;
                $is_last
            }
        }
    };
}
pub(crate) use lifetimes;

/// Makes a pool [`Bounded`], from its own methods and four that only its module can have.
macro_rules! bounded {
    (
        [$($generics:tt)*] $pool:ty, $value:ty, $handle:ty,
        last: |$last:ident, $asked:ident| $is_last:expr,
        $(most: |$most:ident| $capacity_max:expr, unlimited: $is_unlimited:expr,)?
        insert: |$inserting:ident, $inserted:ident| $insert:expr,
        refuse: |$refusing:ident, $refused:ident| $refuse:expr,
        evict: |$evicting:ident, $victim:ident| $evict:expr $(,)?
    ) => {
        crate::policies::lifetimes! {
            [$($generics)*] $pool, $handle,
            last: |$last, $asked| $is_last
            $(, most: |$most| $capacity_max, unlimited: $is_unlimited)?
        }

        impl<$($generics)*> crate::policies::Bounded for $pool {
            type Value = $value;

            #[inline]
            #[cfg_attr(feature = "debug-aids", track_caller)]
            fn insert(&mut self, value: $value) -> Result<$handle, crate::reports::errors::Full<$value>> {
                self.insert(value)
            }
            #[inline]
            #[cfg_attr(feature = "debug-aids", track_caller)]
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
            fn retain(&mut self, keep: impl FnMut($handle, &mut $value) -> bool) {
                self.retain(keep);
            }
            fn clear(&mut self) {
                self.clear();
            }
            // As `Pool::insert`: as a call, it would wait for the value to reach the stack.
            #[inline(always)]
            #[cfg_attr(feature = "debug-aids", track_caller)]
            fn insert_if_room(&mut self, $inserted: $value) -> Result<$handle, $value> {
                let $inserting = self;
                $insert
            }
            fn refuse<V>(&mut self, $refused: V) -> crate::reports::errors::Full<V> {
                let $refusing = self;
                $refuse
            }
            #[inline]
            fn evict(&mut self, $victim: $handle) -> Option<$value> {
                let $evicting = self;
                $evict
            }
        }
    };
}
pub(crate) use bounded;
