//! A shared pool's link to its recorder: without the feature `recorder` it has no size; with it, it is a pointer that is
//! usually null.
//!
//! Owned guards may report at any time, even while the pool's owner sets another track. So a replaced track is kept until
//! the pool's memory is freed.
//!
//! Invariant: the pointer is null or points to a track in the list; tracks are never removed from the list.

#[cfg(feature = "recorder")]
use alloc::boxed::Box;
#[cfg(feature = "recorder")]
use alloc::vec::Vec;
#[cfg(feature = "recorder")]
use core::sync::atomic::{AtomicPtr, Ordering};
#[cfg(feature = "recorder")]
use std::sync::{Mutex, PoisonError};

#[cfg(feature = "recorder")]
use crate::reports::recorder::SharedTrack;

/// The track that a shared pool reports to, if it is recorded.
#[derive(Debug)]
pub(super) struct SharedTap {
    /// Points to one of the tracks, or is null.
    #[cfg(feature = "recorder")]
    listening: AtomicPtr<SharedTrack>,
    /// All tracks that were ever set. A box stays where it is when the vector grows.
    #[cfg(feature = "recorder")]
    #[expect(clippy::vec_box, reason = "pointed to")]
    tracks: Mutex<Vec<Box<SharedTrack>>>,
}

/// A method that forwards the call, off the fast path of a pool that is not recorded.
macro_rules! pass_on {
    ($($name:ident($($argument:ident),*);)*) => {
        $(
            #[inline(always)]
            pub(super) fn $name(&self $(, $argument: usize)*) {
                #[cfg(feature = "recorder")]
                if let Some(track) = self.track() {
                    #[cold]
                    #[inline(never)]
                    fn outside(track: &SharedTrack $(, $argument: usize)*) {
                        track.$name($($argument as u32),*);
                    }
                    outside(track $(, $argument)*);
                }
                #[cfg(not(feature = "recorder"))]
                let _ = ($($argument,)*);
            }
        )*
    };
}

impl SharedTap {
    /// Not recorded.
    #[inline]
    pub(super) fn new() -> Self {
        Self {
            #[cfg(feature = "recorder")]
            listening: AtomicPtr::new(core::ptr::null_mut()),
            #[cfg(feature = "recorder")]
            tracks: Mutex::new(Vec::new()),
        }
    }

    pass_on! {
        birth(index);
        death(index);
        refused();
        retired();
    }

    #[cfg(feature = "recorder")]
    #[inline(always)]
    fn track(&self) -> Option<&SharedTrack> {
        // Acquire: the track is read as it was when it was set.
        let track = self.listening.load(Ordering::Acquire);
        // SAFETY: null, or one of the tracks, which live as long as this.
        unsafe { track.as_ref() }
    }

    /// Replaces the track.
    #[cfg(feature = "recorder")]
    pub(super) fn set(&self, track: Option<SharedTrack>) {
        let mut tracks = self.tracks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = tracks.last() {
            last.close();
        }
        let listening = track.map_or(core::ptr::null_mut(), |track| {
            tracks.push(Box::new(track));
            tracks
                .last()
                .map_or(core::ptr::null_mut(), |track| core::ptr::from_ref(&**track).cast_mut())
        });
        // Release: see above.
        self.listening.store(listening, Ordering::Release);
    }
}
