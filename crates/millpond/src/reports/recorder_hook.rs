//! A pool's link to its recorder: without the feature `recorder` it has no size; with it, it is a pointer that is
//! usually null.

use core::borrow::Borrow;

use crate::reports::recorder::{Track, TrackBox};

/// The track that a pool reports to, if it is recorded. A clone has none: each pool is recorded
/// separately.
#[derive(Debug)]
pub(crate) struct RecorderHook(Option<TrackBox>);

impl RecorderHook {
    /// Not recorded.
    pub(crate) const NONE: Self = Self(None);

    /// Replaces the track.
    #[allow(clippy::useless_conversion, reason = "both are one type in a build without a recorder")]
    pub(crate) fn set(&mut self, track: Option<Track>) {
        self.0 = track.map(TrackBox::from);
    }

    /// Whether the pool is recorded.
    #[inline(always)]
    pub(crate) fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// Reports an event, if the pool is recorded.
    #[inline(always)]
    pub(crate) fn report(&self, event: impl FnOnce(&Track)) {
        report(self.0.as_ref().map(Borrow::borrow), event);
    }
}

/// Reports an event, off the fast path of a pool that is not recorded.
#[inline(always)]
pub(crate) fn report(track: Option<&Track>, event: impl FnOnce(&Track)) {
    #[cold]
    #[inline(never)]
    fn outside(track: &Track, event: impl FnOnce(&Track)) {
        event(track);
    }
    if let Some(track) = track {
        outside(track, event);
    }
}

impl Clone for RecorderHook {
    #[inline]
    fn clone(&self) -> Self {
        Self::NONE
    }
}
