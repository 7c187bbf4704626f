//! The places of recordings that have sums for each call stack and no single block.

use std::collections::HashMap;

use super::allocations::{Allocations, KindCounts};
use super::places::Places;
use super::sizes::Sizes;
use super::stacks::CallStacks;
use crate::pattern::Pattern;

/// The call stacks of such a recording, with the number of blocks that each requested.
#[derive(Debug, Default)]
pub(crate) struct StacksOfSums {
    stacks: CallStacks,
    strings: HashMap<Vec<u8>, u32, foldhash::fast::RandomState>,
    kinds: Vec<KindCounts>,
    sizes: Sizes,
}

/// What is known of a frame. An empty text is unknown.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Frame<'t> {
    /// The same for every call from this place in the code.
    pub(crate) address: u64,
    pub(crate) function: &'t [u8],
    pub(crate) file: &'t [u8],
    pub(crate) module: &'t [u8],
}

impl StacksOfSums {
    /// Adds a frame; returns its number.
    pub(crate) fn frame(&mut self, frame: &Frame<'_>) -> Result<u32, String> {
        let module = self.string(frame.module)?;
        let (function, file) = (self.string(frame.function)?, self.string(frame.file)?);
        let named = [(function, file)];
        let frames = if function == 0 { &[][..] } else { &named };
        self.stacks.add_instruction(frame.address, module, frames)
    }

    fn string(&mut self, text: &[u8]) -> Result<u32, String> {
        if text.is_empty() {
            return Ok(0);
        }
        if let Some(&known) = self.strings.get(text) {
            return Ok(known);
        }
        let new = self.stacks.add_string(text)?;
        self.strings.insert(text.to_vec(), new);
        Ok(new)
    }

    /// Adds a call stack, the outermost of its frames first, that requested this many blocks of `bytes` each, on average.
    pub(crate) fn stack(
        &mut self,
        frames: impl Iterator<Item = u32>,
        blocks: u64,
        bytes: u64,
    ) -> Result<(), String> {
        let mut stack = 0;
        for frame in frames {
            stack = self.stacks.add_node(frame, stack)?;
        }
        // Sizes only tell wrappers from other functions, so those beyond what a recording may have are like the first.
        let class = self.sizes.class(bytes).unwrap_or(0);
        self.kinds.push(KindCounts { class, stack, births: blocks });
        Ok(())
    }

    /// The place of each stack, in the order in which they were added.
    pub(crate) fn places(self, skip: &[Pattern]) -> Places {
        let all = Allocations {
            stacks: self.stacks,
            kinds: self.kinds,
            neighbours: Default::default(),
            sizes: self.sizes.into_sizes(),
        };
        all.places(skip)
    }
}
