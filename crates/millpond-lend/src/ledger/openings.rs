//! Whether another opening pays.

use std::sync::Arc;

use super::queue::Waiter;
use super::{Ledger, Slot, State, Work};
use crate::error::{LoanHandle, Unopened};
use crate::hash::jittered;

/// The means are meaningful only after this many loans.
const LOANS_BEFORE_MEANS: u64 = 8;

/// The pause after a failed opening varies by this share.
const BACKOFF_JITTER_PERCENT: u64 = 50;

/// What the pauses after further failures are doubled from, at least.
const DOUBLED_MIN_US: u64 = 1_000;

/// The longest pause while a caller is waiting, so that service resumes soon after the server does, however long it was
/// away.
const PAUSE_IN_NEED_MAX_US: u64 = 250_000;

/// The longest pause after a final failure while a caller is waiting. It is longer, because a server may lock out a
/// client that sends a wrong password too often.
const PAUSE_AFTER_FINAL_MAX_US: u64 = 800_000;

/// Of several openings at once, only one may take the whole timeout. The others are given up after this time, or after
/// this many mean openings if that is longer: their requests may be lost, and a network that is back answers a new
/// request at once. If only one opening is allowed at once, it is given up as early, and the next one has the whole
/// timeout, in turn.
const PATIENCE_MIN_US: u64 = 500_000;
const PATIENCE_OPENINGS: u64 = 8;

/// A mean in which the latest eight values weigh most.
#[derive(Debug, Clone, Copy, Default)]
struct Mean {
    eighths: u64,
    values: u64,
}

impl Mean {
    #[inline]
    fn add(&mut self, value: u64) {
        self.values += 1;
        if self.values == 1 {
            self.eighths = value.saturating_mul(8);
        } else {
            self.eighths = (self.eighths - self.eighths / 8).saturating_add(value);
        }
    }

    fn get(self) -> u64 {
        self.eighths / 8
    }
}

/// How long callers have waited for objects, all together, since an opening last began or ended: what another object would
/// have saved.
#[derive(Debug, Clone, Copy, Default)]
struct Waited {
    sum_us: u64,
    /// Up to when it is counted.
    until_us: u64,
    /// How many objects are missing since then.
    missing: u64,
}

impl Waited {
    /// Counts the time since the last call.
    fn count(&mut self, now_us: u64, missing: usize) {
        let since_us = now_us.saturating_sub(self.until_us);
        self.sum_us = self.sum_us.saturating_add(since_us.saturating_mul(self.missing));
        self.until_us = now_us;
        self.missing = u64::try_from(missing).unwrap_or(u64::MAX);
    }

    /// When the sum reaches `enough_us`, if nothing changes.
    fn reaches_us(&self, enough_us: u64) -> u64 {
        let left_us = enough_us.saturating_sub(self.sum_us);
        match self.missing {
            0 if left_us > 0 => u64::MAX,
            missing => self.until_us.saturating_add(left_us.div_ceil(missing.max(1))),
        }
    }
}

/// What is known about openings.
#[derive(Debug)]
pub(super) struct Openings<E> {
    /// How many are being made.
    pub(super) now: usize,
    mean_open: Mean,
    mean_hold: Mean,
    waited: Waited,
    /// How many rounds of openings have failed since one succeeded.
    failures: u32,
    /// None begins before this moment unless a caller is waiting.
    backoff_until_us: u64,
    /// None begins before this moment even if a caller is waiting.
    backoff_in_need_until_us: u64,
    /// Why the last one failed, if none has succeeded since.
    pub(super) last_error: Option<Arc<E>>,
    /// Why there is no such error.
    unopened: Option<Unopened>,
    /// Whether that error is final.
    pub(super) is_final: bool,
    /// Whether the last one was given up before it had the whole timeout.
    was_given_up_early: bool,
}

/// How an opening failed.
#[derive(Debug)]
pub(super) enum Failed<E> {
    /// With an error, which is final or not.
    Error(Arc<E>, bool),
    /// Without one.
    Without(Unopened),
}

impl<E> Openings<E> {
    pub(super) fn new() -> Self {
        Self {
            now: 0,
            mean_open: Mean::default(),
            mean_hold: Mean::default(),
            waited: Waited::default(),
            failures: 0,
            backoff_until_us: 0,
            backoff_in_need_until_us: 0,
            last_error: None,
            unopened: None,
            is_final: false,
            was_given_up_early: false,
        }
    }

    pub(super) fn mean_open_us(&self) -> u64 {
        self.mean_open.get()
    }

    pub(super) fn mean_hold_us(&self) -> u64 {
        self.mean_hold.get()
    }

    /// Records the end of a loan.
    #[inline]
    pub(super) fn saw_hold(&mut self, hold_us: u64) {
        self.mean_hold.add(hold_us);
    }

