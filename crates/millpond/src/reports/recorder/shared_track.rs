//! The track of a pool that threads share: a pointer that is usually null.
//!
//! Owned guards may report at any time, even while the pool's owner sets another track. So a replaced track is kept until
//! the pool's memory is freed.
//!
//! Invariant: the pointer is null or points to a track in the list; tracks are never removed from the list.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ptr::{from_ref, null_mut};
use core::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, PoisonError};

use super::Track;

/// The track that a shared pool reports to, if it is recorded.
#[derive(Debug)]
pub(crate) struct SharedTrack {
    /// Points to one of the tracks, or is null.
    listening: AtomicPtr<Track>,
    /// All tracks that were ever set. A box stays where it is when the vector grows.
    #[expect(clippy::vec_box, reason = "pointed to")]
    tracks: Mutex<Vec<Box<Track>>>,
}

impl SharedTrack {
    /// Not recorded.
    #[inline]
    pub(crate) fn new() -> Self {
        Self { listening: AtomicPtr::new(null_mut()), tracks: Mutex::new(Vec::new()) }
    }

    #[inline(always)]
    pub(crate) fn get(&self) -> Option<&Track> {
        // Acquire: the track is read as it was when it was set.
        let track = self.listening.load(Ordering::Acquire);
        // SAFETY: null, or one of the tracks, which live as long as this.
        unsafe { track.as_ref() }
    }

    /// Replaces the track.
    pub(crate) fn set(&self, track: Option<Track>) {
        let mut tracks = self.tracks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = tracks.last() {
            last.close();
        }
        let is_some = track.is_some();
        tracks.extend(track.map(Box::new));
        let listening = tracks.last().filter(|_| is_some);
        let listening = listening.map_or(null_mut(), |track| from_ref(&**track).cast_mut());
        // Release: see above.
        self.listening.store(listening, Ordering::Release);
    }
}
