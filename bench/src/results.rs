//! Everything that one run has measured.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::contender::Kind;
use crate::heap::Peak;
use crate::measure::Cell;
use crate::memory::BytesPerSlot;
use crate::work::worst::Latency;

/// The contender that ratios refer to.
pub(crate) const REFERENCE: &str = "Pool, Lifo";

/// See the module.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Results {
    /// The profile that the program was built with.
    pub(crate) profile: &'static str,
    pub(crate) cells: Vec<Cell>,
    pub(crate) latencies: Vec<Latency>,
    pub(crate) bytes_per_slot: Vec<BytesPerSlot>,
    pub(crate) heap_peaks: Vec<Peak>,
    pub(crate) rounds: usize,
    pub(crate) seconds: u64,
}

/// How a file of saved results begins. The number goes up with every change of what is saved.
const HEADER: &[u8] = b"millpond-bench results 1\n";

/// A group of cells that one table shows: objects of one size in stores of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) object_bytes: usize,
    pub(crate) slots: usize,
}

impl Results {
    pub(crate) fn new(rounds: usize) -> Self {
        Self {
            profile: env!("BENCH_PROFILE"),
            cells: Vec::new(),
            latencies: Vec::new(),
            bytes_per_slot: Vec::new(),
            heap_peaks: Vec::new(),
            rounds,
            seconds: 0,
        }
    }

    /// Writes everything to a file that [`load`](Self::load) reads.
    pub(crate) fn save(&self, path: &Path) -> Result<(), String> {
        let mut bytes = HEADER.to_vec();
        bytes.extend(postcard::to_allocvec(self).map_err(|error| error.to_string())?);
        std::fs::write(path, bytes).map_err(|error| {
            format!("{}: {error}; expected a file that can be written", path.display())
        })
    }

    /// Reads what the same version of the program has saved, usually in another build.
    pub(crate) fn load(path: &Path) -> Result<Self, String> {
        let wrong = |what: String| {
            format!(
                "{}: {what}; expected a file written by --save of the same version",
                path.display()
            )
        };
        let bytes = std::fs::read(path).map_err(|error| wrong(error.to_string()))?;
        // For the rest of the program: names of contenders are `'static`.
        let bytes: &'static [u8] = Vec::leak(bytes);
        let bytes = bytes.strip_prefix(HEADER).ok_or_else(|| wrong("not saved results".into()))?;
        postcard::from_bytes(bytes).map_err(|error| wrong(error.to_string()))
    }

    /// The groups in which `work` was measured, in the order of measurement.
    pub(crate) fn groups(&self, work: impl Fn(&str) -> bool) -> Vec<Group> {
        let mut groups = Vec::new();
        for cell in self.cells.iter().filter(|cell| work(&cell.work)) {
            let group = Group { object_bytes: cell.object_bytes, slots: cell.slots };
            if !groups.contains(&group) {
                groups.push(group);
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
        self.cells.iter().filter(move |cell| {
            cell.work == work
                && cell.object_bytes == group.object_bytes
                && cell.slots == group.slots
        })
    }

    /// The cell of one contender.
    pub(crate) fn cell(&self, work: &str, group: Group, contender: &str) -> Option<&Cell> {
        self.cells.iter().find(|cell| {
            cell.contender == contender
                && cell.work == work
                && cell.object_bytes == group.object_bytes
                && cell.slots == group.slots
        })
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn load_reads_what_save_has_written_and_refuses_the_rest() {
        let path = std::env::temp_dir().join(format!("millpond-bench-{}", std::process::id()));
        let mut results = Results::new(3);
        results.cells.push(Cell {
            work: "churn".into(),
            object_bytes: 64,
            slots: 100,
            contender: "slotmap",
            kind: Kind::Generational,
            median: 1.5,
            quartile_low: 1.0,
            quartile_high: 2.0,
            rounds: 3,
            laps: vec![1.0, 1.5, 2.0],
        });
        results.save(&path).unwrap();
        let loaded = Results::load(&path).unwrap();
        assert_eq!(format!("{loaded:?}"), format!("{results:?}"));
        std::fs::write(&path, "something else").unwrap();
        let message = Results::load(&path).unwrap_err();
        std::fs::remove_file(&path).unwrap();
        assert!(message.contains("not saved results; expected"), "{message}");
        assert!(Results::load(&path).is_err());
    }
}
