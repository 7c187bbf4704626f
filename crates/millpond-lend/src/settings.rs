//! The settings of a lender.

/// Which idle object is lent next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum IdleOrder {
    /// The one that was returned last: the others stay idle and expire if they are not needed.
    #[default]
    Lifo,
    /// The one that has been idle longest: all are used equally.
    Fifo,
}

/// The limits and times of a [`Ledger`](crate::Ledger), in microseconds.
///
/// A time of [`NEVER`](Self::NEVER) never passes.
///
/// ```
/// use millpond_lend::Settings;
///
/// let settings = Settings { capacity: 4, ..Settings::default() };
/// assert_eq!(settings.acquire_timeout_us, 5_000_000);
/// assert_eq!(settings.lifetime_us, 1_800_000_000);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// How many objects may exist at once.
    pub capacity: usize,
    /// The largest capacity that can be set later; at least `capacity`.
    pub capacity_max: usize,
    /// How many callers may wait at once; more are refused.
    pub waiters_max: usize,
    /// How many objects are opened at once.
    pub openings_max: usize,
    /// How many idle objects are kept, and opened in advance.
    pub idle_min: usize,
    /// The longest time that a caller waits.
    pub acquire_timeout_us: u64,
    /// The longest time that an opening takes.
    pub open_timeout_us: u64,
    /// The longest time that a check takes.
    pub check_timeout_us: u64,
    /// The longest time that closing an object takes.
    pub close_timeout_us: u64,
    /// An object that was idle for longer is checked before it is lent.
    pub check_after_idle_us: u64,
    /// An object is replaced after 90 % to 100 % of this time.
    pub lifetime_us: u64,
    /// An object that was idle for this long is closed.
    pub idle_us: u64,
    /// The pause after the first failed opening; it doubles with each further failure.
    pub backoff_min_us: u64,
    /// The longest pause after a failed opening while no caller waits.
    pub backoff_max_us: u64,
    /// Which idle object is lent next.
    pub order: IdleOrder,
}

impl Settings {
    /// Panics if nothing could be lent.
    #[track_caller]
    pub(crate) fn expect_capacity(&self) {
        assert!(
            self.capacity > 0,
            "a lender with a capacity of 0 can lend nothing: set `capacity` to 1 or more"
        );
    }

    /// A time that never passes.
    pub const NEVER: u64 = u64::MAX;

    /// The same settings with each limit in its range: at least one object, one opening and one waiter.
    pub(crate) fn in_range(mut self) -> Self {
        self.capacity_max = self.capacity_max.max(self.capacity).max(1);
        self.openings_max = self.openings_max.max(1);
        self.waiters_max = self.waiters_max.max(1);
        self.backoff_max_us = self.backoff_max_us.max(self.backoff_min_us);
        self
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            capacity: 10,
            capacity_max: 10,
            waiters_max: 1_024,
            openings_max: 2,
            idle_min: 0,
            acquire_timeout_us: 5_000_000,
            open_timeout_us: 3_000_000,
            check_timeout_us: 500_000,
            close_timeout_us: 1_000_000,
            check_after_idle_us: 1_000_000,
            lifetime_us: 1_800_000_000,
            idle_us: 600_000_000,
            backoff_min_us: 50_000,
            backoff_max_us: 5_000_000,
            order: IdleOrder::Lifo,
        }
    }
}
