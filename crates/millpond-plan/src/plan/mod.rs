//! Plans the pools that a trace needs.
//!
//! A trace is gone through twice. The first pass counts what each class needs, from which its capacity follows. The
//! second pass replays the trace: it computes what smaller pools would have done, collects the data of the plots, and
//! proves the plan. Short traces are read once, because the first pass keeps their events; long ones are read again.

mod advice;
mod ages;
mod all_time;
mod between;
mod capacity;
mod exhaustion;
mod layout;
mod lengths;
mod near_peak;
mod pictures;
pub mod prices;
mod proof;
mod refusals;
mod replay;
mod size_classes;
mod smaller;
mod statistics;
mod untouched;

use std::cell::Cell;
use std::time::Duration;

pub use advice::BLOCKS_AT_HAND_DEFAULT;
pub use advice::{
    Advice, LeftOut, Library, Means, OtherAllocator, Proposal, SHARE_MIN, Verdict, WORTH_MS,
    WORTH_SHARE_OF_TIME, is_worth,
};
pub use all_time::{AllTime, TimeOf};
pub use between::{Between, BusiestBetween, OldestFirst, PaceBetween, SmallerBetween};
pub use capacity::Headroom;
pub use exhaustion::{BusiestSlot, GENERATION_BITS, SlotPace, lifetimes_of, seconds_until};
pub use layout::{Layout, Reuse, layout};
pub use lengths::{Length, Lengths};
pub(crate) use near_peak::FINE_TICKS_MIN;
pub use near_peak::{Heights, NearPeak};
pub use pictures::{Axis, SlotMap};
pub use prices::{Prices, TimeSaved};
pub use proof::Proof;
pub use size_classes::{BYTES_MAX_LARGEST, SizeClass, SizeClasses, size_classes};
pub use smaller::Smaller;
pub use statistics::{ClassStatistics, Statistics};

use crate::clock;
use crate::error::{Failure, Fault, shown};
use crate::input::Source;
use crate::pattern::Pattern;
use crate::progress::Silent;
use crate::trace::both::Both;
use crate::trace::oldest_first;
use crate::trace::tape::{self, Tape};
use crate::trace::{self, Caller, Format, Summary, TickUnit};
pub use untouched::{Unsure, Untouched};

use advice::Units;
use ages::Ages;
use refusals::Refusals;
use replay::{AllLive, ClassOutcome, ClassPlan, Replay};

/// The maximum number of classes with pictures: the first ones.
const PICTURED_MAX: usize = 60;

/// The size of objects whose size the trace does not say: a small game object.
pub const BYTES_DEFAULT: u64 = 64;

/// The options of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Rules {
    /// How much more room than the trace ever used.
    pub headroom: Headroom,
    /// Ticks per second of a lifetime trace, if the user sets them.
    pub ticks_per_second: Option<f64>,
    /// How long the program takes without its recorder, in milliseconds, if the user says so.
    pub run_ms: Option<f64>,
    /// Functions that are skipped as wrappers of the allocator, in addition to those that are detected.
    pub skip_callers: Vec<Pattern>,
    /// The number of blocks of a bin that the program's allocator keeps at hand.
    pub blocks_at_hand: u8,
    /// What calls to the allocator cost, and what costs less.
    pub prices: Prices,
    /// Why the prices of this machine are not known, and so nothing is tried on it, if that is so.
    pub not_tried: Option<NotTried>,
    /// How long the program must run without a retired slot.
    pub session_seconds: f64,
}

impl Default for Rules {
    /// A quarter more than the peak, an allocator that keeps as many blocks at hand as glibc, the reference prices, and
    /// a day without a retired slot.
    fn default() -> Self {
        Self {
            headroom: Headroom { percent: Headroom::DEFAULT_PERCENT },
            ticks_per_second: None,
            run_ms: None,
            skip_callers: Vec::new(),
            blocks_at_hand: BLOCKS_AT_HAND_DEFAULT,
            prices: Prices::REFERENCE,
            not_tried: Some(NotTried::Unasked),
            session_seconds: SESSION_HOURS_DEFAULT * 3600.0,
        }
    }
}

