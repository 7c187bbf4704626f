//! Tasks that take loans from a pool, all at once.

use std::time::{Duration, Instant};

use crate::CONNECTIONS;
use crate::pools::{Pool, Use};

/// How many tasks take loans.
pub(crate) const TASKS: [usize; 4] = [1, 10, 100, 1_000];

/// What a pool did in one round.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Figures {
    pub(crate) loans_per_s: f64,
    pub(crate) wait_p50_us: f64,
    pub(crate) wait_p999_us: f64,
}

/// How many loans all tasks take together.
fn loans(what_for: Use, tasks: usize) -> usize {
    match what_for {
        Use::Nothing => 100_000,
        Use::Hold(_) => 400 * tasks.min(CONNECTIONS),
        Use::SelectOne => 4_000,
    }
}

/// One round: the tasks share the loans.
pub(crate) async fn round<P: Pool>(pool: &P, what_for: Use, tasks: usize) -> Figures {
    let each = (loans(what_for, tasks) / tasks).max(4);
    let start = Instant::now();
    let running: Vec<_> = (0..tasks)
        .map(|_| {
            let pool = pool.clone();
            tokio::spawn(async move {
                let mut waits = Vec::with_capacity(each);
                for _ in 0..each {
                    waits.push(pool.loan(what_for).await);
                }
                waits
            })
        })
        .collect();
    let mut waits = Vec::with_capacity(each * tasks);
    for task in running {
        waits.extend(task.await.expect("a task"));
    }
    let loans_per_s = waits.len() as f64 / start.elapsed().as_secs_f64();
    waits.sort_unstable();
    let at = |per_mille: usize| us(waits[(waits.len() * per_mille).div_ceil(1_000) - 1]);
    Figures { loans_per_s, wait_p50_us: at(500), wait_p999_us: at(999) }
}

/// How long a loan takes that nobody else wants, in nanoseconds.
pub(crate) async fn alone<P: Pool>(pool: &P) -> f64 {
    const LOANS: u32 = 50_000;
    let start = Instant::now();
    for _ in 0..LOANS {
        pool.once().await;
    }
    start.elapsed().as_nanos() as f64 / f64::from(LOANS)
}

fn us(time: Duration) -> f64 {
    time.as_nanos() as f64 / 1e3
}

/// The median of each figure.
pub(crate) fn median(rounds: &[Figures]) -> Figures {
    let of = |figure: fn(&Figures) -> f64| {
        let mut values: Vec<f64> = rounds.iter().map(figure).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
    };
    Figures {
        loans_per_s: of(|figures| figures.loans_per_s),
        wait_p50_us: of(|figures| figures.wait_p50_us),
        wait_p999_us: of(|figures| figures.wait_p999_us),
    }
}
