//! One proposal.

use std::cmp::Ordering;

use crate::plan::prices::TimeSaved;
use crate::trace::Caller;

/// The share of the calls that makes a function *the* caller.
const MOST: f64 = 0.5;

/// The kinds of proposals.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Means {
    /// A pool of objects of one class.
    #[default]
    Pool,
    /// A pool for several classes of nearly the same size, which share a bin of common allocators. A pool for one of
    /// them alone would leave the bin in use, and may not pay off.
    SharedPool,
    /// An allocator of several sizes for one place in the program.
    SizeClasses,
    /// An allocator of several sizes for the whole program: the sizes of its slots.
    ProgramSizeClasses(Vec<u64>),
    /// An arena for what is built up and goes together.
    Arena,
    /// To reserve the final size of a buffer.
    Reserve,
    /// Packed pools of values, in place of a container of pointers to them.
    Packed {
        /// The size of the container's nodes.
        node: u64,
        /// The sizes of the values.
        values: Vec<u64>,
    },
}

impl Means {
    /// Its name in JSON.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Pool => "pool",
            Self::SharedPool => "shared-pool",
            Self::SizeClasses => "size-classes",
            Self::ProgramSizeClasses(_) => "program-size-classes",
            Self::Arena => "arena",
            Self::Reserve => "reserve",
            Self::Packed { .. } => "packed",
        }
    }
}

/// One proposal.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Proposal {
    /// The class, or the smallest and the largest size.
    pub class: String,
    /// The classes, if it is a pool.
    pub classes: Vec<String>,
    /// What is proposed.
    pub means: Means,
    /// The number of calls to the allocator.
    pub calls: u64,
    /// The number of those calls that could have reused a free slot; of a buffer, its resizes; of an arena, all calls.
    pub calls_saved: u64,
    /// The calls saved as a share of all calls in the trace.
    pub share_of_calls: f64,
    /// The number of calls that the allocator served with a block at hand.
    pub calls_at_hand: u64,
    /// The peak of live objects.
    pub peak_live: u32,
    /// The number of slots, including the headroom.
    pub slots: u32,
    /// The size of those slots in bytes, if the trace has sizes.
    pub bytes: Option<u64>,
    /// The largest size in it.
    pub bytes_max: Option<u64>,
    /// The callers, the busiest first.
    pub callers: Vec<Caller>,
    /// The kinds of allocation that it serves.
    pub kinds: Vec<u32>,
    /// The time saved by following it.
    pub time_saved: TimeSaved,
    /// Of lifetime traces: whether its capacity alone is worth a pool, however little time it saves.
    pub is_worth_by_count: bool,
}

impl Proposal {
    /// More time comes first, then less effort, then fewer bytes.
    pub(super) fn by_time(a: &Self, b: &Self) -> Ordering {
        let ms = |of: &Self| of.time_saved.rank_ms();
        let bytes = |of: &Self| of.bytes.unwrap_or(0);
        ms(b)
            .total_cmp(&ms(a))
            .then(a.effort().cmp(&b.effort()))
            .then(b.calls_saved.cmp(&a.calls_saved))
            .then(bytes(a).cmp(&bytes(b)))
            .then_with(|| a.class.cmp(&b.class))
    }

    /// How much of the program has to change: a simple change has a small number.
    pub(super) fn effort(&self) -> u32 {
        match self.means {
            Means::Packed { .. } | Means::Reserve => 1,
            Means::Pool => 2,
            Means::SharedPool => 3,
            Means::SizeClasses => 4,
            Means::Arena => 5,
            Means::ProgramSizeClasses(_) => 6,
        }
    }

    /// Whether it is a pool of one size.
    #[must_use]
    pub fn is_pool(&self) -> bool {
        matches!(self.means, Means::Pool | Means::SharedPool)
    }

    /// Whether it puts objects into slots.
    #[must_use]
    pub fn is_of_slots(&self) -> bool {
        self.is_pool() || matches!(self.means, Means::SizeClasses | Means::ProgramSizeClasses(_))
    }

    /// The share of its calls for which the allocator has a block at hand.
    #[must_use]
    pub fn share_at_hand(&self) -> f64 {
        (self.calls_at_hand as f64 / self.calls.max(1) as f64).min(1.0)
    }

    /// The function that makes most of the calls, if one does.
    #[must_use]
    pub fn main_caller(&self) -> Option<&Caller> {
        let share = |caller: &&Caller| caller.allocations as f64 >= self.calls as f64 * MOST;
        self.callers.first().filter(share)
    }
}
