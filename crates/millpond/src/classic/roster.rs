use core::fmt;

use crate::handle::Handle;
use crate::pools::recycler::Recycler;
use crate::reports::stats::Stats;
use crate::slots::reuse::{Roster, roster};

/// Design 1, the swap-delete pool: all slots in one array, a roster of them, and a partition.
///
/// ```text
/// slots      [ 0 ][ 1 ][ 2 ][ 3 ][ 4 ][ 5 ]    objects, live and dead; nothing ever moves
/// roster     [ 5 ][ 1 ][ 3 ][ 2 ]│[ 4 ][ 0 ]   a permutation of the slots
///                       partition 4            entries below are live; the entry at it comes next
/// ```
///
/// Allocation takes the entry at the partition and moves the partition up. Freeing swaps the slot's
/// entry with the one below the partition and moves the partition down, so the slot freed last is
/// reused first. Both are O(1), thanks to the reverse table from slot to roster entry.
///
/// Nothing is stored in freed objects: the game may process **all** slots
/// ([`as_mut_slice`](Self::as_mut_slice)) without checking which are live. If such a pass finds a
/// finished object, free it by its index: with [`free_at`](Self::free_at), or with
/// [`handle_at`](Self::handle_at) and [`free`](Self::free).
///
/// **Memory**: allocated at creation. Each slot takes the object, 8 bytes for the roster and the
/// reverse table, 4 for the generation, and one bit.
///
/// The published example of the design, step by step:
///
/// ```
/// use millpond::classic::RosterPool;
///
/// let mut pool = RosterPool::<u32>::new(6);
/// assert_eq!(pool.roster(), [5, 4, 3, 2, 1, 0]);
///
/// let handles: Vec<_> = (0..5).map(|_| pool.allocate().unwrap()).collect();
/// assert_eq!(pool.partition(), 5);
/// assert_eq!(pool.next_slot(), Some(0));
///
/// let slot_4 = handles[1];
/// assert_eq!(slot_4.index(), 4);
/// pool.free(slot_4); // swaps roster entries 1 and 4
/// assert_eq!(pool.roster(), [5, 1, 3, 2, 4, 0]);
/// assert_eq!(pool.partition(), 4);
///
/// assert_eq!(pool.allocate().unwrap().index(), 4);
/// assert!(pool.get(slot_4).is_none()); // the old handle of the slot is refused
/// ```
///
/// A frame of a game: a pass over the whole array frees the finished objects, and a hook clears
/// what a freed object refers to, so that a dead object keeps nothing alive:
///
/// ```
/// use std::rc::Rc;
///
/// use millpond::classic::RosterPool;
///
/// #[derive(Default)]
/// struct Rocket {
///     x: f32,
///     frames_left: u32,
///     target: Option<Rc<str>>,
/// }
///
/// let mut rockets = RosterPool::<Rocket>::new(100).on_free(|rocket| rocket.target = None);
/// let castle: Rc<str> = "castle".into();
/// let rocket = rockets.allocate().unwrap();
/// *rockets.get_mut(rocket).unwrap() = Rocket { x: 0.0, frames_left: 2, target: Some(castle.clone()) };
///
/// for frame in 0..2 {
///     for rocket in rockets.as_mut_slice() {
///         rocket.x += 1.5; // live or dead: no branch
///         rocket.frames_left = rocket.frames_left.saturating_sub(1);
///     }
///     for slot in 0..rockets.capacity() {
///         if rockets.as_slice()[slot].frames_left == 0 {
///             rockets.free_at(slot); // `false` for a slot that is dead already
///         }
///     }
/// }
/// assert_eq!((rockets.len(), Rc::strong_count(&castle)), (0, 1));
/// ```
#[doc(alias = "SwapDeletePool")]
#[doc(alias = "Allocator")]
#[derive(Clone)]
pub struct RosterPool<T> {
    slots: Recycler<T, Roster>,
}

impl<T> RosterPool<T> {
    /// Creates a pool of nil objects, `T::default()`. The roster starts with the highest slot.
    ///
    /// # Panics
    ///
    /// If there is not enough memory.
    #[must_use]
    #[track_caller]
    pub fn new(capacity: usize) -> Self
    where
        T: Default,
    {
        Self::from_fn(capacity, |_| T::default())
    }

