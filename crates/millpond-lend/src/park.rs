//! Futures on a thread, without a runtime: parked until they are woken.

use std::cell::RefCell;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Instant;

use crate::timer::Timer;

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.unpark();
    }
}

thread_local! {
    /// The waker of this thread: one allocation, however often it waits.
    static WAKER: RefCell<Option<Waker>> = const { RefCell::new(None) };
}

fn waker_of_this_thread() -> Waker {
    let make = || Waker::from(Arc::new(Unpark(thread::current())));
    WAKER
        .try_with(|kept| kept.borrow_mut().get_or_insert_with(make).clone())
        .unwrap_or_else(|_| make())
}

/// Waits for a future on this thread.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    if let Some(output) = try_once(future.as_mut()) {
        return output;
    }
    let waker = waker_of_this_thread();
    let mut cx = Context::from_waker(&waker);
    loop {
        match future.as_mut().poll(&mut cx) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}

/// Most callers do not wait, and need no waker.
fn try_once<F: Future>(future: Pin<&mut F>) -> Option<F::Output> {
    match future.poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => Some(output),
        Poll::Pending => None,
    }
}

/// Sleeps by parking the thread that polls. All sleeps are polled whenever the thread wakes up.
#[derive(Debug, Clone, Default)]
pub(crate) struct ParkTimer {
    wake_at: Arc<Mutex<Option<Instant>>>,
}

impl Timer for ParkTimer {
    async fn sleep_until(&self, deadline: Instant) {
        std::future::poll_fn(|_| {
            let mut wake_at = self.wake_at.lock().unwrap_or_else(PoisonError::into_inner);
            if Instant::now() >= deadline {
                return Poll::Ready(());
            }
            *wake_at = Some(wake_at.map_or(deadline, |other| other.min(deadline)));
            Poll::Pending
        })
        .await;
    }
}

/// Waits for a future on this thread that sleeps by `timer`.
pub(crate) fn block_on_until<F: Future>(future: F, timer: &ParkTimer) -> F::Output {
    let mut future = pin!(future);
    let waker = waker_of_this_thread();
    let mut cx = Context::from_waker(&waker);
    loop {
        // Every sleep that is still wanted says so again.
        *timer.wake_at.lock().unwrap_or_else(PoisonError::into_inner) = None;
        if let Poll::Ready(output) = future.as_mut().poll(&mut cx) {
            return output;
        }
        let wake_at = *timer.wake_at.lock().unwrap_or_else(PoisonError::into_inner);
        match wake_at {
            Some(deadline) => {
                thread::park_timeout(deadline.saturating_duration_since(Instant::now()))
            }
            None => thread::park(),
        }
    }
}
