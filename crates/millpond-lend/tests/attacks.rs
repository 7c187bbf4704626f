//! Users' code that does its worst: futures that nobody polls, leaks, panics in `drop`, in makers and in
//! wakers, everything dropped in any order, limits of nothing.

mod common;

use std::convert::Infallible;
use std::future::Future;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::Duration;

use common::{AnyTimer, Client, Server, lender_of, loan_of, patient, poll_once, wait_until};
use futures_lite::future::block_on;
use millpond_lend::{AcquireError, BlockingLender, BlockingMaker, Lender, Maker};

/// A future that was handed an object and is not polled any more, as in a task that awaits something else
/// first ("futurelock").
#[test]
fn an_object_that_nobody_fetches_goes_to_the_next() {
    let (lender, _) =
        lender_of(|builder| builder.capacity(1).acquire_timeout(Duration::from_millis(200)));
    // On a busy machine the time of the first may be over before the loan is back.
    let (mut sleepy, in_hand, line) = (0..100)
        .find_map(|_| {
            let loan = loan_of(&lender);
            let mut sleepy = lender.acquire();
            let line = line!() - 1;
            let is_waiting = poll_once(&mut sleepy).is_pending();
            drop(loan);
            let in_hand = lender.holders();
            (is_waiting && !in_hand.is_empty()).then_some((sleepy, in_hand, line))
        })
        .expect("what comes back is in hand for the first");
    assert_eq!((in_hand.len(), in_hand[0].place.line()), (1, line), "it is named");
    // The first has a little longer to fetch it than the next waits at once.
    let next = loan_of(&lender);
    assert!(next.works());
    let Poll::Ready(Err(AcquireError::TimedOut { .. })) = poll_once(&mut sleepy) else {
        panic!("it is told that its time is over");
    };
    assert_eq!((lender.validate(), lender.stats().existing), (Ok(()), 1));
}

#[test]
fn a_leaked_future_does_not_keep_its_object() {
    let (lender, _) =
        lender_of(|builder| builder.capacity(2).acquire_timeout(Duration::from_millis(500)));
    let loans = [loan_of(&lender), loan_of(&lender)];
    let timed_out = lender.stats().timed_out;
    let mut many = lender.acquire_many(2);
    assert!(poll_once(&mut many).is_pending());
    drop(loans);
    mem::forget(many);
    wait_until("both are idle", || lender.stats().idle == 2);
    assert_eq!((lender.validate(), lender.stats().timed_out), (Ok(()), timed_out + 1));
    // A loan that is leaked keeps its place, and its line is named.
    mem::forget(block_on(lender.acquire()).unwrap());
    let line = line!() - 1;
    let error = block_on(lender.acquire_many(2)).unwrap_err();
    let AcquireError::TimedOut { holders: [Some(holder), ..], .. } = error else {
        panic!("{error}");
    };
    assert_eq!(holder.place.line(), line);
}

/// Panics when it is dropped, if it is told to.
struct Bomb(Arc<AtomicBool>);

impl Drop for Bomb {
    fn drop(&mut self) {
        assert!(!self.0.load(SeqCst) || thread::panicking(), "a bomb, as the test wants it");
    }
}

/// Lends bombs; opening can hang with one in hand.
struct Bombs {
    is_armed: Arc<AtomicBool>,
    hangs: Arc<AtomicBool>,
    begun: Arc<AtomicU64>,
}

impl Maker for Bombs {
    type Object = Bomb;
    type Error = Infallible;

    async fn open(&self) -> Result<Bomb, Infallible> {
        self.begun.fetch_add(1, SeqCst);
        let bomb = Bomb(Arc::clone(&self.is_armed));
        if self.hangs.load(SeqCst) {
            std::future::pending::<()>().await;
        }
        Ok(bomb)
    }

    async fn check(&self, _: &mut Bomb) -> Result<(), Infallible> {
        Ok(())
    }
}

