//! Numbers in a pool that whoever has the pool shared may change, or may not.

/// A number in a pool, 0 at first.
#[doc(hidden)]
pub trait Number: core::fmt::Debug {
    #[allow(clippy::declare_interior_mutable_const, reason = "each use makes a number")]
    const ZERO: Self;

    fn get(&self) -> u32;

    /// The number, for whoever has the pool mutably.
    fn own(&mut self) -> u32;

    /// The number is this one from now on.
    fn set(&mut self, number: u32);

    /// The same, if whoever has the pool shared can change it.
    fn set_shared(&self, number: u32);
}

/// A number that only whoever has the pool mutably changes. A pool in which all numbers are so may be borrowed in a constant.
#[doc(hidden)]
#[derive(Debug)]
#[repr(transparent)]
pub struct OwnNumber(u32);

impl Number for OwnNumber {
    const ZERO: Self = Self(0);

    #[inline(always)]
    fn get(&self) -> u32 {
        self.0
    }

    #[inline(always)]
    fn own(&mut self) -> u32 {
        self.0
    }

    #[inline(always)]
    fn set(&mut self, number: u32) {
        self.0 = number;
    }

    #[inline]
    fn set_shared(&self, _: u32) {}
}

pub(crate) use shared_number::SharedNumber;
#[cfg(all(test, loom))]
pub(crate) use shared_number::WEAKENED;

#[cfg(all(test, loom))]
#[path = "../../tests/sync_models/loom_number.rs"]
mod loom_number;

#[cfg(target_has_atomic = "32")]
mod shared_number {
    #[cfg(all(test, loom))]
    use super::loom_number::AtomicU32;
    #[cfg(not(all(test, any(loom, shuttle))))]
    use core::sync::atomic::AtomicU32;
    use core::sync::atomic::Ordering::Relaxed;
    #[cfg(all(test, shuttle, not(loom)))]
    use shuttle::sync::atomic::AtomicU32;

    use super::{Number, note_write};
    use crate::base::orders::orders;

    orders! {
        /// A number is read: before what is read after it, which was written before the number was set.
        see_number: Acquire, weaker Relaxed;

        /// A number is set: after what was written for those who see it.
        show_number: Release, weaker Relaxed;
    }

    /// A number that whoever has a pool shared may change, on several threads at once. On targets without atomic numbers of 32
    /// bits, only whoever has the pool mutably can.
    ///
    /// What a thread wrote before it [set](Number::set_shared) the number is there for each thread that then sees it. Who exchanges
    /// it sees nothing but the number, and shows nothing else.
    #[doc(hidden)]
    #[derive(Debug)]
    #[repr(transparent)]
    pub struct SharedNumber(AtomicU32);

    impl SharedNumber {
        pub(crate) const fn new(number: u32) -> Self {
            Self(AtomicU32::new(number))
        }

        /// The number is `to` from now on, if it was `from`, and the target can; returns whether.
        #[inline]
        pub(crate) fn exchange(&self, from: u32, to: u32) -> bool {
            note_write();
            self.0.compare_exchange(from, to, Relaxed, Relaxed).is_ok()
        }
    }

    impl Number for SharedNumber {
        #[allow(clippy::declare_interior_mutable_const, reason = "each use makes a number")]
        const ZERO: Self = Self::new(0);

        #[inline(always)]
        fn get(&self) -> u32 {
            self.0.load(see_number())
        }

        #[inline(always)]
        fn own(&mut self) -> u32 {
            *self.0.get_mut()
        }

        #[inline(always)]
        fn set(&mut self, number: u32) {
            *self.0.get_mut() = number;
        }

        #[inline]
        fn set_shared(&self, number: u32) {
            note_write();
            self.0.store(number, show_number());
        }
    }
}

#[cfg(not(target_has_atomic = "32"))]
mod shared_number {
    pub use super::OwnNumber as SharedNumber;

    impl SharedNumber {
        pub(crate) const fn new(number: u32) -> Self {
            Self(number)
        }

        #[inline]
        pub(crate) fn exchange(&self, _: u32, _: u32) -> bool {
            false
        }
    }
}

/// Something that is borrowed shared is about to be written: its line goes to this processor, and from all others. Tests count
/// how often ([`tests::writes`]).
#[inline(always)]
pub(crate) fn note_write() {
    #[cfg(test)]
    tests::count_write();
}

#[cfg(test)]
pub(crate) mod tests {
    use std::cell::Cell;

    std::thread_local! {
        static WRITES: Cell<usize> = const { Cell::new(0) };
    }

    pub(super) fn count_write() {
        WRITES.set(WRITES.get() + 1);
    }

    /// How often this thread writes what is borrowed shared.
    pub(crate) fn writes(work: impl FnOnce()) -> usize {
        let before = WRITES.get();
        work();
        WRITES.get() - before
    }
}
