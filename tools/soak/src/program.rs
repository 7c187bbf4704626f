//! A soak of the user's own program: it runs for any length of time, while the soak watches what the system and the
//! program's recorder report.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use super::processes::{END_WITHIN, End, Running};
use millpond_plan::error::{Failure, Fault, reason, shown, shown_path};
use millpond_plan::output::figures::{bytes, count, duration};
use millpond_plan::samples::Samples;
use millpond_plan::trace::follow::{Following, State};
use millpond_plan::trace::live::{PoolStats, Pools};

/// The time between two looks at the program.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// The maximum number of looks that are kept: if there are more, every other one is dropped.
const LOOKS_MAX: usize = 4096;

/// The program, and its limits.
#[derive(Debug)]
pub(crate) struct Plan<'a> {
    pub(crate) program: &'a [std::ffi::OsString],
    /// When it is ended, unless it ends by itself.
    pub(crate) time: Duration,
    /// Until then, it may allocate memory, and its pools may grow and reach their peaks.
    pub(crate) warm_up: Duration,
    /// The tolerated growth of resident memory in bytes.
    pub(crate) drift_max: u64,
    /// The live trace that its recorder writes.
    pub(crate) live: Option<&'a Path>,
}

/// The state of a pool at one look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PoolState {
    pub(super) number: u64,
    pub(super) name: String,
    pub(super) capacity: u64,
    pub(super) peak: u64,
    pub(super) refused: u64,
}

/// The results of all looks.
#[derive(Debug)]
pub(super) struct Findings {
    /// The resident memory after the warm-up.
    resident: Samples<u64>,
    resident_max: u64,
    pools_start: Option<Vec<PoolState>>,
    pools_end: Vec<PoolState>,
}

impl Findings {
    fn new() -> Self {
        Self {
            resident: Samples::new(LOOKS_MAX),
            resident_max: 0,
            pools_start: None,
            pools_end: Vec::new(),
        }
    }

    fn see_resident(&mut self, bytes: u64) {
        self.resident.add(bytes);
        self.resident_max = self.resident_max.max(bytes);
    }

    fn see_pools(&mut self, pools: Vec<PoolState>) {
        self.pools_start.get_or_insert_with(|| pools.clone());
        self.pools_end = pools;
    }

    /// The medians of resident memory in the first and in the last quarter of the time after the warm-up.
    fn resident_medians(&self) -> Option<(u64, u64)> {
        let looks = self.resident.kept();
        let quarter = looks.len() / 4;
        let median = |looks: &[u64]| {
            let mut sorted = looks.to_vec();
            sorted.sort_unstable();
            sorted.get(sorted.len() / 2).copied()
        };
        Some((median(&looks[..quarter])?, median(&looks[looks.len() - quarter..])?))
    }

    /// Everything that is wrong.
    pub(super) fn faults(&self, drift_max: u64) -> Vec<String> {
        let mut faults = Vec::new();
        if let Some((start, end)) = self.resident_medians()
            && end > start.saturating_add(drift_max)
        {
            faults.push(format!(
                "resident memory drifts: {} in the first quarter after the warm-up, {} in the last (--drift allows {} more)",
                bytes(start),
                bytes(end),
                bytes(drift_max)
            ));
        }
        let start = self.pools_start.as_deref().unwrap_or_default();
        for now in &self.pools_end {
            let name = shown(now.name.as_bytes());
            let Some(before) = start.iter().find(|pool| pool.number == now.number) else {
                faults.push(format!("pool {name} was made after the warm-up"));
                continue;
            };
            for (what, before, now) in [
                ("the capacity grew", before.capacity, now.capacity),
                ("the peak rose", before.peak, now.peak),
                ("the refusals rose", before.refused, now.refused),
            ] {
                if now > before {
                    let (before, now) = (count(before), count(now));
                    faults.push(format!("pool {name}: {what} from {before} to {now}"));
                }
            }
        }
        faults
    }
}

