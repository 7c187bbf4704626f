//! The contenders. None checks an object before it lends it: what is compared is the pool.

use std::future::Future;
use std::ops::DerefMut;
use std::time::{Duration, Instant};

use millpond_lend::{Lender, Maker, TokioTimer};

use crate::objects::{Managed, Usable};

/// What a loan is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    Nothing,
    /// So long it is held, and nothing else happens.
    Hold(Duration),
    SelectOne,
}

impl Use {
    async fn of(self, object: &mut impl Usable) {
        match self {
            Self::Nothing => {}
            Self::Hold(time) => tokio::time::sleep(time).await,
            Self::SelectOne => object.select_one().await,
        }
    }
}

/// A pool that lends.
pub(crate) trait Pool: Clone + Send + Sync + 'static {
    const NAME: &'static str;
    type Object: Usable;

    /// Takes a loan.
    fn take(&self) -> impl Future<Output = impl DerefMut<Target = Self::Object> + Send> + Send;

    /// Takes a loan and gives it back.
    fn once(&self) -> impl Future<Output = ()> + Send {
        async { drop(self.take().await) }
    }

    /// Takes a loan, uses it, gives it back; returns how long it took to get it.
    fn loan(&self, what_for: Use) -> impl Future<Output = Duration> + Send {
        async move {
            let asked = Instant::now();
            let mut loan = self.take().await;
            let waited = asked.elapsed();
            what_for.of(&mut *loan).await;
            waited
        }
    }
}

impl<M: Maker<Object: Usable>> Pool for Lender<M> {
    const NAME: &'static str = "millpond-lend";
    type Object = M::Object;

    async fn take(&self) -> impl DerefMut<Target = M::Object> + Send {
        self.acquire().await.expect("a loan")
    }
}

impl<M: Maker<Object: Usable + 'static, Error: 'static>> Pool
    for deadpool::managed::Pool<Managed<M>>
{
    const NAME: &'static str = "deadpool";
    type Object = M::Object;

    async fn take(&self) -> impl DerefMut<Target = M::Object> + Send {
        self.get().await.expect("a loan")
    }
}

impl<M: Maker<Object: Usable + 'static, Error: 'static>> Pool for bb8::Pool<Managed<M>> {
    const NAME: &'static str = "bb8";
    type Object = M::Object;

    async fn take(&self) -> impl DerefMut<Target = M::Object> + Send {
        self.get().await.expect("a loan")
    }
}

impl Pool for sqlx::PgPool {
    const NAME: &'static str = "sqlx";
    type Object = sqlx::PgConnection;

    async fn take(&self) -> impl DerefMut<Target = sqlx::PgConnection> + Send {
        self.acquire().await.expect("a loan")
    }
}

pub(crate) fn millpond<M: Maker>(maker: M, capacity: usize) -> Lender<M> {
    let builder = Lender::builder(maker).capacity(capacity).waiters_max(2_000);
    // Its own checks, of what was idle for a second, stay as they are.
    let (lender, keeper) = builder.acquire_timeout(Duration::from_millis(60_000)).build();
    tokio::spawn(keeper.run(TokioTimer));
    lender
}

pub(crate) fn deadpool<M>(maker: M, capacity: usize) -> deadpool::managed::Pool<Managed<M>>
where
    M: Maker<Object: 'static, Error: 'static>,
{
    deadpool::managed::Pool::builder(Managed(maker)).max_size(capacity).build().expect("a pool")
}

pub(crate) async fn bb8<M>(maker: M, capacity: usize) -> bb8::Pool<Managed<M>>
where
    M: Maker<Object: 'static, Error: 'static>,
{
    let size = u32::try_from(capacity).expect("a small capacity");
    let builder = bb8::Pool::builder().max_size(size).test_on_check_out(false);
    builder.connection_timeout(Duration::from_secs(60)).build(Managed(maker)).await.expect("a pool")
}

pub(crate) fn sqlx(folder: &std::path::Path, capacity: usize) -> sqlx::PgPool {
    let options = sqlx::postgres::PgConnectOptions::new_without_pgpass()
        .socket(folder)
        .username("cook")
        .database("postgres");
    sqlx::postgres::PgPoolOptions::new()
        .max_connections(u32::try_from(capacity).expect("a small capacity"))
        .test_before_acquire(false)
        .acquire_timeout(Duration::from_secs(60))
        .connect_lazy_with(options)
}
