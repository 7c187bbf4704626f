//! One replay of a trace, through a ledger with a simulated clock.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::convert::Infallible;
use std::panic::Location;

use super::Question;
use super::callers::next_asks;
use crate::error::LoanHandle;
use crate::ledger::{Ask, Claim, Ledger, WaiterHandle, Work};
use crate::settings::Settings;
use crate::trace::TraceRow;

/// How long callers waited, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Waits {
    /// 50 % of the callers waited no longer than this.
    pub p50_us: u64,
    /// 90 % of the callers waited no longer than this.
    pub p90_us: u64,
    /// 99 % of the callers waited no longer than this.
    pub p99_us: u64,
    /// The longest wait.
    pub max_us: u64,
}

impl Waits {
    /// The quantiles of these waits; zeros if there are none.
    pub(super) fn of(mut waits: Vec<u64>) -> Self {
        waits.sort_unstable();
        let [p50_us, p90_us, p99_us, max_us] = [50, 90, 99, 100].map(|percent| {
            let rank = (waits.len() * percent).div_ceil(100);
            waits.get(rank.saturating_sub(1)).copied().unwrap_or(0)
        });
        Self { p50_us, p90_us, p99_us, max_us }
    }
}

/// One replay with one capacity.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Run {
    /// How long the callers waited that got a loan.
    pub waits: Waits,
    /// How many callers were refused, because too many were waiting.
    pub refused: u64,
    /// How many objects were opened while there were callers.
    pub opened: u64,
    /// How many callers got a loan per second, from the first request to the last return. `None` if that took less than
    /// a millisecond, or if only one got a loan.
    pub rate_per_s: Option<f64>,
    /// That time.
    pub over_us: u64,
    /// How many loans were out, on average.
    pub busy: f64,
    /// How much `busy` deviates from rate × hold, as a share.
    pub deviation: f64,
}

impl Run {
    /// Whether nobody was refused, and 99 % waited no longer than this.
    pub(super) fn serves(&self, wait_p99_us: u64) -> bool {
        self.refused == 0 && self.waits.p99_us <= wait_p99_us
    }
}

/// The replays with one capacity.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct AtCapacity {
    /// How many objects may exist.
    pub capacity: usize,
    /// With all objects opened before the first caller asks: `idle_min` is the capacity.
    pub in_advance: Run,
    /// With nothing open at first, and objects opened later only if that pays: `idle_min` is 0.
    pub as_needed: Run,
}

/// A recorded request.
#[derive(Debug, Clone, Copy)]
struct Loan {
    /// When it came, after the first one.
    asked_us: u64,
    /// How long the loan is held.
    hold_us: u64,
    /// The next request of the same caller and the pause before it, if requests wait for their callers.
    next: Option<(usize, u64)>,
}

/// The recorded loans.
#[derive(Debug)]
pub(super) struct Loans {
    asks: Vec<Loan>,
    /// The requests at fixed times: all, or only the first of each caller.
    fixed: Vec<usize>,
}

impl Loans {
    /// The loans of these rows, with recorded times or, if given, of this many callers.
    pub(super) fn of(rows: &[TraceRow], callers: Option<usize>) -> Self {
        let holds = rows.iter().filter_map(|row| Some(row.ended_us - row.got_us?));
        let (sum, count) =
            holds.fold((0_u128, 0_u128), |(sum, n), hold| (sum + u128::from(hold), n + 1));
        let mean = u64::try_from(sum / count.max(1)).unwrap_or(u64::MAX);
        let start = rows.first().map_or(0, |row| row.asked_us);
        let next = match callers {
            Some(callers) => next_asks(rows, callers),
            None => vec![None; rows.len()],
        };
        let mut is_fixed = vec![true; rows.len()];
        for (index, _) in next.iter().flatten() {
            is_fixed[*index] = false;
        }
        let asks = rows.iter().zip(next).map(|(row, next)| Loan {
            asked_us: row.asked_us - start,
            hold_us: row.got_us.map_or(mean, |got_us| row.ended_us - got_us),
            next,
        });
        let fixed = (0..rows.len()).filter(|index| is_fixed[*index]);
        Self { asks: asks.collect(), fixed: fixed.collect() }
    }

    pub(super) fn mean_hold_us(&self) -> f64 {
        let sum: f64 = self.asks.iter().map(|ask| ask.hold_us as f64).sum();
        sum / (self.asks.len() as f64).max(1.0)
    }

