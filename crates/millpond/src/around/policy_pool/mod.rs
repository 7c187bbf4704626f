mod snapshot;

use core::ops::{Index, IndexMut};

use super::evict_oldest::EvictOldest;
use crate::handle::{Handle, HandleLayout};
use crate::policies::{
    EvictLeast, Inserted, Lifetimes, Overflow, Policy, Refuse, Spill, slots_together,
};
use crate::pools::block_pool::BlockPool;
use crate::pools::block_pool::{BlockPoolBuilder, GrowthStats, ReserveError};
use crate::pools::pool::Pool;
use crate::pools::pool::PoolBuilder;
use crate::pools::settings::BuildError;
use crate::reports::errors::Full;
use crate::reports::stats::Stats;
use crate::slots::reuse::{Lifo, ReuseOrder};

/// The pool itself, what it spills into, and what it grows by. Those that the policy has no use for have
/// no slots.
type Pools<T, R, H> = Spill<Spill<Pool<T, R, H>, Pool<T, R, H>>, BlockPool<T, R, H>>;

/// A pool whose overflow policy is chosen at run time, by a table such as a
/// [`Budget`](crate::Budget).
///
/// A handle says by its index which part of the pool its object is in, as with [`Spill`]. No object ever
/// moves.
///
/// ```text
///   index   0 … capacity        … capacity_max
///           [ first pool ]                          any policy: taken at creation
///           [ first pool ][ second pool ]           spill: both taken at creation
///           [ first pool ][block][block] ┄┄┄┄┄      grow: a block is taken when all before it are full
/// ```
///
/// ```
/// use millpond::Pool;
/// use millpond::overflow::{Overflow, PolicyPool};
///
/// let policy: Overflow = "evict-least".parse()?;
/// let mut voices = PolicyPool::new(policy, Pool::builder().capacity(2), 0);
/// for (sound, loudness) in [("crickets", 10), ("explosion", 90), ("thunder", 70)] {
///     let (handle, evicted) = voices.insert_by((sound, loudness), |_, voice| voice.1).unwrap();
///     assert_eq!(voices[handle].0, sound);
///     assert_eq!(evicted.is_some(), sound == "thunder");
/// }
/// # Ok::<(), millpond::overflow::UnknownOverflow>(())
/// ```
///
/// # Growth
///
/// Pick [`Overflow::Grow`] where nothing may be lost and nobody knows how many there will be, and
/// where a late frame is the lesser harm: growth takes memory from the allocator in the middle of play.
/// It is the only policy that does. What is within the capacity is a plain
/// [`Pool`], taken at creation; beyond it are the blocks of a [`BlockPool`]. So a capacity that holds
/// as a rule costs what it does in any pool, and growth says that it did not hold:
/// [`growth_stats`](Self::growth_stats).
///
/// **Block size**: a quarter of the capacity, rounded up to a power of two, from 16 to 4096 slots; or,
/// where the limit allows for less growth than that, the largest power of two that fits. The slots that
/// are left over when growth is divided into blocks, less than one block's worth, are taken at
/// creation, so that the limit is exact. Each block costs some 8 bytes beside its slots, and an
/// insertion that takes one is O(slots per block).
///
/// **At the limit** the value is given back. A lower number of objects gives no memory back, but
/// [`shrink_to_fit`](Self::shrink_to_fit) does.
///
/// ```
/// use millpond::Pool;
/// use millpond::overflow::{Overflow, PolicyPool};
///
/// // 64 trees are planned for; 128 more may come, 16 at a time.
/// let builder = Pool::builder().capacity(64).name("trees");
/// let mut trees = PolicyPool::new(Overflow::Grow, builder, 128);
/// assert_eq!((trees.capacity(), trees.capacity_max()), (64, 192));
///
/// let mut plant = |tree: u32| trees.insert_by(tree, |_, _| 0);
/// let oak = plant(0).unwrap().0;
/// (1..65).for_each(|tree| assert!(plant(tree).is_ok()));
/// assert_eq!((trees.capacity(), trees[oak]), (80, 0));
/// assert_eq!(trees.growth_stats().taken_by_insertions, 1);
///
/// (65..192).for_each(|tree| assert!(trees.insert_by(tree, |_, _| 0).is_ok()));
/// let full = trees.insert_by(192, |_, _| 0).unwrap_err();
/// let says = "pool \"trees\" is full: capacity 192, all live, 192 at the peak";
/// assert_eq!((full.to_string().as_str(), full.into_inner()), (says, 192));
/// ```
///
/// # Snapshots
///
/// A [snapshot](crate::snapshot) holds all parts, and the ages of the objects for
/// [`Overflow::EvictOldest`]. It is restored to pools of the same policy and sizes.
///
/// ```
/// use millpond::Pool;
/// use millpond::overflow::{Overflow, PolicyPool};
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
    /// There if the policy asks for it.
    ages: Option<EvictOldest<H>>,
}

