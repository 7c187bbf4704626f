//! A child process that was forked from one with lenders is told so, at once, and leaves the parent's objects alone.
#![cfg(all(target_os = "linux", not(millpond_loom)))]

mod common;

use std::sync::atomic::Ordering::SeqCst;
use std::time::{Duration, Instant};

use futures_lite::future::block_on;
use millpond_lend::{AcquireError, BlockingLender, BlockingMaker};

/// Runs `child` in a forked process, and waits for it; panics if it has not ended with success within a minute.
#[track_caller]
fn in_a_fork(child: impl FnOnce() -> bool) {
    // SAFETY: the child runs only `child`, which takes no lock that another thread of the parent may hold, but for those
    // of the allocator, which the C library makes usable after a fork; and it ends without the destructors of the parent.
    let process = unsafe { libc::fork() };
    assert!(process >= 0, "no fork");
    if process == 0 {
        let is_well =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(child)).unwrap_or(false);
        // SAFETY: ends the process, and nothing else.
        unsafe { libc::_exit(i32::from(!is_well)) };
    }
    let give_up = Instant::now() + Duration::from_secs(60);
    let mut status = -1;
    // SAFETY: `status` is a place for the status of the child that was forked above.
    while unsafe { libc::waitpid(process, &raw mut status, libc::WNOHANG) } == 0 {
        if Instant::now() > give_up {
            // SAFETY: the child was forked above, and has not been waited for.
            unsafe { libc::kill(process, libc::SIGKILL) };
            panic!("the child hangs");
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(status, 0, "the child met something else");
}

fn is_forked<T, E>(result: Result<T, AcquireError<E>>) -> bool {
    let parent = std::os::unix::process::parent_id();
    matches!(result, Err(AcquireError::Forked { from }) if from == parent)
}

/// With idle objects, without any, and with all of them lent.
#[test]
fn a_child_is_told_that_the_lender_is_its_parents() {
    let (lender, server) = common::lender_of(|builder| builder.capacity(2));
    let empty = common::lender_of(|builder| builder.capacity(2)).0;
    let lent = common::lender_of(|builder| builder.capacity(1)).0;
    let loan = common::loan_of(&lent);
    drop(common::loan_of(&lender));
    std::thread::sleep(Duration::from_millis(5));
    in_a_fork(|| {
        [&lender, &empty, &lent].into_iter().all(|lender| {
            is_forked(block_on(lender.acquire()))
                && is_forked(block_on(lender.acquire_many(2)))
                && lender.try_acquire().is_none()
                && block_on(lender.close(Duration::MAX)).closed == 0
        })
    });
    drop(loan);
    // The parent goes on.
    drop(common::loan_of(&lender));
    assert_eq!((server.opened.load(SeqCst), server.closed.load(SeqCst)), (1, 0));
}

/// A loan and a lender that the child inherits are dropped there; what they lend is not closed.
#[test]
fn a_child_closes_no_object_of_its_parent() {
    let (lender, server) = common::lender_of(|builder| builder.capacity(2));
    let loan = common::loan_of(&lender);
    drop(common::loan_of(&lender));
    std::thread::sleep(Duration::from_millis(5));
    in_a_fork(|| {
        drop(loan);
        let alive = server.existing();
        drop(lender);
        server.existing() == alive
    });
}

#[derive(Debug)]
struct Numbers;

impl BlockingMaker for Numbers {
    type Object = u32;
    type Error = std::io::Error;

    fn open(&self) -> Result<u32, std::io::Error> {
        Ok(7)
    }

    fn check(&self, _: &mut u32) -> Result<(), std::io::Error> {
        Ok(())
    }
}

#[test]
fn a_child_of_a_program_with_threads_is_told_so() {
    let lender = BlockingLender::builder(Numbers).capacity(1).build().unwrap();
    drop(lender.acquire().unwrap());
    std::thread::sleep(Duration::from_millis(5));
    in_a_fork(|| {
        let error = lender.acquire().map(drop).unwrap_err();
        let told = error.to_string();
        let says = "this process was forked from process ";
        is_forked(Err::<(), _>(error))
            && told.starts_with(says)
            && told.ends_with(", whose lender this is: build one here, after the fork")
            // As the sentence says.
            && BlockingLender::builder(Numbers).build().is_ok_and(|own| own.acquire().is_ok())
    });
    assert_eq!(*lender.acquire().unwrap(), 7);
}

/// Forks while another thread lends as fast as it can, and may have the lender's lock.
#[test]
fn a_child_is_told_although_the_lock_was_held() {
    let (lender, _) = common::lender_of(|builder| builder.capacity(2));
    let is_over = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(SeqCst) {
                drop(common::loan_of(&lender));
            }
        });
        let forks = || (0..20).for_each(|_| in_a_fork(|| is_forked(block_on(lender.acquire()))));
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(forks));
        is_over.store(true, SeqCst);
        result.unwrap();
    });
}
