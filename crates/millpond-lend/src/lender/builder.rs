//! [`Builder`].

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
/// | `acquire_timeout_ms` | 5,000 |
/// | `open_timeout_ms`, `openings_max` | 3,000, 2 |
/// | `check_after_idle_ms`, `check_timeout_ms` | 1,000, 500 |
/// | `lifetime_s`, `idle_s`, `idle_min` | 1,800, 600, 0 |
/// | `close_timeout_ms` | 1,000 |
/// | `backoff_ms` | 50 to 5,000, to 250 while somebody waits |
/// | `waiters_max` | 1,024 |
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

    /// Sets how many objects may exist at once.
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
    pub fn acquire_timeout_ms(mut self, ms: u64) -> Self {
        self.settings.acquire_timeout_us = ms.saturating_mul(1_000);
        self
    }

    /// Limits how long an opening takes. Of several openings at once, only one has this long. The
    /// others are given up after half a second, or eight times the mean opening if that is longer,
    /// so that they are retried soon after a network failure. With
    /// [`openings_max(1)`](Self::openings_max), once one has succeeded, openings have the short and
    /// the whole time in turn.
    pub fn open_timeout_ms(mut self, ms: u64) -> Self {
        self.settings.open_timeout_us = ms.saturating_mul(1_000);
        self
    }

    /// Checks an object that was idle for longer than this before it is lent; 0 always checks.
    pub fn check_after_idle_ms(mut self, ms: u64) -> Self {
        self.settings.check_after_idle_us = ms.saturating_mul(1_000);
        self
    }

    /// Limits how long a check takes.
    pub fn check_timeout_ms(mut self, ms: u64) -> Self {
        self.settings.check_timeout_us = ms.saturating_mul(1_000);
        self
    }

    /// Limits how long closing an object takes.
    pub fn close_timeout_ms(mut self, ms: u64) -> Self {
        self.settings.close_timeout_us = ms.saturating_mul(1_000);
        self
    }

    /// Replaces an object after 90 % to 100 % of this time, a different share for each; 0 never
    /// does.
    pub fn lifetime_s(mut self, s: u64) -> Self {
        self.settings.lifetime_us = seconds_or_never(s);
        self
    }

    /// Closes an object that was idle for this long; 0 never does.
    pub fn idle_s(mut self, s: u64) -> Self {
        self.settings.idle_us = seconds_or_never(s);
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
    pub fn backoff_ms(mut self, least: u64, most: u64) -> Self {
        self.settings.backoff_min_us = least.saturating_mul(1_000);
        self.settings.backoff_max_us = most.saturating_mul(1_000);
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
    /// If there is not enough memory.
    pub fn build(self) -> (Lender<M>, Keeper<M>) {
        let shared = Shared::new(self.maker, self.name, Ledger::new(self.settings));
        (Lender::from_shared(shared.clone()), Keeper::new(shared))
    }
}

fn seconds_or_never(s: u64) -> u64 {
    if s == 0 { Settings::NEVER } else { s.saturating_mul(1_000_000) }
}
