#[cfg(feature = "serde")]
mod saved;
mod snapshot;

use core::ops::{Index, IndexMut};

use millpond::__parts::snapshots;
use millpond::overflow::{Inserted, Lifetimes};
use millpond::reuse::{Lifo, ReuseOrder};
use millpond::vec_pool::ReserveError;
use millpond::{
    BuildError, Full, Generations, Handle, HandleLayout, Pool, PoolBuilder, Stats, VecPool,
    VecPoolBuilder,
};

use crate::spill::{shifted, slots_together};
use crate::{EvictLeast, EvictLesser, EvictOldest, Overflow, Policy, Refuse, Spill};

/// The pool itself, what it spills into, and what it grows by. Parts that the policy does not use
/// have no slots.
type Pools<T, R, H> = Spill<Spill<Pool<T, R, H>, Pool<T, R, H>>, VecPool<T, R, H>>;

/// A pool whose overflow policy is chosen at run time, for example by a [`Budget`](crate::Budget).
///
/// Needs the feature `alloc`.
///
/// The index of a handle determines which part of the pool its object is in, as with [`Spill`]. No
/// object ever moves from one part to another.
///
/// ```text
///   index   0 … capacity        … capacity_max
///           [ first pool ]                          any policy: allocated at creation
///           [ first pool ][ second pool ]           spill: both allocated at creation
///           [ first pool ][ more ┄┄┄┄┄┄┄┄           grow: allocated, and doubled, when all before it are full
/// ```
///
/// ```
/// use millpond::Pool;
/// use millpond_overflow::{Overflow, PolicyPool};
///
/// let policy: Overflow = "evict-least".parse()?;
/// let mut voices = PolicyPool::new(policy, Pool::builder().capacity(2), 0);
/// for (sound, loudness) in [("crickets", 10), ("explosion", 90), ("thunder", 70)] {
///     let (handle, evicted) = voices.insert_by((sound, loudness), |_, voice| voice.1).unwrap();
///     assert_eq!(voices[handle].0, sound);
///     assert_eq!(evicted.is_some(), sound == "thunder");
/// }
/// # Ok::<(), millpond_overflow::UnknownOverflow>(())
/// ```
///
/// # Growth
///
/// Use [`Overflow::Grow`] if no object may be lost, their number is unknown, and a late frame is
/// the lesser evil: growth allocates in the middle of play. It is the only policy that does. The
/// slots within the capacity are a plain [`Pool`], allocated at creation; beyond it is a
/// [`VecPool`], whose objects move in memory when it doubles. So a program that stays within the
/// capacity pays nothing for growth; [`capacity`](Self::capacity) shows whether it did.
///
/// **At the limit**, the error returns the value. Removals free no memory;
/// [`shrink_to_fit`](Self::shrink_to_fit) does.
///
/// ```
/// use millpond::Pool;
/// use millpond_overflow::{Overflow, PolicyPool};
///
/// // 64 trees are planned for; 128 more may come.
/// let builder = Pool::builder().capacity(64).name("trees");
/// let mut trees = PolicyPool::new(Overflow::Grow, builder, 128);
/// assert_eq!((trees.capacity(), trees.capacity_max()), (64, 192));
///
/// let mut plant = |tree: u32| trees.insert_by(tree, |_, _| 0);
/// let oak = plant(0).unwrap().0;
/// (1..65).for_each(|tree| assert!(plant(tree).is_ok()));
/// assert_eq!((trees.capacity(), trees[oak]), (68, 0));
///
/// (65..192).for_each(|tree| assert!(trees.insert_by(tree, |_, _| 0).is_ok()));
/// let full = trees.insert_by(192, |_, _| 0).unwrap_err();
/// let says = "pool \"trees\" is full: all 192 slots are live";
/// assert_eq!((full.to_string().as_str(), full.into_inner()), (says, 192));
/// ```
///
/// # Snapshots and saved games
///
/// A [snapshot](millpond::snapshot), and with the feature `serde` the saved form, holds all parts, and the ages of the
/// objects for [`Overflow::EvictOldest`]. It can be restored into pools with the same policy and sizes; a pool with
/// another one, or with more slots, [takes over](Self::migrate_from) the objects of an old one.
///
/// ```
/// use millpond::Pool;
/// use millpond_overflow::{Overflow, PolicyPool};
///
/// let mut holes = PolicyPool::new(Overflow::EvictOldest, Pool::builder().capacity(2), 0);
/// let shoot = |holes: &mut PolicyPool<&'static str>, hole| holes.insert_by(hole, |_, _| 0).unwrap();
/// let (door, _) = shoot(&mut holes, "in the door");
/// shoot(&mut holes, "in the wall");
/// let saved = holes.snapshot();
///
/// assert_eq!(shoot(&mut holes, "in the window").1.unwrap().0, door);
/// holes.restore(&saved).unwrap();
/// assert_eq!(shoot(&mut holes, "in the floor").1.unwrap().0, door); // the oldest once more
/// ```
#[derive(Clone, Debug)]
pub struct PolicyPool<T, R: ReuseOrder = Lifo, H: HandleLayout = Handle<T>> {
    policy: Overflow,
    pools: Pools<T, R, H>,
    /// `Some` if the policy needs it.
    ages: Option<EvictOldest<H>>,
}

