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

/// How deep in a stack functions are looked for: a hostile file may have very deep ones.
const FRAMES_MAX: usize = 64;

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

    /// The share of all births that a function with one of these parts in its name is among the callers of; `None` if no
    /// function has a name.
    pub(super) fn share_with_function(&self, parts: &[&str]) -> Option<f64> {
        let finders: Vec<_> = parts.iter().map(memchr::memmem::Finder::new).collect();
        let strings = (1..=self.stacks.strings()).map(|string| self.stacks.text_of(string));
        let has_part: Vec<bool> =
            strings.map(|name| finders.iter().any(|finder| finder.find(name).is_some())).collect();
        let (mut all, mut with, mut is_named) = (0_u64, 0_u64, false);
        for kind in &self.kinds {
            let steps = self.stacks.steps(kind.stack).take(FRAMES_MAX);
            let mut functions =
                steps.flat_map(|step| step.frames).map(|frame| frame.function).filter(|&of| of > 0);
            let has = functions.any(|function| {
                is_named = true;
                has_part[function as usize - 1]
            });
            all = all.saturating_add(kind.births);
            with = with.saturating_add(if has { kind.births } else { 0 });
        }
        is_named.then(|| with as f64 / all.max(1) as f64)
    }

    /// The class and the number of births of each kind.
    pub fn kinds(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        self.kinds.iter().map(|kind| (kind.class, kind.births))
    }
}