impl<T, R: ReuseOrder, H: HandleLayout> PolicyPool<T, R, H> {
    /// An empty pool of the builder's capacity. `more` is how many slots there may be beyond it: a second
    /// pool's, taken at creation, for [`Overflow::Spill`], or those to grow by, for [`Overflow::Grow`];
    /// 0 as a rule for the other policies, which use up a second pool before they do what they are for.
    ///
    /// # Panics
    ///
    /// Where [`try_new`](Self::try_new) returns an error.
    #[must_use]
    #[track_caller]
    pub fn new(policy: Overflow, builder: PoolBuilder<T, R, H>, more: usize) -> Self {
        Self::try_new(policy, builder, more).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Like [`new`](Self::new), for pools whose size comes from outside.
    ///
    /// ```
    /// use millpond::overflow::{Overflow, PolicyPool};
    /// use millpond::{BuildError, Handle32, Pool};
    ///
    /// let builder = Pool::<u8>::builder().handle::<Handle32<u8, 8>>().capacity(100);
    /// let error = PolicyPool::try_new(Overflow::Grow, builder, 200).unwrap_err();
    /// assert_eq!(error, BuildError::CapacityTooLarge { capacity: 300, capacity_max: 256 });
    /// ```
    ///
    /// # Errors
    ///
    /// If the builder was told no capacity, the handle layout cannot name as many slots as there may be
    /// at most, or there is no memory for those that are taken now.
    pub fn try_new(
        policy: Overflow,
        builder: PoolBuilder<T, R, H>,
        more: usize,
    ) -> Result<Self, BuildError> {
        let capacity = builder.settings().checked_capacity()?;
        let Some(capacity_max) = slots_together(capacity, more, H::CAPACITY_MAX) else {
            let (capacity, capacity_max) = (capacity.saturating_add(more), H::CAPACITY_MAX);
            return Err(BuildError::CapacityTooLarge { capacity, capacity_max });
        };
        let (spilled, grown) = match policy {
            Overflow::Grow => (0, more),
            _ => (more, 0),
        };
        let slots_per_block = slots_per_block(capacity, grown);
        let capacity_of_first = capacity + grown % slots_per_block;
        let blocks = BlockPoolBuilder::like(&builder)
            .slots_per_block(slots_per_block)
            .max_blocks(grown / slots_per_block)
            .part_from(capacity_of_first + spilled)
            .try_build()?;
        let second = builder.clone().capacity(spilled).part_from(capacity_of_first).try_build()?;
        let first = builder.capacity(capacity_of_first).try_build()?;
        let ages = match policy {
            Overflow::EvictOldest => Some(EvictOldest::try_new(capacity_max)?),
            _ => None,
        };
        let pools = Spill::new(Spill::new(first, second), blocks);
        Ok(Self { policy, pools, ages })
    }

    /// The policy.
    #[must_use]
    pub fn policy(&self) -> Overflow {
        self.policy
    }

    /// The name that the builder was given.
    #[must_use]
    pub fn name(&self) -> Option<&'static str> {
        self.first().name()
    }

    /// The pool that is filled first.
    #[must_use]
    pub fn first(&self) -> &Pool<T, R, H> {
        self.pools.first().first()
    }

    /// The pool that takes what the first has no room for; without slots unless the policy is to spill.
    /// It has handles of its own, as [`Spill::second`] says.
    #[must_use]
    pub fn second(&self) -> &Pool<T, R, H> {
        self.pools.first().second()
    }