    /// Records that an opening has succeeded; returns the error that is no longer needed.
    pub(super) fn succeeded(&mut self, took_us: u64) -> Option<Arc<E>> {
        self.mean_open.add(took_us);
        self.waited.sum_us = 0;
        self.failures = 0;
        self.backoff_until_us = 0;
        self.backoff_in_need_until_us = 0;
        self.unopened = None;
        self.is_final = false;
        self.was_given_up_early = false;
        self.last_error.take()
    }

    /// Records that an opening has failed, which delays the next one. Returns the error that is no longer needed.
    pub(super) fn failed(
        &mut self,
        now_us: u64,
        how: Failed<E>,
        (least_us, most_us): (u64, u64),
    ) -> Option<Arc<E>> {
        let old_error = self.last_error.take();
        (self.last_error, self.unopened, self.is_final) = match how {
            Failed::Error(error, is_final) => (Some(error), None, is_final),
            Failed::Without(unopened) => (None, Some(unopened), false),
        };
        self.waited.sum_us = 0;
        if self.is_paused(now_us, true) {
            // It began together with the one that failed before it, so its failure is not news.
            return old_error;
        }
        // A least pause of nothing is for the first failure only; nothing doubled is nothing.
        let doubled_us = least_us.max(DOUBLED_MIN_US).saturating_mul(1 << self.failures.min(20));
        let pause_us = if self.failures == 0 { least_us } else { doubled_us }.min(most_us);
        let in_need_max_us =
            if self.is_final { PAUSE_AFTER_FINAL_MAX_US } else { PAUSE_IN_NEED_MAX_US };
        self.failures = self.failures.saturating_add(1);
        let seed = now_us ^ u64::from(self.failures);
        let until =
            |pause_us| now_us.saturating_add(jittered(pause_us, BACKOFF_JITTER_PERCENT, seed));
        self.backoff_until_us = until(pause_us);
        self.backoff_in_need_until_us = until(pause_us.min(in_need_max_us.max(least_us)));
        old_error
    }

    /// When the pause after a failure ends.
    fn paused_until_us(&self, is_in_need: bool) -> u64 {
        if is_in_need { self.backoff_in_need_until_us } else { self.backoff_until_us }
    }

    /// Whether openings pause after a failure.
    pub(super) fn is_paused(&self, now_us: u64, is_in_need: bool) -> bool {
        now_us < self.paused_until_us(is_in_need)
    }

    /// The time limit of an opening that is not the only one.
    fn patience_us(&self) -> u64 {
        self.mean_open_us().saturating_mul(PATIENCE_OPENINGS).max(PATIENCE_MIN_US)
    }
}

impl<T, W, E> Ledger<T, W, E> {
    /// Opens as many objects as pay.
    pub(super) fn open_what_pays(&mut self, now_us: u64) {
        self.count_waiting(now_us);
        // If a place would help, the keeper requests one from the other lenders.
        self.keeper_due |= self.needs_allowance(now_us);
        while self.may_open() && self.wants_opening() {
            if self.is_paused(now_us) {
                self.due_at(self.paused_until_us());
                return;
            }
            if !self.opening_pays(now_us) {
                self.due_at(self.pays_at_us());
                return;
            }
            if self.start_opening(now_us, None).is_none() {
                return;
            }
        }
    }

    /// Whether there is room for one more opening.
    fn may_open(&self) -> bool {
        self.has_keeper
            && !self.is_closed
            && self.slots.len() < self.capacity()
            && self.openings.now < self.settings.openings_max
    }

    /// Whether a caller needs an object that is not on its way, or too few are idle.
    fn wants_opening(&self) -> bool {
        let on_their_way = self.openings.now + self.checking;
        self.queue.missing() > on_their_way || self.wants_idle()
    }

    fn wants_idle(&self) -> bool {
        let spare = self.idle.len() + self.openings.now + self.checking;
        spare < self.settings.idle_min.saturating_add(self.queue.missing())
            && self.settings.idle_min > 0
    }

    fn opening_pays(&self, now_us: u64) -> bool {
        // What is reserved for the first caller, who lacks more, serves nobody else.
        let reserved = self.queue.front().map_or(0, Waiter::has);
        let in_service = self.slots.len() - self.openings.now - self.closing - reserved;
        let mean_open = self.openings.mean_open.get();
        if in_service == 0
            || self.openings.mean_hold.values < LOANS_BEFORE_MEANS
            || self.openings.mean_open.values == 0
            || self.wants_idle()
        {
            return true;
        }
        let place = u64::try_from(self.queue.missing()).unwrap_or(u64::MAX);
        let capacity = u64::try_from(self.capacity().max(1)).unwrap_or(u64::MAX);
        let wait_us = self.openings.mean_hold.get().saturating_mul(place) / capacity;
        wait_us > mean_open || now_us >= self.pays_at_us()
    }

