//! Where the orders go.

use std::collections::BTreeSet;
use std::future::Future;
use std::time::{Duration, Instant};

use millpond_demos::Failure;
use millpond_lend::makers::rusqlite::Sqlite;
use millpond_lend::makers::tokio_postgres::Postgres;
use millpond_lend::{Loan, Maker, Threaded, with_causes};

/// How long an order keeps its connection, beside what the database needs.
const WORK_MS: u64 = 4;

/// A database with a table of orders. A connection that fails is not lent again.
pub(crate) trait Store: Maker + Sized {
    /// Creates the table.
    fn create(loan: Loan<Self>) -> impl Future<Output = Result<(), String>> + Send;

    /// Puts an order into the table.
    fn insert(loan: Loan<Self>, id: i64) -> impl Future<Output = Result<(), String>> + Send;

    /// The orders in the table.
    fn ids(loan: Loan<Self>) -> impl Future<Output = Result<BTreeSet<i64>, String>> + Send;
}

const CREATE: &str = "create table orders (id bigint primary key)";

impl Store for Postgres {
    async fn create(loan: Loan<Self>) -> Result<(), String> {
        loan.batch_execute(CREATE).await.map_err(|error| say(&error))
    }

    async fn insert(loan: Loan<Self>, id: i64) -> Result<(), String> {
        let seconds = Duration::from_millis(WORK_MS).as_secs_f64();
        let insert = "insert into orders select $1::bigint from pg_sleep($2)";
        match loan.execute(insert, &[&id, &seconds]).await {
            Ok(_) => Ok(()),
            Err(error) => {
                // The connection's task sees the end of the socket a moment later than the query.
                loan.discard();
                Err(say(&error))
            }
        }
    }

    async fn ids(loan: Loan<Self>) -> Result<BTreeSet<i64>, String> {
        let rows = loan.query("select id from orders", &[]).await;
        let rows = rows.map_err(|error| say(&error))?;
        Ok(rows.iter().map(|row| row.get(0)).collect())
    }
}

impl Store for Threaded<Sqlite> {
    async fn create(loan: Loan<Self>) -> Result<(), String> {
        blocking(move || loan.execute_batch(CREATE)).await
    }

    async fn insert(loan: Loan<Self>, id: i64) -> Result<(), String> {
        blocking(move || {
            std::thread::sleep(Duration::from_millis(WORK_MS));
            loan.execute("insert into orders values (?1)", [id]).map(drop)
        })
        .await
    }

    async fn ids(loan: Loan<Self>) -> Result<BTreeSet<i64>, String> {
        blocking(move || {
            let mut select = loan.prepare("select id from orders")?;
            select.query_map([], |row| row.get(0))?.collect()
        })
        .await
    }
}

/// An error, with what led to it.
fn say(error: &(dyn std::error::Error + 'static)) -> String {
    with_causes(error).to_string()
}

/// SQLite's calls block: they have threads of their own.
async fn blocking<R: Send + 'static>(
    call: impl FnOnce() -> Result<R, rusqlite::Error> + Send + 'static,
) -> Result<R, String> {
    let done = tokio::task::spawn_blocking(call).await;
    done.map_err(|error| say(&error))?.map_err(|error| say(&error))
}

/// How many sessions others than this one have at the server; waits up to ten seconds for there to be none.
pub(crate) async fn sessions_left(config: &tokio_postgres::Config) -> Result<i64, Failure> {
    let (client, connection) = config.connect(tokio_postgres::NoTls).await?;
    tokio::spawn(connection);
    let others = "select count(*) from pg_stat_activity \
                  where backend_type = 'client backend' and pid <> pg_backend_pid()";
    let give_up = Instant::now() + Duration::from_secs(10);
    loop {
        let sessions = client.query_one(others, &[]).await?.get(0);
        if sessions == 0 || Instant::now() > give_up {
            return Ok(sessions);
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
