//! Real servers, started in a temporary folder. What is not installed is reported as not run.
#![cfg(all(feature = "postgres", feature = "tokio-postgres", feature = "tokio"))]

#[path = "common/nothing_left.rs"]
mod nothing_left;
#[path = "common/postgres_server.rs"]
mod postgres_server;

use std::error::Error;
use std::time::{Duration, Instant};

use millpond_lend::makers::{postgres::Postgres as Blocking, tokio_postgres::Postgres};
use millpond_lend::{AcquireError, BlockingLender, Lender, TokioTimer};
use nothing_left::closes_and_leaves_nothing;
use postgres_server::with_server;
use tokio_postgres::Config;
use tokio_postgres::error::SqlState;

/// Runs queries until `count` in a row succeed, and returns how many failed before: each on its own loan.
async fn errors_until_well(lender: &Lender<Postgres>, count: usize) -> usize {
    let mut errors = 0;
    let mut in_a_row = 0;
    let give_up = Instant::now() + Duration::from_secs(120);
    while in_a_row < count {
        assert!(Instant::now() < give_up, "the lender never recovers");
        let loan = lender.acquire().await.expect("a loan");
        match loan.simple_query("select 1").await {
            Ok(_) => in_a_row += 1,
            Err(_) => {
                (errors, in_a_row) = (errors + 1, 0);
                // The connection's task sees the end of the socket a moment later than the query.
                loan.discard();
            }
        }
    }
    errors
}

#[test]
fn a_server_that_stops_and_starts_costs_one_error_per_loan() {
    with_server("restart", "", async |server| {
        let (lender, keeper) = Lender::builder(Postgres::new(server.config("postgres")))
            .capacity(4)
            .acquire_timeout(Duration::from_millis(120_000))
            .build();
        tokio::spawn(keeper.run(TokioTimer));
        drop(lender.acquire_many(4).await.unwrap());
        server.stop().unwrap();
        // Callers who wait find out that nothing can be opened; each tries for itself.
        let waiting = {
            let lender = lender.clone();
            tokio::spawn(async move { errors_until_well(&lender, 20).await })
        };
        tokio::time::sleep(Duration::from_secs(2)).await;
        server.up().unwrap();
        let up = Instant::now();
        let errors = waiting.await.unwrap();
        assert!(errors <= 4, "{errors}");
        assert_eq!(lender.acquire_many(4).await.unwrap().len(), 4);
        println!("full service {} ms after the server is up", up.elapsed().as_millis());
        closes_and_leaves_nothing(&lender, &server.config("postgres"), || 0).await;
    });
}

#[test]
fn a_terminated_backend_is_not_lent_again_and_no_session_is_left() {
    with_server("terminate", "", async |server| {
        let config: Config = server.config("postgres");
        let (lender, keeper) = Lender::builder(Postgres::new(config.clone()))
            .capacity(3)
            .acquire_timeout(Duration::from_millis(120_000))
            .build();
        tokio::spawn(keeper.run(TokioTimer));
        let loans = lender.acquire_many(3).await.unwrap();
        let kill = "select pg_terminate_backend(pid) from pg_stat_activity \
                    where backend_type = 'client backend' and pid <> pg_backend_pid()";
        loans[0].simple_query(kill).await.unwrap();
        drop(loans);
        let errors = errors_until_well(&lender, 20).await;
        assert!(errors <= 2, "{errors}");
        closes_and_leaves_nothing(&lender, &config, || 0).await;
    });
}

#[test]
fn a_database_that_does_not_exist_is_told_at_once() {
    with_server("missing", "", async |server| {
        let (lender, keeper) = Lender::builder(Postgres::new(server.config("nowhere")))
            .acquire_timeout(Duration::from_millis(120_000))
            .build();
        tokio::spawn(keeper.run(TokioTimer));
        let error = lender.acquire().await.map(drop).unwrap_err();
        assert!(matches!(error, AcquireError::Opening(_)), "{error}");
        let cause = error.source().and_then(|cause| cause.source()).expect("the server's error");
        assert!(cause.to_string().contains("nowhere"), "{cause}");
    });
}

