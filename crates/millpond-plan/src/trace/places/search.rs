//! Finds the function that a call stack allocates for.

use std::ops::ControlFlow;

use super::super::stacks::{CallStacks, Frame, Step};
use super::{Found, NAMED_MAX, Owner, Skipped, works_for_library};

/// The search for the owner of a stack, from the innermost step outwards.
pub(super) struct Search<'s> {
    stacks: &'s CallStacks,
    skipped: &'s Skipped,
    found: Found,
    /// How many functions were found: the owner and its callers.
    named: usize,
    /// The module of the innermost code without names; 0 if there is none.
    nameless: u32,
    /// The last function that was skipped.
    outermost: Owner,
}

impl<'s> Search<'s> {
    pub(super) fn new(stacks: &'s CallStacks, skipped: &'s Skipped) -> Self {
        let found = Found {
            owner: Owner::Nobody,
            site: None,
            called_from: None,
            module: 0,
            above: [Owner::Nobody; NAMED_MAX - 1],
            inside: None,
        };
        Self { stacks, skipped, found, named: 0, nameless: 0, outermost: Owner::Nobody }
    }

    pub(super) fn step(&mut self, step: &Step<'_>) -> ControlFlow<()> {
        let has_owner = self.named > 0;
        if self.found.site.is_some() {
            self.found.called_from.get_or_insert((step.module, step.address));
        }
        if !has_owner && self.nameless != 0 && step.module != self.nameless {
            return ControlFlow::Break(());
        }
        let mut frames = step.frames.iter().filter(|frame| frame.function != 0).peekable();
        if frames.peek().is_none() && !has_owner && step.module != 0 {
            self.nameless(step);
        }
        frames.try_for_each(|frame| self.frame(step, frame, has_owner))
    }

    /// `had_owner` says whether an earlier step has found the owner.
    fn frame(&mut self, step: &Step<'_>, frame: &Frame, had_owner: bool) -> ControlFlow<()> {
        let owner = Owner::Function(frame.function);
        let found = &mut self.found;
        if [step.module, frame.file, frame.function].into_iter().any(|it| self.skipped.names(it)) {
            if !had_owner {
                self.outermost = owner;
                // Code without names below a wrapper is a part of it.
                (found.site, found.called_from) = (None, None);
                self.works_for_library(step.module, frame.function);
            }
            return ControlFlow::Continue(());
        }
        if self.named == 0 {
            found.owner = match found.site {
                Some(_) => Owner::CalledBy(frame.function),
                None => owner,
            };
            found.module = step.module;
            found.site.get_or_insert((step.module, step.address));
        } else if found.above[..self.named - 1].last() != Some(&owner)
            && ![owner, Owner::CalledBy(frame.function)].contains(&found.owner)
        {
            found.above[self.named - 1] = owner;
        } else {
            return ControlFlow::Continue(());
        }
        self.named += 1;
        if self.named == NAMED_MAX { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// A step in code without names.
    fn nameless(&mut self, step: &Step<'_>) {
        if self.skipped.names(step.module) {
            self.works_for_library(step.module, 0);
            return;
        }
        self.nameless = step.module;
        let site = (step.module, step.address);
        if !self.skipped.sites.contains(&site) {
            self.found.site.get_or_insert(site);
        }
    }

    /// Records the library that this function works for, unless an inner one was recorded.
    fn works_for_library(&mut self, module: u32, function: u32) {
        let [module, function] = [module, function].map(|string| self.stacks.text_of(string));
        self.found.inside = self.found.inside.or_else(|| works_for_library(module, function));
    }

    pub(super) fn end(mut self) -> Found {
        if self.named == 0 {
            self.found.module = self.nameless;
            self.found.owner = match self.nameless {
                0 => self.outermost,
                module => Owner::Module(module),
            };
        }
        self.found
    }
}
