//! Everything that one run has measured.

use crate::contender::Kind;
use crate::heap::Peak;
use crate::measure::Cell;
use crate::memory::BytesPerSlot;
use crate::work::worst::Latency;

/// The contender that ratios refer to.
pub(crate) const REFERENCE: &str = "Pool, Lifo";

/// See the module.
#[derive(Debug)]
pub(crate) struct Results {
    pub(crate) cells: Vec<Cell>,
    pub(crate) latencies: Vec<Latency>,
    pub(crate) bytes_per_slot: Vec<BytesPerSlot>,
    pub(crate) heap_peaks: Vec<Peak>,
    pub(crate) rounds: usize,
    pub(crate) seconds: u64,
}

/// A group of cells that one table shows: objects of one size in stores of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) object_bytes: usize,
    pub(crate) slots: usize,
}

impl Results {
    pub(crate) fn new(rounds: usize) -> Self {
        Self {
            cells: Vec::new(),
            latencies: Vec::new(),
            bytes_per_slot: Vec::new(),
            heap_peaks: Vec::new(),
            rounds,
            seconds: 0,
        }
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
