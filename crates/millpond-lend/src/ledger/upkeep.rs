//! What depends on time: waiters that time out, work that takes too long, objects that are old or
//! idle.

use super::openings::Failed;
use super::queue::Answer;
use super::{Ledger, Slot, State, Why, Work};
use crate::error::{AcquireError, LoanHandle, Unopened};
use crate::ledger::WaiterHandle;

/// A caller that has been handed an object has this much longer than the acquire timeout to fetch
/// it, and no less if it came late.
const FETCH_GRACE_US: u64 = 50_000;

/// No caller has longer than this to fetch its answer, however long its acquire timeout: a future that was leaked never
/// does.
const FETCH_MAX_US: u64 = 60_000_000;

impl<T, W, E> Ledger<T, W, E> {
    /// Does what is due. The keeper calls this at [`next_alarm_us`](Self::next_alarm_us) and
    /// whenever it is woken. Returns objects that the caller must drop. O(capacity).
    #[must_use]
    pub fn tick(&mut self, now_us: u64) -> Vec<T> {
        // Waiters first, because objects that are taken back from others are not for those whose time is over.
        let mut to_drop = self.expire_waiters(now_us);
        to_drop.extend(self.expire_promises(now_us));
        self.forget_failed(now_us);
        self.expire_work(now_us);
        self.expire_objects(now_us, &mut to_drop);
        self.expire_idle(now_us, &mut to_drop);
        self.serve(now_us);
        self.alarm_us = self.compute_alarm(now_us);
        to_drop
    }

    /// Returns when [`tick`](Self::tick) is due next, as of its last call.
    #[must_use]
    pub fn next_alarm_us(&self) -> u64 {
        self.alarm_us
    }

    fn expire_waiters(&mut self, now_us: u64) -> Vec<T> {
        let mut to_drop = Vec::new();
        let timeout_us = self.settings.acquire_timeout_us;
        while let Some(waiter) = self.queue.first() {
            let Some((asked_us, ahead)) = self.queue.front().map(|w| (w.asked_us, w.ahead)) else {
                break;
            };
            if now_us < asked_us.saturating_add(timeout_us) {
                break;
            }
            let error = self.timed_out(now_us, asked_us, ahead);
            to_drop.extend(self.fail_and_free(now_us, waiter, error));
        }
        to_drop
    }

    fn timed_out(&mut self, now_us: u64, asked_us: u64, ahead: usize) -> AcquireError<E> {
        self.stats.timed_out += 1;
        self.time_out(now_us, asked_us, ahead)
    }

    fn time_out(&self, now_us: u64, asked_us: u64, ahead: usize) -> AcquireError<E> {
        AcquireError::TimedOut {
            waited_ms: now_us.saturating_sub(asked_us) / 1_000,
            ahead: u32::try_from(ahead).unwrap_or(u32::MAX),
            holders: self.holders(now_us),
            source: self.openings.last_error.clone(),
            unopened: self.unopened(),
        }
    }

    /// Takes back objects that were handed to callers that do not fetch them: futures that are no
    /// longer polled.
    fn expire_promises(&mut self, now_us: u64) -> Vec<T> {
        let mut to_drop = Vec::new();
        let late: Vec<WaiterHandle> = self
            .slots
            .values()
            .filter(|slot| slot.state == State::Promised)
            .filter(|slot| self.promise_ends_us(slot) <= now_us)
            .filter_map(|slot| slot.promised_to)
            .collect();
        for waiter in late {
            let Some(entry) = self.queue.get(waiter) else { continue };
            if !matches!(entry.answer, Answer::Served) {
                continue;
            }
            let (asked_us, ahead) = (entry.asked_us, entry.ahead);
            let error = self.timed_out(now_us, asked_us, ahead);
            self.record(asked_us, None, now_us);
            self.fail(now_us, waiter, error);
            let Some(entry) = self.queue.get_mut(waiter) else { continue };
            let (first, rest) = (entry.first.take(), std::mem::take(&mut entry.rest));
            to_drop.extend(self.pass_on(now_us, first.into_iter().chain(rest)));
        }
        to_drop
    }

    /// Forgets answers that are not fetched: futures that were leaked, or are no longer polled.
    fn forget_failed(&mut self, now_us: u64) {
        while let Some(failed_us) = self.queue.first_failed_us() {
            if now_us < self.forgets_us(failed_us) {
                return;
            }
            self.forget_first_failed();
        }
    }

    /// Forgets the oldest answer that was not fetched; `false` if there is none.
    pub(super) fn forget_first_failed(&mut self) -> bool {
        let forgotten = self.queue.remove_first_failed();
        forgotten.map(|waiter| self.throw_away(waiter.answer)).is_some()
    }

    /// When an answer of this time is forgotten.
    pub(super) fn forgets_us(&self, failed_us: u64) -> u64 {
        let most_us = self.settings.acquire_timeout_us.min(FETCH_MAX_US);
        failed_us.saturating_add(most_us).saturating_add(FETCH_GRACE_US)
    }

    /// Returns the answer for a caller that comes too late for its own: [`claim`](Self::claim) has
    /// returned [`Unknown`](super::Claim::Unknown).
    #[must_use]
    pub fn late_answer(&self, now_us: u64, asked_us: u64) -> AcquireError<E> {
        if self.is_closed {
            AcquireError::Closed
        } else if self.has_keeper {
            self.time_out(now_us, asked_us, 0)
        } else {
            AcquireError::NoKeeper
        }
    }

