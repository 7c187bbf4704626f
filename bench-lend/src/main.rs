//! Loans of millpond-lend beside bb8, deadpool and r2d2: `cargo run --release -p millpond-bench-lend`
//!
//! Each contender lends the same objects, which take 20 ms to open and whose use is a no-op. The rounds
//! are interleaved, and the best of each contender counts.

use std::convert::Infallible;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use millpond_lend::{BlockingLender, BlockingMaker, Lender, Maker, TokioTimer};

const ROUNDS: usize = 5;
const ALONE: u32 = 200_000;
const TASKS: usize = 1_000;
const LOANS_EACH: usize = 200;
const CONNECTIONS: usize = 10;
const OPEN: Duration = Duration::from_millis(20);

/// Opens numbers, slowly.
#[derive(Clone, Default)]
struct Numbers {
    opened: Arc<AtomicU64>,
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

impl deadpool::managed::Manager for Numbers {
    type Type = u64;
    type Error = Infallible;

    async fn create(&self) -> Result<u64, Infallible> {
        Ok(self.slowly().await)
    }

    async fn recycle(
        &self,
        _: &mut u64,
        _: &deadpool::managed::Metrics,
    ) -> deadpool::managed::RecycleResult<Infallible> {
        Ok(())
    }
}

impl bb8::ManageConnection for Numbers {
    type Connection = u64;
    type Error = Infallible;

    async fn connect(&self) -> Result<u64, Infallible> {
        Ok(self.slowly().await)
    }

    async fn is_valid(&self, _: &mut u64) -> Result<(), Infallible> {
        Ok(())
    }

    fn has_broken(&self, _: &mut u64) -> bool {
        false
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

type Deadpool = deadpool::managed::Pool<Numbers>;

/// A pool that lends a number for a moment.
trait Pool: Clone + Send + Sync + 'static {
    const NAME: &'static str;
    fn new(numbers: Numbers, capacity: usize) -> impl Future<Output = Self> + Send;
    fn loan(&self) -> impl Future<Output = u64> + Send;
}

impl Pool for Lender<Numbers> {
    const NAME: &'static str = "millpond-lend";

    async fn new(numbers: Numbers, capacity: usize) -> Self {
        let (lender, keeper) = Lender::builder(numbers).capacity(capacity).build();
        tokio::spawn(keeper.run(TokioTimer));
        lender
    }

    async fn loan(&self) -> u64 {
        *self.acquire().await.expect("a loan")
    }
}

impl Pool for Deadpool {
    const NAME: &'static str = "deadpool";

    async fn new(numbers: Numbers, capacity: usize) -> Self {
        Self::builder(numbers).max_size(capacity).build().expect("a pool")
    }

    async fn loan(&self) -> u64 {
        *self.get().await.expect("a loan")
    }
}

impl Pool for bb8::Pool<Numbers> {
    const NAME: &'static str = "bb8";

    async fn new(numbers: Numbers, capacity: usize) -> Self {
        let size = u32::try_from(capacity).expect("a small capacity");
        Self::builder().max_size(size).build(numbers).await.expect("a pool")
    }

    async fn loan(&self) -> u64 {
        *self.get().await.expect("a loan")
    }
}

/// What a contender achieved, each in its best round.
#[derive(Clone, Copy)]
struct Best {
    alone_ns: f64,
    loans_per_s: f64,
    opened: u64,
}

async fn round<P: Pool>(best: &mut Best) {
    let pool = P::new(Numbers::default(), 1).await;
    pool.loan().await;
    let start = Instant::now();
    for _ in 0..ALONE {
        std::hint::black_box(pool.loan().await);
    }
    best.alone_ns = best.alone_ns.min(start.elapsed().as_nanos() as f64 / f64::from(ALONE));

    let pool = P::new(Numbers::default(), CONNECTIONS).await;
    run_tasks(&pool, 4 * CONNECTIONS).await;
    let start = Instant::now();
    run_tasks(&pool, LOANS_EACH).await;
    let loans_per_s = (TASKS * LOANS_EACH) as f64 / start.elapsed().as_secs_f64();
    best.loans_per_s = best.loans_per_s.max(loans_per_s);

    let numbers = Numbers::default();
    let pool = P::new(numbers.clone(), 100).await;
    run_tasks(&pool, 1).await;
    best.opened = best.opened.max(numbers.opened.load(Relaxed));
}

async fn run_tasks<P: Pool>(pool: &P, loans_each: usize) {
    let tasks: Vec<_> = (0..TASKS)
        .map(|_| {
            let pool = pool.clone();
            tokio::spawn(async move {
                for _ in 0..loans_each {
                    std::hint::black_box(pool.loan().await);
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.expect("a task");
    }
}

fn print<P: Pool>(best: Best) {
    let Best { alone_ns, loans_per_s, opened } = best;
    println!("{:14} {alone_ns:8.0} {:12.2} {opened:8}", P::NAME, loans_per_s / 1e6);
}

/// The time of one loan on one thread, for the pools of threads.
fn threads() {
    let lender = BlockingLender::builder(Numbers::default()).capacity(1).build().expect("a thread");
    let r2d2 = r2d2::Pool::builder().max_size(1).build(Numbers::default()).expect("a pool");
    drop((lender.acquire(), r2d2.get()));
    let mut best = [f64::MAX; 2];
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for _ in 0..ALONE {
            std::hint::black_box(*lender.acquire().expect("a loan"));
        }
        best[0] = best[0].min(start.elapsed().as_nanos() as f64 / f64::from(ALONE));
        let start = Instant::now();
        for _ in 0..ALONE {
            std::hint::black_box(*r2d2.get().expect("a loan"));
        }
        best[1] = best[1].min(start.elapsed().as_nanos() as f64 / f64::from(ALONE));
    }
    println!("\nthreads: alone, ns: millpond-lend {:.0}, r2d2 {:.0}", best[0], best[1]);
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_time()
        .build()
        .expect("a runtime of tokio");
    let mut best = [Best { alone_ns: f64::MAX, loans_per_s: 0.0, opened: 0 }; 3];
    runtime.block_on(async {
        for _ in 0..ROUNDS {
            round::<Lender<Numbers>>(&mut best[0]).await;
            round::<Deadpool>(&mut best[1]).await;
            round::<bb8::Pool<Numbers>>(&mut best[2]).await;
        }
    });
    println!(
        "{TASKS} tasks, {CONNECTIONS} connections; opened: {TASKS} short tasks at start, of 100"
    );
    println!("{:14} {:>8} {:>12} {:>8}", "", "alone ns", "M loans/s", "opened");
    print::<Lender<Numbers>>(best[0]);
    print::<Deadpool>(best[1]);
    print::<bb8::Pool<Numbers>>(best[2]);
    threads();
}
