//! Threads that do everything at once with one lender, while its maker fails, hangs and panics: what they do in turn is
//! `simulation`'s, and every order of a few steps is `loom`'s.

mod common;

use std::mem;
use std::sync::atomic::Ordering::SeqCst;
use std::task::Poll;
use std::thread;
use std::time::Duration;

use common::{Client, Server, lender_of, poll_once, wait_until};
use futures_lite::future::block_on;
use millpond_lend::{BlockingLender, BlockingMaker, Lender, Lenders, Loan};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

const CAPACITY_MAX: usize = 5;

struct Random(SplitMix64);

impl Random {
    fn new(seed: u64) -> Self {
        Self(SplitMix64::from_seed(seed.to_le_bytes()))
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.0.next_u64() % limit as u64).unwrap()
    }
}

/// One step of one thread: asking, giving up, leaking, giving back, and changing what others rely on.
fn step(
    lender: &Lender<Client>,
    server: &Server,
    random: &mut Random,
    held: &mut Vec<Loan<Client>>,
) {
    match random.below(18) {
        0..=3 => {
            let mut caller = lender.acquire();
            for _ in 0..random.below(4) {
                if let Poll::Ready(answer) = poll_once(&mut caller) {
                    held.extend(answer);
                    break;
                }
                thread::yield_now();
            }
        }
        4 => {
            let mut caller = lender.acquire_many(1 + random.below(3));
            if poll_once(&mut caller).is_pending() && random.below(2) == 0 {
                mem::forget(caller);
            }
        }
        5 => held.extend(block_on(lender.acquire())),
        6 => held.extend(block_on(lender.acquire_many(2)).into_iter().flatten()),
        7 => held.extend(lender.try_acquire()),
        8 => lender.evict_all(),
        9 => drop(lender.set_capacity(random.below(CAPACITY_MAX + 2))),
        10 => held.pop().into_iter().for_each(Loan::discard),
        11 => drop(held.pop().map(Loan::detach)),
        12 => held.iter_mut().for_each(|loan| loan.is_broken = true),
        13 => {
            let faults = [&server.is_down, &server.hangs, &server.panics, &server.refuses_password];
            faults[random.below(faults.len())].store(random.below(4) == 0, SeqCst);
        }
        14 => server.restart(),
        15 => drop(held.iter().map(|loan| lender.evict(loan.handle())).collect::<Vec<_>>()),
        _ => held.clear(),
    }
    assert_eq!(lender.validate(), Ok(()));
}

#[test]
fn everything_at_once_loses_nothing() {
    for seed in 0..4 {
        let (lender, server) = lender_of(|builder| {
            let builder = builder.capacity(3).capacity_max(CAPACITY_MAX).waiters_max(12);
            let builder = builder
                .acquire_timeout(Duration::from_millis(4))
                .open_timeout(Duration::from_millis(8))
                .check_timeout(Duration::from_millis(8));
            builder
                .check_after_idle(Duration::from_millis(1))
                .close_timeout(Duration::from_millis(8))
                .backoff(Duration::ZERO, Duration::from_millis(1))
                .idle_min(1)
        });
        thread::scope(|scope| {
            for number in 0..4 {
                let (lender, server) = (&lender, &server);
                scope.spawn(move || {
                    let mut random = Random::new(seed * 4 + number);
                    let mut held = Vec::new();
                    for _ in 0..300 {
                        step(lender, server, &mut random, &mut held);
                        held.truncate(2);
                    }
                });
            }
        });
        for fault in [&server.is_down, &server.hangs, &server.panics, &server.refuses_password] {
            fault.store(false, SeqCst);
        }
        assert_eq!(lender.set_capacity(usize::MAX), CAPACITY_MAX);
        wait_until("all are lent at once", || block_on(lender.acquire_many(CAPACITY_MAX)).is_ok());
        wait_until("nobody is remembered who waited", || lender.stats().waiting == 0);
        assert!(block_on(lender.close(Duration::from_secs(60))).still_out.is_empty());
        assert_eq!((lender.validate(), lender.stats().existing), (Ok(()), 0));
        wait_until("none exists", || server.existing() == 0);
    }
}

/// Tenants come and go while others have loans; the total holds, and all are served in the end.
#[test]
fn tenants_that_come_and_go_lose_no_place() {
    let (lenders, keeper) = common::patient(Lenders::builder(|_: &usize| Client::default()))
        .capacity(2)
        .capacity_total(3)
        .build();
    keeper.run_on_thread().unwrap();
    thread::scope(|scope| {
        for seed in 0..4 {
            let lenders = &lenders;
            scope.spawn(move || {
                let mut random = Random::new(seed);
                for _ in 0..60 {
                    let tenant = random.below(5);
                    let lender = lenders.lender(&tenant);
                    let mut caller = lender.acquire();
                    for _ in 0..random.below(3) {
                        let _ = poll_once(&mut caller).map(drop);
                        if random.below(2) == 0 {
                            break;
                        }
                        caller = lender.acquire();
                    }
                    // It may have an object in hand, and is not polled any more.
                    drop(caller);
                    if random.below(3) == 0 {
                        let _ = lenders.remove(&tenant);
                    } else if random.below(3) == 0 {
                        drop(block_on(lender.acquire()).unwrap());
                    }
                    assert_eq!(lender.validate(), Ok(()));
                }
            });
        }
    });
    for tenant in 0..5 {
        let both = block_on(lenders.lender(&tenant).acquire_many(2)).unwrap();
        assert!(lenders.existing() <= 3);
        drop(both);
    }
}

/// Blocking calls that fail, panic and are slow, and threads that change the capacity meanwhile.
#[test]
fn blocking_callers_are_all_served_or_told() {
    struct Shaky(Server);

    impl BlockingMaker for Shaky {
        type Object = u64;
        type Error = common::Fault;

        fn open(&self) -> Result<u64, common::Fault> {
            let number = self.0.begun.fetch_add(1, SeqCst);
            assert_ne!(number % 7, 3, "the maker panics, as the test wants it");
            if number % 5 == 2 { Err(common::Fault("down")) } else { Ok(number) }
        }

        fn check(&self, number: &mut u64) -> Result<(), common::Fault> {
            if number.is_multiple_of(3) { Err(common::Fault("reset")) } else { Ok(()) }
        }

        fn needs_check(&self, number: &mut u64) -> bool {
            number.is_multiple_of(2)
        }
    }
    let builder = common::patient(BlockingLender::builder(Shaky(Server::default())));
    let lender =
        builder.capacity(3).backoff(Duration::ZERO, Duration::from_millis(1)).build().unwrap();
    thread::scope(|scope| {
        for seed in 0..4 {
            let lender = &lender;
            scope.spawn(move || {
                let mut random = Random::new(seed);
                for _ in 0..100 {
                    match random.below(8) {
                        0 => drop(lender.set_capacity(1 + random.below(3))),
                        1 => lender.evict_all(),
                        2 => lender.acquire().unwrap().discard(),
                        _ => drop(lender.acquire().unwrap()),
                    }
                    assert_eq!(lender.validate(), Ok(()));
                }
            });
        }
    });
    assert!(lender.close(Duration::from_secs(60)).still_out.is_empty());
    assert_eq!((lender.validate(), lender.stats().existing), (Ok(()), 0));
}
