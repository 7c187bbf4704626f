//! One slot of a ledger: the state of its object.

use std::panic::Location;

use super::WaiterHandle;
use crate::error::LoanHandle;

/// Where the object of a slot is. A slot whose object does not exist is a free slot of the pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// The keeper opens it.
    Opening,
    /// In the slot, and in the list of idle objects.
    Idle,
    /// In the slot, reserved for a waiter that has not fetched it yet.
    Promised,
    /// With a caller.
    Out,
    /// With the keeper, who checks it.
    Checking,
    /// With the keeper, who closes it.
    Closing,
}

/// Why an object is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    Discarded,
    Interrupted,
    Broken,
    Check,
    Lifetime,
    Idle,
    Evicted,
    Capacity,
    Closed,
}

/// An object that exists, or is being opened.
#[derive(Debug)]
pub(super) struct Slot<T> {
    pub(super) state: State,
    /// `Some` while the object is idle or promised.
    pub(super) object: Option<T>,
    /// When its state began; of a loan: when it was handed over.
    pub(super) since_us: u64,
    /// When the holder of the loan asked for it.
    pub(super) asked_us: u64,
    /// When it was last lent or checked.
    pub(super) used_us: u64,
    /// When it was last known to work.
    pub(super) proved_us: u64,
    /// When its lifetime ends.
    pub(super) expires_us: u64,
    /// When the keeper's work on it is given up.
    pub(super) deadline_us: u64,
    /// Why it is closed as soon as it is free.
    pub(super) doomed: Option<Why>,
    /// The object that this one replaces once it is open.
    pub(super) replaces: Option<LoanHandle>,
    /// Whether another one is being opened to replace it.
    pub(super) being_replaced: bool,
    /// The waiter for which the object is reserved, if it is.
    pub(super) promised_to: Option<WaiterHandle>,
    /// The source line that requested the loan.
    pub(super) place: &'static Location<'static>,
}

impl<T> Slot<T> {
    /// A slot whose object the keeper will open until `deadline_us`.
    pub(super) fn opening(
        now_us: u64,
        deadline_us: u64,
        replaces: Option<LoanHandle>,
        place: &'static Location<'static>,
    ) -> Self {
        Self {
            state: State::Opening,
            object: None,
            since_us: now_us,
            asked_us: now_us,
            used_us: now_us,
            proved_us: now_us,
            expires_us: u64::MAX,
            deadline_us,
            doomed: None,
            replaces,
            being_replaced: false,
            promised_to: None,
            place,
        }
    }

    /// Whether the opening has the whole timeout. Saturated deadlines never come, and count as the whole.
    pub(super) fn is_patient(&self, open_timeout_us: u64) -> bool {
        self.deadline_us >= self.since_us.saturating_add(open_timeout_us)
    }

    /// Takes an object that becomes idle; returns when it will have been idle for too long, or will be too old.
    #[inline]
    pub(super) fn rest(&mut self, now_us: u64, object: T, idle_us: u64) -> u64 {
        self.state = State::Idle;
        self.since_us = now_us;
        self.object = Some(object);
        now_us.saturating_add(idle_us).min(self.expires_us)
    }

    /// Whether the object is lent or reserved.
    pub(super) fn is_lent(&self) -> bool {
        matches!(self.state, State::Out | State::Promised)
    }
}
