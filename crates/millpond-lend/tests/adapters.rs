//! Managers of other pools, and what is told to `metrics`, `tracing` and SQLite.

mod common;

#[cfg(any(feature = "deadpool", feature = "bb8", feature = "tracing"))]
use std::time::Duration;

#[cfg(any(feature = "deadpool", feature = "bb8", feature = "tracing"))]
use futures_lite::future::block_on;

#[cfg(feature = "deadpool")]
#[test]
fn a_manager_of_deadpool_is_a_maker() {
    use deadpool::managed::{Manager, Metrics, RecycleResult};
    use millpond_lend::{Lender, makers::deadpool::Deadpool};

    struct Numbers;
    impl Manager for Numbers {
        type Type = u32;
        type Error = std::io::Error;

        async fn create(&self) -> Result<u32, std::io::Error> {
            Ok(7)
        }

        async fn recycle(&self, _: &mut u32, _: &Metrics) -> RecycleResult<std::io::Error> {
            Err(deadpool::managed::RecycleError::message("worn out"))
        }
    }
    let (lender, keeper) = common::patient(Lender::builder(Deadpool(Numbers)))
        .capacity(1)
        .check_after_idle(Duration::ZERO)
        .build();
    keeper.run_on_thread().unwrap();
    assert_eq!(*block_on(lender.acquire()).unwrap(), 7);
    std::thread::sleep(std::time::Duration::from_millis(2));
    assert_eq!(*block_on(lender.acquire()).unwrap(), 7);
    assert_eq!(lender.stats().closings.check, 1);
}

/// A manager whose recycling is as its test wants it.
#[cfg(feature = "deadpool")]
#[derive(Clone, Default)]
struct Recycling {
    created: std::sync::Arc<std::sync::atomic::AtomicU32>,
    recycled: std::sync::Arc<std::sync::atomic::AtomicU32>,
    detached: std::sync::Arc<std::sync::atomic::AtomicU32>,
    /// How often recycling has to wait.
    waits: u32,
    hangs: bool,
}

#[cfg(feature = "deadpool")]
impl deadpool::managed::Manager for Recycling {
    type Type = u32;
    type Error = std::io::Error;

    async fn create(&self) -> Result<u32, std::io::Error> {
        Ok(self.created.fetch_add(1, std::sync::atomic::Ordering::SeqCst) + 1)
    }

    async fn recycle(
        &self,
        number: &mut u32,
        _: &deadpool::managed::Metrics,
    ) -> deadpool::managed::RecycleResult<std::io::Error> {
        self.recycled.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        assert!(*number < 1_000, "the manager panics, as the test wants it");
        for _ in 0..self.waits {
            tokio::task::yield_now().await;
        }
        if self.hangs {
            std::future::pending::<()>().await;
        }
        if *number == 0 { Err(deadpool::managed::RecycleError::message("dead")) } else { Ok(()) }
    }

    fn detach(&self, _: &mut u32) {
        self.detached.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
    }
}

/// A lender of one object, and its manager.
#[cfg(feature = "deadpool")]
fn recycling(
    manager: Recycling,
) -> (
    millpond_lend::Lender<millpond_lend::makers::deadpool::Deadpool<Recycling>>,
    Recycling,
    tokio::task::JoinHandle<()>,
) {
    use millpond_lend::{Lender, TokioTimer, makers::deadpool::Deadpool};

    let builder = Lender::builder(Deadpool(manager.clone())).capacity(1);
    let (lender, keeper) = common::patient(builder).build();
    let keeper = tokio::spawn(keeper.run(TokioTimer));
    (lender, manager, keeper)
}

/// However busy it is: the loans follow each other at once.
#[cfg(feature = "deadpool")]
#[test]
fn a_busy_object_of_deadpool_is_recycled_before_each_loan() {
    use std::sync::atomic::Ordering::SeqCst;

    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        for waits in [0, 2] {
            let (lender, manager, _) = recycling(Recycling { waits, ..Recycling::default() });
            for round in 1..=20 {
                let mut loan = lender.acquire().await.unwrap();
                assert_eq!(*loan, round, "the object before was dead");
                drop(loan);
                loan = lender.acquire().await.unwrap();
                assert_eq!(*loan, round, "this one works");
                *loan = 0;
            }
            // Begun once for each return, where it waits as well.
            assert_eq!(manager.recycled.load(SeqCst), 40);
            assert!(manager.detached.load(SeqCst) >= 19);
            assert_eq!(lender.validate(), Ok(()));
        }
    });
}

