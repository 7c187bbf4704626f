//! [`Builder`].

use std::time::Duration;

use super::Lender;
use super::keeper::Keeper;
use super::shared::Shared;
use crate::ledger::Ledger;
use crate::maker::Maker;
use crate::settings::{IdleOrder, Settings};

/// Marks a [`Builder`] that builds a [`Lender`].
#[derive(Debug, Clone, Copy)]
pub struct Asynchronous;

/// Marks a [`Builder`] that builds a [`BlockingLender`](crate::BlockingLender).
#[derive(Debug, Clone, Copy)]
pub struct Threads;

/// Marks a [`Builder`] that builds [`Lenders`](crate::Lenders).
#[derive(Debug, Clone, Copy)]
pub struct Tenants<K, M>(std::marker::PhantomData<fn(K) -> M>);

/// Builds a lender; returned by [`Lender::builder`] and
/// [`BlockingLender::builder`](crate::BlockingLender::builder).
///
/// | setting | default |
/// | --- | --- |
/// | `capacity`, `capacity_max` | 10, the capacity |
/// | `acquire_timeout` | 5 s |
/// | `open_timeout`, `openings_max` | 3 s, 2 |
/// | `check_after_idle`, `check_timeout` | 1 s, 500 ms |
/// | `lifetime`, `idle_timeout`, `idle_min` | 30 min, 10 min, 0 |
/// | `close_timeout` | 1 s |
/// | `backoff` | 50 ms to 5 s, to 250 ms while somebody waits |
/// | `waiters_max` | 1,024 |
///
/// Times are rounded up to microseconds; `Duration::MAX` never passes.
#[derive(Debug)]
#[must_use = "a builder does nothing until `build`"]
pub struct Builder<M, L> {
    pub(crate) maker: M,
    pub(crate) name: String,
    pub(crate) settings: Settings,
    pub(crate) total: Option<usize>,
    kind: std::marker::PhantomData<L>,
}

impl<M, L> Builder<M, L> {
    pub(crate) fn new(maker: M) -> Self {
        Self {
            maker,
            name: String::new(),
            settings: Settings { capacity_max: 0, ..Settings::default() },
            total: None,
            kind: std::marker::PhantomData,
        }
    }

    /// The same settings for another maker.
    pub(crate) fn map_maker<N>(self, change: impl FnOnce(M) -> N) -> Builder<N, Asynchronous> {
        Builder {
            maker: change(self.maker),
            name: self.name,
            settings: self.settings,
            total: self.total,
            kind: std::marker::PhantomData,
        }
    }

    /// Sets how many objects may exist at once: 1 at least. (Later,
    /// [`set_capacity`](Lender::set_capacity) may set 0; callers then get
    /// [`NoCapacity`](crate::AcquireError::NoCapacity).)
    pub fn capacity(mut self, capacity: usize) -> Self {
        self.settings.capacity = capacity;
        self
    }

    /// Sets the largest capacity that can be set later; memory is allocated for it.
    pub fn capacity_max(mut self, capacity_max: usize) -> Self {
        self.settings.capacity_max = capacity_max;
        self
    }

    /// Sets the lender's name in traces and metrics.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Limits how long a caller waits.
    pub fn acquire_timeout(mut self, time: Duration) -> Self {
        self.settings.acquire_timeout_us = micros(time);
        self
    }

    /// Limits how long an opening takes. Of several openings at once, only one has this long. The
    /// others are given up after half a second, or eight times the mean opening if that is longer,
    /// so that they are retried soon after a network failure. With
    /// [`openings_max(1)`](Self::openings_max), once one has succeeded, openings have the short and
    /// the whole time in turn.
    pub fn open_timeout(mut self, time: Duration) -> Self {
        self.settings.open_timeout_us = micros(time);
        self
    }

    /// Checks an object that was idle for longer than this before it is lent; a time of zero
    /// always checks.
    pub fn check_after_idle(mut self, time: Duration) -> Self {
        self.settings.check_after_idle_us = micros(time);
        self
    }

    /// Limits how long a check takes.
    pub fn check_timeout(mut self, time: Duration) -> Self {
        self.settings.check_timeout_us = micros(time);
        self
    }

    /// Limits how long closing an object takes.
    pub fn close_timeout(mut self, time: Duration) -> Self {
        self.settings.close_timeout_us = micros(time);
        self
    }

    /// Replaces an object after 90 % to 100 % of this time, a different share for each; a time
    /// of zero never does.
    pub fn lifetime(mut self, time: Duration) -> Self {
        self.settings.lifetime_us = micros_or_never(time);
        self
    }

    /// Closes an object that was idle for this long; a time of zero never does.
    pub fn idle_timeout(mut self, time: Duration) -> Self {
        self.settings.idle_us = micros_or_never(time);
        self
    }

    /// Sets how many idle objects are kept, and opened in advance.
    pub fn idle_min(mut self, count: usize) -> Self {
        self.settings.idle_min = count;
        self
    }

    /// Sets how many objects are opened at once. With 1, when the network comes back after losing
    /// all packets, service may resume up to one open timeout later: the opening under way may
    /// still be waiting, and no other may start beside it.
    pub fn openings_max(mut self, count: usize) -> Self {
        self.settings.openings_max = count;
        self
    }

    /// Limits how many callers may wait at once; more are [refused](crate::AcquireError::Refused).
    pub fn waiters_max(mut self, count: usize) -> Self {
        self.settings.waiters_max = count;
        self
    }

    /// Sets the pause after a failed opening: it begins at `least` and doubles with each further
    /// failure, up to `most`; each pause is shortened by a jitter of up to half of it. While a
    /// caller waits, the pause is at most a quarter of a second (or `least`), so that service
    /// resumes soon after the server does. With a `least` of 0, the second attempt comes at once, and
    /// the pauses after it grow from a millisecond. After a [final](crate::Maker::is_final) failure, opening
    /// is tried again for the first caller after at most 0.8 s.
    pub fn backoff(mut self, least: Duration, most: Duration) -> Self {
        self.settings.backoff_min_us = micros(least);
        self.settings.backoff_max_us = micros(most);
        self
    }

    /// Sets which idle object is lent next.
    pub fn order(mut self, order: IdleOrder) -> Self {
        self.settings.order = order;
        self
    }
}

impl<M: Maker> Builder<M, Asynchronous> {
    /// Builds the lender and its keeper, which must be run.
    ///
    /// # Panics
    ///
    /// If the capacity is 0: such a lender could lend nothing. Or if there is not enough memory.
    #[track_caller]
    pub fn build(self) -> (Lender<M>, Keeper<M>) {
        self.settings.expect_capacity();
        let shared = Shared::new(self.maker, self.name, Ledger::new(self.settings));
        (Lender::from_shared(shared.clone()), Keeper::new(shared))
    }
}

/// A time in microseconds: rounded up, so that only zero is zero. `Duration::MAX` never passes.
fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_nanos().div_ceil(1_000)).unwrap_or(Settings::NEVER)
}

fn micros_or_never(time: Duration) -> u64 {
    if time.is_zero() { Settings::NEVER } else { micros(time) }
}