/// Why proposals are not tried on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotTried {
    /// The user gives prices, or no time, or plans in a program that measures nothing.
    Unasked,
    /// This build of the tool is not optimised, so that its times mean nothing.
    NotOptimised,
    /// Another library was loaded before the system's (`LD_PRELOAD`), so the allocator is not the one that programs have.
    Preloaded,
    /// What calls cost here was measured twice, and is more than calls cost.
    Implausible,
}

impl NotTried {
    /// Its name in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Unasked => "unasked",
            Self::NotOptimised => "not-optimised",
            Self::Preloaded => "preloaded",
            Self::Implausible => "implausible",
        }
    }
}

/// How long the program has to run before the first slot uses up its generations, unless the user says otherwise.
pub const SESSION_HOURS_DEFAULT: f64 = 24.0;

/// What ended the recording of a running program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndedBy {
    /// The program's end.
    Program,
    /// The user, by Ctrl-C.
    Interrupt,
    /// The time that the user had set.
    Seconds,
    /// A crash of the program.
    Crash,
    /// The end of the connection without a word.
    Silence,
    /// A stream that is none.
    Stream,
}

impl EndedBy {
    /// Its name in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Program => "program",
            Self::Interrupt => "interrupt",
            Self::Seconds => "seconds",
            Self::Crash => "crash",
            Self::Silence => "silence",
            Self::Stream => "stream",
        }
    }
}

/// A trace and the pools that it needs.
#[derive(Debug)]
pub struct TracePlan {
    /// The trace's name as the user typed it.
    pub name: String,
    /// What a command line has in its place, if it is no file: a program that is recorded anew.
    pub recorder: Option<String>,
    /// What ended the recording, if it was made for this plan.
    pub ended_by: Option<EndedBy>,
    /// What the trace is.
    pub summary: Summary,
    /// Ticks per second; `None` if unknown.
    pub ticks_per_second: Option<f64>,
    /// The peak of live objects, all classes together.
    pub peak_live: u32,
    /// The tick in which that was, for the first time.
    pub peak_tick: u32,
    /// The number of objects that were still alive at the end.
    pub left_live: u32,
    /// The peak of live bytes, if the trace has sizes.
    pub peak_bytes: Option<u64>,
    /// The classes, those that save most calls in a pool first.
    pub classes: Vec<Class>,
    /// What to pool first.
    pub advice: Advice,
    /// The time axis of all pictures.
    pub axis: Axis,
    /// All classes together: the least and the greatest live count in each stretch of time; `None` without times.
    pub live_over_time: Option<Vec<(u32, u32)>>,
    /// The classes of an allocator of several sizes, if requested.
    pub size_classes: Option<SizeClasses>,
    /// How long the first pass took.
    pub statistics_took: Duration,
    /// How long the second pass took.
    pub replay_took: Duration,
}

/// Checks that all plans hold, since one that does not is worth nothing.
///
/// # Errors
/// A failed check that names the first that does not.
pub fn all_proved(plans: &[TracePlan]) -> Result<(), Failure> {
    match plans.iter().find(|plan| !plan.proof().holds()) {
        Some(plan) => {
            Err(Failure::Check(format!("{}: the plan does not hold", shown(plan.name.as_bytes()))))
        }
        None => Ok(()),
    }
}

/// Checks that all traces are whole.
///
/// # Errors
/// A failure that names the first that is cut short.
pub fn all_whole<'p>(
    mut traces: impl Iterator<Item = (&'p str, Option<Fault>)>,
) -> Result<(), Failure> {
    match traces.find_map(|(name, fault)| Some((name, fault?))) {
        Some((name, fault)) => Err(Failure::Cut { name: name.to_owned(), fault }),
        None => Ok(()),
    }
}

impl TracePlan {
    /// Its name, and why the trace is not whole, if it is not.
    #[must_use]
    pub fn cut(&self) -> (&str, Option<Fault>) {
        (&self.name, self.summary.unfinished())
    }

