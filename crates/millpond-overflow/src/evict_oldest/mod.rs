#[cfg(feature = "serde")]
mod saved;

use alloc::vec::Vec;
use core::{iter, mem};

#[cfg(feature = "validate")]
use millpond::__parts::checks::ensure;
use millpond::__parts::{or_panic, replace};
use millpond::overflow::{Bounded, Inserted, Lifetimes};
use millpond::reuse::ReuseOrder;
#[cfg(feature = "validate")]
use millpond::validate::Violation;
use millpond::{BuildError, Full, HandleLayout, Recycler};

use crate::Policy;

/// An overflow policy: a full pool evicts its oldest object.
///
/// The newcomer takes no part in the comparison, as it is younger than all others: it always gets a slot, unless every
/// object is in the last lifetime of its slot.
///
/// Needs the feature `alloc`.
///
/// ```text
///   oldest ─▶ [ slot 2: 2v1 ] ◀─▶ [ slot 0: 0v4 ] ◀─▶ [ slot 1: 1v1 ] ◀─ newest
/// ```
///
/// The policy is a list of slots in order of insertion, beside the pool: a handle and two slot
/// numbers for each slot (16 bytes; 12 with four-byte handles), allocated when the list is created
/// and, beside a pool that grows, as it grows.
/// It needs to record insertions only. Objects may be removed, retained and drained in any order;
/// their places in the list are reused with their slots.
///
/// **Time**: finding the oldest object is O(1), because in a full pool each place in the list
/// belongs to a live object. (The place of a retired slot is visited once.) The insertion costs
/// what it costs in the pool: O(1).
///
/// The list holds the objects that were inserted through it or [noted](Self::note). Objects that it
/// does not list, because they were inserted into the pool directly or restored from a snapshot,
/// are evicted when no listed object is left, the lowest index first; that search is O(slots). A
/// refusal by a full pool in which every live object is in the last lifetime of its slot is
/// O(slots), too. Noting an object again makes it the newest: if every use is noted, the policy
/// evicts the least recently used object.
///
/// With the feature `serde`, the list can be saved and loaded like the pool.
///
/// A snapshot of the pool has no ages. To roll the pool back, save the list with it: as a
/// [`Kept`](millpond::snapshot::Kept) list beside the pool's snapshot in a
/// [`History`](millpond::snapshot::History), or as a clone (`clone_from` does not allocate).
///
/// ```
/// use millpond::Pool;
/// use millpond_overflow::{EvictOldest, Policy};
///
/// let mut holes = Pool::new(2);
/// let mut oldest = EvictOldest::beside(&holes);
/// let (door, _) = oldest.insert(&mut holes, "in the door").unwrap();
/// let (wall, _) = oldest.insert(&mut holes, "in the wall").unwrap();
/// holes.remove(door);
/// oldest.insert(&mut holes, "in the window").unwrap();
///
/// let (_, evicted) = oldest.insert(&mut holes, "in the floor").unwrap();
/// assert_eq!(evicted, Some((wall, "in the wall")));
/// ```
#[derive(Debug)]
pub struct EvictOldest<H> {
    /// Each slot whose `handle` is `Some` is in the list that begins at `oldest` exactly once.
    places: Vec<Place<H>>,
    oldest: u32,
    newest: u32,
}

#[derive(Clone, Copy, Debug)]
struct Place<H> {
    handle: Option<H>,
    older: u32,
    newer: u32,
}

impl<H> Place<H> {
    const EMPTY: Self = Self { handle: None, older: NONE, newer: NONE };
}

/// "No slot": no layout names an index of `u32::MAX`.
const NONE: u32 = u32::MAX;

/// Returns an empty list that has not allocated: it takes a place for each slot of its pool at the
/// first insertion. So a struct that derives `Default` has a list of use;
/// [`beside`](EvictOldest::beside) allocates it at creation instead.
impl<H> Default for EvictOldest<H> {
    fn default() -> Self {
        Self { places: Vec::new(), oldest: NONE, newest: NONE }
    }
}

