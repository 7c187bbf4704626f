//! What the ledger asks of its keeper.

use crate::error::LoanHandle;

/// A task for the keeper.
#[derive(Debug)]
pub enum Work<T> {
    /// Open an object, then call [`opened`](super::Ledger::opened) or
    /// [`open_failed`](super::Ledger::open_failed) of the ledger.
    Open(LoanHandle),
    /// Check an object, then call [`checked`](super::Ledger::checked) or
    /// [`check_failed`](super::Ledger::check_failed).
    Check(LoanHandle, T),
    /// Close an object, then call [`closed`](super::Ledger::closed).
    Close(LoanHandle, T),
    /// Stop the work for this handle, drop what it has opened, then call
    /// [`closed`](super::Ledger::closed).
    Abort(LoanHandle),
}