#[test]
fn the_keeper_survives_what_panics_in_drop() {
    let [is_armed, hangs] = [true, true].map(|is_so| Arc::new(AtomicBool::new(is_so)));
    let begun = Arc::new(AtomicU64::new(0));
    let maker = Bombs {
        is_armed: Arc::clone(&is_armed),
        hangs: Arc::clone(&hangs),
        begun: Arc::clone(&begun),
    };
    let builder = patient(Lender::builder(maker))
        .capacity(1)
        .open_timeout(Duration::from_millis(20))
        .backoff(Duration::from_millis(1), Duration::from_millis(2));
    let (lender, keeper) = builder.build();
    keeper.run_on_thread().unwrap();
    let mut caller = lender.acquire();
    assert!(poll_once(&mut caller).is_pending());
    // Openings are given up: their futures panic in drop.
    wait_until("two are given up", || begun.load(SeqCst) > 2);
    hangs.store(false, SeqCst);
    let loan = block_on(caller).expect("the keeper goes on");
    // Closing panics.
    loan.discard();
    wait_until("it is closed", || lender.stats().existing == 0);
    let loan = block_on(lender.acquire()).expect("the keeper goes on");
    assert!(catch_unwind(AssertUnwindSafe(|| drop(loan.detach()))).is_err(), "it is the caller's");
    drop(block_on(lender.acquire()).expect("the keeper goes on"));
    assert_eq!(lender.validate(), Ok(()));
    drop(block_on(lender.close(Duration::from_secs(60))));
    assert_eq!(lender.stats().existing, 0);
}

/// Those who wait are told that the keeper is gone, though what it was doing panics in drop.
#[test]
fn a_keeper_that_is_dropped_with_a_bomb_in_hand_says_so() {
    let [is_armed, hangs] = [true, true].map(|is_so| Arc::new(AtomicBool::new(is_so)));
    let maker = Bombs { is_armed, hangs, begun: Arc::default() };
    let (lender, keeper) = patient(Lender::builder(maker)).capacity(3).build();
    let mut keeper: Pin<Box<dyn Future<Output = ()>>> = Box::pin(keeper.run(AnyTimer));
    let mut callers = [lender.acquire(), lender.acquire()];
    assert!(callers.iter_mut().all(|caller| poll_once(caller).is_pending()));
    assert!(poll_once(&mut keeper).is_pending());
    assert_eq!(lender.stats().opening, 2);
    let _ = catch_unwind(AssertUnwindSafe(|| drop(keeper)));
    for mut caller in callers {
        let Poll::Ready(Err(error)) = poll_once(&mut caller) else { panic!("told at once") };
        assert!(matches!(error, AcquireError::NoKeeper), "{error}");
    }
    assert_eq!((lender.validate(), lender.stats().existing), (Ok(()), 0));
}

struct BadBell;

impl Wake for BadBell {
    fn wake(self: Arc<Self>) {
        panic!("a waker that panics, as the test wants it");
    }
}

#[test]
fn a_waker_that_panics_takes_nobody_along() {
    let (lender, _) = lender_of(|builder| builder.capacity(2));
    let loans = block_on(lender.acquire_many(2)).unwrap();
    let mut bad = lender.acquire();
    let waker = Waker::from(Arc::new(BadBell));
    assert!(Pin::new(&mut bad).poll(&mut Context::from_waker(&waker)).is_pending());
    thread::scope(|scope| {
        let good = scope.spawn(|| block_on(lender.acquire()).is_ok());
        wait_until("both wait", || lender.stats().waiting == 2);
        drop(loans);
        assert!(good.join().unwrap());
    });
    let Poll::Ready(Ok(loan)) = poll_once(&mut bad) else { panic!("its answer is there") };
    drop(loan);
    // Work for the keeper and a caller who panics, in one step: the keeper is woken all the same.
    let mut bad = lender.acquire_many(2);
    assert!(poll_once(&mut bad).is_ready());
    lender.evict_all();
    wait_until("all are closed", || lender.stats().existing == 0);
    assert_eq!(lender.validate(), Ok(()));
}

