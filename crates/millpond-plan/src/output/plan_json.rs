//! A plan as JSON, for programs. The types are the schema; `tests/tool/json_schema.rs` keeps their names.

use serde::Serialize;

use super::advice::{MAY_CRASH, allocator_command, why};
use super::between::BetweenJson;
use super::json::{CutJson, LengthJson, Number, json_text};
use super::plan_text::Wanted;
use crate::error::Failure;
use crate::plan::{
    Between, BirthsPerTick, BusiestBetween, Class, EndedBy, GENERATION_BITS, LeftOut, Library,
    Means, NotTried, OtherAllocator, Proof, Proposal, Rules, SizeClass, SizeClasses,
    SmallerBetween, TimeOf, TimeSaved, TracePlan, Unsure, Untouched, lifetimes_of, seconds_until,
};
use crate::reading::ReadingJson;
use crate::trace::{Caller, End, Wrapper};

/// The number of callers listed for each class.
const CALLERS_MAX: usize = 20;

/// What `plan --json` prints. With the same prices (`--prices`) and without `--measure`, the same input gives the same
/// text.
#[derive(Serialize)]
struct PlanJson<'p> {
    /// The tool's version.
    millpond: &'static str,
    rules: RulesJson,
    traces: Vec<TraceJson<'p>>,
}

#[derive(Serialize)]
struct RulesJson {
    headroom_percent: Number,
    session_seconds: Number,
    /// In nanoseconds for an object, from birth to death, as `--prices` reads them.
    prices: String,
    /// Whether the prices were measured on this machine.
    prices_are_measured: bool,
    /// Why nothing was tried on this machine: `unasked`, `not-optimised`, `preloaded` or `implausible`; `null` if the
    /// first proposals were.
    not_tried: Option<&'static str>,
}

#[derive(Serialize)]
struct TraceJson<'p> {
    /// The trace as the user typed it.
    path: &'p str,
    /// `lifetimes`, `heaptrack`, `millpond-heap` or `allocations`.
    format: &'static str,
    /// What a tick is: `tick`, `ms` or `frame`; what comes before the first frame is in tick 0.
    tick: &'static str,
    first_tick: u32,
    ticks: u64,
    /// `null` if unknown.
    ticks_per_second: Option<Number>,
    /// Of recordings of a heap: how many timestamps the clock has.
    #[serde(skip_serializing_if = "Option::is_none")]
    timestamps: Option<u64>,
    /// Births and deaths.
    events: u64,
    /// `known` if the recording says which object dies. If it is `between`, what follows from it has fields `…_between`
    /// with the figures at both ends, as if the newest and as if the oldest of several equal objects died first; the field
    /// for one figure is `null` where they differ. `unknown` if the recording has no times.
    lives: &'static str,
    /// Events that the recorder lost, because the disk was too slow.
    missing_events: u64,
    /// Of recordings of millpond-heap, and of live traces: `whole`, `at-limit` or `missing`.
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<&'static str>,
    /// If it was recorded for this plan, what ended that: `program`, `interrupt`, `seconds`, `crash`, `silence` (the connection
    /// ended without a word) or `stream` (what came is not Tracy's).
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_by: Option<&'static str>,
    /// Where the file is cut short, if it is.
    cut: Option<CutJson<'p>>,
    /// What was read of the file, and what was passed over.
    reading: ReadingJson,
    /// The frames of the recorded program, where the recording has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    frames: Option<FramesJson>,
    /// Objects that the recorded program's own pools refused.
    refused_while_recorded: u64,
    lifetimes: u64,
    peak_live: u32,
    left_live: u32,
    /// Of recordings of a heap.
    #[serde(skip_serializing_if = "Option::is_none")]
    peak_bytes: Option<u64>,
    /// What the shares of time are of; `null` if it is unknown.
    time: Option<AllTimeJson>,
    /// The proposals, best first; empty if nothing is worth a change.
    pool_first: Vec<ProposalJson<'p>>,
    /// The best change, if nothing is worth one.
    best_of_none: Option<ProposalJson<'p>>,
    /// What a trial on this machine left out.
    left_out: Vec<LeftOutJson<'p>>,
    /// After a trial: changes that were not tried, computed from prices.
    untried: Vec<ProposalJson<'p>>,
    /// Other general allocators, to try: no proposals, because a program may crash under them.
    allocators: Vec<AllocatorJson<'p>>,
    /// What libraries allocate for themselves.
    inside_libraries: Vec<LibraryJson<'p>>,
    skipped_wrappers: Vec<WrapperJson<'p>>,
    /// Those for which a pool saves most calls first.
    classes: Vec<ClassJson<'p>>,
    /// With `--size-classes`.
    #[serde(skip_serializing_if = "Option::is_none")]
    size_classes: Option<SizeClassesJson>,
}

