//! Closing objects, and giving up their places.

use super::{Ledger, State, Why, Work};
use crate::error::{AcquireError, LoanHandle};

impl<T, W, E> Ledger<T, W, E> {
    /// Closes an object that is not lent; returns it if there is no keeper to close it.
    pub(super) fn close_object(
        &mut self,
        now_us: u64,
        handle: LoanHandle,
        object: T,
        why: Why,
    ) -> Option<T> {
        let closings = &mut self.stats.closings;
        *match why {
            Why::Discarded => &mut closings.discarded,
            Why::Interrupted => &mut closings.interrupted,
            Why::Broken => &mut closings.broken,
            Why::Check => &mut closings.check,
            Why::Lifetime => &mut closings.lifetime,
            Why::Idle => &mut closings.idle,
            Why::Evicted => &mut closings.evicted,
            Why::Capacity => &mut closings.capacity,
            Why::Closed => &mut closings.closed,
        } += 1;
        if !self.has_keeper {
            self.vacate(handle);
            return Some(object);
        }
        self.enter(now_us, handle, State::Closing);
        let deadline_us = now_us.saturating_add(self.settings.close_timeout_us);
        if let Some(slot) = self.slot_mut(handle) {
            slot.deadline_us = deadline_us;
        }
        self.due_at(deadline_us);
        self.push_work(Work::Close(handle, object));
        None
    }

    /// Closes an object now if it is idle, otherwise as soon as it is free.
    pub(super) fn doom(&mut self, now_us: u64, handle: LoanHandle, why: Why) -> Option<T> {
        let slot = self.slot_mut(handle)?;
        match slot.state {
            State::Idle => {
                let object = slot.object.take()?;
                self.idle.retain(|idle| *idle != handle);
                self.close_object(now_us, handle, object, why)
            }
            State::Closing => None,
            State::Opening | State::Promised | State::Out | State::Checking => {
                slot.doomed.get_or_insert(why);
                None
            }
        }
    }

    fn doom_all(&mut self, now_us: u64, why: Why, which: impl Fn(State) -> bool) -> Vec<T> {
        let handles: Vec<LoanHandle> = self
            .slots
            .iter()
            .filter(|(_, slot)| which(slot.state))
            .map(|(handle, _)| handle.relabel())
            .collect();
        handles.into_iter().filter_map(|handle| self.doom(now_us, handle, why)).collect()
    }

    /// Closes an object: now if it is idle, otherwise when it is returned. Returns `false` if the
    /// handle is stale.
    pub fn evict(&mut self, now_us: u64, handle: LoanHandle, to_drop: &mut Vec<T>) -> bool {
        if self.slot(handle).is_none() {
            return false;
        }
        to_drop.extend(self.doom(now_us, handle, Why::Evicted));
        self.serve(now_us);
        true
    }

    /// Closes every object that exists now; those that are out, when they are returned. An object
    /// that is being opened is lent once if a caller is waiting for it then, and closed otherwise.
    /// Returns objects that the caller must drop.
    #[must_use]
    pub fn evict_all(&mut self, now_us: u64) -> Vec<T> {
        let to_drop = self.doom_all(now_us, Why::Evicted, |_| true);
        self.serve(now_us);
        to_drop
    }

    /// Sets how many objects may exist, at most the `capacity_max` of the settings. Returns the
    /// number set, and the objects that the caller must drop.
    ///
    /// Excess idle objects are closed now, excess loans when they are returned; nothing is opened
    /// while there are as many objects as the capacity.
    #[must_use]
    pub fn set_capacity(&mut self, now_us: u64, capacity: usize) -> (usize, Vec<T>) {
        self.capacity = capacity.min(self.settings.capacity_max);
        let mut to_drop = self.close_excess(now_us);
        let too_large: Vec<_> = self
            .queue
            .all()
            .filter(|(_, waiter)| waiter.want > self.capacity)
            .filter(|(_, waiter)| matches!(waiter.answer, super::Answer::Waiting))
            .map(|(handle, waiter)| (handle, waiter.want))
            .collect();
        for (waiter, asked) in too_large {
            let error = AcquireError::too_many(asked, self.capacity);
            to_drop.extend(self.fail_and_free(now_us, waiter, error));
        }
        self.serve(now_us);
        (self.capacity, to_drop)
    }

    fn close_excess(&mut self, now_us: u64) -> Vec<T> {
        let mut to_drop = Vec::new();
        while self.slots.len() > self.capacity().saturating_add(self.closing) {
            let Some(handle) = self.idle.front().copied() else { break };
            to_drop.extend(self.doom(now_us, handle, Why::Capacity));
        }
        to_drop
    }

    /// Returns whether the lender was closed.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Returns whether the lender was closed and no object exists.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.is_closed && self.slots.is_empty()
    }

    /// Closes the lender: waiting callers get an error, idle objects are closed now, and loans when
    /// they are returned. Returns objects that the caller must drop.
    #[must_use]
    pub fn close(&mut self, now_us: u64) -> Vec<T> {
        if self.is_closed {
            return Vec::new();
        }
        self.is_closed = true;
        self.keeper_due = true;
        let mut to_drop = Vec::new();
        while let Some(waiter) = self.queue.first() {
            to_drop.extend(self.fail_and_free(now_us, waiter, AcquireError::Closed));
        }
        to_drop.extend(self.doom_all(now_us, Why::Closed, |state| state == State::Idle));
        let openings: Vec<LoanHandle> = self
            .slots
            .iter()
            .filter(|(_, slot)| slot.state == State::Opening)
            .map(|(handle, _)| handle.relabel())
            .collect();
        for handle in openings {
            // What it has opened so far may exist until the keeper stops it.
            self.enter(now_us, handle, State::Closing);
            self.push_work(Work::Abort(handle));
        }
        to_drop
    }

    /// Takes out all objects and wakers, and makes all errors [rubbish](Self::take_rubbish), so that they can be dropped
    /// one by one before the ledger is.
    pub(crate) fn strip(&mut self) -> (Vec<T>, Vec<W>) {
        let mut objects: Vec<T> =
            self.slots.values_mut().filter_map(|slot| slot.object.take()).collect();
        for work in self.work.drain(..) {
            if let Work::Check(_, object) | Work::Close(_, object) = work {
                objects.push(object);
            }
        }
        let mut wakers: Vec<W> = self.wakes.drain(..).collect();
        let waiters: Vec<_> = self.queue.all().map(|(handle, _)| handle).collect();
        for waiter in waiters {
            let Some(waiter) = self.queue.remove(waiter) else { continue };
            wakers.extend(waiter.waker);
            self.throw_away(waiter.answer);
        }
        self.rubbish.extend(self.openings.last_error.take());
        (objects, wakers)
    }
}
