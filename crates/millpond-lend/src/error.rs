//! Why a caller got no loan, and who holds which object.

use std::error::Error;
use std::fmt;
use std::panic::Location;
use std::sync::Arc;

use crate::causes::with_causes;

/// The tag of [`LoanHandle`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lent {}

/// Names one lifetime of one slot of a lender, as `3v7`: slot 3, the seventh object in it.
pub type LoanHandle = millpond::Handle<Lent>;

/// A loan that is out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Holder {
    /// The object that is lent.
    pub handle: LoanHandle,
    /// How long it has been lent.
    pub held_ms: u64,
    /// The source line that acquired it.
    pub place: &'static Location<'static>,
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} for {} ms by {}", self.handle, self.held_ms, self.place)
    }
}

/// Why the last opening has no error from the maker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unopened {
    /// The last opening exceeded its timeout, and was given up.
    TooSlow,
    /// The maker panicked in the last opening.
    Panicked,
    /// An object is still being opened.
    UnderWay,
}

impl fmt::Display for Unopened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooSlow => "the last opening timed out",
            Self::Panicked => "the maker panicked in the last opening",
            Self::UnderWay => "an object is still being opened",
        })
    }
}

impl Error for Unopened {}

/// Why a caller got no loan.
///
/// It displays the cause [with all of its own causes](with_causes). The [`source`](Error::source) is the error of the last failed opening, if none has succeeded
/// since, or [`Unopened`] if that opening has no error.
#[derive(Debug)]
#[non_exhaustive]
pub enum AcquireError<E> {
    /// The caller waited for the whole acquire timeout.
    TimedOut {
        /// How long the caller waited.
        waited_ms: u64,
        /// How many callers were already waiting when it asked.
        ahead: u32,
        /// The four loans that have been out longest, the longest first.
        holders: [Option<Holder>; 4],
        /// Why the last opening failed, if none has succeeded since.
        source: Option<Arc<E>>,
        /// Why `source` is `None` although the last opening did not succeed: it timed out, the
        /// maker panicked, or it has not ended yet.
        unopened: Option<Unopened>,
    },
    /// Too many callers are already waiting.
    Refused {
        /// How many are waiting.
        waiters: usize,
    },
    /// Opening failed, and another attempt is pointless; see
    /// [`Maker::is_final`](crate::Maker::is_final).
    Opening(Arc<E>),
    /// The lender is closed.
    Closed,
    /// The keeper is not running, so nothing will be opened: it was never run, or its future was
    /// dropped, as happens when the runtime on which it was spawned ends. Each `#[tokio::test]` has a
    /// runtime of its own; a lender that several tests share needs a keeper that outlives them, such
    /// as by `Keeper::run_on_tokio_thread` (feature `tokio`).
    NoKeeper,
    /// This process was forked from the one that built the lender. It has the lender's memory, but not its keeper and its
    /// threads, and the objects are still the other process's: build a lender in each process, after the fork.
    Forked {
        /// The number of the process that built the lender.
        from: u32,
    },
    /// No object may exist, because the capacity is 0: set a larger one with
    /// [`Builder::capacity`](crate::Builder::capacity) or
    /// [`Lender::set_capacity`](crate::Lender::set_capacity).
    NoCapacity,
    /// More objects were requested at once than may exist.
    TooMany {
        /// How many were requested.
        asked: usize,
        /// How many may exist.
        capacity: usize,
    },
}

impl<E> AcquireError<E> {
    /// The answer to a request for more objects than may exist.
    pub(crate) fn too_many(asked: usize, capacity: usize) -> Self {
        if capacity == 0 { Self::NoCapacity } else { Self::TooMany { asked, capacity } }
    }
}

impl<E> Clone for AcquireError<E> {
    fn clone(&self) -> Self {
        match self {
            Self::TimedOut { waited_ms, ahead, holders, source, unopened } => Self::TimedOut {
                waited_ms: *waited_ms,
                ahead: *ahead,
                holders: *holders,
                source: source.clone(),
                unopened: *unopened,
            },
            Self::Refused { waiters } => Self::Refused { waiters: *waiters },
            Self::Opening(source) => Self::Opening(Arc::clone(source)),
            Self::Closed => Self::Closed,
            Self::NoKeeper => Self::NoKeeper,
            Self::Forked { from } => Self::Forked { from: *from },
            Self::NoCapacity => Self::NoCapacity,
            Self::TooMany { asked, capacity } => {
                Self::TooMany { asked: *asked, capacity: *capacity }
            }
        }
    }
}

impl<E: Error + 'static> fmt::Display for AcquireError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TimedOut { waited_ms, ahead, holders, source, unopened } => {
                write!(f, "no loan within {waited_ms} ms, {ahead} waiting ahead")?;
                if let Some(source) = source {
                    write!(f, "; the last opening failed: {}", with_causes(source.as_ref()))?;
                }
                if let Some(unopened) = unopened {
                    write!(f, "; {unopened}")?;
                }
                let mut holders = holders.iter().flatten().peekable();
                if holders.peek().is_some() {
                    f.write_str("; held longest:")?;
                }
                for (index, holder) in holders.enumerate() {
                    write!(f, "{} {holder}", if index == 0 { "" } else { "," })?;
                }
                Ok(())
            }
            Self::Refused { waiters } => write!(f, "refused: {waiters} callers are waiting"),
            Self::Opening(source) => {
                write!(f, "opening failed permanently: {}", with_causes(source.as_ref()))
            }
            Self::Closed => f.write_str("the lender is closed"),
            Self::NoKeeper => f.write_str(
                "the lender's keeper is not running: it was never run, or it ended with the runtime \
                 on which it was spawned (each `#[tokio::test]` has a runtime of its own; see \
                 `Keeper::run_on_tokio_thread`)",
            ),
            Self::Forked { from } => write!(
                f,
                "this process was forked from process {from}, whose lender this is: build one here, \
                 after the fork"
            ),
            Self::NoCapacity => f.write_str(
                "the lender's capacity is 0, so nothing can be opened: set a larger one with \
                 `capacity` or `set_capacity`",
            ),
            Self::TooMany { asked, capacity } => {
                write!(f, "{asked} objects were requested at once, but the capacity is {capacity}")
            }
        }
    }
}

impl<E: Error + 'static> Error for AcquireError<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::TimedOut { source: Some(source), .. } | Self::Opening(source) => {
                Some(source.as_ref())
            }
            Self::TimedOut { unopened: Some(unopened), .. } => Some(unopened),
            _ => None,
        }
    }
}
