//! [`Lenders`]: a lender per tenant, under one total.

mod share;

use std::collections::HashMap;
use std::fmt;
use std::future::{Future, poll_fn};
use std::hash::Hash;
use std::pin::Pin;
use std::sync::{Arc, PoisonError, Weak};
use std::task::{Poll, Waker};
use std::thread::JoinHandle;

use crate::ledger::{Lacking, Ledger};
#[cfg(feature = "tokio")]
use crate::lender::on_tokio_thread;
use crate::lender::shared::Shared;
use crate::lender::{Builder, Keeper, Lender, Tenants, Turns};
use crate::maker::Maker;
use crate::park;
use crate::quiet::{Quiet, drop_all, quietly};
use crate::settings::Settings;
use crate::sync::{Mutex, MutexGuard, lock};
use crate::timer::Timer;

/// One [`Lender`] per tenant (a customer's database, a shard, a host), and one total for all.
///
/// Each tenant has the builder's capacity. Places of the total go to tenants in need. If all are
/// taken, a tenant in need gets the place of the object that has been idle longest and, while it
/// has less than its share, that of the next loan that any tenant with more than its share returns.
///
/// **Shares**: the total, divided by the number of busy tenants: those with loans out or callers
/// waiting. If the total is smaller than their number, the places go round: a tenant without one
/// waits in line, gets the place of a returned loan, serves one caller, and gives the place to the
/// next in line when that loan is returned. With *t* places and *n* tenants in line before it, a
/// tenant gets a place after at most *n* ÷ *t* + 1 rounds, each as long as the longest loan,
/// including its opening, since the object of one tenant is closed and that of the next is opened.
/// A loan that is never returned keeps only its own place.
///
/// A caller who [requests several](Lender::acquire_many) gets them even if the share of its tenant
/// is smaller, when the tenant is first in line; objects that are reserved for callers who still
/// lack others are then taken back from tenants that are later in line. A tenant whose server is
/// down gives up its unused places until its next attempt.
///
/// The keeper looks at every tenant when it is woken: O(tenants).
///
/// The tenants' `Hash` and `Eq` run under a lock, so they must not use the lenders; no other code of the tenants runs
/// under it.
///
/// ```
/// # use std::convert::Infallible;
/// use millpond_lend::{Lenders, Maker, TokioTimer};
///
/// struct Database(String);
/// # impl Maker for Database {
/// #     type Object = String;
/// #     type Error = Infallible;
/// #     async fn open(&self) -> Result<String, Infallible> {
/// #         Ok(format!("connection to {}", self.0))
/// #     }
/// #     async fn check(&self, _: &mut String) -> Result<(), Infallible> {
/// #         Ok(())
/// #     }
/// # }
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let (lenders, keeper) =
///     Lenders::builder(|name: &String| Database(name.clone())).capacity(2).capacity_total(3).build();
/// tokio::spawn(keeper.run(TokioTimer));
///
/// let ann = lenders.lender(&"ann".to_owned());
/// let bob = lenders.lender(&"bob".to_owned());
/// let both = ann.acquire_many(2).await.unwrap();
/// let one = bob.acquire().await.unwrap();
/// drop(both);
/// // Three exist, so one of Ann's idle connections is closed for Bob.
/// let another = bob.acquire().await.unwrap();
/// assert_eq!(*another, "connection to bob");
/// # });
/// ```
pub struct Lenders<K, M: Maker> {
    inner: Arc<Inner<K, M>>,
}

type Make<K, M> = Box<dyn Fn(&K) -> M + Send + Sync>;

struct Inner<K, M: Maker> {
    make: Quiet<Make<K, M>>,
    settings: Settings,
    name: String,
    total: usize,
    /// How many places tenants with less than their share wait for.
    lacking: Lacking,
    table: Mutex<Table<K, M>>,
}

struct Table<K, M: Maker> {
    tenants: HashMap<Quiet<K>, Lender<M>>,
    /// How many places of the total the tenants are allowed.
    granted: usize,
    /// How many tenants have begun to wait for a place.
    turns: u64,
    newcomers: Vec<Keeper<M>>,
    /// All that share the total, in the order of their first calls, including tenants that were removed and whose objects
    /// are not all closed yet.
    sharing: Vec<Arc<Shared<M>>>,
    keeper: Option<Waker>,
    /// Whether the lenders' keeper is running, so that callers may wait for it.
    is_kept: bool,
}

