use millpond::{BuildError, Pool, PoolBuilder};

use super::by_name::ByName;
use super::{BudgetError, BudgetErrorKind};
use crate::{Overflow, PolicyPool};

/// What a [`Budget`](super::Budget) specifies for one pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    capacity: usize,
    on_full: Overflow,
    spill: usize,
    /// `Some` for a pool that grows.
    max: Option<usize>,
    /// `Some` for a pool whose memory is touched as it fills.
    untouched: Option<usize>,
}

impl Entry {
    /// Creates an entry with `capacity` slots, for a pool that refuses when full.
    #[must_use]
    #[inline]
    pub const fn new(capacity: usize) -> Self {
        Self { capacity, on_full: Overflow::Refuse, spill: 0, max: None, untouched: None }
    }

    /// Sets what a full pool does. For a pool that spills, see [`spill`](Self::spill); for one that
    /// grows, [`grow`](Self::grow).
    #[must_use]
    #[inline]
    pub const fn on_full(mut self, policy: Overflow) -> Self {
        self.on_full = policy;
        self
    }

    /// Makes a full pool spill into a second one of `slots` slots.
    ///
    /// ```
    /// use millpond_overflow::budget::{Budget, Entry};
    ///
    /// let mut budget = Budget::new();
    /// budget.insert("e1m1", "orders", Entry::new(64).spill(16))?;
    /// let orders = budget.scenario("e1m1")?.policy_pool::<u32>("orders")?;
    /// assert_eq!((orders.first().capacity(), orders.second().capacity()), (64, 16));
    /// # Ok::<(), millpond_overflow::budget::BudgetError>(())
    /// ```
    #[must_use]
    #[inline]
    pub const fn spill(mut self, slots: usize) -> Self {
        self.on_full = Overflow::Spill;
        self.spill = slots;
        self
    }

    /// Makes a full pool grow up to `max` slots in all. It allocates during play; see
    /// [`PolicyPool`].
    ///
    /// ```
    /// use millpond_overflow::budget::{Budget, Entry};
    ///
    /// let mut budget = Budget::new();
    /// budget.insert("e1m1", "trees", Entry::new(64).grow(256))?;
    /// let trees = budget.scenario("e1m1")?.policy_pool::<u32>("trees")?;
    /// assert_eq!((trees.capacity(), trees.capacity_max()), (64, 256));
    ///
    /// assert_eq!(
    ///     budget.insert("e1m2", "trees", Entry::new(64).grow(32)).unwrap_err().to_string(),
    ///     "scenario \"e1m2\", pool \"trees\": may have 32 slots, less than its capacity \
    ///      of 64",
    /// );
    /// # Ok::<(), millpond_overflow::budget::BudgetError>(())
    /// ```
    #[must_use]
    #[inline]
    pub const fn grow(mut self, max: usize) -> Self {
        self.on_full = Overflow::Grow;
        self.max = Some(max);
        self
    }

    /// Makes a pool of `max` slots whose memory is [untouched](millpond::PoolBuilder::untouched): the capacity is the
    /// number of slots that are planned to be used, and `max` the number that there are. So there are two figures: the
    /// capacity is what the pool costs in memory, and `max` in addresses. The [limit](super::Budget::limit) holds for
    /// `max`, as it does where a pool grows, so that it bounds the memory as well.
    ///
    /// Nothing stops a pool at its planned slots. How many it has used, [`slots_used`](Pool::slots_used) says:
    ///
    /// ```
    /// use millpond_overflow::budget::{Budget, Entry};
    ///
    /// let mut budget = Budget::new();
    /// budget.insert("e1m1", "chunks", Entry::new(2).untouched(1 << 20))?;
    /// let entry = budget.scenario("e1m1")?.entry("chunks")?;
    /// let mut chunks = budget.scenario("e1m1")?.pool::<[u8; 64]>("chunks")?;
    /// assert_eq!((entry.capacity(), entry.capacity_max(), chunks.capacity()), (2, 1 << 20, 1 << 20));
    ///
    /// let is_over_budget = |used| used > entry.capacity();
    /// (0..3).for_each(|n| _ = chunks.insert([n; 64]).unwrap());
    /// assert!(is_over_budget(chunks.slots_used())); // the level has outgrown its plan, and goes on
    /// # Ok::<(), millpond_overflow::budget::BudgetError>(())
    /// ```
    ///
    /// Only a pool that refuses when full can have it.
    #[must_use]
    #[inline]
    pub const fn untouched(mut self, max: usize) -> Self {
        self.untouched = Some(max);
        self
    }

    /// Whether the pool's memory is [untouched](Self::untouched).
    #[must_use]
    #[inline]
    pub const fn is_untouched(&self) -> bool {
        self.untouched.is_some()
    }

    /// Returns the number of slots of the pool; of an [untouched](Self::untouched) one, those that are planned to be
    /// used.
    #[must_use]
    #[inline]
    pub const fn capacity(&self) -> usize {
        self.capacity
    }

    /// Returns what a full pool does.
    #[must_use]
    #[inline]
    pub const fn policy(&self) -> Overflow {
        self.on_full
    }

    /// Returns the number of slots of the pool that it spills into.
    #[must_use]
    #[inline]
    pub const fn spill_capacity(&self) -> usize {
        self.spill
    }

    /// Returns the largest number of slots in all, including those that the pool spills into or may
    /// grow by; of an [untouched](Self::untouched) one, those that there are.
    #[must_use]
    #[inline]
    pub const fn capacity_max(&self) -> usize {
        match (self.max, self.untouched) {
            (Some(max), _) | (None, Some(max)) => max,
            (None, None) => self.capacity.saturating_add(self.spill),
        }
    }

