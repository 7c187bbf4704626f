//! How soon service is back after an outage, by the ledger alone and a clock of the test's.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::panic::Location;
use std::sync::Arc;

use millpond_lend::ledger::{Ask, Claim, WaiterHandle, Work};
use millpond_lend::{AcquireError, Ledger, LoanHandle, Settings, Unopened};

const OPEN_US: u64 = 20_000;
const SECOND_US: u64 = 1_000_000;
const CAPACITY: usize = 10;
const CALLERS: usize = 30;

#[derive(Debug, Clone, PartialEq, Eq)]
enum Refusal {
    Down,
    Password,
}

/// What becomes of an opening that begins while the server is away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outage {
    /// It fails at once.
    Refused,
    /// It never ends.
    BlackHole,
    /// It fails at once, for good.
    WrongPassword,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Opened(LoanHandle),
    Failed(LoanHandle),
    /// A caller has used its loan, or waited a moment after an error.
    Asks(usize),
    Returns(usize, LoanHandle),
}

/// Callers who use their loans for 100 ms and ask again at once, and a server that is away for some time.
struct World {
    ledger: Ledger<(), usize, Refusal>,
    now_us: u64,
    events: BinaryHeap<Reverse<(u64, Event)>>,
    waiting: Vec<Option<WaiterHandle>>,
    outage: Outage,
    is_away: bool,
    begun: u64,
    errors: Vec<AcquireError<Refusal>>,
}

impl World {
    fn new(outage: Outage) -> Self {
        let settings =
            Settings { capacity: CAPACITY, capacity_max: CAPACITY, ..Settings::default() };
        let mut ledger = Ledger::new(settings);
        ledger.keeper_started();
        let asks = (0..CALLERS).map(|caller| Reverse((0, Event::Asks(caller))));
        Self {
            ledger,
            now_us: 0,
            events: asks.collect(),
            waiting: vec![None; CALLERS],
            outage,
            is_away: false,
            begun: 0,
            errors: Vec::new(),
        }
    }

    fn at(&mut self, after_us: u64, event: Event) {
        self.events.push(Reverse((self.now_us + after_us, event)));
    }

    fn got(&mut self, caller: usize, handle: LoanHandle) {
        self.at(100_000, Event::Returns(caller, handle));
    }

    fn failed(&mut self, caller: usize, error: AcquireError<Refusal>) {
        self.errors.push(error);
        self.at(50_000, Event::Asks(caller));
    }

    fn fetch(&mut self, caller: usize, waiter: WaiterHandle) {
        match self.ledger.claim(waiter, Some(caller)) {
            Claim::Pending(_) => self.waiting[caller] = Some(waiter),
            Claim::Served(handle, (), _) => self.got(caller, handle),
            Claim::Failed(error) => self.failed(caller, error),
            Claim::Unknown => panic!("caller {caller} is forgotten"),
        }
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Opened(handle) => assert!(self.ledger.opened(self.now_us, handle, ()).is_none()),
            Event::Failed(handle) => {
                let is_final = self.outage == Outage::WrongPassword;
                let error = if is_final { Refusal::Password } else { Refusal::Down };
                let error = Some(Arc::new(error));
                let _ = self.ledger.open_failed(self.now_us, handle, error, is_final);
            }
            Event::Asks(caller) => match self.ledger.ask(self.now_us, 1, Location::caller()) {
                Ask::Lent(handle, ()) => self.got(caller, handle),
                Ask::Queued(waiter) => self.fetch(caller, waiter),
                Ask::Failed(error) => self.failed(caller, error),
            },
            Event::Returns(caller, handle) => {
                // What the server forgot is broken.
                let is_broken = self.is_away;
                assert!(self.ledger.give_back(self.now_us, handle, (), is_broken).is_none());
                self.at(0, Event::Asks(caller));
            }
        }
    }

    fn follow(&mut self) {
        if self.ledger.take_keeper_due() || self.ledger.next_alarm_us() <= self.now_us {
            assert!(self.ledger.tick(self.now_us).is_empty());
        }
        while let Some(work) = self.ledger.next_work() {
            match work {
                Work::Open(handle) => {
                    self.begun += 1;
                    match self.outage {
                        _ if !self.is_away => self.at(OPEN_US, Event::Opened(handle)),
                        Outage::BlackHole => {}
                        Outage::Refused | Outage::WrongPassword => {
                            self.at(1_000, Event::Failed(handle))
                        }
                    }
                }
                Work::Check(handle, ()) if self.is_away => {
                    assert!(self.ledger.check_failed(self.now_us, handle, ()).is_none());
                }
                Work::Check(handle, ()) => {
                    assert!(self.ledger.checked(self.now_us, handle, ()).is_none());
                }
                Work::Close(handle, ()) => self.ledger.closed(self.now_us, handle),
                Work::Abort(_) => {}
            }
        }
        while let Some(caller) = self.ledger.next_wake() {
            if let Some(waiter) = self.waiting[caller].take() {
                self.fetch(caller, waiter);
            }
        }
        assert_eq!(self.ledger.validate(), Ok(()));
    }

    fn run_until(&mut self, until_us: u64) {
        loop {
            let next_us = self.events.peek().map_or(u64::MAX, |Reverse((at_us, _))| *at_us);
            let next_us = next_us.min(self.ledger.next_alarm_us()).max(self.now_us);
            if next_us > until_us {
                self.now_us = until_us;
                return;
            }
            self.now_us = next_us;
            if let Some(Reverse((at_us, _))) = self.events.peek()
                && *at_us <= self.now_us
                && let Some(Reverse((_, event))) = self.events.pop()
            {
                self.happen(event);
            }
            self.follow();
        }
    }

    /// A warm start, and an outage of this time; then the server is back.
    fn after(outage: Outage, away_us: u64) -> Self {
        let mut world = Self::new(outage);
        world.run_until(3 * SECOND_US);
        assert_eq!(world.ledger.stats().out, CAPACITY, "all are busy before");
        (world.is_away, world.begun) = (true, 0);
        world.run_until(world.now_us + away_us);
        assert_eq!(world.ledger.stats().out, 0, "{outage:?} for {away_us} µs");
        world.is_away = false;
        world
    }
}