    /// Whether the handle is of a slot that the first pool does not have: one of the second pool, or of
    /// the blocks that the pool has grown by.
    #[inline]
    #[must_use]
    pub fn is_spilled(&self, handle: H) -> bool {
        self.pools.first().is_spilled(handle)
    }

    /// How many slots there are now, live, dead and retired.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.pools.capacity()
    }

    /// How many slots there may be at most: every index is below this number, for ever. More than the
    /// [capacity](Self::capacity) only in a pool that grows, and the size for what is kept beside it,
    /// such as a [`SideTable`](crate::SideTable).
    #[must_use]
    pub fn capacity_max(&self) -> usize {
        self.pools.capacity_max()
    }

    /// The number of live slots.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pools.len()
    }

    /// Whether no slot is live.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pools.is_empty()
    }

    /// Whether nothing can be added without a loss: every slot that there may be is live or retired.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.pools.is_full()
    }

    /// How the pool stands, and what it has done; the capacity is [that of now](Self::capacity). The peak
    /// is that of [`Spill::stats`].
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.pools.stats()
    }

    /// Where the generations of the slots begin, and how many lifetimes each slot has. O(1).
    #[must_use]
    pub fn generations(&self) -> crate::slots::generations::Generations {
        self.first().generations()
    }

    /// How often the pool has grown and shrunk; all zero unless the policy is to grow.
    #[must_use]
    pub fn growth_stats(&self) -> GrowthStats {
        self.pools.second().growth_stats()
    }

    /// The live objects of all parts, grouped by the source lines that they were inserted at.
    /// O(capacity); allocates. Returns `None` unless the builder was set to [remember
    /// origins](crate::debug::DebugAids::remember_origins); see [`debug`](crate::debug). (What is
    /// reported on drop, each part that has live objects reports on its own.)
    ///
    /// ```
    /// use millpond::Pool;
    /// use millpond::debug::DebugAids;
    /// use millpond::overflow::{Overflow, PolicyPool};
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
    pub fn live_report(&self) -> Option<crate::reports::debug::LiveReport> {
        let others = self.first().origins().chain(self.second().origins());
        self.pools.second().live_report_with(others)
    }

    /// Makes sure that this many values more can be inserted without growth and without a loss, so
    /// that growth happens before play and not in it.
    ///
    /// ```
    /// use millpond::Pool;
    /// use millpond::overflow::{Overflow, PolicyPool};
    ///
    /// let mut trees = PolicyPool::<u8>::new(Overflow::Grow, Pool::builder().capacity(64), 128);
    /// trees.reserve(100)?;
    /// assert_eq!(trees.capacity(), 112);
    /// assert_eq!(
    ///     trees.reserve(193).unwrap_err().to_string(),
    ///     "the pool cannot make room for 193 more values: it may have 192 slots, and 0 are live",
    /// );
    /// # Ok::<(), millpond::block_pool::ReserveError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If there may not be this many slots, or there is not enough memory for them, as for
    /// [`BlockPool::reserve`].
    pub fn reserve(&mut self, additional: usize) -> Result<(), ReserveError> {
        let Stats { capacity, live, retired, .. } = self.pools.first().stats();
        let beyond = additional.saturating_sub(capacity - live - retired);
        let reserved = self.pools.second_mut().reserve(beyond);
        reserved.map_err(|error| {
            let Stats { live, retired, .. } = self.stats();
            ReserveError { additional, live, retired, capacity_max: self.capacity_max(), ..error }
        })
    }

    /// Gives back every block that the pool has grown by and that has no values left, and says how many
    /// these were; see [`BlockPool::shrink_to_fit`]. What was taken at creation stays.
    ///
    /// ```
    /// use millpond::Pool;
    /// use millpond::overflow::{Overflow, PolicyPool};
    ///
    /// let mut trees = PolicyPool::new(Overflow::Grow, Pool::builder().capacity(64), 128);
    /// (0..96).for_each(|tree| assert!(trees.insert_by(tree, |_, _| 0).is_ok()));
    /// trees.retain(|_, tree| *tree < 80);
    /// assert_eq!((trees.shrink_to_fit(), trees.capacity()), (1, 80));
    /// ```
    pub fn shrink_to_fit(&mut self) -> usize {
        self.pools.second_mut().shrink_to_fit()
    }

    /// Inserts; if the pool is full, does what the policy says. The key tells which object's loss is
    /// noticed least, if the policy asks: the one with the smallest.
    ///
    /// # Errors
    ///
    /// If there is no room, and none could be made. The error returns the value.
    #[cfg_attr(feature = "debug-aids", track_caller)]
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

    /// Moves the value out, or returns `None` if the handle is refused.
    #[inline]
    #[cfg_attr(feature = "debug-aids", track_caller)]
    pub fn remove(&mut self, handle: H) -> Option<T> {
        self.pools.remove(handle)
    }

    /// Returns a reference to the value, or `None` if the handle is refused.
    #[inline]
    #[must_use]
    pub fn get(&self, handle: H) -> Option<&T> {
        self.pools.get(handle)
    }

    /// Returns a mutable reference to the value, or `None` if the handle is refused.
    #[inline]
    #[must_use]
    pub fn get_mut(&mut self, handle: H) -> Option<&mut T> {
        self.pools.get_mut(handle)
    }

    /// Whether `handle` names a live object.
    #[inline]
    #[must_use]
    pub fn contains(&self, handle: H) -> bool {
        self.pools.contains(handle)
    }

    /// The handle of the object in a slot, if the slot is live. O(1).
    ///
    /// ```
    /// use millpond::Pool;
    /// use millpond::overflow::{Overflow, PolicyPool};
    ///
    /// let mut orders = PolicyPool::new(Overflow::Spill, Pool::builder().capacity(2), 2);
    /// let handles = [0, 1, 2].map(|n| orders.insert_by(n, |_, _| 0).unwrap().0);
    /// assert_eq!(orders.handle_at(2), Some(handles[2]));
    /// assert!(orders.handle_at(3).is_none());
    /// ```
    #[must_use]
    pub fn handle_at(&self, index: usize) -> Option<H> {
        let taken = self.pools.first();
        let Some(grown) = index.checked_sub(taken.capacity_max()) else {
            let Some(spilled) = index.checked_sub(taken.first().capacity()) else {
                return taken.first().handle_at(index);
            };
            return taken.second().handle_at(spilled).map(|inner| taken.outside(inner));
        };
        self.pools.second().handle_at(grown).map(|inner| self.pools.outside(inner))
    }

    /// All handles and values, by index.
    pub fn iter(&self) -> impl Iterator<Item = (H, &T)> {
        self.pools.iter()
    }

    /// Iterates over handles and mutable values in index order.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (H, &mut T)> {
        self.pools.iter_mut()
    }

    /// Removes the values of which the function says `false`, by index.
    pub fn retain(&mut self, keep: impl FnMut(H, &mut T) -> bool) {
        self.pools.retain(keep);
    }

    /// Removes and drops all values.
    pub fn clear(&mut self) {
        self.pools.clear();
    }
}

/// How many slots a pool of this capacity grows by, if it may grow by so many in all.
fn slots_per_block(capacity: usize, growth: usize) -> usize {
    let wanted = capacity.div_ceil(4).clamp(16, 4096).next_power_of_two();
    match growth.checked_ilog2() {
        Some(log2) => wanted.min(1 << log2),
        None => 1,
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
    use super::{Overflow, PolicyPool, Pool, slots_per_block};

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

    #[test]
    fn blocks_are_a_quarter_of_the_capacity_within_limits() {
        for (capacity, growth, slots) in [
            (0, 0, 1),
            (64, 0, 1),
            (0, 1, 1),
            (0, 1000, 16),
            (64, 128, 16),
            (65, 128, 32),
            (64, 15, 8),
            (1000, 1000, 256),
            (1000, 200, 128),
            (16_384, usize::MAX, 4096),
            (usize::MAX, usize::MAX, 4096),
        ] {
            assert_eq!(slots_per_block(capacity, growth), slots, "{capacity} {growth}");
        }
    }
}
