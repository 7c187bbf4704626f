//! Every future is dropped after its k-th poll, for all k, and nothing is lost: no object, no place, and
//! the next caller is served.

mod common;

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::task::{Context, Waker};
use std::time::Duration;

use common::{AnyTimer, Client, Server, patient, poll_once};
use futures_lite::future::{block_on, yield_now};
use millpond_lend::{AcquireError, Lender};

/// Polls a future `times` times while the keeper runs beside it, then drops it. Returns whether it was
/// ready before.
async fn poll_and_drop<F: Future>(future: F, times: usize) -> bool {
    let mut future = pin!(future);
    for _ in 0..times {
        if future.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready() {
            return true;
        }
        yield_now().await;
    }
    false
}

fn run(test: impl Future<Output = ()>, keeper: impl Future<Output = ()>) {
    block_on(futures_lite::future::or(test, async {
        keeper.await;
        std::future::pending().await
    }));
}

fn lender(capacity: usize) -> (Lender<Client>, impl Future<Output = ()>, Arc<Server>) {
    let server = Arc::new(Server::default());
    let builder = patient(Lender::builder(Client(Arc::clone(&server)))).capacity(capacity);
    let (lender, keeper) = builder.build();
    (lender, keeper.run(AnyTimer), server)
}

#[test]
fn acquire_is_dropped_after_each_poll() {
    for polls in 0..12 {
        let (lender, keeper, server) = lender(1);
        let mut ready = false;
        run(
            async {
                ready = poll_and_drop(lender.acquire(), polls).await;
                let loan = lender.acquire().await.unwrap();
                assert!(loan.works());
                drop(loan);
                assert_eq!((lender.stats().idle, lender.stats().existing), (1, 1), "{polls} polls");
                assert_eq!(lender.stats().waiting, 0);
            },
            keeper,
        );
        assert!(polls != 11 || ready, "the last one is polled to its end");
        assert_eq!(server.opened.load(SeqCst), 1);
    }
}

#[test]
fn acquire_many_is_dropped_after_each_poll_with_some_in_hand() {
    for polls in 0..20 {
        let (lender, keeper, _) = lender(3);
        let mut ready = false;
        run(
            async {
                let first = lender.acquire().await.unwrap();
                ready = poll_and_drop(lender.acquire_many(2), polls).await;
                let others = lender.acquire_many(2).await.unwrap();
                drop((first, others));
                assert_eq!(lender.stats().idle, lender.stats().existing, "{polls} polls");
            },
            keeper,
        );
        assert!(polls != 19 || ready, "the last one is polled to its end");
    }
}

#[test]
fn an_object_in_hand_goes_to_the_next() {
    let (lender, keeper, _) = lender(1);
    run(
        async {
            let loan = lender.acquire().await.unwrap();
            let mut first = lender.acquire();
            let mut second = lender.acquire();
            assert!(poll_once(&mut first).is_pending());
            assert!(poll_once(&mut second).is_pending());
            drop(loan);
            drop(first);
            assert!(poll_once(&mut second).is_ready());
            assert_eq!(lender.stats().cancelled, 1);
        },
        keeper,
    );
}

#[test]
fn close_is_dropped_after_each_poll_and_closes_all_the_same() {
    for polls in 0..8 {
        let (lender, keeper, server) = lender(2);
        run(
            async {
                let loans = lender.acquire_many(2).await.unwrap();
                poll_and_drop(lender.close(Duration::from_secs(20)), polls).await;
                drop(loans);
                if polls == 0 {
                    // A future that was never polled has done nothing.
                    assert!(lender.acquire().await.is_ok());
                    return;
                }
                assert!(matches!(lender.acquire().await, Err(AcquireError::Closed)));
                while server.existing() > 0 {
                    yield_now().await;
                }
            },
            keeper,
        );
    }
}

#[test]
fn the_keeper_is_dropped_after_each_poll() {
    for polls in 0..12 {
        let (lender, keeper, server) = lender(2);
        let mut caller = lender.acquire();
        assert!(poll_once(&mut caller).is_pending());
        block_on(poll_and_drop(keeper, polls));
        match block_on(caller) {
            Ok(loan) => drop(loan),
            Err(error) => assert!(matches!(error, AcquireError::NoKeeper), "{error}"),
        }
        assert_eq!(lender.stats().existing as u64, server.existing());
        drop(lender);
        assert_eq!(server.existing(), 0, "{polls} polls");
    }
}
