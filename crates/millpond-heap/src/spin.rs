//! A lock that never allocates, unlike the standard library's mutex on some systems.
//!
//! Invariant: the value is accessed only through a [`Guard`], and there is at most one at a time,
//! because one exists only between setting `locked` and clearing it.

use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering};

pub(crate) struct Spin<T> {
    locked: AtomicBool,
    value: UnsafeCell<T>,
}

// SAFETY: a guard gives access to one thread at a time, so that sharing the lock is sending the value.
unsafe impl<T: Send> Sync for Spin<T> {}

impl<T> Spin<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self { locked: AtomicBool::new(false), value: UnsafeCell::new(value) }
    }

    /// Waits for the value. A thread that already holds it never stops waiting.
    #[inline]
    pub(crate) fn lock(&self) -> Guard<'_, T> {
        while self
            .locked
            .compare_exchange_weak(false, true, Ordering::Acquire, Ordering::Relaxed)
            .is_err()
        {
            let mut spins = 0;
            while self.locked.load(Ordering::Relaxed) {
                spins += 1;
                if spins < 100 { std::hint::spin_loop() } else { std::thread::yield_now() }
            }
        }
        Guard { spin: self }
    }
}

pub(crate) struct Guard<'s, T> {
    spin: &'s Spin<T>,
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: this guard is the only one, and `self` is borrowed as long as the reference lives.
        unsafe { &*self.spin.value.get() }
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: this guard is the only one, and `self` is borrowed mutably as long as the reference lives.
        unsafe { &mut *self.spin.value.get() }
    }
}

impl<T> Drop for Guard<'_, T> {
    fn drop(&mut self) {
        self.spin.locked.store(false, Ordering::Release);
    }
}
