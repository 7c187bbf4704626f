//! Seeded schedules of the ledger: callers who ask, give up, hold and give back, openings and checks that
//! fail or hang, leaps of time, changes of capacity, evictions, a keeper that comes and goes, and a total that
//! other lenders take places from. After each step every invariant holds, and at the end each object was opened
//! once and has gone once.
//!
//! `MILLPOND_LEND_SCHEDULES=1000000 cargo test --release -p millpond-lend --test simulation`, or a part of them,
//! `MILLPOND_LEND_SCHEDULES=250000..500000`

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::panic::Location;
use std::sync::Arc;

use millpond_lend::ledger::{Ask, Claim, Lacking, Ledger, WaiterHandle, Work};
use millpond_lend::{AcquireError, IdleOrder, LoanHandle, Settings};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

const STEPS: usize = 150;

/// SplitMix64: the same on every machine.
struct Random(SplitMix64);

impl Random {
    fn new(seed: u64) -> Self {
        Self(SplitMix64::from_seed(seed.to_le_bytes()))
    }

    fn next(&mut self) -> u64 {
        self.0.next_u64()
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

#[derive(Debug)]
struct Down;

/// What is lent: counted, and never copied.
#[derive(Debug)]
struct Object(u64);

struct Caller {
    waiter: WaiterHandle,
    want: usize,
}

struct World {
    random: Random,
    ledger: Ledger<Object, u64, Down>,
    now_us: u64,
    opened: u64,
    /// The objects that exist, wherever they are.
    existing: BTreeSet<u64>,
    /// Callers who wait, in the order in which they asked; the number is also their waker.
    waiting: BTreeMap<u64, Caller>,
    /// Callers who were told that they have an answer: if they never look, it is forgotten.
    woken: BTreeSet<u64>,
    asked: u64,
    /// Who was served last, to see that nobody overtakes.
    loans: Vec<(LoanHandle, Object)>,
    jobs: Vec<Work<Object>>,
    has_keeper: bool,
    /// What happened, for equal seeds to be compared.
    history: u64,
    capacity: usize,
    /// How many places others lack.
    lacking: Lacking,
    /// How many places of a total it has; `None` if it shares none.
    granted: Option<usize>,
}

impl World {
    fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let capacity = 1 + random.below(6) as usize;
        let settings = Settings {
            capacity,
            capacity_max: capacity + random.below(4) as usize,
            waiters_max: 1 + random.below(12) as usize,
            openings_max: 1 + random.below(3) as usize,
            idle_min: random.below(3) as usize,
            acquire_timeout_us: 1 + random.below(5_000),
            open_timeout_us: 1 + random.below(1_000),
            check_timeout_us: 1 + random.below(1_000),
            close_timeout_us: 1 + random.below(1_000),
            check_after_idle_us: random.below(2_000),
            lifetime_us: if random.chance(30) { Settings::NEVER } else { 1 + random.below(9_000) },
            idle_us: if random.chance(30) { Settings::NEVER } else { 1 + random.below(9_000) },
            backoff_min_us: 1 + random.below(500),
            backoff_max_us: 1 + random.below(2_000),
            order: if random.chance(50) { IdleOrder::Lifo } else { IdleOrder::Fifo },
        };
        let mut ledger = Ledger::new(settings);
        ledger.keeper_started();
        let granted = random.chance(30).then_some(0);
        let lacking = Lacking::default();
        if granted.is_some() {
            ledger.share_total(lacking.clone());
        }
        Self {
            lacking,
            random,
            ledger,
            now_us: 0,
            opened: 0,
            existing: BTreeSet::new(),
            waiting: BTreeMap::new(),
            woken: BTreeSet::new(),
            asked: 0,
            loans: Vec::new(),
            jobs: Vec::new(),
            has_keeper: true,
            history: 0,
            capacity,
            granted,
        }
    }

    fn note(&mut self, what: u64) {
        self.history = self.history.wrapping_mul(0x100_0000_01b3) ^ what;
    }

    fn gone(&mut self, object: Object) {
        assert!(self.existing.remove(&object.0), "object {} is gone twice", object.0);
    }

    fn all_gone(&mut self, objects: impl IntoIterator<Item = Object>) {
        for object in objects {
            self.gone(object);
        }
    }

    fn ask(&mut self) {
        let want = if self.random.chance(85) { 1 } else { 1 + self.random.below(4) as usize };
        let has_line = !self.waiting.is_empty();
        match self.ledger.ask(self.now_us, want, Location::caller()) {
            Ask::Lent(handle, object) => {
                assert!(!has_line || self.ledger.stats().waiting == 0, "somebody was overtaken");
                self.loans.push((handle, object));
            }
            Ask::Queued(waiter) => {
                self.asked += 1;
                self.waiting.insert(self.asked, Caller { waiter, want });
                self.look(self.asked);
            }
            Ask::Failed(error) => match error {
                AcquireError::Refused { .. }
                | AcquireError::Opening(_)
                | AcquireError::NoCapacity
                | AcquireError::TooMany { .. } => {}
                AcquireError::Closed => assert!(self.ledger.is_closed()),
                AcquireError::NoKeeper => assert!(!self.has_keeper),
                other => panic!("{other:?} without having waited"),
            },
        }
    }

    /// A caller fetches its answer.
    fn look(&mut self, number: u64) {
        let Some(caller) = self.waiting.get(&number) else { return };
        let (waiter, want) = (caller.waiter, caller.want);
        match self.ledger.claim(waiter, Some(number)) {
            Claim::Pending(_) => {}
            Claim::Served(handle, object, rest) => {
                assert_eq!(rest.len() + 1, want);
                self.loans.push((handle, object));
                self.loans.extend(rest);
                self.waiting.remove(&number);
                self.note(number);
            }
            Claim::Failed(_) => {
                self.waiting.remove(&number);
            }
            Claim::Unknown => {
                assert!(
                    self.woken.contains(&number),
                    "caller {number} is unknown and has no answer"
                );
                self.waiting.remove(&number);
            }
        }
    }

    /// Wakes whom the ledger wants woken; some look at once, others are slow.
    fn wake(&mut self) {
        while let Some(number) = self.ledger.next_wake() {
            self.note(number);
            assert!(self.woken.insert(number), "caller {number} has two answers");
            if self.random.chance(70) {
                self.look(number);
            }
        }
    }

    fn give_up(&mut self) {
        let Some(number) = self.pick_waiting() else { return };
        let Some(caller) = self.waiting.remove(&number) else { return };
        let (to_drop, _) = self.ledger.cancel(self.now_us, caller.waiter);
        self.all_gone(to_drop);
        assert!(matches!(self.ledger.claim(caller.waiter, None), Claim::Unknown));
    }

    fn pick_waiting(&mut self) -> Option<u64> {
        let count = self.waiting.len() as u64;
        (count > 0)
            .then(|| self.random.below(count) as usize)
            .and_then(|index| self.waiting.keys().nth(index).copied())
    }

    fn end_loan(&mut self) {
        if self.loans.is_empty() {
            return;
        }
        let index = self.random.below(self.loans.len() as u64) as usize;
        let (handle, object) = self.loans.swap_remove(index);
        let to_drop = match self.random.below(20) {
            0 => {
                self.ledger.detach(self.now_us, handle);
                Some(object)
            }
            1 => self.ledger.discard(self.now_us, handle, object),
            2 => self.ledger.give_back(self.now_us, handle, object, true),
            3 => self.ledger.give_back_to_check(self.now_us, handle, object),
            _ => self.ledger.give_back(self.now_us, handle, object, false),
        };
        self.all_gone(to_drop);
        // A second return under the same handle is refused.
        let stale = self.ledger.discard(self.now_us, handle, Object(u64::MAX));
        assert!(stale.is_some());
    }

    fn fetch_work(&mut self) {
        while let Some(work) = self.ledger.next_work() {
            match work {
                Work::Abort(handle) => {
                    self.abort(handle);
                    self.ledger.closed(self.now_us, handle);
                }
                work => self.jobs.push(work),
            }
        }
    }

    fn abort(&mut self, handle: LoanHandle) {
        let of = |work: &Work<Object>| match work {
            Work::Open(at) | Work::Check(at, _) | Work::Close(at, _) | Work::Abort(at) => *at,
        };
        let index = self.jobs.iter().position(|work| of(work) == handle);
        match index.map(|index| self.jobs.swap_remove(index)) {
            Some(Work::Check(_, object) | Work::Close(_, object)) => self.gone(object),
            Some(_) => {}
            None => panic!("{handle} is aborted and nothing is being done for it"),
        }
    }

    fn end_job(&mut self) {
        if self.jobs.is_empty() {
            return;
        }
        let index = self.random.below(self.jobs.len() as u64) as usize;
        let is_well = self.random.chance(75);
        match self.jobs.swap_remove(index) {
            Work::Open(handle) if is_well => {
                self.opened += 1;
                self.existing.insert(self.opened);
                let to_drop = self.ledger.opened(self.now_us, handle, Object(self.opened));
                self.all_gone(to_drop);
            }
            Work::Open(handle) => {
                let is_final = self.random.chance(20);
                let error = (!self.random.chance(20)).then(|| Arc::new(Down));
                let to_drop = self.ledger.open_failed(self.now_us, handle, error, is_final);
                self.all_gone(to_drop);
            }
            Work::Check(handle, object) if is_well => {
                let to_drop = self.ledger.checked(self.now_us, handle, object);
                self.all_gone(to_drop);
            }
            Work::Check(handle, object) if self.random.chance(50) => {
                let to_drop = self.ledger.check_failed(self.now_us, handle, object);
                self.all_gone(to_drop);
            }
            Work::Check(handle, object) => {
                self.gone(object);
                self.ledger.lost(self.now_us, handle);
            }
            Work::Close(handle, object) => {
                self.gone(object);
                self.ledger.closed(self.now_us, handle);
            }
            Work::Abort(_) => unreachable!("done at once"),
        }
    }

    fn change_keeper(&mut self) {
        if self.has_keeper {
            let mut dropped = VecDeque::from(std::mem::take(&mut self.jobs));
            while let Some(work) = dropped.pop_front() {
                if let Work::Check(_, object) | Work::Close(_, object) = work {
                    self.gone(object);
                }
            }
            let to_drop = self.ledger.keeper_gone(self.now_us);
            self.all_gone(to_drop);
        } else {
            self.ledger.keeper_started();
            let to_drop = self.ledger.tick(self.now_us);
            self.all_gone(to_drop);
        }
        self.has_keeper = !self.has_keeper;
    }

    fn change_capacity(&mut self) {
        let capacity = self.random.below(10) as usize;
        let (set, to_drop) = self.ledger.set_capacity(self.now_us, capacity);
        self.capacity = set;
        self.all_gone(to_drop);
    }

    /// Some object is closed, or was.
    fn evict_one(&mut self) {
        let Some((handle, _)) = self.loans.last() else { return };
        let mut to_drop = Vec::new();
        assert!(self.ledger.evict(self.now_us, *handle, &mut to_drop), "it is out");
        self.all_gone(to_drop);
    }

    /// Others take places of the total, give some, and change their minds.
    fn share(&mut self) {
        let Some(granted) = self.granted else { return };
        let mut to_drop = Vec::new();
        match self.random.below(6) {
            0 | 1 if granted < 8 => {
                self.ledger.allow(self.now_us, 1);
                self.granted = Some(granted + 1);
            }
            2 => drop(self.ledger.give_up_idle(self.now_us, &mut to_drop)),
            3 => {
                self.lacking.set(self.random.below(4) as usize);
                self.ledger.give_up_returned(self.random.below(4) as usize);
            }
            4 => drop(self.ledger.give_up_reserved(self.now_us, &mut to_drop)),
            _ => {
                let unused = self.ledger.give_up_unused(self.now_us);
                let given_up = self.ledger.take_given_up() + unused;
                let granted = granted.checked_sub(given_up).expect("it gives what it has");
                assert_eq!(self.ledger.demand(self.now_us).places, granted);
                self.granted = Some(granted);
            }
        }
        let others_need = self.random.chance(50);
        self.ledger.others_need(others_need);
        self.all_gone(to_drop);
    }

    fn step(&mut self) {
        self.now_us += match self.random.below(100) {
            // Long enough for what nobody fetches to be taken back.
            0 => self.random.below(200_000),
            1..=10 => self.random.below(5_000),
            11..=60 => self.random.below(100),
            _ => 0,
        };
        let existed = self.ledger.stats().existing;
        match self.random.below(100) {
            0..=29 => self.ask(),
            30..=49 => self.end_loan(),
            50..=69 => self.end_job(),
            70..=76 => self.give_up(),
            77..=81 => {
                if let Some(number) = self.pick_waiting() {
                    self.look(number);
                }
            }
            82..=93 if self.has_keeper => {
                let to_drop = self.ledger.tick(self.now_us);
                self.all_gone(to_drop);
                let (alarm_us, now_us) = (self.ledger.next_alarm_us(), self.now_us);
                assert!(alarm_us > now_us, "{now_us}: an alarm at {alarm_us}: {:?}", self.ledger);
            }
            94 => self.change_capacity(),
            95 => {
                let to_drop = self.ledger.evict_all(self.now_us);
                self.all_gone(to_drop);
            }
            96 => {
                if let Some(taken) = self.ledger.try_ask(self.now_us, Location::caller()) {
                    self.loans.push(taken);
                }
            }
            97 if self.random.chance(30) => self.change_keeper(),
            97 => self.evict_one(),
            98 if self.random.chance(10) => {
                let to_drop = self.ledger.close(self.now_us);
                self.all_gone(to_drop);
            }
            _ => {}
        }
        if self.random.chance(25) {
            self.share();
        }
        self.fetch_work();
        self.wake();
        self.check(existed);
    }

    fn check(&mut self, existed: usize) {
        if let Err(fault) = self.ledger.validate() {
            panic!("{fault}");
        }
        let stats = self.ledger.stats();
        // Exact, also while shrinking: nothing is opened beyond the capacity.
        assert!(
            stats.existing <= self.capacity.max(existed),
            "{} exist, {} may, {existed} did",
            stats.existing,
            self.capacity
        );
        assert!(stats.existing - stats.opening <= self.existing.len());
        assert!(self.granted.is_none_or(|granted| stats.existing <= granted), "more than granted");
        self.note(stats.existing as u64 * 64 + stats.waiting as u64);
    }

    /// Everybody gives back and gives up; then nothing is left.
    fn end(&mut self) {
        let to_drop = self.ledger.close(self.now_us);
        self.all_gone(to_drop);
        self.fetch_work();
        self.wake();
        for (_, caller) in std::mem::take(&mut self.waiting) {
            let (to_drop, _) = self.ledger.cancel(self.now_us, caller.waiter);
            self.all_gone(to_drop);
        }
        while let Some((handle, object)) = self.loans.pop() {
            let to_drop = self.ledger.give_back(self.now_us, handle, object, false);
            self.all_gone(to_drop);
        }
        self.fetch_work();
        while !self.jobs.is_empty() {
            self.end_job();
            self.fetch_work();
        }
        assert!(self.existing.is_empty(), "{:?} are left over", self.existing);
        assert!(self.ledger.is_finished());
        let stats = self.ledger.stats();
        assert_eq!(stats.opened, self.opened);
        assert_eq!(self.ledger.validate(), Ok(()));
    }
}

fn run(seed: u64) -> u64 {
    let mut world = World::new(seed);
    for _ in 0..STEPS {
        world.step();
    }
    world.end();
    world.history
}

#[test]
fn every_schedule_keeps_every_invariant() {
    let schedules = std::env::var("MILLPOND_LEND_SCHEDULES").unwrap_or("3000".into());
    let (first, end) = schedules.split_once("..").unwrap_or(("0", &schedules));
    let number =
        |text: &str| text.parse::<u64>().expect("MILLPOND_LEND_SCHEDULES: 3000 or 0..3000");
    for seed in number(first)..number(end) {
        let outcome = std::panic::catch_unwind(|| run(seed));
        assert!(outcome.is_ok(), "seed {seed}");
    }
}

#[test]
fn the_same_seed_is_the_same_schedule() {
    for seed in 0..100 {
        assert_eq!(run(seed), run(seed), "seed {seed}");
    }
}
