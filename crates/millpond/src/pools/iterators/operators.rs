/// Implements `Index` and `IndexMut` by handle, `Debug`, and `IntoIterator` for references: of a pool that has `get`,
/// `get_mut`, `check`, `contains`, `name`, `iter` and `iter_mut`.
///
/// `[generics] Type, value type, handle type`, and how the example makes such a pool.
macro_rules! operators {
    ([$($generics:tt)*] $pool:ty, $value:ty, $handle:ty,
     iterators: $iter:ty, $iter_mut:ty, example: $name:literal, $new:literal) => {
        /// # Panics
        ///
        /// If the handle is refused; the message names the pool, the handle and the reason.
        ///
        /// ```should_panic
        #[doc = concat!("# use millpond::", $name, ";")]
        #[doc = concat!("let mut pool", $new, ";")]
        /// let handle = pool.insert(1).unwrap();
        /// pool.remove(handle);
        /// let _ = &pool[handle]; // pool "bullets" refuses handle 0v1: slot 0, 1st lifetime: stale
        /// ```
        impl<$($generics)*> core::ops::Index<$handle> for $pool {
            type Output = $value;

            #[inline]
            #[track_caller]
            fn index(&self, handle: $handle) -> &$value {
                match self.get(handle) {
                    Some(value) => value,
                    None => self.refuse_handle(handle),
                }
            }
        }

        /// # Panics
        ///
        /// If the handle is refused; the message names the pool, the handle and the reason.
        impl<$($generics)*> core::ops::IndexMut<$handle> for $pool {
            #[inline]
            #[track_caller]
            fn index_mut(&mut self, handle: $handle) -> &mut $value {
                if !self.contains(handle) {
                    self.refuse_handle(handle);
                }
                self.get_mut(handle).expect("the pool contains the handle")
            }
        }

        /// Formats the pool as a map from handles to values.
        impl<$($generics)*> core::fmt::Debug for $pool
        where
            $value: core::fmt::Debug,
        {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_map().entries(self).finish()
            }
        }

        impl<'a, $($generics)*> IntoIterator for &'a $pool {
            type Item = ($handle, &'a $value);
            type IntoIter = $iter;

            #[inline]
            fn into_iter(self) -> $iter {
                self.iter()
            }
        }

        impl<'a, $($generics)*> IntoIterator for &'a mut $pool {
            type Item = ($handle, &'a mut $value);
            type IntoIter = $iter_mut;

            #[inline]
            fn into_iter(self) -> $iter_mut {
                self.iter_mut()
            }
        }
    };
}
pub(crate) use operators;
