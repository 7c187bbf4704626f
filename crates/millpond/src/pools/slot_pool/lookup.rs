//! Lookups by handle, by index and by address.

use super::{Growth, PoolPlace, SlotPool};
use crate::handle::{HandleLayout, Refusal};
use crate::reports::errors::GetDisjointMutError;
use crate::slots::handle_at;
use crate::slots::reuse::ReuseOrder;

impl<T, R: ReuseOrder, H: HandleLayout, P: PoolPlace<R, H>, G: Growth<T, R, H::Erased, P>>
    SlotPool<T, G, R, H, P>
{
    /// Returns a reference to the handle's value, or `None` if the handle is refused. O(1).
    ///
    /// ```
    /// # use millpond::*; let mut pool = Pool::new(8);
    /// let handle = pool.insert("a").unwrap();
    /// assert_eq!(pool.get(handle), Some(&"a"));
    /// pool.remove(handle);
    /// assert_eq!(pool.get(handle), None);
    /// ```
    #[inline]
    #[must_use]
    pub fn get(&self, handle: H) -> Option<&T> {
        self.storage.find(handle.index() as usize, handle.word())
    }

    /// Returns a mutable reference to the handle's value, or `None` if the handle is refused. O(1).
    ///
    /// ```
    /// # use millpond::*; let mut pool = Pool::new(8);
    /// let handle = pool.insert(1).unwrap();
    /// if let Some(value) = pool.get_mut(handle) {
    ///     *value += 1;
    /// }
    /// assert_eq!(pool[handle], 2);
    /// ```
    #[inline]
    #[must_use]
    pub fn get_mut(&mut self, handle: H) -> Option<&mut T> {
        self.storage.find_mut(handle.index() as usize, handle.word())
    }

    /// Returns a reference to the handle's value, without checking `handle`.
    ///
    /// ```
    /// # use millpond::*; let mut pool = Pool::new(8);
    /// let handle = pool.insert("a").unwrap();
    /// // SAFETY: the value was just inserted.
    /// assert_eq!(unsafe { pool.get_unchecked(handle) }, &"a");
    /// ```
    ///
    /// # Safety
    ///
    /// The pool must [contain](Self::contains) `handle`.
    #[allow(unsafe_code, reason = "the caller vouches for the handle")]
    #[inline]
    #[must_use]
    pub unsafe fn get_unchecked(&self, handle: H) -> &T {
        debug_assert!(self.contains(handle));
        // SAFETY: `handle` is contained, so its slot is live.
        unsafe { self.storage.get_unchecked(handle.index() as usize) }
    }

    /// Returns a mutable reference to the handle's value, without checking `handle`.
    ///
    /// # Safety
    ///
    /// The pool must [contain](Self::contains) `handle`.
    #[allow(unsafe_code, reason = "the caller vouches for the handle")]
    #[inline]
    #[must_use]
    pub unsafe fn get_unchecked_mut(&mut self, handle: H) -> &mut T {
        debug_assert!(self.contains(handle));
        // SAFETY: `handle` is contained, so its slot is live.
        unsafe { self.storage.get_unchecked_mut(handle.index() as usize) }
    }

    /// Returns mutable references to the values of several handles at once. O(N²) for N
    /// handles.
    ///
    /// ```
    /// # use millpond::*; let mut pool = Pool::new(8);
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
    ) -> Result<[&mut T; HANDLES], GetDisjointMutError> {
        self.storage.find_disjoint_mut(handles, |handle, slots| slots.check(handle.erase()))
    }

    /// Like [`get_disjoint_mut`](Self::get_disjoint_mut), with `None` for each refused handle.
    ///
    /// ```
    /// # use millpond::*; let mut pool = Pool::new(8);
    /// let a = pool.insert(1).unwrap();
    /// let b = pool.insert(2).unwrap();
    /// pool.remove(b);
    /// let [x, none] = pool.get_each_mut([a, b]).unwrap();
    /// assert_eq!((x, none), (Some(&mut 1), None));
    /// assert!(pool.get_each_mut([a, a]).is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// If two valid handles are equal.
    pub fn get_each_mut<const HANDLES: usize>(
        &mut self,
        handles: [H; HANDLES],
    ) -> Result<[Option<&mut T>; HANDLES], GetDisjointMutError> {
        self.storage.find_each_mut(handles)
    }

    /// Returns whether `handle` names a live object. O(1).
    #[doc(alias = "contains_key")]
    #[inline]
    #[must_use]
    pub fn contains(&self, handle: H) -> bool {
        self.storage.find(handle.index() as usize, handle.word()).is_some()
    }

    /// Returns a reference to the value in slot `index`, or `None` if the slot is not live.
    /// O(1).
    ///
    /// ```
    /// # use millpond::*; let mut pool = Pool::new(8);
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
    /// # use millpond::*; let mut pool = Pool::new(8);
    /// let handle = pool.insert("a").unwrap();
    /// assert_eq!(pool.handle_at(0), Some(handle));
    /// assert_eq!(pool.handle_at(1), None);
    /// ```
    #[inline]
    #[must_use]
    pub fn handle_at(&self, index: usize) -> Option<H> {
        handle_at(index, self.storage.words())
    }

    /// Returns `Ok` if `handle` names a live object, and otherwise why it is refused. O(1).
    ///
    /// ```
    /// # use millpond::*; let mut pool = Pool::new(8);
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
    pub fn check(&self, handle: H) -> Result<(), Refusal> {
        let index = handle.index() as usize;
        let word = self.growth.word_of(index, self.storage.slots());
        let counters = self.storage.words().counters();
        self.storage.slots().ledger().check_word(handle.erase(), word, counters)
    }
}
