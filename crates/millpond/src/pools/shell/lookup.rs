/// Lookups by handle and by index, of `storage` and `core`.
macro_rules! lookup_methods {
    (example $example:literal) => {
        /// Returns a reference to the handle's value, or `None` if the handle is refused. O(1).
        ///
        /// ```
        #[doc = concat!("# use millpond::*; let mut pool = ", $example, ";")]
        /// let handle = pool.insert("a").unwrap();
        /// assert_eq!(pool.get(handle), Some(&"a"));
        /// pool.remove(handle);
        /// assert_eq!(pool.get(handle), None);
        /// ```
        #[inline]
        #[must_use]
        pub fn get(&self, handle: H) -> Option<&T> {
            self.storage.find(handle)
        }

        /// Returns a mutable reference to the handle's value, or `None` if the handle is refused. O(1).
        ///
        /// ```
        #[doc = concat!("# use millpond::*; let mut pool = ", $example, ";")]
        /// let handle = pool.insert(1).unwrap();
        /// if let Some(value) = pool.get_mut(handle) {
        ///     *value += 1;
        /// }
        /// assert_eq!(pool[handle], 2);
        /// ```
        #[inline]
        #[must_use]
        pub fn get_mut(&mut self, handle: H) -> Option<&mut T> {
            self.storage.find_mut(handle)
        }

        crate::pools::shell::unchecked_methods!(
            T, the "pool",
            example concat!("# use millpond::*;\nlet mut pool = ", $example, ";\nlet handle = pool.insert(\"a\").unwrap();")
        );

        /// Returns mutable references to the values of several handles at once. O(N²) for N
        /// handles.
        ///
        /// ```
        #[doc = concat!("# use millpond::*; let mut pool = ", $example, ";")]
        /// let a = pool.insert(1).unwrap();
        /// let b = pool.insert(2).unwrap();
        /// let [x, y] = pool.get_disjoint_mut([a, b]).unwrap();
        /// std::mem::swap(x, y);
        /// assert_eq!((pool[a], pool[b]), (2, 1));
        /// assert!(pool.get_disjoint_mut([a, a]).is_err());
        /// ```
        ///
        /// # Errors
        ///
        /// If a handle is refused, or two handles are equal.
        #[doc(alias = "get2_mut")]
        #[doc(alias = "get_many_mut")]
        pub fn get_disjoint_mut<const HANDLES: usize>(
            &mut self,
            handles: [H; HANDLES],
        ) -> Result<[&mut T; HANDLES], crate::reports::errors::GetDisjointMutError> {
            let Self { storage, core, .. } = self;
            storage.find_disjoint_mut(handles, |handle, words| core.check(handle, words))
        }

        crate::pools::shell::get_each_mut_method!(
            example $example, |pool, handles| pool.storage.find_each_mut(handles)
        );

        /// Returns whether `handle` names a live object. O(1).
        #[doc(alias = "contains_key")]
        #[inline]
        #[must_use]
        pub fn contains(&self, handle: H) -> bool {
            self.storage.find(handle).is_some()
        }

        /// Returns a reference to the value in slot `index`, or `None` if the slot is not live.
        /// O(1).
        ///
        /// ```
        #[doc = concat!("# use millpond::*; let mut pool = ", $example, ";")]
        /// let handle = pool.insert("a").unwrap();
        /// assert_eq!(pool.get_at(handle.index() as usize), Some(&"a"));
        /// assert_eq!(pool.get_at(7), None);
        /// assert_eq!(pool.get_at(1_000_000), None);
        /// ```
        #[inline]
        #[must_use]
        pub fn get_at(&self, index: usize) -> Option<&T> {
            self.storage.get(index)
        }

        /// Returns a mutable reference to the value in slot `index`, or `None` if the slot is not
        /// live. O(1).
        #[inline]
        #[must_use]
        pub fn get_at_mut(&mut self, index: usize) -> Option<&mut T> {
            self.storage.get_mut(index)
        }

        /// Returns the handle of the object in slot `index`, or `None` if the slot is not live.
        /// O(1).
        ///
        /// ```
        #[doc = concat!("# use millpond::*; let mut pool = ", $example, ";")]
        /// let handle = pool.insert("a").unwrap();
        /// assert_eq!(pool.handle_at(0), Some(handle));
        /// assert_eq!(pool.handle_at(1), None);
        /// ```
        #[inline]
        #[must_use]
        pub fn handle_at(&self, index: usize) -> Option<H> {
            crate::slots::handle_at(index, self.storage.words())
        }

        crate::pools::shell::object_at_methods!(example $example);
    };
}
pub(crate) use lookup_methods;

