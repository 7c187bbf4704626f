//! One reading of a trace for two watchers.

use super::{Event, Watch};

/// Passes the same events to two watchers.
pub(crate) struct Both<'w, A, B>(pub(crate) &'w mut A, pub(crate) &'w mut B);

impl<A: Watch, B: Watch> Watch for Both<'_, A, B> {
    #[inline]
    fn birth(&mut self, event: Event) {
        self.0.birth(event);
        self.1.birth(event);
    }

    #[inline]
    fn death(&mut self, event: Event) {
        self.0.death(event);
        self.1.death(event);
    }

    fn left(&mut self, class: u32, key: u32, last_tick: u32) {
        self.0.left(class, key, last_tick);
        self.1.left(class, key, last_tick);
    }
}
