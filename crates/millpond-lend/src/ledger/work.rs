//! What the ledger asks of its keeper.

use crate::error::LoanHandle;
#[cfg(doc)]
use crate::ledger::Ledger;

/// A task for the keeper.
#[derive(Debug)]
pub enum Work<T> {
    /// Open an object, then call [`Ledger::opened`] or [`Ledger::open_failed`].
    Open(LoanHandle),
    /// Check an object, then call [`Ledger::checked`] or [`Ledger::check_failed`].
    Check(LoanHandle, T),
    /// Close an object, then call [`Ledger::closed`].
    Close(LoanHandle, T),
    /// Stop the work for this handle, drop what it has opened, then call [`Ledger::closed`].
    Abort(LoanHandle),
}