    /// From the first request to the last one.
    pub(super) fn asked_over_us(&self) -> u64 {
        self.asks.last().map_or(0, |ask| ask.asked_us)
    }

    /// Requests per second over [that time](Self::asked_over_us). It begins with the first requests, so these do not
    /// count: ten in an even row have nine pauses.
    pub(super) fn rate_per_s(&self) -> Option<f64> {
        let later = self.asks.iter().filter(|ask| ask.asked_us > 0).count();
        rate(later, self.asked_over_us())
    }

    /// From the first request to the last return, if nobody waits.
    pub(super) fn over_us(&self) -> u64 {
        let ends = self.asks.iter().map(|ask| ask.asked_us.saturating_add(ask.hold_us));
        ends.max().unwrap_or(0)
    }

    /// How many loans are out on average over [that time](Self::over_us).
    pub(super) fn busy(&self) -> f64 {
        let sum: f64 = self.asks.iter().map(|ask| ask.hold_us as f64).sum();
        sum / (self.over_us() as f64).max(1.0)
    }
}

/// Times are in microseconds: over a time as short as this, a rate would be made up.
const RATE_OVER_MIN_US: u64 = 1_000;

/// Events per second, if the time is long enough.
fn rate(events: usize, over_us: u64) -> Option<f64> {
    (events > 0 && over_us >= RATE_OVER_MIN_US).then(|| events as f64 * 1e6 / over_us as f64)
}

/// Something that will happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// The loan of this request ends.
    Return(usize, LoanHandle),
    Open(LoanHandle),
    /// A caller makes this request.
    Ask(usize),
}

struct Replay<'a> {
    ledger: Books,
    loans: &'a Loans,
    open_us: u64,
    waiters: Vec<Option<WaiterHandle>>,
    /// When each request came.
    asked_us: Vec<u64>,
    events: BinaryHeap<Reverse<(u64, u64, Event)>>,
    /// The number of planned events: those of one moment happen in the order in which they were planned.
    planned: u64,
    waits: Vec<u64>,
}

impl Replay<'_> {
    fn plan(&mut self, at_us: u64, event: Event) {
        self.planned += 1;
        self.events.push(Reverse((at_us, self.planned, event)));
    }

    fn got(&mut self, now_us: u64, ask: usize, handle: LoanHandle) {
        self.waits.push(now_us - self.asked_us[ask]);
        let returns_us = now_us.saturating_add(self.loans.asks[ask].hold_us);
        self.plan(returns_us, Event::Return(ask, handle));
    }

    fn ask(&mut self, now_us: u64, ask: usize) {
        self.asked_us[ask] = now_us;
        match self.ledger.ask(now_us, 1, Location::caller()) {
            Ask::Lent(handle, ()) => self.got(now_us, ask, handle),
            Ask::Queued(waiter) => {
                self.waiters[ask] = Some(waiter);
                let _ = self.ledger.claim(waiter, Some(ask));
            }
            Ask::Failed(_) => self.think(now_us, ask),
        }
    }

    /// The caller of this request has finished with it, and pauses before its next one.
    fn think(&mut self, now_us: u64, ask: usize) {
        if let Some((next, think_us)) = self.loans.asks[ask].next {
            self.plan(now_us.saturating_add(think_us), Event::Ask(next));
        }
    }

    fn happen(&mut self, now_us: u64, event: Event) {
        let left = match event {
            Event::Return(ask, handle) => {
                self.think(now_us, ask);
                self.ledger.give_back(now_us, handle, (), false)
            }
            Event::Open(handle) => {
                // If it was given up meanwhile, it is not needed.
                let _ = self.ledger.opened(now_us, handle, ());
                None
            }
            Event::Ask(ask) => {
                self.ask(now_us, ask);
                None
            }
        };
        debug_assert!(left.is_none());
    }

    /// Carries out the ledger's decisions.
    fn follow(&mut self, now_us: u64) {
        if self.ledger.take_keeper_due() || self.ledger.next_alarm_us() <= now_us {
            let _ = self.ledger.tick(now_us);
        }
        while let Some(work) = self.ledger.next_work() {
            match work {
                Work::Open(handle) => {
                    self.plan(now_us.saturating_add(self.open_us), Event::Open(handle));
                }
                Work::Check(handle, ()) => {
                    let _ = self.ledger.checked(now_us, handle, ());
                }
                Work::Close(handle, ()) => self.ledger.closed(now_us, handle),
                Work::Abort(handle) => self.ledger.closed(now_us, handle),
            }
        }
        while let Some(caller) = self.ledger.next_wake() {
            let Some(waiter) = self.waiters[caller] else { continue };
            if let Claim::Served(handle, (), _) = self.ledger.claim(waiter, None) {
                self.got(now_us, caller, handle);
            }
        }
    }
}

