//! The file in which a soak leaves its state, so that the next one goes on from it: soaks of a few hours make days.
//!
//! A piece that ends, whether by itself or by Ctrl-C, writes the file; one that is killed leaves the file of the piece
//! before it. After a wrong answer the pools' states in the file stay those of the piece's beginning, so the next piece
//! does the same steps again until the fault is mended.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Read};
use std::path::Path;

use millpond_plan::error::{Failure, Fault, reason, shown};
use millpond_plan::output::figures::{bytes, count, duration};
use millpond_terminal::output_file;
use serde::{Deserialize, Serialize};

use super::{CAPACITY_MAX, Outcome};

/// The version of the format.
const FORMAT: u32 = 1;

/// Larger than the file of any soak: one of the largest pools.
const FILE_BYTES_MAX: u64 = 1 << 30;

/// The file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Checkpoint {
    millpond_soak_checkpoint: u32,
    /// The options of all pieces.
    seed: u64,
    capacity: u64,
    /// What has been done, in order.
    pieces: Vec<Piece>,
    /// By name.
    pub(super) pools: BTreeMap<String, PoolState>,
}

/// One soak among those that go on from each other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Piece {
    seconds: f64,
    /// The time of the processor, where the system reports it.
    processor_seconds: Option<f64>,
    operations: u64,
    /// What was wrong: an answer of a pool, or a promise such as no allocations.
    violation: Option<String>,
    broken_promise: Option<String>,
    /// `None` if requests were not counted.
    allocations: Option<u64>,
    objects_made: u64,
    objects_dropped: u64,
    pools_replaced: u64,
    resident_bytes_start: Option<u64>,
    resident_bytes_peak: Option<u64>,
    resident_bytes_end: Option<u64>,
    resident_bytes_by_replacing: i64,
    worst_operation_ns: u64,
}

/// What a pool goes on from.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PoolState {
    /// The seed of the random numbers that follow.
    pub(super) seed: u64,
    /// For each slot twice the generation of its last object, and 1 more if that is alive; 0 for a slot that was never
    /// used. Empty for pools that cannot insert at a given handle: these begin anew.
    pub(super) slots: Vec<u64>,
}

/// What all pieces have done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub(crate) struct SoFar {
    pub(super) pieces: u64,
    pub(super) seconds: f64,
    pub(super) processor_seconds: f64,
    pub(super) operations: u64,
    pub(super) violations: u64,
    /// Pieces that broke another promise.
    pub(super) broken_promises: u64,
    pub(super) allocations: u64,
    pub(super) resident_bytes_peak: u64,
}

impl Checkpoint {
    /// The file of a soak that begins.
    pub(super) fn new(seed: u64, capacity: u64) -> Self {
        let (pieces, pools) = (Vec::new(), BTreeMap::new());
        Self { millpond_soak_checkpoint: FORMAT, seed, capacity, pieces, pools }
    }

    /// Reads the file; begins a new one if there is none.
    pub(crate) fn open(path: &Path, seed: u64, capacity: u64) -> Result<Self, Failure> {
        let Some(place) = output_file::existing(path)? else {
            return Ok(Self::new(seed, capacity));
        };
        let of_input = |fault: Fault| fault.of_input(&path.to_string_lossy());
        let whole = |message: String| of_input(Fault::whole(message));
        let mut text = Vec::new();
        File::open(place)
            .and_then(|file| file.take(FILE_BYTES_MAX + 1).read_to_end(&mut text))
            .map_err(|error| whole(reason(&error)))?;
        if text.len() as u64 > FILE_BYTES_MAX {
            return Err(whole("is larger than any checkpoint of a soak".to_owned()));
        }
        let found: Self = serde_json::from_slice(&text).map_err(|error| {
            whole(format!("is not a checkpoint of a soak: {}", shown(error.to_string().as_bytes())))
        })?;
        found.check().map_err(whole)?;
        if (found.seed, found.capacity) != (seed, capacity) {
            return Err(whole(format!(
                "was begun with --seed {} --capacity {}, and goes on only with these",
                found.seed, found.capacity
            )));
        }
        Ok(found)
    }

    fn check(&self) -> Result<(), String> {
        if self.millpond_soak_checkpoint != FORMAT {
            return Err(format!(
                "is of format {}, expected {FORMAT}",
                self.millpond_soak_checkpoint
            ));
        }
        if !(1..=CAPACITY_MAX).contains(&self.capacity) {
            return Err(format!("has a capacity of {}, which no soak has", self.capacity));
        }
        let is_time = |seconds: f64| seconds.is_finite() && seconds >= 0.0;
        for (place, piece) in self.pieces.iter().enumerate() {
            if !is_time(piece.seconds) || !piece.processor_seconds.is_none_or(is_time) {
                return Err(format!("has no usable time for piece {}", place + 1));
            }
        }
        Ok(())
    }

