mod bounded;
#[cfg(feature = "serde")]
mod saved;
mod snapshot;

use core::fmt;
use core::ops::{Index, IndexMut};

use millpond::__parts::snapshots;
use millpond::overflow::Bounded;
use millpond::snapshot::State;
use millpond::{Full, HandleLayout, Stats};

use snapshot::{HandleOf, ValueOf};

/// Two pools that act as one: when the first is full, insertions go to the second.
///
/// The index of a handle determines which pool its object is in: the indices of the second pool
/// follow those of the first. Objects never move between the pools. Each operation costs what it
/// costs in the pool, plus a comparison.
///
/// ```
/// use millpond::{PackedPool, Pool};
/// use millpond_overflow::Spill;
///
/// let mut orders = Spill::new(Pool::new(2), PackedPool::new(64));
/// let handles: Vec<_> = (0..3).map(|n| orders.insert(n).unwrap()).collect();
/// assert_eq!((orders.first().len(), orders.second().len()), (2, 1));
/// assert!(orders.is_spilled(handles[2]) && !orders.is_spilled(handles[0]));
///
/// orders.remove(handles[0]);
/// let handle = orders.insert(3).unwrap(); // the first pool has room again
/// assert!(!orders.is_spilled(handle));
/// assert_eq!(orders.iter().map(|(_, n)| *n).collect::<Vec<_>>(), [3, 1, 2]);
/// ```
///
/// Both pools together have one [snapshot](millpond::snapshot) and one checksum.
///
/// ```
/// use millpond::{PackedPool, Pool};
/// use millpond_overflow::Spill;
///
/// let mut orders = Spill::new(Pool::new(1), PackedPool::new(8));
/// let [fish, soup] = ["fish", "soup"].map(|dish| orders.insert(dish).unwrap());
/// let saved = orders.snapshot();
/// orders.remove(soup);
/// orders[fish] = "chips";
/// orders.restore(&saved).unwrap();
/// assert_eq!((orders[fish], orders[soup]), ("fish", "soup"));
/// ```
#[derive(Clone, Debug)]
pub struct Spill<A, B> {
    first: A,
    second: B,
}

impl<A: Bounded, B: Bounded<Value = A::Value, Handle = A::Handle>> Spill<A, B> {
    /// Combines two pools, which may already hold values. Values of the second have different
    /// handles here.
    ///
    /// # Panics
    ///
    /// If the handle layout cannot name all slots that both may have together.
    #[must_use]
    #[track_caller]
    pub fn new(first: A, second: B) -> Self {
        let (ours, theirs) = (first.capacity_max(), second.capacity_max());
        let (slots, slots_max) = (ours.saturating_add(theirs), A::Handle::CAPACITY_MAX);
        assert!(
            slots_together(ours, theirs, slots_max).is_some(),
            "two pools of {slots} slots together, but this handle layout can name {slots_max}"
        );
        Self { first, second }
    }

    /// Returns the pool that is filled first.
    #[must_use]
    pub fn first(&self) -> &A {
        &self.first
    }

    /// Returns the pool that the first spills into. It has its own handles: an object's index there
    /// is smaller than here, by the first pool's `capacity_max`.
    #[must_use]
    pub fn second(&self) -> &B {
        &self.second
    }

    /// The first pool, mutable; it must not be replaced by another.
    pub(crate) fn first_mut(&mut self) -> &mut A {
        &mut self.first
    }

    /// The second pool, mutable; it must not be replaced by another.
    pub(crate) fn second_mut(&mut self) -> &mut B {
        &mut self.second
    }

    /// Returns both pools.
    #[must_use]
    pub fn into_inner(self) -> (A, B) {
        (self.first, self.second)
    }

    /// Returns whether `handle` names a slot of the second pool.
    #[inline]
    #[must_use]
    pub fn is_spilled(&self, handle: A::Handle) -> bool {
        handle.index() as usize >= self.first.capacity_max()
    }

