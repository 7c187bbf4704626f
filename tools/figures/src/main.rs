//! Writes the figures on the pages of this repository from the records of its measurements:
//! `cargo run -p millpond-figures`. With `check`, says which pages differ from their records, and which figures no record
//! has; `.ci/run` does so. With `try DIR`, only says whether the pages can be filled from the benchmark's record in
//! `DIR/benchmark`.
//!
//! A table stands between `<!-- figures: NAME -->` and `<!-- end -->`, a single figure between `<!-- = NAME -->` and
//! `<!-- = -->`. The names are in `tables.rs`, `once.rs`, `singles.rs`, `c_pools.rs` and `ports.rs`.

mod c_pools;
mod measures;
mod numbers;
mod once;
mod page;
mod ports;
mod records;
mod singles;
mod tables;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::records::Records;

/// The pages that have figures of records. On each, what looks like a measurement is a record's, or listed in `own.txt`.
const PAGES: &[&str] = &[
    "README.md",
    "crates/millpond-c/README.md",
    "docs/guide/bevy.md",
    "docs/guide/choose.md",
    "docs/guide/iterate.md",
    "docs/guide/record.md",
    "docs/guide/threads.md",
    "docs/guide/one-file.md",
    "docs/guide/c-and-cpp.md",
    "docs/guide/rebuild-each-frame.md",
    "docs/peers.md",
    "docs/performance.md",
    "docs/rollback.md",
    "docs/size_classes.md",
    "docs/trust.md",
    "ports/README.md",
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let faults = match arguments[..] {
        [] => run(&repository(), false),
        ["check"] => run(&repository(), true),
        ["try", record] => filled(&repository(), Path::new(record)).map(|_| Vec::new()),
        _ => Err("expected no argument, 'check', or 'try' and a directory".to_owned()),
    };
    match faults {
        Ok(faults) if faults.is_empty() => ExitCode::SUCCESS,
        Ok(faults) => {
            faults.iter().for_each(|fault| eprintln!("{fault}"));
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("figures: {error}");
            ExitCode::from(2)
        }
    }
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Writes the pages, or compares them. Returns what is wrong with them.
fn run(repository: &Path, check: bool) -> Result<Vec<String>, String> {
    let own = read(repository, "tools/figures/own.txt")?;
    let mut faults = Vec::new();
    for (name, old, new) in filled(repository, &repository.join("docs"))? {
        if check {
            faults.extend(page::differences(&old, &new).into_iter().map(|line| {
                format!("{name}:{line}: not as recorded (cargo run -p millpond-figures)")
            }));
        } else if old != new {
            let path = repository.join(name);
            std::fs::write(&path, &new).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        let own: Vec<&str> = measures::of_page(&own, name);
        faults.extend(measures::without_a_record(&new, &own).into_iter().map(|(line, measure)| {
            format!("{name}:{line}: '{measure}' is of no record, and not in tools/figures/own.txt")
        }));
    }
    Ok(faults)
}

/// The pages: their names, as they are, and with the figures of the records, the benchmark's from `benchmark` in a directory.
fn filled(
    repository: &Path,
    directory: &Path,
) -> Result<Vec<(&'static str, String, String)>, String> {
    let records = Records::read(repository, &directory.join("benchmark"))?;
    let pages = PAGES.iter().map(|&name| {
        let old = read(repository, name)?;
        let new = page::fill(&old, &|name| figure(&records, name))
            .map_err(|why| format!("{name}: {why}"))?;
        Ok((name, old, new))
    });
    pages.collect()
}

fn figure(records: &Records, name: &str) -> Result<String, String> {
    if let Some(name) = name.strip_prefix("c ") {
        return records.c_pools.figure(name);
    }
    if let Some(name) = name.strip_prefix("ports ") {
        return records.ports.figure(name);
    }
    match tables::table(records, name).or_else(|| once::table(records, name)) {
        Some(table) => table,
        None => singles::single(records, name),
    }
}

fn read(repository: &Path, name: &str) -> Result<String, String> {
    std::fs::read_to_string(repository.join(name)).map_err(|error| format!("{name}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_have_the_figures_of_their_records() {
        assert_eq!(run(&repository(), true).unwrap(), Vec::<String>::new());
    }
}
