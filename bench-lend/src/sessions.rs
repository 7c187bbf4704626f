//! What depends on a server: prepared statements, waits from the first caller on, cancelled queries, and the adapter for
//! managers of deadpool. Each contender has pools of its own, which are new in each round, as in a program that starts.

use std::time::{Duration, Instant};

use millpond_lend::makers::deadpool::Deadpool;
use millpond_lend::makers::tokio_postgres::{Connection, Postgres};
use millpond_lend::tokio_postgres::{self, Client, Config, NoTls};
use millpond_lend::{Lender, TokioTimer};

use crate::objects::postgres;
use crate::pools::{Pool, deadpool};
use crate::postgres_server::Server;

const ROUNDS: usize = 5;
const CONNECTIONS: usize = 16;
const TASKS: usize = 200;
const QUERIES: usize = 20_000;

/// How many queries are given up, each after this time.
const GIVEN_UP: usize = 128;
const PATIENCE: Duration = Duration::from_millis(20);

/// What a program is told that the pages tell: the default settings, but for the capacity.
fn millpond(maker: Postgres) -> Lender<Postgres> {
    let (lender, keeper) = Lender::builder(maker).capacity(CONNECTIONS).build();
    tokio::spawn(keeper.run(TokioTimer));
    lender
}

pub(crate) async fn compare(server: &Server) {
    for tasks in [1, TASKS] {
        compare_prepared(server, tasks).await;
    }
    compare_cancelled(server).await;
    compare_adapter(server).await;
}

async fn compare_prepared(server: &Server, tasks: usize) {
    println!(
        "\n{tasks} tasks, {CONNECTIONS} connections, prepared statements, from the first caller on"
    );
    println!(
        "{:14}{:>14}{:>14}{:>14}{:>10}",
        "", "query p50, ms", "wait p99, ms", "queries/s", "open"
    );
    let mut rounds: [Vec<Round>; 2] = Default::default();
    for _ in 0..ROUNDS {
        let lender = millpond(postgres(server));
        let mut round = prepared(&lender, tasks).await;
        round.open = lender.stats().existing;
        rounds[0].push(round);
        let pool = deadpool(postgres(server), CONNECTIONS);
        let mut round = prepared(&pool, tasks).await;
        round.open = pool.status().size;
        rounds[1].push(round);
    }
    let medians = rounds.each_ref().map(|rounds| Round {
        query_ms: median(rounds, |round| round.query_ms),
        wait_ms: median(rounds, |round| round.wait_ms),
        per_s: median(rounds, |round| round.per_s),
        open: rounds.iter().map(|round| round.open).min().unwrap_or(0),
    });
    for (name, Round { query_ms, wait_ms, per_s, open }) in
        ["millpond-lend", "deadpool"].iter().zip(&medians)
    {
        println!("{name:14}{query_ms:>14.3}{wait_ms:>14.2}{per_s:>14.0}{open:>10}");
    }
    println!(
        "ratio {:.2} {:.2}",
        medians[0].query_ms / medians[1].query_ms,
        medians[0].wait_ms / medians[1].wait_ms
    );
}

async fn compare_cancelled(server: &Server) {
    println!("\nqueries a second after {GIVEN_UP} queries of 10 s were given up");
    let mut rates: [Vec<f64>; 2] = Default::default();
    for _ in 0..3 {
        rates[0].push(after_cancelled(&millpond(postgres(server))).await);
        rates[1].push(after_cancelled(&deadpool(postgres(server), CONNECTIONS)).await);
    }
    for (name, rates) in ["millpond-lend", "deadpool"].iter().zip(&rates) {
        println!("{name:14}{:>14.0}", median(rates, |rate| *rate));
    }
}

async fn compare_adapter(server: &Server) {
    let native = millpond(postgres(server));
    let maker = Deadpool(Fast(server.config("postgres")));
    let (adapter, keeper) = Lender::builder(maker).capacity(CONNECTIONS).build();
    tokio::spawn(keeper.run(TokioTimer));
    let mut times: [Vec<f64>; 2] = Default::default();
    for _ in 0..15 {
        times[0].push(alone(&native).await);
        times[1].push(alone(&adapter).await);
    }
    let [native, adapter] = times.each_ref().map(|times| median(times, |time| *time));
    println!(
        "\nalone, ns: by the native maker {native:.0}, by the adapter for deadpool's {adapter:.0}, each checked"
    );
    println!("ratio {:.2}", adapter / native);
}

