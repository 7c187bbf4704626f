//! The waiting callers, first come, first served.
//!
//! The waiters are values of a [`Pool`], linked in the order in which they asked. A caller holds a
//! handle: once its waiter is gone, anything that still arrives for it is refused.

use std::panic::Location;

use millpond::{Handle, Pool, PoolBuilder};

use crate::error::{AcquireError, LoanHandle};

/// The tag of [`WaiterHandle`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Asked {}

/// Names a waiting caller.
pub type WaiterHandle = Handle<Asked>;

/// The state of a waiter's answer.
#[derive(Debug)]
pub(super) enum Answer<E> {
    Waiting,
    Served,
    Failed(AcquireError<E>),
}

/// A caller that is waiting, or that has not fetched its answer yet.
#[derive(Debug)]
pub(super) struct Waiter<W, E> {
    /// How many objects it requested.
    pub(super) want: usize,
    /// The first object that is reserved for it, without an allocation for callers that request only one.
    pub(super) first: Option<LoanHandle>,
    /// The other objects that are reserved for it.
    pub(super) rest: Vec<LoanHandle>,
    pub(super) asked_us: u64,
    /// How many callers were already waiting.
    pub(super) ahead: usize,
    pub(super) place: &'static Location<'static>,
    /// The waker of its caller.
    pub(super) waker: Option<W>,
    pub(super) answer: Answer<E>,
    /// When it was answered.
    answered_us: u64,
    next: Option<WaiterHandle>,
    previous: Option<WaiterHandle>,
}

impl<W, E> Waiter<W, E> {
    pub(super) fn new(want: usize, asked_us: u64, place: &'static Location<'static>) -> Self {
        Self {
            want,
            first: None,
            rest: Vec::new(),
            asked_us,
            ahead: 0,
            place,
            waker: None,
            answer: Answer::Waiting,
            answered_us: 0,
            next: None,
            previous: None,
        }
    }

    /// How many objects are reserved for it.
    pub(super) fn has(&self) -> usize {
        usize::from(self.first.is_some()) + self.rest.len()
    }

    /// Reserves one more object for it.
    pub(super) fn keep(&mut self, handle: LoanHandle) {
        if self.first.is_none() {
            self.first = Some(handle);
        } else {
            self.rest.push(handle);
        }
    }
}

/// The ends of a list of waiters.
#[derive(Debug, Default)]
struct Ends {
    first: Option<WaiterHandle>,
    last: Option<WaiterHandle>,
}

/// All waiters.
#[derive(Debug)]
pub(super) struct Queue<W, E> {
    waiters: Pool<Waiter<W, E>>,
    /// The waiting callers, in the order of their requests.
    line: Ends,
    /// Those that failed and have not fetched their error yet, in the order of their failures.
    failed: Ends,
    len: usize,
    /// How many objects the waiting callers lack.
    missing: usize,
}

impl<W, E> Queue<W, E> {
    pub(super) fn with_capacity(capacity: usize) -> Self {
        Self::of(Pool::builder().capacity(capacity))
    }

    /// Slots wrap instead of retiring. Under load, they would have used up their 2^31 lifetimes within days, and then
    /// no caller could wait. A waiter's handle is valid again only after that many lifetimes of its slot.
    fn of(waiters: PoolBuilder<Waiter<W, E>>) -> Self {
        Self {
            waiters: waiters.wrap().build(),
            line: Ends::default(),
            failed: Ends::default(),
            len: 0,
            missing: 0,
        }
    }

