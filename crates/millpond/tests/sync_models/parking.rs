//! Threads that stop for ever, under shuttle: the scheduler stops one before any chosen access to
//! an atomic, and the others must finish without it.

use std::cell::RefCell;
use std::sync::Arc;

use shuttle::sync::{Condvar, Mutex};
use shuttle::thread::{self, ThreadId};

use super::watched::Access;

/// Stops one thread.
pub(super) struct Parking {
    thread: ThreadId,
    /// The number of accesses left.
    left: usize,
    gate: Arc<Gate>,
}

/// Where the thread stops until the gate is opened.
#[derive(Default)]
pub(super) struct Gate {
    is_open: Mutex<bool>,
    opened: Condvar,
}

impl Gate {
    pub(super) fn open(&self) {
        *self.is_open.lock().unwrap() = true;
        self.opened.notify_all();
    }

    fn pass(&self) {
        let mut is_open = self.is_open.lock().unwrap();
        while !*is_open {
            is_open = self.opened.wait(is_open).unwrap();
        }
    }
}

// Shuttle runs all threads of a schedule on one, one schedule after the other.
std::thread_local! {
    static PARKING: RefCell<Option<Parking>> = const { RefCell::new(None) };
}

/// The calling thread stops at the gate before the access of this number.
pub(super) fn stop_before(access: usize, gate: &Arc<Gate>) {
    let thread = thread::current().id();
    PARKING.set(Some(Parking { thread, left: access, gate: Arc::clone(gate) }));
}

/// From now on, no thread stops. Returns whether a thread stands at the gate, or has stood there.
pub(super) fn has_stopped() -> bool {
    PARKING.take().is_none()
}

pub(super) fn access(_address: usize, _access: Access) {
    let gate = PARKING.with_borrow_mut(|parking| {
        let mine = parking.as_mut().filter(|parking| parking.thread == thread::current().id())?;
        if mine.left > 0 {
            mine.left -= 1;
            return None;
        }
        parking.take().map(|parking| parking.gate)
    });
    if let Some(gate) = gate {
        gate.pass();
    }
}
