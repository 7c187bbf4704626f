//! The allocations of a recording by kind: a size that is asked for from one call stack.

use std::collections::HashMap;

use super::stacks::CallStacks;

/// How many there are of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct KindCounts {
    pub(super) class: u32,
    pub(super) stack: u32,
    pub(super) births: u64,
}

/// All kinds of allocation of a recording, with their call stacks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Allocations {
    pub(super) stacks: CallStacks,
    pub(super) kinds: Vec<KindCounts>,
    /// How often a block of the first kind was born right before or after one of the second died, by
    /// kinds of unlike size.
    pub(super) neighbours: HashMap<(u32, u32), u64, foldhash::fast::RandomState>,
    /// The size of each class in bytes.
    pub(super) sizes: Vec<u64>,
}

impl Allocations {
    /// The size of each class in bytes.
    #[must_use]
    pub fn sizes(&self) -> &[u64] {
        &self.sizes
    }

    /// The class and the number of births of each kind.
    pub fn kinds(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        self.kinds.iter().map(|kind| (kind.class, kind.births))
    }
}