    /// Creates a pool; `make` constructs each object from the index of its slot.
    ///
    /// # Panics
    ///
    /// If there is not enough memory.
    #[must_use]
    #[track_caller]
    pub fn from_fn(capacity: usize, make: impl FnMut(usize) -> T) -> Self {
        let mut slots = Recycler::builder().reuse(Roster).capacity(capacity).build_with(make);
        slots.allocator_mut().highest_first();
        Self { slots }
    }

    /// Calls `hook` for each object freed from now on, before its slot is dead. Use it to clear
    /// what the object refers to, because a dead object that still refers to others keeps them
    /// alive. If `hook` panics, the object stays live.
    ///
    /// ```
    /// use std::rc::Rc;
    ///
    /// use millpond::classic::RosterPool;
    ///
    /// let mut voices = RosterPool::<Option<Rc<[i16]>>>::new(8).on_free(|voice| *voice = None);
    /// let sound: Rc<[i16]> = Rc::new([1, 2, 3]);
    /// let voice = voices.allocate().unwrap();
    /// *voices.get_mut(voice).unwrap() = Some(sound.clone());
    /// voices.free(voice);
    /// assert_eq!(Rc::strong_count(&sound), 1);
    /// ```
    #[must_use]
    pub fn on_free(mut self, hook: fn(&mut T)) -> Self {
        self.slots.set_on_release(hook);
        self
    }

    /// Calls `scramble` for each object freed from now on, after the hook of
    /// [`on_free`](Self::on_free); see [`Recycler::scramble_released`].
    ///
    /// ```
    /// use millpond::classic::RosterPool;
    ///
    /// let mut healths = RosterPool::<i32>::new(1);
    /// healths.scramble_freed(|health| *health = i32::MIN);
    /// let orc = healths.allocate().unwrap();
    /// *healths.get_mut(orc).unwrap() = 30;
    /// healths.free(orc);
    /// let elf = healths.allocate().unwrap(); // and nobody sets its health
    /// assert_eq!(healths.get(elf), Some(&i32::MIN));
    /// ```
    #[cfg(feature = "debug-aids")]
    pub fn scramble_freed(&mut self, scramble: fn(&mut T)) {
        self.slots.scramble_released(scramble);
    }

    /// Makes the next slot live and returns its handle, or `None` if the partition is at the end.
    /// The object is as it was when it was freed. O(1).
    #[inline]
    #[must_use = "a handle that is dropped leaves its slot live"]
    pub fn allocate(&mut self) -> Option<Handle<T>> {
        self.slots.acquire().map(|(handle, _)| handle)
    }

    /// Frees the handle's object. Returns `false`, and does nothing, if the handle is refused.
    /// O(1).
    #[inline]
    pub fn free(&mut self, handle: Handle<T>) -> bool {
        self.slots.release(handle)
    }

    /// Frees the object at `index`, like [`free`](Self::free). Returns `false`, and does nothing,
    /// if it is dead or out of range. O(1).
    ///
    /// ```
    /// use millpond::classic::RosterPool;
    ///
    /// let mut pool = RosterPool::<u8>::new(6);
    /// let handle = pool.allocate().unwrap();
    /// assert!(pool.free_at(5) && !pool.free_at(5) && !pool.free_at(6));
    /// assert!(pool.get(handle).is_none());
    /// ```
    #[inline]
    pub fn free_at(&mut self, index: usize) -> bool {
        self.handle_at(index).is_some_and(|handle| self.free(handle))
    }

    /// Calls `keep` for each live object, in index order, and frees those for which it returns
    /// `false`: update and free in one pass. O(capacity / 64 + live).
    ///
    /// If `keep` panics, the object of that call and all later ones stay live.
    ///
    /// ```
    /// use millpond::classic::RosterPool;
    ///
    /// let mut timers = RosterPool::from_fn(6, |slot| slot);
    /// for _ in 0..6 {
    ///     let _ = timers.allocate().unwrap();
    /// }
    /// timers.retain(|_, frames_left| {
    ///     *frames_left = frames_left.saturating_sub(3);
    ///     *frames_left > 0
    /// });
    /// assert_eq!(timers.len(), 2); // slots 4 and 5
    /// ```
    pub fn retain(&mut self, keep: impl FnMut(Handle<T>, &mut T) -> bool) {
        self.slots.retain(keep);
    }

