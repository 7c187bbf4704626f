//! Every interleaving of a return, a caller who gives up, and a time-out, as loom finds them:
//! `RUSTFLAGS='--cfg millpond_loom' CARGO_TARGET_DIR=target/loom cargo test -p millpond-lend --test loom --release`
#![cfg(millpond_loom)]

mod common;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use common::{Client, Server, poll_once};
use loom::thread;
use millpond_lend::{AcquireError, Lender, Timer};

/// The keeper is polled by hand.
struct Never;

impl Timer for Never {
    async fn sleep_until(&self, _: Instant) {
        std::future::pending().await
    }
}

type Keeper = Pin<Box<dyn Future<Output = ()> + Send>>;

fn poll(keeper: &mut Keeper) {
    let mut cx = Context::from_waker(Waker::noop());
    let _ = keeper.as_mut().poll(&mut cx);
}

/// A lender with one object, which is open and idle.
fn lender(acquire_timeout_ms: u64) -> (Lender<Client>, Keeper, Arc<Server>) {
    let server = Arc::new(Server::default());
    let (lender, keeper) = Lender::builder(Client(Arc::clone(&server)))
        .capacity(1)
        .idle_min(1)
        .acquire_timeout_ms(acquire_timeout_ms)
        .check_after_idle_ms(1_000_000)
        .build();
    let mut keeper: Keeper = Box::pin(keeper.run(Never));
    poll(&mut keeper);
    assert_eq!(lender.stats().idle, 1);
    (lender, keeper, server)
}

#[test]
fn a_return_against_a_caller_who_waits() {
    loom::model(|| {
        let (lender, _keeper, server) = lender(1_000_000);
        let loan = lender.try_acquire().unwrap();
        let waiter = {
            let lender = lender.clone();
            thread::spawn(move || drop(loom::future::block_on(lender.acquire()).unwrap()))
        };
        drop(loan);
        waiter.join().unwrap();
        assert!(lender.try_acquire().is_some());
        assert_eq!(server.opened.load(SeqCst), 1);
    });
}

#[test]
fn a_return_against_a_cancel() {
    loom::model(|| {
        let (lender, _keeper, _) = lender(1_000_000);
        let loan = lender.try_acquire().unwrap();
        let impatient = {
            let lender = lender.clone();
            thread::spawn(move || {
                let mut caller = lender.acquire();
                let _ = poll_once(&mut caller);
            })
        };
        drop(loan);
        impatient.join().unwrap();
        assert!(lender.try_acquire().is_some(), "the object is lost");
    });
}

#[test]
fn a_return_against_a_cancel_and_a_time_out() {
    loom::model(|| {
        let (lender, mut keeper, server) = lender(0);
        let loan = lender.try_acquire().unwrap();
        let impatient = {
            let lender = lender.clone();
            thread::spawn(move || {
                let mut caller = lender.acquire();
                match poll_once(&mut caller) {
                    Poll::Pending => match poll_once(&mut caller) {
                        Poll::Ready(Err(error)) => {
                            assert!(matches!(error, AcquireError::TimedOut { .. }));
                        }
                        Poll::Ready(Ok(_)) | Poll::Pending => {}
                    },
                    Poll::Ready(Ok(_)) => {}
                    Poll::Ready(Err(error)) => {
                        assert!(matches!(error, AcquireError::TimedOut { .. }));
                    }
                }
            })
        };
        let returning = thread::spawn(move || drop(loan));
        poll(&mut keeper);
        impatient.join().unwrap();
        returning.join().unwrap();
        poll(&mut keeper);
        assert!(lender.try_acquire().is_some(), "the object is lost");
        assert_eq!((server.opened.load(SeqCst), lender.stats().waiting), (1, 0));
    });
}
