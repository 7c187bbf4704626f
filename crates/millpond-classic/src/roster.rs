use alloc::boxed::Box;
use core::fmt;

use millpond::__parts::OutOfMemory;
use millpond::__parts::{handle_of, memory, or_panic, word_of};
use millpond::{BuildError, Handle, HandleLayout, Stats};

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
/// reverse table, and 4 for the generation.
///
/// The published example of the design, step by step:
///
/// ```
/// use millpond_classic::RosterPool;
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
/// use millpond_classic::RosterPool;
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
    objects: Box<[T]>,
    /// The live slots, and from the partition on the vacant ones: those that were used, then the others. The retired
    /// ones are last.
    roster: Box<[u32]>,
    slots: Box<[Slot]>,
    partition: usize,
    retired: usize,
    /// Below this generation, a lifetime ends without a hook, and another one follows.
    fast_below: u32,
    /// The peak when the last slot retired.
    peak: usize,
    inserted: u64,
    refused: u64,
    hooks: Hooks<T>,
}

/// What is done to an object that is freed.
struct Hooks<T> {
    on_free: Option<fn(&mut T)>,
    /// Set by debug aids only.
    scramble: Option<fn(&mut T)>,
}

impl<T> Clone for Hooks<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Hooks<T> {}

/// What the pool knows of a slot.
#[derive(Clone, Copy)]
struct Slot {
    /// Its entry of the reverse table: where it is in the roster.
    position: u32,
    /// Its generation; with the top bit, the next one of a dead slot.
    word: u32,
}

/// In the word of a slot: it is dead.
const DEAD: u32 = 1 << 31;

/// The word of a slot that was never used.
const FRESH: u32 = DEAD | 1;

/// The word of a slot that has had its last generation.
const RETIRED: u32 = DEAD;

const LAST: u32 = <Handle<()> as HandleLayout>::LIFETIMES_MAX;

/// How many slots of the roster were ever used. A slot is used for the first time when all of these are live, so it is
/// also the peak, unless slots have retired.
fn used(roster: &[u32], slots: &[Slot], partition: usize) -> usize {
    let was_used = |slot: &u32| slots[*slot as usize].word != FRESH;
    partition + roster[partition..].partition_point(was_used)
}

/// Swaps a live slot's entry with the last live one, where the partition will be.
#[inline(always)]
fn swap_out(roster: &mut [u32], slots: &mut [Slot], partition: usize, index: usize, word: u32) {
    let slot = &mut slots[index];
    let position = slot.position;
    *slot = Slot { position: partition as u32, word };
    let last = core::mem::replace(&mut roster[partition], index as u32);
    roster[position as usize] = last;
    slots[last as usize].position = position;
}

/// Ends a lifetime if the pool has hooks, or if it may be the last one of the slot. If it is, the slot is at the end of
/// the roster, to be cut off there, and this returns how many slots were used so far.
#[cold]
#[inline(never)]
fn free_with_care<T>(
    hooks: Hooks<T>,
    object: &mut T,
    roster: &mut [u32],
    slots: &mut [Slot],
    partition: usize,
    index: usize,
) -> Option<usize> {
    if let Some(hook) = hooks.on_free {
        hook(object);
    }
    if let Some(scramble) = hooks.scramble {
        scramble(object);
    }
    let word = slots[index].word;
    if word < LAST {
        swap_out(roster, slots, partition, index, dead_successor(word));
        return None;
    }
    swap_out(roster, slots, partition, index, RETIRED);
    let used = used(roster, slots, partition);
    // The last of the used slots takes its place, and the last of all takes that one's.
    roster.swap(partition, used - 1);
    roster.swap(used - 1, roster.len() - 1);
    for position in [partition, used - 1] {
        slots[roster[position] as usize].position = position as u32;
    }
    Some(used)
}

/// The word of a dead slot whose last generation was this one.
#[inline(always)]
const fn dead_successor(word: u32) -> u32 {
    (word + 1) | DEAD
}

impl Slot {
    /// The handle of the slot, which is the one at this index, if it is live.
    #[inline]
    fn handle<T>(self, index: usize) -> Option<Handle<T>> {
        (self.word < DEAD).then(|| handle_of(index, self.word))
    }
}

