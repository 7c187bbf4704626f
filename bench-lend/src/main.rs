//! Loans of millpond-lend beside deadpool, bb8, sqlx and r2d2: `cargo run --release -p millpond-bench-lend`
//!
//! The rounds of the contenders are interleaved, and the median counts. Where PostgreSQL is installed, all
//! lend ten connections to a server on a socket; without it they lend numbers, and sqlx is not run. With the
//! argument `short`, only numbers are lent, for nothing: a few seconds, to look at a change. With `sessions`, only what
//! depends on a server is compared: prepared statements, cancelled queries, and the adapter for deadpool's managers.

mod goals;
mod load;
mod objects;
mod pools;
#[path = "../../crates/millpond-lend/tests/common/postgres_server.rs"]
mod postgres_server;
mod sessions;
mod threads;

use std::time::Duration;

use load::{Figures, TASKS, median, round};
use millpond_lend::{Lender, Maker};
use objects::{Numbers, Usable, postgres};
use pools::{Pool, Use, bb8, deadpool, millpond};
use postgres_server::Server;

const ROUNDS: usize = 5;
const CONNECTIONS: usize = 10;

const USES: [(&str, Use); 3] = [
    ("nothing", Use::Nothing),
    ("held for 1 ms", Use::Hold(Duration::from_millis(1))),
    ("select 1", Use::SelectOne),
];

/// All figures of one contender: by use, tasks, and round.
type Table = Vec<[Vec<Figures>; TASKS.len()]>;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .expect("a runtime of tokio");
    if std::env::args().nth(1).as_deref() == Some("short") {
        runtime.block_on(short());
        return;
    }
    if std::env::args().nth(1).as_deref() == Some("sessions") {
        match Server::start("sessions", "max_connections = 200") {
            Ok(server) => runtime.block_on(sessions::compare(&server)),
            Err(why) => println!("not run: {why}"),
        }
        return;
    }
    runtime.block_on(async {
        match Server::start("bench", "max_connections = 200") {
            Ok(server) => on_postgres(&server).await,
            Err(why) => {
                println!("not run on PostgreSQL: {why}");
                let pools = all_of(Numbers::default).await;
                compare(&pools.0, &pools.1, &pools.2, None).await;
            }
        }
        others().await;
    });
    threads::compare();
}

/// Loans of numbers, alone and by 1,000 tasks.
async fn short() {
    const ROUNDS: usize = 21;
    let (lender, deadpool, bb8) = all_of(Numbers::default).await;
    let mut alone: [Vec<f64>; 3] = Default::default();
    let mut many: [Vec<f64>; 3] = Default::default();
    for _ in 0..ROUNDS {
        alone[0].push(load::alone(&lender).await);
        alone[1].push(load::alone(&deadpool).await);
        alone[2].push(load::alone(&bb8).await);
        many[0].push(round(&lender, Use::Nothing, 1_000).await.loans_per_s);
        many[1].push(round(&deadpool, Use::Nothing, 1_000).await.loans_per_s);
        many[2].push(round(&bb8, Use::Nothing, 1_000).await.loans_per_s);
    }
    let median = |values: &mut Vec<f64>| {
        values.sort_by(f64::total_cmp);
        values[ROUNDS / 2]
    };
    let [millpond, deadpool, bb8] = alone.each_mut().map(median);
    println!(
        "alone, ns: {millpond:.0}, deadpool {deadpool:.0}, bb8 {bb8:.0}; ratio to deadpool {:.2}",
        millpond / deadpool
    );
    let [millpond, deadpool, bb8] = many.each_mut().map(median);
    println!(
        "1,000 tasks, loans a second: {millpond:.0}, deadpool {deadpool:.0}, bb8 {bb8:.0}; ratio to deadpool {:.2}",
        millpond / deadpool
    );
}

async fn on_postgres(server: &Server) {
    let (lender, deadpool, bb8) = all_of(|| postgres(server).keeps_transactions()).await;
    let folder = server.socket().parent().expect("a folder").to_owned();
    let sqlx = pools::sqlx(&folder, CONNECTIONS);
    compare(&lender, &deadpool, &bb8, Some(&sqlx)).await;
    sessions::compare(server).await;
    drop(lender.close(Duration::from_secs(5)).await);
    sqlx.close().await;
}

type AllOf<M> =
    (Lender<M>, deadpool::managed::Pool<objects::Managed<M>>, bb8::Pool<objects::Managed<M>>);

