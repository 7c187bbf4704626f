//! Derives the classes of a `millpond_memory::SizeClasses` from a recording of a heap: the sizes of slots, and the
//! number of slots of each size.
//!
//! Each class costs memory of its own (a partly filled block), and each size without a class wastes the difference to
//! the next larger one. The sizes minimise the sum of both: all ways are tried to divide the requested sizes into
//! stretches, each of which gets slots as large as its largest size. The trace is then read once more to count the
//! slots of each class: the peak of live objects of all its sizes together.

use super::{Rules, TracePlan};
use crate::error::Fault;
use crate::input::Source;
use crate::trace::{self, Event, Format, Watch};

/// Larger requests get no class. An eighth of a block: larger slots waste too much of it.
pub const BYTES_MAX_LARGEST: u64 = 2048;

/// Slot sizes are multiples of this, as is the alignment of `malloc`.
pub(super) const GRANULE: u64 = 16;
/// The minimum cost of a class, on average: half a block of 16 KiB.
const CLASS_BYTES: u64 = 8 * 1024;
/// The maximum number of classes: more of them hardly waste less.
const CLASSES_MAX: usize = 12;

/// The classes that a trace needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SizeClasses {
    /// Larger requests have no class.
    pub bytes_max: u64,
    /// The classes in ascending order of size.
    pub classes: Vec<SizeClass>,
    /// The number of allocations that they serve.
    pub allocations_served: u64,
    /// All allocations of the trace.
    pub allocations: u64,
}

/// A class of slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SizeClass {
    /// The size of a slot in bytes.
    pub slot_bytes: u64,
    /// The number of allocations that it served.
    pub allocations: u64,
    /// The peak of live objects.
    pub peak_live: u32,
    /// The number of slots to reserve.
    pub slots: u32,
    /// The peak of live bytes in its slots, as requested.
    pub peak_bytes: u64,
}

/// Derives the classes from a plan and its trace.
///
/// # Errors
/// If the trace has no sizes, or cannot be read again.
pub fn size_classes(
    plan: &TracePlan,
    source: &Source,
    bytes_max: u64,
    rules: &Rules,
) -> Result<SizeClasses, Fault> {
    if plan.summary.format == Format::Lifetimes {
        return Err(Fault::whole(
            "contains no sizes; --size-classes needs a recording of the heap, such as a heaptrack file",
        ));
    }
    let peaks = plan.classes.iter().map(|class| (size_of(&class.name), class.statistics.peak_live));
    let sizes = slot_sizes(peaks, bytes_max);
    let mut demand = Demand::new(&plan.summary.classes, &sizes);
    let mut progress = source.progress(&format!("counting {}", plan.name));
    trace::read(trace::open(source)?, &mut demand, &mut *progress)?;
    let classes: Vec<SizeClass> = sizes
        .iter()
        .zip(&demand.classes)
        .map(|(&slot_bytes, class)| SizeClass {
            slot_bytes,
            allocations: class.births,
            peak_live: class.peak_live,
            slots: rules.headroom.capacity(class.peak_live),
            peak_bytes: class.peak_bytes,
        })
        .collect();
    Ok(SizeClasses {
        bytes_max,
        allocations_served: classes.iter().map(|class| class.allocations).sum(),
        allocations: plan.summary.births,
        classes,
    })
}

/// The number of granules of a size; `None` if it is 0 or too large for a class.
fn granules(size: u64, bytes_max: u64) -> Option<usize> {
    (1..=bytes_max).contains(&size).then(|| size.div_ceil(GRANULE) as usize)
}

/// The size of a class of a recording.
fn size_of(name: &str) -> u64 {
    name.parse().unwrap_or(0)
}

/// The sizes of slots, in ascending order, that waste least for requests of up to `bytes_max` bytes: from the sizes that
/// are requested and the peak of live objects of each.
pub(super) fn slot_sizes(peaks: impl Iterator<Item = (u64, u32)>, bytes_max: u64) -> Vec<u64> {
    let mut by_granules = vec![0; bytes_max.div_ceil(GRANULE) as usize + 1];
    for (size, peak) in peaks {
        if let Some(at) = granules(size, bytes_max) {
            by_granules[at] += u64::from(peak);
        }
    }
    best_sizes(&by_granules, CLASSES_MAX)
}

/// The best division of the sizes up to some number of granules.
#[derive(Clone, Copy)]
struct Best {
    bytes: u64,
    /// Where its last stretch begins; [`NO_STRETCH`] if none ends here.
    begin: usize,
}

const NO_STRETCH: usize = usize::MAX;

