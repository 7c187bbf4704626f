//! A table of the sizes of a program's pools: [`Budget`].

mod by_name;
mod entry;
mod error;
#[cfg(feature = "toml")]
mod from_toml;

pub use entry::{Entry, Scenario};
pub use error::{BudgetError, BudgetErrorKind};

use by_name::ByName;

/// The size of each pool of a program, per scenario (such as a level), with limits that no scenario
/// may exceed.
///
/// Needs the feature `alloc`.
///
/// ```
/// use millpond_overflow::Overflow;
/// use millpond_overflow::budget::{Budget, Entry};
///
/// #[derive(Debug)]
/// struct Bullet;
/// #[derive(Debug)]
/// struct Decal;
///
/// let mut budget = Budget::new();
/// budget.limit("bullets", 4096)?;
/// budget.insert("e1m1", "bullets", Entry::new(512))?;
/// budget.insert("e1m1", "decals", Entry::new(64).on_full(Overflow::EvictOldest))?;
/// budget.insert("e1m2", "bullets", Entry::new(2048))?;
///
/// let level = budget.scenario("e1m1")?;
/// let bullets = level.pool::<Bullet>("bullets")?;
/// let decals = level.policy_pool::<Decal>("decals")?;
/// assert_eq!((bullets.capacity(), bullets.name()), (512, Some("bullets")));
/// assert_eq!((decals.capacity(), decals.policy()), (64, Overflow::EvictOldest));
///
/// let error = budget.scenario("e1m2")?.pool::<Decal>("decals").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "scenario \"e1m2\", pool \"decals\": is missing, expected one of bullets",
/// );
/// # Ok::<(), millpond_overflow::budget::BudgetError>(())
/// ```
///
/// With the feature `toml`, `Budget::from_toml` reads a budget in the format that `millpond plan
/// --budget` writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    scenarios: ByName<ByName<Entry>>,
    limits: ByName<usize>,
}

impl Budget {
    /// The limit of a pool that has none of its own, in slots: 2^24. It bounds the memory that a
    /// budget from outside can make a program allocate, or, of a pool that is [untouched](Entry::untouched), use.
    pub const LIMIT_DEFAULT: usize = 1 << 24;

    /// Creates a budget without scenarios or limits.
    #[must_use]
    #[inline]
    pub fn new() -> Self {
        Self::default()
    }

    /// Limits the pool named `pool` to `slots` slots in any scenario, including those that it
    /// spills into or may grow by, and all of an [untouched](Entry::untouched) one. Replaces an earlier limit.
    ///
    /// ```
    /// use millpond_overflow::budget::{Budget, Entry};
    ///
    /// let mut budget = Budget::new();
    /// budget.insert("e1m1", "bullets", Entry::new(5000))?;
    /// assert_eq!(
    ///     budget.limit("bullets", 4096).unwrap_err().to_string(),
    ///     "scenario \"e1m1\", pool \"bullets\": 5000 slots are more than its limit of 4096",
    /// );
    /// # Ok::<(), millpond_overflow::budget::BudgetError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If `slots` is 0, or the pool has more slots in some scenario. The budget is then unchanged.
    #[inline]
    pub fn limit(&mut self, pool: &str, slots: usize) -> Result<(), BudgetError> {
        if slots == 0 {
            return Err(BudgetError::new(BudgetErrorKind::Zero).limit_of(pool));
        }
        for (scenario, pools) in self.scenarios.iter() {
            if let Some((_, entry)) = pools.get(pool) {
                entry.check(slots).map_err(|error| error.at(scenario, pool))?;
            }
        }
        *self.limits.or_insert(pool, slots) = slots;
        Ok(())
    }

    /// Adds a pool to a scenario. The first pool of a scenario creates it.
    ///
    /// # Errors
    ///
    /// If the scenario already has a pool of this name, if the entry has no slots or more than the pool's limit, or if
    /// it contradicts itself: it [spills](Entry::spill) without slots to spill into, [grows](Entry::grow) without a
    /// maximum or to less than its capacity, or has such slots or a maximum and another policy; or it is
    /// [untouched](Entry::untouched) and has another policy than to refuse, or fewer slots than are planned to be used.
    #[inline]
    pub fn insert(&mut self, scenario: &str, pool: &str, entry: Entry) -> Result<(), BudgetError> {
        let limit = self.limits.get(pool).map_or(Self::LIMIT_DEFAULT, |(_, limit)| *limit);
        entry.check(limit).map_err(|error| error.at(scenario, pool))?;
        let pools = self.scenarios.or_insert(scenario, ByName::default());
        if pools.get(pool).is_some() {
            return Err(BudgetError::new(BudgetErrorKind::Duplicate).at(scenario, pool));
        }
        pools.or_insert(pool, entry);
        Ok(())
    }

    /// Returns the pools of the scenario named `name`.
    ///
    /// # Errors
    ///
    /// If there is no such scenario; the error lists the existing ones.
    #[inline]
    pub fn scenario(&self, name: &str) -> Result<Scenario<'_>, BudgetError> {
        match self.scenarios.get(name) {
            Some((name, pools)) => Ok(Scenario { name, pools }),
            None => Err(BudgetError::missing(self.scenario_names()).in_scenario(name)),
        }
    }

    /// Iterates over the names of all scenarios, in alphabetical order.
    #[inline]
    pub fn scenario_names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.scenarios.names()
    }
}
