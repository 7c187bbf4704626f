//! What a lender leaves behind at a real PostgreSQL server when it is closed: nothing.

use std::time::{Duration, Instant};

use millpond_lend::Lender;
use millpond_lend::makers::tokio_postgres::Postgres;
use tokio_postgres::Config;

/// Closes the lender; then the server has no session but the one that asks, and `open`, which counts what else there
/// is, comes to 0 as well.
pub(crate) async fn closes_and_leaves_nothing(
    lender: &Lender<Postgres>,
    config: &Config,
    open: impl Fn() -> u64,
) {
    let report = lender.close(Duration::from_secs(60)).await;
    assert!(report.still_out.is_empty());
    let give_up = Instant::now() + Duration::from_secs(60);
    // Where the server allows few sessions, those that are about to end may still be all of them.
    let (client, connection) = loop {
        match config.connect(tokio_postgres::NoTls).await {
            Ok(connected) => break connected,
            Err(error) => assert!(Instant::now() < give_up, "{error}"),
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    };
    tokio::spawn(connection);
    let others = "select count(*) from pg_stat_activity \
                  where backend_type = 'client backend' and pid <> pg_backend_pid()";
    loop {
        let sessions: i64 = client.query_one(others, &[]).await.unwrap().get(0);
        let open = open();
        if (sessions, open) == (0, 0) {
            return;
        }
        assert!(Instant::now() < give_up, "{sessions} sessions and {open} connections are left");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
