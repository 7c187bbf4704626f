//! millpond against what people would use instead: the same work, in one process, in turns.
//!
//! `cargo run --profile plain -p millpond-bench` measures, prints the tables, records the figures in `docs/benchmark` and
//! makes the page `docs/benchmark.md` from them; `ci/benchmark` does so in two builds.

mod arguments;
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
            "millpond-bench: not an optimised build; expected cargo run --profile plain -p millpond-bench"
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
    // Before the minutes of measuring, not after.
    if let Some((directory, Err(error))) =
        directory.as_ref().map(|path| (path, fs::create_dir_all(path)))
    {
        let expected = "expected a directory that can be written to";
        return fail(2, &format!("{}: {error}; {expected}", directory.display()));
    }
    let results = match measure_all(&arguments) {
        Ok(results) => results,
        Err(Trouble::Unusable(message)) => return fail(2, &message),
        Err(Trouble::Mismatch(message)) => return fail(1, &message),
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
}

fn measure_all(arguments: &Arguments) -> Result<Results, Trouble> {
    let begin = Instant::now();
    let mut tasks = plan::tasks(arguments);
    for task in &mut tasks {
        task.candidates.retain(|candidate| arguments.wants_contender(candidate.name));
    }
    tasks.retain(|task| !task.candidates.is_empty());
    let mut results = Results::new(report::this_run(arguments.frame_rounds(), arguments.rounds()));
    let count = tasks.len();
    for (number, task) in tasks.into_iter().enumerate() {
        let at = format!("{}, {} bytes, {} slots", task.work, task.object_bytes, task.slots);
        eprintln!("[{:>3}/{count} {:>4.0} s] {at}", number + 1, begin.elapsed().as_secs_f32());
        let is_frames = task.work.starts_with(frames::PREFIX);
        let rounds = if is_frames { arguments.frame_rounds() } else { arguments.rounds() };
        results.cells.extend(measure::run(&task, rounds).map_err(Trouble::Mismatch)?);
    }
    if arguments.wants_work(heap::WORK) {
        eprintln!("{}", heap::WORK);
        let wanted = |name: &str| arguments.wants_contender(name);
        results.heap_peaks = heap::peaks(&wanted);
        let cells = measure::run(&heap::task(&wanted), arguments.rounds());
        results.cells.extend(cells.map_err(Trouble::Mismatch)?);
    }
    if arguments.wants_work("worst") {
        eprintln!("worst single operation");
        let (operations, rounds) = arguments.worst();
        results.latencies =
            work::worst::run(operations, rounds, &|name| arguments.wants_contender(name));
    }
    if arguments.wants_work("memory") {
        results.bytes_per_slot = memory::bytes_per_slot(&|name| arguments.wants_contender(name));
    }
    results.run.seconds = begin.elapsed().as_secs();
    results.verdicts = verdict::verdicts(&results);
    let message = "no work and contender match --only and --contenders; expected a part of a name in the tables";
    if results.is_empty() { Err(Trouble::Unusable(message.into())) } else { Ok(results) }
}

fn fail(code: u8, message: &str) -> ExitCode {
    eprintln!("millpond-bench: {message}");
    ExitCode::from(code)
}