struct Round {
    query_ms: f64,
    wait_ms: f64,
    per_s: f64,
    open: usize,
}

fn median<T>(of: &[T], figure: impl Fn(&T) -> f64) -> f64 {
    let mut values: Vec<f64> = of.iter().map(figure).collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

async fn ask(connection: &Connection) -> Result<i32, tokio_postgres::Error> {
    let statement = connection.prepare_cached("select $1::int4 + 1").await?;
    Ok(connection.query_one(&statement, &[&1]).await?.get(0))
}

async fn prepared<P: Pool<Object = Connection>>(pool: &P, tasks: usize) -> Round {
    let each = QUERIES / tasks;
    let start = Instant::now();
    let tasks: Vec<_> = (0..tasks)
        .map(|_| {
            let pool = pool.clone();
            tokio::spawn(async move {
                let mut times = Vec::with_capacity(each);
                for _ in 0..each {
                    let asked = Instant::now();
                    let loan = pool.take().await;
                    let got = Instant::now();
                    ask(&loan).await.expect("an answer");
                    times.push((got - asked, got.elapsed()));
                }
                times
            })
        })
        .collect();
    let (mut waits, mut queries) = (Vec::new(), Vec::new());
    for task in tasks {
        for (wait, query) in task.await.expect("a task") {
            waits.push(wait);
            queries.push(query);
        }
    }
    let per_s = waits.len() as f64 / start.elapsed().as_secs_f64();
    waits.sort_unstable();
    queries.sort_unstable();
    let ms = |times: &[Duration], per_cent: usize| {
        times[(times.len() * per_cent).div_ceil(100) - 1].as_secs_f64() * 1e3
    };
    Round { query_ms: ms(&queries, 50), wait_ms: ms(&waits, 99), per_s, open: 0 }
}

/// As many queries as possible for two seconds, each of which is given up after a second.
async fn after_cancelled<P: Pool<Object = Connection>>(pool: &P) -> f64 {
    let given_up: Vec<_> = (0..GIVEN_UP)
        .map(|_| {
            let pool = pool.clone();
            tokio::spawn(async move {
                let loan = pool.take().await;
                let slow = loan.query_one("select pg_sleep(10)", &[]);
                tokio::time::timeout(PATIENCE, slow).await.is_err()
            })
        })
        .collect();
    for slow in given_up {
        assert!(slow.await.expect("a task"), "it sleeps for longer");
    }
    const TIME: Duration = Duration::from_secs(2);
    let ends = Instant::now() + TIME;
    let tasks: Vec<_> = (0..TASKS)
        .map(|_| {
            let pool = pool.clone();
            tokio::spawn(async move {
                let mut well = 0_u32;
                while Instant::now() < ends {
                    let query = async { ask(&*pool.take().await).await };
                    let answer = tokio::time::timeout(Duration::from_secs(1), query).await;
                    well += u32::from(matches!(answer, Ok(Ok(2))));
                }
                well
            })
        })
        .collect();
    let mut well = 0;
    for task in tasks {
        well += task.await.expect("a task");
    }
    f64::from(well) / TIME.as_secs_f64()
}

/// What deadpool-postgres does by default.
struct Fast(Config);

impl ::deadpool::managed::Manager for Fast {
    type Type = Client;
    type Error = tokio_postgres::Error;

    async fn create(&self) -> Result<Client, tokio_postgres::Error> {
        let (client, connection) = self.0.connect(NoTls).await?;
        tokio::spawn(async move { drop(connection.await) });
        Ok(client)
    }

    async fn recycle(
        &self,
        client: &mut Client,
        _: &::deadpool::managed::Metrics,
    ) -> ::deadpool::managed::RecycleResult<tokio_postgres::Error> {
        if client.is_closed() {
            return Err(::deadpool::managed::RecycleError::message("closed"));
        }
        Ok(())
    }
}

async fn alone<M: millpond_lend::Maker>(lender: &Lender<M>) -> f64 {
    const LOANS: u32 = 50_000;
    let start = Instant::now();
    for _ in 0..LOANS {
        drop(lender.acquire().await.expect("a loan"));
    }
    start.elapsed().as_nanos() as f64 / f64::from(LOANS)
}
