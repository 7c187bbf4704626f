//! [`Keeper`]: opens, checks and closes objects, and watches the time for callers and objects.

use std::fmt;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::thread::JoinHandle;

use super::job::{Job, Outcome};
use super::shared::{Books, Boxed, Shared};
use crate::error::LoanHandle;
use crate::ledger::Work;
use crate::maker::Maker;
use crate::park;
use crate::quiet::{Quiet, drop_all};
use crate::timer::Timer;

/// Does the work of a lender; nothing is opened, checked or closed unless it runs.
///
/// It ends when the lender is closed or no [`Lender`](crate::Lender) is left, and all loans have
/// been returned.
#[must_use = "a lender without its keeper opens nothing: spawn `keeper.run(timer)`"]
pub struct Keeper<M: Maker> {
    shared: Arc<Shared<M>>,
}

impl<M: Maker> Keeper<M> {
    pub(crate) fn new(shared: Arc<Shared<M>>) -> Self {
        Self { shared }
    }

    pub(crate) fn shared(&self) -> &Arc<Shared<M>> {
        &self.shared
    }

    /// Returns the keeper's future, to be spawned on any runtime:
    /// `tokio::spawn(keeper.run(TokioTimer))`.
    ///
    /// Callers wait for it from this call on; if the future is dropped, they get
    /// [`NoKeeper`](crate::AcquireError::NoKeeper). It also ends their waits, so a future that is kept but not polled
    /// (because it was leaked, or its runtime does not run) leaves them waiting.
    pub fn run<T: Timer>(self, timer: T) -> impl Future<Output = ()> + Send + 'static {
        self.shared.with(|books, _| books.ledger.keeper_started());
        let running = Running { shared: self.shared, jobs: Vec::new() };
        running.run(Quiet::new(timer))
    }

    /// Runs the keeper on its own thread, without a runtime.
    ///
    /// This is for makers that need no runtime either: a maker that opens tokio's sockets must be
    /// polled by tokio.
    ///
    /// # Errors
    ///
    /// If the system cannot start a thread.
    pub fn run_on_thread(self) -> std::io::Result<JoinHandle<()>> {
        let name = format!("keeper of {}", self.shared.name);
        let timer = park::ParkTimer::default();
        let keeper = self.run(timer.clone());
        std::thread::Builder::new().name(name).spawn(move || park::block_on_until(keeper, &timer))
    }

    /// Runs the keeper on its own thread, with a tokio runtime of its own, on which it opens the
    /// objects.
    ///
    /// The lender then outlives the runtimes of its callers. This is for a lender in a `static` that
    /// several `#[tokio::test]`s use, each of which has a runtime, and for programs with more than
    /// one runtime. Each answer to a caller comes from the other thread, which takes some
    /// microseconds longer.
    ///
    /// # Errors
    ///
    /// If the system cannot start a thread or a runtime.
    #[cfg(feature = "tokio")]
    pub fn run_on_tokio_thread(self) -> std::io::Result<JoinHandle<()>> {
        let name = format!("keeper of {}", self.shared.name);
        on_tokio_thread(name, self.run(crate::timer::TokioTimer))
    }
}

/// Runs a keeper on a thread with a runtime of tokio.
#[cfg(feature = "tokio")]
pub(crate) fn on_tokio_thread(
    name: String,
    keeper: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<JoinHandle<()>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    std::thread::Builder::new().name(name).spawn(move || runtime.block_on(keeper))
}

impl<M: Maker> fmt::Debug for Keeper<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keeper").field("name", &self.shared.name).finish_non_exhaustive()
    }
}

/// A timer's sleep.
type Sleep<'a> = Quiet<Pin<Box<dyn Future<Output = ()> + Send + 'a>>>;

/// How often a keeper may look at its work before other tasks have their turn: work that ends at once leads to more
/// work, without end if an opening fails at once.
const TURNS_PER_POLL: u32 = 16;

/// The turns that a keeper has had since it last let other tasks run.
#[derive(Debug, Default)]
pub(crate) struct Turns(u32);

impl Turns {
    /// Counts a turn; returns `true` if other tasks have to run first. Then the keeper is woken at once.
    pub(crate) fn are_used_up(&mut self, cx: &Context<'_>) -> bool {
        self.0 += 1;
        if self.0 <= TURNS_PER_POLL {
            return false;
        }
        self.begin_anew();
        cx.waker().wake_by_ref();
        true
    }

    /// The keeper sleeps.
    pub(crate) fn begin_anew(&mut self) {
        self.0 = 0;
    }
}

/// A running keeper. When it is dropped, it informs the waiting callers.
struct Running<M: Maker> {
    shared: Arc<Shared<M>>,
    jobs: Vec<Job<M>>,
}

impl<M: Maker> Running<M> {
    async fn run<T: Timer>(mut self, timer: Quiet<T>) {
        let mut turns = Turns::default();
        let mut alarm_us = u64::MAX;
        let mut sleep: Option<Sleep<'_>> = None;
        while let Some(next_us) = self.turn() {
            if next_us != alarm_us || sleep.is_none() {
                alarm_us = next_us;
                let deadline = self.shared.clock.instant_at(alarm_us);
                sleep = deadline
                    .filter(|_| alarm_us != u64::MAX)
                    .map(|deadline| Quiet::new(Box::pin(timer.sleep_until(deadline)) as _));
            }
            poll_fn(|cx| {
                if turns.are_used_up(cx) {
                    return Poll::Pending;
                }
                if self.poll_jobs(cx) || self.is_due(cx) {
                    return Poll::Ready(());
                }
                let is_awake =
                    sleep.as_mut().is_some_and(|sleep| sleep.as_mut().poll(cx).is_ready());
                if is_awake {
                    sleep = None;
                    return Poll::Ready(());
                }
                turns.begin_anew();
                Poll::Pending
            })
            .await;
        }
    }

