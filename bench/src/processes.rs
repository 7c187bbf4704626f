//! Several processes that measure the same, one after the other: each has its code, stack and heap at other addresses.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use crate::cell::{Cell, merged};
use crate::csv;

/// Why there are no cells.
pub(crate) enum Error {
    /// A process ended with this code, and has said why.
    Ended(u8),
    Other(String),
}

/// The cells of so many processes of this program with the arguments of this one: the medians of theirs.
pub(crate) fn cells(processes: usize) -> Result<Vec<Cell>, Error> {
    let of_all = (1..=processes).map(|number| {
        eprintln!("process {number} of {processes}");
        let name = format!("millpond-bench-{}-{number}.csv", std::process::id());
        let path = std::env::temp_dir().join(name);
        let cells = sampled(&path);
        // Not there if the process could not write it.
        let _ = std::fs::remove_file(&path);
        cells
    });
    Ok(merge(of_all.collect::<Result<_, _>>()?))
}

fn sampled(path: &Path) -> Result<Vec<Cell>, Error> {
    let this = std::env::current_exe().map_err(|error| Error::Other(error.to_string()))?;
    let arguments = std::env::args_os().skip(1);
    let sample = [OsString::from("--sample"), path.into()];
    let status = Command::new(this).args(arguments).args(sample).status();
    let status = status.map_err(|error| Error::Other(error.to_string()))?;
    if !status.success() {
        let code = status.code().and_then(|code| u8::try_from(code).ok());
        return Err(code.map_or_else(|| Error::Other(status.to_string()), Error::Ended));
    }
    csv::read(path).map_err(Error::Other)
}

/// The cells of the first process, each with the figures of all.
fn merge(of_all: Vec<Vec<Cell>>) -> Vec<Cell> {
    let Some(first) = of_all.first() else { return Vec::new() };
    let same = |one: &Cell, other: &Cell| {
        one.work == other.work && one.group() == other.group() && one.contender == other.contender
    };
    let cells = first.iter().enumerate().filter_map(|(at, cell)| {
        // All processes measure the same in the same order.
        let of_cell = of_all.iter().filter_map(|cells| cells.get(at).filter(|one| same(one, cell)));
        merged(&of_cell.cloned().collect::<Vec<_>>())
    });
    cells.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contender::Kind;

    #[test]
    fn cells_of_several_processes_become_one_with_the_figures_of_all() {
        let cell = |contender: &str, median| Cell {
            work: "work".into(),
            object_bytes: 16,
            slots: 1000,
            contender: contender.into(),
            kind: Kind::Index,
            median,
            spread_percent: None,
            rounds: 3,
            processes: Vec::new(),
        };
        let of_all = [[1.0, 5.0], [3.0, 7.0], [2.0, 6.0]];
        let of_all = of_all.map(|[one, two]| vec![cell("one", one), cell("two", two)]);
        let cells = merge(of_all.to_vec());
        let figures: Vec<_> = cells.iter().map(|cell| (&*cell.contender, cell.median)).collect();
        assert_eq!(figures, [("one", 2.0), ("two", 6.0)]);
        assert_eq!(cells[1].processes, [5.0, 7.0, 6.0]);
    }
}