/// Callers whose wakers panic wait for an opening, for a loan, and when the lender is closed: the keeper goes on, and
/// no second panic ends the program.
#[test]
fn the_keeper_survives_wakers_that_panic() {
    let (lender, server) = lender_of(|builder| builder.capacity(1));
    // Longer than a busy machine stops this thread in the middle of a poll.
    server.open_ms.store(300, SeqCst);
    let waker = Waker::from(Arc::new(BadBell));
    let mut cx = Context::from_waker(&waker);
    let mut callers: [_; 2] = std::array::from_fn(|_| lender.acquire());
    for caller in &mut callers {
        assert!(Pin::new(caller).poll(&mut cx).is_pending());
    }
    let [mut first, mut second] = callers;
    wait_until("the keeper has woken the first", || lender.stats().out == 1);
    let Poll::Ready(Ok(loan)) = poll_once(&mut first) else { panic!("it is open") };
    drop(loan);
    let Poll::Ready(Ok(loan)) = poll_once(&mut second) else { panic!("it was handed over") };
    loan.discard();
    let loan = loan_of(&lender);
    let mut waiting: [_; 2] = std::array::from_fn(|_| lender.acquire());
    for caller in &mut waiting {
        assert!(Pin::new(caller).poll(&mut cx).is_pending());
    }
    let mut closing = Box::pin(lender.close(Duration::from_secs(60)));
    assert!(closing.as_mut().poll(&mut cx).is_pending());
    for mut caller in waiting {
        assert!(matches!(poll_once(&mut caller), Poll::Ready(Err(AcquireError::Closed))));
    }
    drop(loan);
    assert!(block_on(closing).still_out.is_empty());
    assert_eq!((lender.validate(), lender.stats().existing), (Ok(()), 0));
}

/// An error that panics when it is dropped.
#[derive(Debug)]
struct BadError;

impl std::fmt::Display for BadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("bad")
    }
}

impl std::error::Error for BadError {}

impl Drop for BadError {
    fn drop(&mut self) {
        assert!(thread::panicking(), "an error that panics, as the test wants it");
    }
}

/// Fails so many times, then opens.
struct Fails(AtomicU64);

impl Maker for Fails {
    type Object = ();
    type Error = BadError;

    async fn open(&self) -> Result<(), BadError> {
        let failed = self.0.fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1));
        failed.map_or(Ok(()), |_| Err(BadError))
    }

    async fn check(&self, _: &mut ()) -> Result<(), BadError> {
        Ok(())
    }
}

#[test]
fn the_keeper_survives_errors_that_panic_in_drop() {
    let builder = patient(Lender::builder(Fails(AtomicU64::new(3))))
        .capacity(1)
        .backoff(Duration::from_millis(1), Duration::from_millis(2));
    let (lender, keeper) = builder.build();
    keeper.run_on_thread().unwrap();
    drop(block_on(lender.acquire()).expect("the fourth attempt"));
    assert_eq!((lender.validate(), lender.stats().open_failed), (Ok(()), 3));
}

/// What a lender consists of, dropped in each of the 120 orders.
#[test]
fn dropped_in_any_order_nothing_is_left() {
    for order in permutations(5) {
        let server = Arc::new(Server::default());
        let (lender, keeper) =
            patient(Lender::builder(Client(Arc::clone(&server)))).capacity(2).build();
        let mut keeper: Pin<Box<dyn Future<Output = ()>>> = Box::pin(keeper.run(AnyTimer));
        let lender = Box::leak(Box::new(lender));
        let mut first = lender.acquire();
        assert!(poll_once(&mut first).is_pending());
        assert!(poll_once(&mut keeper).is_pending());
        let Poll::Ready(Ok(loan)) = poll_once(&mut first) else { panic!("it is open") };
        drop(first);
        let other = loop {
            match poll_once(&mut lender.acquire()) {
                Poll::Ready(Ok(loan)) => break loan,
                Poll::Ready(Err(error)) => panic!("{error}"),
                Poll::Pending => assert!(poll_once(&mut keeper).is_pending()),
            }
        };
        let mut waiting = lender.acquire();
        assert!(poll_once(&mut waiting).is_pending());
        let mut many = lender.acquire_many(2);
        assert!(poll_once(&mut many).is_pending());
        let mut parts: [Option<Box<dyn Send>>; 4] = [
            Some(Box::new(loan)),
            Some(Box::new(other)),
            Some(Box::new(waiting)),
            Some(Box::new(many)),
        ];
        let mut keeper = Some(keeper);
        for part in &order {
            match parts.get_mut(*part) {
                Some(part) => drop(part.take()),
                None => drop(keeper.take()),
            }
            assert_eq!(lender.validate(), Ok(()), "{order:?}");
        }
        lender.evict_all();
        assert_eq!((server.existing(), lender.stats().existing), (0, 0), "{order:?}");
    }
}