/// A proposal that is none after a trial.
#[derive(Serialize)]
struct LeftOutJson<'p> {
    /// `may-save-nothing`, `disturbed` or `within-layout`.
    left_out: &'static str,
    #[serde(flatten)]
    proposal: ProposalJson<'p>,
}

/// Another general allocator.
#[derive(Serialize)]
struct AllocatorJson<'p> {
    name: &'p str,
    /// What its calls save, without its start.
    time_saved: TimeSavedJson,
    /// How much longer a program takes to start with it; `null` if it was not measured.
    start_ms: Option<Number>,
    /// Its library, where it is installed.
    library: Option<&'p str>,
    /// The command that runs a program with it.
    command: String,
    /// What to know before.
    warning: &'static str,
}

/// All of the time.
#[derive(Serialize)]
struct AllTimeJson {
    ms: Number,
    /// `program` with `--run-ms`, or else `recording`.
    of: &'static str,
    /// Whether the recorder has made it longer than the program's own.
    is_slowed: bool,
}

/// One proposal of what to pool.
#[derive(Serialize)]
struct ProposalJson<'p> {
    /// The class, or the smallest and the largest size.
    class: &'p str,
    /// The number by which the text refers to it.
    number: usize,
    /// `packed`, `pool`, `shared-pool`, `size-classes`, `program-size-classes`, `arena` or `reserve`.
    kind: &'static str,
    /// The classes of a pool.
    classes: &'p [String],
    /// The sizes of the slots of an allocator for the whole program.
    #[serde(skip_serializing_if = "Option::is_none")]
    slot_bytes: Option<&'p [u64]>,
    /// Calls to the allocator.
    calls: u64,
    /// How many of them would have found a slot that was free again; of a buffer, its resizes; of an arena, all.
    calls_saved: u64,
    /// Those as a share of all calls in the trace.
    share_of_calls: Number,
    /// How many calls the allocator served with a block that it had at hand.
    calls_at_hand: u64,
    slots: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    callers: Vec<CallerJson<'p>>,
    time_saved: TimeSavedJson,
    /// The proposal in words.
    why: String,
}

/// The time that a change saves in the whole recording; below zero it costs time.
#[derive(Debug, Serialize)]
pub struct TimeSavedJson {
    /// Calls to the allocator that are served in another way.
    calls: u64,
    low_ms: Number,
    high_ms: Number,
    /// As shares of the program's time, if that is known (`--run-ms`), or else of the recording's; `null` without a
    /// clock.
    low_share_of_time: Option<Number>,
    high_share_of_time: Option<Number>,
    /// Whether it was measured by replaying the recording, rather than computed from prices.
    is_measured: bool,
}

/// A caller of the allocator.
#[derive(Serialize)]
struct CallerJson<'p> {
    function: &'p str,
    allocations: u64,
    /// The function and those that called it, the innermost first.
    stack: &'p [String],
}

/// A library that allocates for itself.
#[derive(Serialize)]
struct LibraryJson<'p> {
    name: &'p str,
    calls: u64,
    share_of_calls: Number,
    /// How a program gives it memory of its own.
    hook: Option<&'static str>,
}

/// One of the program's own wrappers of the allocator.
#[derive(Serialize)]
struct WrapperJson<'p> {
    function: &'p str,
    share_of_calls: Number,
}

