//! Acquiring, fetching, returning and giving up.

use std::panic::Location;
use std::sync::Arc;

use super::queue::{Answer, Waiter};
use super::{Ledger, Slot, State, Why, Work};
use crate::error::{AcquireError, LoanHandle};
use crate::ledger::WaiterHandle;
use crate::settings::IdleOrder;
use crate::stats::Stats;

/// The result of [`Ledger::ask`].
#[derive(Debug)]
pub enum Ask<T, E> {
    /// An object was idle, and is now lent.
    Lent(LoanHandle, T),
    /// The caller waits in line; [`Ledger::claim`] returns the answer.
    Queued(WaiterHandle),
    /// There is no object, and waiting is pointless.
    Failed(AcquireError<E>),
}

/// The result of [`Ledger::claim`].
#[derive(Debug)]
pub enum Claim<T, W, E> {
    /// There is no answer yet; returns the replaced waker.
    Pending(Option<W>),
    /// The caller has the objects that it asked for: the first, and the others.
    Served(LoanHandle, T, Vec<(LoanHandle, T)>),
    /// The caller gets no object.
    Failed(AcquireError<E>),
    /// No caller waits under this handle: it gave up, or came so late that its answer was forgotten
    /// ([`Ledger::late_answer`]).
    Unknown,
}

impl<T, W, E> Ledger<T, W, E> {
    /// Requests `want` objects at once.
    ///
    /// A queued caller must call [`claim`](Self::claim), now and when it is woken, or
    /// [`cancel`](Self::cancel).
    ///
    /// # Panics
    ///
    /// If `want` is 0.
    #[inline]
    pub fn ask(
        &mut self,
        now_us: u64,
        want: usize,
        place: &'static Location<'static>,
    ) -> Ask<T, E> {
        assert!(want > 0, "nobody asks for nothing");
        if want == 1 {
            if let Some((handle, object)) = self.ask_ready(now_us, place) {
                return Ask::Lent(handle, object);
            }
        }
        self.ask_in_line(now_us, want, place)
    }

    /// Lends an object if an idle one needs no check, and nobody waits; otherwise does nothing.
    #[inline]
    pub fn ask_ready(
        &mut self,
        now_us: u64,
        place: &'static Location<'static>,
    ) -> Option<(LoanHandle, T)> {
        // Once the lender is closed, nothing is idle.
        if self.queue.len() > 0 {
            return None;
        }
        let (handle, object) = self.take_ready(now_us, |slot| {
            (slot.state, slot.since_us, slot.asked_us) = (State::Out, now_us, now_us);
            slot.place = place;
        })?;
        self.count(State::Out, true);
        self.stats.loans += 1;
        self.stats.waits[0] += 1;
        if self.settings.idle_min > 0 {
            self.open_what_pays(now_us);
        }
        Some((handle, object))
    }

    fn ask_in_line(
        &mut self,
        now_us: u64,
        want: usize,
        place: &'static Location<'static>,
    ) -> Ask<T, E> {
        if let Some(error) = self.refusal(now_us, want) {
            return Ask::Failed(error);
        }
        if self.queue.is_full() {
            self.forget_first_failed();
        }
        let Some(waiter) = self.queue.push(Waiter::new(want, now_us, place)) else {
            self.stats.refused += 1;
            return Ask::Failed(AcquireError::Refused { waiters: self.queue.len() });
        };
        self.stats.peak_waiting = self.stats.peak_waiting.max(self.queue.len());
        self.due_at(now_us.saturating_add(self.settings.acquire_timeout_us));
        self.serve(now_us);
        Ask::Queued(waiter)
    }

