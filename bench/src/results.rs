//! Everything that one run has measured, and its record: a folder of CSV files for each build.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::cell::{Cell, Group};
use crate::contender::Kind;
use crate::csv;
use crate::frames;
use crate::heap::Peak;
use crate::memory::BytesPerSlot;
use crate::work::worst::Latency;
use crate::work::{growth, quadtree, snapshot, sparse};

/// The loops that peers have, too.
pub(crate) const LOOPS: [&str; 2] = ["for", "for_each"];

/// The contender that ratios refer to.
pub(crate) const REFERENCE: &str = "Pool, Lifo";

/// The pool that grows: peers grow as well.
pub(crate) const VEC_POOL: &str = "VecPool";

/// Whom memory is compared with.
pub(crate) const SLOTMAP: &str = "slotmap";

/// The build that has a record, as games are shipped.
pub(crate) const BUILD: &str = "shipped";

/// When, where, and of what the figures are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Run {
    /// The profile that the program was built with.
    pub(crate) profile: String,
    pub(crate) commit: String,
    pub(crate) date: String,
    pub(crate) processor: String,
    pub(crate) versions: String,
    pub(crate) seconds: u64,
    pub(crate) processes: usize,
    pub(crate) frame_rounds: usize,
    pub(crate) rounds: usize,
    /// What is not as in the rest of the record.
    pub(crate) note: String,
}

/// How it went with a bar: a row of the record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Verdict {
    pub(crate) bar: String,
    pub(crate) limit: f64,
    /// The worst ratio of all cells.
    #[serde(serialize_with = "csv::rounded")]
    pub(crate) worst: f64,
    /// In how many cells it was met, of how many that were measured.
    pub(crate) met: usize,
    pub(crate) measured: usize,
    /// The worst cell.
    pub(crate) at: String,
}

impl Verdict {
    pub(crate) fn is_met(&self) -> bool {
        self.met == self.measured
    }
}

/// A pool at one work, beside the fastest generational peer whose values keep their addresses, by the same work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Beside {
    pub(crate) work: String,
    pub(crate) object_bytes: usize,
    pub(crate) slots: usize,
    pub(crate) contender: String,
    pub(crate) peer: String,
    #[serde(serialize_with = "csv::rounded")]
    pub(crate) peer_ns: f64,
    /// The median over the processes of how many times the peer's time in the same process the pool took.
    #[serde(serialize_with = "csv::rounded")]
    pub(crate) ratio: f64,
}

/// See the module.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Results {
    pub(crate) run: Run,
    pub(crate) cells: Vec<Cell>,
    pub(crate) latencies: Vec<Latency>,
    pub(crate) bytes_per_slot: Vec<BytesPerSlot>,
    pub(crate) heap_peaks: Vec<Peak>,
    pub(crate) verdicts: Vec<Verdict>,
    pub(crate) beside: Vec<Beside>,
}

/// The files of cells, which are also the parts of what a run prints: (name, heading).
pub(crate) const FILES: [(&str, &str); 6] = [
    ("frames", "Frames: per visit; births and deaths per event"),
    ("operations", "Operations: per slot, object or pair of a removal and an insertion"),
    ("iteration", "Iteration: per live object; sparse: per walk over 100 live objects"),
    ("growth", "Growth: the longest insertion, of as many as there are slots"),
    ("programs", "Programs: per particle and frame, actor and frame, or event of the replay"),
    ("snapshots", "Save and restore: per slot"),
];

/// The file of [`FILES`] that the cells of a work are in.
pub(crate) fn file_of(work: &str) -> &'static str {
    let begins = |with: &[&str]| with.iter().any(|with| work.starts_with(with));
    if begins(&[frames::PREFIX]) {
        "frames"
    } else if begins(&["iterate", sparse::PREFIX]) {
        "iteration"
    } else if begins(&[growth::NAME]) {
        "growth"
    } else if begins(&["particles", quadtree::NAME, "replay", crate::heap::WORK]) {
        "programs"
    } else if begins(&[snapshot::PREFIX]) {
        "snapshots"
    } else {
        "operations"
    }
}

impl Results {
    pub(crate) fn new(run: Run) -> Self {
        Self {
            run,
            cells: Vec::new(),
            latencies: Vec::new(),
            bytes_per_slot: Vec::new(),
            heap_peaks: Vec::new(),
            verdicts: Vec::new(),
            beside: Vec::new(),
        }
    }

    /// Writes all of it below `directory`, in a folder that is named after the build.
    pub(crate) fn save(&self, directory: &Path) -> Result<(), String> {
        let directory = directory.join(&self.run.profile);
        std::fs::create_dir_all(&directory)
            .map_err(|error| format!("{}: {error}; expected a directory", directory.display()))?;
        let file = |name: &str| directory.join(name).with_extension("csv");
        csv::write(&file("run"), [&self.run])?;
        csv::write(&file("verdicts"), &self.verdicts)?;
        csv::write(&file("beside"), &self.beside)?;
        for (name, _) in FILES {
            csv::write(&file(name), self.cells.iter().filter(|cell| file_of(&cell.work) == name))?;
        }
        csv::write(&file("worst"), &self.latencies)?;
        csv::write(&file("memory"), &self.bytes_per_slot)?;
        csv::write(&file("heap-peaks"), &self.heap_peaks)
    }

