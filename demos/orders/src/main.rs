//! A web service that takes orders, over PostgreSQL or, without it, SQLite, under load from a driver in the
//! same program; in the middle the database server is stopped at once and started again:
//! `cargo run --release -p millpond-orders-demo`, and with `-- --sqlite` over SQLite in any case.
//!
//! Everything stays on loopback. While it runs, `millpond watch target/demos/orders/orders.trace` shows
//! waits, loans and openings; at its end it draws them. It ends with an error if an order was lost that
//! should not be: each gets an answer, what was acknowledged is in the table, and the restart costs at most
//! one error for each connection that was open.

mod driver;
mod picture;
#[path = "../../../crates/millpond-lend/tests/common/postgres_server.rs"]
mod postgres_server;
mod service;
mod store;

use std::fs::File;
use std::io::BufWriter;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::time::{Duration, Instant};

use millpond_demos::{Failure, Stage, check, play_with};
use millpond_lend::makers::rusqlite::Sqlite;
use millpond_lend::makers::tokio_postgres::Postgres;
use millpond_lend::{Lender, Threaded, TokioTimer};

use driver::{Load, Tally};
use postgres_server::Server;
use store::Store;

const CAPACITY: usize = 8;
const CLIENTS: u64 = 48;
const ORDERS: u64 = 6_000;
const ORDERS_IN_SHORT: u64 = 1_200;

/// The whole load takes no longer than this, or something hangs.
const LOAD_MAX: Duration = Duration::from_secs(60);

/// How long the server is down, beside what stopping and starting take.
const PAUSE: Duration = Duration::from_millis(300);

/// What happens to the database in the middle of the load.
struct Interruption {
    /// The picture's title.
    title: &'static str,
    /// What is the case from its beginning to its end.
    meanwhile: &'static str,
    /// How many orders may fail.
    errors_max: u64,
}

const RESTART: Interruption = Interruption {
    title: "48 clients, 8 connections, and a database that restarts",
    meanwhile: "the server is down",
    errors_max: CAPACITY as u64,
};

const REPLACEMENT: Interruption = Interruption {
    title: "48 clients, 8 connections, and all of them replaced at once",
    meanwhile: "all connections are replaced",
    errors_max: 0,
};

#[derive(Debug, clap::Args)]
struct Options {
    /// Use SQLite even if PostgreSQL is installed
    #[arg(long)]
    sqlite: bool,
}

fn main() -> ExitCode {
    play_with("orders", |stage, options: Options| {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        runtime.block_on(async {
            if options.sqlite {
                return on_sqlite(stage).await;
            }
            match Server::start("orders-demo", "") {
                Ok(server) => on_postgres(stage, server).await,
                Err(why) => {
                    millpond_demos::say!("not run on PostgreSQL: {why}; on SQLite instead");
                    on_sqlite(stage).await
                }
            }
        })
    })
}

async fn on_postgres(stage: &Stage, server: Server) -> Result<(), Failure> {
    let server = Arc::new(server);
    let maker = Postgres::new(server.config("postgres"));
    let restarted = Arc::clone(&server);
    let restart = move |_: &Lender<Postgres>| {
        restarted.stop().map_err(Failure::Impossible)?;
        std::thread::sleep(PAUSE);
        restarted.up().map_err(Failure::Impossible)
    };
    show(stage, maker, restart, &RESTART).await?;
    let config: tokio_postgres::Config = server.config("postgres");
    let sessions = store::sessions_left(&config).await?;
    check(sessions == 0, format!("no session is left at the server: {sessions}"))
}

async fn on_sqlite(stage: &Stage) -> Result<(), Failure> {
    let file = stage.path("orders.db");
    for suffix in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(stage.path(&format!("orders.db{suffix}")));
    }
    let maker = Sqlite::new(&file).set_up(|connection| {
        connection.pragma_update(None, "journal_mode", "wal")?;
        connection.pragma_update(None, "synchronous", "normal")
    });
    millpond_demos::say!(
        "SQLite has no server that could restart: all connections are replaced instead"
    );
    let replace_all = |lender: &Lender<Threaded<Sqlite>>| {
        lender.evict_all();
        Ok(())
    };
    show(stage, Threaded::new(maker), replace_all, &REPLACEMENT).await
}