impl<T> RosterPool<T> {
    /// Creates a pool of nil objects, `T::default()`. The roster starts with the highest slot.
    ///
    /// # Panics
    ///
    /// As [`from_fn`](Self::from_fn), with `T::default` as `make`.
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
    /// If there is not enough memory, if `capacity` exceeds 4,294,967,295, or if `make` panics; the
    /// objects made so far are then dropped.
    #[must_use]
    #[track_caller]
    pub fn from_fn(capacity: usize, make: impl FnMut(usize) -> T) -> Self {
        let reversed = |place: usize| (capacity - 1 - place) as u32;
        let slot = |index| Slot { position: reversed(index), word: FRESH };
        let memory = || {
            let capacity_max = <Handle<T> as HandleLayout>::CAPACITY_MAX;
            if capacity > capacity_max {
                return Err(BuildError::CapacityTooLarge { capacity, capacity_max });
            }
            let none = |OutOfMemory| BuildError::OutOfMemory { capacity };
            let objects = memory::from_fn(capacity, make).map_err(none)?;
            let roster = memory::from_fn(capacity, reversed).map_err(none)?;
            Ok((objects, roster, memory::from_fn(capacity, slot).map_err(none)?))
        };
        let (objects, roster, slots) = or_panic(memory());
        Self {
            objects,
            roster,
            slots,
            partition: 0,
            retired: 0,
            fast_below: LAST,
            peak: 0,
            inserted: 0,
            refused: 0,
            hooks: Hooks { on_free: None, scramble: None },
        }
    }