/// Runs the program, and prints the result.
pub(crate) fn soak_program(plan: &Plan<'_>, stop: &AtomicBool) -> Result<(), Failure> {
    let (name, arguments) = plan.program.split_first().expect("the arguments name a program");
    let shown_name = shown_path(Path::new(name));
    // The trace of an earlier run exists until the program begins another.
    let trace_before = plan.live.and_then(modified);
    let child = Command::new(name).args(arguments).spawn();
    let child = child
        .map_err(|error| Failure::Arguments(format!("soak: {shown_name}: {}", reason(&error))))?;
    let mut running = Running::new(child);
    let mut findings = Findings::new();
    let mut following: Option<Following<Live>> = None;
    let begun = Instant::now();
    while running.poll()?.is_none() && begun.elapsed() < plan.time && !stop.load(Ordering::Relaxed)
    {
        std::thread::sleep(LOOK_EVERY.min(plan.time));
        if let Some(path) =
            plan.live.filter(|path| following.is_none() && modified(path) != trace_before)
        {
            let of_input = |fault: Fault| fault.of_input(&path.to_string_lossy());
            following = Some(Following::begin(path).map_err(of_input)?);
        }
        if let Some(following) = &mut following {
            following.read().map_err(|fault| fault.of_input(&following.name()))?;
        }
        if begun.elapsed() < plan.warm_up || running.poll()?.is_some() {
            continue;
        }
        if let Some(resident) = running.resident_bytes() {
            findings.see_resident(resident);
        }
        if let Some(pools) = following.as_ref().map(pools_of).filter(|pools| !pools.is_empty()) {
            findings.see_pools(pools);
        }
    }
    let elapsed = begun.elapsed();
    let ended = running.end()?;
    millpond_terminal::print(&text(&findings, elapsed, plan))?;
    if stop.load(Ordering::Relaxed) {
        // Ctrl-C also ends the program, perhaps before anything was seen.
        return without_faults(&findings, plan, ended);
    }
    verdict(&findings, plan, &shown_name, ended, elapsed, following.is_some())
}

fn without_faults(findings: &Findings, plan: &Plan<'_>, ended: End) -> Result<(), Failure> {
    let mut faults = findings.faults(plan.drift_max);
    if let End::Killed(what) = ended {
        let seconds = END_WITHIN.as_secs();
        faults.push(format!("{what} did not end within {seconds} s of SIGTERM, and was killed"));
    }
    if faults.is_empty() {
        return Ok(());
    }
    Err(Failure::Check(format!("soak: {}", faults.join("; "))))
}

/// The verdict on the program's run.
fn verdict(
    findings: &Findings,
    plan: &Plan<'_>,
    name: &str,
    ended: End,
    elapsed: Duration,
    was_recorded: bool,
) -> Result<(), Failure> {
    if let End::ByItself(status) = ended
        && !status.success()
    {
        let after = duration(elapsed.as_secs_f64());
        return Err(Failure::Check(format!("soak: {name} ended after {after}: {status}")));
    }
    without_faults(findings, plan, ended)?;
    if let Some(path) = plan.live.filter(|_| !was_recorded) {
        let path = shown_path(path);
        return Err(Failure::Check(format!("soak: {name} wrote no live trace to {path}")));
    }
    if findings.resident.kept().is_empty() && findings.pools_end.is_empty() {
        let why = match cfg!(target_os = "linux") {
            true => "the run ended within the warm-up (--warm-up)",
            false => "resident memory cannot be read on this system (use --live FILE)",
        };
        return Err(Failure::Check(format!("soak: {name} could not be observed: {why}")));
    }
    Ok(())
}