#[test]
fn a_wrong_password_is_told_at_once_and_the_right_one_serves_later() {
    with_server("password", "", async |server| {
        let cook: Config = server.config("postgres");
        let (client, connection) = cook.connect(tokio_postgres::NoTls).await.unwrap();
        tokio::spawn(connection);
        client.batch_execute("create role guest login password 'soup'").await.unwrap();

        let mut guest = cook.clone();
        guest.user("guest").password("bread");
        let (lender, keeper) = Lender::builder(Postgres::new(guest))
            .acquire_timeout(Duration::from_millis(120_000))
            .build();
        tokio::spawn(keeper.run(TokioTimer));
        for _ in 0..3 {
            let error = lender.acquire().await.map(drop).unwrap_err();
            let AcquireError::Opening(cause) = &error else { panic!("{error}") };
            assert_eq!(cause.code(), Some(&tokio_postgres::error::SqlState::INVALID_PASSWORD));
            assert!(error.source().unwrap().is::<tokio_postgres::Error>());
        }
        client.batch_execute("alter role guest password 'bread'").await.unwrap();
        let give_up = Instant::now() + Duration::from_secs(120);
        let loan = loop {
            match lender.acquire().await {
                Ok(loan) => break loan,
                Err(error) => {
                    assert!(Instant::now() < give_up, "{error}");
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
            }
        };
        loan.simple_query("select 1").await.unwrap();
        drop((loan, client));
        closes_and_leaves_nothing(&lender, &cook, || 0).await;
    });
}

#[test]
fn fewer_connections_than_the_capacity_still_serve() {
    let few = "max_connections = 5\nsuperuser_reserved_connections = 0\nmax_wal_senders = 0";
    with_server("few", few, async |server| {
        let (lender, keeper) = Lender::builder(Postgres::new(server.config("postgres")))
            .capacity(10)
            .acquire_timeout(Duration::from_millis(120_000))
            .build();
        tokio::spawn(keeper.run(TokioTimer));
        let tasks: Vec<_> = (0..40)
            .map(|_| {
                let lender = lender.clone();
                tokio::spawn(async move {
                    let loan = lender.acquire().await.unwrap();
                    loan.simple_query("select pg_sleep(0.02)").await.unwrap();
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        let stats = lender.stats();
        // A further opening may be about to fail.
        assert!(stats.existing - stats.opening <= 5, "{stats:?}");
        closes_and_leaves_nothing(&lender, &server.config("postgres"), || 0).await;
    });
}

#[test]
fn threads_lend_blocking_connections() {
    with_server("blocking", "", async |server| {
        let config: postgres::Config = server.config("postgres");
        let counted = tokio::task::spawn_blocking(move || {
            let lender = BlockingLender::builder(Blocking::new(config))
                .capacity(2)
                .acquire_timeout(Duration::from_millis(120_000))
                .build()
                .unwrap();
            std::thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| {
                        for _ in 0..10 {
                            lender.acquire().unwrap().simple_query("select 1").unwrap();
                        }
                    });
                }
            });
            assert!(lender.close(Duration::from_secs(60)).still_out.is_empty());
            lender.stats().loans
        });
        assert_eq!(counted.await.unwrap(), 40);
    });
}

/// What the guide's page says of errors is what they say, but for the figures and the source line.
#[test]
fn the_guide_shows_the_real_messages() {
    with_server("messages", "", async |server| {
        let cook: Config = server.config("postgres");
        let (client, connection) = cook.connect(tokio_postgres::NoTls).await.unwrap();
        tokio::spawn(connection);
        client.batch_execute("create role guest login password 'soup'").await.unwrap();
        let mut guest = cook.clone();
        guest.user("guest").password("bread");
        let mut missing = cook.clone();
        missing.dbname("orders");
        let mut down = Config::new();
        down.host("127.0.0.1").port(1).user("cook");
        let mut messages = Vec::new();
        for config in [guest, missing, down, cook] {
            let builder = Lender::builder(Postgres::new(config)).capacity(1);
            let timeout = Duration::from_secs(2);
            let (lender, keeper) = builder.acquire_timeout(timeout).build();
            tokio::spawn(keeper.run(TokioTimer));
            let held = lender.acquire().await;
            let error = match held {
                Ok(_) => lender.acquire().await.map(drop).unwrap_err(),
                Err(error) => error,
            };
            messages.push(error.to_string());
        }
        let page =
            std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/connections.md"));
        let page = without_figures(&page.unwrap());
        for message in messages {
            let message = without_figures(&message);
            assert!(page.contains(&format!("| `{message}` |")), "{message}");
        }
    });
}

/// The text without digits, and without the source line, which ends it.
fn without_figures(text: &str) -> String {
    let place = |word: &str| match word.split_once(".rs:") {
        Some((_, end)) => format!("PLACE{}", end.trim_start_matches(|c: char| c != '`')),
        None => word.to_owned(),
    };
    let words: Vec<_> = text.split(' ').map(place).collect();
    words.join(" ").replace(|c: char| c.is_ascii_digit(), "")
}

/// bb8, deadpool and r2d2 lend such a connection again as it is, and so does a maker that is told so.
#[test]
fn a_transaction_that_its_caller_left_open_is_rolled_back() {
    with_server("transaction", "", async |server| {
        let config: Config = server.config("postgres");
        let lender_of = |maker: Postgres| {
            let builder =
                Lender::builder(maker).capacity(1).acquire_timeout(Duration::from_millis(120_000));
            let (lender, keeper) = builder.check_after_idle(Duration::from_millis(600_000)).build();
            tokio::spawn(keeper.run(TokioTimer));
            lender
        };
        let dishes = "select count(*), pg_backend_pid() from orders";
        for (ends, seen) in [(false, 1_i64), (true, 0)] {
            let maker = Postgres::new(config.clone());
            let lender = lender_of(if ends { maker } else { maker.keeps_transactions() });
            let loan = lender.acquire().await.unwrap();
            loan.batch_execute("create table if not exists orders (dish text)").await.unwrap();
            loan.batch_execute("begin; insert into orders values ('soup')").await.unwrap();
            let session: i32 = loan.query_one(dishes, &[]).await.unwrap().get(1);
            drop(loan);
            let loan = lender.acquire().await.unwrap();
            let row = loan.query_one(dishes, &[]).await.unwrap();
            assert_eq!((row.get::<_, i64>(0), row.get::<_, i32>(1)), (seen, session));

            // One that has failed refuses all queries until it is ended.
            loan.batch_execute("rollback").await.unwrap();
            loan.batch_execute("begin").await.unwrap();
            loan.batch_execute("select nonsense").await.unwrap_err();
            drop(loan);
            let loan = lender.acquire().await.unwrap();
            assert_eq!(loan.query_one(dishes, &[]).await.is_ok(), ends);
            drop(loan);
            let stats = lender.stats();
            assert_eq!((stats.opened, stats.closings.total()), (1, 0), "{stats:?}");
            closes_and_leaves_nothing(&lender, &config, || 0).await;
        }
    });
}

/// However the transaction was begun; and a loan that cannot have begun one sends nothing.
#[test]
fn a_transaction_ends_however_it_was_begun() {
    with_server("begun", "", async |server| {
        let config: Config = server.config("postgres");
        let builder = Lender::builder(Postgres::new(config.clone())).capacity(1);
        let (lender, keeper) = builder.check_after_idle(Duration::from_millis(600_000)).build();
        tokio::spawn(keeper.run(TokioTimer));
        let setting = "select pg_catalog.current_setting('app.dish', true)";
        let is_forgotten = async |how: &str| {
            // It lasts as long as the transaction.
            let loan = lender.acquire().await.unwrap();
            let seen: Option<String> = loan.query_one(setting, &[]).await.unwrap().get(0);
            assert!(seen.is_none_or(|dish| dish.is_empty()), "{how}");
        };
        let set = "select pg_catalog.set_config('app.dish', 'soup', true)";
        for begin in ["begin", "start transaction", "/* x */ begin", "commit and chain"] {
            let loan = lender.acquire().await.unwrap();
            if begin.starts_with("commit") {
                loan.execute("begin", &[]).await.unwrap();
            }
            loan.execute(begin, &[]).await.unwrap();
            loan.query_one(set, &[]).await.unwrap();
            drop(loan);
            is_forgotten(begin).await;
        }
        // Prepared in one loan, run in another.
        let begin = lender.acquire().await.unwrap().prepare_cached("begin").await.unwrap();
        let loan = lender.acquire().await.unwrap();
        loan.execute(&begin, &[]).await.unwrap();
        loan.query_one(set, &[]).await.unwrap();
        drop(loan);
        is_forgotten("prepared").await;
        // By the client's transaction, dropped.
        let mut loan = lender.acquire().await.unwrap();
        let transaction = loan.transaction().await.unwrap();
        transaction.query_one(set, &[]).await.unwrap();
        drop(transaction);
        drop(loan);
        is_forgotten("dropped").await;
        // A query that was sent, and not waited for.
        let loan = lender.acquire().await.unwrap();
        let _ = futures_lite::future::poll_once(std::pin::pin!(loan.batch_execute("begin"))).await;
        drop(loan);
        is_forgotten("cancelled").await;

        let (client, connection) = config.connect(tokio_postgres::NoTls).await.unwrap();
        tokio::spawn(connection);
        let last = "select query from pg_stat_activity where backend_type = 'client backend' and \
                    pid <> pg_backend_pid()";
        lender.acquire().await.unwrap().query_one("select 'nothing else'", &[]).await.unwrap();
        let query: String = client.query_one(last, &[]).await.unwrap().get(0);
        assert_eq!(query, "select 'nothing else'");
        drop(client);
        assert_eq!(lender.stats().opened, 1);
        closes_and_leaves_nothing(&lender, &config, || 0).await;
    });
}

/// Nobody waits for it any more, so the next caller need not either.
#[test]
fn a_query_that_its_caller_gave_up_is_stopped_and_delays_nobody() {
    with_server("cancelled", "", async |server| {
        let config: Config = server.config("postgres");
        let (lender, keeper) = Lender::builder(Postgres::new(config.clone()))
            .capacity(2)
            .acquire_timeout(Duration::from_millis(120_000))
            .build();
        tokio::spawn(keeper.run(TokioTimer));
        let slow = async || {
            let loan = lender.acquire().await.unwrap();
            loan.query_one("select pg_sleep(600)", &[]).await.map(drop)
        };
        for _ in 0..6 {
            let given_up = tokio::time::timeout(Duration::from_millis(100), slow()).await;
            assert!(given_up.is_err());
            let loan = lender.acquire().await.unwrap();
            loan.query_one("select 1", &[]).await.unwrap();
        }
        let closings = lender.stats().closings;
        assert!(closings.interrupted >= 1, "{closings:?}");
        assert_eq!((closings.total() - closings.interrupted, lender.stats().checks), (0, 0));

        let (client, connection) = config.connect(tokio_postgres::NoTls).await.unwrap();
        tokio::spawn(connection);
        let asleep = "select count(*) from pg_stat_activity where state = 'active' and query like \
                      'select pg_sleep%'";
        let give_up = Instant::now() + Duration::from_secs(60);
        while client.query_one(asleep, &[]).await.unwrap().get::<_, i64>(0) > 0 {
            assert!(Instant::now() < give_up, "the server goes on with what nobody waits for");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        drop(client);
        closes_and_leaves_nothing(&lender, &config, || 0).await;
    });
}

/// A query with a text is three round trips, with a statement of the connection's own one.
#[test]
fn statements_are_prepared_once_and_connections_set_up() {
    with_server("prepared", "", async |server| {
        let config: Config = server.config("postgres");
        let double = "select $1::int4 * 2";
        let maker = Postgres::new(config.clone()).resets_session().set_up(move |connection| {
            Box::pin(async move {
                connection.batch_execute("set app.dish = 'soup'").await?;
                connection.prepare_cached(double).await.map(drop)
            })
        });
        let (lender, keeper) = Lender::builder(maker).capacity(1).build();
        tokio::spawn(keeper.run(TokioTimer));
        let prepared = "select array_agg(statement) from pg_prepared_statements where not \
                        statement like '%pg_prepared%'";
        for _ in 0..3 {
            let loan = lender.acquire().await.unwrap();
            let dish: String =
                loan.query_one("select current_setting('app.dish')", &[]).await.unwrap().get(0);
            assert_eq!(dish, "soup", "it is set again after each reset");
            loan.batch_execute("set app.dish = 'bread'").await.unwrap();
            let statement = loan.prepare_cached(double).await.unwrap();
            let row = loan.query_one(&statement, &[&4]).await.unwrap();
            assert_eq!(row.get::<_, i32>(0), 8);
            let texts: Vec<String> = loan.query_one(prepared, &[]).await.unwrap().get(0);
            assert_eq!(texts, [double]);
        }
        let loan = lender.acquire().await.unwrap();
        loan.batch_execute("deallocate all").await.unwrap();
        let statement = loan.prepare_cached(double).await.unwrap();
        assert!(loan.query_one(&statement, &[&4]).await.is_err(), "the server has forgotten it");
        loan.forget_prepared();
        let statement = loan.prepare_cached(double).await.unwrap();
        assert!(loan.query_one(&statement, &[&4]).await.is_ok());
        drop(loan);
        closes_and_leaves_nothing(&lender, &config, || 0).await;

        let wrong = Postgres::new(config).set_up(|connection| {
            Box::pin(async move { connection.batch_execute("set nonsense").await })
        });
        let builder = Lender::builder(wrong).acquire_timeout(Duration::from_millis(120_000));
        let (lender, keeper) = builder.build();
        tokio::spawn(keeper.run(TokioTimer));
        let error = lender.acquire().await.map(drop).unwrap_err();
        assert!(matches!(error, AcquireError::Opening(_)), "{error}");
    });
}

#[test]
fn threads_have_prepared_statements_and_connections_set_up() {
    with_server("threads-prepared", "", async |server| {
        let config: postgres::Config = server.config("postgres");
        let work = tokio::task::spawn_blocking(move || {
            let double = "select $1::int4 * 2";
            let maker = Blocking::new(config).set_up(move |connection| {
                connection.batch_execute("set app.dish = 'soup'")?;
                connection.prepare_cached(double).map(drop)
            });
            let lender = BlockingLender::builder(maker).capacity(1).build().unwrap();
            for _ in 0..3 {
                let mut loan = lender.acquire().unwrap();
                let dish = "select current_setting('app.dish')";
                assert_eq!(loan.query_one(dish, &[]).unwrap().get::<_, String>(0), "soup");
                let statement = loan.prepare_cached(double).unwrap();
                assert_eq!(loan.query_one(&statement, &[&4]).unwrap().get::<_, i32>(0), 8);
                let count =
                    "select count(*) from pg_prepared_statements where statement like 'select $1%'";
                assert_eq!(loan.query_one(count, &[]).unwrap().get::<_, i64>(0), 1);
            }
            assert_eq!(lender.stats().checks, 0, "no loan can have begun a transaction");
            let mut loan = lender.acquire().unwrap();
            loan.execute("begin", &[]).unwrap();
            drop(loan);
            let mut loan = lender.acquire().unwrap();
            loan.batch_execute("deallocate all").unwrap();
            loan.forget_prepared();
            assert!(loan.prepare_cached(double).is_ok());
            assert_eq!((lender.stats().checks, lender.stats().opened), (1, 1));
        });
        work.await.unwrap();
    });
}

/// The question names the server's own functions and its own operator, whatever the caller's search path finds first.
#[test]
fn functions_of_the_same_names_do_not_hide_a_transaction() {
    with_server("search-path", "", async |server| {
        let config: Config = server.config("postgres");
        let maker = Postgres::new(config.clone());
        let builder =
            Lender::builder(maker).capacity(1).acquire_timeout(Duration::from_millis(120_000));
        let (lender, keeper) = builder.build();
        tokio::spawn(keeper.run(TokioTimer));
        let loan = lender.acquire().await.unwrap();
        let make = "create table orders (dish text);
            create schema other;
            create function other.now() returns timestamptz language sql
                as 'select pg_catalog.statement_timestamp()';
            create function other.same(timestamptz, timestamptz) returns bool language sql
                as 'select true';
            create operator other.= (leftarg = timestamptz, rightarg = timestamptz,
                function = other.same);
            set search_path = other, public, pg_catalog";
        loan.batch_execute(make).await.unwrap();
        loan.batch_execute("begin; insert into orders values ('soup')").await.unwrap();
        drop(loan);
        let loan = lender.acquire().await.unwrap();
        let dishes = "select count(*) from orders";
        assert_eq!(loan.query_one(dishes, &[]).await.unwrap().get::<_, i64>(0), 0);
        drop(loan);
        assert_eq!(lender.stats().opened, 1);
        closes_and_leaves_nothing(&lender, &config, || 0).await;
    });
}

#[test]
fn a_transaction_that_a_thread_left_open_is_rolled_back() {
    with_server("thread-transaction", "", async |server| {
        let config: postgres::Config = server.config("postgres");
        let work = tokio::task::spawn_blocking(move || {
            let lender = BlockingLender::builder(Blocking::new(config))
                .capacity(1)
                .acquire_timeout(Duration::from_millis(120_000))
                .build()
                .unwrap();
            let create = "create table orders (dish text)";
            lender.acquire().unwrap().batch_execute(create).unwrap();
            lender
                .acquire()
                .unwrap()
                .batch_execute("begin; insert into orders values ('soup')")
                .unwrap();
            let dishes = "select count(*) from orders";
            assert_eq!(
                lender.acquire().unwrap().query_one(dishes, &[]).unwrap().get::<_, i64>(0),
                0
            );
            let mut loan = lender.acquire().unwrap();
            loan.batch_execute("begin").unwrap();
            loan.batch_execute("select nonsense").unwrap_err();
            drop(loan);
            lender.acquire().unwrap().query_one(dishes, &[]).unwrap();
            assert!(lender.close(Duration::from_secs(60)).still_out.is_empty());
            assert_eq!(lender.stats().opened, 1);
        });
        work.await.unwrap();
    });
}

/// A lender of four whose sessions are open and read-only, although the server accepts writes by now, as after a failover.
async fn after_a_failover(config: &Config, maker: Postgres) -> Lender<Postgres> {
    let builder =
        Lender::builder(maker).capacity(4).acquire_timeout(Duration::from_millis(120_000));
    let (lender, keeper) = builder.check_after_idle(Duration::from_millis(600_000)).build();
    tokio::spawn(keeper.run(TokioTimer));
    let loans = lender.acquire_many(4).await.unwrap();
    let (client, connection) = config.connect(tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    client.batch_execute("create table if not exists orders (dish text)").await.unwrap();
    for loan in &loans {
        loan.batch_execute("set default_transaction_read_only = on").await.unwrap();
    }
    lender
}

/// How many of 800 insertions fail, each on its own loan, by up to eight callers at once; a read-only session is the only
/// reason.
async fn insertions_that_fail(lender: &Lender<Postgres>, discards: bool) -> usize {
    let callers: Vec<_> = (0..8)
        .map(|_| {
            let lender = lender.clone();
            tokio::spawn(async move {
                let mut failed = 0;
                for _ in 0..100 {
                    let loan = lender.acquire().await.unwrap();
                    let insert = "insert into orders values ('soup')";
                    let Err(error) = loan.batch_execute(insert).await else { continue };
                    assert_eq!(
                        error.code(),
                        Some(&SqlState::READ_ONLY_SQL_TRANSACTION),
                        "{error:?}"
                    );
                    failed += 1;
                    if discards {
                        loan.discard();
                    }
                }
                failed
            })
        })
        .collect();
    let mut failed = 0;
    for caller in callers {
        failed += caller.await.unwrap();
    }
    failed
}

#[test]
fn a_session_that_is_read_only_is_not_lent_again() {
    with_server("read-only", "", async |server| {
        let config: Config = server.config("postgres");
        let maker = || Postgres::new(config.clone());
        // As other pools do.
        let lender = after_a_failover(&config, maker()).await;
        assert_eq!(insertions_that_fail(&lender, false).await, 800);
        let lender = after_a_failover(&config, maker()).await;
        assert_eq!(insertions_that_fail(&lender, true).await, 4);
        let lender = after_a_failover(&config, maker()).await;
        lender.evict_all();
        assert_eq!(insertions_that_fail(&lender, false).await, 0);
        // The keeper finds out before the next caller does.
        let lender = after_a_failover(&config, maker().writable()).await;
        assert_eq!(insertions_that_fail(&lender, false).await, 0);
        let stats = lender.stats();
        assert_eq!((stats.closings.check, stats.closings.total()), (4, 4), "{stats}");
        closes_and_leaves_nothing_but_theirs(&lender).await;
    });
}

async fn closes_and_leaves_nothing_but_theirs(lender: &Lender<Postgres>) {
    assert!(lender.close(Duration::from_secs(60)).await.still_out.is_empty());
    assert_eq!((lender.validate(), lender.stats().existing), (Ok(()), 0));
}

/// While the server is read-only, nothing is opened, and the reason is told; a session whose caller has made it
/// read-only is closed.
#[test]
fn a_server_that_is_read_only_is_not_connected_to() {
    with_server("standby", "", async |server| {
        let config: Config = server.config("postgres");
        let (client, connection) = config.connect(tokio_postgres::NoTls).await.unwrap();
        tokio::spawn(connection);
        let (lender, keeper) = Lender::builder(Postgres::new(config.clone()).writable())
            .capacity(1)
            .acquire_timeout(Duration::from_millis(500))
            .build();
        tokio::spawn(keeper.run(TokioTimer));
        let set = "alter system set default_transaction_read_only = on";
        client.batch_execute(set).await.unwrap();
        client.batch_execute("select pg_reload_conf()").await.unwrap();
        let give_up = Instant::now() + Duration::from_secs(60);
        let told = loop {
            match lender.acquire().await {
                Ok(loan) => loan.discard(), // the server has not read it yet
                Err(error) => break error.to_string(),
            }
            assert!(Instant::now() < give_up, "it is never read-only");
        };
        assert!(told.contains("database does not allow writes"), "{told}");
        client.batch_execute("set default_transaction_read_only = off").await.unwrap();
        client.batch_execute("alter system reset default_transaction_read_only").await.unwrap();
        client.batch_execute("select pg_reload_conf()").await.unwrap();
        while lender.acquire().await.is_err() {
            assert!(Instant::now() < give_up, "it never accepts writes again");
        }
    });
}

/// What a tenant has changed in its session, and what the next one sees of it.
const CHANGES: &str = "set app.tenant = 'ann'; set search_path = pg_temp; set role guest;
    create temporary table orders (dish text); select pg_advisory_lock(7); listen dishes;
    set session characteristics as transaction read only;
    declare leftover cursor with hold for select 1";
const SEEN: &str =
    "select array[current_setting('app.tenant', true), current_setting('search_path'),
    current_user::text, to_regclass('pg_temp.orders')::text,
    (select count(*) from pg_locks where locktype = 'advisory')::text,
    (select count(*) from pg_listening_channels())::text, (select count(*) from pg_cursors where name = 'leftover')::text,
    current_setting('transaction_read_only')]";

#[test]
fn a_session_is_reset_for_the_next_tenant() {
    with_server("reset", "", async |server| {
        let config: Config = server.config("postgres");
        for (resets, expected) in [
            (false, ["ann", "pg_temp", "guest", "orders", "1", "1", "1", "on"]),
            (true, ["", "\"$user\", public", "cook", "", "0", "0", "0", "off"]),
        ] {
            let maker = Postgres::new(config.clone());
            let maker = if resets { maker.resets_session() } else { maker };
            let builder =
                Lender::builder(maker).capacity(1).acquire_timeout(Duration::from_millis(120_000));
            let (lender, keeper) = builder.build();
            tokio::spawn(keeper.run(TokioTimer));
            let loan = lender.acquire().await.unwrap();
            let make = "drop type if exists course; drop role if exists guest; create role guest;
                create type course as enum ('first', 'second')";
            loan.batch_execute(make).await.unwrap();
            // The client keeps a prepared statement for types that it does not know.
            let course = "select 'first'::course";
            assert!(loan.query_one(course, &[]).await.is_ok());
            loan.batch_execute(CHANGES).await.unwrap();
            drop(loan);
            let loan = lender.acquire().await.unwrap();
            let seen: Vec<Option<String>> = loan.query_one(SEEN, &[]).await.unwrap().get(0);
            let seen: Vec<_> = seen.iter().map(|value| value.as_deref().unwrap_or("")).collect();
            assert_eq!(seen, expected);
            if resets {
                loan.batch_execute("create type taste as enum ('sweet', 'sour')").await.unwrap();
                assert!(loan.query_one("select 'sweet'::taste", &[]).await.is_ok());
                loan.batch_execute("drop type taste").await.unwrap();
            }
            // What a transaction leaves open is undone before.
            loan.batch_execute("begin; set app.tenant = 'bob'").await.unwrap();
            drop(loan);
            let loan = lender.acquire().await.unwrap();
            let tenant = "select current_setting('app.tenant', true)";
            let seen: Option<String> = loan.query_one(tenant, &[]).await.unwrap().get(0);
            assert_eq!(seen.as_deref(), Some(if resets { "" } else { "ann" }));
            drop(loan);
            assert_eq!((lender.stats().opened, lender.stats().closings.total()), (1, 0));
            closes_and_leaves_nothing(&lender, &config, || 0).await;
        }
    });
}

/// Both options with the crate for threads.
#[test]
fn sessions_of_threads_are_reset_and_writable() {
    with_server("threads-reset", "", async |server| {
        let config: postgres::Config = server.config("postgres");
        let work = tokio::task::spawn_blocking(move || {
            let lender = BlockingLender::builder(Blocking::new(config).resets_session().writable())
                .capacity(1)
                .acquire_timeout(Duration::from_millis(120_000))
                .build()
                .unwrap();
            let mut loan = lender.acquire().unwrap();
            loan.batch_execute("create role guest").unwrap();
            loan.batch_execute(CHANGES).unwrap();
            drop(loan);
            let mut loan = lender.acquire().unwrap();
            let seen: Vec<Option<String>> = loan.query_one(SEEN, &[]).unwrap().get(0);
            assert_eq!(seen[2].as_deref(), Some("cook"), "{seen:?}");
            assert_eq!(lender.stats().opened, 1, "it was writable again");
            // Only a new session is read-only now, and it is not lent.
            let read_only = "alter role cook set default_transaction_read_only = on";
            loan.batch_execute(read_only).unwrap();
            drop(loan);
            let mut loan = lender.acquire().unwrap();
            let insert = "create table orders (dish text)";
            loan.batch_execute(insert).unwrap();
            loan.batch_execute("set default_transaction_read_only = on").unwrap();
            loan.batch_execute("alter role cook reset default_transaction_read_only").unwrap_err();
            loan.batch_execute("set default_transaction_read_only = off").unwrap();
            loan.batch_execute("alter role cook reset default_transaction_read_only").unwrap();
            drop(loan);
            assert!(lender.close(Duration::from_secs(60)).still_out.is_empty());
        });
        work.await.unwrap();
    });
}

/// A lender in a `static`, and tests with runtimes of their own.
#[test]
fn a_keeper_on_a_thread_of_tokio_keeps_connections_for_all_runtimes() {
    with_server("static", "", async |server| {
        let config: Config = server.config("postgres");
        let (lender, keeper) = Lender::builder(Postgres::new(config)).capacity(1).build();
        keeper.run_on_tokio_thread().unwrap();
        let work = tokio::task::spawn_blocking(move || {
            for _ in 0..2 {
                let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
                runtime.block_on(async {
                    let loan = lender.acquire().await.unwrap();
                    loan.simple_query("select 1").await.unwrap();
                });
            }
            assert_eq!((lender.stats().opened, lender.stats().closings.total()), (1, 0));
        });
        work.await.unwrap();
    });
}

/// Told at once: what the server does not allow, and what it is never asked because the client cannot.
#[test]
fn a_wrong_configuration_is_told_at_once() {
    let told = async |config: Config| {
        let builder = Lender::builder(Postgres::new(config)).capacity(1);
        let (lender, keeper) = builder.acquire_timeout(Duration::from_millis(60_000)).build();
        tokio::spawn(keeper.run(TokioTimer));
        match lender.acquire().await.map(drop).unwrap_err() {
            error @ AcquireError::Opening(_) => error.to_string(),
            error => panic!("not told at once: {error}"),
        }
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let nobody = told(Config::new()).await;
        assert!(nobody.contains("invalid configuration: both host and hostaddr"), "{nobody}");
    });
    with_server("wrong", "", async |server| {
        let config: Config = server.config("postgres");
        let (client, connection) = config.connect(tokio_postgres::NoTls).await.unwrap();
        tokio::spawn(connection);
        client.batch_execute("create role guest login password 'soup'").await.unwrap();
        client.batch_execute("create database closed").await.unwrap();
        client.batch_execute("revoke connect on database closed from public").await.unwrap();
        let mut options = config.clone();
        options.options("-c nonsense=1");
        let mut value = config.clone();
        value.options("-c work_mem=much");
        let mut password = config.clone();
        password.user("guest");
        let mut permission = config.clone();
        permission.user("guest").password("soup").dbname("closed");
        for (config, reason) in [
            (options, "unrecognized configuration parameter \"nonsense\""),
            (value, "invalid value for parameter \"work_mem\""),
            (password, "password missing"),
            (permission, "permission denied for database \"closed\""),
        ] {
            let told = told(config).await;
            assert!(told.contains(reason), "{told}");
        }
    });
}
