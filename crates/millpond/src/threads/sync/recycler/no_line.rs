//! Takes the place of `line` in a build without the standard library, in which no thread can wait.

pub(super) struct Line;

impl Line {
    pub(super) fn new() -> Self {
        Self
    }

    pub(super) fn is_waiting(&self) -> bool {
        false
    }

    pub(super) fn freed(&self) {}

    pub(super) fn call(&self) {}
}
