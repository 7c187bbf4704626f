//! Takes the place of `recorder` in a build without the feature `recorder`, so that pools need no `cfg` for it. There is
//! no `Track`: an `Option` of one has no size, and what it would do is no code.

use crate::reports::stats::Stats;

#[derive(Debug)]
pub(crate) enum Track {}

pub(crate) type TrackBox = Track;

/// No track.
#[derive(Debug)]
pub(crate) struct SharedTrack;

impl SharedTrack {
    pub(crate) fn new() -> Self {
        Self
    }

    pub(crate) fn get(&self) -> Option<&Track> {
        None
    }
}

impl Track {
    pub(crate) fn birth(&self, _: u32) {
        match *self {}
    }

    pub(crate) fn death(&self, _: u32) {
        match *self {}
    }

    pub(crate) fn refused(&self) {
        match *self {}
    }

    pub(crate) fn evicted(&self) {
        match *self {}
    }

    pub(crate) fn retired(&self) {
        match *self {}
    }

    pub(crate) fn restart(&self, _: Stats, _: impl Iterator<Item = usize>) {
        match *self {}
    }

    pub(crate) fn resized(&self, _: Stats) {
        match *self {}
    }
}
