//! Takes the place of `atomics` with `--cfg loom`: loom tries all interleavings and all values that a load may return.

use core::sync::atomic::Ordering;

pub(super) use loom::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize};
#[cfg(feature = "std")]
pub(super) use loom::sync::{Condvar, Mutex};

/// A fence of this order, unless a run with weakened orders has removed it.
pub(super) fn fence(order: Ordering) {
    if order != Ordering::Relaxed {
        loom::sync::atomic::fence(order);
    }
}

/// A cell for a value that several threads access. It shows loom every read and write.
#[derive(Debug)]
pub(super) struct Cell<V>(loom::cell::UnsafeCell<V>);

impl<V> Cell<V> {
    pub(super) fn new(value: V) -> Self {
        Self(loom::cell::UnsafeCell::new(value))
    }

    /// A pointer to read through.
    pub(super) fn with<R>(&self, read: impl FnOnce(*const V) -> R) -> R {
        self.0.with(read)
    }

    /// A pointer to write through.
    pub(super) fn with_mut<R>(&self, write: impl FnOnce(*mut V) -> R) -> R {
        self.0.with_mut(write)
    }
}