    /// The recorded time in seconds; `None` if the trace has no clock.
    #[must_use]
    pub fn seconds(&self) -> Option<f64> {
        Some(self.summary.ticks() as f64 / self.ticks_per_second?)
    }

    /// The counts of the replay through real pools, all classes together.
    #[must_use]
    pub fn proof(&self) -> Proof {
        self.classes.iter().fold(Proof::default(), |all, class| all.and(class.proof))
    }

    /// Records what a trial says of proposals, by their numbers. Which classes are worth a pool stays: how many slots they
    /// need does not depend on how busy a machine is.
    pub(crate) fn note_trial(
        &mut self,
        verdicts: &std::collections::HashMap<usize, Verdict>,
        can_be_tried: impl Fn(&Proposal) -> bool,
    ) {
        self.advice.note_trial(verdicts, can_be_tried);
    }

    /// Records which classes are worth a pool: those of a proposal, or all if the program has pools already.
    fn note_worth(&mut self) {
        let pooled = self.advice.pooled_classes();
        for class in &mut self.classes {
            class.worth_a_pool = self.summary.has_pools || pooled.contains(class.name.as_str());
        }
    }

    /// The frame of the recorded program in which this tick was, if the recording has frames.
    #[must_use]
    pub fn frame_of(&self, tick: u32) -> Option<u64> {
        match self.summary.tick_unit() {
            TickUnit::Frame => Some(tick.into()).filter(|&frame| frame > 0),
            _ => self.summary.frames.as_ref()?.at(tick),
        }
    }
}

/// The births of a class in a tick.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BirthsPerTick {
    /// The mean of all ticks.
    pub mean: f64,
    /// The peak.
    pub worst: u64,
    /// The first tick with this peak.
    pub worst_tick: u32,
}

/// A class and the pool that it needs. What depends on times or on the order of events is `None` or empty if the trace
/// [has no times](Summary::has_times).
#[derive(Debug)]
pub struct Class {
    /// The class column of the trace, or the size in bytes.
    pub name: String,
    /// Its events.
    pub statistics: ClassStatistics,
    /// The highest live count in 99 % of the ticks.
    pub p99_live: Option<u32>,
    /// Its births in each tick.
    pub births: Option<BirthsPerTick>,
    /// The median length of a lifetime.
    pub median: Option<Between<Length>>,
    /// The length that 95 % of the lifetimes do not exceed.
    pub p95: Option<Between<Length>>,
    /// The capacity to reserve.
    pub capacity: u32,
    /// The refusals and evictions of smaller pools, the largest first.
    pub smaller: Vec<SmallerBetween>,
    /// The lifetimes of its busiest slot.
    pub busiest_slot: Option<BusiestBetween>,
    /// Its lifetimes from the other end, if the recording [does not say who died](Summary::says_who_died); those of
    /// `statistics` are as if the newest had died first.
    pub oldest_first: Option<OldestFirst>,
    /// The suitable handle and reuse order; `None` if the trace has no clock.
    pub layout: Option<Layout>,
    /// What a pool would save.
    pub saving: Saving,
    /// Whether that is worth a pool, or it has one already.
    pub worth_a_pool: bool,
    /// The counts of the replay through real pools.
    pub proof: Proof,
    /// The functions that allocate it, the busiest first; empty if the trace has no call stacks.
    pub callers: Vec<Caller>,
    /// The least and the greatest live count in each stretch of time, if it was kept.
    pub live_over_time: Option<Vec<(u32, u32)>>,
    /// Which slots were live when, if it was kept.
    pub slots_over_time: Option<SlotMap>,
}

impl Class {
    /// The function that requests most of its objects, if one is known.
    #[must_use]
    pub fn main_caller(&self) -> Option<&Caller> {
        self.callers.first().filter(|caller| caller.is_known())
    }

    /// An untouched capacity, where one fits.
    #[must_use]
    pub fn untouched(&self, plan: &TracePlan) -> Option<Untouched> {
        Untouched::of(self, plan)
    }

    /// What a pool of the planned capacity occupies, if the trace has sizes: the objects alone, each as large as the
    /// largest.
    #[must_use]
    pub fn bytes_at_capacity(&self) -> Option<u64> {
        Some(self.statistics.bytes_max?.saturating_mul(u64::from(self.capacity)))
    }
}

