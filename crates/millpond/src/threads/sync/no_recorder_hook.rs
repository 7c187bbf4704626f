//! Takes the place of `recorder_hook` in a build without the feature `recorder`.

pub(super) struct SharedRecorderHook;

impl SharedRecorderHook {
    pub(super) fn new() -> Self {
        Self
    }

    pub(super) fn birth(&self, _: usize) {}

    pub(super) fn death(&self, _: usize) {}

    pub(super) fn refused(&self) {}

    pub(super) fn retired(&self) {}
}
