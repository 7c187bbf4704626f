//! millpond against what people would use instead: the same work, in the same processes, in turns.
//!
//! `cargo run --profile shipped -p millpond-bench` measures, prints the tables, records the figures in `docs/benchmark` and
//! makes the page `docs/benchmark.md` from them; `ci/benchmark` does so and more.

mod arguments;
mod beside;
mod cell;
mod contender;
mod contenders;
mod csv;
mod frames;
mod growth_picture;
mod heap;
mod measure;
mod memory;
mod object;
mod plan;
mod population;
mod processes;
mod processor;
mod random;
mod report;
mod results;
mod sizes;
mod traces;
mod verdict;
mod work;

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;

use crate::arguments::Arguments;
use crate::cell::Cell;
use crate::results::Results;

#[global_allocator]
static COUNTING: memory::Counting = memory::Counting;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if let Some(allocator) = &arguments.heap_peak {
        heap::print_peak(allocator);
        return ExitCode::SUCCESS;
    }
    let directory = arguments.directory();
    if let (true, Some(directory)) = (arguments.page, &directory) {
        return written(report::write_page(directory));
    }
    if cfg!(debug_assertions) && !arguments.unoptimised {
        eprintln!(
            "millpond-bench: not an optimised build; expected cargo run --profile shipped -p millpond-bench"
        );
        return ExitCode::from(2);
    }
    if let Some(path) = &arguments.growth_picture {
        return match fs::write(path, growth_picture::picture()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                fail(2, &format!("{}: {error}; expected a file to write", path.display()))
            }
        };
    }
    if let Some(path) = &arguments.sample {
        let cells =
            cells(&arguments).and_then(|cells| csv::write(path, cells).map_err(Trouble::Unusable));
        return cells.map_or_else(Trouble::told, |()| ExitCode::SUCCESS);
    }
    if let (Some(path), true) =
        (&directory, env!("BENCH_PROFILE") != results::BUILD && !arguments.unoptimised)
    {
        let build = results::BUILD;
        return fail(2, &format!("{}: only cargo's profile {build} is recorded", path.display()));
    }
    // Before the minutes of measuring, not after.
    if let Some((directory, Err(error))) =
        directory.as_ref().map(|path| (path, fs::create_dir_all(path)))
    {
        let expected = "expected a directory that can be written to";
        return fail(2, &format!("{}: {error}; {expected}", directory.display()));
    }
    let results = match measure_all(&arguments) {
        Ok(results) => results,
        Err(trouble) => return trouble.told(),
    };
    // A reader that has closed the pipe has seen enough; the files are still to be written.
    let _ = write!(io::stdout(), "{}", report::text(&results));
    let Some(directory) = directory else { return ExitCode::SUCCESS };
    let saved = results.save(&directory.join("benchmark"));
    written(saved.and_then(|()| report::write_page(&directory)))
}

/// Says where the page is, or why it is not.
fn written(page: Result<PathBuf, String>) -> ExitCode {
    match page {
        Ok(path) => {
            eprintln!("written: {}, made of the figures in the folder beside it", path.display());
            ExitCode::SUCCESS
        }
        Err(message) => fail(2, &message),
    }
}

/// Why there are no results.
enum Trouble {
    /// Arguments that leave nothing to measure.
    Unusable(String),
    /// Contenders that did not do the same work.
    Mismatch(String),
    /// A process that measured and has said why it ended with this code.
    Told(u8),
}

impl Trouble {
    fn told(self) -> ExitCode {
        match self {
            Self::Unusable(message) => fail(2, &message),
            Self::Mismatch(message) => fail(1, &message),
            Self::Told(code) => ExitCode::from(code),
        }
    }
}

/// The cells that this process measures.
fn cells(arguments: &Arguments) -> Result<Vec<Cell>, Trouble> {
    let begin = Instant::now();
    let mut tasks = plan::tasks(arguments).map_err(Trouble::Unusable)?;
    for task in &mut tasks {
        task.candidates.retain(|candidate| arguments.wants_contender(candidate.name));
    }
    tasks.retain(|task| !task.candidates.is_empty());
    let mut cells = Vec::new();
    let count = tasks.len();
    for (number, task) in tasks.into_iter().enumerate() {
        let at = format!("{}, {} bytes, {} slots", task.work, task.object_bytes, task.slots);
        eprintln!("[{:>3}/{count} {:>4.0} s] {at}", number + 1, begin.elapsed().as_secs_f32());
        let is_frames = task.work.starts_with(frames::PREFIX);
        let rounds = if is_frames { arguments.frame_rounds() } else { arguments.rounds() };
        cells.extend(measure::run(&task, rounds).map_err(Trouble::Mismatch)?);
    }
    if arguments.wants_heap() {
        eprintln!("{}", heap::WORK);
        let task = heap::task(&|name| arguments.wants_contender(name));
        cells.extend(measure::run(&task, arguments.rounds()).map_err(Trouble::Mismatch)?);
    }
    Ok(cells)
}

fn measure_all(arguments: &Arguments) -> Result<Results, Trouble> {
    let begin = Instant::now();
    // What is wrong with the arguments is told once, before a process measures.
    plan::tasks(arguments).map_err(Trouble::Unusable)?;
    let mut results = Results::new(report::this_run(
        arguments.processes(),
        arguments.frame_rounds(),
        arguments.rounds(),
    ));
    results.cells = match arguments.processes() {
        1 => cells(arguments)?,
        processes => processes::cells(processes).map_err(|error| match error {
            processes::Error::Ended(code) => Trouble::Told(code),
            processes::Error::Other(message) => Trouble::Unusable(message),
        })?,
    };
    if arguments.wants_heap() {
        results.heap_peaks = heap::peaks(&|name| arguments.wants_contender(name));
    }
    if arguments.wants_beside_frames("worst") {
        eprintln!("worst single operation");
        let (operations, rounds) = arguments.worst();
        results.latencies =
            work::worst::run(operations, rounds, &|name| arguments.wants_contender(name));
    }
    if arguments.wants_beside_frames("memory") {
        results.bytes_per_slot = memory::bytes_per_slot(&|name| arguments.wants_contender(name));
    }
    results.run.seconds = begin.elapsed().as_secs();
    results.verdicts = verdict::verdicts(&results);
    results.beside = beside::beside(&results);
    let message = "no work and contender match --only and --contenders; expected a part of a name in the tables";
    if results.is_empty() { Err(Trouble::Unusable(message.into())) } else { Ok(results) }
}

fn fail(code: u8, message: &str) -> ExitCode {
    eprintln!("millpond-bench: {message}");
    ExitCode::from(code)
}
