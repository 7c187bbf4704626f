//! Waits for futures on a thread, without a runtime: the thread is parked until it is woken.

use std::cell::RefCell;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Instant;

use crate::timer::Timer;

/// Wakes a thread, and counts how often it was woken. A thread that waits inside a future that it polls (a maker that
/// acquires from another lender) may use up the unpark that was meant for the outer future; the count remains.
struct Bell {
    thread: Thread,
    rings: AtomicU64,
}

impl Bell {
    fn new() -> Arc<Self> {
        Arc::new(Self { thread: thread::current(), rings: AtomicU64::new(0) })
    }

    /// How often it has rung.
    fn rings(&self) -> u64 {
        self.rings.load(Ordering::Acquire)
    }

    /// Waits until it has rung more often than `rings`, or until `deadline`.
    fn wait_beyond(&self, rings: u64, deadline: Option<Instant>) {
        while self.rings() == rings {
            let Some(deadline) = deadline else {
                thread::park();
                continue;
            };
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            thread::park_timeout(left);
        }
    }
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.rings.fetch_add(1, Ordering::Release);
        self.thread.unpark();
    }
}

thread_local! {
    /// This thread's bell: one allocation, however often the thread waits.
    static BELL: RefCell<Option<Arc<Bell>>> = const { RefCell::new(None) };
}

fn bell_of_this_thread() -> Arc<Bell> {
    BELL.try_with(|kept| Arc::clone(kept.borrow_mut().get_or_insert_with(Bell::new)))
        .unwrap_or_else(|_| Bell::new())
}

/// Waits for a future on this thread.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    if let Some(output) = try_once(future.as_mut()) {
        return output;
    }
    let bell = bell_of_this_thread();
    let waker = Waker::from(Arc::clone(&bell));
    let mut cx = Context::from_waker(&waker);
    loop {
        let rings = bell.rings();
        match future.as_mut().poll(&mut cx) {
            Poll::Ready(output) => return output,
            Poll::Pending => bell.wait_beyond(rings, None),
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
    let bell = bell_of_this_thread();
    let waker = Waker::from(Arc::clone(&bell));
    let mut cx = Context::from_waker(&waker);
    loop {
        let rings = bell.rings();
        // Every sleep that is still needed sets it again.
        *timer.wake_at.lock().unwrap_or_else(PoisonError::into_inner) = None;
        if let Poll::Ready(output) = future.as_mut().poll(&mut cx) {
            return output;
        }
        let wake_at = *timer.wake_at.lock().unwrap_or_else(PoisonError::into_inner);
        bell.wait_beyond(rings, wake_at);
    }
}

#[cfg(all(test, not(millpond_loom)))]
mod tests {
    use std::future::poll_fn;
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    /// The outer future is woken while the thread waits for another one inside it, and then polled again.
    #[test]
    fn a_future_that_waits_inside_of_another_takes_no_wake_from_it() {
        for timed in [false, true] {
            let (done, is_done) = mpsc::channel();
            thread::spawn(move || {
                let mut polls = 0;
                let outer = poll_fn(|cx| {
                    polls += 1;
                    if polls == 3 {
                        return Poll::Ready(());
                    }
                    if polls == 2 {
                        // The outer future's wake comes first, then the inner one's.
                        cx.waker().wake_by_ref();
                        block_on(woken_by_another_thread());
                    }
                    if polls == 1 {
                        cx.waker().wake_by_ref();
                    }
                    Poll::Pending
                });
                if timed {
                    block_on_until(outer, &ParkTimer::default());
                } else {
                    block_on(outer);
                }
                done.send(()).unwrap();
            });
            is_done.recv_timeout(Duration::from_secs(120)).expect("the outer wake is lost");
        }
    }

    async fn woken_by_another_thread() {
        let mut thread = None;
        poll_fn(|cx| {
            let waker = cx.waker().clone();
            match &thread {
                Some(thread) if thread::JoinHandle::is_finished(thread) => Poll::Ready(()),
                Some(_) => {
                    waker.wake();
                    Poll::Pending
                }
                None => {
                    thread = Some(thread::spawn(move || {
                        thread::sleep(Duration::from_millis(20));
                        waker.wake();
                    }));
                    Poll::Pending
                }
            }
        })
        .await;
    }
}
