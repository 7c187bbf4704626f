//! A pool's link to its recorder: without the feature `recorder` it has no size; with it, it is a pointer that is
//! usually null.

use core::borrow::Borrow;

use crate::reports::recorder::{SharedTrack, Track, TrackBox};
use crate::reports::stats::Stats;

/// The track that a pool reports to, if it is recorded. A clone has none: each pool is recorded
/// separately.
#[derive(Debug)]
pub(crate) struct RecorderHook<L = TrackBox>(Option<L>);

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

    #[inline(always)]
    pub(crate) fn evicted(&self) {
        self.report(Track::evicted);
    }

    /// The pool has grown or shrunk: it has these counters now, and the same live slots.
    pub(crate) fn resized(&self, stats: Stats) {
        self.report(move |track| track.resized(stats));
    }

    /// The pool's whole state was replaced by these counters and live slots.
    pub(crate) fn restart(&self, stats: Stats, live: impl Iterator<Item = usize>) {
        self.report(move |track| track.restart(stats, live));
    }
}

impl<'a> RecorderHook<&'a Track> {
    /// That of a pool of threads, as of now.
    #[inline(always)]
    pub(crate) fn now(shared: &'a SharedTrack) -> Self {
        Self(shared.get())
    }
}

impl<L: Borrow<Track>> RecorderHook<L> {
    #[inline(always)]
    pub(crate) fn birth(&self, index: usize) {
        self.report(move |track| track.birth(index as u32));
    }

    #[inline(always)]
    pub(crate) fn death(&self, index: usize) {
        self.report(move |track| track.death(index as u32));
    }

    #[inline(always)]
    pub(crate) fn refused(&self) {
        self.report(Track::refused);
    }

    #[inline(always)]
    pub(crate) fn retired(&self) {
        self.report(Track::retired);
    }

    /// Reports an event, off the fast path of a pool that is not recorded.
    #[inline(always)]
    fn report(&self, event: impl FnOnce(&Track)) {
        #[cold]
        #[inline(never)]
        fn outside(track: &Track, event: impl FnOnce(&Track)) {
            event(track);
        }
        if let Some(track) = &self.0 {
            outside(track.borrow(), event);
        }
    }
}

impl Clone for RecorderHook {
    #[inline]
    fn clone(&self) -> Self {
        Self::NONE
    }
}
