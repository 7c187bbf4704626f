//! Tenants under one total, played in rounds: the keeper and all callers are polled by hand, and waits are counted in
//! rounds, not in time. `cargo test --release -p millpond-lend --test tenants -- --ignored --nocapture` plays the first
//! attack in real time, too.

mod common;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use common::{AnyTimer, Bell, Client, Server, patient};
use millpond_lend::{AcquireMany, Lender, Lenders, Loan, TokioTimer};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

type Running = Pin<Box<dyn Future<Output = ()> + Send>>;

/// What a caller is doing.
enum Doing {
    /// Nothing, until this round.
    Thinks(u64),
    Waits(AcquireMany<'static, Client>),
    /// It has its loans until this round.
    Holds(Vec<Loan<Client>>, u64),
}

struct Caller {
    tenant: usize,
    wants: usize,
    doing: Doing,
}

struct Tenant {
    lender: &'static Lender<Client>,
    loans: u64,
    /// Since which round it waits without an object.
    waits_since: Option<u64>,
    longest_wait: u64,
}

/// How the tenants behave.
struct Play {
    tenants: usize,
    callers: usize,
    total: usize,
    capacity: usize,
    holds_max: u64,
    thinks_max: u64,
    /// How many objects every fourth caller wants at once.
    several: usize,
}

struct World {
    play: Play,
    random: SplitMix64,
    lenders: Lenders<usize, Client>,
    keeper: Running,
    server: Arc<Server>,
    tenants: Vec<Tenant>,
    callers: Vec<Caller>,
    round: u64,
}

impl World {
    fn new(seed: u64, play: Play) -> Self {
        let server = Arc::new(Server::default());
        let of = Arc::clone(&server);
        let builder = patient(Lenders::builder(move |_: &usize| Client(Arc::clone(&of))));
        let (lenders, keeper) = builder
            .capacity(play.capacity)
            .capacity_total(play.total)
            .waiters_max(64)
            .acquire_timeout(Duration::from_millis(100_000_000))
            .backoff(Duration::ZERO, Duration::ZERO)
            .build();
        let tenants = (0..play.tenants)
            .map(|tenant| Tenant {
                lender: Box::leak(Box::new(lenders.lender(&tenant))),
                loans: 0,
                waits_since: None,
                longest_wait: 0,
            })
            .collect();
        let callers = (0..play.tenants * play.callers)
            .map(|caller| Caller {
                tenant: caller % play.tenants,
                wants: if caller % 4 == 3 { play.several } else { 1 },
                doing: Doing::Thinks(0),
            })
            .collect();
        Self {
            random: SplitMix64::from_seed(seed.to_le_bytes()),
            keeper: Box::pin(keeper.run(AnyTimer)),
            play,
            lenders,
            server,
            tenants,
            callers,
            round: 0,
        }
    }

    fn up_to(&mut self, most: u64) -> u64 {
        if most == 0 { 0 } else { 1 + self.random.next_u64() % most }
    }