/// The load on the service, with the restart when two fifths of the orders have their answer.
async fn show<S: Store>(
    stage: &Stage,
    maker: S,
    restart: impl FnOnce(&Lender<S>) -> Result<(), Failure> + Send + 'static,
    interruption: &Interruption,
) -> Result<(), Failure> {
    let orders = if stage.is_short { ORDERS_IN_SHORT } else { ORDERS };
    let (lender, keeper) = Lender::builder(maker)
        .capacity(CAPACITY)
        .acquire_timeout(Duration::from_millis(10_000))
        .name("orders")
        .build();
    let built = Instant::now();
    tokio::spawn(keeper.run(TokioTimer));
    S::create(lender.acquire().await?).await.map_err(Failure::Impossible)?;

    let trace = stage.path("orders.trace");
    millpond_demos::say!("in another terminal: millpond watch {}", trace.display());
    let is_over = Arc::new(AtomicBool::new(false));
    let recorder = tokio::spawn(record(lender.clone(), trace.clone(), Arc::clone(&is_over)));
    let address = service::start(lender.clone()).await?;
    let answered = Arc::new(AtomicU64::new(0));
    let restarter = {
        let (lender, answered) = (lender.clone(), Arc::clone(&answered));
        tokio::task::spawn_blocking(move || {
            while answered.load(SeqCst) < orders * 2 / 5 {
                std::thread::sleep(Duration::from_millis(2));
            }
            let down = Instant::now();
            restart(&lender)?;
            Ok::<_, Failure>((down, Instant::now()))
        })
    };
    let load = Load { address, clients: CLIENTS, orders, answered };
    let tally = tokio::time::timeout(LOAD_MAX, driver::run(load)).await;
    let tally = tally.map_err(|_| Failure::Untrue(format!("the load ends in {LOAD_MAX:?}")))??;
    let (down, up) = restarter.await??;
    let in_table = S::ids(lender.acquire().await?).await.map_err(Failure::Impossible)?;
    let stats = lender.stats();
    let report = lender.close(Duration::from_secs(10)).await;
    is_over.store(true, SeqCst);
    recorder.await??;

    tell(&tally, &stats, interruption, (down, up));
    let since_built = |at: Instant| at.duration_since(built).as_secs_f64();
    picture::draw(stage, &trace, interruption, since_built(down)..since_built(up))?;
    check(
        tally.unanswered.is_empty(),
        format!("each order gets an answer: {:?}", tally.unanswered),
    )?;
    check(
        tally.answers() == orders,
        format!("{} of {orders} orders are told of", tally.answers()),
    )?;
    check(tally.refused.is_empty(), format!("nobody waits in vain: {:?}", tally.refused))?;
    let errors = tally.failed.len() as u64;
    check(
        errors <= interruption.errors_max,
        format!("{errors} errors, at most {}, one for each loan", interruption.errors_max),
    )?;
    let lost = tally.acknowledged.difference(&in_table).count();
    check(lost == 0, format!("what is acknowledged is in the table: {lost} are not"))?;
    let known = |id: &i64| {
        tally.acknowledged.contains(id) || tally.failed.contains(id) || tally.hung_up.contains(id)
    };
    check(in_table.iter().all(known), "nothing else is in the table")?;
    check(report.still_out.is_empty(), format!("all loans are back: {:?}", report.still_out))
}

/// Writes the live trace ten times a second, until the lender is closed and that is written, too.
async fn record<S: Store>(
    lender: Lender<S>,
    path: std::path::PathBuf,
    is_over: Arc<AtomicBool>,
) -> std::io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    lender.begin_trace();
    lender.write_live(&mut file, true)?;
    loop {
        let is_last = is_over.load(SeqCst);
        lender.write_live(&mut file, false)?;
        if is_last {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

fn tell(
    tally: &Tally,
    stats: &millpond_lend::Stats,
    interruption: &Interruption,
    (down, up): (Instant, Instant),
) {
    millpond_demos::say!(
        "{} orders: {} acknowledged, {} failed, {} clients hung up",
        tally.answers(),
        tally.acknowledged.len(),
        tally.failed.len(),
        tally.hung_up.len()
    );
    millpond_demos::say!(
        "{} connections opened for {CLIENTS} clients, at most {} of {CAPACITY} at once; {} openings failed",
        stats.opened,
        stats.peak_out,
        stats.open_failed
    );
    millpond_demos::say!(
        "waits: 50 % below {:.1} ms, 99 % below {:.1} ms",
        ms(stats.wait_us_at(0.5) + 1),
        ms(stats.wait_us_at(0.99) + 1)
    );
    let after = tally.answered_at.iter().filter(|at| **at > up).min();
    if let Some(first) = after {
        let in_a_second = |from: Instant| {
            let range = from..from + Duration::from_secs(1);
            tally.answered_at.iter().filter(|at| range.contains(at)).count()
        };
        millpond_demos::say!(
            "{} for {:.0} ms; first order {:.0} ms after; {} orders in that second, {} in the \
             one before the stop",
            interruption.meanwhile,
            1e3 * (up - down).as_secs_f64(),
            1e3 * (*first - up).as_secs_f64(),
            in_a_second(up),
            down.checked_sub(Duration::from_secs(1)).map_or(0, in_a_second)
        );
    }
}

fn ms(us: u64) -> f64 {
    us as f64 / 1_000.0
}
