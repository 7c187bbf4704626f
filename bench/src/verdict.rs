//! The bars: what the pools must reach, against whom, and whether this run shows it.

use crate::contender::Kind;
use crate::heap;
use crate::measure::Cell;
use crate::plan::OCCUPANCIES;
use crate::results::{Group, REFERENCE, Results};
use crate::work::{snapshot, worst};

/// A bar and how it went.
#[derive(Debug)]
pub(crate) struct Bar {
    pub(crate) text: String,
    pub(crate) limit: f64,
    /// The ratio at every place where it was measured, and that place.
    pub(crate) ratios: Vec<(f64, String)>,
}

impl Bar {
    /// `met`, `missed`, or `-` when not measured.
    pub(crate) fn word(&self) -> &'static str {
        match self.worst() {
            None => "-",
            Some((ratio, _)) if *ratio <= self.limit => "met",
            Some(_) => "missed",
        }
    }

    /// The worst ratio and its place, if it was measured anywhere.
    pub(crate) fn worst(&self) -> Option<&(f64, String)> {
        self.ratios.iter().max_by(|one, other| one.0.total_cmp(&other.0))
    }

    /// At how many places it was met.
    pub(crate) fn met(&self) -> usize {
        self.ratios.iter().filter(|(ratio, _)| *ratio <= self.limit).count()
    }
}

const ANY_GENERATIONAL: &[Kind] = &[Kind::Generational, Kind::GenerationalDense];
const STABLE_GENERATIONAL: &[Kind] = &[Kind::Generational];
const VEC: &str = "Vec, swap_remove";
const PACKED: &str = "PackedPool";
const RECYCLER: &str = "Recycler";
const TWO_LINES: &str = "limit: two lines, no checks";
const FORMS: [&str; 3] = ["for", "for_each", "runs"];

/// All bars.
pub(crate) fn bars(results: &Results) -> Vec<Bar> {
    let judge = Judge(results);
    let mut bars = Vec::new();
    for work in ["fill", "get", "churn", "clear+refill", "retain"] {
        let text = format!("{work}: best generational peer");
        bars.push(judge.against_kinds(text, 1.0, work, ANY_GENERATIONAL, 0));
    }
    let text = "burst, 100,000 slots and more: best generational peer".into();
    bars.push(judge.against_kinds(text, 0.7, "burst", ANY_GENERATIONAL, 100_000));
    for form in FORMS {
        let work = format!("iterate 100%, {form}");
        bars.push(judge.against(format!("{work}: plain Vec loop"), 1.05, &work, &work, VEC, 0));
    }
    for percent in [50, 10] {
        bars.extend(judge.sparse(percent));
    }
    for work in ["churn", "burst"] {
        let text = format!("{work}: best C++ pool that checks nothing");
        bars.push(judge.against_kinds(text, 1.5, work, &[Kind::Native], 0));
    }
    for percent in OCCUPANCIES {
        let work = format!("iterate {percent}%, runs");
        let other = |group| results.cell(&work, group, VEC);
        let text = format!("PackedPool, iterate {percent}%: plain Vec loop");
        bars.push(judge.compare(text, 1.03, &work, PACKED, 0, &other));
    }
    let other = |group| results.cell("churn", group, "slotmap, dense");
    bars.push(judge.compare(
        "PackedPool, churn: slotmap dense".into(),
        0.6,
        "churn",
        PACKED,
        0,
        &other,
    ));
    let text = "particles: Vec with swap_remove".into();
    bars.push(judge.against(text, 1.1, "particles", "particles", VEC, 0));
    let other = |group| results.cell("particles", group, VEC);
    let text = "PackedPool, particles: Vec with swap_remove".into();
    bars.push(judge.compare(text, 1.1, "particles", PACKED, 0, &other));
    bars.push(judge.recycler());
    for work in ["get", "churn", "burst"] {
        let text = format!("{work}, every size: touching the same cache lines");
        bars.push(judge.against(text, 1.5, work, work, TWO_LINES, 0));
    }
    bars.extend(judge.snapshots());
    bars.push(judge.worst_operation());
    for (contender, limit) in
        [(REFERENCE, 8.2), ("Pool, LowestFirst", 4.2), ("Pool, Lifo, Handle32<16>", 4.2)]
    {
        bars.push(judge.memory(contender, limit));
    }
    let general = |group| results.best(heap::WORK, group, &[Kind::Allocator]);
    let text = format!("{}, OpenTTD replay: fastest general allocator", heap::OWN);
    bars.push(judge.compare(text, 1.0, heap::WORK, heap::OWN, 0, &general));
    bars.push(judge.heap_peak());
    bars
}

