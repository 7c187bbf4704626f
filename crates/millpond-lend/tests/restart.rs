//! Every maker and adapter under load while its server is restarted: no error before, at most one for each connection
//! that was open (three where nothing but the client is asked), and none once the server is up again. SQLite has no
//! server. What is not installed is reported as not run.
#![cfg(all(
    feature = "bb8",
    feature = "deadpool",
    feature = "postgres",
    feature = "redis",
    feature = "tokio-postgres"
))]

#[path = "common/postgres_server.rs"]
mod postgres_server;
#[path = "common/redis_server.rs"]
mod redis_server;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use millpond_lend::makers::bb8::Bb8;
use millpond_lend::makers::deadpool::Deadpool;
use millpond_lend::makers::postgres::Postgres as Blocking;
use millpond_lend::makers::redis::Redis;
use millpond_lend::makers::tokio_postgres::Postgres;
use millpond_lend::{
    BlockingLender, BlockingMaker, Builder, Lender, Maker, Threaded, TokioTimer, with_causes,
};
use postgres_server::{Server, with_server};
use tokio_postgres::{Client, Config, NoTls};

const TASKS: usize = 200;
const CONNECTIONS: usize = 16;

/// For how long the server is down.
const OUTAGE: Duration = Duration::from_millis(1_800);

/// What the callers have met.
#[derive(Debug, Default)]
struct Counts {
    is_over: AtomicBool,
    is_up: AtomicBool,
    well: AtomicUsize,
    errors: AtomicUsize,
    errors_once_up: AtomicUsize,
    /// What the errors say, and how often.
    said: Mutex<BTreeMap<String, usize>>,
}

impl Counts {
    fn saw(&self, was_up: bool, result: Result<(), impl fmt::Display>) {
        if let Err(error) = &result {
            *self.said.lock().unwrap().entry(error.to_string()).or_default() += 1;
        }
        match result {
            Ok(()) => self.well.fetch_add(1, SeqCst),
            Err(_) if was_up => self.errors_once_up.fetch_add(1, SeqCst),
            Err(_) => self.errors.fetch_add(1, SeqCst),
        };
    }

