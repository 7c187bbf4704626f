//! What the guide's page says of poolers, with a real pgbouncer that gives each transaction another session. What is not
//! installed is reported as not run.
#![cfg(all(feature = "tokio-postgres", feature = "postgres"))]

#[path = "common/pgbouncer.rs"]
mod pgbouncer;
#[path = "common/postgres_server.rs"]
mod postgres_server;

use std::time::Duration;

use millpond_lend::makers::postgres::Postgres as Blocking;
use millpond_lend::makers::tokio_postgres::Postgres;
use millpond_lend::{AcquireError, BlockingLender, Lender, TokioTimer};
use pgbouncer::Pooler;
use postgres_server::{Server, with_server};
use tokio_postgres::Config;
use tokio_postgres::types::Type;

/// After so many loans, a caller has long met another session.
const ROUNDS: usize = 10_000;

/// Runs a test behind a pooler with two sessions, or says why not.
fn behind_pooler(name: &str, mode: &str, test: impl AsyncFnOnce(&Pooler, &Server)) {
    with_server(name, "", async |server| match Pooler::start(server, mode, 2) {
        Ok(pooler) => test(&pooler, server).await,
        Err(why) => eprintln!("not run: {why}"),
    });
}

fn lender_of(maker: Postgres) -> Lender<Postgres> {
    let builder = Lender::builder(maker).capacity(4).idle_min(4);
    let (lender, keeper) = builder.acquire_timeout(Duration::from_millis(60_000)).build();
    tokio::spawn(keeper.run(TokioTimer));
    lender
}

/// Four callers at once, so that the pooler's sessions change hands; returns how many calls failed.
async fn failed(
    lender: &Lender<Postgres>,
    call: impl AsyncFn(&mut millpond_lend::Loan<Postgres>) -> Result<(), tokio_postgres::Error>,
) -> usize {
    let one = async || {
        let mut failed = 0;
        for _ in 0..25 {
            let mut loan = lender.acquire().await.expect("a loan");
            failed += usize::from(call(&mut loan).await.is_err());
            tokio::task::yield_now().await;
        }
        failed
    };
    let (a, b, c, d) = tokio::join!(one(), one(), one(), one());
    a + b + c + d
}

#[test]
fn transactions_texts_and_typed_queries_work_behind_a_pooler() {
    behind_pooler("pooler-works", "transaction", async |pooler, _| {
        let lender = lender_of(Postgres::new(pooler.config()));
        let in_transaction = failed(&lender, async |loan| {
            let transaction = loan.transaction().await?;
            transaction.execute("set local app.dish = 'soup'", &[]).await?;
            transaction.query_one("select $1::int4 + 1", &[&1]).await?;
            transaction.commit().await
        });
        assert_eq!(in_transaction.await, 0, "a transaction");
        let typed = failed(&lender, async |loan| {
            loan.query_typed("select $1 + 1", &[(&1_i32, Type::INT4)]).await.map(drop)
        });
        assert_eq!(typed.await, 0, "a typed query");
        let text = failed(&lender, async |loan| loan.simple_query("select 1").await.map(drop));
        assert_eq!(text.await, 0, "a text");
        assert_eq!(lender.stats().closings.total(), 0);
    });
}

/// A statement is prepared in one session, and run in another.
#[test]
fn prepared_statements_fail_behind_a_pooler() {
    behind_pooler("pooler-prepared", "transaction", async |pooler, _| {
        let lender = lender_of(Postgres::new(pooler.config()));
        let prepared = failed(&lender, async |loan| {
            let statement = loan.prepare_cached("select $1::int4 + 1").await?;
            loan.query_one(&statement, &[&1]).await.map(drop)
        });
        assert!(prepared.await > 0, "the page says that they fail");
    });
}

/// In place of sessions that begin as the previous tenant left them.
#[test]
fn a_session_that_cannot_be_reset_is_told() {
    behind_pooler("pooler-reset", "transaction", async |pooler, _| {
        let lender = lender_of(Postgres::new(pooler.config()).resets_session());
        let mut told = None;
        for _ in 0..ROUNDS {
            let loans = async || {
                let loan = lender.acquire().await?;
                let _ = loan.simple_query("set app.tenant = 'ann'").await;
                Ok::<_, AcquireError<tokio_postgres::Error>>(())
            };
            let (a, b, c, d) = tokio::join!(loans(), loans(), loans(), loans());
            if let Err(error) = a.and(b).and(c).and(d) {
                told = Some(error.to_string());
                break;
            }
        }
        let told = told.expect("a caller is told");
        assert!(told.contains("opening failed permanently"), "{told}");
        assert!(told.contains("a pooler between the program and the server"), "{told}");
        assert!(told.contains("set local"), "{told}");
    });
    behind_pooler("pooler-reset-threads", "transaction", async |pooler, _| {
        let maker = Blocking::new(pooler.config()).resets_session();
        let work = tokio::task::spawn_blocking(move || {
            let builder = BlockingLender::builder(maker).capacity(4).idle_min(4);
            let lender = builder.acquire_timeout(Duration::from_millis(60_000)).build().unwrap();
            let told = std::thread::scope(|scope| {
                let threads = [(); 4].map(|()| {
                    scope.spawn(|| {
                        for _ in 0..ROUNDS {
                            match lender.acquire() {
                                Ok(mut loan) => drop(loan.simple_query("set app.tenant = 'ann'")),
                                Err(error) => return error.to_string(),
                            }
                        }
                        String::from("nobody was told")
                    })
                });
                threads.map(|thread| thread.join().unwrap())
            });
            assert!(told.iter().all(|told| told.contains("a pooler between")), "{told:?}");
        });
        work.await.unwrap();
    });
}

/// With a session for each connection, everything works as without a pooler.
#[test]
fn a_pooler_with_a_session_for_each_client_is_as_none() {
    behind_pooler("pooler-session", "session", async |pooler, _| {
        let (lender, keeper) = Lender::builder(Postgres::new(pooler.config()).resets_session())
            .capacity(2)
            .acquire_timeout(Duration::from_millis(60_000))
            .build();
        tokio::spawn(keeper.run(TokioTimer));
        let prepared = failed(&lender, async |loan| {
            let statement =
                loan.prepare_cached("select current_setting('app.tenant', true)").await?;
            let row = loan.query_one(&statement, &[]).await?;
            let tenant: Option<String> = row.get(0);
            assert_eq!(tenant.unwrap_or_default(), "");
            loan.batch_execute("set app.tenant = 'ann'").await
        });
        assert_eq!(prepared.await, 0);
        assert_eq!(lender.stats().closings.total(), 0);
    });
}

/// A transaction that its caller left open holds one of the pooler's sessions; it is ended as without a pooler.
#[test]
fn a_transaction_that_was_left_open_ends_behind_a_pooler() {
    behind_pooler("pooler-open", "transaction", async |pooler, server| {
        let lender = lender_of(Postgres::new(pooler.config()));
        for _ in 0..6 {
            lender.acquire().await.unwrap().batch_execute("begin").await.unwrap();
        }
        let text = failed(&lender, async |loan| loan.simple_query("select 1").await.map(drop));
        assert_eq!(text.await, 0);
        let direct: Config = server.config("postgres");
        let (client, connection) = direct.connect(tokio_postgres::NoTls).await.unwrap();
        tokio::spawn(connection);
        let open = "select count(*) from pg_stat_activity where state like 'idle in transaction%'";
        assert_eq!(client.query_one(open, &[]).await.unwrap().get::<_, i64>(0), 0);
    });
}
