//! A plan for many sessions as JSON, for programs. The types are the schema.

use serde::Serialize;

use super::between::BetweenJson;
use super::json::{LengthJson, Number, json_text};
use crate::error::Failure;
use crate::merge::{ClassPlan, GroupPlan, Level, MergeRules, Need, Refused};
use crate::plan::{Between, PaceBetween};

/// What `merge --json` prints.
#[derive(Serialize)]
struct MergeJson<'p> {
    /// The tool's version.
    millpond: &'static str,
    rules: RulesJson<'p>,
    /// The groups, in the order of their values; one if there is no `by`.
    groups: Vec<GroupJson<'p>>,
}

#[derive(Serialize)]
struct RulesJson<'p> {
    /// How many of 100 sessions are refused nothing, at least.
    quantile_percent: Number,
    headroom_percent: Number,
    /// How long handles must last.
    session_seconds: Number,
    /// The column whose values have a plan each.
    by: Option<&'p str>,
}

/// The plan for the sessions of one group.
#[derive(Serialize)]
struct GroupJson<'p> {
    /// The value that they share in the column `by`.
    value: Option<&'p str>,
    sessions: u64,
    /// How long they lasted; `null` if a session has no clock.
    seconds: Option<Number>,
    /// How many sessions would have been refused something.
    refused: u64,
    /// How many classes are worth a pool in no session, and are not among `classes`.
    left_out: usize,
    classes: Vec<ClassJson<'p>>,
    /// What other shares of sessions to serve would cost.
    levels: Vec<LevelJson>,
    /// The sessions that would have been refused most.
    neediest: Vec<RefusedJson<'p>>,
}

#[derive(Serialize)]
struct ClassJson<'p> {
    class: &'p str,
    /// In how many sessions it is.
    sessions: u64,
    lifetimes: u64,
    /// How many calls to the allocator a pool in each session would have saved.
    calls_saved: u64,
    /// In how many sessions that is worth a pool.
    worth_in: u64,
    /// The peak that half of all sessions do not exceed.
    peak_median: u32,
    peak_max: u32,
    capacity: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes_per_object: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes_at_capacity: Option<u64>,
    /// In how many sessions a pool of this capacity would have refused something.
    refused_in: u64,
    lifetime_ticks: LifetimeJson,
    /// How many seconds the busiest slot takes for a lifetime, where it is used fastest; `null` if a session
    /// does not say it.
    busiest_slot_seconds: Option<PaceJson>,
    /// The proposed handle and reuse order; `null` if a session does not say how busy its slots are.
    handle: Option<&'static str>,
    reuse: Option<&'static str>,
    outlasts_session: Option<bool>,
    /// The sessions with the greatest peaks.
    needs_most: Vec<NeedJson<'p>>,
}

#[derive(Serialize)]
struct LifetimeJson {
    median: Option<LengthJson>,
    p95: Option<LengthJson>,
    /// Both ends, if a session does not say who died and they differ; then there is no one figure.
    #[serde(skip_serializing_if = "Option::is_none")]
    median_between: Option<BetweenJson<LengthJson>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    p95_between: Option<BetweenJson<LengthJson>>,
}

/// In each reuse order; `null` if no slot was used twice, or if there are two ends.
#[derive(Serialize)]
struct PaceJson {
    lifo: Option<Number>,
    fifo: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lifo_between: Option<BetweenJson<Option<Number>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fifo_between: Option<BetweenJson<Option<Number>>>,
}

#[derive(Serialize)]
struct NeedJson<'p> {
    session: &'p str,
    /// The summary that the session is in.
    path: &'p str,
    peak_live: u32,
}

#[derive(Serialize)]
struct LevelJson {
    percent: Number,
    slots: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    /// How many sessions would have been refused something.
    refused: u64,
}

#[derive(Serialize)]
struct RefusedJson<'p> {
    session: &'p str,
    path: &'p str,
    /// By how much its peaks exceed the capacities, all classes together.
    missing: u64,
    /// The class of which most are missing.
    class: &'p str,
    peak_live: u32,
    capacity: u32,
}

