//! What the goals ask for beside throughput: a hog's share, herds, checks, and plans that come true.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use millpond_lend::replay::{PoolTrace, Question, plan};
use millpond_lend::{Lender, TraceRow};

use crate::objects::Numbers;
use crate::pools::{Pool, Use, millpond};

const HOLD: Use = Use::Hold(Duration::from_millis(1));

/// How many fair shares a task gets that takes again at once, beside twenty that rest for a moment.
pub(crate) async fn hogs_share<P: Pool>(pool: P) -> f64 {
    let is_over = Arc::new(AtomicBool::new(false));
    let total = Arc::new(AtomicU64::new(0));
    let tasks: Vec<_> = (0..21)
        .map(|task| {
            let (pool, is_over, total) = (pool.clone(), Arc::clone(&is_over), Arc::clone(&total));
            tokio::spawn(async move {
                let mut loans = 0_u64;
                while !is_over.load(Relaxed) {
                    pool.loan(HOLD).await;
                    loans += 1;
                    total.fetch_add(1, Relaxed);
                    if task > 0 {
                        tokio::task::yield_now().await;
                    }
                }
                loans
            })
        })
        .collect();
    tokio::time::sleep(Duration::from_secs(1)).await;
    is_over.store(true, Relaxed);
    let mut hog = 0;
    for (index, task) in tasks.into_iter().enumerate() {
        let loans = task.await.expect("a task");
        hog = if index == 0 { loans } else { hog };
    }
    hog as f64 * 21.0 / total.load(Relaxed) as f64
}

/// How many of a hundred objects 1,000 short tasks open that start at once.
pub(crate) async fn herd<P: Pool>(pool: P, numbers: &Numbers) -> u64 {
    let tasks: Vec<_> = (0..1_000)
        .map(|_| {
            let pool = pool.clone();
            tokio::spawn(async move { pool.loan(Use::Nothing).await })
        })
        .collect();
    for task in tasks {
        task.await.expect("a task");
    }
    numbers.opened.load(Relaxed)
}

/// Callers who come when they come, whether others wait or not.
struct Arrivals(Vec<(Duration, Duration)>);

impl Arrivals {
    /// About 1,000 a second for three seconds, who hold for about 6 ms.
    fn new() -> Self {
        let mut seed = 11_u64;
        let mut exponential = |mean_us: f64| {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let share = ((seed >> 11) as f64 + 1.0) / (1_u64 << 53) as f64;
            Duration::from_secs_f64(-share.ln() * mean_us / 1e6)
        };
        let mut at = Duration::ZERO;
        let next = |_| {
            at += exponential(1_000.0);
            (at, exponential(6_000.0))
        };
        Self((0..3_000).map(next).collect())
    }

    /// Has all of them take their loans; returns the trace.
    async fn run(&self, lender: &Lender<Numbers>) -> PoolTrace {
        lender.begin_trace();
        let start = Instant::now();
        let mut tasks = Vec::with_capacity(self.0.len());
        for (at, hold) in &self.0 {
            tokio::time::sleep_until((start + *at).into()).await;
            let (lender, hold) = (lender.clone(), *hold);
            tasks.push(tokio::spawn(async move { lender.loan(Use::Hold(hold)).await }));
        }
        for task in tasks {
            task.await.expect("a task");
        }
        let mut rows: Vec<TraceRow> = lender.take_trace();
        rows.sort_by_key(|row| row.asked_us);
        PoolTrace { pool: "numbers".into(), rows }
    }
}

/// The waits of 99 %, in ms: planned from a recording without waits, and measured with that capacity.
pub(crate) async fn planned_and_measured(capacity: usize) -> (f64, f64) {
    let arrivals = Arrivals::new();
    let ample = all_open(60).await;
    let recorded = arrivals.run(&ample).await;
    let question = Question { open_us: 20_000, ..Question::default() };
    let planned = plan(&recorded, &question);
    let planned = planned.capacities.iter().find(|at| at.capacity == capacity);
    let planned_us = planned.map_or(f64::NAN, |at| at.in_advance.waits.p99_us as f64);
    let measured = arrivals.run(&all_open(capacity).await).await;
    let measured_us = plan(&measured, &question).recorded.p99_us as f64;
    (planned_us / 1e3, measured_us / 1e3)
}

async fn all_open(capacity: usize) -> Lender<Numbers> {
    let lender = millpond(Numbers::default(), capacity);
    drop(lender.acquire_many(capacity).await.expect("loans"));
    lender
}
