//! A lender that outlives the runtime on which its keeper was spawned, as one in a `static` that several
//! `#[tokio::test]`s use.
#![cfg(feature = "tokio")]

mod common;

use std::convert::Infallible;
use std::future::pending;
use std::sync::LazyLock;
use std::time::Duration;

use common::patient;
use millpond_lend::{Lender, Lenders, Maker, TokioTimer};
use tokio::task::JoinHandle;

/// Opens connections that live as long as a task of the runtime on which they were opened.
struct Server;

struct Connection(JoinHandle<()>);

impl Connection {
    fn works(&self) -> bool {
        !self.0.is_finished()
    }
}

impl Maker for Server {
    type Object = Connection;
    type Error = Infallible;

    async fn open(&self) -> Result<Connection, Infallible> {
        Ok(Connection(tokio::spawn(pending())))
    }

    async fn check(&self, _: &mut Connection) -> Result<(), Infallible> {
        Ok(())
    }

    fn is_broken(&self, connection: &mut Connection) -> bool {
        !connection.works()
    }
}

fn in_a_runtime<R>(test: impl Future<Output = R>) -> R {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(test)
}

#[test]
fn a_keeper_that_ended_with_its_runtime_is_told_and_leaves_no_dead_object() {
    let (lender, keeper) = patient(Lender::builder(Server)).capacity(3).build();
    let kept = in_a_runtime(async {
        tokio::spawn(keeper.run(TokioTimer));
        let mut loans = lender.acquire_many(3).await.unwrap();
        assert!(loans.iter().all(|loan| loan.works()));
        loans.pop().unwrap()
    });
    assert_eq!((lender.stats().existing, lender.stats().idle), (3, 2));
    in_a_runtime(async {
        for several in [false, true] {
            let error = if several {
                lender.acquire_many(1).await.map(drop).unwrap_err()
            } else {
                lender.acquire().await.map(drop).unwrap_err()
            };
            let told = error.to_string();
            assert!(told.starts_with("the lender's keeper is not running: it was never run, or"));
            assert!(told.contains("runtime") && told.contains("`#[tokio::test]`"), "{told}");
            assert!(told.contains("`Keeper::run_on_tokio_thread`"), "{told}");
        }
        assert!(lender.try_acquire().is_none());
    });
    drop(kept);
    // One was looked at and the other one is suspect since.
    let stats = lender.stats();
    assert_eq!((stats.idle, stats.closings.broken, lender.validate()), (1, 2, Ok(())));
}

static LENDER: LazyLock<Lender<Server>> = LazyLock::new(|| {
    let (lender, keeper) = patient(Lender::builder(Server)).capacity(1).build();
    keeper.run_on_tokio_thread().expect("a thread");
    lender
});

#[tokio::test]
async fn the_first_test_of_a_static_lender() {
    assert!(LENDER.acquire().await.unwrap().works());
}

#[tokio::test]
async fn the_second_test_of_a_static_lender() {
    assert!(LENDER.acquire().await.unwrap().works());
}

/// One runtime after the other, whatever order the tests above have.
#[test]
fn a_keeper_on_a_thread_outlives_the_runtimes_of_its_callers() {
    let (lender, keeper) = patient(Lender::builder(Server)).capacity(1).build();
    let running = keeper.run_on_tokio_thread().unwrap();
    for _ in 0..3 {
        assert!(in_a_runtime(async { lender.acquire().await.unwrap().works() }));
    }
    assert_eq!((lender.stats().opened, lender.stats().closings.total()), (1, 0));
    in_a_runtime(lender.close(Duration::from_secs(60)));
    running.join().unwrap();

    let (lenders, keeper) = patient(Lenders::builder(|_: &u8| Server)).capacity(1).build();
    let running = keeper.run_on_tokio_thread().unwrap();
    for _ in 0..3 {
        assert!(in_a_runtime(async { lenders.lender(&1).acquire().await.unwrap().works() }));
    }
    assert_eq!(lenders.lender(&1).stats().opened, 1);
    drop(lenders);
    running.join().unwrap();
}
