//! What is known of a recording before its events are read, because its file may say it after them.

use std::rc::Rc;

use super::Frames;

/// A recording's marks of frames, and which of its blocks are the profiler's own.
#[derive(Debug, Default)]
pub(crate) struct Beforehand {
    /// The frames that are its ticks, if it has such frames.
    pub(crate) frames: Option<Rc<Frames>>,
    /// By number of the call stack, from 1 on, whether the profiler allocates there for itself.
    pub(crate) profilers: Rc<[bool]>,
}
