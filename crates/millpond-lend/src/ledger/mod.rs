//! [`Ledger`]: who waits, who holds which object, and what the keeper must do.
//!
//! ```text
//!            Opening ──────────► Idle ◄─────────► Out
//!  (absent)    ▲  │ failed        │ ▲  lent, back  │
//!     ▲        │  ▼               ▼ │              │ back, and suspect
//!     └──── Closing ◄────────── Checking ◄─────────┘
//! ```
//!
//! A free object goes to the first waiting caller; it becomes idle only if nobody waits. So nobody
//! overtakes, and no object is idle while a caller waits, except those that must be checked first.

mod close;
mod keeper;
mod loans;
mod openings;
mod queue;
mod share;
mod slot;
mod upkeep;
mod validate;
mod work;

use std::collections::VecDeque;
use std::panic::Location;
use std::sync::Arc;

use millpond::Pool;

use crate::error::{AcquireError, Holder, LoanHandle};
use crate::settings::Settings;
use crate::stats::Stats;
use crate::trace::TraceRow;

pub use loans::{Ask, Claim};
pub use queue::{Asked, WaiterHandle};
pub use share::{Demand, Lacking};
pub use work::Work;

use openings::Openings;
use queue::{Answer, Queue};
use slot::{Slot, State, Why};

/// The maximum number of rows of a trace that are kept until they are taken.
const TRACE_ROWS_MAX: usize = 65_536;

/// The books of a lender: a state machine without clock, lock or I/O.
///
/// `T` is the type of the objects, `W` that of the wakers of callers, and `E` the error of an
/// opening. Each operation takes the time in microseconds since any fixed moment; it must never go
/// back. After an operation, wake what [`next_wake`](Self::next_wake) returns; the keeper does what
/// [`next_work`](Self::next_work) returns and reports the result.
///
/// **Memory** is allocated when the ledger is created, for `capacity_max` objects and `waiters_max`
/// waiters. **Time**: acquiring, returning and giving up are O(1); [`tick`](Self::tick) is
/// O(capacity).
///
/// ```
/// use millpond_lend::ledger::{Ask, Claim, Ledger, Work};
/// use millpond_lend::Settings;
///
/// let settings = Settings { capacity: 1, ..Settings::default() };
/// let mut ledger = Ledger::<&str, u32, std::io::Error>::new(settings);
/// ledger.keeper_started();
/// let place = std::panic::Location::caller();
///
/// let Ask::Queued(first) = ledger.ask(0, 1, place) else { panic!("nothing is open") };
/// let Claim::Pending(_) = ledger.claim(first, Some(1)) else { panic!("nothing is open") };
///
/// let Some(Work::Open(handle)) = ledger.next_work() else { panic!("one opening pays") };
/// ledger.opened(20, handle, "connection");
/// assert_eq!(ledger.next_wake(), Some(1));
/// let Claim::Served(handle, object, _) = ledger.claim(first, None) else { panic!("served") };
/// assert_eq!((handle.to_string().as_str(), object), ("0v1", "connection"));
///
/// ledger.give_back(30, handle, object, false);
/// assert_eq!(ledger.stats().idle, 1);
/// ```
#[derive(Debug)]
pub struct Ledger<T, W, E> {
    settings: Settings,
    /// How many objects may exist, by the lender's own setting.
    capacity: usize,
    /// How many objects may exist, by the total that it shares with other lenders.
    allowance: usize,
    /// How many places are given up for other lenders as soon as objects are closed.
    giving_up: usize,
    /// How many of the next returned loans may give up their places, if others lack some.
    giving_up_next: usize,
    /// How many places all lenders of the total lack.
    lacking: Lacking,
    /// How many places have been given up but not collected yet.
    given_up: usize,
    /// Whether other lenders need places, so that an object that becomes idle here may be for them.
    others_need: bool,
    slots: Pool<Slot<T>>,
    /// Idle objects; the one that was returned last is at the back.
    idle: VecDeque<LoanHandle>,
    queue: Queue<W, E>,
    openings: Openings<E>,
    work: VecDeque<Work<T>>,
    wakes: VecDeque<W>,
    /// Errors that are no longer needed: dropped by the caller, because their drops are users' code.
    rubbish: Vec<Arc<E>>,
    /// Objects that were last known to work before this moment are suspect.
    suspect_before_us: u64,
    /// When the keeper must look next, as far as it knows.
    alarm_us: u64,
    /// Whether the keeper must be woken, because there is work or the alarm is earlier than it knows.
    keeper_due: bool,
    has_keeper: bool,
    is_closed: bool,
    rows: Option<Vec<TraceRow>>,
    out: usize,
    checking: usize,
    closing: usize,
    stats: Stats,
}