    /// When an opening pays although the means say that it does not: when callers have waited, all together, for as long
    /// as it takes. So no caller waits longer for want of an object, and waits that are short but many are cured as well.
    fn pays_at_us(&self) -> u64 {
        self.openings.waited.reaches_us(self.openings.mean_open.get().max(1))
    }

    /// Counts for how long callers have waited; called whenever their number changes.
    pub(super) fn count_waiting(&mut self, now_us: u64) {
        self.openings.waited.count(now_us, self.queue.missing());
    }

    /// Begins an opening; `None` if there is no free slot.
    pub(super) fn start_opening(
        &mut self,
        now_us: u64,
        replaces: Option<LoanHandle>,
    ) -> Option<LoanHandle> {
        let may_take_us = self.opening_may_take_us();
        let deadline_us = now_us.saturating_add(may_take_us);
        let slot = Slot::opening(now_us, deadline_us, replaces, super::keeper_place());
        let handle = self.slots.insert(slot).ok()?.relabel();
        self.count(State::Opening, true);
        self.openings.waited.sum_us = 0;
        if let Some(old) = replaces.and_then(|old| self.slot_mut(old)) {
            old.being_replaced = true;
        }
        self.due_at(deadline_us);
        self.push_work(Work::Open(handle));
        Some(handle)
    }

    /// The time limit of the next opening.
    fn opening_may_take_us(&self) -> u64 {
        let open_timeout_us = self.settings.open_timeout_us;
        let is_patient =
            |slot: &Slot<T>| slot.state == State::Opening && slot.is_patient(open_timeout_us);
        let is_early = if self.settings.openings_max > 1 {
            self.openings.now > 0 && self.slots.values().any(is_patient)
        } else {
            self.openings.mean_open.values > 0 && !self.openings.was_given_up_early
        };
        if is_early { self.openings.patience_us().min(open_timeout_us) } else { open_timeout_us }
    }

    /// Records whether a failed opening was given up early.
    pub(super) fn saw_patience(&mut self, handle: LoanHandle, how: &Failed<E>) {
        let open_timeout_us = self.settings.open_timeout_us;
        let was_early = self.slot(handle).is_some_and(|slot| !slot.is_patient(open_timeout_us));
        self.openings.was_given_up_early =
            was_early && matches!(how, Failed::Without(Unopened::TooSlow));
    }

    /// Called when an opening that began at `began_us` has succeeded. Those that began before were probably lost on
    /// their way, so none of them keeps the whole timeout. Those that began later have as long as the mean now says.
    pub(super) fn adjust_patience(&mut self, began_us: u64) {
        let most_us = self.openings.patience_us().min(self.settings.open_timeout_us);
        let mut due_us = u64::MAX;
        for slot in self.slots.values_mut().filter(|slot| slot.state == State::Opening) {
            let ends_us = slot.since_us.saturating_add(most_us);
            slot.deadline_us = if slot.since_us < began_us {
                slot.deadline_us.min(ends_us)
            } else {
                slot.deadline_us.max(ends_us)
            };
            due_us = due_us.min(slot.deadline_us);
        }
        self.due_at(due_us);
    }

    /// Whether an opening would pay if only this lender were allowed one more object.
    #[must_use]
    pub fn needs_allowance(&self, now_us: u64) -> bool {
        self.lacks_allowance() && !self.is_paused(now_us) && self.opening_pays(now_us)
    }

    /// Whether a caller is waiting who could be served sooner only with another place.
    fn lacks_allowance(&self) -> bool {
        self.has_keeper
            && !self.is_closed
            && self.allowance < self.capacity
            && self.slots.len() >= self.allowance
            && self.openings.now < self.settings.openings_max
            && self.queue.missing() > self.openings.now + self.checking
    }

    /// Whether an object whose lifetime is over can be replaced before it is closed.
    pub(super) fn may_replace(&self, now_us: u64) -> bool {
        self.may_open() && !self.is_paused(now_us)
    }

    /// When openings must be considered next.
    pub(super) fn openings_due_us(&self, now_us: u64) -> u64 {
        let is_of_use = (self.may_open() && self.wants_opening())
            || (self.lacks_allowance() && !self.needs_allowance(now_us));
        if !is_of_use {
            u64::MAX
        } else if self.is_paused(now_us) {
            self.paused_until_us()
        } else {
            self.pays_at_us()
        }
    }

    pub(super) fn is_paused(&self, now_us: u64) -> bool {
        now_us < self.paused_until_us()
    }

    /// When openings resume after a failure: sooner if a caller is waiting.
    pub(super) fn paused_until_us(&self) -> u64 {
        self.openings.paused_until_us(self.queue.missing() > 0)
    }

    /// Why the last opening failed, if it has no error; or that an opening is under way, if nothing worse is known.
    pub(super) fn unopened(&self) -> Option<Unopened> {
        if self.openings.last_error.is_some() || self.openings.unopened.is_some() {
            return self.openings.unopened;
        }
        (self.openings.now > 0).then_some(Unopened::UnderWay)
    }
}
