//! A queue of threads that wait for an object: first come, first served.
//!
//! A waiting thread counts itself, then checks for a free object. A thread that frees one sets its bit, then checks for
//! waiting threads. Both orders are sequentially consistent, so at least one of the two sees the other. The lock is
//! held from the check to the sleep, so no wake-up is lost. A release without waiting threads costs one more load.

use alloc::collections::VecDeque;
use core::sync::atomic::Ordering::Relaxed;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use super::super::atomics::{AtomicU32, Condvar, Mutex, fence};
use super::super::{home, order};
use super::objects::Unmade;
use super::{Acquired, SyncRecycler};
use crate::base::OutOfMemory;

/// Waiting in line, with the feature `std`.
impl<T> SyncRecycler<T> {
    /// Returns the number of threads waiting in line.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.line.waiting()
    }

    /// Acquires an object; if none is free, waits in line for one, first come, first served.
    /// Returns `None` only if all objects are retired, so that none can be released. A line of more
    /// than 64 threads allocates.
    ///
    /// ```
    /// use millpond::SyncRecycler;
    ///
    /// let recycler = SyncRecycler::<u32>::new(1);
    /// let held = recycler.acquire().unwrap();
    /// std::thread::scope(|scope| {
    ///     let waiting = scope.spawn(|| *recycler.acquire_blocking().unwrap() += 1);
    ///     drop(held);
    ///     waiting.join().unwrap();
    /// });
    /// assert_eq!(*recycler.acquire().unwrap(), 1);
    /// ```
    #[must_use]
    pub fn acquire_blocking(&self) -> Option<Acquired<'_, T>> {
        self.claim_in_line(None).map(|index| Acquired::new(self, index))
    }

    /// Like [`acquire_blocking`](Self::acquire_blocking), but waits in line no longer than `timeout`. A
    /// line of more than 64 threads allocates.
    ///
    /// ```
    /// use millpond::SyncRecycler;
    /// use std::time::Duration;
    ///
    /// let recycler = SyncRecycler::<u32>::new(1);
    /// let held = recycler.acquire_timeout(Duration::from_secs(1)).unwrap();
    /// assert!(recycler.acquire_timeout(Duration::from_millis(1)).is_none());
    /// ```
    #[must_use]
    pub fn acquire_timeout(&self, timeout: Duration) -> Option<Acquired<'_, T>> {
        // A deadline beyond the end of time is none.
        let deadline = Instant::now().checked_add(timeout);
        self.claim_in_line(deadline).map(|index| Acquired::new(self, index))
    }

    fn claim_in_line(&self, deadline: Option<Instant>) -> Option<usize> {
        let home = home::of_this_thread();
        let claim = || {
            let free = self.free.claim(home, order::acquire()).map(Claim::Made);
            free.or_else(|| self.objects.claim_unmade().map(Claim::Unmade))
        };
        let at_once = if self.line.is_waiting() { None } else { claim() };
        let is_hopeless = || self.retired() == self.capacity();
        match at_once.or_else(|| self.line.wait(deadline, claim, is_hopeless)) {
            Some(Claim::Made(index)) => Some(index),
            Some(Claim::Unmade(unmade)) => Some(self.make(unmade)),
            None => self.refuse(home),
        }
    }
}

/// What a thread has claimed. An object is made by code of the program, and so not before the thread has left the line.
enum Claim<'a, T> {
    Made(usize),
    Unmade(Unmade<'a, T>),
}

/// This many threads can wait without an allocation.
const LINE_RESERVED: usize = 64;

/// Threads in line sleep in this many places, so that a call wakes only a few of them.
const PLACES: usize = 8;

#[derive(Debug)]
pub(super) struct Line {
    waiting: AtomicU32,
    queue: Mutex<Queue>,
    places: [Condvar; PLACES],
}

#[derive(Debug)]
struct Queue {
    next: u64,
    /// The waiting threads, in order of arrival.
    tickets: VecDeque<u64>,
}

impl Line {
    pub(super) fn try_new() -> Result<Self, OutOfMemory> {
        let mut tickets = VecDeque::new();
        tickets.try_reserve_exact(LINE_RESERVED).map_err(|_| OutOfMemory)?;
        let queue = Queue { next: 0, tickets };
        Ok(Self {
            waiting: AtomicU32::new(0),
            queue: Mutex::new(queue),
            places: core::array::from_fn(|_| Condvar::new()),
        })
    }

    /// The number of threads in line.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.load(Relaxed) as usize
    }

    /// Whether threads are waiting; a new thread must not overtake them.
    #[inline]
    pub(super) fn is_waiting(&self) -> bool {
        self.waiting.load(Relaxed) != 0
    }

    /// Called after a sequentially consistent write has freed an object.
    #[inline]
    pub(super) fn freed(&self) {
        order::between_release_and_look();
        if self.waiting.load(order::look_for_waiting()) != 0 {
            self.call();
        }
    }

    /// Wakes the first thread in line.
    #[cold]
    #[inline(never)]
    pub(super) fn call(&self) {
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        self.call_first(&queue);
    }

    fn call_first(&self, queue: &Queue) {
        if let Some(first) = queue.tickets.front() {
            self.place(*first).notify_all();
        }
    }

    fn place(&self, ticket: u64) -> &Condvar {
        &self.places[ticket as usize % PLACES]
    }

    /// Waits until it is this thread's turn and an object is claimed. Returns `None` if the
    /// deadline has passed, or no object can ever be freed.
    pub(super) fn wait<C>(
        &self,
        deadline: Option<Instant>,
        claim: impl Fn() -> Option<C>,
        is_hopeless: impl Fn() -> bool,
    ) -> Option<C> {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let me = queue.next;
        queue.next += 1;
        queue.tickets.push_back(me);
        self.waiting.fetch_add(1, Relaxed);
        fence(order::line_up());
        let claimed = loop {
            if queue.tickets.front() == Some(&me) {
                if let Some(claimed) = claim() {
                    break Some(claimed);
                }
            }
            if is_hopeless() {
                break None;
            }
            let place = self.place(me);
            queue = match deadline {
                None => place.wait(queue).unwrap_or_else(PoisonError::into_inner),
                Some(deadline) => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        break None;
                    }
                    place.wait_timeout(queue, left).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        };
        queue.tickets.retain(|ticket| *ticket != me);
        self.waiting.fetch_sub(1, Relaxed);
        // There may be an object for the next thread, too; or no thread can get one.
        self.call_first(&queue);
        claimed
    }
}

#[cfg(all(test, not(any(loom, shuttle))))]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::SyncRecycler;

    /// An object was freed, and the first thread in line has not woken yet.
    #[test]
    fn a_free_object_is_kept_for_the_first_thread_in_line() {
        let recycler = SyncRecycler::<u8>::new(1);
        let line = &recycler.line;
        let mut queue = line.queue.lock().unwrap();
        let first = queue.next;
        queue.next += 1;
        queue.tickets.push_back(first);
        drop(queue);
        line.waiting.fetch_add(1, Relaxed);
        assert!(recycler.acquire().is_none());
        assert!(recycler.acquire_timeout(Duration::ZERO).is_none());
        assert_eq!((recycler.refused(), recycler.available(), recycler.waiting()), (2, 1, 1));
        assert_eq!(line.queue.lock().unwrap().tickets, [first]);
        line.queue.lock().unwrap().tickets.clear();
        line.waiting.fetch_sub(1, Relaxed);
        assert!(recycler.acquire().is_some() && recycler.acquire_timeout(Duration::ZERO).is_some());
    }
}