/// Lookups without a check, of `storage`: of values of this type, in what this noun names. The example fills it and
/// has a `handle`.
macro_rules! unchecked_methods {
    ($value:ty, the $noun:literal, example $example:expr) => {
        /// Returns a reference to the handle's value, without checking `handle`.
        ///
        /// ```
        #[doc = $example]
        /// // SAFETY: the value was just inserted.
        #[doc = concat!("assert_eq!(unsafe { ", $noun, ".get_unchecked(handle) }, &\"a\");")]
        /// ```
        ///
        /// # Safety
        ///
        #[doc = concat!("The ", $noun, " must [contain](Self::contains) `handle`.")]
        #[allow(unsafe_code, reason = "the caller vouches for the handle")]
        #[inline]
        #[must_use]
        pub unsafe fn get_unchecked(&self, handle: H) -> &$value {
            debug_assert!(self.contains(handle));
            // SAFETY: `handle` is contained, so its slot is live.
            unsafe { self.storage.get_unchecked(handle.index() as usize) }
        }

        /// Returns a mutable reference to the handle's value, without checking `handle`.
        ///
        /// # Safety
        ///
        #[doc = concat!("The ", $noun, " must [contain](Self::contains) `handle`.")]
        #[allow(unsafe_code, reason = "the caller vouches for the handle")]
        #[inline]
        #[must_use]
        pub unsafe fn get_unchecked_mut(&mut self, handle: H) -> &mut $value {
            debug_assert!(self.contains(handle));
            // SAFETY: `handle` is contained, so its slot is live.
            unsafe { self.storage.get_unchecked_mut(handle.index() as usize) }
        }
    };
}
pub(crate) use unchecked_methods;

/// The check of a handle, of `storage` and `core`.
macro_rules! check_method {
    (example $example:literal) => {
        /// Returns `Ok` if `handle` names a live object, and otherwise why it is refused. O(1).
        ///
        /// ```
        #[doc = concat!("# use millpond::*; let mut pool = ", $example, ";")]
        /// let handle = pool.insert("a").unwrap();
        /// assert_eq!(pool.check(handle), Ok(()));
        /// pool.remove(handle);
        /// assert_eq!(pool.check(handle), Err(Refusal::Stale));
        /// ```
        ///
        /// A pool with a name or a salt also recognises most handles of other pools:
        /// [`Refusal::OtherPool`](crate::Refusal::OtherPool). (A slot beyond the capacity stays
        /// [`OutOfRange`](crate::Refusal::OutOfRange).)
        ///
        /// # Errors
        ///
        /// If the handle is refused.
        pub fn check(&self, handle: H) -> Result<(), crate::handle::Refusal> {
            self.core.check(handle, self.storage.words())
        }
    };
}
pub(crate) use check_method;

/// `object_at`, `object_at_mut` and `handle_of`, of `handle_at`, `get_at`, `get_mut` and `index_of`.
macro_rules! object_at_methods {
    (example $example:literal) => {
        /// Returns the object in slot `index` with its handle, or `None` if the slot is not live.
        /// O(1). This is for indices that come without a generation.
        ///
        /// ```
        #[doc = concat!("# use millpond::*; let mut pool = ", $example, ";")]
        /// let handle = pool.insert("a").unwrap();
        /// assert_eq!(pool.object_at(0), Some((handle, &"a")));
        /// assert_eq!(pool.object_at(7), None);
        /// ```
        #[doc(alias = "get_by_slot")]
        #[doc(alias = "get_unknown_gen")]
        #[inline]
        #[must_use]
        pub fn object_at(&self, index: usize) -> Option<(H, &T)> {
            Some((self.handle_at(index)?, self.get_at(index)?))
        }

        /// Returns the object in slot `index`, mutable, with its handle, or `None` if the slot is
        /// not live. O(1).
        #[inline]
        #[must_use]
        pub fn object_at_mut(&mut self, index: usize) -> Option<(H, &mut T)> {
            let handle = self.handle_at(index)?;
            Some((handle, self.get_mut(handle)?))
        }

        /// Returns the handle of `value`, computed from its address. Costs what
        /// [`index_of`](Self::index_of) costs, and returns `None` where `index_of` does.
        ///
        /// ```
        #[doc = concat!("# use millpond::*; let mut pool = ", $example, ";")]
        /// let handle = pool.insert(5).unwrap();
        /// assert_eq!(pool.handle_of(&pool[handle]), Some(handle));
        /// ```
        #[inline]
        #[must_use]
        pub fn handle_of(&self, value: &T) -> Option<H> {
            self.handle_at(self.index_of(value)?)
        }
    };
}
pub(crate) use object_at_methods;