/// A class and the pool that it needs. What depends on times or on the order of events is `null` or empty if the trace
/// has no times.
#[derive(Serialize)]
struct FramesJson {
    count: u64,
    per_second: Option<Number>,
    /// The frame in which most objects were alive.
    peak_live: Option<u64>,
}

#[derive(Serialize)]
struct ClassJson<'p> {
    /// The trace's name of the class; of recordings of a heap, the size in bytes.
    class: &'p str,
    lifetimes: u64,
    peak_live: u32,
    peak_tick: Option<u32>,
    /// The frame of the program in which that was, where the recording has frames.
    #[serde(skip_serializing_if = "Option::is_none")]
    peak_frame: Option<u64>,
    /// The highest live count in 99 % of the ticks.
    p99_live: Option<u32>,
    mean_live: Option<Number>,
    left_live: u32,
    births_per_tick: Option<BirthsJson>,
    lifetime_ticks: LifetimeJson,
    capacity: u32,
    #[serde(flatten)]
    bytes: Option<BytesJson>,
    /// The refusals and evictions of smaller pools, the largest first.
    smaller: Vec<SmallerJson>,
    /// An untouched capacity, where one fits.
    #[serde(skip_serializing_if = "Option::is_none")]
    untouched: Option<UntouchedJson>,
    busiest_slot_lifetimes: Option<BusiestJson>,
    generations: [GenerationJson; GENERATION_BITS.len()],
    /// The proposed handle and reuse order; `null` if the trace has no clock.
    handle: Option<&'static str>,
    reuse: Option<&'static str>,
    outlasts_session: Option<bool>,
    proof: ProofJson,
    worth_a_pool: bool,
    saving: SavingJson,
    /// If the trace has call stacks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    callers: Vec<CallerJson<'p>>,
}

/// What a pool takes, if the trace has sizes.
#[derive(Serialize)]
struct BytesJson {
    bytes_per_object: u64,
    bytes_at_capacity: u64,
}

#[derive(Serialize)]
struct BirthsJson {
    mean: Number,
    worst: u64,
    worst_tick: u32,
}

#[derive(Serialize)]
struct LifetimeJson {
    median: Option<LengthJson>,
    p95: Option<LengthJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    median_between: Option<BetweenJson<LengthJson>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    p95_between: Option<BetweenJson<LengthJson>>,
}

/// What a smaller pool would have refused, or evicted if it evicts the oldest.
#[derive(Serialize)]
struct SmallerJson {
    capacity: u32,
    refused: Option<u64>,
    evicted: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refused_between: Option<BetweenJson<u64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    evicted_between: Option<BetweenJson<u64>>,
}

/// A capacity whose memory is touched as it fills.
#[derive(Serialize)]
struct UntouchedJson {
    /// `rare-peak`, `grows` or `refused`.
    why: &'static str,
    slots: u32,
    bytes_before_peak: Option<u64>,
    bytes_at_peak: u64,
    bytes_of_addresses: u64,
}

impl From<Untouched> for UntouchedJson {
    fn from(of: Untouched) -> Self {
        Self {
            why: match of.why {
                Unsure::RarePeak { .. } => "rare-peak",
                Unsure::Grows => "grows",
                Unsure::Refused => "refused",
            },
            slots: of.slots,
            bytes_before_peak: of.bytes_before,
            bytes_at_peak: of.bytes_at_peak,
            bytes_of_addresses: of.bytes_of_addresses,
        }
    }
}

/// How often the busiest slot was used, in each reuse order.
#[derive(Serialize)]
struct BusiestJson {
    lifo: Option<u64>,
    fifo: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lifo_between: Option<BetweenJson<u64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fifo_between: Option<BetweenJson<u64>>,
}

/// How long generations of this width last; `null` if nobody knows.
#[derive(Serialize)]
struct GenerationJson {
    bits: u32,
    lifo_seconds: Option<Number>,
    fifo_seconds: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lifo_seconds_between: Option<BetweenJson<Option<Number>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fifo_seconds_between: Option<BetweenJson<Option<Number>>>,
}

