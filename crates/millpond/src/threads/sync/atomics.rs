//! All atomics: [`sync`](super) imports its atomics, cells, locks and fences from here only.
//!
//! In a program they are those of `core` and `std`. In this crate's own tests, a model of cache lines counts the atomics'
//! [transfers](super::lines). With `--cfg shuttle`, the locks are those of shuttle, which runs many threads in random
//! schedules, and lets a thread [stop](super::parking) before any access to an atomic. With `--cfg loom`,
//! `tests/sync_models/loom_atomics.rs` takes the place of this file.

#[cfg(all(test, feature = "std"))]
pub(super) use super::watched::{AtomicU32, AtomicU64, AtomicUsize};
#[cfg(not(all(test, feature = "std")))]
pub(super) use core::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize};

#[cfg(all(test, feature = "std", shuttle))]
pub(super) use shuttle::sync::{Condvar, Mutex};
#[cfg(all(feature = "std", not(all(test, shuttle))))]
pub(super) use std::sync::{Condvar, Mutex};

use core::cell::UnsafeCell;
use core::sync::atomic::{self, Ordering};

/// A fence of this order, unless a run with weakened orders has removed it.
#[inline]
pub(super) fn fence(order: Ordering) {
    // Shuttle runs one thread at a time, and each sees what the others did before.
    if order != Ordering::Relaxed {
        atomic::fence(order);
    }
}

/// A cell for a value that several threads access.
#[repr(transparent)]
#[derive(Debug)]
pub(super) struct Cell<V>(UnsafeCell<V>);

impl<V> Cell<V> {
    /// A pointer to read through.
    #[inline]
    pub(super) fn with<R>(&self, read: impl FnOnce(*const V) -> R) -> R {
        read(self.0.get())
    }

    /// A pointer to write through.
    #[inline]
    pub(super) fn with_mut<R>(&self, write: impl FnOnce(*mut V) -> R) -> R {
        write(self.0.get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The standard library's panics.
    #[test]
    fn a_fence_without_an_order_is_none() {
        fence(Ordering::Relaxed);
    }
}