    /// Does what is due and starts the jobs; returns when to look next, or `None` if all is done.
    fn turn(&mut self) -> Option<u64> {
        let jobs = &mut self.jobs;
        let (to_drop, work, next_us) = self.shared.with(|books, now_us| {
            jobs.append(&mut books.begun);
            books.notice_sleep(now_us, &self.shared.clock);
            let to_drop = books.ledger.tick(now_us);
            let work: Vec<_> = std::iter::from_fn(|| books.ledger.next_work()).collect();
            let alarm_us = books.ledger.next_alarm_us().min(books.grace_ends_us);
            let is_done = books.ledger.is_finished() || now_us >= books.grace_ends_us;
            let _ = books.ledger.take_keeper_due();
            (to_drop, work, (!is_done).then_some(alarm_us))
        });
        drop_all(to_drop);
        for work in work {
            self.start(work);
        }
        next_us
    }

    fn start(&mut self, work: Work<Boxed<M>>) {
        let shared = Arc::clone(&self.shared);
        let (handle, future): (_, Pin<Box<dyn Future<Output = Outcome<M>> + Send>>) = match work {
            Work::Abort(handle) => {
                let aborted = self.jobs.iter().position(|job| job.handle == handle);
                drop_all(aborted.map(|index| self.jobs.swap_remove(index)));
                self.report(handle, Outcome::Closed);
                return;
            }
            Work::Open(handle) => (
                handle,
                Box::pin(async move {
                    match shared.maker.open().await {
                        Ok(object) => Outcome::Opened(Box::new(object)),
                        Err(error) => {
                            let error = Quiet::new(error);
                            let is_final = shared.maker.is_final(&error);
                            Outcome::OpenFailed(Arc::new(error.into_inner()), is_final)
                        }
                    }
                }),
            ),
            Work::Check(handle, object) => (
                handle,
                Box::pin(async move {
                    match shared.maker.check_owned(*object).await {
                        Ok(object) => Outcome::Checked(Box::new(object)),
                        Err(Some(object)) => Outcome::CheckFailed(Box::new(object)),
                        Err(None) => Outcome::Lost,
                    }
                }),
            ),
            Work::Close(handle, object) => (
                handle,
                Box::pin(async move {
                    shared.maker.close(*object).await;
                    Outcome::Closed
                }),
            ),
        };
        self.jobs.push(Job { handle, future });
    }

    /// Polls every job; returns whether one has ended.
    fn poll_jobs(&mut self, cx: &mut Context<'_>) -> bool {
        let mut has_ended = false;
        let mut index = 0;
        while let Some(job) = self.jobs.get_mut(index) {
            // A job that panics is never polled again.
            let polled = catch_unwind(AssertUnwindSafe(|| job.future.as_mut().poll(cx)));
            let outcome = match polled {
                Ok(Poll::Pending) => {
                    index += 1;
                    continue;
                }
                Ok(Poll::Ready(outcome)) => outcome,
                Err(_) => Outcome::Lost,
            };
            let handle = job.handle;
            drop_all([self.jobs.swap_remove(index)]);
            self.report(handle, outcome);
            has_ended = true;
        }
        has_ended
    }

    /// Reports to the ledger how a job ended.
    fn report(&self, handle: LoanHandle, outcome: Outcome<M>) {
        let to_drop = self.shared.with(|books, now_us| {
            let ledger = &mut books.ledger;
            match outcome {
                Outcome::Opened(object) => {
                    ledger.opened(now_us, handle, object).into_iter().collect()
                }
                Outcome::OpenFailed(error, is_final) => {
                    ledger.open_failed(now_us, handle, Some(error), is_final)
                }
                Outcome::Checked(object) => {
                    ledger.checked(now_us, handle, object).into_iter().collect()
                }
                Outcome::CheckFailed(object) => {
                    ledger.check_failed(now_us, handle, object).into_iter().collect()
                }
                Outcome::Closed => {
                    ledger.closed(now_us, handle);
                    Vec::new()
                }
                Outcome::Lost => {
                    let to_drop = ledger.open_failed(now_us, handle, None, false);
                    ledger.lost(now_us, handle);
                    to_drop
                }
            }
        });
        drop_all(to_drop);
    }

    /// Makes sure that the keeper is woken when it is needed; returns whether it already is.
    fn is_due(&self, cx: &Context<'_>) -> bool {
        // Cloned and dropped here, because a waker is users' code.
        let waker = cx.waker().clone();
        let (is_due, replaced) = self.shared.with(|books: &mut Books<M>, _| {
            (books.ledger.take_keeper_due(), books.keeper.replace(waker))
        });
        drop(replaced);
        is_due
    }
}

impl<M: Maker> Drop for Running<M> {
    fn drop(&mut self) {
        let (to_drop, begun) = self.shared.with(|books, now_us| {
            (books.ledger.keeper_gone(now_us), std::mem::take(&mut books.begun))
        });
        drop_all(self.jobs.drain(..).chain(begun));
        drop_all(to_drop);
        self.shared.wake_closers();
    }
}