fn permutations(count: usize) -> Vec<Vec<usize>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let shorter = permutations(count - 1);
    let with_last = |order: &Vec<usize>, place: usize| {
        let mut order = order.clone();
        order.insert(place, count - 1);
        order
    };
    shorter.iter().flat_map(|order| (0..count).map(move |place| with_last(order, place))).collect()
}

/// A mistake of the program's, which is told where it is made.
#[test]
fn every_builder_refuses_a_capacity_of_nothing() {
    let told = |build: Box<dyn FnOnce() + std::panic::UnwindSafe>| {
        let panic = std::panic::catch_unwind(build).expect_err("it is refused");
        panic.downcast_ref::<&str>().map_or_else(
            || panic.downcast_ref::<String>().expect("text").clone(),
            |text| (*text).to_owned(),
        )
    };
    let one = "a lender with a capacity of 0 can lend nothing: set `capacity` to 1 or more";
    let lender = told(Box::new(|| drop(lender_of(|builder| builder.capacity(0)))));
    assert_eq!(lender, one);
    let tenants = |capacity, total| {
        let builder = millpond_lend::Lenders::builder(|_: &u8| Client::default());
        drop(builder.capacity(capacity).capacity_total(total).build());
    };
    assert_eq!(told(Box::new(move || tenants(0, 3))), one);
    let total =
        "lenders with a total capacity of 0 can lend nothing: set `capacity_total` to 1 or more";
    assert_eq!(told(Box::new(move || tenants(3, 0))), total);
}

#[test]
fn limits_of_nothing_are_an_answer_and_no_panic() {
    let nothing = |capacity: usize| {
        lender_of(|builder| {
            builder
                .capacity(capacity)
                .acquire_timeout(Duration::ZERO)
                .open_timeout(Duration::ZERO)
                .check_after_idle(Duration::ZERO)
                .check_timeout(Duration::ZERO)
                .close_timeout(Duration::ZERO)
                .lifetime(Duration::ZERO)
                .idle_timeout(Duration::ZERO)
                .openings_max(0)
                .waiters_max(0)
                .backoff(Duration::ZERO, Duration::ZERO)
        })
    };
    let (lender, _) = nothing(1);
    assert_eq!(lender.set_capacity(0), 0);
    let error = block_on(lender.acquire()).unwrap_err();
    assert!(matches!(error, AcquireError::NoCapacity), "{error}");
    assert!(error.to_string().contains("`set_capacity`"), "it says what to do: {error}");
    assert_eq!(block_on(lender.acquire_many(0)).unwrap().len(), 0);
    assert_eq!(lender.set_capacity(usize::MAX), 1, "what memory was taken for");
    let (lender, _) = nothing(1);
    for _ in 0..50 {
        match block_on(lender.acquire()) {
            Ok(loan) => drop(loan),
            Err(AcquireError::TimedOut { .. }) => {}
            Err(error) => panic!("{error}"),
        }
        assert_eq!(lender.validate(), Ok(()));
    }
    let error = block_on(lender.acquire_many(usize::MAX)).unwrap_err();
    assert!(matches!(error, AcquireError::TooMany { asked: usize::MAX, .. }), "{error}");
    assert!(block_on(lender.close(Duration::MAX)).still_out.is_empty());
}

/// Threads read the clock before they lock, so the times that they bring go back and forth.
#[test]
fn time_never_goes_back_for_the_books() {
    let (lender, _) = lender_of(|builder| builder.capacity(2).waiters_max(64));
    thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                for _ in 0..3_000 {
                    let mut caller = lender.acquire();
                    let _ = poll_once(&mut caller);
                    assert_eq!(lender.validate(), Ok(()));
                }
            });
        }
    });
}