/// The lengths of outages, from a moment to longer than the longest pause without need.
fn lengths() -> impl Iterator<Item = u64> {
    (0..16).map(|step| 300_000 + step * step * 261_389)
}

#[test]
fn service_is_full_within_a_second_however_long_the_server_was_away() {
    for outage in [Outage::Refused, Outage::BlackHole, Outage::WrongPassword] {
        for away_us in lengths() {
            let mut world = World::after(outage, away_us);
            world.run_until(world.now_us + SECOND_US);
            let out = world.ledger.stats().out;
            assert_eq!(out, CAPACITY, "a second after {outage:?} for {away_us} µs");
        }
    }
}

/// Two openings at most every 125 ms, and every 400 ms with a password that is wrong.
#[test]
fn a_server_that_is_away_is_not_asked_all_the_time() {
    for (outage, a_second) in
        [(Outage::Refused, 16), (Outage::BlackHole, 4), (Outage::WrongPassword, 5)]
    {
        let world = World::after(outage, 60 * SECOND_US);
        // The first pauses are shorter than the longest.
        let most = a_second * 60 + 8;
        assert!((60..=most).contains(&world.begun), "{outage:?}: {} openings", world.begun);
    }
}

/// Nobody waits, and one is to be kept idle: the pauses grow to five seconds.
#[test]
fn without_need_the_pauses_grow() {
    let settings = Settings { idle_min: 1, ..Settings::default() };
    let mut ledger = Ledger::<(), (), Refusal>::new(settings);
    ledger.keeper_started();
    let mut now_us = 0;
    let mut longest_us = 50_000;
    for round in 0..12 {
        assert!(ledger.tick(now_us).is_empty());
        let Some(Work::Open(handle)) = ledger.next_work() else { panic!("round {round}") };
        let error = Some(Arc::new(Refusal::Down));
        assert!(ledger.open_failed(now_us, handle, error, false).is_empty());
        assert!(ledger.tick(now_us).is_empty());
        let pause_us = ledger.next_alarm_us() - now_us;
        assert!((longest_us / 2..=longest_us).contains(&pause_us), "round {round}: {pause_us}");
        longest_us = (longest_us * 2).min(5_000_000);
        now_us += pause_us;
    }
    // Somebody asks in the middle of such a pause: the next opening is not far.
    let Some(Work::Open(handle)) = ({
        assert!(ledger.tick(now_us).is_empty());
        ledger.next_work()
    }) else {
        panic!("the pause is over")
    };
    assert!(ledger.open_failed(now_us, handle, None, false).is_empty());
    now_us += SECOND_US;
    assert!(ledger.tick(now_us).is_empty());
    assert!(ledger.next_work().is_none(), "nobody waits");
    assert!(matches!(ledger.ask(now_us, 1, Location::caller()), Ask::Queued(_)));
    assert!(matches!(ledger.next_work(), Some(Work::Open(_))));
}