    /// Calls `hook` for each object freed from now on, before its slot is dead. Use it to clear
    /// what the object refers to, because a dead object that still refers to others keeps them
    /// alive. If `hook` panics, the object stays live.
    ///
    /// ```
    /// use std::rc::Rc;
    ///
    /// use millpond_classic::RosterPool;
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
        self.hooks.on_free = Some(hook);
        self.fast_below = 0;
        self
    }

    /// Calls `scramble` for each object freed from now on, after the hook of
    /// [`on_free`](Self::on_free), to show what an initialiser forgets: let it overwrite every field
    /// that an initialiser must set with a value that is valid and looks wrong.
    ///
    /// ```
    /// use millpond_classic::RosterPool;
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
        self.hooks.scramble = Some(scramble);
        self.fast_below = 0;
    }

    /// Makes the next slot live and returns its handle, or `None` if the partition is at the end.
    /// The object is as it was when it was freed. O(1).
    #[inline]
    #[must_use = "a handle that is dropped leaves its slot live"]
    pub fn allocate(&mut self) -> Option<Handle<T>> {
        let Some(&index) = self.roster.get(self.partition) else { return self.refuse() };
        let slot = &mut self.slots[index as usize];
        // The retired slots are last.
        if slot.word == RETIRED {
            return self.refuse();
        }
        let word = slot.word & !DEAD;
        slot.word = word;
        self.partition += 1;
        self.inserted += 1;
        Some(handle_of(index as usize, word))
    }

    #[cold]
    fn refuse(&mut self) -> Option<Handle<T>> {
        self.refused += 1;
        None
    }

    /// Frees the handle's object. Returns `false`, and does nothing, if the handle is refused.
    /// O(1).
    #[inline]
    pub fn free(&mut self, handle: Handle<T>) -> bool {
        let index = self.find(handle);
        index.map(|index| self.free_live(index, word_of(handle))).is_some()
    }

    /// The slot of a live handle.
    #[inline(always)]
    fn find(&self, handle: Handle<T>) -> Option<usize> {
        let index = handle.index() as usize;
        // A handle has no top bit, so its slot is live.
        self.slots.get(index).is_some_and(|slot| slot.word == word_of(handle)).then_some(index)
    }

    /// Ends this lifetime of a live slot.
    ///
    /// What happens rarely is done by a function that gets parts of the pool, never all of it: a caller's loop then
    /// keeps the partition in a register, although the loop has a call.
    #[inline(always)]
    fn free_live(&mut self, index: usize, word: u32) {
        let partition = self.partition - 1;
        if word < self.fast_below {
            swap_out(&mut self.roster, &mut self.slots, partition, index, dead_successor(word));
        } else {
            let object = &mut self.objects[index];
            let end = self.roster.len() - self.retired;
            let (roster, slots) = (&mut self.roster[..end], &mut self.slots);
            if let Some(used) = free_with_care(self.hooks, object, roster, slots, partition, index)
            {
                self.peak = self.peak.max(used);
                self.retired += 1;
            }
        }
        self.partition = partition;
    }

    /// Frees the object at `index`, like [`free`](Self::free). Returns `false`, and does nothing,
    /// if it is dead or out of range. O(1).
    ///
    /// ```
    /// use millpond_classic::RosterPool;
    ///
    /// let mut pool = RosterPool::<u8>::new(6);
    /// let handle = pool.allocate().unwrap();
    /// assert!(pool.free_at(5) && !pool.free_at(5) && !pool.free_at(6));
    /// assert!(pool.get(handle).is_none());
    /// ```
    #[inline]
    pub fn free_at(&mut self, index: usize) -> bool {
        let handle = self.handle_at(index);
        handle.map(|handle| self.free_live(index, word_of(handle))).is_some()
    }

    /// Calls `keep` for each live object, in index order, and frees those for which it returns
    /// `false`: update and free in one pass. O(capacity).
    ///
    /// If `keep` panics, the object of that call and all later ones stay live.
    ///
    /// ```
    /// use millpond_classic::RosterPool;
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
    pub fn retain(&mut self, mut keep: impl FnMut(Handle<T>, &mut T) -> bool) {
        for index in 0..self.capacity() {
            let Some(handle) = self.slots[index].handle(index) else { continue };
            if !keep(handle, &mut self.objects[index]) {
                self.free_live(index, word_of(handle));
            }
        }
    }

    /// Returns a reference to the handle's object, or `None` if the handle is refused. O(1).
    #[inline]
    #[must_use]
    pub fn get(&self, handle: Handle<T>) -> Option<&T> {
        self.find(handle).map(|index| &self.objects[index])
    }

    /// Returns a mutable reference to the handle's object, or `None` if the handle is refused.
    /// O(1).
    #[inline]
    #[must_use]
    pub fn get_mut(&mut self, handle: Handle<T>) -> Option<&mut T> {
        self.find(handle).map(|index| &mut self.objects[index])
    }

    /// Returns the handle of the object at `index`, or `None` if it is not live. O(1).
    #[inline]
    #[must_use]
    pub fn handle_at(&self, index: usize) -> Option<Handle<T>> {
        self.slots.get(index)?.handle(index)
    }

    /// Iterates over the handles of the live objects, in index order. O(capacity), as all iterators.
    ///
    /// ```
    /// use millpond_classic::RosterPool;
    ///
    /// let mut pool = RosterPool::<u8>::new(6);
    /// let handles = [(); 3].map(|()| pool.allocate().unwrap());
    /// assert!(pool.handles().rev().eq(handles)); // slots 5, 4, 3
    /// ```
    pub fn handles(&self) -> impl DoubleEndedIterator<Item = Handle<T>> {
        self.slots.iter().enumerate().filter_map(|(index, slot)| slot.handle(index))
    }

    /// Iterates over the live objects and their handles, in index order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (Handle<T>, &T)> {
        let slots = self.slots.iter().zip(&self.objects).enumerate();
        slots.filter_map(|(index, (slot, object))| Some((slot.handle(index)?, object)))
    }

    /// Iterates mutably over the live objects, with their handles, in index order.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (Handle<T>, &mut T)> {
        let slots = self.slots.iter().zip(&mut self.objects).enumerate();
        slots.filter_map(|(index, (slot, object))| Some((slot.handle(index)?, object)))
    }

    /// Returns all objects, live and dead.
    #[inline]
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        &self.objects
    }

    /// Returns all objects, live and dead, as a mutable slice.
    #[inline]
    #[must_use]
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.objects
    }

    /// Returns the roster: every slot once, the live ones below the [`partition`](Self::partition). (A slot
    /// that has had 2^31 − 1 lifetimes is not used again, and leaves the roster.)
    #[inline]
    #[must_use]
    pub fn roster(&self) -> &[u32] {
        &self.roster[..self.roster.len() - self.retired]
    }

    /// Returns the number of live slots, at which the roster is split.
    #[inline]
    #[must_use]
    pub fn partition(&self) -> usize {
        self.partition
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
        self.roster().get(self.partition).copied()
    }

    /// Returns the number of slots.
    #[inline]
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.objects.len()
    }

    /// Returns the counters: slots by state, the peak, insertions, refusals and evictions.
    /// O(log capacity).
    #[must_use]
    pub fn stats(&self) -> Stats {
        let mut stats = Stats::NONE;
        (stats.capacity, stats.live, stats.retired) =
            (self.capacity(), self.partition, self.retired);
        stats.peak = self.peak.max(used(self.roster(), &self.slots, self.partition));
        stats.inserted = self.inserted;
        stats.removed = self.inserted - self.partition as u64;
        stats.refused = self.refused;
        stats
    }
}

