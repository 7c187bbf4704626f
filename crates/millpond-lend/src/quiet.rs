//! Users' code whose panics end here: the panic hook has reported them, and what follows still has to be done.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs users' code, though it may panic.
pub(crate) fn quietly(run: impl FnOnce()) {
    let _ = catch_unwind(AssertUnwindSafe(run));
}

/// Drops values of users, each by itself, though some may panic.
pub(crate) fn drop_all<T>(values: impl IntoIterator<Item = T>) {
    for value in values {
        quietly(|| drop(value));
    }
}