    /// Waits until so many more callers were served.
    fn wait_for(&self, more: usize) {
        let enough = self.well.load(SeqCst) + more;
        while self.well.load(SeqCst) < enough {
            assert!(!self.is_over.load(SeqCst), "a caller got no loan");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Restarts the server under load. Blocks.
    fn see_restart(&self, name: &str, each: usize, down: impl FnOnce(), up: impl FnOnce()) {
        self.wait_for(20 * TASKS);
        assert_eq!(self.errors.load(SeqCst), 0, "{name}: before the restart");
        down();
        std::thread::sleep(OUTAGE);
        up();
        self.is_up.store(true, SeqCst);
        self.wait_for(20 * TASKS);
        self.is_over.store(true, SeqCst);
        let (errors, once_up) = (self.errors.load(SeqCst), self.errors_once_up.load(SeqCst));
        println!("{name}: {errors} errors during the restart, {once_up} once the server was up");
        let said = self.said.lock().unwrap();
        said.iter().for_each(|(error, times)| println!("  {times} x {error}"));
        let most = each * CONNECTIONS;
        assert!(errors <= most, "{name}: {errors} errors of {CONNECTIONS} connections");
        assert_eq!(once_up, 0, "{name}: once the server was up");
    }
}

fn settings<M, L>(builder: Builder<M, L>) -> Builder<M, L> {
    builder
        .capacity(CONNECTIONS)
        .idle_min(CONNECTIONS)
        .acquire_timeout(Duration::from_millis(120_000))
}

/// Tasks that do not look at their errors, and give back what they had.
async fn load<M: Maker>(
    maker: M,
    counts: &Arc<Counts>,
    query: impl AsyncQuery<M::Object>,
) -> (Lender<M>, Vec<tokio::task::JoinHandle<()>>) {
    let (lender, keeper) = settings(Lender::builder(maker)).build();
    tokio::spawn(keeper.run(TokioTimer));
    drop(lender.acquire_many(CONNECTIONS).await.expect("connections"));
    let tasks = (0..TASKS).map(|_| {
        let (lender, counts) = (lender.clone(), Arc::clone(counts));
        tokio::spawn(async move {
            while !counts.is_over.load(SeqCst) {
                let Ok(mut loan) = lender.acquire().await else {
                    counts.is_over.store(true, SeqCst);
                    return;
                };
                let was_up = counts.is_up.load(SeqCst);
                let result = query.ask(&mut loan).await;
                counts.saw(was_up, result);
            }
        })
    });
    (lender.clone(), tasks.collect())
}

/// A question to the server.
trait AsyncQuery<T>: Copy + Send + Sync + 'static {
    fn ask(self, object: &mut T) -> impl Future<Output = Result<(), String>> + Send;
}

#[derive(Clone, Copy)]
struct SelectOne;

impl<T: AsRef<Client> + Send> AsyncQuery<T> for SelectOne {
    async fn ask(self, object: &mut T) -> Result<(), String> {
        object
            .as_ref()
            .simple_query("select 1")
            .await
            .map(drop)
            .map_err(|e| with_causes(&e).to_string())
    }
}

/// The restart of a server, with the makers of `maker` under load, for each way to stop a server: `each` connection may
/// cause so many errors.
fn survives<M>(name: &'static str, each: usize, maker: impl Fn(Config) -> M)
where
    M: Maker<Object: AsRef<Client>>,
{
    with_server(name, "", async |server| {
        for mode in ["fast", "immediate"] {
            let counts = Arc::new(Counts::default());
            let maker = maker(server.config("postgres"));
            let (lender, tasks) = load(maker, &counts, SelectOne).await;
            restart(server, &format!("{name}, {mode}"), mode, each, &counts);
            for task in tasks {
                task.await.expect("a task");
            }
            assert!(lender.close(Duration::from_secs(60)).await.still_out.is_empty());
        }
    });
}

fn restart(server: &Server, name: &str, mode: &str, each: usize, counts: &Counts) {
    let down = || server.stop_by(mode).expect("it stops");
    let up = || server.up().expect("up");
    tokio::task::block_in_place(|| counts.see_restart(name, each, down, up));
}

#[test]
fn postgresql_on_tokio_survives_a_restart() {
    survives("restart-tokio", 1, Postgres::new);
}

/// A client, and the task that reads for it, as the managers of other pools keep them.
struct Spawned(Client);

impl AsRef<Client> for Spawned {
    fn as_ref(&self) -> &Client {
        &self.0
    }
}

async fn spawned(config: &Config) -> Result<Spawned, tokio_postgres::Error> {
    let (client, connection) = config.connect(NoTls).await?;
    tokio::spawn(async move { drop(connection.await) });
    Ok(Spawned(client))
}

/// What deadpool-postgres does by default.
struct FastManager(Config);

impl deadpool::managed::Manager for FastManager {
    type Type = Spawned;
    type Error = tokio_postgres::Error;

    async fn create(&self) -> Result<Spawned, tokio_postgres::Error> {
        spawned(&self.0).await
    }

    async fn recycle(
        &self,
        client: &mut Spawned,
        _: &deadpool::managed::Metrics,
    ) -> deadpool::managed::RecycleResult<tokio_postgres::Error> {
        if client.0.is_closed() {
            return Err(deadpool::managed::RecycleError::message("Connection closed"));
        }
        Ok(())
    }
}

/// It asks nobody but the client, which may not have noticed yet: a session that the server ends tells so, then is closed,
/// then its task ends, and between two of these another caller may get the connection.
#[test]
fn a_manager_of_deadpool_survives_a_restart() {
    survives("restart-deadpool", 3, |config| Deadpool(FastManager(config)));
}

/// What deadpool-postgres does with `RecyclingMethod::Verified`.
struct VerifyingManager(Config);

impl deadpool::managed::Manager for VerifyingManager {
    type Type = Spawned;
    type Error = tokio_postgres::Error;

    async fn create(&self) -> Result<Spawned, tokio_postgres::Error> {
        spawned(&self.0).await
    }

    async fn recycle(
        &self,
        client: &mut Spawned,
        _: &deadpool::managed::Metrics,
    ) -> deadpool::managed::RecycleResult<tokio_postgres::Error> {
        client.0.simple_query("").await?;
        Ok(())
    }
}

#[test]
fn a_verifying_manager_of_deadpool_survives_a_restart() {
    survives("restart-verifying", 1, |config| Deadpool(VerifyingManager(config)));
}

/// What bb8-postgres does.
struct Bb8Manager(Config);

impl bb8::ManageConnection for Bb8Manager {
    type Connection = Spawned;
    type Error = tokio_postgres::Error;

    async fn connect(&self) -> Result<Spawned, tokio_postgres::Error> {
        spawned(&self.0).await
    }

    async fn is_valid(&self, client: &mut Spawned) -> Result<(), tokio_postgres::Error> {
        client.0.simple_query("").await.map(drop)
    }

    fn has_broken(&self, client: &mut Spawned) -> bool {
        client.0.is_closed()
    }
}

#[test]
fn a_manager_of_bb8_survives_a_restart() {
    survives("restart-bb8", 1, |config| Bb8(Bb8Manager(config)));
}

/// Threads that do not look at their errors, and give back what they had.
fn threads<B: BlockingMaker>(
    name: &str,
    maker: B,
    ask: impl Fn(&mut B::Object) -> Result<(), String> + Sync,
    restart: impl FnOnce(&Counts),
) {
    let counts = Counts::default();
    let lender = settings(BlockingLender::builder(maker)).build().expect("threads");
    drop(lender.acquire_many(CONNECTIONS).expect("connections"));
    std::thread::scope(|scope| {
        for _ in 0..TASKS {
            scope.spawn(|| {
                while !counts.is_over.load(SeqCst) {
                    let Ok(mut loan) = lender.acquire() else {
                        counts.is_over.store(true, SeqCst);
                        return;
                    };
                    let was_up = counts.is_up.load(SeqCst);
                    counts.saw(was_up, ask(&mut loan));
                }
            });
        }
        restart(&counts);
    });
    assert!(lender.close(Duration::from_secs(60)).still_out.is_empty(), "{name}");
}

#[test]
fn postgresql_for_threads_survives_a_restart() {
    with_server("restart-threads", "", async |server| {
        for mode in ["fast", "immediate"] {
            let name = format!("restart-threads, {mode}");
            let maker = Blocking::new(server.config("postgres"));
            tokio::task::block_in_place(|| {
                threads(
                    &name,
                    maker,
                    |client| {
                        client
                            .simple_query("select 1")
                            .map(drop)
                            .map_err(|e| with_causes(&e).to_string())
                    },
                    |counts| {
                        let down = || server.stop_by(mode).expect("it stops");
                        counts.see_restart(&name, 1, down, || server.up().expect("up"));
                    },
                );
            });
        }
    });
}

fn increment(connection: &mut millpond_lend::makers::redis::Connection) -> Result<(), String> {
    redis::cmd("INCR")
        .arg("loans")
        .query::<u64>(connection)
        .map(drop)
        .map_err(|e| with_causes(&e).to_string())
}

#[test]
fn redis_for_threads_survives_a_restart() {
    let mut server = match redis_server::Server::start("restart", &[]) {
        Ok(server) => server,
        Err(why) => {
            eprintln!("not run: {why}");
            return;
        }
    };
    let maker = Redis::new(redis::Client::open(server.url()).expect("a client"));
    let server = std::cell::RefCell::new(&mut server);
    threads("redis", maker, increment, |counts| {
        let up = || server.borrow_mut().up().expect("up");
        counts.see_restart("redis", 1, || server.borrow_mut().stop(), up);
    });
}

/// A maker for threads in an asynchronous program.
#[derive(Clone, Copy)]
struct Increment;

impl AsyncQuery<millpond_lend::makers::redis::Connection> for Increment {
    async fn ask(
        self,
        connection: &mut millpond_lend::makers::redis::Connection,
    ) -> Result<(), String> {
        increment(connection)
    }
}

#[test]
fn redis_on_tokio_survives_a_restart() {
    let mut server = match redis_server::Server::start("restart-tokio", &[]) {
        Ok(server) => server,
        Err(why) => {
            eprintln!("not run: {why}");
            return;
        }
    };
    let maker = Threaded::new(Redis::new(redis::Client::open(server.url()).expect("a client")));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let counts = Arc::new(Counts::default());
        let (lender, tasks) = load(maker, &counts, Increment).await;
        let server = std::cell::RefCell::new(&mut server);
        tokio::task::block_in_place(|| {
            let up = || server.borrow_mut().up().expect("up");
            counts.see_restart("redis on tokio", 1, || server.borrow_mut().stop(), up);
        });
        for task in tasks {
            task.await.expect("a task");
        }
        assert!(lender.close(Duration::from_secs(60)).await.still_out.is_empty());
    });
}