impl<T, R: ReuseOrder, H: HandleLayout> PolicyPool<T, R, H> {
    /// Creates an empty pool of the builder's capacity, with up to `more` slots beyond it. For
    /// [`Overflow::Spill`], these are a second pool, allocated at creation; for [`Overflow::Grow`],
    /// the slots to grow by. For other policies, `more` is usually 0: they fill the second pool
    /// before they act.
    ///
    /// # Panics
    ///
    /// If [`try_new`](Self::try_new) returns an error.
    #[must_use]
    #[track_caller]
    pub fn new(policy: Overflow, builder: PoolBuilder<T, R, H>, more: usize) -> Self {
        Self::try_new(policy, builder, more).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Like [`new`](Self::new), but returns an error instead of panicking: for sizes that come from
    /// outside.
    ///
    /// ```
    /// use millpond::{BuildError, Handle32, Pool};
    /// use millpond_overflow::{Overflow, PolicyPool};
    ///
    /// let builder = Pool::<u8>::builder().handle::<Handle32<u8, 8>>().capacity(100);
    /// let error = PolicyPool::try_new(Overflow::Grow, builder, 200).unwrap_err();
    /// assert_eq!(error, BuildError::CapacityTooLarge { capacity: 300, capacity_max: 256 });
    /// ```
    ///
    /// # Errors
    ///
    /// If the builder has no capacity, the handle layout cannot name the largest number of slots,
    /// or there is not enough memory for those allocated now.
    pub fn try_new(
        policy: Overflow,
        builder: PoolBuilder<T, R, H>,
        more: usize,
    ) -> Result<Self, BuildError> {
        let capacity = builder.checked_capacity()?;
        let Some(capacity_max) = slots_together(capacity, more, H::CAPACITY_MAX) else {
            let (capacity, capacity_max) = (capacity.saturating_add(more), H::CAPACITY_MAX);
            return Err(BuildError::CapacityTooLarge { capacity, capacity_max });
        };
        let (spilled, grown) = match policy {
            Overflow::Grow => (0, more),
            _ => (more, 0),
        };
        // With the name, the salt, the lifetimes and the debug aids of the others.
        let beyond = VecPoolBuilder::beyond(&builder)
            .capacity(0)
            .capacity_max(grown)
            .part_from(capacity + spilled)
            .try_build()?;
        let second = builder.clone().capacity(spilled).part_from(capacity).try_build()?;
        let first = builder.try_build()?;
        let ages = match policy {
            Overflow::EvictOldest => Some(EvictOldest::try_new(capacity_max)?),
            _ => None,
        };
        let pools = Spill::new(Spill::new(first, second), beyond);
        Ok(Self { policy, pools, ages })
    }

    /// Returns the policy.
    #[must_use]
    pub fn policy(&self) -> Overflow {
        self.policy
    }

    /// Returns the name set on the builder.
    #[must_use]
    pub fn name(&self) -> Option<&'static str> {
        self.first().name()
    }

