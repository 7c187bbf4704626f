//! Atomics for this crate's own tests, which call `access` before each access: that of the [model of cache
//! lines](super::lines), or under shuttle the one that [parks](super::parking) a thread.

use core::sync::atomic::Ordering;

#[cfg(not(shuttle))]
use super::lines::access;
#[cfg(shuttle)]
use super::parking::access;
#[cfg(not(shuttle))]
use core::sync::atomic;
#[cfg(shuttle)]
use shuttle::sync::atomic;

/// How an atomic is accessed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Access {
    Load,
    Store,
    Exchange,
}

macro_rules! watched {
    ($($name:ident: $value:ty;)+) => {$(
        /// An atomic whose accesses are watched.
        #[repr(transparent)]
        #[derive(Debug)]
        pub(in crate::threads::sync) struct $name(atomic::$name);

        #[allow(dead_code, reason = "not each of them is changed in each way")]
        impl $name {
            pub(in crate::threads::sync) const fn new(value: $value) -> Self {
                Self(atomic::$name::new(value))
            }

            pub(in crate::threads::sync) fn load(&self, order: Ordering) -> $value {
                access(core::ptr::from_ref(self).addr(), Access::Load);
                self.0.load(order)
            }

            pub(in crate::threads::sync) fn store(&self, value: $value, order: Ordering) {
                access(core::ptr::from_ref(self).addr(), Access::Store);
                self.0.store(value, order);
            }

            pub(in crate::threads::sync) fn compare_exchange_weak(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                access(core::ptr::from_ref(self).addr(), Access::Exchange);
                self.0.compare_exchange_weak(current, new, success, failure)
            }

            watched!(@ $value: fetch_add, fetch_sub, fetch_and, fetch_or, fetch_max);
        }
    )+};
    (@ $value:ty: $($change:ident),+) => {$(
        pub(in crate::threads::sync) fn $change(&self, value: $value, order: Ordering) -> $value {
            access(core::ptr::from_ref(self).addr(), Access::Exchange);
            self.0.$change(value, order)
        }
    )+};
}
watched! {
    AtomicU32: u32;
    AtomicU64: u64;
    AtomicUsize: usize;
}
