//! What a run prints, and the page that is made of the recorded figures.

mod designs;
mod environment;
mod page;
mod table;
mod terminal;
mod threads;

use std::path::{Path, PathBuf};

pub(crate) use terminal::text;

use crate::results::{BUILD, Results, Run};

/// What this process is.
pub(crate) fn this_run(processes: usize, frame_rounds: usize, rounds: usize) -> Run {
    Run {
        profile: env!("BENCH_PROFILE").into(),
        commit: environment::commit(),
        date: environment::date(),
        processor: crate::processor::processor(),
        versions: environment::versions(),
        seconds: 0,
        processes,
        frame_rounds,
        rounds,
        note: String::new(),
    }
}

/// The page of what is recorded in `directory`.
pub(crate) fn page(directory: &Path) -> Result<String, String> {
    let record = directory.join("benchmark");
    if !record.join(BUILD).exists() {
        return Err(format!("{}: no record; expected what a run has written", record.display()));
    }
    let results = Results::load(&record, BUILD)?;
    let threads = record.join("threads.csv");
    let threads = if threads.exists() { threads::load(&threads)? } else { Vec::new() };
    let designs = record.join("designs.csv");
    let designs = if designs.exists() { designs::load(&designs)? } else { Vec::new() };
    Ok(page::page(&results, &threads, &designs))
}

/// Writes the page of what is recorded in `directory` beside the record, and names it.
pub(crate) fn write_page(directory: &Path) -> Result<PathBuf, String> {
    let path = directory.join("benchmark.md");
    std::fs::write(&path, page(directory)?)
        .map_err(|error| format!("{}: {error}; expected a file to write", path.display()))?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::docs;

    #[test]
    fn the_page_is_made_of_the_recorded_figures() {
        let written = std::fs::read_to_string(docs().join("benchmark.md")).unwrap();
        assert!(
            page(&docs()).unwrap() == written,
            "docs/benchmark.md is not made of docs/benchmark: cargo run -p millpond-bench -- --page"
        );
    }
}
