//! Errors. Each returns the value, and its message says what the pool's state is. `millpond-c` (`src/status.rs`) and
//! the error of `millpond-classic`'s byte map say in some of the same words why a handle is refused: change them
//! together. The words of [`Full`] stand only here, and in the examples and tests of three crates.

use core::fmt;

use crate::handle::{Explanation, HandleLayout, Refusal};
use crate::reports::stats::Stats;

/// The error of an insertion into a full pool. It returns the value.
///
/// ```
/// use millpond::Pool;
///
/// let mut pool = Pool::<String>::builder().name("messages").capacity(1).build();
/// pool.insert("first".to_string()).unwrap();
/// let full = pool.insert("second".to_string()).unwrap_err();
/// assert_eq!(
///     full.to_string(),
///     "pool \"messages\" is full: its only slot is live",
/// );
/// assert_eq!(full.value(), "second");
/// assert_eq!(full.into_inner(), "second");
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Full<T> {
    pub(crate) value: T,
    pub(crate) pool: FullPool,
}

/// What the error says about the full pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FullPool {
    pub(crate) name: Option<&'static str>,
    pub(crate) capacity: usize,
    pub(crate) peak: usize,
    pub(crate) retired: usize,
    /// Whether the pool could have grown if there had been memory.
    pub(crate) out_of_memory: bool,
}

impl FullPool {
    /// A pool of this name that is full, with these counters.
    pub(crate) fn of(name: Option<&'static str>, stats: &Stats) -> Self {
        let Stats { capacity, peak, retired, .. } = *stats;
        Self { name, capacity, peak, retired, out_of_memory: false }
    }

    /// With so many slots more, which had retired when the pool freed them.
    pub(crate) fn with_retired(self, slots: usize) -> Self {
        Self { capacity: self.capacity + slots, retired: self.retired + slots, ..self }
    }
}

impl<T> Full<T> {
    /// The error of a pool without a name that has these counters: for pools of other crates.
    ///
    /// ```
    /// use millpond::{Full, Pool};
    ///
    /// let stats = Pool::<u8>::new(0).stats();
    /// assert_eq!(Full::new("an object", &stats).to_string(), "the pool is full: it has no slots");
    /// ```
    #[must_use]
    pub fn new(value: T, stats: &Stats) -> Self {
        Self { value, pool: FullPool::of(None, stats) }
    }

    /// The error of a whole with these counters, of which the full pool is a part.
    #[doc(hidden)]
    #[must_use]
    pub fn of_whole(self, stats: &Stats) -> Self {
        let FullPool { name, out_of_memory, .. } = self.pool;
        Self { pool: FullPool { out_of_memory, ..FullPool::of(name, stats) }, ..self }
    }

    /// Moves the refused value out.
    #[inline]
    pub fn into_inner(self) -> T {
        self.value
    }

    /// Returns a reference to the refused value.
    #[inline]
    pub fn value(&self) -> &T {
        &self.value
    }

    /// Returns the pool's name, if it has one.
    #[must_use]
    pub fn name(&self) -> Option<&'static str> {
        self.pool.name
    }

    /// Returns the number of slots of the pool, with those that it has freed if they had retired.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.pool.capacity
    }

    /// Returns the largest number of slots that were live at once.
    #[must_use]
    pub fn peak(&self) -> usize {
        self.pool.peak
    }

    /// Returns the number of retired slots, whose generations are used up.
    #[must_use]
    pub fn retired(&self) -> usize {
        self.pool.retired
    }

    /// Returns whether the pool is below its limit, but memory to grow ran out.
    #[must_use]
    pub fn is_out_of_memory(&self) -> bool {
        self.pool.out_of_memory
    }
}

/// Formats the message without the value, so that `unwrap` works for any `T`, and its panic says what is wrong.
impl<T> fmt::Debug for Full<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Full").field(&format_args!("{self}")).finish()
    }
}

impl<T> fmt::Display for Full<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FullPool { name, capacity, peak, retired, out_of_memory } = self.pool;
        match out_of_memory {
            false => write!(f, "{} is full: ", PoolName(name))?,
            true => write!(f, "{} is full, and there is no memory to grow: ", PoolName(name))?,
        }
        match (retired, capacity) {
            (0, 0) => f.write_str("it has no slots"),
            (0, 1) => f.write_str("its only slot is live"),
            (0, _) => write!(f, "all {capacity} slots are live"),
            _ => {
                let live = capacity - retired;
                write!(
                    f,
                    "of {capacity} slots, {live} are live and {retired} retired, {peak} were live at the peak"
                )
            }
        }
    }
}

impl<T> core::error::Error for Full<T> {}

/// `pool "bullets"`, or `the pool`.
pub(crate) struct PoolName(pub(crate) Option<&'static str>);

impl fmt::Display for PoolName {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(name) => write!(f, "pool {name:?}"),
            None => f.write_str("the pool"),
        }
    }
}

/// The error of an insertion at a given handle, whose lifetime the pool cannot begin. It returns
/// the value, and its message names the handle by slot and lifetime.
///
/// ```
/// use millpond::{InsertAtErrorKind, Pool};
///
/// let mut pool = Pool::builder().capacity(4).name("ships").build();
/// let handle = pool.insert("first").unwrap();
/// let error = pool.insert_at(handle, "second").unwrap_err();
/// assert_eq!(error.kind(), InsertAtErrorKind::Occupied);
/// assert_eq!(
///     error.to_string(),
///     "pool \"ships\" refuses handle 0v1: the slot is live: remove its object first",
/// );
/// assert_eq!(error.value(), &"second");
/// assert_eq!(error.into_inner(), "second");
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct InsertAtError<T> {
    value: T,
    kind: InsertAtErrorKind,
    name: Option<&'static str>,
    handle: SlotAndLifetime,
}