/// What a pool would save for one class.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Saving {
    /// Allocations after the first for each slot that the peak needs: lifetimes − peak live.
    pub allocations: u64,
    /// The bytes that passed through the allocator in those; 0 if the trace has no sizes.
    pub bytes: u64,
}

/// Plans the pools of one trace.
///
/// # Errors
/// If the trace cannot be used.
pub fn plan(name: &str, source: &Source, rules: &Rules) -> Result<TracePlan, Fault> {
    plan_with(Tape::new(tape::EVENTS_MAX), name, source, rules)
}

/// Plans the pools of one trace, whose events are kept if they fit on the tape.
fn plan_with(
    mut tape: Tape,
    name: &str,
    source: &Source,
    rules: &Rules,
) -> Result<TracePlan, Fault> {
    let begun = clock::now();
    let mut statistics = Statistics::default();
    let mut progress = source.progress(&format!("reading {}", file_name(name)));
    let mut both = Both(&mut statistics, &mut tape);
    let frames = trace::frames(source)?;
    let open = || trace::open(source).map(|input| input.in_frames(frames.clone()));
    let summary = trace::read(open()?, &mut both, &mut *progress)?;
    drop(progress);
    statistics.finish(summary.last_tick);
    let statistics_took = clock::now().saturating_sub(begun);

    let ticks_per_second = match summary.format {
        Format::Lifetimes => rules.ticks_per_second.or(summary.tick_rate()),
        Format::Heap(_) => summary.tick_rate(),
    };
    let axis = Axis::new(summary.first_tick, summary.ticks());
    let mut units = Units::new(&summary, &statistics, rules);
    let callers = units.callers_by_class();
    let order = most_calls_saved_first(&statistics);
    let plans = class_plans(&statistics, &order, rules);

    let begun = clock::now();
    let drops = vec![Cell::new(0); plans.len()];
    let peak_live = statistics.all.peak_live;
    let mut replay = Replay::new(axis, &plans, peak_live, &drops).map_err(Fault::whole)?;
    let other_drops = vec![Cell::new(0); plans.len()];
    let mut other = match summary.says_who_died() {
        true => None,
        false => Some(OtherEnd::new(axis, &plans, peak_live, &other_drops).map_err(Fault::whole)?),
    };
    let mut all_live = AllLive::new(axis);
    let mut in_order = Both(&mut all_live, &mut units);
    let mut progress = source.progress(&format!("proving {}", file_name(name)));
    if tape.is_whole() {
        if let Some(other) = &mut other {
            other.play(&tape, &summary);
        }
        // One after the other: a process that once had a second thread keeps an allocator that locks, and a trial would
        // measure that.
        tape.play(&summary, &mut in_order);
        tape.by_class().play(&summary, &mut replay, source.bytes_stored(), &mut *progress);
    } else {
        let mut both = Both(&mut replay, &mut in_order);
        let again = match &mut other {
            None => trace::read(open()?, &mut both, &mut *progress)?,
            Some(OtherEnd { replay, ages, refusals }) => {
                let mut counted = Both(ages, refusals);
                let mut oldest = oldest_first::OldestFirst::new(Both(replay, &mut counted));
                let mut all = Both(&mut both, &mut oldest);
                let again = trace::read(open()?, &mut all, &mut *progress)?;
                oldest.finish(again.last_tick);
                again
            }
        };
        if again != summary {
            return Err(Fault::whole("changed while being read, expected a finished trace"));
        }
    }
    drop(tape);
    drop(progress);
    let (live_over_time, outcomes) = (all_live.finish(), replay.finish());
    let other = other.map(OtherEnd::finish);
    let recorded_ms = match summary.ms_in_frames {
        Some(ms) => Some(ms as f64),
        None => ticks_per_second.map(|rate| summary.ticks() as f64 / rate * 1e3),
    };
    let time = AllTime::of(&summary, recorded_ms, rules.run_ms);
    let advice = units.advice(rules, &summary.classes, time);
    let replay_took = clock::now().saturating_sub(begun);
    let has_times = summary.has_times();

    let mut plan = TracePlan {
        name: name.to_owned(),
        recorder: None,
        ended_by: None,
        ticks_per_second,
        peak_live: statistics.all.peak_live,
        peak_tick: statistics.all.peak_tick,
        left_live: statistics.left_live(),
        peak_bytes: (summary.format != Format::Lifetimes).then_some(statistics.peak_bytes),
        classes: Vec::new(),
        advice,
        axis,
        live_over_time: has_times.then_some(live_over_time),
        size_classes: None,
        statistics_took,
        replay_took,
        summary,
    };
    let found = Found { statistics, callers, plans: &plans, outcomes, other };
    plan.classes = classes(&plan, found, &order, rules);
    plan.note_worth();
    Ok(plan)
}