    /// Why a caller cannot even wait.
    fn refusal(&mut self, now_us: u64, want: usize) -> Option<AcquireError<E>> {
        if self.is_closed {
            return Some(AcquireError::Closed);
        }
        if want > self.capacity {
            return Some(AcquireError::too_many(want, self.capacity));
        }
        if !self.has_keeper {
            return Some(AcquireError::NoKeeper);
        }
        if self.queue.len() >= self.settings.waiters_max {
            self.stats.refused += 1;
            return Some(AcquireError::Refused { waiters: self.queue.len() });
        }
        let is_hopeless = self.openings.is_final
            && self.openings.is_paused(now_us, true)
            && self.slots.len() == self.closing;
        let error = self.openings.last_error.as_ref().filter(|_| is_hopeless)?;
        Some(AcquireError::Opening(Arc::clone(error)))
    }

    /// Lends an object without waiting. Returns `None` if no idle object is known to work, or other
    /// callers wait.
    pub fn try_ask(
        &mut self,
        now_us: u64,
        place: &'static Location<'static>,
    ) -> Option<(LoanHandle, T)> {
        let taken = self.ask_ready(now_us, place);
        // So that a later attempt finds an object that is known to work.
        if taken.is_none() && self.queue.len() == 0 && !self.is_closed && self.checking == 0 {
            self.check_next_idle(now_us);
        }
        taken
    }

    /// Takes the next idle object and marks its slot, unless it has to be checked first.
    #[inline]
    fn take_ready(
        &mut self,
        now_us: u64,
        mark: impl FnOnce(&mut Slot<T>),
    ) -> Option<(LoanHandle, T)> {
        let handle = self.pop_idle()?;
        let slot = self.slots.get_mut(handle.relabel())?;
        let is_stale = now_us.saturating_sub(slot.used_us) > self.settings.check_after_idle_us;
        if is_stale || slot.proved_us < self.suspect_before_us {
            self.unpop_idle(handle);
            return None;
        }
        let object = slot.object.take()?;
        mark(slot);
        Some((handle, object))
    }

    /// Removes the next object to be lent from the list of idle ones.
    #[inline]
    fn pop_idle(&mut self) -> Option<LoanHandle> {
        match self.settings.order {
            IdleOrder::Lifo => self.idle.pop_back(),
            IdleOrder::Fifo => self.idle.pop_front(),
        }
    }

    /// Puts it back in its place.
    fn unpop_idle(&mut self, handle: LoanHandle) {
        match self.settings.order {
            IdleOrder::Lifo => self.idle.push_back(handle),
            IdleOrder::Fifo => self.idle.push_front(handle),
        }
    }

    /// Gives idle objects to the waiting callers, and has more checked and opened if these are not enough.
    pub(super) fn serve(&mut self, now_us: u64) {
        while self.queue.len() > 0 {
            let Some((handle, object)) = self.take_ready(now_us, |_| ()) else { break };
            self.promise(now_us, handle, object);
        }
        while self.has_keeper && self.queue.missing() > self.checking && !self.idle.is_empty() {
            self.check_next_idle(now_us);
        }
        self.open_what_pays(now_us);
    }

    fn check_next_idle(&mut self, now_us: u64) {
        if !self.has_keeper {
            return;
        }
        let Some(handle) = self.pop_idle() else { return };
        let Some(object) = self.slot_mut(handle).and_then(|slot| slot.object.take()) else {
            return;
        };
        self.start_check(now_us, handle, object);
    }

    pub(super) fn start_check(&mut self, now_us: u64, handle: LoanHandle, object: T) {
        self.enter_check(now_us, handle);
        self.push_work(Work::Check(handle, object));
    }

    fn enter_check(&mut self, now_us: u64, handle: LoanHandle) {
        self.enter(now_us, handle, State::Checking);
        let deadline_us = now_us.saturating_add(self.settings.check_timeout_us);
        if let Some(slot) = self.slot_mut(handle) {
            slot.deadline_us = deadline_us;
        }
        self.stats.checks += 1;
        self.due_at(deadline_us);
        self.keeper_due = true;
    }