/// All groups as one JSON object.
#[inline]
pub fn merge_json(groups: &[GroupPlan], rules: &MergeRules) -> Result<String, Failure> {
    json_text(&MergeJson {
        millpond: env!("CARGO_PKG_VERSION"),
        rules: RulesJson {
            quantile_percent: Number(rules.quantile_percent),
            headroom_percent: Number(rules.headroom.percent),
            session_seconds: Number(rules.session_seconds),
            by: rules.by.as_deref(),
        },
        groups: groups.iter().map(GroupJson::from).collect(),
    })
}

impl<'p> From<&'p GroupPlan> for GroupJson<'p> {
    #[inline]
    fn from(group: &'p GroupPlan) -> Self {
        Self {
            value: group.value.as_deref(),
            sessions: group.sessions,
            seconds: group.seconds.map(Number),
            refused: group.refused,
            left_out: group.left_out,
            classes: group.classes.iter().map(ClassJson::from).collect(),
            levels: group.levels.iter().map(LevelJson::from).collect(),
            neediest: group.neediest.iter().map(RefusedJson::from).collect(),
        }
    }
}

impl<'p> From<&'p ClassPlan> for ClassJson<'p> {
    #[inline]
    fn from(class: &'p ClassPlan) -> Self {
        Self {
            class: &class.name,
            sessions: class.sessions,
            lifetimes: class.births,
            calls_saved: class.calls_saved,
            worth_in: class.worth_in,
            peak_median: class.peak_median,
            peak_max: class.peak_max,
            capacity: class.capacity,
            bytes_per_object: class.bytes_max,
            bytes_at_capacity: class.bytes_at_capacity(),
            refused_in: class.refused_in,
            lifetime_ticks: LifetimeJson {
                median: LengthJson::of_one(class.life_median),
                p95: LengthJson::of_one(class.life_p95),
                median_between: BetweenJson::of_lengths(class.life_median),
                p95_between: BetweenJson::of_lengths(class.life_p95),
            },
            busiest_slot_seconds: class.pace.map(PaceJson::from),
            handle: class.layout.map(|layout| layout.handle),
            reuse: class.layout.map(|layout| layout.reuse.name()),
            outlasts_session: class.layout.map(|layout| layout.lasts),
            needs_most: class.needs_most.iter().map(NeedJson::from).collect(),
        }
    }
}

impl From<PaceBetween> for PaceJson {
    #[inline]
    fn from(pace: PaceBetween) -> Self {
        let PaceBetween { fastest, slowest } = pace;
        let between =
            |least: Option<f64>, most: Option<f64>| Between { least, most }.map(|s| s.map(Number));
        let lifo = between(fastest.lifo, slowest.lifo);
        let fifo = between(fastest.fifo, slowest.fifo);
        Self {
            lifo: lifo.one().flatten(),
            fifo: fifo.one().flatten(),
            lifo_between: BetweenJson::of(lifo),
            fifo_between: BetweenJson::of(fifo),
        }
    }
}

impl<'p> From<&'p Need> for NeedJson<'p> {
    #[inline]
    fn from(need: &'p Need) -> Self {
        Self { session: &need.session, path: &need.path, peak_live: need.peak_live }
    }
}

impl From<&Level> for LevelJson {
    #[inline]
    fn from(level: &Level) -> Self {
        let Level { percent, slots, bytes, refused } = *level;
        Self { percent: Number(percent), slots, bytes, refused }
    }
}

impl<'p> From<&'p Refused> for RefusedJson<'p> {
    #[inline]
    fn from(refused: &'p Refused) -> Self {
        Self {
            session: &refused.session,
            path: &refused.path,
            missing: refused.missing,
            class: &refused.class,
            peak_live: refused.peak_live,
            capacity: refused.capacity,
        }
    }
}