/// The second pass once more, as if of equal objects the oldest had died first.
struct OtherEnd<'d> {
    replay: Replay<'d>,
    ages: Ages,
    refusals: Refusals,
}

/// What it says of a class.
struct OtherOutcome {
    of_replay: ClassOutcome,
    ages: OldestFirst,
    /// By smaller pool, the largest first.
    refused: Vec<Between<u64>>,
}

impl<'d> OtherEnd<'d> {
    fn new(
        axis: Axis,
        plans: &[ClassPlan],
        peak_live: u32,
        drops: &'d [Cell<u64>],
    ) -> Result<Self, String> {
        let plans: Vec<_> =
            plans.iter().map(|plan| ClassPlan { pictured: false, ..*plan }).collect();
        let replay = Replay::new(axis, &plans, peak_live, drops)?;
        Ok(Self { replay, ages: Ages::default(), refusals: Refusals::new(&plans) })
    }

    /// Replays a whole tape.
    fn play(&mut self, tape: &Tape, summary: &Summary) {
        let mut other = Tape::new(tape::EVENTS_MAX);
        let mut kept = Both(&mut other, &mut self.refusals);
        let mut oldest = oldest_first::OldestFirst::new(Both(&mut self.ages, &mut kept));
        tape.play(summary, &mut oldest);
        oldest.finish(summary.last_tick);
        other.by_class().play(summary, &mut self.replay, 0, &mut Silent);
    }