impl<H: HandleLayout> EvictOldest<H> {
    /// Creates an empty list, with a place for each slot that `pool` has. If the pool grows, so does
    /// the list.
    ///
    /// # Panics
    ///
    /// If there is not enough memory for the list ([`try_new`](Self::try_new) returns an error
    /// instead).
    #[must_use]
    #[track_caller]
    pub fn beside(pool: &impl Lifetimes<Handle = H>) -> Self {
        or_panic(Self::try_new(pool.capacity()))
    }

    /// Makes a place for each of this many slots.
    #[inline]
    #[track_caller]
    fn make_places(&mut self, slots: usize) {
        if self.places.len() < slots {
            self.grow_to(slots);
        }
    }

    /// Panics if there is not enough memory.
    #[cold]
    #[track_caller]
    fn grow_to(&mut self, slots: usize) {
        or_panic(self.try_grow_to(slots));
    }

    fn try_grow_to(&mut self, slots: usize) -> Result<(), BuildError> {
        let places = self.places.len();
        let reserved = self.places.try_reserve_exact(slots.saturating_sub(places));
        reserved.map_err(|_| BuildError::OutOfMemory { capacity: slots })?;
        self.places.resize(slots.max(places), Place::EMPTY);
        Ok(())
    }

    /// Creates an empty list, with places for a pool of `capacity` slots.
    ///
    /// # Errors
    ///
    /// If there is not enough memory.
    pub fn try_new(capacity: usize) -> Result<Self, BuildError> {
        let mut list = Self::default();
        list.try_grow_to(capacity)?;
        Ok(list)
    }

    /// Makes the handle's object the newest. This is for objects that were not inserted through the
    /// policy, but loaded or [inserted in place](millpond::Pool::insert_with). O(1).
    ///
    /// ```
    /// use millpond::Pool;
    /// use millpond_overflow::{EvictOldest, Policy};
    ///
    /// let mut cache = Pool::new(2);
    /// let mut oldest = EvictOldest::beside(&cache);
    /// let a = cache.insert_with(|_| 'a').unwrap();
    /// let b = cache.insert_with(|_| 'b').unwrap();
    /// oldest.note(a);
    /// oldest.note(b);
    /// oldest.note(a); // used again
    /// let (_, evicted) = oldest.insert(&mut cache, 'c').unwrap();
    /// assert_eq!(evicted, Some((b, 'b')));
    /// ```
    ///
    /// # Panics
    ///
    /// If `handle` is [`DANGLING`](HandleLayout::DANGLING); the list is unchanged. For a slot that
    /// has no place yet, the list takes the memory for all slots up to it, and panics if there is
    /// not enough, so do not note handles that the pool has not checked.
    #[inline]
    #[track_caller]
    pub fn note(&mut self, handle: H) {
        let slot = handle.index();
        assert!(handle.generation() != 0, "the dangling handle names no object");
        if slot as usize >= self.places.len() {
            self.grow_to((slot as usize + 1).max(2 * self.places.len()));
        }
        if self.places[slot as usize].handle.is_some() {
            self.unlink(slot);
        }
        let older = mem::replace(&mut self.newest, slot);
        self.places[slot as usize] = Place { handle: Some(handle), older, newer: NONE };
        match self.places.get_mut(older as usize) {
            Some(place) => place.newer = slot,
            None => self.oldest = slot,
        }
    }

