//! Users' code whose panics end here: the panic hook has reported them, and the remaining work must still be done.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs users' code, which may panic.
pub(crate) fn quietly(run: impl FnOnce()) {
    let _ = catch_unwind(AssertUnwindSafe(run));
}

/// Drops users' values one by one, although some may panic.
pub(crate) fn drop_all<T>(values: impl IntoIterator<Item = T>) {
    for value in values {
        quietly(|| drop(value));
    }
}
