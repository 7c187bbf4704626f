//! What is lent: numbers that are slow to open, and connections to PostgreSQL.

use std::convert::Infallible;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use millpond_lend::makers::tokio_postgres::Postgres;
use millpond_lend::{BlockingMaker, Maker};

/// How long a number takes to open.
const OPEN: Duration = Duration::from_millis(20);

/// What a loan can be used for.
pub(crate) trait Usable: Send {
    /// Asks the database for 1; numbers have none.
    fn select_one(&mut self) -> impl Future<Output = ()> + Send;
}

impl Usable for u64 {
    async fn select_one(&mut self) {}
}

impl Usable for millpond_lend::makers::tokio_postgres::Connection {
    async fn select_one(&mut self) {
        self.simple_query("select 1").await.expect("an answer");
    }
}

impl Usable for sqlx::PgConnection {
    async fn select_one(&mut self) {
        sqlx::Executor::execute(self, "select 1").await.expect("an answer");
    }
}

/// Opens numbers, slowly.
#[derive(Debug, Clone, Default)]
pub(crate) struct Numbers {
    pub(crate) opened: Arc<AtomicU64>,
}

impl Numbers {
    async fn slowly(&self) -> u64 {
        tokio::time::sleep(OPEN).await;
        self.opened.fetch_add(1, Relaxed)
    }
}

impl Maker for Numbers {
    type Object = u64;
    type Error = Infallible;

    async fn open(&self) -> Result<u64, Infallible> {
        Ok(self.slowly().await)
    }

    async fn check(&self, _: &mut u64) -> Result<(), Infallible> {
        Ok(())
    }
}

impl BlockingMaker for Numbers {
    type Object = u64;
    type Error = Infallible;

    fn open(&self) -> Result<u64, Infallible> {
        Ok(self.opened.fetch_add(1, Relaxed))
    }

    fn check(&self, _: &mut u64) -> Result<(), Infallible> {
        Ok(())
    }
}

impl r2d2::ManageConnection for Numbers {
    type Connection = u64;
    type Error = Infallible;

    fn connect(&self) -> Result<u64, Infallible> {
        Ok(self.opened.fetch_add(1, Relaxed))
    }

    fn is_valid(&self, _: &mut u64) -> Result<(), Infallible> {
        Ok(())
    }

    fn has_broken(&self, _: &mut u64) -> bool {
        false
    }
}

/// Lets deadpool and bb8 open what a maker of millpond-lend opens, without a check between two loans.
#[derive(Debug, Clone)]
pub(crate) struct Managed<M>(pub(crate) M);

impl<M: Maker<Error: 'static, Object: 'static>> deadpool::managed::Manager for Managed<M> {
    type Type = M::Object;
    type Error = M::Error;

    async fn create(&self) -> Result<M::Object, M::Error> {
        self.0.open().await
    }

    async fn recycle(
        &self,
        _: &mut M::Object,
        _: &deadpool::managed::Metrics,
    ) -> deadpool::managed::RecycleResult<M::Error> {
        Ok(())
    }
}

impl<M: Maker<Error: 'static, Object: 'static>> bb8::ManageConnection for Managed<M> {
    type Connection = M::Object;
    type Error = M::Error;

    async fn connect(&self) -> Result<M::Object, M::Error> {
        self.0.open().await
    }

    async fn is_valid(&self, object: &mut M::Object) -> Result<(), M::Error> {
        self.0.check(object).await
    }

    fn has_broken(&self, object: &mut M::Object) -> bool {
        self.0.is_broken(object)
    }
}

/// How a connection to the server is opened.
pub(crate) fn postgres(server: &crate::postgres_server::Server) -> Postgres {
    Postgres::new(server.config("postgres"))
}
