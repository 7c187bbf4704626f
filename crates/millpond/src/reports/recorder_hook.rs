//! A pool's link to its recorder: without the feature `recorder` it has no size; with it, it is a pointer that is
//! usually null.

#[cfg(feature = "recorder")]
use alloc::boxed::Box;

#[cfg(feature = "recorder")]
use crate::reports::recorder::Track;
use crate::reports::stats::Stats;

/// The track that a pool reports to, if it is recorded. A clone has none: each pool is recorded
/// separately.
#[derive(Debug)]
pub(crate) struct Tap {
    #[cfg(feature = "recorder")]
    track: Option<Box<Track>>,
}

/// A method of `Tap` that forwards the call, off the fast path of a pool that is not recorded.
macro_rules! pass_on {
    ($($name:ident($($argument:ident: $type:ty),*);)*) => {
        $(
            #[inline(always)]
            pub(crate) fn $name(&mut self $(, $argument: $type)*) {
                #[cfg(feature = "recorder")]
                if let Some(track) = &mut self.track {
                    #[cold]
                    #[inline(never)]
                    fn outside(track: &mut Track $(, $argument: $type)*) {
                        track.$name($($argument as _),*);
                    }
                    outside(track $(, $argument)*);
                }
                #[cfg(not(feature = "recorder"))]
                let _ = ($($argument,)*);
            }
        )*
    };
}

impl Tap {
    /// Not recorded.
    pub(crate) const NONE: Self = Self {
        #[cfg(feature = "recorder")]
        track: None,
    };

    pass_on! {
        birth(index: usize);
        death(index: usize);
        refused();
        evicted();
        retired();
    }

    /// Replaces the track.
    #[cfg(feature = "recorder")]
    pub(crate) fn set(&mut self, track: Option<Track>) {
        self.track = track.map(Box::new);
    }

    /// Whether the pool is recorded.
    #[inline(always)]
    pub(crate) fn is_on(&self) -> bool {
        #[cfg(feature = "recorder")]
        return self.track.is_some();
        #[cfg(not(feature = "recorder"))]
        false
    }

    /// The pool has grown or shrunk: it has these counters now, and the same live slots.
    #[inline]
    pub(crate) fn resized(&mut self, stats: Stats) {
        #[cfg(feature = "recorder")]
        if let Some(track) = &mut self.track {
            track.resized(stats);
        }
        #[cfg(not(feature = "recorder"))]
        let _ = stats;
    }

    /// The pool's whole state was replaced by these counters and live slots.
    pub(crate) fn restart(&mut self, stats: Stats, live: impl Iterator<Item = usize>) {
        #[cfg(feature = "recorder")]
        if let Some(track) = &mut self.track {
            track.restart(stats, live);
        }
        #[cfg(not(feature = "recorder"))]
        let _ = (stats, live);
    }
}

impl Clone for Tap {
    #[inline]
    fn clone(&self) -> Self {
        Self::NONE
    }
}
