//! Users' code whose panics end here: the panic hook has reported them, and the remaining work must still be done. A panic
//! that leaves a drop while another panic unwinds aborts the process, so drops call users' code by these means only.

use std::borrow::Borrow;
use std::hash::{Hash, Hasher};
use std::mem::forget;
use std::ops::{Deref, DerefMut};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs users' code, which may panic, and so may the drop of what it panics with.
#[cold]
pub(crate) fn quietly(run: impl FnOnce()) {
    let Err(payload) = catch_unwind(AssertUnwindSafe(run)) else { return };
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        forget(payload);
    }
}

/// Drops users' values one by one, although some may panic.
pub(crate) fn drop_all<T>(values: impl IntoIterator<Item = T>) {
    for value in values {
        quietly(|| drop(value));
    }
}

/// A user's value that is dropped quietly, wherever that happens.
pub(crate) struct Quiet<T> {
    /// `None` only while it is dropped.
    value: Option<T>,
}

impl<T> Quiet<T> {
    #[inline]
    pub(crate) fn new(value: T) -> Self {
        Self { value: Some(value) }
    }

    pub(crate) fn into_inner(mut self) -> T {
        match self.value.take() {
            Some(value) => value,
            None => unreachable!("only a drop takes the value"),
        }
    }
}

impl<T> Drop for Quiet<T> {
    #[inline]
    fn drop(&mut self) {
        drop_all(self.value.take());
    }
}

impl<T> Deref for Quiet<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        match &self.value {
            Some(value) => value,
            None => unreachable!("only a drop takes the value"),
        }
    }
}

impl<T> DerefMut for Quiet<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        match &mut self.value {
            Some(value) => value,
            None => unreachable!("only a drop takes the value"),
        }
    }
}

impl<T> Borrow<T> for Quiet<T> {
    fn borrow(&self) -> &T {
        self
    }
}

impl<T: Hash> Hash for Quiet<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl<T: PartialEq> PartialEq for Quiet<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Eq> Eq for Quiet<T> {}
