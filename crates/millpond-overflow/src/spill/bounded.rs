//! Two pools that look like one are a pool that a policy can use.

use millpond::__parts::Sealed;
use millpond::overflow::{Bounded, Lifetimes};
use millpond::{Full, Stats};

use super::Spill;

impl<A, B> Sealed for Spill<A, B> {}

impl<A: Bounded, B: Bounded<Value = A::Value, Handle = A::Handle>> Lifetimes for Spill<A, B> {
    type Handle = A::Handle;

    #[inline]
    fn capacity(&self) -> usize {
        self.capacity()
    }
    #[inline]
    fn capacity_max(&self) -> usize {
        self.first.capacity_max() + self.second.capacity_max()
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
    fn contains(&self, handle: A::Handle) -> bool {
        self.contains(handle)
    }
    fn stats(&self) -> Stats {
        self.stats()
    }
    #[inline]
    fn is_in_last_lifetime(&self, handle: A::Handle) -> bool {
        match self.inside(handle) {
            Some(inner) => self.second.is_in_last_lifetime(inner),
            None => self.first.is_in_last_lifetime(handle),
        }
    }
}

impl<A: Bounded, B: Bounded<Value = A::Value, Handle = A::Handle>> Bounded for Spill<A, B> {
    type Value = A::Value;

    #[inline]
    #[track_caller]
    fn insert(&mut self, value: A::Value) -> Result<A::Handle, Full<A::Value>> {
        self.insert(value)
    }
    #[inline]
    #[track_caller]
    fn remove(&mut self, handle: A::Handle) -> Option<A::Value> {
        self.remove(handle)
    }
    #[inline]
    fn get(&self, handle: A::Handle) -> Option<&A::Value> {
        self.get(handle)
    }
    #[inline]
    fn get_mut(&mut self, handle: A::Handle) -> Option<&mut A::Value> {
        self.get_mut(handle)
    }
    #[inline]
    fn iter<'a>(&'a self) -> impl Iterator<Item = (A::Handle, &'a A::Value)>
    where
        A::Value: 'a,
    {
        self.iter()
    }
    #[inline]
    fn iter_mut<'a>(&'a mut self) -> impl Iterator<Item = (A::Handle, &'a mut A::Value)>
    where
        A::Value: 'a,
    {
        self.iter_mut()
    }
    #[track_caller]
    fn retain(&mut self, keep: impl FnMut(A::Handle, &mut A::Value) -> bool) {
        self.retain(keep);
    }
    #[track_caller]
    fn clear(&mut self) {
        self.clear();
    }
    // Inlined like `Pool::insert`: as a call, it would wait for the value to reach the stack.
    #[inline(always)]
    #[track_caller]
    fn insert_if_room(&mut self, value: A::Value) -> Result<A::Handle, A::Value> {
        self.insert_if_room(value)
    }
    fn refuse<V>(&mut self, value: V) -> Full<V> {
        let full = self.second.refuse(value);
        self.full(full)
    }
    #[inline]
    #[track_caller]
    fn evict(&mut self, victim: A::Handle) -> Option<A::Value> {
        match self.inside(victim) {
            Some(inner) => self.second.evict(inner),
            None => self.first.evict(victim),
        }
    }
}