    /// Reserves an object for the first waiting caller.
    fn promise(&mut self, now_us: u64, handle: LoanHandle, object: T) {
        let (Some(first), Some(front)) = (self.queue.first(), self.queue.front()) else { return };
        let (asked_us, place) = (front.asked_us, front.place);
        self.enter(now_us, handle, State::Promised);
        if let Some(slot) = self.slots.get_mut(handle.relabel()) {
            slot.since_us = now_us;
            slot.object = Some(object);
            slot.asked_us = asked_us;
            slot.place = place;
            slot.promised_to = Some(first);
        }
        let ends_us = self.slot(handle).map_or(u64::MAX, |slot| self.promise_ends_us(slot));
        self.due_at(ends_us);
        if let Some(waker) = self.queue.keep_for_first(handle) {
            self.wake(waker);
        }
        self.count_waiting(now_us);
    }

    /// Fetches the answer for a waiting caller. If there is none yet, `waker` wakes it later.
    ///
    /// The waker is kept until there is an answer, or another one replaces it.
    pub fn claim(&mut self, waiter: WaiterHandle, waker: Option<W>) -> Claim<T, W, E> {
        let Some(entry) = self.queue.get_mut(waiter) else { return Claim::Unknown };
        if matches!(entry.answer, Answer::Waiting) {
            return Claim::Pending(match waker {
                Some(waker) => entry.waker.replace(waker),
                None => None,
            });
        }
        let Some(entry) = self.queue.remove(waiter) else { return Claim::Unknown };
        match entry.answer {
            Answer::Failed(error) => Claim::Failed(error),
            Answer::Served | Answer::Waiting => {
                let mut rest = Vec::with_capacity(entry.rest.len());
                for handle in entry.rest {
                    rest.extend(self.fetch(handle).map(|object| (handle, object)));
                }
                let first = entry.first.and_then(|handle| Some((handle, self.fetch(handle)?)));
                match first {
                    Some((handle, object)) => Claim::Served(handle, object, rest),
                    None => Claim::Unknown,
                }
            }
        }
    }

    /// Takes an object that was reserved for the caller.
    fn fetch(&mut self, handle: LoanHandle) -> Option<T> {
        let slot = self.slots.get_mut(handle.relabel())?;
        let object = slot.object.take()?;
        let (asked_us, handed_us) = (slot.asked_us, slot.since_us);
        self.enter(handed_us, handle, State::Out);
        self.stats.loans += 1;
        self.stats.waits[Stats::bucket(handed_us.saturating_sub(asked_us))] += 1;
        Some(object)
    }

    /// Takes back an object, and hands it to the first waiting caller.
    ///
    /// Returns the object if the caller must drop it, because there is no keeper, or the handle is
    /// not that of a loan.
    #[inline]
    pub fn give_back(
        &mut self,
        now_us: u64,
        handle: LoanHandle,
        object: T,
        is_broken: bool,
    ) -> Option<T> {
        let object = match self.rest_loan(now_us, handle, object, is_broken) {
            Ok(()) => return None,
            Err(object) => object,
        };
        let Some(proved_us) = self.end_loan(now_us, handle) else { return Some(object) };
        if is_broken {
            self.suspect_others(now_us, proved_us);
            return self.close_object(now_us, handle, object, Why::Broken);
        }
        self.settle(now_us, handle, object)
    }