#[cfg(feature = "validate")]
impl<T> RosterPool<T> {
    /// Checks every invariant; see [`validate`](millpond::validate). O(capacity).
    ///
    /// # Errors
    ///
    /// The first invariant that does not hold.
    pub fn validate(&self) -> Result<(), millpond::validate::Violation> {
        use millpond::__parts::checks::{ensure, ensure_counters};

        let mut was_fresh = false;
        for (position, &index) in self.roster().iter().enumerate() {
            let slot = self.slots.get(index as usize);
            ensure(
                slot.is_some_and(|slot| slot.position as usize == position),
                "the reverse table is the roster's inverse",
                format_args!("slot {index} at position {position}"),
            )?;
            let word = slot.map_or(0, |slot| slot.word);
            let is_live = word != 0 && word < DEAD;
            let belongs = if position < self.partition { is_live } else { word > RETIRED };
            ensure(
                belongs && (word == FRESH || !was_fresh),
                "the roster's parts are the live slots, the vacant ones that were used, and the others",
                format_args!("slot {index} at position {position}"),
            )?;
            was_fresh = word == FRESH;
        }
        let is_retired = |slot: &&Slot| slot.word == RETIRED;
        let retired = self.slots.iter().filter(is_retired).count();
        let end = &self.roster[self.roster().len()..];
        ensure(
            self.partition <= self.roster().len()
                && self.retired == retired
                && end.iter().all(|index| {
                    self.slots.get(*index as usize).is_some_and(|slot| is_retired(&slot))
                }),
            "the roster has every slot that is not retired",
            format_args!("{} of {}, {retired} retired", self.roster().len(), self.slots.len()),
        )?;
        ensure_counters(&self.stats())
    }
}

impl<T: fmt::Debug> fmt::Debug for RosterPool<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RosterPool")
            .field("partition", &self.partition)
            .field("roster", &self.roster())
            .field("live", &LiveObjects(self))
            .finish()
    }
}

/// The live objects of a pool, by their handles.
struct LiveObjects<'a, T>(&'a RosterPool<T>);

impl<T: fmt::Debug> fmt::Debug for LiveObjects<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.0.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    /// As if these slots had been freed so often that one lifetime of each is left.
    fn worn(capacity: usize, worn: &[usize]) -> RosterPool<u8> {
        let mut pool = RosterPool::new(capacity);
        for &index in worn {
            pool.slots[index].word = LAST | DEAD;
        }
        pool
    }

    #[test]
    fn a_retired_slot_does_not_come_next() {
        let mut pool = worn(2, &[1]);
        let first = pool.allocate().unwrap();
        assert!(pool.free(first) && !pool.free(first));
        assert_eq!((first.index(), pool.stats().retired), (1, 1));
        assert_eq!((pool.roster(), pool.next_slot()), (&[0][..], Some(0)));
        assert_eq!(pool.allocate().unwrap().index(), 0);
        assert_eq!((pool.next_slot(), pool.allocate()), (None, None));
        assert_eq!((pool.stats().peak, pool.stats().refused), (1, 1));
        pool.validate().unwrap();
    }

    #[test]
    fn the_others_go_on_beside_the_retired() {
        for (a, b) in [(0, 1), (1, 4), (4, 0), (2, 3)] {
            let mut pool = worn(5, &[a, b]);
            for step in 0..40 {
                let handles: Vec<_> = (0..5).map_while(|_| pool.allocate()).collect();
                assert_eq!(handles.len(), if step == 0 { 5 } else { 3 });
                pool.validate().unwrap();
                for at in 0..handles.len() {
                    assert!(pool.free(handles[(at * 2 + step) % handles.len()]));
                    pool.validate().unwrap();
                }
            }
            assert_eq!((pool.stats().retired, pool.stats().peak), (2, 5));
            assert!(pool.handle_at(a).is_none() && pool.handle_at(b).is_none());
        }
    }

    #[test]
    #[cfg(feature = "validate")]
    fn validation_finds_what_is_broken() {
        let broken = |change: fn(&mut RosterPool<u8>)| {
            let mut pool = worn(5, &[4]);
            let handles = [(); 4].map(|()| pool.allocate().unwrap());
            assert!(pool.free(handles[0]) && pool.free(handles[2]));
            pool.validate().unwrap();
            change(&mut pool);
            pool.validate().unwrap_err().rule()
        };
        let inverse = "the reverse table is the roster's inverse";
        assert_eq!(broken(|pool| pool.roster.swap(0, 1)), inverse);
        assert_eq!(broken(|pool| pool.roster[0] = 5), inverse);
        let parts =
            "the roster's parts are the live slots, the vacant ones that were used, and the others";
        assert_eq!(broken(|pool| pool.partition += 1), parts);
        assert_eq!(broken(|pool| pool.slots[3].word = FRESH), parts);
        assert_eq!(broken(|pool| pool.slots[1].word = 0), parts);
        let unused_before_used = |pool: &mut RosterPool<u8>| {
            (pool.slots[2].word, pool.slots[0].word) = (FRESH, pool.slots[2].word);
        };
        assert_eq!(broken(unused_before_used), parts);
        let all = "the roster has every slot that is not retired";
        assert_eq!(broken(|pool| pool.slots[4].word = FRESH), all);
        assert_eq!(broken(|pool| pool.retired = 2), all);
        assert_eq!(broken(|pool| pool.roster[4] = 3), all);
        assert_eq!(broken(|pool| pool.inserted = 3), "the counters agree");
    }
}
