//! What the keeper does, and what it reports.

use std::collections::VecDeque;
use std::sync::Arc;

use super::openings::Failed;
use super::{Ledger, State, Why, Work};
use crate::error::{AcquireError, LoanHandle, Unopened};
use crate::hash::jittered;

/// Lifetimes are shorter than the setting by up to this share.
const LIFETIME_JITTER_PERCENT: u64 = 10;

impl<T, W, E> Ledger<T, W, E> {
    /// Returns the next task for the keeper.
    pub fn next_work(&mut self) -> Option<Work<T>> {
        self.work.pop_front()
    }

    /// Returns whether the keeper must be woken.
    #[must_use]
    #[inline]
    pub fn is_keeper_due(&self) -> bool {
        self.keeper_due
    }

    /// Returns whether the keeper must be woken, and resets this.
    #[must_use]
    #[inline]
    pub fn take_keeper_due(&mut self) -> bool {
        std::mem::take(&mut self.keeper_due)
    }

    /// Returns whether a keeper does the work.
    #[must_use]
    pub fn has_keeper(&self) -> bool {
        self.has_keeper
    }

    /// Called when a keeper starts to do the work.
    pub fn keeper_started(&mut self) {
        self.has_keeper = true;
    }

    /// Called when no keeper does the work any more: waiting callers get an answer, and objects
    /// being opened, checked or closed are lost. Returns the objects that the caller must drop.
    #[must_use]
    pub fn keeper_gone(&mut self, now_us: u64) -> Vec<T> {
        self.has_keeper = false;
        let mut to_drop = Vec::new();
        while let Some(waiter) = self.queue.first() {
            to_drop.extend(self.fail_and_free(now_us, waiter, AcquireError::NoKeeper));
        }
        let work: VecDeque<Work<T>> = std::mem::take(&mut self.work);
        for work in work {
            match work {
                Work::Check(_, object) | Work::Close(_, object) => to_drop.push(object),
                Work::Open(_) | Work::Abort(_) => {}
            }
        }
        let with_keeper: Vec<LoanHandle> = self
            .slots
            .iter()
            .filter(|(_, s)| matches!(s.state, State::Opening | State::Checking | State::Closing))
            .map(|(handle, _)| handle.relabel())
            .collect();
        for handle in with_keeper {
            if self.slot(handle).is_some_and(|slot| slot.state == State::Checking) {
                self.stats.closings.closed += 1;
            }
            self.vacate(handle);
        }
        to_drop
    }

    /// Reports that an object is open. Returns the object if the ledger does not expect it under
    /// this handle.
    #[must_use]
    pub fn opened(&mut self, now_us: u64, handle: LoanHandle, object: T) -> Option<T> {
        let lifetime_us = jittered(
            self.settings.lifetime_us,
            LIFETIME_JITTER_PERCENT,
            handle.to_bits().rotate_left(17),
        );
        let Some(slot) = self.slot_mut(handle).filter(|slot| slot.state == State::Opening) else {
            return Some(object);
        };
        let began_us = slot.since_us;
        let took_us = now_us.saturating_sub(began_us);
        slot.used_us = now_us;
        slot.proved_us = now_us;
        slot.expires_us = now_us.saturating_add(lifetime_us);
        let expires_us = slot.expires_us;
        let replaces = slot.replaces.take();
        self.stats.opened += 1;
        self.count_waiting(now_us);
        let old_error = self.openings.succeeded(took_us);
        self.rubbish.extend(old_error);
        self.due_at(expires_us);
        self.adjust_patience(began_us);
        let mut to_drop = self.settle(now_us, handle, object);
        if let Some(old) = replaces {
            to_drop = to_drop.or(self.doom(now_us, old, Why::Lifetime));
        }
        self.serve(now_us);
        to_drop
    }

