//! The program of the guide's page on connections:
//! `cargo run --release -p millpond-lend --example first_lender --features rusqlite`

use std::error::Error;
use std::fs::File;
use std::thread;
use std::time::Duration;

use millpond_lend::BlockingLender;
use millpond_lend::makers::rusqlite::Sqlite;

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let maker = Sqlite::new("orders.db").set_up(|connection| {
        connection.pragma_update(None, "journal_mode", "wal")?;
        connection.execute_batch("create table if not exists orders (dish text)")
    });
    let lender = BlockingLender::builder(maker).capacity(4).name("orders").build()?;
    lender.begin_trace(); // for the plan below

    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..100 {
                    let connection = lender.acquire().unwrap();
                    connection.execute("insert into orders values ('soup')", []).unwrap();
                    drop(connection); // it goes back, to the first caller in the queue
                    thread::sleep(Duration::from_millis(1));
                }
            });
        }
    });

    let connection = lender.acquire()?;
    let orders: u32 = connection.query_row("select count(*) from orders", [], |row| row.get(0))?;
    drop(connection);
    let stats = lender.stats();
    let open_ms = stats.mean_open_us as f64 / 1e3;
    println!("{orders} orders, {} connections opened in {open_ms:.1} ms each", stats.opened);
    lender.write_trace(File::create("orders.trace")?, true)?;
    Ok(())
}
