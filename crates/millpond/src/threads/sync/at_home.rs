use alloc::vec::Vec;
use core::fmt;

use super::claimed::Claims;
use super::slots::SharedSlots;
use crate::handle::Handle;
use crate::reports::errors::Full;

/// A [`SyncPool`](super::SyncPool) with a fixed home; returned by
/// [`SyncPool::home`](super::SyncPool::home).
pub struct Home<'a, T> {
    slots: &'a SharedSlots<T>,
    home: usize,
}

impl<'a, T> Home<'a, T> {
    #[inline]
    pub(super) fn new(slots: &'a SharedSlots<T>, home: usize) -> Self {
        Self { slots, home }
    }

    /// Like [`SyncPool::insert`](super::SyncPool::insert), from this home.
    ///
    /// # Errors
    ///
    /// If the pool is full.
    #[inline(always)]
    #[track_caller]
    pub fn insert(&self, value: T) -> Result<Handle<T>, Full<T>> {
        match self.slots.claim(self.home) {
            Some(slot) => Ok(slot.put(value)),
            None => Err(Full { value, pool: self.slots.refuse(self.home) }),
        }
    }

    /// Like [`SyncPool::insert_with`](super::SyncPool::insert_with), from this home.
    ///
    /// # Errors
    ///
    /// If the pool is full.
    #[inline]
    #[track_caller]
    pub fn insert_with(&self, make: impl FnOnce(Handle<T>) -> T) -> Result<Handle<T>, Full<()>> {
        match self.slots.claim(self.home) {
            // If `make` panics, the slot is freed.
            Some(slot) => {
                let value = make(slot.handle());
                Ok(slot.put(value))
            }
            None => Err(Full { value: (), pool: self.slots.refuse(self.home) }),
        }
    }
}

impl<T> Home<'_, T> {
    /// Like [`SyncPool::insert_many`](super::SyncPool::insert_many), from this home.
    ///
    /// # Errors
    ///
    /// If so many slots were not seen free.
    #[track_caller]
    pub fn insert_many<I: IntoIterator<Item = T, IntoIter: ExactSizeIterator>>(
        &self,
        values: I,
        handles: &mut Vec<Handle<T>>,
    ) -> Result<usize, Full<I::IntoIter>> {
        let mut values = values.into_iter();
        let (count, before) = (values.len(), handles.len());
        let full = |values| Err(Full { value: values, pool: self.slots.refuse(self.home) });
        // Before memory is taken for so many handles.
        if count > self.slots.capacity() {
            return full(values);
        }
        handles.reserve(count);
        let mut claims = Claims::new(self.slots, handles);
        for _ in 0..count {
            if !claims.claim(self.home) {
                drop(claims);
                return full(values);
            }
        }
        // It may have lied, and what it says next is of no matter: what is left over is freed.
        for value in values.by_ref().take(count) {
            claims.put(value);
        }
        drop(claims);
        Ok(handles.len() - before)
    }
}

impl<T> Clone for Home<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Home<'_, T> {}

impl<T> fmt::Debug for Home<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Home").field(&self.home).finish()
    }
}