/// The slot sizes with the smallest total of bytes, in ascending order: at most `classes_max` of them.
fn best_sizes(peaks: &[u64], classes_max: usize) -> Vec<u64> {
    let nothing = Best { bytes: 0, begin: NO_STRETCH };
    let impossible = Best { bytes: u64::MAX, begin: NO_STRETCH };
    // By the number of classes, for all sizes of up to `end` granules.
    let mut best = vec![vec![impossible; peaks.len()]; classes_max + 1];
    for of_classes in &mut best {
        of_classes[0] = nothing;
    }
    for end in 1..peaks.len() {
        for classes in 0..=classes_max {
            // No stretch ends with a size that is never requested.
            let mut least = if peaks[end] == 0 { best[classes][end - 1] } else { impossible };
            least.begin = NO_STRETCH;
            let mut slots = 0_u64;
            for begin in (0..end).rev() {
                if classes == 0 || peaks[end] == 0 {
                    break;
                }
                slots += peaks[begin + 1];
                let bytes = slots.saturating_mul(end as u64 * GRANULE).saturating_add(CLASS_BYTES);
                let bytes = bytes.saturating_add(best[classes - 1][begin].bytes);
                if bytes < least.bytes {
                    least = Best { bytes, begin };
                }
            }
            best[classes][end] = least;
        }
    }
    let mut end = peaks.len() - 1;
    let cheapest = (0..=classes_max).min_by_key(|&classes| best[classes][end].bytes);
    let mut classes = cheapest.unwrap_or(0);
    let mut sizes = Vec::new();
    while end > 0 {
        match best[classes][end].begin {
            NO_STRETCH => end -= 1,
            begin => {
                sizes.push(end as u64 * GRANULE);
                (end, classes) = (begin, classes - 1);
            }
        }
    }
    sizes.reverse();
    sizes
}

/// The requests of the trace for each class, counted while it is read.
struct Demand {
    /// By the trace's class: the class of slots, and the size.
    of_class: Vec<Option<(usize, u64)>>,
    classes: Vec<ClassDemand>,
}

#[derive(Clone, Default)]
struct ClassDemand {
    births: u64,
    live: u32,
    peak_live: u32,
    bytes: u64,
    peak_bytes: u64,
}

impl Demand {
    fn new(names: &[String], sizes: &[u64]) -> Self {
        let class = |name: &String| {
            let size = size_of(name);
            let class = sizes.partition_point(|slot| *slot < size);
            (size > 0 && class < sizes.len()).then_some((class, size))
        };
        Self {
            of_class: names.iter().map(class).collect(),
            classes: vec![ClassDemand::default(); sizes.len()],
        }
    }

    fn class_of(&mut self, class: u32) -> Option<(&mut ClassDemand, u64)> {
        let (class, size) = self.of_class.get(class as usize).copied().flatten()?;
        Some((self.classes.get_mut(class)?, size))
    }
}

impl Watch for Demand {
    fn birth(&mut self, event: Event) {
        if let Some((class, size)) = self.class_of(event.class) {
            class.births += 1;
            class.live += 1;
            class.peak_live = class.peak_live.max(class.live);
            class.bytes += size;
            class.peak_bytes = class.peak_bytes.max(class.bytes);
        }
    }

    fn death(&mut self, event: Event) {
        if let Some((class, size)) = self.class_of(event.class) {
            class.live -= 1;
            class.bytes -= size;
        }
    }

    fn left(&mut self, _class: u32, _key: u32, _last_tick: u32) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes that a choice of sizes takes, by the rule above.
    fn bytes(peaks: &[u64], sizes: &[u64]) -> u64 {
        let slots = peaks.iter().enumerate().map(|(granules, slots)| {
            let needed = granules as u64 * GRANULE;
            let slot = sizes.iter().find(|slot| **slot >= needed);
            slots * slot.copied().unwrap_or(if *slots == 0 { 0 } else { 1 << 40 })
        });
        slots.sum::<u64>() + sizes.len() as u64 * CLASS_BYTES
    }

    #[test]
    fn no_other_choice_of_sizes_takes_less() {
        let cases: [&[u64]; 6] = [
            &[0],
            &[0, 0, 0],
            &[0, 100, 0, 100],
            &[0, 10_000, 3, 9000, 0, 1],
            &[0, 500, 600, 700, 800, 900, 10, 5],
            &[0, 1, 1, 1, 1, 1, 1, 1_000_000],
        ];
        for peaks in cases {
            let all: Vec<u64> =
                (1..peaks.len() as u64).map(|granules| granules * GRANULE).collect();
            for classes_max in [1, 2, 3, 12] {
                let found = best_sizes(peaks, classes_max);
                assert!(found.len() <= classes_max);
                for choice in 0..1_u32 << all.len() {
                    let chosen = all.iter().enumerate().filter(|(at, _)| choice >> at & 1 != 0);
                    let chosen: Vec<u64> = chosen.map(|(_, size)| *size).collect();
                    let is_better = bytes(peaks, &chosen) < bytes(peaks, &found);
                    assert!(!is_better || chosen.len() > classes_max, "{peaks:?} {chosen:?}");
                }
            }
        }
    }

    #[test]
    fn sizes_that_nobody_asks_for_get_no_class() {
        assert_eq!(best_sizes(&[0, 0, 0, 9, 0], 12), [48]);
        assert!(best_sizes(&[0], 12).is_empty());
        assert!(slot_sizes([(0, 5), (4096, 5)].into_iter(), 2048).is_empty());
    }
}