    /// Returns the oldest live object in the list whose slot can be used again, or `None` if there
    /// is none. O(1) on average: the handles before it leave the list.
    ///
    /// ```
    /// use millpond::HandleAllocator;
    /// use millpond_overflow::EvictOldest;
    ///
    /// let mut handles = HandleAllocator::new(8);
    /// let mut oldest = EvictOldest::beside(&handles);
    /// let [a, b] = [handles.acquire().unwrap(), handles.acquire().unwrap()];
    /// oldest.note(a);
    /// oldest.note(b);
    /// handles.release(a);
    /// assert_eq!(oldest.oldest(&handles), Some(b));
    /// ```
    #[inline]
    #[must_use]
    pub fn oldest(&mut self, pool: &impl Lifetimes<Handle = H>) -> Option<H> {
        loop {
            let handle = self.places.get(self.oldest as usize)?.handle?;
            if pool.contains(handle) && !pool.is_in_last_lifetime(handle) {
                return Some(handle);
            }
            self.unlink(handle.index());
        }
    }

    /// The handles in the list, the oldest first; some may be stale.
    pub(crate) fn listed(&self) -> impl Iterator<Item = H> {
        let first = self.places.get(self.oldest as usize);
        let places = iter::successors(first, |place| self.places.get(place.newer as usize));
        places.filter_map(|place| place.handle)
    }

    /// Copies the state of `other`, a list of the same capacity or a smaller one, without allocating:
    /// for the C library's snapshots, and its pools that grow.
    ///
    /// # Panics
    ///
    /// If the capacity of `other` is larger.
    #[doc(hidden)]
    #[track_caller]
    pub fn copy_state_from(&mut self, other: &Self) {
        let (places, beyond) = self.places.split_at_mut(other.places.len());
        places.copy_from_slice(&other.places);
        beyond.fill(Place::EMPTY);
        self.oldest = other.oldest;
        self.newest = other.newest;
    }

    /// Acquires an object of a [`Recycler`]; if none is dead, first releases the oldest live one.
    /// Also returns the handle that became stale. Returns `None` if no object can be acquired.
    ///
    /// ```
    /// use millpond::Recycler;
    /// use millpond_overflow::EvictOldest;
    ///
    /// let mut voices = Recycler::from_fn(2, |_| "");
    /// let mut oldest = EvictOldest::beside(&voices);
    /// let mut first = None;
    /// for sound in ["crickets", "thunder", "rain"] {
    ///     let (handle, voice, evicted) = oldest.acquire(&mut voices).unwrap();
    ///     *voice = sound;
    ///     first = first.or(Some(handle));
    ///     assert_eq!(evicted, first.filter(|_| sound == "rain"));
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// If the list needs memory, and there is not enough. Nothing is acquired then.
    #[track_caller]
    pub fn acquire<'r, T, R: ReuseOrder>(
        &mut self,
        recycler: &'r mut Recycler<T, R, H>,
    ) -> Option<(H, &'r mut T, Option<H>)> {
        self.make_places(recycler.capacity());
        let acquired = if recycler.is_full() {
            let victim =
                self.oldest(recycler).or_else(|| first_evictable(recycler, recycler.handles()))?;
            recycler.acquire_in_place_of(victim)?
        } else {
            let (handle, object) = recycler.acquire()?;
            (handle, object, None)
        };
        self.note(acquired.0);
        Some(acquired)
    }

    /// Checks that the list has a place for each of so many slots, and leads through each that has a handle, and back.
    #[cfg(feature = "validate")]
    pub(crate) fn validate(&self, slots: usize) -> Result<(), Violation> {
        ensure(
            self.places.len() >= slots,
            "the list of ages has a place for each slot",
            format_args!("{} for {slots}", self.places.len()),
        )?;
        let (mut before, mut at, mut listed) = (NONE, self.oldest, 0);
        while let Some(place) = self.places.get(at as usize) {
            ensure(
                place.older == before && place.handle.is_some_and(|handle| handle.index() == at),
                "the list of ages has the slots' own handles, and leads back the way that it came",
                format_args!("slot {at} comes after {before} and has {:?}", place.handle),
            )?;
            (before, at, listed) = (at, place.newer, listed + 1);
        }
        let noted = self.places.iter().filter(|place| place.handle.is_some()).count();
        ensure(
            at == NONE && before == self.newest && listed == noted,
            "the list of ages ends at the newest, and has each slot that has a handle",
            format_args!(
                "{at} comes after {before}, {} is the newest; {listed} of {noted}",
                self.newest
            ),
        )
    }

    #[inline]
    fn unlink(&mut self, slot: u32) {
        let Place { older, newer, .. } = self.places[slot as usize];
        self.places[slot as usize].handle = None;
        match self.places.get_mut(older as usize) {
            Some(place) => place.newer = newer,
            None => self.oldest = newer,
        }
        match self.places.get_mut(newer as usize) {
            Some(place) => place.older = older,
            None => self.newest = older,
        }
    }
}