    /// Returns a reference to the handle's object, or `None` if the handle is refused. O(1).
    #[inline]
    #[must_use]
    pub fn get(&self, handle: Handle<T>) -> Option<&T> {
        self.slots.get(handle)
    }

    /// Returns a mutable reference to the handle's object, or `None` if the handle is refused.
    /// O(1).
    #[inline]
    #[must_use]
    pub fn get_mut(&mut self, handle: Handle<T>) -> Option<&mut T> {
        self.slots.get_mut(handle)
    }

    /// Returns the handle of the object at `index`, or `None` if it is not live. O(1).
    #[inline]
    #[must_use]
    pub fn handle_at(&self, index: usize) -> Option<Handle<T>> {
        self.slots.handle_at(index)
    }

    /// Iterates over the handles of the live objects, in index order.
    ///
    /// ```
    /// use millpond::classic::RosterPool;
    ///
    /// let mut pool = RosterPool::<u8>::new(6);
    /// let handles = [(); 3].map(|()| pool.allocate().unwrap());
    /// assert!(pool.handles().rev().eq(handles)); // slots 5, 4, 3
    /// ```
    pub fn handles(&self) -> impl DoubleEndedIterator<Item = Handle<T>> + ExactSizeIterator {
        self.slots.handles()
    }

    /// Iterates over the live objects and their handles, in index order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (Handle<T>, &T)> + ExactSizeIterator {
        self.slots.iter()
    }

    /// Iterates mutably over the live objects, with their handles, in index order.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (Handle<T>, &mut T)> {
        self.slots.iter_mut()
    }

    /// Returns all objects, live and dead.
    #[inline]
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        self.slots.as_slice()
    }

    /// Returns all objects, live and dead, as a mutable slice.
    #[inline]
    #[must_use]
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        self.slots.as_mut_slice()
    }

    /// Returns the roster: every slot once, the live ones below the [`partition`](Self::partition).
    #[inline]
    #[must_use]
    pub fn roster(&self) -> &[u32] {
        roster(self.slots.allocator().words())
    }

    /// Returns the number of live slots, at which the roster is split.
    #[inline]
    #[must_use]
    pub fn partition(&self) -> usize {
        self.slots.allocator().words().live()
    }

    /// Returns the number of live slots: the [`partition`](Self::partition).
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.partition()
    }

    /// Returns whether no slot is live.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the slot that [`allocate`](Self::allocate) will use next.
    #[inline]
    #[must_use]
    pub fn next_slot(&self) -> Option<u32> {
        self.roster().get(self.partition() + self.slots.stats().retired).copied()
    }

    /// Returns the number of slots.
    #[inline]
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.slots.capacity()
    }

    /// Returns the counters: slots by state, the peak, insertions, refusals and evictions. O(1).
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.slots.stats()
    }
}

#[cfg(feature = "validate")]
impl<T> RosterPool<T> {
    /// Checks every invariant; see [`validate`](crate::validate). O(capacity).
    ///
    /// # Errors
    ///
    /// The first invariant that does not hold.
    pub fn validate(&self) -> Result<(), crate::reports::validate::Violation> {
        self.slots.validate()
    }
}

impl<T: fmt::Debug> fmt::Debug for RosterPool<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RosterPool")
            .field("partition", &self.partition())
            .field("roster", &self.roster())
            .field("live", &self.slots)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// That takes 2^32 lifetimes in a pool that programs can make.
    #[test]
    fn a_retired_slot_does_not_come_next() {
        let mut slots = Recycler::builder().reuse(Roster).capacity(2).lifetimes(1).build();
        slots.allocator_mut().highest_first();
        let mut pool: RosterPool<u8> = RosterPool { slots };
        let first = pool.allocate().unwrap();
        assert!(pool.free(first));
        assert_eq!((first.index(), pool.stats().retired), (1, 1));
        assert_eq!((pool.next_slot(), pool.allocate().unwrap().index()), (Some(0), 0));
        assert_eq!((pool.next_slot(), pool.allocate()), (None, None));
    }

    #[test]
    #[cfg(feature = "validate")]
    fn validation_looks_at_the_slots() {
        let mut pool = RosterPool::<u8>::new(3);
        pool.validate().unwrap();
        pool.slots.allocator_mut().order_mut().1.swap(0, 1);
        assert!(pool.validate().is_err());
    }
}