    fn finish(self) -> Vec<OtherOutcome> {
        let outcomes = self.replay.finish();
        let ages = self.ages.finish(outcomes.len());
        let all = outcomes.into_iter().zip(ages).zip(self.refusals.finish());
        all.map(|((of_replay, ages), refused)| OtherOutcome { of_replay, ages, refused }).collect()
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn saving(class: &ClassStatistics) -> Saving {
    let allocations = class.lifetimes - u64::from(class.peak_live);
    Saving { allocations, bytes: allocations.saturating_mul(class.bytes_max.unwrap_or(0)) }
}

/// The numbers of the classes with objects, those that save most calls first.
fn most_calls_saved_first(statistics: &Statistics) -> Vec<usize> {
    // A heaptrack file may name sizes that were never allocated.
    let lived = |&class: &usize| statistics.classes[class].lifetimes > 0;
    let mut order: Vec<usize> = (0..statistics.classes.len()).filter(lived).collect();
    let saved = |class: usize| saving(&statistics.classes[class]).allocations;
    let lifetimes = |class: usize| statistics.classes[class].lifetimes;
    order.sort_by(|&a, &b| {
        saved(b).cmp(&saved(a)).then_with(|| lifetimes(b).cmp(&lifetimes(a))).then(a.cmp(&b))
    });
    order
}

fn class_plans(statistics: &Statistics, order: &[usize], rules: &Rules) -> Vec<ClassPlan> {
    let mut plans: Vec<ClassPlan> = statistics
        .classes
        .iter()
        .map(|class| ClassPlan {
            peak_live: class.peak_live,
            p99_live: class.live_quantile(0.99),
            capacity: rules.headroom.capacity(class.peak_live),
            pictured: false,
        })
        .collect();
    for &class in order.iter().take(PICTURED_MAX) {
        plans[class].pictured = true;
    }
    plans
}

/// What both passes found, class by class.
struct Found<'a> {
    statistics: Statistics,
    callers: Vec<Vec<Caller>>,
    plans: &'a [ClassPlan],
    outcomes: Vec<ClassOutcome>,
    /// Those of the other end, where the recording does not say who died.
    other: Option<Vec<OtherOutcome>>,
}

/// Combines the results of both passes for each class, in the given order.
fn classes(plan: &TracePlan, found: Found<'_>, order: &[usize], rules: &Rules) -> Vec<Class> {
    let Found { statistics, mut callers, plans, outcomes, other } = found;
    let mut parts: Vec<_> = statistics.classes.into_iter().zip(outcomes).map(Some).collect();
    let mut others: Vec<_> = other.into_iter().flatten().map(Some).collect();
    let mut build = |number: usize| {
        let (statistics, outcome) = parts[number].take()?;
        let other = others.get_mut(number).and_then(Option::take);
        let ClassPlan { capacity, p99_live, .. } = plans[number];
        let has_times = plan.summary.has_times();
        let length = |share| {
            let one = statistics.ended.quantile(&statistics.left, share).filter(|_| has_times)?;
            let of = |of: &OtherOutcome| of.ages.ended.quantile(&of.ages.left, share);
            let other = other.as_ref().and_then(of).unwrap_or(one);
            Some(Between::of_lengths(one, other))
        };
        let busiest_slot = BusiestBetween::ends(
            outcome.busiest_slot,
            other.as_ref().map_or(outcome.busiest_slot, |other| other.of_replay.busiest_slot),
        );
        let smaller: Vec<_> = outcome
            .smaller
            .iter()
            .enumerate()
            .map(|(at, one)| match &other {
                None => SmallerBetween::known(one),
                Some(other) => {
                    SmallerBetween::ends(one, &other.of_replay.smaller[at], other.refused[at])
                }
            })
            .collect();
        let births = BirthsPerTick {
            mean: statistics.lifetimes as f64 / plan.summary.ticks() as f64,
            worst: statistics.births_worst,
            worst_tick: statistics.births_worst_tick,
        };
        Some(Class {
            name: plan.summary.classes[number].clone(),
            p99_live: has_times.then_some(p99_live),
            births: has_times.then_some(births),
            median: length(0.5),
            p95: length(0.95),
            capacity,
            smaller: if has_times { smaller } else { Vec::new() },
            busiest_slot: has_times.then_some(busiest_slot),
            // What lasts at the faster end, lasts.
            layout: plan.seconds().map(|seconds| {
                layout(capacity, busiest_slot.pace(seconds).fastest, rules.session_seconds)
            }),
            proof: match &other {
                None => outcome.proof,
                Some(other) => outcome.proof.and(other.of_replay.proof),
            },
            saving: saving(&statistics),
            worth_a_pool: false,
            callers: std::mem::take(&mut callers[number]),
            oldest_first: other.map(|other| other.ages),
            live_over_time: outcome.live_over_time.filter(|_| has_times),
            slots_over_time: outcome.slots_over_time.filter(|_| has_times),
            statistics,
        })
    };
    order.iter().filter_map(|&number| build(number)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_that_is_read_again_has_the_same_plan() {
        let mut text = "ms,event,address,size,stack\n".to_owned();
        for ms in 0..40 {
            for at in 1..=30 {
                text += &format!("{ms},alloc,{at:x},{},spawn;main\n", 16 + at % 5 * 40);
            }
            (1..=30).for_each(|at| text += &format!("{ms},free,{at:x}\n"));
        }
        text += "41,alloc,1,16,spawn;main\n";
        let source = Source::from_memory(text.leak().as_bytes());
        let said = |events_max| {
            let tape = Tape::new(events_max);
            let plan = plan_with(tape, "a.csv", &source, &Rules::default()).expect("a good trace");
            assert!(plan.proof().holds());
            format!("{:?} {:?} {:?}", plan.classes, plan.advice, plan.live_over_time)
        };
        assert_eq!(said(tape::EVENTS_MAX), said(100));
    }
}