/// The first of a pool's handles whose slot can be used again.
fn first_evictable<P: Lifetimes>(
    pool: &P,
    mut handles: impl Iterator<Item = P::Handle>,
) -> Option<P::Handle> {
    handles.find(|handle| !pool.is_in_last_lifetime(*handle))
}

/// For a full pool none of whose objects is listed.
#[cold]
fn first_unlisted<P: Bounded>(pool: &P) -> Option<P::Handle> {
    first_evictable(pool, pool.iter().map(|(handle, _)| handle))
}

impl<H: Clone> Clone for EvictOldest<H> {
    fn clone(&self) -> Self {
        Self { places: self.places.clone(), ..*self }
    }

    /// Does not allocate if both lists have the same capacity.
    fn clone_from(&mut self, other: &Self) {
        self.places.clone_from(&other.places);
        (self.oldest, self.newest) = (other.oldest, other.newest);
    }
}

impl<P: Bounded> Policy<P> for EvictOldest<P::Handle> {
    /// # Panics
    ///
    /// If the list needs memory, and there is not enough: for the slots that the pool has, before the insertion; for
    /// those by which the pool has grown, after it, so that the value is in the pool, and not in the list.
    #[inline]
    #[track_caller]
    fn insert(&mut self, pool: &mut P, value: P::Value) -> Result<Inserted<P>, Full<P::Value>> {
        self.make_places(pool.capacity());
        let inserted = match pool.insert_if_room(value) {
            Ok(handle) => (handle, None),
            Err(value) => match self.oldest(pool).or_else(|| first_unlisted(pool)) {
                Some(victim) => replace(pool, victim, value)?,
                None => return Err(pool.refuse(value)),
            },
        };
        self.note(inserted.0);
        Ok(inserted)
    }
}

#[cfg(test)]
mod tests {
    use millpond::Handle;

    use super::{EvictOldest, NONE};

    type Breaks = fn(&mut EvictOldest<Handle<u8>>);

    #[test]
    fn a_list_that_is_broken_is_found() {
        let mut list = EvictOldest::try_new(4).unwrap();
        [2, 0, 3].into_iter().for_each(|slot| list.note(Handle::from_parts(slot, 1).unwrap()));
        list.validate(4).unwrap();
        EvictOldest::<Handle<u8>>::default().validate(0).unwrap();
        assert!(list.validate(5).is_err());
        let leads: [Breaks; 4] = [
            |list| list.places[0].older = 3,
            |list| list.places[3].newer = 2,
            |list| list.places[0].handle = None,
            |list| list.places[0].handle = Handle::from_parts(1, 1),
        ];
        let ends: [Breaks; 4] = [
            |list| list.newest = 0,
            |list| list.oldest = NONE,
            |list| list.places[3].newer = 4,
            |list| list.places[1].handle = Handle::from_parts(1, 1),
        ];
        for (rule, broken) in [("leads back", leads), ("ends at", ends)] {
            for breaks in broken {
                let mut list = list.clone();
                breaks(&mut list);
                let violation = list.validate(4).unwrap_err();
                assert!(violation.rule().contains(rule), "{violation}");
            }
        }
    }
}