    /// Returns the pool that is filled first.
    #[must_use]
    pub fn first(&self) -> &Pool<T, R, H> {
        self.pools.first().first()
    }

    /// Returns the pool that the first spills into; it has the `more` slots given at creation, or
    /// none if the policy is to grow. It has its own handles; see [`Spill::second`].
    #[must_use]
    pub fn second(&self) -> &Pool<T, R, H> {
        self.pools.first().second()
    }

    /// Returns whether `handle` names a slot of the second pool, or one that the pool has grown
    /// by.
    #[inline]
    #[must_use]
    pub fn is_spilled(&self, handle: H) -> bool {
        self.pools.first().is_spilled(handle)
    }

    /// Returns the number of slots now: live, free and retired.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.pools.capacity()
    }

    /// Returns the largest number of slots that the pool may have: every index is below it. It
    /// exceeds the [capacity](Self::capacity) only in a pool that grows. Use it to size what lies
    /// beside the pool, such as a [`SideTable`](millpond::SideTable).
    #[must_use]
    pub fn capacity_max(&self) -> usize {
        self.pools.capacity_max()
    }

    /// Returns the number of live slots.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pools.len()
    }

    /// Returns whether no slot is live.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pools.is_empty()
    }

    /// Returns whether the next insertion would be refused or lose an object, because every slot
    /// that the pool may have is live or retired.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.pools.is_full()
    }

    /// Returns the pool's counters. The capacity is the [current one](Self::capacity), and the peak
    /// that of [`Spill::stats`].
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.pools.stats()
    }

    /// Returns the first generation of each slot, and the number of lifetimes per slot. O(1). (Those of the first pool:
    /// after a [migration](Self::migrate_from) from a pool of another name, the other parts begin at their own.)
    #[must_use]
    pub fn generations(&self) -> Generations {
        self.first().generations()
    }

    /// Returns the live objects of all parts, grouped by the source line that inserted them.
    /// O(capacity + live × log live); allocates. Returns `None` unless the builder was set to
    /// [remember origins](millpond::debug::DebugAids::remember_origins); see [`debug`](millpond::debug).
    /// (On drop, each part with live objects reports separately.)
    ///
    /// ```
    /// use millpond::Pool;
    /// use millpond::debug::DebugAids;
    /// use millpond_overflow::{Overflow, PolicyPool};
    ///
    /// let builder = Pool::builder().capacity(2);
    /// let builder = builder.debug_aids(DebugAids::none().remember_origins());
    /// let mut orders = PolicyPool::new(Overflow::Spill, builder, 2);
    /// for order in 0..3 {
    ///     orders.insert_by(order, |_, _| 0).unwrap();
    /// }
    /// assert_eq!(orders.live_report().unwrap().origins()[0].count(), 3);
    /// ```
    #[cfg(feature = "debug-aids")]
    #[must_use]
    pub fn live_report(&self) -> Option<millpond::debug::LiveReport> {
        let fixed = self.first().live_report()?.together(self.second().live_report()?);
        Some(fixed.together(self.pools.second().live_report()?))
    }

    /// Returns the source line that removed the handle's object, the tick, and what lives in its slot now; see
    /// [`Pool::removal_of`](millpond::Pool::removal_of). O(1).
    ///
    /// ```
    /// use millpond::Pool;
    /// use millpond::debug::DebugAids;
    /// use millpond_overflow::{Overflow, PolicyPool};
    ///
    /// let builder = Pool::builder().capacity(1).debug_aids(DebugAids::none().remember_removals());
    /// let mut voices = PolicyPool::new(Overflow::EvictLeast, builder, 0);
    /// let (wind, _) = voices.insert_by("wind", |_, _| 0).unwrap();
    /// let line = line!() + 1;
    /// voices.insert_by("thunder", |_, _| 0).unwrap(); // evicts the wind
    /// assert_eq!(voices.removal_of(wind).unwrap().location().line(), line);
    /// ```
    #[cfg(feature = "debug-aids")]
    #[must_use]
    pub fn removal_of(&self, handle: H) -> Option<millpond::debug::Removal> {
        let fixed = self.pools.first();
        let removal = match (self.pools.inside(handle), fixed.inside(handle)) {
            (Some(inner), _) => self.pools.second().removal_of(inner),
            (None, Some(inner)) => fixed.second().removal_of(inner),
            (None, None) => fixed.first().removal_of(handle),
        };
        Some(removal?.in_slot(handle.index()))
    }

    /// Grows until `additional` more values can be inserted without growth or loss, so that growth
    /// happens before play and not during it.
    ///
    /// ```
    /// use millpond::Pool;
    /// use millpond_overflow::{Overflow, PolicyPool};
    ///
    /// let mut trees = PolicyPool::<u8>::new(Overflow::Grow, Pool::builder().capacity(64), 128);
    /// trees.reserve(100)?;
    /// assert_eq!(trees.capacity(), 100);
    /// assert_eq!(
    ///     trees.reserve(193).unwrap_err().to_string(),
    ///     "the pool cannot make room for 193 more values: it may have 192 slots, and 0 are live",
    /// );
    /// # Ok::<(), millpond::vec_pool::ReserveError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the slots would exceed the limit, or there is not enough memory for them, as for
    /// [`VecPool::reserve`].
    pub fn reserve(&mut self, additional: usize) -> Result<(), ReserveError> {
        let Stats { capacity, live, retired, .. } = self.pools.first().stats();
        let beyond = additional.saturating_sub(capacity - live - retired);
        let reserved = self.pools.second_mut().reserve(beyond);
        reserved.map_err(|error| error.of_whole(additional, &self.stats(), self.capacity_max()))
    }

    /// Frees the slots after the last live one, and returns how many; see [`VecPool::shrink_to_fit`].
    /// Memory allocated at creation stays.
    ///
    /// ```
    /// use millpond::Pool;
    /// use millpond_overflow::{Overflow, PolicyPool};
    ///
    /// let mut trees = PolicyPool::new(Overflow::Grow, Pool::builder().capacity(64), 128);
    /// (0..96).for_each(|tree| assert!(trees.insert_by(tree, |_, _| 0).is_ok()));
    /// trees.retain(|_, tree| *tree < 80);
    /// assert_eq!((trees.shrink_to_fit(), trees.capacity()), (16, 80));
    /// ```
    pub fn shrink_to_fit(&mut self) -> usize {
        self.pools.second_mut().shrink_to_fit()
    }

    /// Inserts `value`; if the pool is full, applies the policy. `key` is used by [`Overflow::EvictLeast`]: the object
    /// with the smallest key is evicted, and `value` is inserted even if its own key is smaller still
    /// ([`insert_unless_least`](Self::insert_unless_least) refuses it then).
    ///
    /// # Errors
    ///
    /// If the pool is full and the policy makes no room. The error returns `value`.
    #[track_caller]
    pub fn insert_by<K: Ord>(
        &mut self,
        value: T,
        key: impl FnMut(H, &T) -> K,
    ) -> Result<Inserted<Pool<T, R, H>>, Full<T>> {
        match (self.policy, &mut self.ages) {
            (Overflow::EvictLeast, _) => EvictLeast(key).insert(&mut self.pools, value),
            (_, Some(ages)) => ages.insert(&mut self.pools, value),
            _ => Refuse.insert(&mut self.pools, value),
        }
    }

    /// Like [`insert_by`](Self::insert_by), but with [`Overflow::EvictLeast`], a full pool refuses `value` if its own
    /// key is smaller than all others. Of equal keys, `value` has the slot. Other policies do not use `key`.
    ///
    /// ```
    /// use millpond::Pool;
    /// use millpond_overflow::{Overflow, PolicyPool};
    ///
    /// let mut voices = PolicyPool::new(Overflow::EvictLeast, Pool::builder().capacity(1), 0);
    /// voices.insert_unless_least(("explosion", 90), |voice| voice.1).unwrap();
    /// let crickets = voices.insert_unless_least(("crickets", 5), |voice| voice.1);
    /// assert_eq!(crickets.unwrap_err().into_inner(), ("crickets", 5));
    /// ```
    ///
    /// # Errors
    ///
    /// If the pool is full and the policy makes no room. The error returns `value`.
    #[track_caller]
    pub fn insert_unless_least<K: Ord>(
        &mut self,
        value: T,
        mut key: impl FnMut(&T) -> K,
    ) -> Result<Inserted<Pool<T, R, H>>, Full<T>> {
        match self.policy {
            Overflow::EvictLeast => EvictLesser(key).insert(&mut self.pools, value),
            _ => self.insert_by(value, |_, value| key(value)),
        }
    }

    /// Moves the handle's value out, or returns `None` if the handle is refused. O(1).
    #[inline]
    #[track_caller]
    pub fn remove(&mut self, handle: H) -> Option<T> {
        self.pools.remove(handle)
    }

    /// Returns a reference to the handle's value, or `None` if the handle is refused. O(1).
    #[inline]
    #[must_use]
    pub fn get(&self, handle: H) -> Option<&T> {
        self.pools.get(handle)
    }

    /// Returns a mutable reference to the handle's value, or `None` if the handle is refused. O(1).
    #[inline]
    #[must_use]
    pub fn get_mut(&mut self, handle: H) -> Option<&mut T> {
        self.pools.get_mut(handle)
    }

    /// Returns whether `handle` names a live object. O(1).
    #[inline]
    #[must_use]
    pub fn contains(&self, handle: H) -> bool {
        self.pools.contains(handle)
    }

    /// Returns the handle of the object in slot `index`, or `None` if the slot is not live. O(1).
    ///
    /// ```
    /// use millpond::Pool;
    /// use millpond_overflow::{Overflow, PolicyPool};
    ///
    /// let mut orders = PolicyPool::new(Overflow::Spill, Pool::builder().capacity(2), 2);
    /// let handles = [0, 1, 2].map(|n| orders.insert_by(n, |_, _| 0).unwrap().0);
    /// assert_eq!(orders.handle_at(2), Some(handles[2]));
    /// assert!(orders.handle_at(3).is_none());
    /// ```
    #[must_use]
    pub fn handle_at(&self, index: usize) -> Option<H> {
        let of_second = self.first().capacity();
        let of_grown = of_second + self.second().capacity();
        let (inner, offset) = match index {
            _ if index < of_second => (self.first().handle_at(index)?, 0),
            _ if index < of_grown => (self.second().handle_at(index - of_second)?, of_second),
            _ => (self.pools.second().handle_at(index - of_grown)?, of_grown),
        };
        Some(shifted(inner, offset))
    }

    /// Iterates over handles and values in index order.
    pub fn iter(&self) -> impl Iterator<Item = (H, &T)> {
        self.pools.iter()
    }

    /// Iterates over handles and mutable references to values in index order.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (H, &mut T)> {
        self.pools.iter_mut()
    }

    /// Calls `keep` once per live object, in index order, and removes the values for which it
    /// returns `false`.
    #[track_caller]
    pub fn retain(&mut self, keep: impl FnMut(H, &mut T) -> bool) {
        self.pools.retain(keep);
    }

    /// Removes and drops all values. O(capacity).
    #[track_caller]
    pub fn clear(&mut self) {
        self.pools.clear();
    }
}

