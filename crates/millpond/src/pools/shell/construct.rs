/// `typed_builder`, of this builder.
macro_rules! typed_builder_method {
    ($builder:ty, example $type:literal, $finish:literal) => {
        /// Returns a builder for pools of exactly this type: `builder` starts with the default type
        /// parameters, this one with those of `Self`.
        ///
        /// ```
        /// use millpond::*;
        ///
        /// handle_type! { struct Key; }
        #[doc = concat!("type Keyed = ", $type, ";")]
        #[doc = concat!("let pool = Keyed::typed_builder().name(\"nodes\")", $finish, ";")]
        /// assert_eq!(pool.name(), Some("nodes"));
        /// ```
        pub fn typed_builder() -> $builder {
            <$builder>::new()
        }
    };
}
pub(crate) use typed_builder_method;

/// `Default`: a pool without slots.
macro_rules! default_without_slots {
    ([$($generics:tt)*] $pool:ty) => {
        /// Returns a pool without slots, which allocates nothing: for structs that derive `Default`
        /// and later replace it with a pool of the right capacity.
        impl<$($generics)*> Default for $pool {
            fn default() -> Self {
                Self::with_capacity(0)
            }
        }
    };
}
pub(crate) use default_without_slots;

/// `FromIterator`: a full pool.
macro_rules! full_from_iterator {
    ([$($generics:tt)*] $pool:ty, example $name:literal) => {
        /// Builds a full pool of exactly these values, with one slot per value, in iteration order.
        /// (There is no `Extend`, which could not report that a pool is full.)
        ///
        /// ```
        #[doc = concat!("use millpond::", $name, ";")]
        ///
        #[doc = concat!("let pool: ", $name, "<i32> = (0..9).collect();")]
        /// assert_eq!((pool.capacity(), pool.values().sum::<i32>()), (9, 36));
        /// assert!(pool.is_full());
        /// ```
        ///
        /// # Panics
        ///
        /// If the handle layout cannot name that many slots, or there is not enough memory.
        impl<$($generics)*> FromIterator<T> for $pool {
            fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
                let values: alloc::vec::Vec<T> = values.into_iter().collect();
                let mut pool = Self::with_capacity(values.len());
                for value in values {
                    if pool.insert(value).is_err() {
                        unreachable!("the pool has a slot for each value");
                    }
                }
                pool
            }
        }
    };
}
pub(crate) use full_from_iterator;
