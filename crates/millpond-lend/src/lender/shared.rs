//! What the lender, its loans and its keeper share.

use std::mem::forget;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::task::{Poll, Waker};

use super::job::{Job, Outcome};

use crate::error::LoanHandle;
use crate::ledger::{Ledger, WaiterHandle};
use crate::maker::Maker;
use crate::outside::{Origin, SleepWatch};
use crate::quiet::{Quiet, drop_all, quietly};
use crate::sync::{Clock, Mutex, MutexGuard, lock};

/// The objects of a lender's ledger: boxed, so that a loan moves a pointer, not a client of a few hundred bytes.
pub(crate) type Boxed<M> = Box<<M as Maker>::Object>;

/// Since when a lender has waited for a place of a total, and for which caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Turn {
    /// Numbers increase in the order in which lenders began to wait.
    pub(crate) number: u64,
    pub(crate) caller: Option<WaiterHandle>,
}

/// The ledger of a lender, under its one lock.
pub(crate) struct Books<M: Maker> {
    pub(crate) ledger: Ledger<Boxed<M>, Waker, M::Error>,
    /// The waker of the keeper, while it sleeps.
    pub(crate) keeper: Option<Waker>,
    /// The calls that wait until the lender is closed: their numbers and latest wakers.
    closers: Vec<(u64, Waker)>,
    /// How many calls have asked it to close.
    pub(crate) closes: u64,
    /// When the keeper stops, even if loans are out.
    pub(crate) grace_ends_us: u64,
    /// The lender's place in the line of those that need a place of their total.
    pub(crate) turn: Option<Turn>,
    /// Checks that have begun on the threads of callers, for the keeper to go on with.
    pub(super) begun: Vec<Job<M>>,
    sleep_watch: SleepWatch,
    /// The latest time at which the books were used. Threads read the clock before they lock, so they may arrive in
    /// another order; in the ledger, time never goes backwards.
    now_us: u64,
    /// Where the objects belong.
    origin: Arc<Origin>,
}

pub(crate) struct Shared<M: Maker> {
    pub(crate) maker: Quiet<M>,
    pub(crate) clock: Clock,
    pub(crate) name: String,
    pub(crate) origin: Arc<Origin>,
    books: Mutex<Books<M>>,
}

impl<M: Maker> Shared<M> {
    pub(crate) fn new(
        maker: M,
        name: String,
        ledger: Ledger<Boxed<M>, Waker, M::Error>,
    ) -> Arc<Self> {
        let clock = Clock::new();
        let origin = Arc::new(Origin::here());
        let books = Books {
            ledger,
            keeper: None,
            closers: Vec::new(),
            closes: 0,
            grace_ends_us: u64::MAX,
            turn: None,
            begun: Vec::new(),
            sleep_watch: SleepWatch::new(&clock),
            now_us: 0,
            origin: Arc::clone(&origin),
        };
        let maker = Quiet::new(maker);
        Arc::new(Self { maker, clock, name, origin, books: Mutex::new(books) })
    }

    /// Works on the books, then wakes the callers and the keeper that this concerns, without the lock.
    ///
    /// Makers, errors, objects and wakers are users' code, so `work` returns what must be dropped.
    #[inline]
    pub(crate) fn with<R>(&self, work: impl FnOnce(&mut Books<M>, u64) -> R) -> R {
        self.with_at(self.clock.now_us(), work)
    }

    /// Works on the books for a caller that wants an object. If the machine has slept, all objects are checked before they
    /// are lent again.
    ///
    /// # Errors
    ///
    /// The number of the process that built the lender, if it is not this one.
    #[inline]
    pub(crate) fn with_for_caller<R>(
        &self,
        work: impl FnOnce(&mut Books<M>, u64) -> R,
    ) -> Result<R, u32> {
        let now_us = self.clock.now_us();
        match self.origin.elsewhere(now_us) {
            None => Ok(self.with_at(now_us, |books, now_us| {
                books.notice_sleep(now_us, &self.clock);
                work(books, now_us)
            })),
            Some(process) => Err(process),
        }
    }

    #[inline]
    fn with_at<R>(&self, now_us: u64, work: impl FnOnce(&mut Books<M>, u64) -> R) -> R {
        let mut books = lock(&self.books);
        let now_us = now_us.max(books.now_us);
        books.now_us = now_us;
        let result = work(&mut books, now_us);
        if books.ledger.has_news() {
            self.tell(books);
        }
        result
    }

