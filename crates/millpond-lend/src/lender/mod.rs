//! [`Lender`].

mod acquire;
mod builder;
mod job;
mod keeper;
mod loan;
pub(crate) mod shared;

use std::any::Any;
use std::fmt;
use std::future::poll_fn;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, Location};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

pub use acquire::{Acquire, AcquireMany};
pub use builder::{Asynchronous, Builder, Tenants, Threads};
pub use keeper::Keeper;
pub(crate) use keeper::Turns;
#[cfg(feature = "tokio")]
pub(crate) use keeper::on_tokio_thread;
pub use loan::{Exchange, Loan};

use crate::error::{Holder, LoanHandle};
use crate::maker::Maker;
use crate::quiet::{drop_all, quietly};
use crate::stats::Stats;
use crate::trace::{LIVE_HEADER, LiveStats, TRACE_HEADER, TraceRow};
use shared::Shared;

/// The result of closing a lender.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct CloseReport {
    /// How many objects were closed since the call.
    pub closed: u64,
    /// The loans that were still out when the grace period ended. Their objects are dropped when
    /// they are returned.
    pub still_out: Vec<Holder>,
}

/// Lends objects that are expensive to open, such as connections: first come, first served.
///
/// A clone lends the same objects. When the last clone is dropped, the lender closes.
///
/// **Memory** is allocated when the lender is built, for `capacity_max` objects and `waiters_max`
/// waiters; a loan allocates nothing. **Time**: acquiring and returning are O(1), under one lock,
/// which is never held while user code runs.
///
/// ```
/// use std::convert::Infallible;
/// use millpond_lend::{Lender, Maker, TokioTimer};
///
/// struct Greetings;
///
/// impl Maker for Greetings {
///     type Object = String;
///     type Error = Infallible;
///
///     async fn open(&self) -> Result<String, Infallible> {
///         Ok("hello".into())
///     }
///     async fn check(&self, _: &mut String) -> Result<(), Infallible> {
///         Ok(())
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let (lender, keeper) = Lender::builder(Greetings).capacity(2).name("greetings").build();
/// tokio::spawn(keeper.run(TokioTimer));
///
/// let mut loan = lender.acquire().await.unwrap();
/// loan.push_str(" world");
/// assert_eq!(loan.handle().to_string(), "0v1");
/// drop(loan); // goes back
///
/// assert_eq!(*lender.acquire().await.unwrap(), "hello world"); // the same object
/// assert_eq!(lender.stats().opened, 1);
/// # });
/// ```
pub struct Lender<M: Maker> {
    owner: Arc<Owner<M>>,
    /// Kept alive for the callers, and not otherwise used: the lenders with which it shares a total.
    kin: Option<AssertUnwindSafe<Arc<dyn Any + Send + Sync>>>,
}

/// Closes the lender when its last clone is dropped; loans and the keeper do not count.
struct Owner<M: Maker> {
    shared: Arc<Shared<M>>,
}

impl<M: Maker> Drop for Owner<M> {
    fn drop(&mut self) {
        if self.shared.origin.is_here() {
            drop_all(self.shared.with(|books, now_us| books.ledger.close(now_us)));
        }
    }
}

impl<M: Maker> Lender<M> {
    /// Returns a builder of a lender for the objects that `maker` opens. Every setting has a
    /// default; see [`Builder`].
    pub fn builder(maker: M) -> Builder<M, Asynchronous> {
        Builder::new(maker)
    }

    pub(crate) fn from_shared(shared: Arc<Shared<M>>) -> Self {
        Self { owner: Arc::new(Owner { shared }), kin: None }
    }

    /// The same lender for callers, which keeps `kin` alive.
    pub(crate) fn with_kin(mut self, kin: Arc<dyn Any + Send + Sync>) -> Self {
        self.kin = Some(AssertUnwindSafe(kin));
        self
    }

    pub(crate) fn shared(&self) -> &Arc<Shared<M>> {
        &self.owner.shared
    }