/// The summary as text.
fn text(findings: &Findings, elapsed: Duration, plan: &Plan<'_>) -> String {
    let warm_up = duration(plan.warm_up.as_secs_f64());
    let mut text = format!("ran {}, warm-up {warm_up}\n", duration(elapsed.as_secs_f64()));
    match findings.resident_medians() {
        Some((start, end)) => {
            text += &format!(
                "resident memory: {} in the first quarter, {} in the last, {} at most\n",
                bytes(start),
                bytes(end),
                bytes(findings.resident_max)
            );
        }
        None => text += "resident memory: unknown\n",
    }
    for pool in &findings.pools_end {
        text += &format!(
            "pool {}: capacity {}, peak {}, refused {}\n",
            shown(pool.name.as_bytes()),
            count(pool.capacity),
            count(pool.peak),
            count(pool.refused)
        );
    }
    text
}

/// The pools of the program, if it writes a live trace of pools.
#[derive(Debug, Default)]
struct Live(Pools);

impl State for Live {
    fn before() -> Self {
        Self::default()
    }

    fn line(&mut self, number: u64, line: &[u8]) -> Result<(), String> {
        self.0.line(number, line).map(|_| ())
    }
}

fn pools_of(following: &Following<Live>) -> Vec<PoolState> {
    let state = |stats: &PoolStats| PoolState {
        number: stats.pool,
        name: stats.class.clone(),
        capacity: stats.capacity,
        peak: stats.peak,
        refused: stats.refused,
    };
    following.state.0.current().map(state).collect()
}

fn modified(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).and_then(|found| found.modified()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pool(number: u64, capacity: u64, peak: u64, refused: u64) -> PoolState {
        PoolState { number, name: format!("pool{number}"), capacity, peak, refused }
    }

    fn with_resident(values: impl IntoIterator<Item = u64>) -> Findings {
        let mut findings = Findings::new();
        values.into_iter().for_each(|bytes| findings.see_resident(bytes));
        findings
    }

    #[test]
    fn memory_that_goes_up_and_down_does_not_drift_and_memory_that_creeps_does() {
        let waves = |at: u64| (1 << 20) + at % 16 * 65_536;
        assert_eq!(with_resident((0..200).map(waves)).faults(4096), [""; 0]);
        let creeps = with_resident((0..200).map(|at| waves(at) + at * 1024));
        let faults = creeps.faults(4096);
        assert!(faults.len() == 1 && faults[0].contains("drifts"), "{faults:?}");
        assert_eq!(creeps.faults(1 << 20), [""; 0], "as much is allowed");
        assert_eq!(with_resident([1, 5_000_000]).faults(0), [""; 0], "too short to say");
    }

    #[test]
    fn days_of_looks_are_thinned_and_still_show_the_drift() {
        const SPIKE: u64 = 5 << 20;
        let creeps = |at: u64| if at == 12_345 { SPIKE } else { (1 << 20) + at };
        let days = with_resident((0..1_000_000).map(creeps));
        assert_eq!(days.resident_max, SPIKE, "though that look is not kept");
        let looks = days.resident.kept();
        assert!(looks.len() <= LOOKS_MAX && looks.len() > LOOKS_MAX / 4);
        assert!(looks.is_sorted() && *looks.last().unwrap() > 1_990_000);
        assert_eq!(days.faults(500_000).len(), 1);
        assert_eq!(days.faults(800_000).len(), 0);
    }

    #[test]
    fn each_promise_of_a_pool_has_its_own_fault() {
        let judged = |end: PoolState| {
            let mut findings = Findings::new();
            findings.see_pools(vec![pool(0, 10, 5, 1), pool(1, 10, 5, 1)]);
            findings.see_pools(vec![pool(0, 10, 5, 1), end]);
            findings.faults(0)
        };
        assert_eq!(judged(pool(1, 10, 5, 1)), [""; 0]);
        assert_eq!(judged(pool(1, 12, 5, 1)), ["pool pool1: the capacity grew from 10 to 12"]);
        assert_eq!(judged(pool(1, 10, 6, 1)), ["pool pool1: the peak rose from 5 to 6"]);
        assert_eq!(judged(pool(1, 10, 5, 2)), ["pool pool1: the refusals rose from 1 to 2"]);
        assert_eq!(judged(pool(2, 10, 5, 1)), ["pool pool2 was made after the warm-up"]);
    }
}
