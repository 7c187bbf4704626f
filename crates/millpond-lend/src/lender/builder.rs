//! [`Builder`].

use super::Lender;
use super::keeper::Keeper;
use super::shared::Shared;
use crate::ledger::Ledger;
use crate::maker::Maker;
use crate::settings::{IdleOrder, Settings};

/// Builds a [`Lender`].
#[derive(Debug, Clone, Copy)]
pub struct Asynchronous;

/// Builds a [`BlockingLender`](crate::BlockingLender).
#[derive(Debug, Clone, Copy)]
pub struct Threads;

/// Builds [`Lenders`](crate::Lenders).
#[derive(Debug, Clone, Copy)]
pub struct Tenants<K, M>(std::marker::PhantomData<fn(K) -> M>);

/// The settings of a lender to be: [`Lender::builder`], [`BlockingLender::builder`](crate::BlockingLender::builder).
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

    /// How many objects may exist at once.
    pub fn capacity(mut self, capacity: usize) -> Self {
        self.settings.capacity = capacity;
        self
    }

    /// The largest capacity that can be set later: memory is taken for it.
    pub fn capacity_max(mut self, capacity_max: usize) -> Self {
        self.settings.capacity_max = capacity_max;
        self
    }

    /// What the lender is called in traces and metrics.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// How long a caller waits at most.
    pub fn acquire_timeout_ms(mut self, ms: u64) -> Self {
        self.settings.acquire_timeout_us = ms.saturating_mul(1_000);
        self
    }

    /// How long an opening takes at most. Of several that are under way at once, only one has this long; the
    /// others are given up after half a second, or eight times the mean opening if that is longer, so that a
    /// network that was away is asked anew. With [`openings_max(1)`](Self::openings_max), once one has
    /// succeeded, the openings have the short and the whole time in turn.
    pub fn open_timeout_ms(mut self, ms: u64) -> Self {
        self.settings.open_timeout_us = ms.saturating_mul(1_000);
        self
    }

    /// An object that was idle for longer is checked before it is lent; 0 checks always.
    pub fn check_after_idle_ms(mut self, ms: u64) -> Self {
        self.settings.check_after_idle_us = ms.saturating_mul(1_000);
        self
    }

    /// How long a check takes at most.
    pub fn check_timeout_ms(mut self, ms: u64) -> Self {
        self.settings.check_timeout_us = ms.saturating_mul(1_000);
        self
    }

    /// How long closing an object takes at most.
    pub fn close_timeout_ms(mut self, ms: u64) -> Self {
        self.settings.close_timeout_us = ms.saturating_mul(1_000);
        self
    }

    /// An object is replaced after 90 % to 100 % of this time, each after another share of it; 0: never.
    pub fn lifetime_s(mut self, s: u64) -> Self {
        self.settings.lifetime_us = seconds_or_never(s);
        self
    }

    /// An object that was idle for this long is closed; 0: never.
    pub fn idle_s(mut self, s: u64) -> Self {
        self.settings.idle_us = seconds_or_never(s);
        self
    }

    /// How many idle objects are kept, and opened in advance.
    pub fn idle_min(mut self, count: usize) -> Self {
        self.settings.idle_min = count;
        self
    }

    /// How many objects are opened at once. With 1, service may come back an open timeout later than a network
    /// that swallowed everything: the opening that waits could be slow, and nothing may be asked beside it.
    pub fn openings_max(mut self, count: usize) -> Self {
        self.settings.openings_max = count;
        self
    }

    /// How many callers may wait at once; more are [refused](crate::AcquireError::Refused).
    pub fn waiters_max(mut self, count: usize) -> Self {
        self.settings.waiters_max = count;
        self
    }

    /// The pause after a failed opening: from `least`, doubling with each further failure, to `most`, and half
    /// of that at the least. While somebody waits, it is a quarter of a second at most (or `least`), so that
    /// service is back soon after the server is; after a [final](crate::Maker::is_final) failure, the first
    /// caller after 0.8 s at most has it tried again.
    pub fn backoff_ms(mut self, least: u64, most: u64) -> Self {
        self.settings.backoff_min_us = least.saturating_mul(1_000);
        self.settings.backoff_max_us = most.saturating_mul(1_000);
        self
    }

    /// Which idle object is lent next.
    pub fn order(mut self, order: IdleOrder) -> Self {
        self.settings.order = order;
        self
    }
}

impl<M: Maker> Builder<M, Asynchronous> {
    /// The lender, and its keeper, which has to be run.
    ///
    /// # Panics
    ///
    /// If there is no memory for it.
    pub fn build(self) -> (Lender<M>, Keeper<M>) {
        let shared = Shared::new(self.maker, self.name, Ledger::new(self.settings));
        (Lender::from_shared(shared.clone()), Keeper::new(shared))
    }
}

fn seconds_or_never(s: u64) -> u64 {
    if s == 0 { Settings::NEVER } else { s.saturating_mul(1_000_000) }
}