    /// Unlocks the books, and wakes the callers and the keeper that they name.
    #[inline(never)]
    fn tell(&self, mut books: MutexGuard<'_, Books<M>>) {
        let first = books.ledger.next_wake();
        let is_more = books.ledger.has_wake();
        // It stays due until it looks.
        let keeper = if books.ledger.is_keeper_due() { books.keeper.take() } else { None };
        let rubbish = books.ledger.take_rubbish();
        drop(books);
        // The current caller must not suffer from the wakers and errors of others: it may be the keeper, or hold an
        // object.
        for waker in first.into_iter().chain(keeper) {
            quietly(|| waker.wake());
        }
        if is_more {
            self.wake_the_rest();
        }
        drop_all(rubbish);
    }

    #[cold]
    fn wake_the_rest(&self) {
        loop {
            let next = lock(&self.books).ledger.next_wake();
            let Some(waker) = next else { return };
            quietly(|| waker.wake());
        }
    }

    /// Checks the books.
    pub(crate) fn validate(&self) -> Result<(), String> {
        lock(&self.books).ledger.validate()
    }

    /// Reads the books.
    pub(crate) fn read<R>(&self, look: impl FnOnce(&Books<M>, u64) -> R) -> R {
        let now_us = self.clock.now_us();
        look(&lock(&self.books), now_us)
    }

    /// Takes back an object. If its maker panics when asked about it, it is closed like a broken one, and the panic
    /// continues: its place is free only once the object no longer exists.
    #[inline]
    pub(crate) fn give_back(self: &Arc<Self>, handle: LoanHandle, object: Boxed<M>) {
        let now_us = self.clock.now_us();
        if self.origin.elsewhere(now_us).is_some() {
            forget(object);
            return;
        }
        let mut returning =
            Returning { shared: self, handle, object: Some(object), state: Returned::Broken };
        returning.ask();
        if matches!(returning.state, Returned::ChecksAtOnce) {
            returning.check();
        } else {
            returning.end();
        }
    }

    /// Takes back an object that is about to be lent if there is no keeper that looks after it and it is broken: the
    /// runtime that it needs may have ended with the keeper.
    #[inline]
    pub(crate) fn unless_broken(
        self: &Arc<Self>,
        handle: LoanHandle,
        object: Boxed<M>,
        is_kept: bool,
    ) -> Option<Boxed<M>> {
        if is_kept { Some(object) } else { self.unkept_unless_broken(handle, object) }
    }

    #[cold]
    fn unkept_unless_broken(
        self: &Arc<Self>,
        handle: LoanHandle,
        object: Boxed<M>,
    ) -> Option<Boxed<M>> {
        let mut returning =
            Returning { shared: self, handle, object: Some(object), state: Returned::Broken };
        returning.ask();
        if matches!(returning.state, Returned::Broken | Returned::Interrupted) {
            None
        } else {
            returning.object.take()
        }
    }

    /// Takes back an object that may be in the middle of something, without asking its maker.
    #[cold]
    pub(crate) fn give_back_interrupted(&self, handle: LoanHandle, object: Boxed<M>) {
        drop_all(
            self.with(|books, now_us| books.ledger.give_back_interrupted(now_us, handle, object)),
        );
    }

    /// Wakes the calls that wait until the lender is closed.
    pub(crate) fn wake_closers(&self) {
        let closers = self.with(|books, _| std::mem::take(&mut books.closers));
        for (_, closer) in closers {
            quietly(|| closer.wake());
        }
    }
}

impl<M: Maker> Drop for Books<M> {
    fn drop(&mut self) {
        let (objects, wakers) = self.ledger.strip();
        if self.origin.is_here() {
            drop_all(objects);
        } else {
            // To close them could end the sessions of the process that they belong to.
            objects.into_iter().for_each(forget);
        }
        drop_all(wakers);
        drop_all(self.ledger.take_rubbish());
        drop_all(self.keeper.take());
        drop_all(self.closers.drain(..));
    }
}

impl<M: Maker> Books<M> {
    /// Has all objects checked before they are lent again, if the machine has slept: their servers may have closed them.
    #[inline]
    pub(crate) fn notice_sleep(&mut self, now_us: u64, clock: &Clock) {
        if self.sleep_watch.has_slept(now_us, clock) {
            self.ledger.suspect_all(now_us);
        }
    }

    /// Sets the waker of a call of `close`; returns the previous one.
    pub(crate) fn keep_closer(&mut self, call: u64, waker: Waker) -> Option<Waker> {
        if let Some((_, kept)) = self.closers.iter_mut().find(|(number, _)| *number == call) {
            return Some(std::mem::replace(kept, waker));
        }
        self.closers.push((call, waker));
        None
    }

