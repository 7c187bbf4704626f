use core::fmt;

/// Why a pool cannot take over the objects of an old one. It is unchanged; the old pool is gone, but not its file.
///
/// Needs the feature `serde`.
///
/// ```
/// use millpond::Pool;
///
/// let mut old = Pool::new(8);
/// let first = old.insert("first").unwrap();
/// old.insert("second").unwrap();
/// old.remove(first);
///
/// let error = Pool::new(1).migrate_from(old).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "slot 1 of the old pool was used, but this pool may have 1 slots: give it at least 2",
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MigrateError {
    /// The pool may have fewer slots than were used in the old one.
    TooFewSlots {
        /// The number of slots that the pool must be able to have.
        needed: usize,
        /// The number of slots that it may have.
        capacity_max: usize,
    },
    /// A live object has a generation that the pool's handle layout or limit of lifetimes does not have.
    BeyondLifetimes {
        /// The object's slot.
        slot: usize,
        /// The object's generation.
        generation: u32,
    },
    /// The slots of one of the pools start their generations again, those of the other retire.
    OtherWrapping {
        /// Whether those of the old pool start again.
        old_wraps: bool,
    },
    /// The pool is shared by threads, and its slots begin at another generation than those of the old one, because it has
    /// another name or salt.
    OtherFirstGeneration,
    /// The parts of the old pool begin at different generations.
    SeveralFirstGenerations,
    /// The first of the pool's parts may have another number of slots than that of the old pool, so that the slots of the
    /// other part would have other indices.
    OtherFirstPart {
        /// The number of slots that the old pool's first part may have.
        old: usize,
        /// The number of slots that this pool's first part may have.
        new: usize,
    },
    /// An object of the old pool is [detached](crate::Pool::detach).
    Detached {
        /// The object's slot.
        slot: usize,
    },
    /// The pool is shared by threads, and a value in it has an owned guard.
    Busy,
    /// There is no memory for this many slots.
    OutOfMemory {
        /// The number of slots.
        slots: usize,
    },
}

impl fmt::Display for MigrateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooFewSlots { needed, capacity_max } => write!(
                f,
                "slot {} of the old pool was used, but this pool may have {capacity_max} slots: give it at \
                 least {needed}",
                needed - 1
            ),
            Self::BeyondLifetimes { slot, generation } => write!(
                f,
                "slot {slot} of the old pool is in generation {generation}, which this pool does not have: give \
                 it a handle layout with more generations, or a higher limit of lifetimes"
            ),
            Self::OtherWrapping { old_wraps: true } => f.write_str(
                "slots of the old pool start their generations again, those of this pool retire: build it with \
                 `wrap`",
            ),
            Self::OtherWrapping { old_wraps: false } => f.write_str(
                "slots of the old pool retire, those of this pool start their generations again: build it \
                 without `wrap`",
            ),
            Self::OtherFirstGeneration => f.write_str(
                "the old pool had another name or salt, and a pool for threads keeps its own: build it with \
                 those",
            ),
            Self::SeveralFirstGenerations => f.write_str(
                "the first part of the old pool went on from a pool with another name, the others did not: \
                 restore it into one of the same policy and sizes",
            ),
            Self::OtherFirstPart { old, new } => write!(
                f,
                "the old pool's first part had {old} slots, that of this pool {new}, and those of the second \
                 part follow them: give the first part {old}"
            ),
            Self::Detached { slot } => write!(
                f,
                "the object of slot {slot} of the old pool is detached: reattach it, or free its slot"
            ),
            Self::Busy => f.write_str("a value in the pool has an owned guard"),
            Self::OutOfMemory { slots } => write!(f, "no memory for a pool of {slots} slots"),
        }
    }
}

impl core::error::Error for MigrateError {}
