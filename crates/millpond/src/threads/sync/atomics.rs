//! All atomics: [`sync`](super) imports its atomics, cells, locks and fences from here only.
//!
//! In a program they are those of `core` and `std`. In this crate's own tests, `--cfg loom` replaces them by those of
//! loom, which tries all interleavings and all values that a load may return, and `--cfg shuttle` by those of shuttle,
//! which runs many threads in random schedules, and lets a thread [stop](super::parking) before any access. In the
//! crate's other tests, a model of cache lines counts the atomics' [transfers](super::lines).

#[cfg(all(test, feature = "std", not(loom)))]
pub(super) use super::watched::{AtomicU32, AtomicU64, AtomicUsize};
#[cfg(not(all(test, any(loom, shuttle, feature = "std"))))]
pub(super) use core::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize};
#[cfg(all(test, loom))]
pub(super) use loom::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize};
#[cfg(all(test, shuttle, not(any(loom, feature = "std"))))]
pub(super) use shuttle::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize};

#[cfg(all(feature = "std", test, loom))]
pub(super) use loom::sync::{Condvar, Mutex};
#[cfg(all(feature = "std", test, shuttle, not(loom)))]
pub(super) use shuttle::sync::{Condvar, Mutex};
#[cfg(all(feature = "std", not(all(test, any(loom, shuttle)))))]
pub(super) use std::sync::{Condvar, Mutex};

use core::sync::atomic::Ordering;

/// A fence of this order, unless a run with weakened orders has removed it.
#[inline]
pub(super) fn fence(order: Ordering) {
    if order == Ordering::Relaxed {
        return;
    }
    #[cfg(all(test, loom))]
    loom::sync::atomic::fence(order);
    // Shuttle runs one thread at a time, and each sees what the others did before.
    #[cfg(not(all(test, loom)))]
    core::sync::atomic::fence(order);
}

/// A cell for a value that several threads access. It shows loom every read and write.
#[repr(transparent)]
#[derive(Debug)]
pub(super) struct Cell<V>(
    #[cfg(not(all(test, loom)))] core::cell::UnsafeCell<V>,
    #[cfg(all(test, loom))] loom::cell::UnsafeCell<V>,
);

impl<V> Cell<V> {
    #[cfg(not(all(test, loom)))]
    pub(super) fn new(value: V) -> Self {
        Self(core::cell::UnsafeCell::new(value))
    }

    #[cfg(all(test, loom))]
    pub(super) fn new(value: V) -> Self {
        Self(loom::cell::UnsafeCell::new(value))
    }

    /// A pointer to read through.
    #[inline]
    pub(super) fn with<R>(&self, read: impl FnOnce(*const V) -> R) -> R {
        #[cfg(not(all(test, loom)))]
        return read(self.0.get());
        #[cfg(all(test, loom))]
        return self.0.with(read);
    }

    /// A pointer to write through.
    #[inline]
    pub(super) fn with_mut<R>(&self, write: impl FnOnce(*mut V) -> R) -> R {
        #[cfg(not(all(test, loom)))]
        return write(self.0.get());
        #[cfg(all(test, loom))]
        return self.0.with_mut(write);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// The standard library's panics.
    #[test]
    fn a_fence_without_an_order_is_none() {
        fence(Ordering::Relaxed);
    }
}
