//! Whether another opening pays.

use std::sync::Arc;

use super::{Ledger, Slot, State, Work};
use crate::error::LoanHandle;
use crate::hash::jittered;

/// Until so many loans were seen, the means say nothing.
const LOANS_BEFORE_MEANS: u64 = 8;

/// A backlog that lasts for so many times the mean opening pays for one, however short the holds are.
const OPENINGS_OF_BACKLOG: u64 = 4;

/// The pause after a failed opening varies by this share.
const BACKOFF_JITTER_PERCENT: u64 = 50;

/// A mean in which the latest eight values weigh most.
#[derive(Debug, Clone, Copy, Default)]
struct Mean {
    eighths: u64,
    values: u64,
}

impl Mean {
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

/// What is known about openings.
#[derive(Debug)]
pub(super) struct Openings<E> {
    /// How many are under way.
    pub(super) now: usize,
    mean_open: Mean,
    mean_hold: Mean,
    /// When the last one ended, well or not.
    ended_us: u64,
    /// How many rounds of openings have failed since one succeeded.
    failures: u32,
    /// None begins before this moment.
    backoff_until_us: u64,
    /// Why the last one failed, if none has succeeded since.
    pub(super) last_error: Option<Arc<E>>,
    /// Whether that error is final.
    pub(super) is_final: bool,
}

impl<E> Openings<E> {
    pub(super) fn new() -> Self {
        Self {
            now: 0,
            mean_open: Mean::default(),
            mean_hold: Mean::default(),
            ended_us: 0,
            failures: 0,
            backoff_until_us: 0,
            last_error: None,
            is_final: false,
        }
    }

    pub(super) fn mean_open_us(&self) -> u64 {
        self.mean_open.get()
    }

    pub(super) fn mean_hold_us(&self) -> u64 {
        self.mean_hold.get()
    }

    /// A loan has come back.
    pub(super) fn saw_hold(&mut self, hold_us: u64) {
        self.mean_hold.add(hold_us);
    }

    /// An opening has succeeded; returns the error that is no longer needed.
    pub(super) fn succeeded(&mut self, now_us: u64, took_us: u64) -> Option<Arc<E>> {
        self.mean_open.add(took_us);
        self.ended_us = now_us;
        self.failures = 0;
        self.backoff_until_us = 0;
        self.is_final = false;
        self.last_error.take()
    }

    /// An opening has failed: the next one waits. Returns the error that is no longer needed.
    pub(super) fn failed(
        &mut self,
        now_us: u64,
        error: Option<Arc<E>>,
        is_final: bool,
        pause_us: (u64, u64),
    ) -> Option<Arc<E>> {
        let old_error = match error {
            Some(error) => self.last_error.replace(error),
            None => self.last_error.take(),
        };
        self.ended_us = now_us;
        self.is_final = is_final;
        if self.is_paused(now_us) {
            // It began together with the one that failed before it, and is no further bad news.
            return old_error;
        }
        let (least, most) = pause_us;
        let pause = least.saturating_mul(1 << self.failures.min(20)).min(most);
        self.failures = self.failures.saturating_add(1);
        let pause = jittered(pause, BACKOFF_JITTER_PERCENT, now_us ^ u64::from(self.failures));
        self.backoff_until_us = now_us.saturating_add(pause);
        old_error
    }

    /// Whether openings wait after a failure.
    pub(super) fn is_paused(&self, now_us: u64) -> bool {
        now_us < self.backoff_until_us
    }
}

impl<T, W, E> Ledger<T, W, E> {
    /// Opens as many objects as pay.
    pub(super) fn open_what_pays(&mut self, now_us: u64) {
        // Where a place would help, the keeper asks the other lenders for one.
        self.keeper_due |= self.needs_allowance(now_us);
        while self.may_open() && self.wants_opening() {
            if self.openings.is_paused(now_us) {
                self.due_at(self.openings.backoff_until_us);
                return;
            }
            if !self.opening_pays(now_us) {
                self.due_at(self.pays_at_us(now_us));
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

    /// Whether somebody needs an object that is not on its way, or too few are idle.
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
        let in_service = self.slots.len() - self.openings.now - self.closing;
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
        wait_us > mean_open || now_us >= self.pays_at_us(now_us)
    }

    /// When an opening pays though the means say no: the line does not move, or does not end.
    fn pays_at_us(&self, now_us: u64) -> u64 {
        let mean_open = self.openings.mean_open.get().max(1);
        let asked_us = self.queue.front().map_or(now_us, |front| front.asked_us);
        let stuck_us = asked_us.max(self.served_us).max(self.openings.ended_us);
        let backlog_us = self.backlog_us.max(self.openings.ended_us);
        let patience = mean_open.saturating_mul(OPENINGS_OF_BACKLOG);
        stuck_us.saturating_add(mean_open).min(backlog_us.saturating_add(patience))
    }

    /// Begins an opening; `None` if there is no free slot.
    pub(super) fn start_opening(
        &mut self,
        now_us: u64,
        replaces: Option<LoanHandle>,
    ) -> Option<LoanHandle> {
        let deadline_us = now_us.saturating_add(self.settings.open_timeout_us);
        let slot = Slot::opening(now_us, deadline_us, replaces, super::keeper_place());
        let handle = self.slots.insert(slot).ok()?.relabel();
        self.count(State::Opening, true);
        if let Some(old) = replaces.and_then(|old| self.slot_mut(old)) {
            old.being_replaced = true;
        }
        self.due_at(deadline_us);
        self.push_work(Work::Open(handle));
        Some(handle)
    }

    /// Whether an opening would pay if only this lender were allowed one more object.
    #[must_use]
    pub fn needs_allowance(&self, now_us: u64) -> bool {
        self.lacks_allowance() && !self.openings.is_paused(now_us) && self.opening_pays(now_us)
    }

    /// Whether somebody waits whom only another place could serve sooner.
    fn lacks_allowance(&self) -> bool {
        self.has_keeper
            && !self.is_closed
            && self.allowance < self.capacity
            && self.slots.len() >= self.allowance
            && self.openings.now < self.settings.openings_max
            && self.queue.missing() > self.openings.now + self.checking
    }

    /// Whether an object whose lifetime is over can be replaced before it goes.
    pub(super) fn may_replace(&self, now_us: u64) -> bool {
        self.may_open() && !self.openings.is_paused(now_us)
    }

    /// The next moment at which openings have to be looked at again.
    pub(super) fn openings_due_us(&self, now_us: u64) -> u64 {
        let is_of_use = (self.may_open() && self.wants_opening())
            || (self.lacks_allowance() && !self.needs_allowance(now_us));
        if !is_of_use {
            u64::MAX
        } else if self.openings.is_paused(now_us) {
            self.openings.backoff_until_us
        } else {
            self.pays_at_us(now_us)
        }
    }

    /// When openings begin again after a failure, for objects that wait to be replaced.
    pub(super) fn backoff_until_us(&self) -> u64 {
        self.openings.backoff_until_us
    }
}