impl<K, M> Lenders<K, M>
where
    K: Hash + Eq + Clone + fmt::Display + Send + Sync + 'static,
    M: Maker,
{
    /// Returns a builder of lenders; `make` returns the maker for a tenant.
    pub fn builder<F: Fn(&K) -> M + Send + Sync + 'static>(make: F) -> Builder<F, Tenants<K, M>> {
        Builder::new(make)
    }

    /// Returns the lender of a tenant, which is built at the first call. It works as long as it is kept, even after the
    /// `Lenders` are dropped.
    #[must_use]
    pub fn lender(&self, tenant: &K) -> Lender<M> {
        let lender = self.known_or_new(tenant);
        lender.with_kin(Arc::clone(&self.inner) as _)
    }

    fn known_or_new(&self, tenant: &K) -> Lender<M> {
        if let Some(lender) = self.inner.lock().tenants.get(tenant) {
            return lender.clone();
        }
        let name = if self.inner.name.is_empty() {
            tenant.to_string()
        } else {
            format!("{}/{tenant}", self.inner.name)
        };
        let mut ledger = Ledger::new(self.inner.settings);
        ledger.share_total(self.inner.lacking.clone());
        let shared = Shared::new((self.inner.make)(tenant), name, ledger);
        let tenant_key = Quiet::new(tenant.clone());
        let mut table = self.inner.lock();
        if let Some(lender) = table.tenants.get(tenant) {
            return lender.clone();
        }
        // Callers wait for the keeper from now on, although it has not met this tenant yet.
        if table.is_kept {
            shared.with(|books, _| books.ledger.keeper_started());
        }
        table.newcomers.push(Keeper::new(Arc::clone(&shared)));
        table.sharing.push(Arc::clone(&shared));
        let lender = Lender::from_shared(shared);
        table.tenants.insert(tenant_key, lender.clone());
        let keeper = table.keeper.take();
        drop(table);
        if let Some(keeper) = keeper {
            quietly(|| keeper.wake());
        }
        lender
    }

    /// Forgets a tenant: its lender closes when its last clone is dropped. Returns `false` if there
    /// is no such tenant.
    pub fn remove(&self, tenant: &K) -> bool {
        let mut table = self.inner.lock();
        let removed = table.tenants.remove_entry(tenant);
        // The tenant is users' code, so it is dropped outside the lock.
        drop(table);
        removed.is_some()
    }

    /// Returns how many objects exist, of all tenants.
    #[must_use]
    pub fn existing(&self) -> usize {
        let tenants: Vec<_> = self.inner.lock().tenants.values().cloned().collect();
        tenants.iter().map(|lender| lender.stats().existing).sum()
    }
}

impl<K, M: Maker> Inner<K, M> {
    fn lock(&self) -> MutexGuard<'_, Table<K, M>> {
        lock(&self.table)
    }

    /// Informs the tenants that the keeper has not met yet whether it is running. They wake their callers, which is
    /// users' code, so the table is not locked then.
    fn set_kept(&self, is_kept: bool) {
        let mut table = self.lock();
        table.is_kept = is_kept;
        let newcomers: Vec<_> =
            table.newcomers.iter().map(Keeper::shared).map(Arc::clone).collect();
        drop(table);
        for newcomer in newcomers {
            let to_drop = newcomer.with(|books, now_us| {
                if is_kept {
                    books.ledger.keeper_started();
                    Vec::new()
                } else {
                    books.ledger.keeper_gone(now_us)
                }
            });
            drop_all(to_drop);
        }
    }
}

impl<K, M: Maker> Drop for Inner<K, M> {
    fn drop(&mut self) {
        let table = self.table.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(keeper) = table.keeper.take() {
            quietly(|| keeper.wake());
        }
        drop_all(table.tenants.drain());
    }
}

impl<K, M: Maker> Clone for Lenders<K, M> {
    fn clone(&self) -> Self {
        Self { inner: Arc::clone(&self.inner) }
    }
}

impl<K, M: Maker> fmt::Debug for Lenders<K, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let table = self.inner.lock();
        f.debug_struct("Lenders")
            .field("total", &self.inner.total)
            .field("granted", &table.granted)
            .field("tenants", &table.tenants.len())
            .finish()
    }
}

impl<F, K, M> Builder<F, Tenants<K, M>>
where
    F: Fn(&K) -> M + Send + Sync + 'static,
    K: Hash + Eq + Clone + fmt::Display + Send + Sync + 'static,
    M: Maker,
{
    /// Limits how many objects of all tenants may exist at once; by default, one tenant's capacity.
    pub fn capacity_total(mut self, total: usize) -> Self {
        self.total = Some(total);
        self
    }

    /// Builds the lenders and their keeper, which must be run.
    ///
    /// # Panics
    ///
    /// If the capacity of a tenant or of all together is 0: nothing could be lent.
    #[track_caller]
    pub fn build(self) -> (Lenders<K, M>, LendersKeeper<K, M>) {
        self.settings.expect_capacity();
        assert!(
            self.total != Some(0),
            "lenders with a total capacity of 0 can lend nothing: set `capacity_total` to 1 or more"
        );
        let total = self.total.unwrap_or(self.settings.capacity);
        let table = Table {
            tenants: HashMap::new(),
            granted: 0,
            turns: 0,
            newcomers: Vec::new(),
            sharing: Vec::new(),
            keeper: None,
            is_kept: false,
        };
        let inner = Arc::new(Inner {
            make: Quiet::new(Box::new(self.maker)),
            settings: Settings { capacity: self.settings.capacity.min(total), ..self.settings },
            name: self.name,
            total,
            lacking: Lacking::default(),
            table: Mutex::new(table),
        });
        let keeper = LendersKeeper { inner: Arc::downgrade(&inner) };
        (Lenders { inner }, keeper)
    }
}

