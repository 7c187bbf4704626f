//! The program of the guide's page on connections to PostgreSQL:
//! `cargo run --release -p millpond-lend --example first_postgres --features tokio-postgres -- host=localhost
//! user=postgres`

use std::error::Error;
use std::time::Duration;

use millpond_lend::makers::tokio_postgres::Postgres;
use millpond_lend::{Lender, TokioTimer, with_causes};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let maker = Postgres::new(words.join(" ").parse()?);
    let (lender, keeper) = Lender::builder(maker)
        .capacity(4)
        .acquire_timeout(Duration::from_secs(2))
        .name("orders")
        .build();
    tokio::spawn(keeper.run(TokioTimer));

    let tasks: Vec<_> = (0..8)
        .map(|table: i32| {
            let lender = lender.clone();
            tokio::spawn(async move {
                let connection = match lender.acquire().await {
                    Ok(connection) => connection,
                    Err(error) => return Err(format!("table {table}: {error}")),
                };
                let row = connection.query_one("select $1::int + 1", &[&table]).await;
                let row = row.map_err(|error| format!("table {table}: {}", with_causes(&error)))?;
                Ok(row.get::<_, i32>(0))
            })
        })
        .collect();
    let mut sum = 0;
    for task in tasks {
        sum += task.await??;
    }
    println!("the sum is {sum}\n{}", lender.stats());
    lender.close(Duration::from_secs(5)).await;
    Ok(())
}