    /// Polls the keeper until it sleeps.
    fn keep(&mut self) {
        let bell = Arc::new(Bell::default());
        let waker = Waker::from(Arc::clone(&bell));
        for poll in 0.. {
            assert!(poll < 10_000, "the keeper never sleeps");
            let rung = bell.0.load(SeqCst);
            assert!(self.keeper.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
            let existing = self.server.existing();
            assert!(existing <= self.play.total as u64, "{existing} of {}", self.play.total);
            if bell.0.load(SeqCst) == rung {
                return;
            }
        }
    }

    fn step(&mut self) {
        self.round += 1;
        for index in 0..self.callers.len() {
            let (holds, thinks) = (self.play.holds_max, self.play.thinks_max);
            let (hold, think) = (self.up_to(holds), self.up_to(thinks));
            let round = self.round;
            let caller = &mut self.callers[index];
            let tenant = &mut self.tenants[caller.tenant];
            caller.doing = match std::mem::replace(&mut caller.doing, Doing::Thinks(0)) {
                Doing::Thinks(until) if until > round => Doing::Thinks(until),
                Doing::Holds(loans, until) if until > round => Doing::Holds(loans, until),
                Doing::Holds(loans, _) => {
                    drop(loans);
                    Doing::Thinks(round + think)
                }
                Doing::Thinks(_) => {
                    Doing::Waits(tenant.lender.acquire_many(caller.wants.min(self.play.capacity)))
                }
                waits @ Doing::Waits(_) => waits,
            };
            if let Doing::Waits(waits) = &mut caller.doing {
                match Pin::new(waits).poll(&mut Context::from_waker(Waker::noop())) {
                    Poll::Ready(loans) => {
                        tenant.loans += 1;
                        caller.doing = Doing::Holds(loans.unwrap(), round + hold);
                    }
                    Poll::Pending => {}
                }
            }
        }
        self.keep();
        for tenant in &mut self.tenants {
            let stats = tenant.lender.stats();
            if stats.waiting > 0 && stats.out == 0 {
                let since = *tenant.waits_since.get_or_insert(self.round);
                tenant.longest_wait = tenant.longest_wait.max(self.round - since);
            } else {
                tenant.waits_since = None;
            }
        }
    }

    fn least_and_most(&self) -> (u64, u64) {
        let loans = || self.tenants.iter().map(|tenant| tenant.loans);
        (loans().min().unwrap(), loans().max().unwrap())
    }

    fn longest_wait(&self) -> u64 {
        self.tenants.iter().map(|tenant| tenant.longest_wait).max().unwrap()
    }

    fn check(&self) {
        for tenant in &self.tenants {
            assert_eq!(tenant.lender.validate(), Ok(()));
        }
        assert_eq!(self.lenders.existing() as u64, self.server.existing());
    }
}

const ATTACK: Play = Play {
    tenants: 12,
    callers: 3,
    total: 3,
    capacity: 3,
    holds_max: 3,
    thinks_max: 0,
    several: 1,
};

/// Twelve busy tenants and three objects: all have loans in turn.
#[test]
fn more_busy_tenants_than_objects_have_them_in_turn() {
    let mut world = World::new(1, ATTACK);
    for _ in 0..3_000 {
        world.step();
    }
    let (least, most) = world.least_and_most();
    assert!(least > 100 && least * 3 >= most, "{least} loans and {most}");
    world.check();
}

/// Nobody is without an object for longer than a loan of each tenant before it in the line takes.
#[test]
fn no_tenant_waits_longer_than_a_loan_of_each_other() {
    for seed in 0..60_u64 {
        let mut random = SplitMix64::from_seed(seed.to_le_bytes());
        let mut up_to = |most: u64| (1 + random.next_u64() % most) as usize;
        let play = Play {
            tenants: up_to(40),
            callers: up_to(4),
            total: up_to(12),
            capacity: up_to(6),
            holds_max: up_to(5) as u64,
            thinks_max: up_to(8) as u64 - 1,
            several: 1,
        };
        waits_are_bounded(seed, play, 400);
    }
}

#[test]
fn a_thousand_tenants_wait_no_longer_than_a_loan_of_each_other() {
    let play = Play { tenants: 1_000, total: 100, capacity: 10, callers: 2, ..ATTACK };
    waits_are_bounded(1, play, 100);
}

fn waits_are_bounded(seed: u64, play: Play, rounds: u64) {
    let mut world = World::new(seed, play);
    for _ in 0..rounds {
        world.step();
    }
    world.check();
    let Play { tenants, total, holds_max, .. } = world.play;
    // A loan, and one round each for its return and for its opening.
    let turns = (tenants as u64).div_ceil(total as u64) + 1;
    let (longest, bound) = (world.longest_wait(), turns * (holds_max + 2));
    let what = format!("seed {seed}: {tenants} tenants, {total} objects, {holds_max} rounds");
    assert!(longest <= bound, "{what}: {longest} rounds, not {bound}");
    let (least, most) = world.least_and_most();
    assert!(least > 0, "{what}: {least} loans and {most}");
}

/// Callers who want several objects, more than the share of their tenant, get them in their turn; those that wait for
/// the rest of theirs do not block each other.
#[test]
fn tenants_that_want_several_objects_do_not_block_each_other() {
    for seed in 0..30_u64 {
        let mut random = SplitMix64::from_seed((seed + 1_000).to_le_bytes());
        let mut up_to = |most: u64| (1 + random.next_u64() % most) as usize;
        let total = 1 + up_to(4);
        let play = Play {
            tenants: 1 + up_to(8),
            callers: 4,
            total,
            capacity: total,
            holds_max: 3,
            thinks_max: 0,
            several: total,
        };
        let tenants = play.tenants;
        let mut world = World::new(seed, play);
        for _ in 0..1_500 {
            world.step();
        }
        world.check();
        let (least, most) = world.least_and_most();
        let what = format!("seed {seed}: {tenants} tenants, {total} objects");
        assert!(least >= 20 && least * 6 >= most, "{what}: {least} loans and {most}");
    }
}

/// A loan that is never returned keeps its own place, and no tenant waits for it.
#[test]
fn a_loan_that_is_held_for_ever_is_waited_for_by_nobody() {
    let mut world = World::new(2, Play { callers: 1, ..ATTACK });
    while !world.callers.iter().any(|caller| matches!(caller.doing, Doing::Holds(..))) {
        world.step();
    }
    for caller in &mut world.callers {
        if let Doing::Holds(_, until) = &mut caller.doing {
            *until = u64::MAX;
            break;
        }
    }
    for _ in 0..600 {
        world.step();
    }
    let mut loans: Vec<_> = world.tenants.iter().map(|tenant| tenant.loans).collect();
    loans.sort_unstable();
    assert!(loans[1] > 20 && loans[1] * 3 >= loans[11], "{loans:?}");
    world.check();
}

/// A tenant whose server is down does not keep a place for its next attempt.
#[test]
fn a_tenant_whose_server_is_down_keeps_no_place() {
    let down = Arc::new(Server::default());
    down.is_down.store(true, SeqCst);
    let up = Arc::new(Server::default());
    let (of_down, of_up) = (Arc::clone(&down), Arc::clone(&up));
    let make = move |is_up: &bool| Client(Arc::clone(if *is_up { &of_up } else { &of_down }));
    let builder = patient(Lenders::builder(make)).capacity(1).capacity_total(1);
    let (lenders, keeper) =
        builder.backoff(Duration::from_millis(1_000_000), Duration::from_millis(1_000_000)).build();
    let mut keeper: Running = Box::pin(keeper.run(AnyTimer));
    let mut cx = Context::from_waker(Waker::noop());
    let [first, second] = [false, true].map(|is_up| lenders.lender(&is_up));
    let mut in_vain = first.acquire();
    assert!(Pin::new(&mut in_vain).poll(&mut cx).is_pending());
    assert!(keeper.as_mut().poll(&mut cx).is_pending());
    let mut caller = second.acquire();
    assert!(Pin::new(&mut caller).poll(&mut cx).is_pending());
    for _ in 0..4 {
        assert!(keeper.as_mut().poll(&mut cx).is_pending());
    }
    assert!(Pin::new(&mut caller).poll(&mut cx).is_ready(), "the other's attempt has failed");
    assert_eq!((down.begun.load(SeqCst), up.begun.load(SeqCst)), (1, 1));
}

/// The attack in real time, for the record: five seconds, loans of a millisecond, on tokio.
#[test]
#[ignore = "it takes five seconds: `.ci/run long` runs it"]
fn the_attack_in_real_time() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_time().build().unwrap();
    let loans: Vec<_> = (0..ATTACK.tenants).map(|_| Arc::new(AtomicU64::new(0))).collect();
    let is_over = Arc::new(AtomicBool::new(false));
    runtime.block_on(async {
        let builder = patient(Lenders::builder(|_: &usize| Client::default()));
        let builder = builder.capacity(ATTACK.capacity).capacity_total(ATTACK.total);
        let (lenders, keeper) = builder.build();
        tokio::spawn(keeper.run(TokioTimer));
        for (tenant, loans) in loans.iter().enumerate() {
            for _ in 0..ATTACK.callers {
                let (lender, loans) = (lenders.lender(&tenant), Arc::clone(loans));
                let is_over = Arc::clone(&is_over);
                tokio::spawn(async move {
                    while !is_over.load(SeqCst) {
                        let loan = lender.acquire().await.unwrap();
                        tokio::time::sleep(Duration::from_millis(1)).await;
                        loans.fetch_add(1, SeqCst);
                        drop(loan);
                    }
                });
            }
        }
        let end = Instant::now() + Duration::from_secs(5);
        tokio::time::sleep_until(end.into()).await;
        is_over.store(true, SeqCst);
    });
    let loans: Vec<_> = loans.iter().map(|loans| loans.load(SeqCst)).collect();
    println!("loans of each tenant in 5 s: {loans:?}");
    let (least, most) = (loans.iter().min().unwrap(), loans.iter().max().unwrap());
    assert!(least * 3 >= *most, "{least} and {most}");
}
