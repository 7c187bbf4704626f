//! The futures of [`Lender::acquire`](super::Lender::acquire) and
//! [`Lender::acquire_many`](super::Lender::acquire_many).

use std::fmt;
use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use super::loan::Loan;
use super::shared::{Books, Boxed, Shared};
use crate::error::{AcquireError, LoanHandle};
use crate::ledger::{Ask, Claim, WaiterHandle};
use crate::maker::Maker;
use crate::quiet::drop_all;

/// A caller's state.
#[derive(Debug)]
enum Stage {
    NotAsked,
    /// In the queue since this time.
    Waiting(WaiterHandle, u64),
    Answered,
}

/// What a caller gets: the first object, and the others if it requested several.
type Served<M> = (LoanHandle, Boxed<M>, Vec<(LoanHandle, Boxed<M>)>);

/// A caller, from its request to its answer.
struct Caller<'a, M: Maker> {
    shared: &'a Arc<Shared<M>>,
    want: usize,
    place: &'static Location<'static>,
    stage: Stage,
}

impl<M: Maker> Caller<'_, M> {
    /// Takes an idle object if one is ready and nobody is waiting, as is the case for most callers.
    #[inline]
    fn ask_ready(&mut self) -> Option<(LoanHandle, Boxed<M>)> {
        if !matches!(self.stage, Stage::NotAsked) {
            return None;
        }
        let place = self.place;
        let ready = self.shared.with_for_caller(|books, now_us| {
            if books.ledger.has_keeper() { books.ledger.ask_ready(now_us, place) } else { None }
        });
        // `poll` says why there is none.
        let ready = ready.ok().flatten()?;
        self.stage = Stage::Answered;
        Some(ready)
    }

    #[inline(never)]
    fn poll(&mut self, cx: &Context<'_>) -> Poll<Result<Served<M>, AcquireError<M::Error>>> {
        while matches!(self.stage, Stage::NotAsked) {
            let (want, place) = (self.want, self.place);
            let stage = &mut self.stage;
            let asked = self.shared.with_for_caller(|books, now_us| {
                let is_kept = books.ledger.has_keeper();
                match books.ledger.ask(now_us, want, place) {
                    Ask::Queued(waiter) => {
                        *stage = Stage::Waiting(waiter, now_us);
                        (None, is_kept)
                    }
                    answer => (Some(answer), is_kept),
                }
            });
            let (asked, is_kept) = match asked {
                Ok(asked) => asked,
                Err(from) => return self.is_forked(from),
            };
            match asked {
                None | Some(Ask::Queued(_)) => {}
                Some(Ask::Lent(handle, object)) => {
                    if let Some(object) = self.shared.unless_broken(handle, object, is_kept) {
                        self.stage = Stage::Answered;
                        return Poll::Ready(Ok((handle, object, Vec::new())));
                    }
                }
                Some(Ask::Failed(error)) => {
                    self.stage = Stage::Answered;
                    return Poll::Ready(Err(error));
                }
            }
        }
        self.poll_in_line(cx)
    }

    /// The answer in a process that was forked from that of the lender.
    #[cold]
    fn is_forked(&mut self, from: u32) -> Poll<Result<Served<M>, AcquireError<M::Error>>> {
        self.stage = Stage::Answered;
        Poll::Ready(Err(AcquireError::Forked { from }))
    }

    /// Fetches the answer of a waiting caller.
    fn poll_in_line(
        &mut self,
        cx: &Context<'_>,
    ) -> Poll<Result<Served<M>, AcquireError<M::Error>>> {
        let Stage::Waiting(waiter, asked_us) = self.stage else {
            panic!("polled after it was ready");
        };
        // Cloned here, because a waker is users' code.
        let waker = cx.waker().clone();
        let claim = self.shared.with_for_caller(|books, _| books.ledger.claim(waiter, Some(waker)));
        let claim = match claim {
            Ok(claim) => claim,
            Err(from) => return self.is_forked(from),
        };
        match claim {
            Claim::Pending(replaced) => {
                drop(replaced);
                Poll::Pending
            }
            Claim::Served(handle, object, rest) => {
                self.stage = Stage::Answered;
                Poll::Ready(Ok((handle, object, rest)))
            }
            Claim::Failed(error) => {
                self.stage = Stage::Answered;
                Poll::Ready(Err(error))
            }
            Claim::Unknown => {
                self.stage = Stage::Answered;
                let late =
                    |books: &mut Books<M>, now_us| books.ledger.late_answer(now_us, asked_us);
                Poll::Ready(Err(self.shared.with(late)))
            }
        }
    }
}

