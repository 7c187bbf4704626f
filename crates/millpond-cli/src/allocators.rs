//! Other general allocators that are installed: what they cost, and how a recording runs on them.
//!
//! The tool starts itself with another allocator in place of the system's, by `LD_PRELOAD`, and has it measure in that
//! process. So it needs no code of those allocators, and measures what its users get without a change of their code.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use millpond_plan::error::Failure;
use millpond_plan::measure::{Laps, calls_ns, note_allocator};
use millpond_plan::plan::prices::AllocatorPrices;
use millpond_plan::plan::{NotTried, Prices, TracePlan};

/// The allocators, and their libraries.
const LIBRARIES: [(&str, &[&str]); 3] = [
    ("mimalloc", &["libmimalloc.so.3", "libmimalloc.so.2", "libmimalloc.so.2.0", "libmimalloc.so"]),
    ("jemalloc", &["libjemalloc.so.2", "libjemalloc.so"]),
    ("tcmalloc", &["libtcmalloc_minimal.so.4", "libtcmalloc_minimal.so"]),
];

/// Where libraries are.
const DIRECTORIES: [&str; 6] = [
    "/usr/local/lib",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/lib",
];

/// How often each allocator is measured, for prices and by a replay: in turns, because what else a machine does changes
/// from moment to moment.
const TURNS_OF_PRICES: usize = 3;
const TURNS_OF_REPLAYS: usize = 2;

/// How often the tool is started with each allocator, to know what its start costs.
const STARTS: usize = 7;

/// The variable that puts a library before the system's.
const PRELOAD: &str = "LD_PRELOAD";

/// The library of an allocator, if it is installed.
fn library(names: &[&str]) -> Option<PathBuf> {
    let paths =
        DIRECTORIES.iter().flat_map(|at| names.iter().map(move |name| Path::new(at).join(name)));
    paths.into_iter().find(|path| cfg!(target_os = "linux") && path.is_file())
}

