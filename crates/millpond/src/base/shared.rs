//! A number in a pool that whoever has the pool shared may change.

#[cfg(target_has_atomic = "32")]
use core::sync::atomic::{AtomicU32, Ordering};

/// A number that whoever has a pool shared may change, on several threads at once. On targets without atomic numbers of 32
/// bits, only whoever has the pool mutably can.
///
/// What a thread wrote before it [set](Self::set_shared) the number is there for each thread that then sees it, or what others
/// have exchanged it for since. Who exchanges it sees what was there, and shows nothing of its own.
#[cfg(target_has_atomic = "32")]
#[derive(Debug)]
#[repr(transparent)]
pub(crate) struct SharedNumber(AtomicU32);

#[cfg(target_has_atomic = "32")]
impl SharedNumber {
    pub(crate) const fn new(number: u32) -> Self {
        Self(AtomicU32::new(number))
    }

    #[inline(always)]
    pub(crate) fn get(&self) -> u32 {
        self.0.load(Ordering::Acquire)
    }

    #[inline(always)]
    pub(crate) fn get_mut(&mut self) -> &mut u32 {
        self.0.get_mut()
    }

    /// The number is this one from now on, if the target can.
    #[inline]
    pub(crate) fn set_shared(&self, number: u32) {
        self.0.store(number, Ordering::Release);
    }

    /// The number is `to` from now on, if it was `from`, and the target can; returns whether.
    #[inline]
    pub(crate) fn exchange(&self, from: u32, to: u32) -> bool {
        self.0.compare_exchange(from, to, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }
}

#[cfg(not(target_has_atomic = "32"))]
#[derive(Debug)]
#[repr(transparent)]
pub(crate) struct SharedNumber(u32);

#[cfg(not(target_has_atomic = "32"))]
impl SharedNumber {
    pub(crate) const fn new(number: u32) -> Self {
        Self(number)
    }

    #[inline(always)]
    pub(crate) fn get(&self) -> u32 {
        self.0
    }

    #[inline(always)]
    pub(crate) fn get_mut(&mut self) -> &mut u32 {
        &mut self.0
    }

    #[inline]
    pub(crate) fn set_shared(&self, _: u32) {}

    #[inline]
    pub(crate) fn exchange(&self, _: u32, _: u32) -> bool {
        false
    }
}
