//! The program of the guide's page on connections to PostgreSQL:
//! `cargo run --release -p millpond-lend --example first_postgres --features tokio-postgres -- host=localhost
//! user=postgres`

use std::error::Error;
use std::time::Duration;

use millpond_lend::makers::tokio_postgres::{Connection, Postgres};
use millpond_lend::{Lender, TokioTimer, tokio_postgres, with_causes};
use tokio::time::timeout;

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
        .map(|table| {
            let lender = lender.clone();
            tokio::spawn(async move {
                let bill = bill(&lender, table).await;
                bill.map_err(|error| format!("table {table}: {error}"))
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

/// May be cancelled at any time, and takes seven seconds at most.
async fn bill(lender: &Lender<Postgres>, table: i32) -> Result<i32, String> {
    let mut loan = lender.acquire().await.map_err(|error| error.to_string())?;
    let connection = loan.exchange(); // closed unless it finishes
    let answer = timeout(Duration::from_secs(5), ask(&connection, table)).await;
    let answer = answer.map_err(|_| "the database does not answer")?;
    connection.finish(); // it has answered, even if with an error
    answer.map_err(|error| with_causes(&error).to_string())
}

async fn ask(connection: &Connection, table: i32) -> Result<i32, tokio_postgres::Error> {
    let statement = connection.prepare_cached("select $1::int + 1").await?;
    Ok(connection.query_one(&statement, &[&table]).await?.get(0))
}