    /// Lends an object, as soon as one is free and all earlier callers have been served.
    ///
    /// The future may be dropped at any time without losing anything. It resolves to an
    /// [error](crate::AcquireError) after the acquire timeout at the latest, as long as the keeper
    /// is polled.
    #[track_caller]
    #[inline]
    pub fn acquire(&self) -> Acquire<'_, M> {
        Acquire::new(&self.owner.shared, Location::caller())
    }

    /// Lends `count` objects at once, or none. So two callers that need several objects each cannot
    /// deadlock, unlike callers that hold a loan while they wait for another.
    ///
    /// Allocates two vectors, unlike [`acquire`](Self::acquire).
    #[track_caller]
    pub fn acquire_many(&self, count: usize) -> AcquireMany<'_, M> {
        AcquireMany::new(&self.owner.shared, count, Location::caller())
    }

    /// Lends an object without waiting. Returns `None` if no idle object is known to work, other
    /// callers wait, or this process was forked from the one that built the lender.
    #[track_caller]
    #[must_use]
    pub fn try_acquire(&self) -> Option<Loan<M>> {
        let place = Location::caller();
        let shared = &self.owner.shared;
        loop {
            let ready = shared.with_for_caller(|books, now_us| {
                (books.ledger.try_ask(now_us, place), books.ledger.has_keeper())
            });
            let (ready, is_kept) = ready.ok()?;
            let (handle, object) = ready?;
            if let Some(object) = shared.unless_broken(handle, object, is_kept) {
                return Some(Loan::new(Arc::clone(shared), handle, object));
            }
        }
    }

    /// Closes one object: now if it is idle, or when it is returned if it is lent. Returns `false`
    /// if the handle is stale.
    pub fn evict(&self, handle: LoanHandle) -> bool {
        let mut to_drop = Vec::new();
        let exists =
            self.shared().with(|books, now_us| books.ledger.evict(now_us, handle, &mut to_drop));
        drop_all(to_drop);
        exists
    }

    /// Closes every object that exists now, and lent ones when they are returned. This is for a
    /// change of the password or the server.
    ///
    /// An object that is being opened is lent once if a caller is waiting for it, and closed when it
    /// is returned: so callers are served even if this is called more often than an opening takes.
    pub fn evict_all(&self) {
        drop_all(self.shared().with(|books, now_us| books.ledger.evict_all(now_us)));
    }

    /// Sets how many objects may exist, at most `capacity_max`, and returns the number set.
    ///
    /// The capacity is exact: excess idle objects are closed now, excess loans when they are
    /// returned, and nothing is opened while there are as many objects as the capacity.
    pub fn set_capacity(&self, capacity: usize) -> usize {
        let (set, to_drop) =
            self.shared().with(|books, now_us| books.ledger.set_capacity(now_us, capacity));
        drop_all(to_drop);
        set
    }

    /// Returns the lender's counters.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.shared().read(|books, _| books.ledger.stats())
    }

    /// Returns the lender's name, which is empty if it has none.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.shared().name
    }

    /// Returns every loan that is out, or kept for a caller that has not polled since: the object,
    /// for how long, and who acquired it. O(capacity).
    #[must_use]
    pub fn holders(&self) -> Vec<Holder> {
        self.shared().read(|books, now_us| books.ledger.all_holders(now_us).collect())
    }

    /// Checks every invariant, for tests. O(capacity + waiters).
    ///
    /// # Errors
    ///
    /// The first invariant that does not hold, which is a bug of this crate.
    pub fn validate(&self) -> Result<(), String> {
        self.shared().validate()
    }

    /// Begins a trace: from now on, each acquisition adds a row, once it has failed or its loan has
    /// been returned.
    ///
    /// Take the rows at least every 65,536 loans; rows that are not taken in time are lost, and
    /// counted in [`Stats::trace_rows_lost`].
    pub fn begin_trace(&self) {
        self.shared().with(|books, _| books.ledger.begin_trace());
    }

    /// Returns the rows since the last call, in the order in which the loans were returned.
    #[must_use]
    pub fn take_trace(&self) -> Vec<TraceRow> {
        self.shared().with(|books, _| books.ledger.take_trace())
    }

    /// Writes the rows since the last call as lines of a trace for `millpond plan`:
    /// `asked_us,got_us,returned_us,pool`. The first line of the file, [`TRACE_HEADER`], is
    /// written if `with_header`.
    ///
    /// # Errors
    ///
    /// If `to` cannot be written; the rows are then lost.
    pub fn write_trace(&self, mut to: impl Write, with_header: bool) -> io::Result<()> {
        if with_header {
            writeln!(to, "{TRACE_HEADER}")?;
        }
        let name = self.name_in_a_trace();
        write_rows(&mut to, &self.take_trace(), &name)?;
        to.flush()
    }

    /// Writes the rows since the last call and the lender's current counters as lines of a live
    /// trace. `millpond watch` shows the trace while it grows, and `millpond plan` reads it like
    /// any other. Call this about ten times a second, after [`begin_trace`](Self::begin_trace). The
    /// first line of the file, [`LIVE_HEADER`], is written if `with_header`.
    ///
    /// ```no_run
    /// # fn of<M: millpond_lend::Maker>(lender: millpond_lend::Lender<M>) -> std::io::Result<()> {
    /// lender.begin_trace();
    /// let mut file = std::io::BufWriter::new(std::fs::File::create("orders.trace")?);
    /// lender.write_live(&mut file, true)?;
    /// loop {
    ///     std::thread::sleep(std::time::Duration::from_millis(100));
    ///     lender.write_live(&mut file, false)?;
    /// }
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If `to` cannot be written; the rows are then lost.
    pub fn write_live(&self, mut to: impl Write, with_header: bool) -> io::Result<()> {
        if with_header {
            writeln!(to, "{LIVE_HEADER}")?;
        }
        let name = self.name_in_a_trace();
        let (rows, stats) = self.shared().with(|books, now_us| {
            let ledger = &mut books.ledger;
            let stats = LiveStats::new(now_us, &ledger.stats(), ledger.is_closed());
            (ledger.take_trace(), stats)
        });
        write_rows(&mut to, &rows, &name)?;
        writeln!(to, "{}", stats.with_pool(&name))?;
        to.flush()
    }

    fn name_in_a_trace(&self) -> String {
        self.name().replace([',', '\n', '\r'], "_")
    }

    /// Closes the lender: waiting callers get an error, idle objects are closed now, and loans when
    /// they are returned. Resolves when no object exists, or `grace` is over.
    ///
    /// The lender closes even if the future is dropped. Without a keeper, this does not wait. In a process that was
    /// forked from the one that built the lender, this does nothing.
    pub async fn close(&self, grace: Duration) -> CloseReport {
        let shared = self.shared();
        if !shared.origin.is_here() {
            return CloseReport::default();
        }
        let grace_us = u64::try_from(grace.as_micros()).unwrap_or(u64::MAX);
        let (to_drop, before, keeper, call) = shared.with(|books, now_us| {
            books.grace_ends_us = books.grace_ends_us.min(now_us.saturating_add(grace_us));
            books.closes += 1;
            let before = books.ledger.stats().closings.total();
            (books.ledger.close(now_us), before, books.keeper.take(), books.closes)
        });
        let closer = Closer { shared, call };
        drop_all(to_drop);
        if let Some(keeper) = keeper {
            quietly(|| keeper.wake());
        }
        poll_fn(|cx| closer.poll(cx)).await;
        shared.read(|books, now_us| CloseReport {
            closed: books.ledger.stats().closings.total() - before,
            still_out: books.ledger.all_holders(now_us).collect(),
        })
    }
}