/// What this tool prints when it is started with these arguments and an allocator; `None` if it cannot be.
fn printed(arguments: &[&Path], library: Option<&Path>) -> Option<String> {
    let mut command = Command::new(std::env::current_exe().ok()?);
    command.args(arguments).stdin(Stdio::null()).stderr(Stdio::null()).env_remove(PRELOAD);
    if let Some(library) = library {
        command.env(PRELOAD, library);
    }
    let output = command.output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The prices of this machine, or why there are none.
pub(crate) struct Here {
    pub(crate) prices: Prices,
    pub(crate) not_tried: Option<NotTried>,
}

impl Here {
    /// The reference prices, because those of this machine are unknown.
    pub(crate) fn reference(why: NotTried) -> Self {
        Self { prices: Prices::REFERENCE, not_tried: Some(why) }
    }
}

/// The prices of this machine: of the system's allocator, and of others that are installed, if they are wanted. A tool that
/// is built without optimisation cannot know them, nor one whose own allocator is another one.
pub(crate) fn prices_here(with_others: bool) -> Here {
    if cfg!(debug_assertions) {
        return Here::reference(NotTried::NotOptimised);
    }
    if is_preloaded(std::env::var_os(PRELOAD).as_deref()) {
        return Here::reference(NotTried::Preloaded);
    }
    plausible(|| measured_prices(with_others))
}

/// Whether a library comes before the system's.
fn is_preloaded(preload: Option<&OsStr>) -> bool {
    preload.is_some_and(|libraries| !libraries.is_empty())
}

/// Measures prices, and again if they are more than calls cost; the reference, if they are so again.
fn plausible(mut measure: impl FnMut() -> Prices) -> Here {
    for _ in 0..2 {
        let prices = measure();
        if prices.system.are_plausible() {
            return Here { prices, not_tried: None };
        }
    }
    Here::reference(NotTried::Implausible)
}

fn measured_prices(with_others: bool) -> Prices {
    let mut here = Laps::measured();
    let mut others: Vec<(String, AllocatorPrices)> = Vec::new();
    for turn in 0..TURNS_OF_PRICES {
        if turn > 0 {
            here = here.least(Laps::measured());
        }
        for (name, names) in LIBRARIES.iter().filter(|_| with_others) {
            let Some(library) = library(names) else { continue };
            let line = printed(&[Path::new("prices")], Some(&library));
            let Some(laps) = line.and_then(|line| AllocatorPrices::parse(&line)) else { continue };
            match others.iter_mut().find(|other| other.0 == *name) {
                Some((_, least)) => *least = least.least(laps),
                None => others.push(((*name).to_owned(), laps)),
            }
        }
    }
    here.prices(others)
}

/// `millpond prices`: what the made-up programs behind prices take on the allocator that this process has.
pub(crate) fn run_prices() -> Result<(), Failure> {
    millpond_terminal::print(&format!("{}\n", Laps::of_allocator()))
}

/// `millpond calls TRACE`: what the allocator that this process has takes for the recorded calls.
pub(crate) fn run_calls(trace: &Path) -> Result<(), Failure> {
    let name = trace.to_string_lossy();
    let source = millpond_terminal::open(trace).map_err(|fault| fault.of_input(&name))?;
    let times = calls_ns(&source).map_err(|fault| fault.of_input(&name))?;
    let times: Vec<String> = times.iter().map(f64::to_string).collect();
    millpond_terminal::print(&format!("{}\n", times.join(" ")))
}

/// Notes where the allocators of a plan are installed and what their start costs, and replays the recording on them, if
/// that is wanted.
pub(crate) fn measure(plan: &mut TracePlan, trace: &Path, by_replay: bool) {
    let is_known = |name: &str| plan.advice.allocators.iter().any(|other| other.name == name);
    let found = |(name, names): (&'static str, &[&str])| Some((name, library(names)?));
    let others: Vec<(&str, PathBuf)> =
        LIBRARIES.into_iter().filter(|(name, _)| is_known(name)).filter_map(found).collect();
    let starts = starts_ms(&others);
    for ((name, library), start_ms) in others.iter().zip(starts) {
        let of = plan.advice.allocators.iter_mut().find(|other| other.name == *name);
        if let Some(other) = of {
            other.library = Some(library.to_string_lossy().into_owned());
            other.start_ms = start_ms;
        }
    }
    if by_replay {
        replay(plan, trace, &others);
    }
    plan.advice.rank_allocators();
}

/// How much longer this tool takes to start with each library: the shortest of several starts, in turns.
fn starts_ms(others: &[(&str, PathBuf)]) -> Vec<Option<f64>> {
    let start = |library: Option<&Path>| {
        let begun = Instant::now();
        printed(&[Path::new("--version")], library)?;
        Some(begun.elapsed().as_secs_f64() * 1e3)
    };
    let mut least: Vec<Option<f64>> = vec![None; others.len() + 1];
    for _ in 0..STARTS {
        let libraries =
            std::iter::once(None).chain(others.iter().map(|other| Some(other.1.as_path())));
        for (least, library) in least.iter_mut().zip(libraries) {
            let now = start(library);
            *least = least.map_or(now, |so_far| now.map(|now| so_far.min(now)));
        }
    }
    let alone = least[0];
    least[1..].iter().map(|with| Some((with.as_ref()? - alone?).max(0.0))).collect()
}

/// Replays the recording on the allocators, in turns.
fn replay(plan: &mut TracePlan, trace: &Path, others: &[(&str, PathBuf)]) {
    let calls = |library: Option<&Path>| -> Option<Vec<f64>> {
        let line = printed(&[Path::new("calls"), trace], library)?;
        line.split(' ').map(|time| time.parse().ok()).collect()
    };
    let libraries =
        || std::iter::once(None).chain(others.iter().map(|other| Some(other.1.as_path())));
    let mut least: Vec<Option<Vec<f64>>> = vec![None; others.len() + 1];
    for _ in 0..TURNS_OF_REPLAYS {
        for (least, library) in least.iter_mut().zip(libraries()) {
            let Some(now) = calls(library) else { continue };
            match least {
                Some(least) => {
                    least.iter_mut().zip(now).for_each(|(least, now)| *least = least.min(now));
                }
                None => *least = Some(now),
            }
        }
    }
    let [Some(before), afters @ ..] = &least[..] else { return };
    for ((name, _), after) in others.iter().zip(afters) {
        if let Some(after) = after {
            note_allocator(plan, name, before, after);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_never_taken_under_a_preload() {
        assert!(is_preloaded(Some(OsStr::new("/usr/lib/heaptrack/libheaptrack_preload.so"))));
        assert!(!is_preloaded(Some(OsStr::new(""))) && !is_preloaded(None));
    }

    #[test]
    fn prices_that_no_call_costs_are_measured_again_and_then_not_used() {
        let prices = |system: &str| Prices {
            system: AllocatorPrices::parse(system).expect("prices"),
            ..Prices::REFERENCE
        };
        let mut measured = ["10820/20/60", "9/20/60"].into_iter();
        let here = plausible(|| prices(measured.next().expect("two are enough")));
        assert_eq!((here.not_tried, here.prices.system.dearest_ns()), (None, 60.0));
        let mut measured = ["10820/20/60", "286/20/60"].into_iter();
        let here = plausible(|| prices(measured.next().expect("two are enough")));
        assert_eq!(here.not_tried, Some(NotTried::Implausible));
        assert_eq!(here.prices, Prices::REFERENCE);
    }

    #[test]
    fn a_library_that_is_not_installed_is_none() {
        assert_eq!(library(&["libnothing-of-that-name.so"]), None);
    }
}