    /// Returns the number of slots of both pools.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.first.capacity() + self.second.capacity()
    }

    /// Returns the number of live slots.
    #[must_use]
    pub fn len(&self) -> usize {
        self.first.len() + self.second.len()
    }

    /// Returns whether no slot is live.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns whether both pools are full, so that an insertion would fail.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.first.is_full() && self.second.is_full()
    }

    /// Returns the counters of both pools together. `peak` is the sum of both peaks, which may
    /// exceed the number of objects ever live at once.
    #[must_use]
    pub fn stats(&self) -> Stats {
        together(self.first.stats(), self.second.stats())
    }

    /// Moves `value` into the first pool, or into the second if the first is full.
    ///
    /// # Errors
    ///
    /// If both pools are full. The error returns `value` and describes both pools together.
    #[inline]
    #[track_caller]
    pub fn insert(&mut self, value: A::Value) -> Result<A::Handle, Full<A::Value>> {
        match self.first.insert_if_room(value) {
            Ok(handle) => Ok(handle),
            Err(value) => match self.second.insert(value) {
                Ok(inner) => Ok(self.outside(inner)),
                Err(full) => Err(self.full(full)),
            },
        }
    }

    /// The second pool's error, with the numbers of both.
    #[cold]
    fn full<V>(&self, full: Full<V>) -> Full<V> {
        full.of_whole(&self.stats())
    }

    #[inline]
    #[track_caller]
    fn insert_if_room(&mut self, value: A::Value) -> Result<A::Handle, A::Value> {
        match self.first.insert_if_room(value) {
            Ok(handle) => Ok(handle),
            Err(value) => {
                let inner = self.second.insert_if_room(value)?;
                Ok(self.outside(inner))
            }
        }
    }

    /// Moves the handle's value out, or returns `None` if the handle is refused. (If debug aids of
    /// the second pool panic then, they show its own handle, whose indices count from 0.)
    #[inline]
    #[track_caller]
    pub fn remove(&mut self, handle: A::Handle) -> Option<A::Value> {
        match self.inside(handle) {
            Some(inner) => self.second.remove(inner),
            None => self.first.remove(handle),
        }
    }

    /// Returns a reference to the handle's value, or `None` if the handle is refused.
    #[inline]
    #[must_use]
    pub fn get(&self, handle: A::Handle) -> Option<&A::Value> {
        match self.inside(handle) {
            Some(inner) => self.second.get(inner),
            None => self.first.get(handle),
        }
    }

    /// Returns a mutable reference to the handle's value, or `None` if the handle is refused.
    #[inline]
    #[must_use]
    pub fn get_mut(&mut self, handle: A::Handle) -> Option<&mut A::Value> {
        match self.inside(handle) {
            Some(inner) => self.second.get_mut(inner),
            None => self.first.get_mut(handle),
        }
    }

    /// Returns whether `handle` names a live object.
    #[inline]
    #[must_use]
    pub fn contains(&self, handle: A::Handle) -> bool {
        self.get(handle).is_some()
    }

    /// Iterates over handles and values, those of the first pool first.
    pub fn iter(&self) -> impl Iterator<Item = (A::Handle, &A::Value)> {
        let of_second = |(inner, value)| (self.outside(inner), value);
        self.first.iter().chain(self.second.iter().map(of_second))
    }

    /// Iterates over handles and mutable references to values, those of the first pool first.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (A::Handle, &mut A::Value)> {
        let offset = self.first.capacity_max();
        let of_second = move |(inner, value)| (shifted(inner, offset), value);
        self.first.iter_mut().chain(self.second.iter_mut().map(of_second))
    }

    /// Calls `keep` once per live object, those of the first pool first, and removes the values for
    /// which it returns `false`.
    #[track_caller]
    pub fn retain(&mut self, mut keep: impl FnMut(A::Handle, &mut A::Value) -> bool) {
        let offset = self.first.capacity_max();
        self.first.retain(&mut keep);
        self.second.retain(|inner, value| keep(shifted(inner, offset), value));
    }

    /// Removes and drops all values.
    #[track_caller]
    pub fn clear(&mut self) {
        self.first.clear();
        self.second.clear();
    }

    /// The second pool's own handle, if `handle` names one of its slots.
    #[inline]
    pub(crate) fn inside(&self, handle: A::Handle) -> Option<A::Handle> {
        let index = handle.index().checked_sub(self.first.capacity_max() as u32)?;
        A::Handle::from_parts(index, handle.generation())
    }

    /// The handle that users have for an object in the second pool.
    #[inline]
    fn outside(&self, inner: A::Handle) -> A::Handle {
        shifted(inner, self.first.capacity_max())
    }
}

/// The slots of two pools that share their handles, if the handle layout can name that many.
#[inline]
pub(crate) fn slots_together(first: usize, second: usize, slots_max: usize) -> Option<usize> {
    first.checked_add(second).filter(|slots| *slots <= slots_max)
}

/// The handle whose index is higher by `offset`. `Spill::new` has checked that it exists.
#[inline]
pub(crate) fn shifted<H: HandleLayout>(handle: H, offset: usize) -> H {
    H::from_parts(handle.index() + offset as u32, handle.generation()).unwrap_or(handle)
}

snapshots! {
    [
        A: Bounded + State<Value = ValueOf<A>, Handle = HandleOf<A>>,
        B: Bounded<Value = ValueOf<A>, Handle = HandleOf<A>> + State<Value = ValueOf<A>, Handle = HandleOf<A>>
    ] Spill<A, B>, values ValueOf<A>, "pool", "Pools"
}

impl<A: Bounded, B: Bounded<Value = A::Value, Handle = A::Handle>> Index<A::Handle>
    for Spill<A, B>
{
    type Output = A::Value;

    #[track_caller]
    fn index(&self, handle: A::Handle) -> &A::Value {
        let Some(value) = self.get(handle) else { refuses(handle) };
        value
    }
}

impl<A: Bounded, B: Bounded<Value = A::Value, Handle = A::Handle>> IndexMut<A::Handle>
    for Spill<A, B>
{
    #[track_caller]
    fn index_mut(&mut self, handle: A::Handle) -> &mut A::Value {
        let Some(value) = self.get_mut(handle) else { refuses(handle) };
        value
    }
}

/// The counters of two pools together. No sum goes round, whatever files say of each.
fn together(first: Stats, second: Stats) -> Stats {
    let mut both = first;
    both.capacity += second.capacity;
    both.live += second.live;
    both.peak = first.peak.saturating_add(second.peak);
    both.retired += second.retired;
    both.inserted = first.inserted.saturating_add(second.inserted);
    both.removed = both.inserted.saturating_sub(both.live as u64);
    both.refused = first.refused.saturating_add(second.refused);
    both.evicted = first.evicted.saturating_add(second.evicted).min(both.removed);
    both
}

#[cold]
#[track_caller]
fn refuses(handle: impl fmt::Display) -> ! {
    panic!("no part of the pool has a live object for handle {handle}")
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
