//! What the pools that grow have beside the methods of those that do not, in the same words.

/// Implements it for a pool of such values and handles, which has a constant `EMPTY`. `example` is the name that examples have for
/// it; `grow` lets it have this many slots, and touches their pages.
macro_rules! growing_pool {
    (
        [$($generics:tt)*] $pool:ty, $value:ty, $handle:ty,
        example: $example:literal, grow: |$growing:ident, $slots:ident| $grow:expr $(,)?
    ) => {
        impl<$($generics)*> $pool {
            /// Returns the largest number of slots that the pool may have, its limit: every index is below it.
            ///
            /// ```
            #[doc = concat!("# use millpond::", $example, ";")]
            #[doc = concat!("let pool = ", $example, "::<u8>::builder().capacity_max(100).build();")]
            /// assert_eq!((pool.capacity(), pool.capacity_max()), (0, 100));
            /// ```
            #[inline]
            #[must_use]
            pub fn capacity_max(&self) -> usize {
                self.growth.limit::<$handle>()
            }

            /// Moves `value` into a slot like [`insert`](Self::insert), but returns the handle without a
            /// `Result`. This is for pools that only memory limits.
            ///
            /// ```
            #[doc = concat!("# use millpond::", $example, ";")]
            #[doc = concat!("let mut pool = ", $example, "::new();")]
            /// let handle = pool.push("a");
            /// assert_eq!(pool[handle], "a");
            /// ```
            ///
            /// # Panics
            ///
            /// If memory runs out, as with a `Vec`, or if the pool has a limit and is full.
            #[inline(always)]
            #[track_caller]
            pub fn push(&mut self, value: $value) -> $handle {
                match self.insert(value) {
                    Ok(handle) => handle,
                    Err(full) => crate::pools::doubling::no_room(full.pool),
                }
            }

            /// Makes sure that `additional` more values can be inserted without growth, so that growth happens before play
            /// and not during it. If there is not enough room, the pool at least doubles, up to its limit. Every page of the new
            /// slots is touched. O(capacity).
            ///
            /// ```
            #[doc = concat!("use millpond::", $example, ";")]
            ///
            #[doc = concat!("let mut pool = ", $example, "::<[f32; 4]>::new();")]
            /// pool.reserve(3000)?;
            /// for _ in 0..3000 {
            ///     pool.push([0.0; 4]); // takes no memory
            /// }
            /// assert_eq!(pool.capacity(), 3000);
            /// # Ok::<(), Box<dyn std::error::Error>>(())
            /// ```
            ///
            /// # Errors
            ///
            /// If the slots would exceed the pool's limit, or memory runs out. The pool is then as before.
            pub fn reserve(
                &mut self,
                additional: usize,
            ) -> Result<(), crate::pools::doubling::ReserveError> {
                let crate::reports::stats::Stats { capacity, live, retired, .. } = self.stats();
                let missing = additional.saturating_sub(capacity - live - retired);
                if missing == 0 {
                    return Ok(());
                }
                let (growth, name, capacity_max) = (&self.growth, self.name(), self.capacity_max());
                let retired = retired + growth.retired_beyond();
                let error = |out_of_memory| crate::pools::doubling::ReserveError {
                    name,
                    additional,
                    live,
                    retired,
                    capacity_max,
                    out_of_memory,
                };
                if missing > growth.room_beyond::<$handle>(capacity) {
                    return Err(error(false));
                }
                let value_bytes = size_of::<$value>();
                let $slots = growth.slots_with_room_for::<$handle>(capacity, missing, value_bytes);
                let $growing = self;
                $grow.map_err(|crate::base::OutOfMemory| error(true))
            }
        }

        /// Inserts all values with [`push`](Self::push).
        ///
        /// ```
        #[doc = concat!("use millpond::", $example, ";")]
        ///
        #[doc = concat!("let mut pool = ", $example, "::new();")]
        /// pool.extend(["a", "b"]);
        #[doc = concat!("let pool: ", $example, "<i32> = (0..9).collect();")]
        /// assert_eq!(pool.values().sum::<i32>(), 36);
        /// ```
        ///
        /// # Panics
        ///
        /// If [`push`](Self::push) does; the values inserted so far stay.
        impl<$($generics)*> Extend<$value> for $pool {
            fn extend<I: IntoIterator<Item = $value>>(&mut self, values: I) {
                let values = values.into_iter();
                // `push` reports values for which there is no room.
                let _ = self.reserve(values.size_hint().0);
                values.for_each(|value| _ = self.push(value));
            }
        }

        #[doc = concat!("Creates an empty pool that has not allocated, like [`", $example, "::new`](crate::", $example, "::new), whatever its order and its handles.")]
        impl<$($generics)*> Default for $pool {
            fn default() -> Self {
                Self::EMPTY
            }
        }

        /// Inserts all values into a [default](Self::default) pool, in iteration order.
        impl<$($generics)*> FromIterator<$value> for $pool {
            fn from_iter<I: IntoIterator<Item = $value>>(values: I) -> Self {
                let mut pool = Self::default();
                pool.extend(values);
                pool
            }
        }
    };
}
pub(crate) use growing_pool;