    /// The number of slots that its pool is built with.
    const fn built(&self) -> usize {
        match self.untouched {
            Some(max) => max,
            None => self.capacity,
        }
    }

    #[inline]
    pub(super) fn check(&self, limit: usize) -> Result<(), BudgetError> {
        let slots = self.capacity_max();
        let kind = if self.capacity == 0 {
            BudgetErrorKind::Zero
        } else if (self.on_full == Overflow::Spill) != (self.spill > 0) {
            BudgetErrorKind::SpillWithoutSlots
        } else if (self.on_full == Overflow::Grow) != self.max.is_some() {
            BudgetErrorKind::GrowWithoutMax
        } else if self.untouched.is_some() && self.on_full != Overflow::Refuse {
            BudgetErrorKind::UntouchedWithPolicy(self.on_full)
        } else if slots < self.capacity {
            BudgetErrorKind::MaxBelowCapacity { max: slots, capacity: self.capacity }
        } else if slots > limit {
            BudgetErrorKind::AboveLimit { slots, limit }
        } else {
            return Ok(());
        };
        Err(BudgetError::new(kind))
    }
}

/// The pools of one scenario of a [`Budget`](super::Budget).
#[derive(Clone, Copy, Debug)]
pub struct Scenario<'b> {
    pub(super) name: &'b str,
    pub(super) pools: &'b ByName<Entry>,
}

impl<'b> Scenario<'b> {
    /// Returns the scenario's name.
    #[must_use]
    #[inline]
    pub fn name(&self) -> &'b str {
        self.name
    }

    /// Iterates over the names and entries of its pools, in alphabetical order.
    #[inline]
    pub fn entries(&self) -> impl ExactSizeIterator<Item = (&'b str, Entry)> + use<'b> {
        self.pools.iter().map(|(name, entry)| (name, *entry))
    }

    /// Returns the entry of `pool`.
    ///
    /// # Errors
    ///
    /// If there is no such pool; the error lists the existing ones.
    #[inline]
    pub fn entry(&self, pool: &str) -> Result<Entry, BudgetError> {
        match self.pools.get(pool) {
            Some((_, entry)) => Ok(*entry),
            None => Err(BudgetError::missing(self.pools.names()).at(self.name, pool)),
        }
    }

    /// Returns the capacity of `pool`, for pools that are not built here. Of an [untouched](Entry::untouched) one, it
    /// is the number of slots that are planned to be used; the [entry](Self::entry) has the other one as well.
    ///
    /// ```
    /// use millpond::PackedPool;
    /// use millpond_overflow::budget::{Budget, Entry};
    ///
    /// let mut budget = Budget::new();
    /// budget.insert("e1m1", "sprites", Entry::new(512))?;
    /// let sprites = PackedPool::<u32>::new(budget.scenario("e1m1")?.capacity("sprites")?);
    /// assert_eq!(sprites.capacity(), 512);
    /// # Ok::<(), millpond_overflow::budget::BudgetError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If there is no such pool.
    #[inline]
    pub fn capacity(&self, pool: &str) -> Result<usize, BudgetError> {
        Ok(self.entry(pool)?.capacity)
    }

    /// Builds an empty pool with this name and its entry's capacity, or an [untouched](Entry::untouched) one.
    ///
    /// # Errors
    ///
    /// If there is no such pool, or not enough memory for it, or if its entry has another policy
    /// than to refuse; use [`policy_pool`](Self::policy_pool) then.
    pub fn pool<T>(&self, name: &'static str) -> Result<Pool<T>, BudgetError> {
        let entry = self.entry(name)?;
        if entry.on_full != Overflow::Refuse {
            let kind = BudgetErrorKind::PolicyIgnored(entry.on_full);
            return Err(BudgetError::new(kind).at(self.name, name));
        }
        self.builder(name)?.try_build().map_err(|error| self.cannot_build(name, error))
    }

    /// Returns a builder with this name and its entry's capacity, [untouched](Entry::untouched) if the entry says so,
    /// to choose the reuse order and the handle layout. The entry's policy is ignored.
    ///
    /// ```
    /// use millpond_overflow::budget::{Budget, Entry};
    /// use millpond::reuse::LowestFirst;
    ///
    /// let mut budget = Budget::new();
    /// budget.insert("e1m1", "monsters", Entry::new(300))?;
    /// let level = budget.scenario("e1m1")?;
    /// let monsters = level.builder::<u32>("monsters")?.reuse(LowestFirst).build();
    /// assert_eq!(monsters.capacity(), 300);
    /// # Ok::<(), millpond_overflow::budget::BudgetError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If there is no such pool.
    pub fn builder<T>(&self, name: &'static str) -> Result<PoolBuilder<T>, BudgetError> {
        let entry = self.entry(name)?;
        let builder = Pool::builder().capacity(entry.built()).name(name);
        Ok(if entry.is_untouched() { builder.untouched() } else { builder })
    }

    /// Builds an empty pool with this name and its entry's capacity and policy.
    ///
    /// # Errors
    ///
    /// If there is no such pool, or not enough memory for it.
    pub fn policy_pool<T>(&self, name: &'static str) -> Result<PolicyPool<T>, BudgetError> {
        let entry = self.entry(name)?;
        let more = entry.capacity_max() - entry.built();
        PolicyPool::try_new(entry.on_full, self.builder(name)?, more)
            .map_err(|error| self.cannot_build(name, error))
    }

    #[inline]
    fn cannot_build(&self, pool: &str, error: BuildError) -> BudgetError {
        BudgetError::new(BudgetErrorKind::Build(error)).at(self.name, pool)
    }
}