async fn all_of<M: Maker<Object: 'static, Error: 'static>>(maker: impl Fn() -> M) -> AllOf<M> {
    (
        millpond(maker(), CONNECTIONS),
        deadpool(maker(), CONNECTIONS),
        bb8(maker(), CONNECTIONS).await,
    )
}

/// Interleaved rounds of all, then the tables.
async fn compare<M: Maker<Object: Usable + 'static, Error: 'static>>(
    lender: &Lender<M>,
    deadpool: &deadpool::managed::Pool<objects::Managed<M>>,
    bb8: &bb8::Pool<objects::Managed<M>>,
    sqlx: Option<&sqlx::PgPool>,
) {
    let mut alone: [Vec<f64>; 4] = Default::default();
    let mut tables: [Table; 4] = std::array::from_fn(|_| vec![Default::default(); USES.len()]);
    for _ in 0..=ROUNDS {
        alone[0].push(load::alone(lender).await);
        alone[1].push(load::alone(deadpool).await);
        alone[2].push(load::alone(bb8).await);
        if let Some(sqlx) = sqlx {
            alone[3].push(load::alone(sqlx).await);
        }
        for (index, (_, what_for)) in USES.iter().enumerate() {
            for (column, tasks) in TASKS.into_iter().enumerate() {
                let figures = [
                    Some(round(lender, *what_for, tasks).await),
                    Some(round(deadpool, *what_for, tasks).await),
                    Some(round(bb8, *what_for, tasks).await),
                    match sqlx {
                        Some(sqlx) => Some(round(sqlx, *what_for, tasks).await),
                        None => None,
                    },
                ];
                for (table, figures) in tables.iter_mut().zip(figures) {
                    table[index][column].extend(figures);
                }
            }
        }
    }
    let names = [
        Lender::<M>::NAME,
        <deadpool::managed::Pool<objects::Managed<M>> as Pool>::NAME,
        <bb8::Pool<objects::Managed<M>> as Pool>::NAME,
        <sqlx::PgPool as Pool>::NAME,
    ];
    println!("alone: a loan of nothing that nobody else wants, ns");
    for (name, times) in names.iter().zip(&mut alone).filter(|(_, times)| !times.is_empty()) {
        times.sort_by(f64::total_cmp);
        println!("{name:14}{:>8.0}", times[times.len() / 2]);
    }
    for (index, (what_for, _)) in USES.iter().enumerate() {
        println!(
            "\n{what_for}, {CONNECTIONS} connections: loans a second; wait of 50 % and of 99.9 %, µs"
        );
        print!("{:14}", "tasks");
        TASKS.iter().for_each(|tasks| print!("{tasks:>28}"));
        println!();
        for (name, table) in names.iter().zip(&tables) {
            if table[index][0].is_empty() {
                continue;
            }
            print!("{name:14}");
            for rounds in &table[index] {
                // The first round opens the connections.
                let Figures { loans_per_s, wait_p50_us, wait_p999_us } = median(&rounds[1..]);
                print!("{loans_per_s:>12.0}{wait_p50_us:>8.1}{wait_p999_us:>8.0}");
            }
            println!();
        }
    }
    let stats = lender.stats();
    let checks = stats.checks as f64 / stats.loans as f64;
    println!(
        "\nchecks per loan of millpond-lend: {checks:.6} ({} of {})",
        stats.checks, stats.loans
    );
}

/// What does not depend on the database.
async fn others() {
    let numbers = Numbers::default;
    println!("\nthe share of a hog among 21, in fair shares; opened for 1,000 short tasks, of 100");
    let opened = numbers();
    let herd = goals::herd(millpond(opened.clone(), 100), &opened).await;
    let share = goals::hogs_share(millpond(numbers(), 1)).await;
    println!("{:14}{share:>8.2}{herd:>8}", Lender::<Numbers>::NAME);
    let opened = numbers();
    let herd = goals::herd(deadpool(opened.clone(), 100), &opened).await;
    let share = goals::hogs_share(deadpool(numbers(), 1)).await;
    println!("{:14}{share:>8.2}{herd:>8}", "deadpool");
    let opened = numbers();
    let herd = goals::herd(bb8(opened.clone(), 100).await, &opened).await;
    let share = goals::hogs_share(bb8(numbers(), 1).await).await;
    println!("{:14}{share:>8.2}{herd:>8}", "bb8");
    println!("\nwait of 99 %, planned from a recording without waits, and measured, ms");
    for capacity in [7, 8, 9] {
        let (planned, measured) = goals::planned_and_measured(capacity).await;
        println!(
            "capacity {capacity}: {planned:.1} {measured:.1}, ratio {:.2}",
            measured / planned
        );
    }
}
