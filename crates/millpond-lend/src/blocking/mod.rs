//! [`BlockingLender`]: for threads, without a runtime.

mod crew;
mod threaded;

use std::fmt;
use std::io::{self, Write};
use std::time::Duration;

pub use threaded::{BlockingMaker, Threaded, ThreadedError};

use crate::error::{AcquireError, Holder, LoanHandle};
use crate::lender::{Builder, CloseReport, Lender, Loan, Threads};
use crate::park::block_on;
use crate::stats::Stats;
use crate::trace::TraceRow;

/// A loan of a [`BlockingLender`].
pub type BlockingLoan<B> = Loan<Threaded<B>>;

/// Lends to threads what a [`BlockingMaker`] opens: a [`Lender`] whose callers block.
///
/// Its keeper has a thread, and what the maker does has others, so a server that does not answer stops
/// nobody. A clone lends the same objects.
///
/// ```
/// use std::convert::Infallible;
/// use millpond_lend::{BlockingLender, BlockingMaker};
///
/// struct Counters;
///
/// impl BlockingMaker for Counters {
///     type Object = u32;
///     type Error = Infallible;
///
///     fn open(&self) -> Result<u32, Infallible> {
///         Ok(0)
///     }
///     fn check(&self, _: &mut u32) -> Result<(), Infallible> {
///         Ok(())
///     }
/// }
///
/// let lender = BlockingLender::builder(Counters).capacity(2).build()?;
/// std::thread::scope(|scope| {
///     for _ in 0..8 {
///         scope.spawn(|| *lender.acquire().unwrap() += 1);
///     }
/// });
/// let both = lender.acquire_many(2).unwrap();
/// assert_eq!(both.iter().map(|count| **count).sum::<u32>(), 8);
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct BlockingLender<B: BlockingMaker> {
    lender: Lender<Threaded<B>>,
}

impl<B: BlockingMaker> BlockingLender<B> {
    /// Begins a lender of what `maker` opens. Every setting has a default: [`Builder`].
    pub fn builder(maker: B) -> Builder<B, Threads> {
        Builder::new(maker)
    }

    /// Lends an object, as soon as one is free and everybody who asked before has one.
    ///
    /// # Errors
    ///
    /// After the acquire timeout at the latest: [`AcquireError`].
    #[track_caller]
    pub fn acquire(&self) -> Result<BlockingLoan<B>, AcquireError<ThreadedError<B::Error>>> {
        block_on(self.lender.acquire())
    }

    /// Lends `count` objects at once, or none: [`Lender::acquire_many`].
    ///
    /// # Errors
    ///
    /// After the acquire timeout at the latest: [`AcquireError`].
    #[track_caller]
    pub fn acquire_many(
        &self,
        count: usize,
    ) -> Result<Vec<BlockingLoan<B>>, AcquireError<ThreadedError<B::Error>>> {
        block_on(self.lender.acquire_many(count))
    }

    /// Lends an object without waiting: [`Lender::try_acquire`].
    #[track_caller]
    #[must_use]
    pub fn try_acquire(&self) -> Option<BlockingLoan<B>> {
        self.lender.try_acquire()
    }

    /// Has one object closed: [`Lender::evict`].
    pub fn evict(&self, handle: LoanHandle) -> bool {
        self.lender.evict(handle)
    }

    /// Has every object closed that exists now: [`Lender::evict_all`].
    pub fn evict_all(&self) {
        self.lender.evict_all();
    }

    /// Sets how many objects may exist: [`Lender::set_capacity`].
    pub fn set_capacity(&self, capacity: usize) -> usize {
        self.lender.set_capacity(capacity)
    }

    /// How the lender stands, and what it has done.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.lender.stats()
    }

    /// Its name; empty if it has none.
    #[must_use]
    pub fn name(&self) -> &str {
        self.lender.name()
    }

    /// Every loan that is out. O(capacity).
    #[must_use]
    pub fn holders(&self) -> Vec<Holder> {
        self.lender.holders()
    }

    /// Checks every invariant of the books, for tests: [`Lender::validate`].
    ///
    /// # Errors
    ///
    /// What is wrong.
    pub fn validate(&self) -> Result<(), String> {
        self.lender.validate()
    }

    /// Begins a trace: [`Lender::begin_trace`].
    pub fn begin_trace(&self) {
        self.lender.begin_trace();
    }

    /// The rows since the last call: [`Lender::take_trace`].
    #[must_use]
    pub fn take_trace(&self) -> Vec<TraceRow> {
        self.lender.take_trace()
    }

    /// Writes the rows since the last call: [`Lender::write_trace`].
    ///
    /// # Errors
    ///
    /// If `to` cannot be written.
    pub fn write_trace(&self, to: impl Write, with_header: bool) -> io::Result<()> {
        self.lender.write_trace(to, with_header)
    }

    /// Writes the rows since the last call, and how the lender stands: [`Lender::write_live`].
    ///
    /// # Errors
    ///
    /// If `to` cannot be written.
    pub fn write_live(&self, to: impl Write, with_header: bool) -> io::Result<()> {
        self.lender.write_live(to, with_header)
    }

    /// Closes the lender, and waits until nothing exists any more or the `grace` is over:
    /// [`Lender::close`].
    #[must_use]
    pub fn close(&self, grace: Duration) -> CloseReport {
        block_on(self.lender.close(grace))
    }
}

impl<B: BlockingMaker> Builder<B, Threads> {
    /// The lender, with its keeper on a thread.
    ///
    /// # Errors
    ///
    /// If the system starts no more threads.
    ///
    /// # Panics
    ///
    /// If there is no memory for it.
    pub fn build(self) -> io::Result<BlockingLender<B>> {
        let (lender, keeper) = self.map_maker(Threaded::new).build();
        keeper.run_on_thread()?;
        Ok(BlockingLender { lender })
    }
}

impl<B: BlockingMaker> Clone for BlockingLender<B> {
    fn clone(&self) -> Self {
        Self { lender: self.lender.clone() }
    }
}

impl<B: BlockingMaker> fmt::Debug for BlockingLender<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lender.fmt(f)
    }
}