impl<T, W, E> Ledger<T, W, E> {
    /// Creates a ledger without objects.
    ///
    /// # Panics
    ///
    /// If there is not enough memory.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        let settings = settings.in_range();
        let Settings { capacity, capacity_max, waiters_max, .. } = settings;
        Self {
            settings,
            capacity,
            allowance: usize::MAX,
            giving_up: 0,
            giving_up_next: 0,
            lacking: Lacking::default(),
            given_up: 0,
            others_need: false,
            slots: Pool::with_capacity(capacity_max),
            idle: VecDeque::with_capacity(capacity_max),
            queue: Queue::with_capacity(waiters_max.saturating_add(capacity_max)),
            openings: Openings::new(),
            work: VecDeque::with_capacity(capacity_max),
            wakes: VecDeque::with_capacity(waiters_max),
            rubbish: Vec::new(),
            suspect_before_us: 0,
            alarm_us: u64::MAX,
            keeper_due: false,
            has_keeper: false,
            is_closed: false,
            rows: None,
            out: 0,
            checking: 0,
            closing: 0,
            stats: Stats::default(),
        }
    }

    /// Returns the settings that the ledger was created with.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns how many objects may exist now.
    #[must_use]
    #[inline]
    pub fn capacity(&self) -> usize {
        self.capacity.min(self.allowance)
    }

    /// Returns the lender's counters.
    #[must_use]
    pub fn stats(&self) -> Stats {
        Stats {
            capacity: self.capacity(),
            existing: self.slots.len(),
            opening: self.openings.now,
            idle: self.idle.len(),
            out: self.out,
            checking: self.checking,
            closing: self.closing,
            waiting: self.queue.len(),
            mean_hold_us: self.openings.mean_hold_us(),
            mean_open_us: self.openings.mean_open_us(),
            ..self.stats
        }
    }

    /// Returns how many objects are lent.
    #[must_use]
    pub fn out(&self) -> usize {
        self.out
    }

    /// Returns the four loans that have been out longest, the longest first. O(capacity).
    #[must_use]
    pub fn holders(&self, now_us: u64) -> [Option<Holder>; 4] {
        let mut oldest: [Option<Holder>; 4] = [None; 4];
        for holder in self.all_holders(now_us) {
            let mut holder = Some(holder);
            for kept in &mut oldest {
                let held = |entry: &Option<Holder>| entry.as_ref().map(|entry| entry.held_ms);
                if held(&holder) > held(kept) {
                    std::mem::swap(&mut holder, kept);
                }
            }
        }
        oldest
    }

    /// Iterates over every loan that is out, or was handed to a caller that has not fetched it yet,
    /// in slot order. O(capacity).
    pub fn all_holders(&self, now_us: u64) -> impl Iterator<Item = Holder> {
        self.slots.iter().filter(|(_, slot)| slot.state == State::Out || self.is_handed(slot)).map(
            move |(handle, slot)| Holder {
                handle: handle.relabel(),
                held_ms: now_us.saturating_sub(slot.since_us) / 1_000,
                place: slot.place,
            },
        )
    }

    /// Whether the object is reserved for a caller that has its answer; others still wait for more objects.
    fn is_handed(&self, slot: &Slot<T>) -> bool {
        let waiter = slot.promised_to.and_then(|waiter| self.queue.get(waiter));
        slot.state == State::Promised
            && waiter.is_some_and(|waiter| matches!(waiter.answer, Answer::Served))
    }

    /// Returns the waker of the next caller that has an answer.
    pub fn next_wake(&mut self) -> Option<W> {
        self.wakes.pop_front()
    }

    /// Returns whether a caller must be woken.
    #[must_use]
    #[inline]
    pub fn has_wake(&self) -> bool {
        !self.wakes.is_empty()
    }

    /// Returns whether a caller or the keeper must be woken, or errors must be dropped.
    #[must_use]
    #[inline]
    pub fn has_news(&self) -> bool {
        self.keeper_due || self.has_wake() || !self.rubbish.is_empty()
    }

    /// Returns errors that the ledger no longer needs; drop them without holding a lock.
    #[must_use]
    pub fn take_rubbish(&mut self) -> Vec<Arc<E>> {
        std::mem::take(&mut self.rubbish)
    }

    /// Begins a trace, replacing an earlier one: from now on, each answered request adds a row.
    pub fn begin_trace(&mut self) {
        self.rows = Some(Vec::new());
    }

    /// Returns the rows since the last call; none if no trace was begun.
    #[must_use]
    pub fn take_trace(&mut self) -> Vec<TraceRow> {
        self.rows.as_mut().map(std::mem::take).unwrap_or_default()
    }

    fn record(&mut self, asked_us: u64, got_us: Option<u64>, ended_us: u64) {
        let Some(rows) = &mut self.rows else { return };
        if rows.len() < TRACE_ROWS_MAX {
            rows.push(TraceRow { asked_us, got_us, ended_us });
        } else {
            self.stats.trace_rows_lost += 1;
        }
    }

    fn slot(&self, handle: LoanHandle) -> Option<&Slot<T>> {
        self.slots.get(handle.relabel())
    }

    fn slot_mut(&mut self, handle: LoanHandle) -> Option<&mut Slot<T>> {
        self.slots.get_mut(handle.relabel())
    }

    /// Changes the state of a slot, and the counts of the states.
    fn enter(&mut self, now_us: u64, handle: LoanHandle, state: State) {
        let Some(slot) = self.slots.get_mut(handle.relabel()) else { return };
        let was = std::mem::replace(&mut slot.state, state);
        let was_lent = matches!(was, State::Out | State::Promised);
        if !(was_lent && slot.is_lent()) {
            slot.since_us = now_us;
        }
        self.count(was, false);
        self.count(state, true);
    }

    #[inline]
    fn count(&mut self, state: State, enters: bool) {
        let count = match state {
            State::Idle => return,
            State::Opening => &mut self.openings.now,
            State::Promised | State::Out => &mut self.out,
            State::Checking => &mut self.checking,
            State::Closing => &mut self.closing,
        };
        if enters {
            *count += 1;
            self.stats.peak_out = self.stats.peak_out.max(self.out);
        } else {
            *count -= 1;
        }
    }

    /// Frees a slot whose object no longer exists.
    fn vacate(&mut self, handle: LoanHandle) {
        let Some(slot) = self.slots.remove(handle.relabel()) else { return };
        self.count(slot.state, false);
        if let Some(old) = slot.replaces.and_then(|old| self.slot_mut(old)) {
            old.being_replaced = false;
        }
        let is_promised = self.giving_up > 0;
        if is_promised || self.gives_up_next() {
            self.giving_up -= usize::from(is_promised);
            self.given_up += 1;
            self.allowance = self.allowance.saturating_sub(1);
            self.keeper_due = true;
        } else if self.others_need {
            self.keeper_due = true;
        }
    }

    /// Makes the keeper look at this moment at the latest.
    #[inline]
    fn due_at(&mut self, at_us: u64) {
        if at_us < self.alarm_us {
            self.alarm_us = at_us;
            self.keeper_due = true;
        }
    }

    fn push_work(&mut self, work: Work<T>) {
        self.work.push_back(work);
        self.keeper_due = true;
    }

    fn wake(&mut self, waker: Option<W>) {
        self.wakes.extend(waker);
    }

    fn fail(&mut self, now_us: u64, waiter: WaiterHandle, error: AcquireError<E>) {
        let waker = self.queue.fail(now_us, waiter, error);
        self.wake(waker);
        self.due_at(self.forgets_us(now_us));
    }

    /// Keeps the error of an unread answer, to be dropped outside the lock.
    fn throw_away(&mut self, answer: Answer<E>) {
        if let Answer::Failed(AcquireError::TimedOut { source: Some(error), .. })
        | Answer::Failed(AcquireError::Opening(error)) = answer
        {
            self.rubbish.push(error);
        }
    }
}

/// The source line of the keeper's own openings.
fn keeper_place() -> &'static Location<'static> {
    Location::caller()
}