    /// Until when an object is reserved for a caller.
    pub(super) fn promise_ends_us(&self, slot: &Slot<T>) -> u64 {
        let time_out_us = slot.asked_us.saturating_add(self.settings.acquire_timeout_us);
        let latest_us = slot.since_us.saturating_add(FETCH_MAX_US);
        time_out_us.clamp(slot.since_us, latest_us).saturating_add(FETCH_GRACE_US)
    }

    /// Answers a waiter with an error, and passes the objects that were reserved for it to the next one.
    pub(super) fn fail_and_free(
        &mut self,
        now_us: u64,
        waiter: WaiterHandle,
        error: AcquireError<E>,
    ) -> Vec<T> {
        if let Some(asked_us) = self.queue.get(waiter).map(|entry| entry.asked_us) {
            self.record(asked_us, None, now_us);
        }
        self.fail(now_us, waiter, error);
        let Some(entry) = self.queue.get_mut(waiter) else { return Vec::new() };
        debug_assert!(matches!(entry.answer, Answer::Failed(_)));
        let first = entry.first.take();
        let rest = std::mem::take(&mut entry.rest);
        if first.is_none() {
            return Vec::new();
        }
        self.pass_on(now_us, first.into_iter().chain(rest))
    }

    fn expire_work(&mut self, now_us: u64) {
        let late: Vec<(LoanHandle, State)> = self
            .slots
            .iter()
            .filter(|(_, slot)| {
                matches!(slot.state, State::Opening | State::Checking | State::Closing)
                    && slot.deadline_us <= now_us
            })
            .map(|(handle, slot)| (handle.relabel(), slot.state))
            .collect();
        for (handle, state) in late {
            self.push_work(Work::Abort(handle));
            if state == State::Opening {
                let how = Failed::Without(Unopened::TooSlow);
                let to_drop = self.opening_failed(now_us, handle, how);
                debug_assert!(to_drop.is_empty());
            } else {
                self.lost(now_us, handle);
            }
        }
    }

    fn expire_objects(&mut self, now_us: u64, to_drop: &mut Vec<T>) {
        let old: Vec<LoanHandle> = self
            .slots
            .iter()
            .filter(|(_, slot)| {
                slot.expires_us <= now_us && slot.doomed.is_none() && !slot.being_replaced
            })
            .filter(|(_, slot)| slot.state != State::Closing)
            .map(|(handle, _)| handle.relabel())
            .collect();
        for handle in old {
            if self.slots.len() >= self.capacity() || !self.has_keeper || self.is_closed {
                to_drop.extend(self.doom(now_us, handle, Why::Lifetime));
            } else if self.may_replace(now_us) {
                self.start_opening(now_us, Some(handle));
            }
        }
    }

    fn expire_idle(&mut self, now_us: u64, to_drop: &mut Vec<T>) {
        while self.idle.len() > self.settings.idle_min {
            let Some(handle) = self.idle.front().copied() else { break };
            let Some(slot) = self.slot(handle) else { break };
            if now_us < slot.since_us.saturating_add(self.settings.idle_us) {
                break;
            }
            to_drop.extend(self.doom(now_us, handle, Why::Idle));
        }
    }

    fn compute_alarm(&self, now_us: u64) -> u64 {
        let timeout_us = self.settings.acquire_timeout_us;
        let mut alarm =
            self.queue.front().map_or(u64::MAX, |front| front.asked_us.saturating_add(timeout_us));
        alarm = alarm.min(self.openings_due_us(now_us));
        let failed_us = self.queue.first_failed_us();
        alarm = alarm.min(failed_us.map_or(u64::MAX, |failed_us| self.forgets_us(failed_us)));
        for slot in self.slots.values() {
            alarm = alarm.min(match slot.state {
                State::Opening | State::Checking | State::Closing => slot.deadline_us,
                State::Idle | State::Out => self.object_due_us(now_us, slot),
                State::Promised => self.object_due_us(now_us, slot).min(self.promise_ends_us(slot)),
            });
        }
        if self.idle.len() > self.settings.idle_min {
            let longest = self.idle.front().and_then(|handle| self.slot(*handle));
            let ends = longest.map(|slot| slot.since_us.saturating_add(self.settings.idle_us));
            alarm = alarm.min(ends.unwrap_or(u64::MAX));
        }
        alarm
    }

    /// When an object must be replaced. An object that cannot be replaced yet is checked again when
    /// an opening ends, which has its own deadline, or when openings begin again.
    fn object_due_us(&self, now_us: u64, slot: &Slot<T>) -> u64 {
        if slot.doomed.is_some() || slot.being_replaced {
            u64::MAX
        } else if slot.expires_us > now_us {
            slot.expires_us
        } else if self.paused_until_us() > now_us {
            self.paused_until_us()
        } else {
            u64::MAX
        }
    }

    /// Called when an object turned out not to work: every other one not proved since is suspect,
    /// and is checked before it is lent again. If the object was suspect itself, nothing new is
    /// known.
    pub(super) fn suspect_others(&mut self, now_us: u64, proved_us: u64) {
        if proved_us >= self.suspect_before_us {
            self.suspect_all(now_us);
        }
    }

    /// Has every object checked before it is lent again: the keeper checks those that are idle now,
    /// and the others when they are returned. This is for what may have ended many connections at
    /// once, such as a sleep of the machine.
    pub fn suspect_all(&mut self, now_us: u64) {
        self.suspect_before_us = now_us;
        if !self.has_keeper {
            return;
        }
        while let Some(handle) = self.idle.pop_front() {
            let Some(object) = self.slot_mut(handle).and_then(|slot| slot.object.take()) else {
                continue;
            };
            self.start_check(now_us, handle, object);
        }
    }
}