impl<T> InsertAtError<T> {
    /// The pool of this name refuses the handle, which names this lifetime of its slot, counted from 1.
    #[cold]
    pub(crate) fn new<H: HandleLayout>(
        value: T,
        kind: InsertAtErrorKind,
        name: Option<&'static str>,
        handle: H,
        lifetime: u32,
    ) -> Self {
        let lifetime = if handle.generation() == 0 { 0 } else { lifetime };
        Self { value, kind, name, handle: SlotAndLifetime { slot: handle.index(), lifetime } }
    }

    /// Moves the refused value out.
    #[inline]
    pub fn into_inner(self) -> T {
        self.value
    }

    /// Returns a reference to the refused value.
    #[inline]
    pub fn value(&self) -> &T {
        &self.value
    }

    /// Returns why it was refused.
    #[must_use]
    pub fn kind(&self) -> InsertAtErrorKind {
        self.kind
    }
}

/// Formats the error without the value, so that `unwrap` works for any `T`.
impl<T> fmt::Debug for InsertAtError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { value: _, kind, name, handle } = self;
        f.debug_struct("InsertAtError")
            .field("pool", name)
            .field("handle", &format_args!("{handle}"))
            .field("kind", kind)
            .finish_non_exhaustive()
    }
}

impl<T> fmt::Display for InsertAtError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { value: _, kind, name, handle } = self;
        match name {
            Some(_) => write!(f, "{} refuses {handle}: {kind}", PoolName(*name)),
            // A side table refuses handles, too.
            None => write!(f, "{handle} is refused: {kind}"),
        }
    }
}

impl<T> core::error::Error for InsertAtError<T> {}

/// A handle as the handles of pools without a name are printed, because the generations of a pool with a name are large
/// numbers that say nothing.
#[derive(Clone, Copy, PartialEq, Eq)]
struct SlotAndLifetime {
    slot: u32,
    /// 0 for the dangling handle.
    lifetime: u32,
}

impl fmt::Display for SlotAndLifetime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self { lifetime: 0, .. } => f.write_str("the dangling handle"),
            Self { slot, lifetime } => write!(f, "handle {slot}v{lifetime}"),
        }
    }
}

/// Why a pool cannot begin the lifetime that a given handle names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum InsertAtErrorKind {
    /// The slot is beyond the pool's capacity.
    OutOfRange,
    /// The slot is live.
    Occupied,
    /// The slot's generations are used up.
    Retired,
    /// The slot has had this lifetime already: beginning it again would make its old handles valid
    /// for the new object. (Pools that wrap allow it.)
    Stale,
    /// The slot has not had this lifetime yet, so it cannot be revived.
    NeverLived,
    /// The pool wraps, and the slot has started its lifetimes again: it keeps no trace of its last
    /// one, so that cannot be revived.
    Wrapped,
    /// The generation is beyond the pool's limit of lifetimes per slot, or 0, that of the dangling
    /// handle.
    BeyondLifetimes,
    /// The slot is so far beyond those of a [`VecPool`](crate::VecPool), or beyond those that
    /// have values in a [side table that grows](crate::side_table#growth), that the memory for all
    /// slots up to it would be out of proportion. If the handle is correct, reserve room first.
    TooFar,
    /// There is not enough memory for the slot.
    OutOfMemory,
}

impl fmt::Display for InsertAtErrorKind {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            InsertAtErrorKind::OutOfRange => "there is no such slot",
            InsertAtErrorKind::Occupied => "the slot is live: remove its object first",
            InsertAtErrorKind::Retired => "the slot is retired: its generations are used up",
            InsertAtErrorKind::Stale => "the slot has had this lifetime already",
            InsertAtErrorKind::NeverLived => "the slot has not had this lifetime yet",
            InsertAtErrorKind::Wrapped => {
                "the slot starts its lifetimes again, and keeps no trace of its last one"
            }
            InsertAtErrorKind::BeyondLifetimes => {
                "the generation is 0, or beyond the pool's lifetimes per slot"
            }
            InsertAtErrorKind::TooFar => {
                "the slot is too far beyond the others: reserve room first"
            }
            InsertAtErrorKind::OutOfMemory => "there is no memory for the slot",
        })
    }
}

/// Why `get_disjoint_mut` could not return all references.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GetDisjointMutError {
    /// The handle at this position of the array is refused.
    Refused {
        /// The position of the handle, counted from 0.
        position: usize,
        /// Why the handle is refused.
        refusal: Refusal,
    },
    /// The handle at this position names the same object as an earlier one.
    Overlapping {
        /// The position of the handle, counted from 0.
        position: usize,
    },
}

impl fmt::Display for GetDisjointMutError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GetDisjointMutError::Refused { position, refusal } => {
                write!(f, "handle {position} is refused: {refusal}")
            }
            GetDisjointMutError::Overlapping { position } => {
                write!(f, "handle {position} names the same object as one before it")
            }
        }
    }
}

impl core::error::Error for GetDisjointMutError {}

/// Panics with the pool, the handle and the reason. A handle that the pool has issued is named by slot and lifetime,
/// because the generations of a pool with a name are large numbers that say nothing.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn refuse<H: HandleLayout>(
    name: Option<&'static str>,
    handle: H,
    why: Explanation,
) -> ! {
    match (why.lifetime(), name) {
        (Some(_), _) => panic!("{} refuses handle {why:#}: {why}", PoolName(name)),
        (None, Some(_)) => panic!("{} refuses a handle: {why}", PoolName(name)),
        (None, None) => panic!("{} refuses handle {handle}: {why}", PoolName(name)),
    }
}