    /// Reports that an opening has failed, with this error, or without one if the maker panicked. A
    /// final failure is the answer for all waiting callers, unless they can still get existing
    /// objects.
    #[must_use]
    pub fn open_failed(
        &mut self,
        now_us: u64,
        handle: LoanHandle,
        error: Option<Arc<E>>,
        is_final: bool,
    ) -> Vec<T> {
        let how = match error {
            Some(error) => Failed::Error(error, is_final),
            None => Failed::Without(Unopened::Panicked),
        };
        self.opening_failed(now_us, handle, how)
    }

    pub(super) fn opening_failed(
        &mut self,
        now_us: u64,
        handle: LoanHandle,
        how: Failed<E>,
    ) -> Vec<T> {
        if self.slot(handle).is_none_or(|slot| slot.state != State::Opening) {
            if let Failed::Error(error, _) = how {
                self.rubbish.push(error);
            }
            return Vec::new();
        }
        self.saw_patience(handle, &how);
        self.vacate(handle);
        self.stats.open_failed += 1;
        let final_error = match &how {
            Failed::Error(error, true) => Some(Arc::clone(error)),
            _ => None,
        };
        let pause = (self.settings.backoff_min_us, self.settings.backoff_max_us);
        self.count_waiting(now_us);
        let old_error = self.openings.failed(now_us, how, pause);
        self.rubbish.extend(old_error);
        let mut to_drop = Vec::new();
        let in_service = self.slots.len() - self.openings.now - self.closing;
        if let Some(error) = final_error.filter(|_| in_service == 0) {
            while let Some(waiter) = self.queue.first() {
                let answer = AcquireError::Opening(Arc::clone(&error));
                to_drop.extend(self.fail_and_free(now_us, waiter, answer));
            }
        }
        self.serve(now_us);
        to_drop
    }

    /// Reports that a check has succeeded. Returns the object if the ledger does not expect it
    /// under this handle.
    #[must_use]
    pub fn checked(&mut self, now_us: u64, handle: LoanHandle, object: T) -> Option<T> {
        let Some(slot) = self.slot_mut(handle).filter(|slot| slot.state == State::Checking) else {
            return Some(object);
        };
        // It worked when the check began; the check says nothing about a later suspicion.
        slot.proved_us = slot.since_us;
        slot.used_us = now_us;
        let to_drop = self.settle(now_us, handle, object);
        self.serve(now_us);
        to_drop
    }

    /// Reports that a check has failed; the keeper then closes the object.
    #[must_use]
    pub fn check_failed(&mut self, now_us: u64, handle: LoanHandle, object: T) -> Option<T> {
        let Some(slot) = self.slot(handle).filter(|slot| slot.state == State::Checking) else {
            return Some(object);
        };
        let proved_us = slot.proved_us;
        self.suspect_others(now_us, proved_us);
        let to_drop = self.close_object(now_us, handle, object, Why::Check);
        self.serve(now_us);
        to_drop
    }

    /// Reports that the work on an object has panicked or was given up, and that the object is
    /// lost.
    pub fn lost(&mut self, now_us: u64, handle: LoanHandle) {
        match self.slot(handle).map(|slot| (slot.state, slot.proved_us)) {
            Some((State::Checking, proved_us)) => {
                self.stats.closings.check += 1;
                self.vacate(handle);
                self.suspect_others(now_us, proved_us);
                self.after_vacating(now_us);
            }
            Some((State::Closing, _)) => self.closed(now_us, handle),
            _ => {}
        }
    }

    /// Reports that an object is closed, or that work was stopped.
    pub fn closed(&mut self, now_us: u64, handle: LoanHandle) {
        if self.slot(handle).is_some_and(|slot| slot.state == State::Closing) {
            self.vacate(handle);
            self.after_vacating(now_us);
        }
    }

    /// Called when there is room for another opening.
    pub(super) fn after_vacating(&mut self, now_us: u64) {
        if self.is_closed && self.slots.is_empty() {
            self.keeper_due = true;
        }
        self.serve(now_us);
    }
}