/// The counts of the replay through real pools.
#[derive(Serialize)]
struct ProofJson {
    holds: bool,
    operations: u64,
    refused: u64,
    live_checked: u64,
    live_wrong: u64,
    stale_checked: u64,
    stale_resolved: u64,
    drops: u64,
    drops_expected: u64,
}

/// What a pool would save.
#[derive(Serialize)]
struct SavingJson {
    allocations: u64,
    /// If the trace has sizes.
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
}

/// The classes of a `millpond_memory::SizeClasses`.
#[derive(Serialize)]
struct SizeClassesJson {
    bytes_max: u64,
    allocations_served: u64,
    classes: Vec<SizeClassJson>,
}

#[derive(Serialize)]
struct SizeClassJson {
    slot_bytes: u64,
    slots: u32,
    allocations: u64,
    peak_live: u32,
    peak_bytes: u64,
}

/// All plans as one JSON object.
pub fn plan_json(plans: &[TracePlan], rules: &Rules, wanted: &Wanted) -> Result<String, Failure> {
    json_text(&PlanJson {
        millpond: env!("CARGO_PKG_VERSION"),
        rules: RulesJson {
            headroom_percent: Number(rules.headroom.percent),
            session_seconds: Number(rules.session_seconds),
            prices: rules.prices.to_string(),
            prices_are_measured: rules.prices.are_measured,
            not_tried: rules.not_tried.map(NotTried::name),
        },
        traces: plans.iter().map(|plan| TraceJson::of(plan, wanted)).collect(),
    })
}

impl<'p> TraceJson<'p> {
    fn of(plan: &'p TracePlan, wanted: &Wanted) -> Self {
        let summary = &plan.summary;
        let proposals = (1..).zip(&plan.advice.proposals);
        Self {
            path: &plan.name,
            format: summary.format.name(),
            tick: summary.tick_unit().name(),
            first_tick: summary.first_tick,
            ticks: summary.ticks(),
            ticks_per_second: plan.ticks_per_second.map(Number),
            timestamps: summary.timestamps,
            events: summary.events(),
            lives: match (summary.has_times(), summary.says_who_died()) {
                (false, _) => "unknown",
                (true, true) => "known",
                (true, false) => "between",
            },
            missing_events: summary.missing_events,
            cut: summary.cut.as_ref().map(CutJson::from),
            time: plan.advice.time.map(|all| AllTimeJson {
                ms: Number(all.ms),
                of: all.of.name(),
                is_slowed: all.of == TimeOf::SlowedRecording,
            }),
            end: summary.end.map(|end| match end {
                End::Whole => "whole",
                End::AtLimit => "at-limit",
                End::Missing => "missing",
            }),
            ended_by: plan.ended_by.map(EndedBy::name),
            reading: ReadingJson::from(&summary.reading),
            frames: summary.frames.as_ref().map(|frames| FramesJson {
                count: frames.count(),
                per_second: frames.per_second().map(Number),
                peak_live: plan.frame_of(plan.peak_tick),
            }),
            refused_while_recorded: summary.refused,
            lifetimes: summary.births,
            peak_live: plan.peak_live,
            left_live: plan.left_live,
            peak_bytes: plan.peak_bytes,
            pool_first: proposals.map(|(number, of)| ProposalJson::of(plan, number, of)).collect(),
            best_of_none: plan.advice.best_of_none.as_ref().map(|of| ProposalJson::of(plan, 0, of)),
            left_out: plan.advice.left_out.iter().map(|of| LeftOutJson::of(plan, of)).collect(),
            untried: plan.advice.untried.iter().map(|of| ProposalJson::of(plan, 0, of)).collect(),
            allocators: plan
                .advice
                .allocators
                .iter()
                .map(|of| AllocatorJson::of(plan, of))
                .collect(),
            inside_libraries: plan.advice.libraries.iter().map(LibraryJson::from).collect(),
            skipped_wrappers: plan.advice.wrappers.iter().map(WrapperJson::from).collect(),
            classes: wanted.classes(plan).into_iter().map(|c| ClassJson::of(plan, c)).collect(),
            size_classes: plan.size_classes.as_ref().map(SizeClassesJson::from),
        }
    }
}