/// Does the work of [`Lenders`]: that of every tenant's keeper, and sharing the total.
#[must_use = "lenders without their keeper open nothing: spawn `keeper.run(timer)`"]
pub struct LendersKeeper<K, M: Maker> {
    inner: Weak<Inner<K, M>>,
}

impl<K, M> LendersKeeper<K, M>
where
    K: Send + Sync + 'static,
    M: Maker,
{
    /// Returns the keeper's future, to be spawned on any runtime. It ends when the lenders and those of their tenants
    /// are gone and all loans have been returned.
    ///
    /// Callers wait for it from this call on; if the future is dropped, they get
    /// [`NoKeeper`](crate::AcquireError::NoKeeper).
    pub fn run<T: Timer + Clone>(self, timer: T) -> impl Future<Output = ()> + Send + 'static {
        if let Some(inner) = self.inner.upgrade() {
            inner.set_kept(true);
        }
        let running = Running { inner: self.inner };
        async move {
            let mut keepers: Vec<Pin<Box<dyn Future<Output = ()> + Send>>> = Vec::new();
            poll_fn(|cx| {
                let mut turns = Turns::default();
                while !turns.are_used_up(cx) {
                    let newcomers = running.meet(cx.waker());
                    let is_gone = newcomers.is_none();
                    let newcomers = newcomers.unwrap_or_default();
                    let has_newcomers = !newcomers.is_empty();
                    keepers.extend(newcomers.into_iter().map(|keeper| {
                        Box::pin(keeper.run(timer.clone()))
                            as Pin<Box<dyn Future<Output = ()> + Send>>
                    }));
                    keepers.retain_mut(|keeper| keeper.as_mut().poll(cx).is_pending());
                    if is_gone && keepers.is_empty() {
                        return Poll::Ready(());
                    }
                    let has_changed = running.inner.upgrade().is_some_and(|inner| inner.share());
                    if !has_newcomers && !has_changed {
                        break;
                    }
                }
                Poll::Pending
            })
            .await;
        }
    }

    /// Runs the keeper on its own thread; see [`Keeper::run_on_thread`].
    ///
    /// # Errors
    ///
    /// If the system cannot start a thread.
    pub fn run_on_thread(self) -> std::io::Result<JoinHandle<()>> {
        let timer = park::ParkTimer::default();
        let keeper = self.run(timer.clone());
        std::thread::Builder::new()
            .name("keeper of lenders".into())
            .spawn(move || park::block_on_until(keeper, &timer))
    }

    /// Runs the keeper on its own thread, with a tokio runtime of its own; see
    /// [`Keeper::run_on_tokio_thread`].
    ///
    /// # Errors
    ///
    /// If the system cannot start a thread or a runtime.
    #[cfg(feature = "tokio")]
    pub fn run_on_tokio_thread(self) -> std::io::Result<JoinHandle<()>> {
        on_tokio_thread("keeper of lenders".into(), self.run(crate::timer::TokioTimer))
    }
}

impl<K, M: Maker> fmt::Debug for LendersKeeper<K, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LendersKeeper").finish_non_exhaustive()
    }
}

/// The running keeper. When it is dropped, it informs the tenants that it has not met.
struct Running<K, M: Maker> {
    inner: Weak<Inner<K, M>>,
}

impl<K, M: Maker> Running<K, M> {
    /// The keepers of new tenants; `None` if the lenders are gone.
    fn meet(&self, waker: &Waker) -> Option<Vec<Keeper<M>>> {
        let waker = waker.clone();
        let inner = self.inner.upgrade()?;
        let mut table = inner.lock();
        let replaced = table.keeper.replace(waker);
        let newcomers = std::mem::take(&mut table.newcomers);
        drop(table);
        drop(replaced);
        Some(newcomers)
    }
}

impl<K, M: Maker> Drop for Running<K, M> {
    fn drop(&mut self) {
        if let Some(inner) = self.inner.upgrade() {
            inner.set_kept(false);
        }
    }
}