impl<M: Maker> Drop for Caller<'_, M> {
    #[inline]
    fn drop(&mut self) {
        if let Stage::Waiting(waiter, _) = self.stage {
            let (objects, waker) =
                self.shared.with(|books, now_us| books.ledger.cancel(now_us, waiter));
            drop_all(objects);
            drop_all(waker);
        }
    }
}

/// The future of [`Lender::acquire`](super::Lender::acquire).
///
/// It asks when it is first polled. If it is dropped before it is ready, it takes nothing: an
/// object being handed over goes to the next caller. An object handed to a future that is not
/// polled, because its task waits for something else or because it was leaked, goes to the next
/// caller 50 ms after the acquire timeout, but no later than a minute after it was handed over,
/// even without an acquire timeout; the future then resolves to
/// [`TimedOut`](AcquireError::TimedOut). An error that is not fetched is forgotten after the same
/// time.
#[must_use = "futures do nothing unless they are awaited"]
pub struct Acquire<'a, M: Maker> {
    caller: Caller<'a, M>,
}

impl<'a, M: Maker> Acquire<'a, M> {
    #[inline]
    pub(super) fn new(shared: &'a Arc<Shared<M>>, place: &'static Location<'static>) -> Self {
        Self { caller: Caller { shared, want: 1, place, stage: Stage::NotAsked } }
    }
}

impl<M: Maker> Future for Acquire<'_, M> {
    type Output = Result<Loan<M>, AcquireError<M::Error>>;

    #[inline]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let caller = &mut self.caller;
        if let Some((handle, object)) = caller.ask_ready() {
            return Poll::Ready(Ok(Loan::new(Arc::clone(caller.shared), handle, object)));
        }
        caller
            .poll(cx)
            .map_ok(|(handle, object, _)| Loan::new(Arc::clone(caller.shared), handle, object))
    }
}

impl<M: Maker> fmt::Debug for Acquire<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Acquire").field("stage", &self.caller.stage).finish()
    }
}

/// The future of [`Lender::acquire_many`](super::Lender::acquire_many).
///
/// It asks when it is first polled. If it is dropped before it is ready, it takes nothing: objects
/// kept for it go to the next caller.
#[must_use = "futures do nothing unless they are awaited"]
pub struct AcquireMany<'a, M: Maker> {
    /// `None` if nothing was asked for.
    caller: Option<Caller<'a, M>>,
}

impl<'a, M: Maker> AcquireMany<'a, M> {
    pub(super) fn new(
        shared: &'a Arc<Shared<M>>,
        want: usize,
        place: &'static Location<'static>,
    ) -> Self {
        let caller = Caller { shared, want, place, stage: Stage::NotAsked };
        Self { caller: (want > 0).then_some(caller) }
    }
}

impl<M: Maker> Future for AcquireMany<'_, M> {
    type Output = Result<Vec<Loan<M>>, AcquireError<M::Error>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(caller) = &mut self.caller else { return Poll::Ready(Ok(Vec::new())) };
        caller.poll(cx).map_ok(|(handle, object, rest)| {
            let all = std::iter::once((handle, object)).chain(rest);
            all.map(|(handle, object)| Loan::new(Arc::clone(caller.shared), handle, object))
                .collect()
        })
    }
}

impl<M: Maker> fmt::Debug for AcquireMany<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stage = self.caller.as_ref().map(|caller| &caller.stage);
        f.debug_struct("AcquireMany").field("stage", &stage).finish()
    }
}