impl<'p> LeftOutJson<'p> {
    fn of(plan: &TracePlan, (proposal, why): &'p (Proposal, LeftOut)) -> Self {
        Self { left_out: why.name(), proposal: ProposalJson::of(plan, 0, proposal) }
    }
}

impl<'p> AllocatorJson<'p> {
    fn of(plan: &TracePlan, other: &'p OtherAllocator) -> Self {
        Self {
            name: &other.name,
            time_saved: TimeSavedJson::of(&other.time_saved, plan.advice.time.map(|all| all.ms)),
            start_ms: other.start_ms.map(Number),
            library: other.library.as_deref(),
            command: allocator_command(other),
            warning: MAY_CRASH,
        }
    }
}

impl<'p> ProposalJson<'p> {
    fn of(plan: &TracePlan, number: usize, proposal: &'p Proposal) -> Self {
        Self {
            class: &proposal.class,
            number,
            kind: proposal.means.name(),
            classes: &proposal.classes,
            slot_bytes: match &proposal.means {
                Means::ProgramSizeClasses(sizes) => Some(sizes),
                _ => None,
            },
            calls: proposal.calls,
            calls_saved: proposal.calls_saved,
            share_of_calls: Number(proposal.share_of_calls),
            calls_at_hand: proposal.calls_at_hand,
            slots: proposal.slots,
            bytes: proposal.bytes,
            callers: callers(&proposal.callers),
            time_saved: TimeSavedJson::of(&proposal.time_saved, plan.advice.time.map(|all| all.ms)),
            why: why(proposal, plan),
        }
    }
}

impl TimeSavedJson {
    /// In this many milliseconds, if they are known.
    #[must_use]
    pub fn of(saved: &TimeSaved, all_ms: Option<f64>) -> Self {
        let share = |ms| all_ms.map(|all_ms| Number(ms / all_ms));
        Self {
            calls: saved.calls,
            low_ms: Number(saved.low_ms),
            high_ms: Number(saved.high_ms),
            low_share_of_time: share(saved.low_ms),
            high_share_of_time: share(saved.high_ms),
            is_measured: saved.is_measured,
        }
    }
}

/// The callers of the allocator, the busiest first.
fn callers(callers: &[Caller]) -> Vec<CallerJson<'_>> {
    callers.iter().take(CALLERS_MAX).map(CallerJson::from).collect()
}

impl<'p> From<&'p Caller> for CallerJson<'p> {
    fn from(caller: &'p Caller) -> Self {
        Self { function: &caller.function, allocations: caller.allocations, stack: &caller.stack }
    }
}

impl<'p> From<&'p Library> for LibraryJson<'p> {
    fn from(library: &'p Library) -> Self {
        Self {
            name: &library.name,
            calls: library.calls,
            share_of_calls: Number(library.share_of_calls),
            hook: library.hook(),
        }
    }
}

impl<'p> From<&'p Wrapper> for WrapperJson<'p> {
    fn from(wrapper: &'p Wrapper) -> Self {
        Self { function: &wrapper.function, share_of_calls: Number(wrapper.share) }
    }
}

impl<'p> ClassJson<'p> {
    fn of(plan: &TracePlan, class: &'p Class) -> Self {
        let statistics = &class.statistics;
        let sizes = statistics.bytes_max.zip(class.bytes_at_capacity());
        let has_times = plan.summary.has_times();
        Self {
            class: &class.name,
            lifetimes: statistics.lifetimes,
            peak_live: statistics.peak_live,
            peak_tick: has_times.then_some(statistics.peak_tick),
            peak_frame: plan.frame_of(statistics.peak_tick),
            p99_live: class.p99_live,
            mean_live: has_times.then(|| Number(statistics.live_mean())),
            left_live: statistics.live,
            births_per_tick: class.births.map(BirthsJson::from),
            lifetime_ticks: LifetimeJson {
                median: LengthJson::of_one(class.median),
                p95: LengthJson::of_one(class.p95),
                median_between: BetweenJson::of_lengths(class.median),
                p95_between: BetweenJson::of_lengths(class.p95),
            },
            capacity: class.capacity,
            bytes: sizes.map(|(bytes_per_object, bytes_at_capacity)| BytesJson {
                bytes_per_object,
                bytes_at_capacity,
            }),
            smaller: class.smaller.iter().map(SmallerJson::from).collect(),
            untouched: class.untouched(plan).map(UntouchedJson::from),
            busiest_slot_lifetimes: class.busiest_slot.map(BusiestJson::from),
            generations: GENERATION_BITS.map(|bits| GenerationJson::of(plan, class, bits)),
            handle: class.layout.map(|layout| layout.handle),
            reuse: class.layout.map(|layout| layout.reuse.name()),
            outlasts_session: class.layout.map(|layout| layout.lasts),
            proof: ProofJson::from(&class.proof),
            worth_a_pool: class.worth_a_pool,
            saving: SavingJson {
                allocations: class.saving.allocations,
                bytes: statistics.bytes_max.map(|_| class.saving.bytes),
            },
            callers: callers(&class.callers),
        }
    }
}