snapshots! {
    [T, R: ReuseOrder, H: HandleLayout] PolicyPool<T, R, H>, values T, "pool", "Pools",
    also ", and, for [`Overflow::EvictOldest`], the ages of the objects"
}

#[cfg(feature = "validate")]
impl<T, R: ReuseOrder, H: HandleLayout> PolicyPool<T, R, H> {
    /// Checks every invariant of each part, and of the list of ages; see [`validate`](millpond::validate). O(capacity).
    ///
    /// # Errors
    ///
    /// The first invariant that does not hold.
    pub fn validate(&self) -> Result<(), millpond::validate::Violation> {
        self.first().validate()?;
        self.second().validate()?;
        self.pools.second().validate()?;
        self.ages.as_ref().map_or(Ok(()), |ages| ages.validate(self.capacity_max()))
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> Index<H> for PolicyPool<T, R, H> {
    type Output = T;

    #[track_caller]
    fn index(&self, handle: H) -> &T {
        &self.pools[handle]
    }
}

impl<T, R: ReuseOrder, H: HandleLayout> IndexMut<H> for PolicyPool<T, R, H> {
    #[track_caller]
    fn index_mut(&mut self, handle: H) -> &mut T {
        &mut self.pools[handle]
    }
}

#[cfg(test)]
mod tests {
    use millpond::snapshot::State;

    use super::{EvictOldest, Overflow, PolicyPool, Pool};

    #[test]
    fn a_slot_s_handle_is_that_of_its_object_in_every_part() {
        for (policy, more) in [(Overflow::Refuse, 0), (Overflow::Spill, 30), (Overflow::Grow, 100)]
        {
            let mut pool =
                PolicyPool::new(policy, Pool::builder().capacity(20).name("orders"), more);
            (0..20 + more).for_each(|n| assert!(pool.insert_by(n, |_, _| 0).is_ok()));
            pool.retain(|_, n| *n % 3 > 0);
            (0..5).for_each(|n| assert!(pool.insert_by(n, |_, _| 0).is_ok()));
            let found = (0..pool.capacity_max() + 1).filter_map(|index| pool.handle_at(index));
            assert!(found.eq(pool.iter().map(|(handle, _)| handle)), "{policy}");
        }
    }

    /// A part whose slots have one lifetime takes on the state of one whose slots are in their second: nothing else
    /// checks what `copy_state_from` is given.
    #[test]
    fn validation_asks_every_part() {
        let filled = |policy, lifetimes| {
            let builder = Pool::builder().capacity(2).lifetimes(lifetimes);
            let mut pool = PolicyPool::new(policy, builder, 2);
            for _ in 0..lifetimes {
                pool.clear();
                (0..4).for_each(|n| assert!(pool.insert_by(n, |_, _| 0).is_ok()));
            }
            pool
        };
        type Copies = fn(&mut PolicyPool<u8>, &PolicyPool<u8>);
        let parts: [(Overflow, Copies); 3] = [
            (Overflow::Spill, |to, from| {
                to.pools.first_mut().first_mut().copy_state_from(from.first())
            }),
            (Overflow::Spill, |to, from| {
                to.pools.first_mut().second_mut().copy_state_from(from.second())
            }),
            (Overflow::Grow, |to, from| to.pools.second_mut().copy_state_from(from.pools.second())),
        ];
        for (policy, copy) in parts {
            let mut pool = filled(policy, 1);
            pool.validate().unwrap();
            copy(&mut pool, &filled(policy, 2));
            assert_eq!(pool.validate().unwrap_err().rule(), "a slot is in one of its lifetimes");
        }
        let mut pool = filled(Overflow::EvictOldest, 1);
        pool.validate().unwrap();
        pool.ages = Some(EvictOldest::default());
        let rule = "the list of ages has a place for each slot";
        assert_eq!(pool.validate().unwrap_err().rule(), rule);
    }
}