/// Of two openings that are under way, one has the whole time-out, the other half a second.
#[test]
fn one_opening_is_patient_and_the_other_asks_anew() {
    let mut ledger = Ledger::<(), (), Refusal>::new(Settings::default());
    ledger.keeper_started();
    for _ in 0..10 {
        assert!(matches!(ledger.ask(0, 1, Location::caller()), Ask::Queued(_)));
    }
    let mut begun: Vec<LoanHandle> = Vec::new();
    let mut aborted = Vec::new();
    for now_us in (0..2_900_000).step_by(10_000) {
        assert!(ledger.tick(now_us).is_empty());
        while let Some(work) = ledger.next_work() {
            match work {
                Work::Open(handle) => begun.push(handle),
                Work::Abort(handle) => aborted.push(handle),
                other => panic!("{other:?}"),
            }
        }
        assert!(ledger.stats().opening <= 2);
    }
    let [patient, others @ ..] = begun.as_slice() else { panic!("none began") };
    assert!(others.len() >= 3, "{others:?}");
    assert!(!aborted.contains(patient));
    assert!(others.starts_with(&aborted));
    assert!(ledger.opened(2_900_000, *patient, ()).is_none(), "slow, and not too slow");
    assert_eq!(ledger.stats().out, 1);
}

/// Where only one opening may be under way, one that the network has swallowed is given up after half a second, and
/// the next one may take the whole time-out, in turn: a lost question costs little, and a slow server is waited for.
/// As long as nobody knows how long an opening takes, each has the whole time-out.
#[test]
fn the_only_opening_is_patient_in_turn() {
    let settings =
        Settings { openings_max: 1, acquire_timeout_us: Settings::NEVER, ..Settings::default() };
    let mut ledger = Ledger::<(), (), Refusal>::new(settings);
    ledger.keeper_started();
    assert!(matches!(ledger.ask(0, 1, Location::caller()), Ask::Queued(_)));
    let mut begun = Vec::new();
    let mut took_us = Vec::new();
    let mut run = |ledger: &mut Ledger<(), (), Refusal>, from_s: u64, until_s: u64| {
        for now_us in (from_s * SECOND_US..until_s * SECOND_US).step_by(10_000) {
            assert!(ledger.tick(now_us).is_empty());
            while let Some(work) = ledger.next_work() {
                match work {
                    Work::Open(handle) => begun.push((handle, now_us)),
                    Work::Abort(handle) => {
                        let (_, begun_us) =
                            begun.pop().filter(|(begun, _)| *begun == handle).unwrap();
                        took_us.push(now_us - begun_us);
                    }
                    other => panic!("{other:?}"),
                }
            }
            assert!(ledger.stats().opening <= 1);
        }
        (begun.last().copied(), std::mem::take(&mut took_us))
    };
    let (under_way, took_us) = run(&mut ledger, 0, 12);
    assert_eq!(took_us, [3_000_000; 3]);
    let (handle, begun_us) = under_way.expect("the fourth");
    assert!(ledger.opened(begun_us + OPEN_US, handle, ()).is_none());

    assert!(matches!(ledger.ask(12 * SECOND_US, 1, Location::caller()), Ask::Queued(_)));
    let (under_way, took_us) = run(&mut ledger, 12, 22);
    assert_eq!(took_us, [500_000, 3_000_000, 500_000, 3_000_000, 500_000]);
    let (patient, begun_us) = under_way.expect("the sixth");
    assert!(ledger.opened(begun_us + 2_900_000, patient, ()).is_none(), "slow, and not too slow");
    assert_eq!((ledger.validate(), ledger.stats().out), (Ok(()), 2));
}

/// Why nothing was opened, if the maker has no error to show.
#[test]
fn a_time_out_says_that_openings_take_too_long_or_panic() {
    let time_out = |settings: Settings, panics: bool| {
        let mut ledger = Ledger::<(), u8, Refusal>::new(settings);
        ledger.keeper_started();
        let Ask::Queued(waiter) = ledger.ask(0, 1, Location::caller()) else {
            panic!("none is open")
        };
        let mut now_us = 0;
        loop {
            while let Some(work) = ledger.next_work() {
                if let Work::Open(handle) = work
                    && panics
                {
                    assert!(ledger.open_failed(now_us, handle, None, false).is_empty());
                }
            }
            match ledger.claim(waiter, Some(0)) {
                Claim::Pending(_) => {}
                Claim::Failed(error) => return error,
                other => panic!("{other:?}"),
            }
            assert!(ledger.tick(now_us).is_empty());
            now_us = ledger.next_alarm_us();
        }
    };
    let cause = |error: &AcquireError<Refusal>| {
        let AcquireError::TimedOut { source: None, unopened, .. } = error else {
            panic!("{error:?}")
        };
        unopened.expect("a cause")
    };
    let error = time_out(Settings::default(), false);
    assert_eq!(cause(&error), Unopened::TooSlow);
    let error = time_out(Settings { open_timeout_us: 9_000_000, ..Settings::default() }, false);
    assert_eq!(cause(&error), Unopened::UnderWay);
    let error = time_out(Settings::default(), true);
    assert_eq!(cause(&error), Unopened::Panicked);
}