impl From<BirthsPerTick> for BirthsJson {
    fn from(births: BirthsPerTick) -> Self {
        let BirthsPerTick { mean, worst, worst_tick } = births;
        Self { mean: Number(mean), worst, worst_tick }
    }
}

impl From<BusiestBetween> for BusiestJson {
    fn from(slot: BusiestBetween) -> Self {
        let BusiestBetween { lifo, fifo } = slot;
        Self {
            lifo: lifo.one(),
            fifo: fifo.one(),
            lifo_between: BetweenJson::of(lifo),
            fifo_between: BetweenJson::of(fifo),
        }
    }
}

impl From<&SmallerBetween> for SmallerJson {
    fn from(smaller: &SmallerBetween) -> Self {
        let SmallerBetween { capacity, refused, evicted } = *smaller;
        Self {
            capacity,
            refused: refused.one(),
            evicted: evicted.one(),
            refused_between: BetweenJson::of(refused),
            evicted_between: BetweenJson::of(evicted),
        }
    }
}

impl GenerationJson {
    fn of(plan: &TracePlan, class: &Class, bits: u32) -> Self {
        let seconds = |of: fn(BusiestBetween) -> Between<u64>| {
            let all = plan.seconds()?;
            let lasts = |busiest| seconds_until(lifetimes_of(bits), busiest, all);
            // The busier, the shorter.
            let busiest = class.busiest_slot.map(of)?;
            Some(Between { least: lasts(busiest.most), most: lasts(busiest.least) })
        };
        let (lifo, fifo) = (seconds(|slot| slot.lifo), seconds(|slot| slot.fifo));
        let one = |seconds: Option<Between<Option<f64>>>| seconds?.one()?.map(Number);
        let both = |seconds: Option<Between<Option<f64>>>| {
            BetweenJson::of(seconds?.map(|seconds| seconds.map(Number)))
        };
        Self {
            bits,
            lifo_seconds: one(lifo),
            fifo_seconds: one(fifo),
            lifo_seconds_between: both(lifo),
            fifo_seconds_between: both(fifo),
        }
    }
}

impl From<&Proof> for ProofJson {
    fn from(proof: &Proof) -> Self {
        Self {
            holds: proof.holds(),
            operations: proof.operations,
            refused: proof.refused,
            live_checked: proof.live_checked,
            live_wrong: proof.live_wrong,
            stale_checked: proof.stale_checked,
            stale_resolved: proof.stale_resolved,
            drops: proof.drops,
            drops_expected: proof.drops_expected,
        }
    }
}

impl From<&SizeClasses> for SizeClassesJson {
    fn from(found: &SizeClasses) -> Self {
        Self {
            bytes_max: found.bytes_max,
            allocations_served: found.allocations_served,
            classes: found.classes.iter().map(SizeClassJson::from).collect(),
        }
    }
}

impl From<&SizeClass> for SizeClassJson {
    fn from(class: &SizeClass) -> Self {
        let SizeClass { slot_bytes, allocations, peak_live, slots, peak_bytes } = *class;
        Self { slot_bytes, slots, allocations, peak_live, peak_bytes }
    }
}
