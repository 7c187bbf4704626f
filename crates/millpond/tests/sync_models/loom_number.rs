//! Takes the place of the atomic in `base/shared.rs` with `--cfg loom`. Those of loom belong to one schedule, so none can be in
//! a constant; this one can, and becomes one of loom when its owner first uses it.

use core::ops::{Deref, DerefMut};
use core::sync::atomic::Ordering;

use loom::sync::atomic;

#[derive(Debug)]
pub(super) enum AtomicU32 {
    New(u32),
    Known(atomic::AtomicU32),
}

impl AtomicU32 {
    pub(super) const fn new(number: u32) -> Self {
        Self::New(number)
    }

    pub(super) fn load(&self, order: Ordering) -> u32 {
        match self {
            Self::New(number) => *number,
            Self::Known(atomic) => atomic.load(order),
        }
    }

    pub(super) fn store(&self, number: u32, order: Ordering) {
        self.known().store(number, order);
    }

    pub(super) fn compare_exchange(
        &self,
        from: u32,
        to: u32,
        success: Ordering,
        failure: Ordering,
    ) -> Result<u32, u32> {
        self.known().compare_exchange(from, to, success, failure)
    }

    fn known(&self) -> &atomic::AtomicU32 {
        match self {
            Self::New(_) => panic!("its owner uses it before others change it"),
            Self::Known(atomic) => atomic,
        }
    }

    pub(super) fn get_mut(&mut self) -> Own<'_> {
        if let Self::New(number) = *self {
            *self = Self::Known(atomic::AtomicU32::new(number));
        }
        let Self::Known(atomic) = self else { unreachable!() };
        Own { number: atomic.with_mut(|number| *number), atomic }
    }
}

/// The number of an atomic, which loom hears of at the end.
pub(super) struct Own<'a> {
    number: u32,
    atomic: &'a mut atomic::AtomicU32,
}

impl Deref for Own<'_> {
    type Target = u32;

    fn deref(&self) -> &u32 {
        &self.number
    }
}

impl DerefMut for Own<'_> {
    fn deref_mut(&mut self) -> &mut u32 {
        &mut self.number
    }
}

impl Drop for Own<'_> {
    fn drop(&mut self) {
        self.atomic.with_mut(|number| *number = self.number);
    }
}