    /// Makes the object of a loan idle if nobody is waiting and nothing prevents it, with one access to its slot. Most
    /// returns end here; for the others, nothing happens.
    #[inline]
    fn rest_loan(
        &mut self,
        now_us: u64,
        handle: LoanHandle,
        object: T,
        is_broken: bool,
    ) -> Result<(), T> {
        let is_wanted = self.queue.len() > 0 || self.giving_up_next > 0;
        if is_broken || is_wanted || self.is_closed || self.is_in_excess() {
            return Err(object);
        }
        let Some(slot) = self.slots.get_mut(handle.relabel()) else { return Err(object) };
        let is_suspect = slot.proved_us < self.suspect_before_us && self.has_keeper;
        if slot.state != State::Out || slot.doomed.is_some() || is_suspect {
            return Err(object);
        }
        let (asked_us, got_us) = (slot.asked_us, slot.since_us);
        slot.used_us = now_us;
        let ends_us = slot.rest(now_us, object, self.settings.idle_us);
        self.count(State::Out, false);
        self.list_idle(handle, ends_us);
        self.openings.saw_hold(now_us.saturating_sub(got_us));
        if self.rows.is_some() {
            self.record(asked_us, Some(got_us), now_us);
        }
        Ok(())
    }

    /// Puts an object at the end of the list of idle ones.
    #[inline]
    fn list_idle(&mut self, handle: LoanHandle, ends_us: u64) {
        self.due_at(ends_us);
        self.idle.push_back(handle);
        self.keeper_due |= self.others_need;
    }

    /// Takes back an object to be checked before it is lent again. Without a keeper to check it, it is closed.
    pub fn give_back_to_check(&mut self, now_us: u64, handle: LoanHandle, object: T) -> Option<T> {
        if self.end_loan(now_us, handle).is_none() {
            return Some(object);
        }
        let doomed = self.slot(handle).and_then(|slot| slot.doomed);
        let unchecked = (!self.has_keeper).then_some(Why::Check);
        if let Some(why) = self.why_close(doomed).or(unchecked) {
            return self.close_object(now_us, handle, object, why);
        }
        self.start_check(now_us, handle, object);
        None
    }

    /// Takes back an object whose check has just succeeded, like [`give_back`](Self::give_back).
    pub fn give_back_checked(&mut self, now_us: u64, handle: LoanHandle, object: T) -> Option<T> {
        self.stats.checks += 1;
        if let Some(slot) = self.slot_mut(handle).filter(|slot| slot.state == State::Out) {
            slot.proved_us = now_us;
        }
        self.give_back(now_us, handle, object, false)
    }

    /// Ends the loan of an object whose check has begun and goes on. The result is reported as for
    /// a check that was [asked for](Work::Check).
    pub fn give_back_in_check(&mut self, now_us: u64, handle: LoanHandle) {
        if self.end_loan(now_us, handle).is_none() {
            return;
        }
        self.enter_check(now_us, handle);
    }

    /// Takes back an object that must not be lent again.
    pub fn discard(&mut self, now_us: u64, handle: LoanHandle, object: T) -> Option<T> {
        self.close_returned(now_us, handle, object, Why::Discarded)
    }

    /// Takes back an object that may be in the middle of something, which must not be lent again either.
    pub fn give_back_interrupted(
        &mut self,
        now_us: u64,
        handle: LoanHandle,
        object: T,
    ) -> Option<T> {
        self.close_returned(now_us, handle, object, Why::Interrupted)
    }

    fn close_returned(
        &mut self,
        now_us: u64,
        handle: LoanHandle,
        object: T,
        why: Why,
    ) -> Option<T> {
        if self.end_loan(now_us, handle).is_none() {
            return Some(object);
        }
        self.close_object(now_us, handle, object, why)
    }

    /// Ends a loan whose object the caller keeps; the ledger forgets it.
    pub fn detach(&mut self, now_us: u64, handle: LoanHandle) {
        if self.end_loan(now_us, handle).is_some() {
            self.stats.closings.detached += 1;
            self.vacate(handle);
            self.after_vacating(now_us);
        }
    }

    /// Records the end of a loan; returns when its object was last known to work.
    #[inline]
    pub(super) fn end_loan(&mut self, now_us: u64, handle: LoanHandle) -> Option<u64> {
        let slot = self.slots.get_mut(handle.relabel())?;
        if slot.state != State::Out {
            return None;
        }
        slot.used_us = now_us;
        let (asked_us, got_us, proved_us) = (slot.asked_us, slot.since_us, slot.proved_us);
        self.openings.saw_hold(now_us.saturating_sub(got_us));
        if self.rows.is_some() {
            self.record(asked_us, Some(got_us), now_us);
        }
        Some(proved_us)
    }

