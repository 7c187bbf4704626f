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

/// Lends the objects that a [`BlockingMaker`] opens to threads: a [`Lender`] whose callers block.
///
/// The keeper has its own thread, and the maker's calls have others, so a server that does not
/// answer blocks nobody. A clone lends the same objects.
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
    /// Returns a builder of a lender for the objects that `maker` opens. Every setting has a
    /// default; see [`Builder`].
    pub fn builder(maker: B) -> Builder<B, Threads> {
        Builder::new(maker)
    }

    /// Lends an object, as soon as one is free and all earlier callers have been served.
    ///
    /// # Errors
    ///
    /// See [`AcquireError`]. The call returns after the acquire timeout at the latest.
    #[track_caller]
    pub fn acquire(&self) -> Result<BlockingLoan<B>, AcquireError<ThreadedError<B::Error>>> {
        block_on(self.lender.acquire())
    }

    /// Lends `count` objects at once, or none; see [`Lender::acquire_many`].
    ///
    /// # Errors
    ///
    /// See [`AcquireError`]. The call returns after the acquire timeout at the latest.
    #[track_caller]
    pub fn acquire_many(
        &self,
        count: usize,
    ) -> Result<Vec<BlockingLoan<B>>, AcquireError<ThreadedError<B::Error>>> {
        block_on(self.lender.acquire_many(count))
    }

    /// Lends an object without waiting; see [`Lender::try_acquire`].
    #[track_caller]
    #[must_use]
    pub fn try_acquire(&self) -> Option<BlockingLoan<B>> {
        self.lender.try_acquire()
    }

    /// Closes one object; see [`Lender::evict`].
    pub fn evict(&self, handle: LoanHandle) -> bool {
        self.lender.evict(handle)
    }

    /// Closes every object that exists now; see [`Lender::evict_all`].
    pub fn evict_all(&self) {
        self.lender.evict_all();
    }

    /// Sets how many objects may exist; see [`Lender::set_capacity`].
    pub fn set_capacity(&self, capacity: usize) -> usize {
        self.lender.set_capacity(capacity)
    }

    /// Returns the lender's counters.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.lender.stats()
    }

    /// Returns the lender's name, which is empty if it has none.
    #[must_use]
    pub fn name(&self) -> &str {
        self.lender.name()
    }

    /// Returns every loan that is out. O(capacity).
    #[must_use]
    pub fn holders(&self) -> Vec<Holder> {
        self.lender.holders()
    }

    /// Checks every invariant, for tests; see [`Lender::validate`].
    ///
    /// # Errors
    ///
    /// The first invariant that does not hold.
    pub fn validate(&self) -> Result<(), String> {
        self.lender.validate()
    }

    /// Begins a trace; see [`Lender::begin_trace`].
    pub fn begin_trace(&self) {
        self.lender.begin_trace();
    }

    /// Returns the rows since the last call; see [`Lender::take_trace`].
    #[must_use]
    pub fn take_trace(&self) -> Vec<TraceRow> {
        self.lender.take_trace()
    }

    /// Writes the rows since the last call; see [`Lender::write_trace`].
    ///
    /// # Errors
    ///
    /// If `to` cannot be written.
    pub fn write_trace(&self, to: impl Write, with_header: bool) -> io::Result<()> {
        self.lender.write_trace(to, with_header)
    }

    /// Writes the rows since the last call and the lender's counters; see [`Lender::write_live`].
    ///
    /// # Errors
    ///
    /// If `to` cannot be written.
    pub fn write_live(&self, to: impl Write, with_header: bool) -> io::Result<()> {
        self.lender.write_live(to, with_header)
    }

    /// Closes the lender, and waits until no object exists or `grace` is over; see
    /// [`Lender::close`].
    #[must_use]
    pub fn close(&self, grace: Duration) -> CloseReport {
        block_on(self.lender.close(grace))
    }
}

impl<B: BlockingMaker> Builder<B, Threads> {
    /// Builds the lender, with its keeper on a thread.
    ///
    /// # Errors
    ///
    /// If the system cannot start a thread.
    ///
    /// # Panics
    ///
    /// If the capacity is 0: such a lender could lend nothing. Or if there is not enough memory.
    #[track_caller]
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
