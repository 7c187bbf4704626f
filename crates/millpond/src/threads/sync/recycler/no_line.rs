//! Takes the place of `line` in a build without the standard library, in which no thread can wait.

use crate::base::OutOfMemory;

pub(super) struct Line;

impl Line {
    pub(super) fn try_new() -> Result<Self, OutOfMemory> {
        Ok(Self)
    }

    pub(super) fn is_waiting(&self) -> bool {
        false
    }

    pub(super) fn freed(&self) {}

    pub(super) fn call(&self) {}
}