    /// Reads the record of the build `profile` below `directory`.
    pub(crate) fn load(directory: &Path, profile: &str) -> Result<Self, String> {
        let directory = directory.join(profile);
        let file = |name: &str| directory.join(name).with_extension("csv");
        let run = csv::read(&file("run"))?.pop();
        let run = run.ok_or_else(|| format!("{}: expected one row", file("run").display()))?;
        let mut results = Self::new(run);
        for (name, _) in FILES {
            results.cells.extend(csv::read::<Cell>(&file(name))?);
        }
        results.verdicts = csv::read(&file("verdicts"))?;
        results.beside = csv::read(&file("beside"))?;
        results.latencies = csv::read(&file("worst"))?;
        results.bytes_per_slot = csv::read(&file("memory"))?;
        results.heap_peaks = csv::read(&file("heap-peaks"))?;
        Ok(results)
    }

    /// Whether nothing was measured.
    pub(crate) fn is_empty(&self) -> bool {
        self.cells.is_empty()
            && self.latencies.is_empty()
            && self.heap_peaks.is_empty()
            && self.bytes_per_slot.is_empty()
    }

    /// The groups in which `work` was measured, in the order of measurement.
    pub(crate) fn groups(&self, work: impl Fn(&str) -> bool) -> Vec<Group> {
        let mut groups = Vec::new();
        for cell in self.cells.iter().filter(|cell| work(&cell.work)) {
            if !groups.contains(&cell.group()) {
                groups.push(cell.group());
            }
        }
        groups
    }

    /// The cells of one work in one group.
    pub(crate) fn column<'a>(
        &'a self,
        work: &'a str,
        group: Group,
    ) -> impl Iterator<Item = &'a Cell> {
        self.cells.iter().filter(move |cell| cell.work == work && cell.group() == group)
    }

    /// The cell of one contender.
    pub(crate) fn cell(&self, work: &str, group: Group, contender: &str) -> Option<&Cell> {
        self.cells
            .iter()
            .find(|cell| cell.contender == contender && cell.work == work && cell.group() == group)
    }

    /// The fastest of the contenders of some kinds.
    pub(crate) fn best<'a>(
        &'a self,
        work: &'a str,
        group: Group,
        kinds: &[Kind],
    ) -> Option<&'a Cell> {
        let cells = self.column(work, group).filter(|cell| kinds.contains(&cell.kind));
        cells.min_by(|one, other| one.median.total_cmp(&other.median))
    }

    /// The same; beside a loop over runs, which peers do not have, by the faster of their [loops](LOOPS).
    pub(crate) fn best_loop(&self, work: &str, group: Group, kinds: &[Kind]) -> Option<&Cell> {
        let works: Vec<String> = match work.strip_suffix("runs") {
            Some(begin) => LOOPS.map(|form| format!("{begin}{form}")).to_vec(),
            None => vec![work.to_owned()],
        };
        let cells = self.cells.iter().filter(|cell| {
            works.contains(&cell.work) && kinds.contains(&cell.kind) && cell.group() == group
        });
        cells.min_by(|one, other| one.median.total_cmp(&other.median))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn load_reads_what_save_has_written_and_names_the_file_that_it_cannot_read() {
        let directory = std::env::temp_dir().join(format!("millpond-bench-{}", std::process::id()));
        let mut results = Results::new(crate::report::this_run(5, 3, 2));
        for work in ["churn", "frames x, for", "sparse, for", "growth", "quadtree", "snapshot 90%"]
        {
            results.cells.push(Cell {
                work: work.into(),
                object_bytes: 64,
                slots: 100,
                contender: "slotmap, \"dense\"".into(),
                kind: Kind::GenerationalDense,
                median: 1.125,
                spread_percent: (work != "growth").then_some(2.5),
                rounds: 3,
                processes: Vec::new(),
            });
        }
        results.heap_peaks.push(Peak { allocator: "glibc".into(), is_general: true, bytes: 7 });
        results.verdicts = crate::verdict::verdicts(&results);
        results.beside.push(Beside {
            work: "churn".into(),
            object_bytes: 64,
            slots: 100,
            contender: REFERENCE.into(),
            peer: "slotmap".into(),
            peer_ns: 1.5,
            ratio: 0.75,
        });
        results.save(&directory).unwrap();
        let mut loaded = Results::load(&directory, &results.run.profile).unwrap();
        loaded.cells.sort_by_key(|cell| results.cells.iter().position(|other| other == cell));
        assert_eq!(loaded, results);
        let file = directory.join(&results.run.profile).join("growth.csv");
        std::fs::write(&file, "work,slots\ngrowth,many\n").unwrap();
        let message = Results::load(&directory, &results.run.profile).unwrap_err();
        std::fs::remove_dir_all(&directory).unwrap();
        assert!(message.contains("growth.csv: "), "{message}");
    }
}
