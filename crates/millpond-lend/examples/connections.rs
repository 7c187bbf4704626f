//! An order book in SQLite, from its first connection to a pool of the right size:
//! `cargo run --release -p millpond-lend --example connections --features rusqlite`
//!
//! It writes `orders.trace`, and prints the command that replays it with each capacity.

use std::error::Error;
use std::fs::File;
use std::path::Path;
use std::thread;
use std::time::Duration;

use millpond_lend::BlockingLender;
use millpond_lend::makers::rusqlite::Sqlite;

const WAITERS: usize = 16;
const ORDERS_EACH: usize = 200;

fn main() -> Result<(), Box<dyn Error>> {
    let directory = std::env::temp_dir().join(format!("connections-{}", std::process::id()));
    std::fs::create_dir_all(&directory)?;
    let result = take_orders(&directory.join("orders.db"));
    std::fs::remove_dir_all(&directory)?;
    result
}

fn take_orders(database: &Path) -> Result<(), Box<dyn Error>> {
    let maker = Sqlite::new(database).set_up(|connection| {
        connection.pragma_update(None, "journal_mode", "wal")?;
        connection.execute_batch("create table if not exists orders (table_number int, dish text)")
    });
    let lender = BlockingLender::builder(maker).capacity(8).name("orders").build()?;
    lender.begin_trace();

    thread::scope(|scope| {
        let waiters: Vec<_> = (0..WAITERS)
            .map(|table| {
                let lender = &lender;
                scope.spawn(move || -> Result<(), String> {
                    for order in 0..ORDERS_EACH {
                        let connection = lender.acquire().map_err(|error| error.to_string())?;
                        let dish = if order % 2 == 0 { "soup" } else { "bread" };
                        connection
                            .execute("insert into orders values (?1, ?2)", (table, dish))
                            .map_err(|error| error.to_string())?;
                        drop(connection); // goes to the next who waits
                        thread::sleep(Duration::from_millis(1));
                    }
                    Ok(())
                })
            })
            .collect();
        waiters.into_iter().try_for_each(|waiter| {
            waiter.join().unwrap_or_else(|_| Err("a waiter has panicked".into()))
        })
    })?;

    let connection = lender.acquire()?;
    let orders: usize =
        connection.query_row("select count(*) from orders", [], |row| row.get(0))?;
    drop(connection);
    if orders != WAITERS * ORDERS_EACH {
        return Err(format!("{orders} orders of {} have arrived", WAITERS * ORDERS_EACH).into());
    }
    let stats = lender.stats();
    println!(
        "{orders} orders through {} connections, {} of {} callers at once waited at most",
        stats.opened, stats.peak_waiting, WAITERS
    );
    println!("99 % of the waits were below {} µs", stats.wait_us_at(0.99) + 1);
    lender.write_trace(File::create("orders.trace")?, true)?;
    let open_ms = (stats.mean_open_us as f64 / 1_000.0).max(0.1);
    println!("millpond plan orders.trace --wait-p99-ms 5 --open-ms {open_ms:.1}");
    let report = lender.close(Duration::from_secs(5));
    println!("{} connections closed, {} still out", report.closed, report.still_out.len());
    Ok(())
}
