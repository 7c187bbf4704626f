//! Other general allocators that are installed: what they cost, and how a recording runs on them.
//!
//! The tool starts itself with another allocator in place of the system's, by `LD_PRELOAD`, and has it measure in that
//! process. So it needs no code of those allocators, and measures what its users get without a change of their code.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use millpond_plan::error::Failure;
use millpond_plan::measure::{Laps, calls_ns, note_allocator};
use millpond_plan::plan::prices::AllocatorPrices;
use millpond_plan::plan::{Means, Prices, TracePlan};

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

/// The prices of this machine: of the system's allocator, and of others that are installed. A tool that is built without
/// optimisation cannot know them.
pub(crate) fn prices_here() -> Prices {
    if cfg!(debug_assertions) {
        return Prices::REFERENCE;
    }
    let mut here = Laps::measured();
    let mut others: Vec<(String, AllocatorPrices)> = Vec::new();
    for turn in 0..TURNS_OF_PRICES {
        if turn > 0 {
            here = here.least(Laps::measured());
        }
        for (name, names) in LIBRARIES {
            let Some(library) = library(names) else { continue };
            let line = printed(&[Path::new("prices")], Some(&library));
            let Some(laps) = line.and_then(|line| AllocatorPrices::parse(&line)) else { continue };
            match others.iter_mut().find(|other| other.0 == name) {
                Some((_, least)) => *least = least.least(laps),
                None => others.push((name.to_owned(), laps)),
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
    let [low, high] = calls_ns(&source).map_err(|fault| fault.of_input(&name))?;
    millpond_terminal::print(&format!("{low} {high}\n"))
}

/// Measures the proposals to take another allocator, by replaying the recording on it.
pub(crate) fn measure(plan: &mut TracePlan, trace: &Path) {
    let is_other = |name: &str| {
        plan.advice
            .proposals
            .iter()
            .any(|of| matches!(&of.means, Means::Allocator(other) if other == name))
    };
    let wanted: Vec<_> = LIBRARIES.into_iter().filter(|(name, _)| is_other(name)).collect();
    let calls = |library: Option<&Path>| -> Option<[f64; 2]> {
        let line = printed(&[Path::new("calls"), trace], library)?;
        let (low, high) = line.split_once(' ')?;
        Some([low.parse().ok()?, high.parse().ok()?])
    };
    let libraries: Vec<(&str, Option<PathBuf>)> = std::iter::once(("", None))
        .chain(wanted.into_iter().filter_map(|(name, names)| Some((name, Some(library(names)?)))))
        .collect();
    if libraries.len() == 1 {
        return;
    }
    let mut least: Vec<Option<[f64; 2]>> = vec![None; libraries.len()];
    for _ in 0..TURNS_OF_REPLAYS {
        for (least, (_, library)) in least.iter_mut().zip(&libraries) {
            if let Some([low, high]) = calls(library.as_deref()) {
                let so_far = least.unwrap_or([f64::INFINITY; 2]);
                *least = Some([low.min(so_far[0]), high.min(so_far[1])]);
            }
        }
    }
    let mut least = libraries.iter().zip(least);
    let Some((_, Some(before))) = least.next() else { return };
    for ((name, _), after) in least {
        if let Some(after) = after {
            note_allocator(plan, name, before, after);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_that_is_not_installed_is_none() {
        assert_eq!(library(&["libnothing-of-that-name.so"]), None);
    }
}