/// A call of [`Lender::close`] that waits for the end.
struct Closer<'a, M: Maker> {
    shared: &'a Shared<M>,
    call: u64,
}

impl<M: Maker> Closer<'_, M> {
    fn poll(&self, cx: &Context<'_>) -> Poll<()> {
        // Cloned and dropped here, because a waker is users' code.
        let waker = cx.waker().clone();
        let (is_over, to_drop) = self.shared.with(|books, _| {
            // The keeper ends when everything is closed, and then wakes the calls that wait here.
            if books.ledger.has_keeper() {
                (false, books.keep_closer(self.call, waker))
            } else {
                (true, Some(waker))
            }
        });
        drop(to_drop);
        if is_over { Poll::Ready(()) } else { Poll::Pending }
    }
}

impl<M: Maker> Drop for Closer<'_, M> {
    fn drop(&mut self) {
        drop_all(self.shared.with(|books, _| books.forget_closer(self.call)));
    }
}

fn write_rows(to: &mut impl Write, rows: &[TraceRow], name: &str) -> io::Result<()> {
    rows.iter().try_for_each(|row| writeln!(to, "{}", row.with_pool(name)))
}

impl<M: Maker> Clone for Lender<M> {
    fn clone(&self) -> Self {
        let kin = self.kin.as_ref().map(|kin| AssertUnwindSafe(Arc::clone(kin)));
        Self { owner: Arc::clone(&self.owner), kin }
    }
}