/// Futures that are leaked while they wait: their places in the books are used again.
#[test]
fn leaked_futures_use_up_no_places() {
    let (lender, _) = lender_of(|builder| {
        builder.capacity(1).waiters_max(2).acquire_timeout(Duration::from_millis(1))
    });
    let loan = loan_of(&lender);
    let mut late = lender.acquire();
    while poll_once(&mut late).is_ready() {
        late = lender.acquire();
    }
    for leaks in 0..50 {
        wait_until("the one before has timed out", || lender.stats().waiting == 0);
        let mut leaked = lender.acquire();
        match poll_once(&mut leaked) {
            Poll::Pending => mem::forget(leaked),
            // A busy machine may take longer than it waits, in the middle of the poll.
            Poll::Ready(Err(AcquireError::TimedOut { .. })) => {}
            Poll::Ready(answer) => panic!("{:?} after {leaks}", answer.map(drop)),
        }
        assert_eq!(lender.validate(), Ok(()));
    }
    // The first was forgotten, and is told nevertheless.
    let Poll::Ready(Err(AcquireError::TimedOut { holders: [Some(holder), ..], .. })) =
        poll_once(&mut late)
    else {
        panic!("its time is over")
    };
    assert_eq!(holder.handle, loan.handle());
    drop(late);
    drop(loan);
    wait_until("it is idle", || lender.stats().idle == 1);
    assert!(lender.try_acquire().is_some());
}

/// Closing while objects are being opened, by makers that never end, that fail, or that panic.
#[test]
fn closing_ends_openings() {
    for fault in 0..4 {
        let (lender, server) = lender_of(|builder| builder.capacity(4));
        match [&server.hangs, &server.panics, &server.is_down].get(fault) {
            Some(fault) => fault.store(true, SeqCst),
            None => server.open_ms.store(60_000, SeqCst),
        }
        let mut callers: Vec<_> = (0..8).map(|_| lender.acquire()).collect();
        assert!(callers.iter_mut().all(|caller| poll_once(caller).is_pending()));
        wait_until("one is being opened", || server.begun.load(SeqCst) > 0);
        let report = block_on(lender.close(Duration::from_secs(60)));
        assert!(report.still_out.is_empty());
        for mut caller in callers {
            let Poll::Ready(Err(error)) = poll_once(&mut caller) else { panic!("told at once") };
            assert!(matches!(error, AcquireError::Closed), "{error}");
        }
        assert_eq!((lender.validate(), lender.stats().existing), (Ok(()), 0));
        wait_until("none exists", || server.existing() == 0);
    }
}

/// A call that blocks for ever cannot be ended: it keeps its thread, but there are not more and more.
#[test]
fn blocking_makers_that_never_return_take_a_bounded_number_of_threads() {
    let gate = Arc::new((Mutex::new(true), Condvar::new()));
    let begun = Arc::new(AtomicU64::new(0));
    let maker = Stuck { is_shut: Arc::clone(&gate), begun: Arc::clone(&begun) };
    let lender = patient(BlockingLender::builder(maker))
        .capacity(8)
        .openings_max(8)
        .open_timeout(Duration::from_millis(1))
        .backoff(Duration::ZERO, Duration::ZERO)
        .build()
        .unwrap();
    thread::scope(|scope| {
        let waiting = scope.spawn(|| lender.acquire().map(drop));
        wait_until("all threads have begun", || begun.load(SeqCst) == 256);
        let given_up = lender.stats().open_failed;
        wait_until("many more are given up", || lender.stats().open_failed > given_up + 1_000);
        assert_eq!(begun.load(SeqCst), 256);
        *gate.0.lock().unwrap() = false;
        gate.1.notify_all();
        waiting.join().unwrap().expect("the calls return");
    });
    assert_eq!(lender.validate(), Ok(()));
}

struct Stuck {
    is_shut: Arc<(Mutex<bool>, Condvar)>,
    begun: Arc<AtomicU64>,
}

impl BlockingMaker for Stuck {
    type Object = u8;
    type Error = Infallible;

    fn open(&self) -> Result<u8, Infallible> {
        self.begun.fetch_add(1, SeqCst);
        let (is_shut, opens) = &*self.is_shut;
        let _open = opens.wait_while(is_shut.lock().unwrap(), |is_shut| *is_shut).unwrap();
        Ok(0)
    }

    fn check(&self, _: &mut u8) -> Result<(), Infallible> {
        Ok(())
    }
}