#[cfg(feature = "deadpool")]
#[tokio::test]
async fn recycling_that_panics_costs_its_object() {
    let (lender, _, _) = recycling(Recycling::default());
    let mut loan = lender.acquire().await.unwrap();
    *loan = 1_000;
    let dropped = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(loan)));
    assert!(dropped.is_err(), "the panic goes on in the caller");
    assert_eq!(*lender.acquire().await.unwrap(), 2);
    assert_eq!((lender.stats().closings.check, lender.validate()), (1, Ok(())));
}

/// Handed to the keeper, or with no keeper to hand it to.
#[cfg(feature = "deadpool")]
#[tokio::test]
async fn recycling_that_hangs_ends_with_the_keeper() {
    for keeper_is_first in [false, true] {
        let (lender, manager, keeper) =
            recycling(Recycling { hangs: true, ..Recycling::default() });
        let loan = lender.acquire().await.unwrap();
        if !keeper_is_first {
            drop(loan);
            tokio::task::yield_now().await;
            assert_eq!(lender.stats().checking, 1);
            keeper.abort();
            let _ = keeper.await;
        } else {
            keeper.abort();
            let _ = keeper.await;
            drop(loan);
        }
        assert_eq!(manager.recycled.load(std::sync::atomic::Ordering::SeqCst), 1);
        assert_eq!((lender.stats().existing, lender.validate()), (0, Ok(())));
    }
}

#[cfg(feature = "bb8")]
#[test]
fn a_manager_of_bb8_is_a_maker() {
    use millpond_lend::{Lender, makers::bb8::Bb8};

    struct Numbers;
    impl bb8::ManageConnection for Numbers {
        type Connection = u32;
        type Error = std::io::Error;

        async fn connect(&self) -> Result<u32, std::io::Error> {
            Ok(7)
        }

        async fn is_valid(&self, _: &mut u32) -> Result<(), std::io::Error> {
            Ok(())
        }

        fn has_broken(&self, number: &mut u32) -> bool {
            *number == 0
        }
    }
    let (lender, keeper) = common::patient(Lender::builder(Bb8(Numbers))).capacity(1).build();
    keeper.run_on_thread().unwrap();
    *block_on(lender.acquire()).unwrap() = 0;
    assert_eq!(*block_on(lender.acquire()).unwrap(), 7);
    assert_eq!(lender.stats().closings.broken, 1);
}

#[cfg(feature = "rusqlite")]
#[test]
fn sqlite_in_the_middle_of_a_transaction_is_not_lent_again() {
    use millpond_lend::{BlockingLender, makers::rusqlite::Sqlite};

    let file = std::env::temp_dir().join(format!("lend-sqlite-{}.db", std::process::id()));
    let maker = Sqlite::new(&file)
        .set_up(|connection| connection.execute_batch("create table if not exists orders (dish)"));
    let lender = common::patient(BlockingLender::builder(maker)).capacity(1).build().unwrap();
    lender.acquire().unwrap().execute_batch("begin; insert into orders values ('soup')").unwrap();
    let connection = lender.acquire().unwrap();
    let count: u32 =
        connection.query_row("select count(*) from orders", [], |row| row.get(0)).unwrap();
    assert_eq!(count, 0, "it was rolled back");
    assert_eq!(lender.stats().closings.broken, 1);
    drop(connection);
    drop(lender.close(std::time::Duration::from_secs(60)));
    std::fs::remove_file(file).unwrap();

    let nowhere = Sqlite::new("/nonexistent/orders.db");
    let lender = common::patient(BlockingLender::builder(nowhere)).build().unwrap();
    let error = lender.acquire().map(drop).unwrap_err();
    assert!(matches!(error, millpond_lend::AcquireError::Opening(_)), "{error}");
}

#[cfg(feature = "metrics")]
#[test]
fn statistics_go_to_metrics() {
    let recorder = metrics_util::debugging::DebuggingRecorder::new();
    let snapshotter = recorder.snapshotter();
    let (lender, _) = common::lender_of(|builder| builder.capacity(3));
    metrics::with_local_recorder(&recorder, || millpond_lend::publish("orders", &lender.stats()));
    let seen = snapshotter.snapshot().into_vec();
    let capacity = seen.iter().find(|(key, ..)| key.key().name() == "millpond_lend_capacity");
    let (key, _, _, value) = capacity.expect("the capacity");
    assert_eq!(key.key().labels().next().expect("a label").value(), "orders");
    assert_eq!(*value, metrics_util::debugging::DebugValue::Gauge(3.0.into()));
}

