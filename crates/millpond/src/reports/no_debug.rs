//! Takes the place of `debug` in a build without the feature `debug-aids`, so that pools need no `cfg` for their debug
//! aids. There is no `Watch`: an `Option` of one has no size, and what it would do is no code.

pub(crate) use fill::{Changed, Filled, fill, filled, find_changed};

use crate::base::OutOfMemory;
use crate::handle::Explanation;

#[derive(Clone, Copy, Debug)]
pub(crate) struct DebugAids;

impl DebugAids {
    pub(crate) const fn none() -> Self {
        Self
    }

    pub(crate) fn part_from(self, _: usize) -> Self {
        self
    }
}

#[derive(Clone, Debug)]
#[doc(hidden)]
pub enum Watch {}

impl Watch {
    pub(crate) fn try_new(
        _: Option<&'static str>,
        _: DebugAids,
        _: usize,
    ) -> Result<Option<Self>, OutOfMemory> {
        Ok(None)
    }

    pub(crate) fn try_grow(&mut self, _: usize) -> Result<(), OutOfMemory> {
        match *self {}
    }

    pub(crate) fn fills(&self) -> bool {
        match *self {}
    }

    pub(crate) fn reports_drops(&self) -> bool {
        match *self {}
    }

    pub(crate) fn inserted(&self, _: usize) {
        match *self {}
    }

    pub(crate) fn moved(&self, _: usize, _: usize) {
        match *self {}
    }

    pub(crate) fn restored(&self, _: usize) {
        match *self {}
    }

    pub(crate) fn removal_refused<H>(&self, _: H, _: Explanation, _: Option<Explanation>) {
        match *self {}
    }

    pub(crate) fn tell_removal<H>(&self, _: H, _: Explanation, _: Option<Explanation>) {
        match *self {}
    }

    pub(crate) fn remembers_removals(&self) -> bool {
        match *self {}
    }

    pub(crate) fn removed<H>(&self, _: H) {
        match *self {}
    }

    pub(crate) fn iterated(&self) {
        match *self {}
    }

    pub(crate) fn removed_in_iteration<H>(&self, _: H) {
        match *self {}
    }

    pub(crate) fn inspected(&self, _: usize, _: Option<Changed>) {
        match *self {}
    }

    pub(crate) fn report_drop(&self, _: impl Iterator<Item = usize>) {
        match *self {}
    }
}

#[doc(hidden)]
pub mod fill {
    use core::convert::Infallible;
    use core::mem::MaybeUninit;

    pub type Changed = Infallible;

    pub type Filled = Infallible;

    pub fn filled(_: usize) -> Option<Filled> {
        None
    }

    pub fn fill(_: &mut [MaybeUninit<u8>]) {}

    pub fn find_changed(_: &[u8]) -> Option<Changed> {
        None
    }
}
