//! The allocations of a recording by kind: a size requested from one call stack.

use super::neighbours::NeighbourCounts;
use super::stacks::CallStacks;

/// The maximum number of kinds: more than any program has, and a limit for hostile files.
pub(super) const KINDS_MAX: usize = 1 << 24;

/// Checks that there is room for one more kind.
///
/// # Errors
/// If there is none.
pub(super) fn check_room_for_kind(kinds: usize) -> Result<(), String> {
    if kinds == KINDS_MAX {
        return Err(format!("more than {KINDS_MAX} kinds of allocation"));
    }
    Ok(())
}

/// The births of one kind.
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
    pub(super) neighbours: NeighbourCounts,
    /// The size of each class in bytes.
    pub(super) sizes: Vec<u64>,
}

impl Allocations {
    /// The size of each class in bytes.
    #[must_use]
    pub fn sizes(&self) -> &[u64] {
        &self.sizes
    }

    /// Whether one of the strings, which name functions, files and libraries, has one of these parts.
    pub(super) fn has_name_with(&self, parts: &[&str]) -> bool {
        let finders: Vec<_> = parts.iter().map(memchr::memmem::Finder::new).collect();
        let mut names = (1..=self.stacks.strings()).map(|string| self.stacks.text_of(string));
        names.any(|name| finders.iter().any(|finder| finder.find(name).is_some()))
    }

    /// The class and the number of births of each kind.
    pub fn kinds(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        self.kinds.iter().map(|kind| (kind.class, kind.births))
    }
}