#[cfg(feature = "tracing")]
#[test]
fn a_wait_can_have_a_span() {
    let (lender, _) = common::lender_of(|builder| builder.capacity(1));
    let loan = block_on(lender.acquire_in_span()).unwrap();
    let place = lender.holders()[0].place;
    assert_eq!(place.file(), file!(), "the place is the caller's");
    drop(loan);
}

/// A recorder that looks at the lender, and lends from it, whenever something is told.
#[cfg(feature = "metrics")]
#[test]
fn a_recorder_of_metrics_may_use_the_lender() {
    use metrics::{Counter, Gauge, Histogram, Key, KeyName, Metadata, SharedString, Unit};
    use millpond_lend::Lender;

    struct Curious(Lender<common::Client>, std::sync::atomic::AtomicU64);
    impl Curious {
        fn look(&self) {
            drop(self.0.try_acquire());
            self.1.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        }
    }
    impl metrics::Recorder for Curious {
        fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
        fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
        fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
        fn register_counter(&self, _: &Key, _: &Metadata<'_>) -> Counter {
            self.look();
            Counter::noop()
        }
        fn register_gauge(&self, _: &Key, _: &Metadata<'_>) -> Gauge {
            self.look();
            Gauge::noop()
        }
        fn register_histogram(&self, _: &Key, _: &Metadata<'_>) -> Histogram {
            Histogram::noop()
        }
    }
    let (lender, _) = common::lender_of(|builder| builder.capacity(1));
    drop(common::loan_of(&lender));
    let curious = Curious(lender.clone(), 0.into());
    metrics::with_local_recorder(&curious, || millpond_lend::publish("orders", &lender.stats()));
    assert_eq!(curious.1.into_inner(), 14, "each figure once");
    assert_eq!((lender.validate(), lender.stats().loans), (Ok(()), 15));
}

/// A subscriber that looks at the lender, and lends from it, whenever a span begins, is entered or ends.
#[cfg(feature = "tracing")]
#[test]
fn a_subscriber_of_tracing_may_use_the_lender() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

    use millpond_lend::Lender;
    use tracing::span::{Attributes, Id, Record};

    struct Curious(Lender<common::Client>, Arc<AtomicU64>);
    impl Curious {
        fn look(&self) {
            drop(self.0.try_acquire());
            self.1.fetch_add(1, SeqCst);
        }
    }
    impl tracing::Subscriber for Curious {
        fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
            true
        }
        fn new_span(&self, _: &Attributes<'_>) -> Id {
            self.look();
            Id::from_u64(1)
        }
        fn record(&self, _: &Id, _: &Record<'_>) {}
        fn record_follows_from(&self, _: &Id, _: &Id) {}
        fn event(&self, _: &tracing::Event<'_>) {}
        fn enter(&self, _: &Id) {
            self.look();
        }
        fn exit(&self, _: &Id) {
            self.look();
        }
        fn try_close(&self, _: Id) -> bool {
            self.look();
            true
        }
    }
    let (lender, _) = common::lender_of(|builder| builder.capacity(1));
    drop(common::loan_of(&lender));
    let looks = Arc::new(AtomicU64::new(0));
    tracing::subscriber::with_default(Curious(lender.clone(), Arc::clone(&looks)), || {
        drop(block_on(lender.acquire_in_span()).unwrap());
    });
    assert!(looks.load(SeqCst) >= 4, "it begins, is entered, left, and ends");
    assert_eq!((lender.validate(), lender.stats().out), (Ok(()), 0));
}

/// A program may name the types of each client by the lender, and these are the same types.
#[cfg(all(
    feature = "bb8",
    feature = "deadpool",
    feature = "postgres",
    feature = "redis",
    feature = "rusqlite",
    feature = "tokio-postgres",
    feature = "tracing"
))]
#[test]
fn the_clients_are_exported() {
    fn are_the_same<T: 'static, U: 'static>() {
        assert_eq!(std::any::TypeId::of::<T>(), std::any::TypeId::of::<U>());
    }
    are_the_same::<millpond_lend::rusqlite::Connection, rusqlite::Connection>();
    are_the_same::<millpond_lend::postgres::Client, postgres::Client>();
    are_the_same::<millpond_lend::tokio_postgres::Client, tokio_postgres::Client>();
    are_the_same::<millpond_lend::redis::Client, redis::Client>();
    are_the_same::<millpond_lend::bb8::State, bb8::State>();
    are_the_same::<millpond_lend::deadpool::Status, deadpool::Status>();
    are_the_same::<millpond_lend::tracing::Span, tracing::Span>();
    are_the_same::<millpond_lend::tokio::time::Instant, tokio::time::Instant>();
}