    /// The number of waiting callers, without those that have an answer.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn missing(&self) -> usize {
        self.missing
    }

    pub(super) fn first(&self) -> Option<WaiterHandle> {
        self.line.first
    }

    pub(super) fn get(&self, handle: WaiterHandle) -> Option<&Waiter<W, E>> {
        self.waiters.get(handle.relabel())
    }

    pub(super) fn get_mut(&mut self, handle: WaiterHandle) -> Option<&mut Waiter<W, E>> {
        self.waiters.get_mut(handle.relabel())
    }

    /// The first waiting caller.
    pub(super) fn front(&self) -> Option<&Waiter<W, E>> {
        self.get(self.line.first?)
    }

    /// Whether there is no room for another waiter.
    pub(super) fn is_full(&self) -> bool {
        self.waiters.len() == self.waiters.capacity()
    }

    /// Appends a waiter to the queue; `None` if the pool is full.
    pub(super) fn push(&mut self, mut waiter: Waiter<W, E>) -> Option<WaiterHandle> {
        waiter.ahead = self.len;
        let want = waiter.want;
        let handle = self.waiters.insert(waiter).ok()?.relabel();
        self.append(handle, |queue| &mut queue.line);
        self.len += 1;
        self.missing += want;
        Some(handle)
    }

    /// Reserves an object for the first waiter; returns its waker if it lacks none any more.
    pub(super) fn keep_for_first(&mut self, handle: LoanHandle) -> Option<Option<W>> {
        let first = self.line.first?;
        let waiter = self.get_mut(first)?;
        waiter.keep(handle);
        let is_complete = waiter.has() == waiter.want;
        self.missing -= 1;
        if !is_complete {
            return None;
        }
        self.leave_line(first);
        let waiter = self.get_mut(first)?;
        waiter.answer = Answer::Served;
        Some(waiter.waker.take())
    }

    /// Takes back an object that was reserved for the first waiter, which lacks more.
    pub(super) fn take_from_first(&mut self) -> Option<LoanHandle> {
        let waiter = self.get_mut(self.line.first?)?;
        let handle = waiter.rest.pop().or_else(|| waiter.first.take())?;
        self.missing += 1;
        Some(handle)
    }

    /// Removes a waiter from the queue, if it is in it, and leaves it the error; returns its waker.
    pub(super) fn fail(
        &mut self,
        now_us: u64,
        handle: WaiterHandle,
        error: AcquireError<E>,
    ) -> Option<W> {
        if matches!(self.get(handle)?.answer, Answer::Waiting) {
            self.leave_line(handle);
        }
        self.append(handle, |queue| &mut queue.failed);
        let waiter = self.get_mut(handle)?;
        waiter.answer = Answer::Failed(error);
        waiter.answered_us = now_us;
        waiter.waker.take()
    }

    /// Removes a waiter from any position.
    pub(super) fn remove(&mut self, handle: WaiterHandle) -> Option<Waiter<W, E>> {
        match self.get(handle)?.answer {
            Answer::Waiting => self.leave_line(handle),
            Answer::Failed(_) => self.unlink(handle, |queue| &mut queue.failed),
            Answer::Served => {}
        }
        self.waiters.remove(handle.relabel())
    }

    /// When the waiter failed that has not fetched its error for the longest.
    pub(super) fn first_failed_us(&self) -> Option<u64> {
        Some(self.get(self.failed.first?)?.answered_us)
    }

    /// Removes the waiter that has not fetched its error for the longest.
    pub(super) fn remove_first_failed(&mut self) -> Option<Waiter<W, E>> {
        self.remove(self.failed.first?)
    }

    fn leave_line(&mut self, handle: WaiterHandle) {
        let Some(waiter) = self.get(handle) else { return };
        let missing = waiter.want - waiter.has();
        self.unlink(handle, |queue| &mut queue.line);
        self.len -= 1;
        self.missing -= missing;
    }

    fn append(&mut self, handle: WaiterHandle, list: fn(&mut Self) -> &mut Ends) {
        let last = list(self).last.replace(handle);
        if let Some(waiter) = self.get_mut(handle) {
            waiter.previous = last;
        }
        match last.and_then(|last| self.get_mut(last)) {
            Some(last) => last.next = Some(handle),
            None => list(self).first = Some(handle),
        }
    }

    fn unlink(&mut self, handle: WaiterHandle, list: fn(&mut Self) -> &mut Ends) {
        let Some(waiter) = self.get_mut(handle) else { return };
        let (previous, next) = (waiter.previous.take(), waiter.next.take());
        match previous.and_then(|previous| self.get_mut(previous)) {
            Some(previous) => previous.next = next,
            None => list(self).first = next,
        }
        match next.and_then(|next| self.get_mut(next)) {
            Some(next) => next.previous = previous,
            None => list(self).last = previous,
        }
    }

    /// Every waiter, including those that have an answer, in no particular order.
    pub(super) fn all(&self) -> impl Iterator<Item = (WaiterHandle, &Waiter<W, E>)> {
        self.waiters.iter().map(|(handle, waiter)| (handle.relabel(), waiter))
    }

    /// What is wrong with the lists, if anything.
    pub(super) fn fault(&self) -> Option<String> {
        let mut missing = 0;
        let mut seen = 0;
        let mut asked_us = 0;
        let fault = self.fault_of(&self.line, |handle, waiter| {
            let is_first = seen == 0;
            seen += 1;
            missing += waiter.want - waiter.has();
            if !matches!(waiter.answer, Answer::Waiting) {
                return Some(format!("waiter {handle} has an answer but is still in the queue"));
            }
            if waiter.asked_us < asked_us {
                return Some(format!("waiter {handle} is in the wrong position"));
            }
            asked_us = waiter.asked_us;
            (waiter.has() > 0 && !is_first).then(|| {
                format!("an object is reserved for waiter {handle}, which is not the first")
            })
        });
        let mut failed = 0;
        let mut failed_us = 0;
        let fault = fault.or_else(|| {
            self.fault_of(&self.failed, |handle, waiter| {
                failed += 1;
                let is_early = waiter.answered_us < failed_us;
                failed_us = waiter.answered_us;
                (is_early || !matches!(waiter.answer, Answer::Failed(_))).then(|| {
                    format!("waiter {handle} is in the wrong position among the failed waiters")
                })
            })
        });
        let count = |is: fn(&Answer<E>) -> bool| self.all().filter(|(_, w)| is(&w.answer)).count();
        let waiting = count(|answer| matches!(answer, Answer::Waiting));
        let all_failed = count(|answer| matches!(answer, Answer::Failed(_)));
        let is_off = seen != self.len
            || missing != self.missing
            || waiting != seen
            || (fault.is_none() && all_failed != failed);
        fault.or_else(|| {
            is_off.then(|| {
                format!(
                    "{seen} of {} wait for {missing} of {}, {failed} of {all_failed} failed",
                    self.len, self.missing
                )
            })
        })
    }

    fn fault_of(
        &self,
        list: &Ends,
        mut look: impl FnMut(WaiterHandle, &Waiter<W, E>) -> Option<String>,
    ) -> Option<String> {
        let mut previous = None;
        let mut next = list.first;
        while let Some(handle) = next {
            let Some(waiter) = self.get(handle) else {
                return Some(format!("waiter {handle} is linked but does not exist"));
            };
            if waiter.previous != previous {
                return Some(format!("waiter {handle} links back to the wrong waiter"));
            }
            let fault = look(handle, waiter);
            if fault.is_some() {
                return fault;
            }
            previous = Some(handle);
            next = waiter.next;
        }
        (list.last != previous).then(|| format!("the last is {previous:?}, not {:?}", list.last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_in_the_queue_do_not_wear_out() {
        let mut queue = Queue::<(), ()>::of(Pool::builder().capacity(2).lifetimes(3));
        let place = Location::caller();
        for asked_us in 0..20 {
            let waiter = queue.push(Waiter::new(1, asked_us, place)).expect("there is room");
            assert_eq!(queue.remove(waiter).map(|waiter| waiter.asked_us), Some(asked_us));
            assert!(queue.remove(waiter).is_none());
        }
        assert_eq!(queue.fault(), None);
    }
}