    /// Finds a use for a free object: the first waiting caller gets it; if there is none, it becomes idle.
    #[inline]
    pub(super) fn settle(&mut self, now_us: u64, handle: LoanHandle, object: T) -> Option<T> {
        if self.giving_up_next > 0 {
            self.doom_for_others(handle);
        }
        let is_wanted = self.queue.len() > 0;
        let must_close = self.is_closed || self.is_in_excess();
        let Some(slot) = self.slots.get_mut(handle.relabel()) else { return Some(object) };
        let is_suspect = slot.proved_us < self.suspect_before_us && self.has_keeper;
        // Otherwise nobody would be served if evictions came faster than openings.
        let is_lent_once =
            is_wanted && slot.state == State::Opening && slot.doomed == Some(Why::Evicted);
        let doomed = slot.doomed.filter(|_| !is_lent_once);
        if let (false, false, false, None) = (is_wanted, must_close, is_suspect, doomed) {
            let was = slot.state;
            let ends_us = slot.rest(now_us, object, self.settings.idle_us);
            self.count(was, false);
            self.list_idle(handle, ends_us);
        } else if let Some(why) = self.why_close(doomed) {
            return self.close_object(now_us, handle, object, why);
        } else if is_suspect {
            self.start_check(now_us, handle, object);
        } else {
            self.promise(now_us, handle, object);
        }
        None
    }

    /// Gives up the place of a returned object, if other lenders lack one. A new object serves a caller first.
    fn doom_for_others(&mut self, handle: LoanHandle) {
        let is_returned = |slot: &Slot<T>| slot.state != State::Opening && slot.doomed.is_none();
        if self.slot(handle).is_some_and(is_returned) && self.gives_up_next() {
            self.giving_up += 1;
            if let Some(slot) = self.slot_mut(handle) {
                slot.doomed = Some(Why::Capacity);
            }
        }
    }

    /// Whether more objects exist than may.
    #[inline]
    fn is_in_excess(&self) -> bool {
        self.slots.len() > self.capacity().saturating_add(self.closing)
    }

    fn why_close(&self, doomed: Option<Why>) -> Option<Why> {
        if self.is_closed {
            Some(Why::Closed)
        } else if doomed.is_some() {
            doomed
        } else if self.is_in_excess() {
            Some(Why::Capacity)
        } else {
            None
        }
    }

    /// Gives up waiting, and objects that were handed over and not yet fetched, which go to the
    /// next caller.
    ///
    /// Returns objects that the caller must drop, like [`give_back`](Self::give_back), and the
    /// waker.
    pub fn cancel(&mut self, now_us: u64, waiter: WaiterHandle) -> (Vec<T>, Option<W>) {
        let Some(entry) = self.queue.remove(waiter) else { return (Vec::new(), None) };
        self.stats.cancelled += 1;
        if matches!(entry.answer, Answer::Waiting) {
            self.record(entry.asked_us, None, now_us);
        }
        self.throw_away(entry.answer);
        let to_drop = self.pass_on(now_us, entry.first.into_iter().chain(entry.rest));
        (to_drop, entry.waker)
    }

    /// Passes objects that were reserved for a caller to the next one.
    pub(super) fn pass_on(
        &mut self,
        now_us: u64,
        handles: impl Iterator<Item = LoanHandle>,
    ) -> Vec<T> {
        let mut to_drop = Vec::new();
        for handle in handles {
            let Some(object) = self.slot_mut(handle).and_then(|slot| slot.object.take()) else {
                continue;
            };
            to_drop.extend(self.settle(now_us, handle, object));
        }
        self.serve(now_us);
        to_drop
    }
}
