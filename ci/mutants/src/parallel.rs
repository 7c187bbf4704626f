//! Work on several processor cores.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Does the work for each item, so many of them at a time.
pub fn for_each<T: Sync>(items: &[T], jobs: usize, work: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    work(item);
                }
            });
        }
    });
}