impl<M: Maker> fmt::Debug for Lender<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lender").field("name", &self.name()).field("stats", &self.stats()).finish()
    }
}

#[cfg(all(test, not(millpond_loom)))]
mod tests {
    use std::io;
    use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

    use super::*;
    use crate::park::block_on;

    /// Opens numbers; those below `least` do not work any more.
    #[derive(Default)]
    struct Numbers {
        opened: AtomicU64,
        least: AtomicU64,
    }

    impl Maker for Numbers {
        type Object = u64;
        type Error = io::Error;

        async fn open(&self) -> io::Result<u64> {
            Ok(self.opened.fetch_add(1, SeqCst) + 1)
        }

        async fn check(&self, number: &mut u64) -> io::Result<()> {
            let works = *number >= self.least.load(SeqCst);
            if works { Ok(()) } else { Err(io::ErrorKind::ConnectionReset.into()) }
        }
    }

    /// The machine sleeps, and in the meantime the server closes all connections. The lender's clock stands still, so none
    /// was idle for long.
    #[test]
    fn after_a_sleep_of_the_machine_no_dead_object_is_lent() {
        for slept_us in [3_600_000_000, 1_500_000, 500_000] {
            let (lender, keeper) = Lender::builder(Numbers::default())
                .capacity(5)
                .check_after_idle(Duration::from_secs(3_600))
                .build();
            keeper.run_on_thread().unwrap();
            let mut loans = block_on(lender.acquire_many(5)).unwrap();
            let last = loans.pop();
            drop(loans);
            let shared = lender.shared();
            std::thread::sleep(Duration::from_millis(2));
            shared.maker.least.store(100, SeqCst);
            shared.maker.opened.store(100, SeqCst);
            shared.clock.slept_us.fetch_add(slept_us, SeqCst);
            std::thread::sleep(Duration::from_millis(2));
            let notices = slept_us > 1_000_000;
            for _ in 0..20 {
                let number = *block_on(lender.acquire()).unwrap();
                assert_eq!(number > 100, notices, "{number} after {slept_us}");
            }
            drop(last);
            let numbers = block_on(lender.acquire_many(5)).unwrap();
            assert!(numbers.iter().all(|number| (**number > 100) == notices), "also what was out");
            // Once is enough.
            let checks = lender.stats().checks;
            drop(numbers);
            drop(block_on(lender.acquire_many(5)).unwrap());
            assert_eq!((lender.stats().checks, checks > 0), (checks, notices));
            assert_eq!(lender.validate(), Ok(()));
        }
    }

    #[test]
    fn a_time_of_day_that_is_set_back_means_nothing() {
        let (lender, keeper) = Lender::builder(Numbers::default()).capacity(1).build();
        lender.shared().clock.slept_us.store(3_600_000_000, SeqCst);
        keeper.run_on_thread().unwrap();
        drop(block_on(lender.acquire()).unwrap());
        lender.shared().clock.slept_us.store(0, SeqCst);
        std::thread::sleep(Duration::from_millis(2));
        drop(block_on(lender.acquire()).unwrap());
        assert_eq!(lender.stats().checks, 0);
    }
}
