//! The callers who wait, first come, first served.
//!
//! The waiters are values of a [`Pool`], linked in the order in which they asked. A caller holds a
//! handle: once its waiter is gone, whatever still comes for it is refused.

use std::panic::Location;

use millpond::{Handle, Pool};

use crate::error::{AcquireError, LoanHandle};

/// The tag of [`WaiterHandle`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Asked {}

/// Names a caller who waits.
pub type WaiterHandle = Handle<Asked>;

/// What a waiter waits for, and what it has got.
#[derive(Debug)]
pub(super) enum Answer<E> {
    Waiting,
    Served,
    Failed(AcquireError<E>),
}

/// A caller who waits, or who has been answered and has not looked yet.
#[derive(Debug)]
pub(super) struct Waiter<W, E> {
    /// How many objects it asked for.
    pub(super) want: usize,
    /// The first object that is kept for it; without an allocation for those who want one.
    pub(super) first: Option<LoanHandle>,
    /// The other objects that are kept for it.
    pub(super) rest: Vec<LoanHandle>,
    pub(super) asked_us: u64,
    /// How many waited already.
    pub(super) ahead: usize,
    pub(super) place: &'static Location<'static>,
    /// Whom to wake.
    pub(super) waker: Option<W>,
    pub(super) answer: Answer<E>,
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
            next: None,
            previous: None,
        }
    }

    /// How many objects are kept for it.
    pub(super) fn has(&self) -> usize {
        usize::from(self.first.is_some()) + self.rest.len()
    }

    /// Keeps one more object for it.
    pub(super) fn keep(&mut self, handle: LoanHandle) {
        if self.first.is_none() {
            self.first = Some(handle);
        } else {
            self.rest.push(handle);
        }
    }
}

/// All waiters.
#[derive(Debug)]
pub(super) struct Queue<W, E> {
    waiters: Pool<Waiter<W, E>>,
    first: Option<WaiterHandle>,
    last: Option<WaiterHandle>,
    len: usize,
    /// How many objects are still missing for those who wait.
    missing: usize,
}

impl<W, E> Queue<W, E> {
    pub(super) fn with_capacity(capacity: usize) -> Self {
        Self { waiters: Pool::with_capacity(capacity), first: None, last: None, len: 0, missing: 0 }
    }

    /// How many wait, without those who have been answered.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn missing(&self) -> usize {
        self.missing
    }

    pub(super) fn first(&self) -> Option<WaiterHandle> {
        self.first
    }

    pub(super) fn get(&self, handle: WaiterHandle) -> Option<&Waiter<W, E>> {
        self.waiters.get(handle.relabel())
    }

    pub(super) fn get_mut(&mut self, handle: WaiterHandle) -> Option<&mut Waiter<W, E>> {
        self.waiters.get_mut(handle.relabel())
    }

    /// The first in the line.
    pub(super) fn front(&self) -> Option<&Waiter<W, E>> {
        self.get(self.first?)
    }

    /// Appends a waiter to the line; `None` if the pool is full.
    pub(super) fn push(&mut self, mut waiter: Waiter<W, E>) -> Option<WaiterHandle> {
        waiter.ahead = self.len;
        waiter.previous = self.last;
        let want = waiter.want;
        let handle = self.waiters.insert(waiter).ok()?.relabel();
        match self.last.and_then(|last| self.get_mut(last)) {
            Some(last) => last.next = Some(handle),
            None => self.first = Some(handle),
        }
        self.last = Some(handle);
        self.len += 1;
        self.missing += want;
        Some(handle)
    }

    /// Keeps an object for the first in the line; returns whom to wake if nothing is missing any more.
    pub(super) fn keep_for_first(&mut self, handle: LoanHandle) -> Option<Option<W>> {
        let first = self.first?;
        let waiter = self.get_mut(first)?;
        waiter.keep(handle);
        let complete = waiter.has() == waiter.want;
        self.missing -= 1;
        complete.then(|| self.answer(first, Answer::Served))
    }

    /// Takes a waiter out of the line and leaves it the answer; returns whom to wake.
    pub(super) fn answer(&mut self, handle: WaiterHandle, answer: Answer<E>) -> Option<W> {
        self.unlink(handle);
        let waiter = self.get_mut(handle)?;
        waiter.answer = answer;
        waiter.waker.take()
    }

    /// Removes a waiter, wherever it stands.
    pub(super) fn remove(&mut self, handle: WaiterHandle) -> Option<Waiter<W, E>> {
        if matches!(self.get(handle)?.answer, Answer::Waiting) {
            self.unlink(handle);
        }
        self.waiters.remove(handle.relabel())
    }

    fn unlink(&mut self, handle: WaiterHandle) {
        let Some(waiter) = self.get_mut(handle) else { return };
        let (previous, next) = (waiter.previous.take(), waiter.next.take());
        let missing = waiter.want - waiter.has();
        match previous.and_then(|previous| self.get_mut(previous)) {
            Some(previous) => previous.next = next,
            None => self.first = next,
        }
        match next.and_then(|next| self.get_mut(next)) {
            Some(next) => next.previous = previous,
            None => self.last = previous,
        }
        self.len -= 1;
        self.missing -= missing;
    }

    /// Every waiter, also those who have been answered, in no particular order.
    pub(super) fn all(&self) -> impl Iterator<Item = (WaiterHandle, &Waiter<W, E>)> {
        self.waiters.iter().map(|(handle, waiter)| (handle.relabel(), waiter))
    }

    /// What is wrong with the line, if anything is.
    pub(super) fn fault(&self) -> Option<String> {
        let mut seen = 0;
        let mut missing = 0;
        let mut asked_us = 0;
        let mut previous = None;
        let mut next = self.first;
        while let Some(handle) = next {
            let Some(waiter) = self.get(handle) else {
                return Some(format!("waiter {handle} is linked and does not exist"));
            };
            if !matches!(waiter.answer, Answer::Waiting) {
                return Some(format!("waiter {handle} has an answer and is in the line"));
            }
            if waiter.previous != previous || waiter.asked_us < asked_us {
                return Some(format!("waiter {handle} stands in the wrong place"));
            }
            if waiter.has() > 0 && previous.is_some() {
                return Some(format!("waiter {handle} is not the first and is kept something"));
            }
            seen += 1;
            missing += waiter.want - waiter.has();
            asked_us = waiter.asked_us;
            previous = Some(handle);
            next = waiter.next;
        }
        let waiting = self.all().filter(|(_, w)| matches!(w.answer, Answer::Waiting)).count();
        (seen != self.len || missing != self.missing || waiting != seen || self.last != previous)
            .then(|| format!("{seen} of {} wait for {missing} of {}", self.len, self.missing))
    }
}