struct Judge<'a>(&'a Results);

impl Judge<'_> {
    /// The reference against the best of some kinds.
    fn against_kinds(
        &self,
        text: String,
        limit: f64,
        work: &str,
        kinds: &[Kind],
        slots_min: usize,
    ) -> Bar {
        let other = |group| self.0.best(work, group, kinds);
        self.compare(text, limit, work, REFERENCE, slots_min, &other)
    }

    /// The reference at `work` against one contender at `other_work`.
    fn against(
        &self,
        text: String,
        limit: f64,
        work: &str,
        other_work: &str,
        contender: &str,
        slots_min: usize,
    ) -> Bar {
        let other = |group| self.0.cell(other_work, group, contender);
        self.compare(text, limit, work, REFERENCE, slots_min, &other)
    }

    /// Iteration with holes at 100,000 slots, in each form of the loop.
    fn sparse(&self, percent: usize) -> Vec<Bar> {
        let mut bars = Vec::new();
        for form in FORMS {
            let work = format!("iterate {percent}%, {form}");
            let loops =
                [format!("iterate {percent}%, for"), format!("iterate {percent}%, for_each")];
            let peer = |group: Group| {
                let best =
                    loops.iter().filter_map(|work| self.0.best(work, group, STABLE_GENERATIONAL));
                best.filter(|_| group.slots == 100_000)
                    .min_by(|one, other| one.median.total_cmp(&other.median))
            };
            let text = format!("{work}, 100,000 slots: best stable-address generational peer");
            bars.push(self.compare(text, 0.25, &work, REFERENCE, 0, &peer));
            let dense =
                |group: Group| self.0.cell(&work, group, VEC).filter(|_| group.slots == 100_000);
            let text = format!("{work}, 100,000 slots: dense array");
            bars.push(self.compare(text, 1.5, &work, REFERENCE, 0, &dense));
        }
        bars
    }

    fn recycler(&self) -> Bar {
        let work = "iterate 100%, for";
        let other = |group| self.0.cell(work, group, VEC);
        self.compare(
            "Recycler, whole array: plain Vec loop".into(),
            1.03,
            work,
            RECYCLER,
            0,
            &other,
        )
    }

    /// The worst ratio of `contender` to `other` over all groups from `slots_min`.
    fn compare<'a>(
        &'a self,
        text: String,
        limit: f64,
        work: &str,
        contender: &str,
        slots_min: usize,
        other: &dyn Fn(Group) -> Option<&'a Cell>,
    ) -> Bar {
        let groups = self.0.groups(|name| name == work);
        let ratios =
            groups.into_iter().filter(|group| group.slots >= slots_min).filter_map(|group| {
                let own = self.0.cell(work, group, contender)?;
                let other = other(group)?;
                let place = format!(
                    "{:.2} against {:.2} ns ({}), {} bytes, {} slots",
                    own.median, other.median, other.contender, group.object_bytes, group.slots
                );
                Some((own.median / other.median, place))
            });
        Bar { text, limit, ratios: ratios.collect() }
    }

    /// Each as the ratio of two rows of the tables of snapshots.
    fn snapshots(&self) -> Vec<Bar> {
        let bar = |text: &str, limit, contender, other| {
            let mut ratios = Vec::new();
            for percent in [100, 90] {
                let work = format!("{} {percent}%", snapshot::PREFIX);
                let to_other = |group| self.0.cell(&work, group, other);
                let bar = self.compare(text.into(), limit, &work, contender, 0, &to_other);
                ratios.extend(
                    bar.ratios
                        .into_iter()
                        .map(|(ratio, place)| (ratio, format!("{place}, {percent} % live"))),
                );
            }
            Bar { text: text.into(), limit, ratios }
        };
        vec![
            bar("save_into: memcpy of the same bytes", 1.15, snapshot::SAVE, snapshot::MEMCPY),
            bar("restore: memcpy of the same bytes", 1.15, snapshot::RESTORE, snapshot::MEMCPY),
            bar("save_into: slotmap.clone()", 0.2, snapshot::SAVE, snapshot::SLOTMAP_CLONE),
            bar(
                "looking for the 1 % that changed: save_into of all",
                0.2,
                snapshot::COMPARE,
                snapshot::SAVE,
            ),
            bar("copying a known 1 %: save_into of all", 0.2, snapshot::CHANGED, snapshot::SAVE),
        ]
    }

    fn worst_operation(&self) -> Bar {
        let find = |name| self.0.latencies.iter().find(|latency| latency.contender == name);
        let ratio = find(REFERENCE).zip(find(worst::PLAIN)).map(|(own, plain)| {
            let place = format!(
                "{:.0} against {:.0} ns, medians of rounds",
                own.worst_median, plain.worst_median
            );
            (own.worst_median / plain.worst_median, place)
        });
        Bar {
            text: "worst single operation: worst plain access to memory".into(),
            limit: 1.0,
            ratios: ratio.into_iter().collect(),
        }
    }

    fn heap_peak(&self) -> Bar {
        let peaks = &self.0.heap_peaks;
        let own = peaks.iter().find(|peak| peak.allocator == heap::OWN);
        let best = peaks.iter().filter(|peak| peak.is_general).min_by_key(|peak| peak.bytes);
        let ratio = own.zip(best).map(|(own, best)| {
            let kib = |peak: &heap::Peak| peak.bytes / 1024;
            let place = format!("{} against {} KiB ({})", kib(own), kib(best), best.allocator);
            (own.bytes as f64 / best.bytes as f64, place)
        });
        Bar {
            text: format!("{}, OpenTTD replay: least peak of the general allocators", heap::OWN),
            limit: 1.15,
            ratios: ratio.into_iter().collect(),
        }
    }

    fn memory(&self, contender: &str, limit: f64) -> Bar {
        let found = self.0.bytes_per_slot.iter().find(|bytes| bytes.contender == contender);
        let ratio =
            found.map(|bytes| (bytes.beyond_object, format!("bytes, with keys of {}", bytes.key)));
        Bar {
            text: format!("{contender}: bytes per slot beyond the value"),
            limit,
            ratios: ratio.into_iter().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(contender: &'static str, kind: Kind, slots: usize, median: f64) -> Cell {
        Cell {
            work: "churn".into(),
            object_bytes: 64,
            slots,
            contender,
            kind,
            median,
            quartile_low: median,
            quartile_high: median,
            rounds: 1,
        }
    }

    #[test]
    fn a_bar_is_missed_when_one_place_is_above_its_limit() {
        let mut results = Results::new(1);
        results.cells = vec![
            cell(REFERENCE, Kind::Millpond, 1_000, 2.0),
            cell("slower", Kind::Generational, 1_000, 9.0),
            cell("best", Kind::Generational, 1_000, 4.0),
            cell("no generations", Kind::Index, 1_000, 1.0),
        ];
        let churn = |results: &Results| {
            let mut bars = bars(results);
            bars.swap_remove(2)
        };
        let bar = churn(&results);
        assert_eq!((bar.word(), bar.worst().unwrap().0), ("met", 0.5));
        results.cells.push(cell(REFERENCE, Kind::Millpond, 10_000, 6.0));
        results.cells.push(cell("best", Kind::Generational, 10_000, 4.0));
        let bar = churn(&results);
        assert_eq!((bar.word(), bar.worst().unwrap().0, bar.met()), ("missed", 1.5, 1));
        assert_eq!(bars(&results)[0].word(), "-");
    }
}