    /// Writes the file, whole or not at all.
    pub(crate) fn write(&self, path: &Path) -> Result<(), Failure> {
        output_file::write(path, |file| {
            serde_json::to_writer(BufWriter::new(file), self).map_err(std::io::Error::from)
        })
    }

    /// Adds what a soak has done.
    pub(crate) fn add(&mut self, outcome: &Outcome) {
        let total = outcome.total();
        let violation = outcome.violation.as_ref();
        self.pieces.push(Piece {
            seconds: outcome.elapsed.as_secs_f64(),
            processor_seconds: outcome.processor.map(|time| time.as_secs_f64()),
            operations: total.operations,
            violation: violation.map(|v| format!("{}, step {}: {}", v.pool, v.step, v.message)),
            broken_promise: outcome.broken_promise(),
            allocations: outcome.allocations_counted.then_some(total.allocations),
            objects_made: outcome.made,
            objects_dropped: outcome.dropped,
            pools_replaced: total.renewed,
            resident_bytes_start: outcome.resident_start,
            resident_bytes_peak: outcome.resident_peak,
            resident_bytes_end: outcome.resident_end,
            resident_bytes_by_replacing: total.renewals.resident_growth,
            worst_operation_ns: outcome.latency.max(),
        });
    }

    /// What all pieces have done together. A file may claim any numbers, so no sum overflows.
    pub(crate) fn so_far(&self) -> SoFar {
        self.pieces.iter().fold(SoFar::default(), |sum, piece| SoFar {
            pieces: sum.pieces + 1,
            seconds: sum.seconds + piece.seconds,
            processor_seconds: sum.processor_seconds + piece.processor_seconds.unwrap_or(0.0),
            operations: sum.operations.saturating_add(piece.operations),
            violations: sum.violations + u64::from(piece.violation.is_some()),
            broken_promises: sum.broken_promises + u64::from(piece.broken_promise.is_some()),
            allocations: sum.allocations.saturating_add(piece.allocations.unwrap_or(0)),
            resident_bytes_peak: sum
                .resident_bytes_peak
                .max(piece.resident_bytes_peak.unwrap_or(0)),
        })
    }
}

impl SoFar {
    /// In one line.
    pub(super) fn text(&self) -> String {
        format!(
            "In all {} pieces: {} ({} of the processor), {} operations, {} violations, {} broken promises, \
             {} allocations, at most {} resident.\n",
            count(self.pieces),
            duration(self.seconds),
            duration(self.processor_seconds),
            count(self.operations),
            count(self.violations),
            count(self.broken_promises),
            count(self.allocations),
            bytes(self.resident_bytes_peak),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece() -> Piece {
        let outcome = crate::tests::outcome_of_nothing();
        let mut checkpoint = Checkpoint::new(1, 10);
        checkpoint.add(&outcome);
        checkpoint.pieces.remove(0)
    }

    #[test]
    fn sums_do_not_overflow() {
        let mut checkpoint = Checkpoint::new(1, 10);
        let largest = Piece {
            operations: u64::MAX,
            allocations: Some(u64::MAX),
            violation: Some("lies".to_owned()),
            ..piece()
        };
        checkpoint.pieces = vec![largest.clone(), largest];
        let so_far = checkpoint.so_far();
        assert_eq!((so_far.operations, so_far.allocations), (u64::MAX, u64::MAX));
        assert_eq!((so_far.pieces, so_far.violations, so_far.broken_promises), (2, 2, 0));
    }

    #[test]
    fn a_file_that_no_soak_writes_is_refused() {
        assert_eq!(Checkpoint::new(1, 10).check(), Ok(()));
        for (wrong, why) in [
            (Checkpoint { millpond_soak_checkpoint: 2, ..Checkpoint::new(1, 10) }, "of format 2"),
            (Checkpoint::new(1, 0), "capacity of 0"),
            (Checkpoint::new(1, u64::MAX), "capacity of 1844"),
            (
                Checkpoint {
                    pieces: vec![Piece { seconds: -1.0, ..piece() }],
                    ..Checkpoint::new(1, 10)
                },
                "time for piece 1",
            ),
        ] {
            assert!(wrong.check().unwrap_err().contains(why), "{why}");
        }
    }
}
