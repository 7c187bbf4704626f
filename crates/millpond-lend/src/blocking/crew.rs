//! Threads for blocking calls, and futures of their results.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::Duration;

use crate::quiet::{drop_all, quietly};

/// A thread that has been idle for this long ends.
const IDLE_MAX: Duration = Duration::from_secs(10);

/// The maximum number of threads, and of calls that wait for one. The ledger makes one call per
/// object at a time, but calls that it gives up continue: a server that never answers would take
/// thread after thread.
const THREADS_MAX: usize = 256;

type Call = Box<dyn FnOnce() + Send>;

/// As many threads as there are calls at once, up to [`THREADS_MAX`].
pub(super) struct Crew {
    inner: Arc<Inner>,
}

#[derive(Default)]
struct Inner {
    desk: Mutex<Desk>,
    has_call: Condvar,
}

#[derive(Default)]
struct Desk {
    calls: VecDeque<Call>,
    threads: usize,
    idle: usize,
    is_closed: bool,
}

impl Crew {
    pub(super) fn new() -> Self {
        Self { inner: Arc::default() }
    }

    /// Makes a call on another thread. The result is `None` if it panics, or there is no thread for
    /// it.
    pub(super) fn send<R: Send + 'static>(
        &self,
        call: impl FnOnce() -> R + Send + 'static,
    ) -> Errand<R> {
        let slot = Arc::new(Mutex::new(Progress::Running(None)));
        let answer = Answer { slot: Arc::clone(&slot) };
        self.inner.push(Box::new(move || {
            if answer.is_wanted() {
                answer.give(call());
            }
        }));
        Errand { slot }
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        lock(&self.inner.desk).is_closed = true;
        self.inner.has_call.notify_all();
    }
}

impl Inner {
    fn push(self: &Arc<Self>, call: Call) {
        let mut desk = lock(&self.desk);
        let is_enough = desk.calls.len() < desk.idle;
        let is_full = desk.threads == THREADS_MAX;
        if !is_enough && is_full && desk.calls.len() >= THREADS_MAX {
            drop(desk);
            // Dropping the call answers that there is no thread for it.
            drop_all([call]);
            return;
        }
        desk.calls.push_back(call);
        if is_enough || is_full {
            drop(desk);
            self.has_call.notify_one();
            return;
        }
        desk.threads += 1;
        drop(desk);
        let inner = Arc::clone(self);
        let started =
            thread::Builder::new().name("millpond-lend".into()).spawn(move || inner.work());
        if started.is_err() {
            let mut desk = lock(&self.desk);
            desk.threads -= 1;
            // The call may never be picked up.
            let call = if desk.idle == 0 { desk.calls.pop_back() } else { None };
            drop(desk);
            drop_all(call);
        }
    }

    fn work(&self) {
        let mut desk = lock(&self.desk);
        loop {
            if let Some(call) = desk.calls.pop_front() {
                drop(desk);
                // If it panics, dropping its answer reports that.
                quietly(call);
                desk = lock(&self.desk);
                continue;
            }
            if desk.is_closed {
                desk.threads -= 1;
                return;
            }
            desk.idle += 1;
            let (woken, timeout) =
                self.has_call.wait_timeout(desk, IDLE_MAX).unwrap_or_else(PoisonError::into_inner);
            desk = woken;
            desk.idle -= 1;
            if timeout.timed_out() && desk.calls.is_empty() {
                desk.threads -= 1;
                return;
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

enum Progress<R> {
    Running(Option<Waker>),
    Done(Option<R>),
    GivenUp,
}

/// Receives a call's result. If it is dropped without one, the call has failed.
struct Answer<R> {
    slot: Arc<Mutex<Progress<R>>>,
}

impl<R> Answer<R> {
    /// Whether a caller is waiting for the result; a call that was given up before it began is not made.
    fn is_wanted(&self) -> bool {
        !matches!(*lock(&self.slot), Progress::GivenUp)
    }

    fn give(self, result: R) {
        self.finish(Some(result));
    }

    fn finish(&self, result: Option<R>) {
        let mut slot = lock(&self.slot);
        // A result without a waiting caller is dropped here, on the thread that may block.
        let mut unwanted = None;
        let waker = match &mut *slot {
            Progress::Running(waker) => {
                let waker = waker.take();
                *slot = Progress::Done(result);
                waker
            }
            Progress::Done(_) | Progress::GivenUp => {
                unwanted = result;
                None
            }
        };
        drop(slot);
        if let Some(waker) = waker {
            quietly(|| waker.wake());
        }
        drop_all(unwanted);
    }
}

impl<R> Drop for Answer<R> {
    fn drop(&mut self) {
        self.finish(None);
    }
}

/// The future of a call's result. If it is dropped, the call continues, and its result is dropped.
pub(super) struct Errand<R> {
    slot: Arc<Mutex<Progress<R>>>,
}

impl<R> Future for Errand<R> {
    type Output = Option<R>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<R>> {
        let waker = cx.waker().clone();
        let mut slot = lock(&self.slot);
        match &mut *slot {
            Progress::Running(kept) => {
                let replaced = kept.replace(waker);
                drop(slot);
                drop(replaced);
                Poll::Pending
            }
            Progress::Done(result) => Poll::Ready(result.take()),
            Progress::GivenUp => Poll::Ready(None),
        }
    }
}

impl<R> Drop for Errand<R> {
    fn drop(&mut self) {
        let left = std::mem::replace(&mut *lock(&self.slot), Progress::GivenUp);
        drop_all([left]);
    }
}

#[cfg(all(test, not(millpond_loom)))]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

    use super::*;
    use crate::park::block_on;

    /// All threads are busy, so the next call waits; when a thread becomes free, its result is no longer needed.
    #[test]
    fn a_call_that_is_given_up_before_it_begins_is_not_made() {
        let crew = Crew::new();
        let gate = Arc::new((Mutex::new(true), Condvar::new()));
        let busy: Vec<_> = (0..THREADS_MAX)
            .map(|_| {
                let gate = Arc::clone(&gate);
                crew.send(move || drop(gate.1.wait_while(lock(&gate.0), |is_shut| *is_shut)))
            })
            .collect();
        let is_made = Arc::new(AtomicBool::new(false));
        let made = Arc::clone(&is_made);
        drop(crew.send(move || made.store(true, SeqCst)));
        let last = crew.send(|| 7);
        *lock(&gate.0) = false;
        gate.1.notify_all();
        assert_eq!(block_on(last), Some(7));
        assert!(busy.into_iter().all(|call| block_on(call).is_some()));
        while Arc::strong_count(&is_made) > 1 {
            thread::yield_now();
        }
        assert!(!is_made.load(SeqCst));
    }
}
