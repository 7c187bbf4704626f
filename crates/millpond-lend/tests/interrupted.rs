//! Objects that come back in the middle of something: nobody gets the answer that was meant for another caller.

mod common;

use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::Poll;

use common::{patient, poll_once};
use futures_lite::future::block_on;
use millpond_lend::{
    BlockingLender, BlockingMaker, Exchange, Lender, Lenders, Loan, Maker, Threaded, TokioTimer,
};

/// A connection of a line protocol: the server answers in the order of the questions.
#[derive(Debug, Default)]
struct Line {
    answers: VecDeque<u32>,
}

impl Line {
    fn send(&mut self, question: u32) {
        self.answers.push_back(question * 10);
    }

    fn receive_now(&mut self) -> u32 {
        self.answers.pop_front().expect("an answer to each question")
    }

    /// The answer is there at the second look.
    async fn receive(&mut self) -> u32 {
        let mut looks = 0;
        poll_fn(|cx| {
            looks += 1;
            cx.waker().wake_by_ref();
            if looks > 1 { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
        self.receive_now()
    }
}

struct Lines;

impl BlockingMaker for Lines {
    type Object = Line;
    type Error = Infallible;

    fn open(&self) -> Result<Line, Infallible> {
        Ok(Line::default())
    }

    fn check(&self, _: &mut Line) -> Result<(), Infallible> {
        Ok(())
    }
}

impl Maker for Lines {
    type Object = Line;
    type Error = Infallible;

    async fn open(&self) -> Result<Line, Infallible> {
        Ok(Line::default())
    }

    async fn check(&self, _: &mut Line) -> Result<(), Infallible> {
        Ok(())
    }
}

async fn ask<M: Maker<Object = Line>>(lender: &Lender<M>, question: u32) -> u32 {
    let mut loan = lender.acquire().await.expect("a loan");
    let mut line = loan.exchange();
    line.send(question);
    let answer = line.receive().await;
    line.finish();
    answer
}

/// As without the lender's help.
async fn ask_carelessly(lender: &Lender<Lines>, question: u32) -> u32 {
    let mut loan = lender.acquire().await.expect("a loan");
    loan.send(question);
    loan.receive().await
}

fn lender_of_one<M: Maker>(maker: M) -> Lender<M> {
    let (lender, keeper) = patient(Lender::builder(maker)).capacity(1).build();
    keeper.run_on_thread().unwrap();
    lender
}

fn is_interrupted<M: Maker>(lender: &Lender<M>, times: u64) {
    let closings = lender.stats().closings;
    assert_eq!((closings.interrupted, closings.total()), (times, times));
    assert_eq!(lender.validate(), Ok(()));
}

/// Cancels a request between its question and its answer.
fn cancel(request: impl Future<Output = u32>) {
    let mut request = Box::pin(request);
    assert!(poll_once(&mut request).is_pending());
}

#[test]
fn a_cancelled_request_leaves_no_answer_to_the_next() {
    fn of<M: Maker<Object = Line>>(lender: &Lender<M>) {
        assert_eq!(block_on(ask(lender, 1)), 10);
        cancel(ask(lender, 2));
        assert_eq!(block_on(ask(lender, 3)), 30);
        is_interrupted(lender, 1);
    }
    of::<Lines>(&lender_of_one(Lines));
    of(&lender_of_one(Threaded::new(Lines)));
    let (lenders, keeper) =
        patient(Lenders::builder(|_: &u8| Threaded::new(Lines))).capacity(1).build();
    keeper.run_on_thread().unwrap();
    of(&lenders.lender(&1));

    // What the lender cannot see, the next caller gets.
    let lender = lender_of_one::<Lines>(Lines);
    assert_eq!(block_on(ask_carelessly(&lender, 1)), 10);
    cancel(ask_carelessly(&lender, 2));
    assert_eq!(block_on(ask_carelessly(&lender, 3)), 20);
}

#[test]
fn an_early_return_counts_as_unfinished() {
    let lender = lender_of_one::<Lines>(Lines);
    let fails = |loan: &mut Loan<Lines>| -> Result<u32, String> {
        let mut line = loan.exchange();
        line.send(1);
        Err("the question was wrong".to_owned())?;
        let answer = line.receive_now();
        line.finish();
        Ok(answer)
    };
    assert!(fails(&mut block_on(lender.acquire()).unwrap()).is_err());
    is_interrupted(&lender, 1);
    assert_eq!(block_on(ask(&lender, 3)), 30);
}

/// Exchanges one after the other on one loan: the last one counts.
#[test]
fn a_loan_has_as_many_exchanges_as_its_caller_wants() {
    let lender = lender_of_one::<Lines>(Lines);
    let mut loan = block_on(lender.acquire()).unwrap();
    for question in 1..4 {
        let mut line: Exchange<'_, Lines> = loan.exchange();
        assert!(line.answers.is_empty());
        line.send(question);
        assert_eq!(line.receive_now(), question * 10);
        line.finish();
    }
    drop(loan);
    is_interrupted(&lender, 0);
    let mut loan = block_on(lender.acquire()).unwrap();
    loan.exchange().finish();
    drop(loan.exchange());
    let handle = loan.handle();
    drop(loan);
    is_interrupted(&lender, 1);
    // Detached and discarded objects are their caller's business.
    let mut loan = block_on(lender.acquire()).unwrap();
    assert_ne!(loan.handle(), handle);
    drop(loan.exchange());
    loan.discard();
    let mut loan = block_on(lender.acquire()).unwrap();
    drop(loan.exchange());
    drop(loan.detach());
    let closings = lender.stats().closings;
    assert_eq!((closings.interrupted, closings.discarded, closings.detached), (1, 1, 1));
}

#[test]
fn a_thread_that_panics_leaves_its_object_to_nobody() {
    let lender = patient(BlockingLender::builder(Lines)).capacity(2).build().unwrap();
    let mut both = lender.acquire_many(2).unwrap();
    both[0].send(1);
    let panics = catch_unwind(AssertUnwindSafe(move || {
        let _both = both;
        panic!("between question and answer, as the test wants it");
    }));
    assert!(panics.is_err());
    assert_eq!(lender.stats().closings.interrupted, 2);
    let mut loan = lender.acquire().unwrap();
    loan.send(2);
    assert_eq!(loan.receive_now(), 20);
    // A panic that is over before the loan ends is none of its business.
    assert!(catch_unwind(|| panic!("as the test wants it")).is_err());
    drop(loan);
    assert_eq!((lender.stats().closings.total(), lender.stats().idle), (2, 1));
    assert_eq!(lender.validate(), Ok(()));
}

/// A task of tokio that panics, and one that is aborted.
#[test]
fn tasks_that_panic_or_are_aborted_leave_their_objects_to_nobody() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let (lender, keeper) = patient(Lender::builder(Lines)).capacity(1).build();
        tokio::spawn(keeper.run(TokioTimer));
        let panicking: Lender<Lines> = lender.clone();
        let panics = tokio::spawn(async move {
            let mut loan = panicking.acquire().await.expect("a loan");
            loan.send(1);
            panic!("as the test wants it");
        });
        assert!(panics.await.unwrap_err().is_panic());
        let hanging = lender.clone();
        let hangs = tokio::spawn(async move {
            let mut loan = hanging.acquire().await.expect("a loan");
            let mut line = loan.exchange();
            line.send(2);
            std::future::pending::<()>().await;
            line.finish();
        });
        while lender.stats().loans < 2 {
            tokio::task::yield_now().await;
        }
        hangs.abort();
        assert!(hangs.await.unwrap_err().is_cancelled());
        assert_eq!(ask(&lender, 3).await, 30);
        is_interrupted(&lender, 2);
    });
}

/// Without a keeper, the object is dropped where the loan ends.
#[test]
fn an_interrupted_object_needs_no_keeper() {
    let (lender, keeper) = patient(Lender::builder(Lines)).capacity(1).build();
    let mut keeper = Box::pin(keeper.run(common::AnyTimer));
    let mut caller = lender.acquire();
    let mut loan = loop {
        if let Poll::Ready(loan) = poll_once(&mut caller) {
            break loan.unwrap();
        }
        assert!(poll_once(&mut keeper).is_pending());
    };
    drop(keeper);
    loan.exchange().send(1);
    drop(loan);

    is_interrupted(&lender, 1);
}