    /// Removes the waker of a call of `close`, and returns it.
    pub(crate) fn forget_closer(&mut self, call: u64) -> Option<Waker> {
        let index = self.closers.iter().position(|(number, _)| *number == call)?;
        Some(self.closers.swap_remove(index).1)
    }
}

/// The maker's verdict on a returned object.
#[derive(Clone, Copy)]
enum Returned {
    Well,
    NeedsCheck,
    ChecksAtOnce,
    Checked,
    Interrupted,
    Broken,
}

/// An object on its way back, which ends the loan when it is dropped: broken, unless the maker has said otherwise.
struct Returning<'a, M: Maker> {
    shared: &'a Arc<Shared<M>>,
    handle: LoanHandle,
    /// `None` once the loan has ended.
    object: Option<Boxed<M>>,
    state: Returned,
}

impl<M: Maker> Returning<'_, M> {
    #[inline]
    fn ask(&mut self) {
        let Some(object) = &mut self.object else { return };
        let maker = &self.shared.maker;
        self.state = if maker.is_broken(object) {
            Returned::Broken
        } else if maker.is_interrupted(object) {
            Returned::Interrupted
        } else if maker.needs_check(object) {
            if maker.checks_at_once(object) { Returned::ChecksAtOnce } else { Returned::NeedsCheck }
        } else {
            Returned::Well
        };
    }

    /// Begins the check of the object, and ends the loan by its result if it is ready; otherwise, the keeper goes on with
    /// the check.
    fn check(&mut self) {
        let Some(object) = self.object.take() else { return };
        let shared = Arc::clone(self.shared);
        let future = Box::pin(async move {
            let mut object = Quiet::new(object);
            match shared.maker.check(&mut object).await.map_err(|error| drop_all([error])) {
                Ok(()) => Outcome::Checked(object.into_inner()),
                Err(()) => Outcome::CheckFailed(object.into_inner()),
            }
        });
        let mut job = Job { handle: self.handle, future };
        let polled = catch_unwind(AssertUnwindSafe(|| job.poll_once()));
        (self.state, self.object) = match polled {
            Ok(Poll::Ready(Outcome::Checked(object))) => (Returned::Checked, Some(object)),
            Ok(Poll::Ready(Outcome::CheckFailed(object))) => (Returned::Broken, Some(object)),
            Ok(Poll::Ready(_)) => (Returned::Broken, None),
            Ok(Poll::Pending) => {
                if let Err(job) = self.hand_over(job) {
                    drop_all([job]);
                    self.lose();
                }
                return;
            }
            Err(payload) => {
                drop_all([job]);
                self.lose();
                resume_unwind(payload);
            }
        };
        if self.object.is_some() { self.end() } else { self.lose() }
    }

    /// Has the keeper go on with a check, if there is a keeper.
    fn hand_over(&self, job: Job<M>) -> Result<(), Job<M>> {
        self.shared.with(|books, now_us| {
            if !books.ledger.has_keeper() {
                return Err(job);
            }
            books.ledger.give_back_in_check(now_us, self.handle);
            books.begun.push(job);
            Ok(())
        })
    }

    /// Ends the loan of an object that no longer exists.
    fn lose(&self) {
        self.shared.with(|books, now_us| {
            books.ledger.give_back_in_check(now_us, self.handle);
            books.ledger.lost(now_us, self.handle);
        });
    }

    /// Ends the loan by what the maker has said.
    #[inline]
    fn end(&mut self) {
        let Some(object) = self.object.take() else { return };
        let (handle, state) = (self.handle, self.state);
        let to_drop = self.shared.with(|books, now_us| match state {
            Returned::NeedsCheck => books.ledger.give_back_to_check(now_us, handle, object),
            Returned::Interrupted => books.ledger.give_back_interrupted(now_us, handle, object),
            Returned::Checked => books.ledger.give_back_checked(now_us, handle, object),
            state => {
                books.ledger.give_back(now_us, handle, object, matches!(state, Returned::Broken))
            }
        });
        drop_all(to_drop);
    }

    #[cold]
    #[inline(never)]
    fn end_early(&mut self) {
        self.end();
    }
}

impl<M: Maker> Drop for Returning<'_, M> {
    #[inline]
    fn drop(&mut self) {
        if self.object.is_some() {
            self.end_early();
        }
    }
}
