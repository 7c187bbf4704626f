/// Implements what the faces need for a pool whose values stay where they are, and makes it
/// iterable by value. Needs the pool's methods `len`, `insert_peeked`, `occupancy`, `handle_at`,
/// `get_mut` and `remove_at`.
macro_rules! walked {
    ([$($generics:tt)*] $pool:ty) => {
        impl<$($generics)*> crate::pools::faces::sealed::Face for $pool {
            type Value = T;
            type Handle = H;

            #[inline]
            #[track_caller]
            fn put_next(&mut self, handle: H, value: T) {
                self.insert_peeked(handle, value);
            }
        }

        impl<$($generics)*> crate::pools::faces::sealed::Walked for $pool {
            type Value = T;
            type Handle = H;

            #[inline]
            fn live(&self) -> usize {
                self.len()
            }

            #[inline]
            fn live_slots(&self) -> crate::occupancy::Occupancy<'_> {
                self.occupancy()
            }

            #[inline]
            fn handle_in(&self, index: usize) -> Option<H> {
                self.handle_at(index)
            }

            #[inline]
            fn value_of(&mut self, handle: H) -> Option<&mut T> {
                self.get_mut(handle)
            }

            #[inline]
            fn take_from(&mut self, index: usize) -> Option<T> {
                self.remove_at(index)
            }
        }

        impl<$($generics)*> IntoIterator for $pool {
            type Item = (H, T);
            type IntoIter = crate::pools::faces::IntoIter<$pool>;

            /// Iterates over handles and values in index order, from both ends.
            fn into_iter(self) -> Self::IntoIter {
                crate::pools::faces::IntoIter::new(self)
            }
        }
    };
}
pub(crate) use walked;