/// Replays the loans with this capacity, with all objects opened in advance and with none.
pub(super) fn simulate(loans: &Loans, capacity: usize, question: &Question) -> AtCapacity {
    AtCapacity {
        capacity,
        in_advance: replay(loans, all_open(loans, capacity, question), question),
        as_needed: replay(loans, Ledger::new(settings(loans, capacity, question)), question),
    }
}

/// Nothing expires and nobody times out, so the waits depend only on the capacity.
fn settings(loans: &Loans, capacity: usize, question: &Question) -> Settings {
    Settings {
        capacity,
        waiters_max: question.waiters_max.min(loans.asks.len()),
        acquire_timeout_us: Settings::NEVER,
        open_timeout_us: Settings::NEVER,
        check_after_idle_us: Settings::NEVER,
        lifetime_us: Settings::NEVER,
        idle_us: Settings::NEVER,
        ..Settings::default()
    }
}

type Books = Ledger<(), usize, Infallible>;

/// A ledger in which all objects are open and idle.
fn all_open(loans: &Loans, capacity: usize, question: &Question) -> Books {
    let settings = settings(loans, capacity, question);
    let mut ledger =
        Books::new(Settings { idle_min: capacity, openings_max: capacity, ..settings });
    ledger.keeper_started();
    let _ = ledger.tick(0);
    while let Some(work) = ledger.next_work() {
        if let Work::Open(handle) = work {
            let _ = ledger.opened(0, handle, ());
        }
    }
    ledger
}

fn replay(loans: &Loans, mut ledger: Books, question: &Question) -> Run {
    ledger.keeper_started();
    let opened_before = ledger.stats().opened;
    let mut replay = Replay {
        ledger,
        loans,
        open_us: question.open_us,
        waiters: vec![None; loans.asks.len()],
        asked_us: vec![0; loans.asks.len()],
        events: BinaryHeap::new(),
        planned: 0,
        waits: Vec::with_capacity(loans.asks.len()),
    };
    let mut fixed = loans.fixed.iter().copied().peekable();
    let mut now_us = 0;
    let mut busy_us = 0.0;
    loop {
        let event_us = replay.events.peek().map(|Reverse((at_us, _, _))| *at_us);
        let ask_us = fixed.peek().map(|ask| loans.asks[*ask].asked_us);
        // Upkeep that is due later would lengthen the time over which the busy objects are averaged.
        if event_us.is_none() && ask_us.is_none() && replay.ledger.stats().waiting == 0 {
            break;
        }
        let alarm_us = Some(replay.ledger.next_alarm_us()).filter(|at_us| *at_us != u64::MAX);
        let Some(at_us) = [event_us, ask_us, alarm_us].into_iter().flatten().min() else { break };
        let at_us = at_us.max(now_us);
        busy_us += replay.ledger.out() as f64 * (at_us - now_us) as f64;
        now_us = at_us;
        if event_us == Some(now_us) {
            if let Some(Reverse((_, _, event))) = replay.events.pop() {
                replay.happen(now_us, event);
            }
        } else if let Some(ask) = fixed.next_if(|_| ask_us == Some(now_us)) {
            replay.ask(now_us, ask);
        } else {
            let _ = replay.ledger.tick(now_us);
        }
        replay.follow(now_us);
    }
    let stats = replay.ledger.stats();
    let all_served = replay.waits.len();
    let served = all_served as f64;
    let span_us = (now_us as f64).max(1.0);
    let expected = served / span_us * loans.mean_hold_us();
    let busy = busy_us / span_us;
    Run {
        waits: Waits::of(replay.waits),
        refused: stats.refused,
        opened: stats.opened - opened_before,
        rate_per_s: rate(all_served, now_us).filter(|_| all_served > 1),
        over_us: now_us,
        busy,
        deviation: if expected > 0.0 { (busy / expected - 1.0).abs() } else { 0.0 },
    }
}
