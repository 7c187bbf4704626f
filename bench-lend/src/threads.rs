//! Pools for threads: one thread alone, and several that share ten objects.

use std::time::Instant;

use millpond_lend::BlockingLender;

use crate::objects::Numbers;
use crate::{CONNECTIONS, ROUNDS};

const LOANS: usize = 100_000;
const THREADS: [usize; 3] = [1, 10, 100];

/// Prints the time of a loan, interleaved with r2d2's; the medians count.
pub(crate) fn compare() {
    let lender = BlockingLender::builder(Numbers::default()).capacity(CONNECTIONS).build();
    let lender = lender.expect("a thread");
    let size = u32::try_from(CONNECTIONS).expect("a small capacity");
    let r2d2 = r2d2::Pool::builder().max_size(size).test_on_check_out(false);
    let r2d2 = r2d2.build(Numbers::default()).expect("a pool");
    println!("\nthreads, a loan of nothing, ns: millpond-lend, r2d2");
    for threads in THREADS {
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..ROUNDS {
            times[0].push(time(threads, || drop(lender.acquire().expect("a loan"))));
            times[1].push(time(threads, || drop(r2d2.get().expect("a loan"))));
        }
        let [millpond, r2d2] = times.map(|mut times| {
            times.sort_by(f64::total_cmp);
            times[ROUNDS / 2]
        });
        println!("{threads:>4} threads: {millpond:>8.0} {r2d2:>8.0}, ratio {:.2}", millpond / r2d2);
    }
}

fn time(threads: usize, loan: impl Fn() + Sync) -> f64 {
    let each = LOANS / threads;
    let start = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| (0..each).for_each(|_| loan()));
        }
    });
    start.elapsed().as_nanos() as f64 / (each * threads) as f64
}
