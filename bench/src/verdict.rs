//! The bars: what the pools must reach, against whom, and whether this run shows it.

use crate::cell::{Cell, Group};
use crate::contender::Kind;
use crate::frames::{self, WALKS};
use crate::heap;
use crate::plan::OCCUPANCIES;
use crate::results::{LOOPS, REFERENCE, Results, SLOTMAP, VEC_POOL, Verdict};
use crate::work::{churn, duplicate, quadtree, snapshot, tree_in_frame, tree_in_place, worst};

/// The verdicts on all bars that were measured.
pub(crate) fn verdicts(results: &Results) -> Vec<Verdict> {
    bars(results).iter().filter_map(Bar::verdict).collect()
}

/// A bar.
#[derive(Debug)]
struct Bar {
    text: String,
    limit: f64,
    /// The ratio at every place where it was measured, and that place.
    ratios: Vec<(f64, String)>,
}

impl Bar {
    /// `None` when it was measured nowhere.
    fn verdict(&self) -> Option<Verdict> {
        let (worst, at) = self.ratios.iter().max_by(|one, other| one.0.total_cmp(&other.0))?;
        Some(Verdict {
            bar: self.text.clone(),
            limit: self.limit,
            worst: *worst,
            met: self.ratios.iter().filter(|(ratio, _)| *ratio <= self.limit).count(),
            measured: self.ratios.len(),
            at: at.clone(),
        })
    }
}

const ANY_GENERATIONAL: &[Kind] = &[Kind::Generational, Kind::GenerationalDense];
const STABLE_GENERATIONAL: &[Kind] = &[Kind::Generational];
const VEC: &str = "Vec, swap_remove";
const PACKED: &str = "PackedPool";
const FRAME_POOL: &str = "FramePool";
const ARENA: &str = "typed-arena";
const SLOTMAP_DENSE: &str = "slotmap, dense";
const RECYCLER: &str = "Recycler";
const TWO_LINES: &str = "limit: two lines, no checks";

/// Who follows the colon of most bars.
pub(crate) const STABLE_PEER: &str = "best stable-address generational peer";

/// What is done in the frames of each of [`frames::GAMES`], and the limits.
const FRAMES: [(&str, [f64; 2]); 6] = [
    ("for", [0.95, 0.85]),
    ("for_each", [0.92, 0.75]),
    ("runs", [1.02, 0.92]),
    (frames::SHARED, [1.05, 0.95]),
    (frames::LOOKUPS, [1.05, 0.95]),
    (frames::EVENTS, [1.15, 1.05]),
];

/// The parts in which `VecPool` has the same limits.
const VEC_POOL_TOO: [&str; 2] = ["for", frames::SHARED];

/// All bars: whole frames first, then operations one by one.
fn bars(results: &Results) -> Vec<Bar> {
    let judge = Judge(results);
    let mut bars = judge.frames();
    for (work, slots, size, limit) in [
        (churn::OPAQUE, 1_000, "1,000", 1.1),
        (churn::OPAQUE, 100_000, "100,000", 1.0),
        ("burst", 1_000, "1,000", 1.1),
    ] {
        let text = format!("{work}, {size} slots: {STABLE_PEER}");
        bars.push(judge.against_kinds(text, limit, work, STABLE_GENERATIONAL, &[slots]));
    }
    let text = format!("{}: slotmap", duplicate::NAME);
    bars.push(judge.against(text, 1.0, duplicate::NAME, SLOTMAP, &[]));
    for work in ["get", "fill", "retain", "clear+refill"] {
        bars.push(judge.peer_or_memory(work));
    }
    for percent in OCCUPANCIES {
        let work = format!("iterate {percent}%, for");
        let text = format!("{work}, 1,000 and 100,000 slots: {STABLE_PEER}");
        bars.push(judge.against_kinds(text, 0.9, &work, STABLE_GENERATIONAL, &[1_000, 100_000]));
    }
    for (name, work, limit) in [(VEC_POOL, "get", 1.05), (VEC_POOL, churn::OPAQUE, 1.25)] {
        let text = format!("{name}, {work}: slotmap");
        let other = |group| results.cell(work, group, SLOTMAP);
        bars.push(judge.compare(text, limit, work, name, &[], &other));
    }
    let other = |group| results.cell("particles", group, VEC);
    let text = "PackedPool, particles, 1,000,000: Vec with swap_remove".into();
    bars.push(judge.compare(text, 3.0, "particles", PACKED, &[1_000_000], &other));
    for form in WALKS {
        let work = format!("iterate 100%, {form}");
        bars.push(judge.against(format!("{work}: plain Vec loop"), 1.05, &work, VEC, &[]));
    }
    for percent in [50, 10] {
        for form in WALKS {
            let work = format!("iterate {percent}%, {form}");
            let text = format!("{work}, 100,000 slots: dense array");
            bars.push(judge.against(text, 1.5, &work, VEC, &[100_000]));
        }
    }
    for work in ["churn", "burst"] {
        let text = format!("{work}: best C++ pool that checks nothing");
        bars.push(judge.against_kinds(text, 1.5, work, &[Kind::Native], &[]));
    }
    for percent in OCCUPANCIES {
        let work = format!("iterate {percent}%, runs");
        let other = |group| results.cell(&work, group, VEC);
        let text = format!("PackedPool, iterate {percent}%: plain Vec loop");
        bars.push(judge.compare(text, 1.03, &work, PACKED, &[], &other));
    }
    let other = |group| results.cell("churn", group, SLOTMAP_DENSE);
    let text = "PackedPool, churn: slotmap dense".into();
    bars.push(judge.compare(text, 0.6, "churn", PACKED, &[], &other));
    let text = "particles: Vec with swap_remove".into();
    bars.push(judge.against(text, 1.1, "particles", VEC, &[]));
    let other = |group| results.cell("iterate 100%, for", group, VEC);
    let text = "Recycler, whole array: plain Vec loop".into();
    bars.push(judge.compare(text, 1.03, "iterate 100%, for", RECYCLER, &[], &other));
    let text = "churn, every size: touching the same cache lines".into();
    bars.push(judge.against(text, 1.5, "churn", TWO_LINES, &[]));
    bars.extend(judge.snapshots());
    bars.push(judge.worst_operation());
    for (contender, limit) in
        [(REFERENCE, 8.2), ("Pool, LowestFirst", 4.2), ("Pool, Lifo, Handle32<16>", 4.2)]
    {
        bars.push(judge.memory(contender, limit));
    }
    bars.push(judge.small_stores());
    let arena = |group| results.cell(quadtree::NAME, group, ARENA);
    let text = "FrameMemory, quadtree rebuilt in each frame: typed-arena".into();
    bars.push(judge.compare(text, 1.05, quadtree::NAME, tree_in_frame::NAME, &[], &arena));
    let text = "FramePool, quadtree rebuilt in each frame: typed-arena".into();
    bars.push(judge.compare(text, 1.05, quadtree::NAME, FRAME_POOL, &[], &arena));
    let rebuilt = |group| results.cell(quadtree::NAME, group, tree_in_frame::NAME);
    let text = "quadtree updated in place: rebuilt in a FrameMemory".into();
    bars.push(judge.compare(text, 0.5, quadtree::NAME, tree_in_place::NAME, &[], &rebuilt));
    let general = |group| results.best(heap::WORK, group, &[Kind::Allocator]);
    let text = format!("{}, OpenTTD replay: fastest general allocator", heap::OWN);
    bars.push(judge.compare(text, 1.0, heap::WORK, heap::OWN, &[], &general));
    bars.push(judge.heap_peak());
    bars
}

struct Judge<'a>(&'a Results);

impl Judge<'_> {
    /// Whole frames of the recorded games, then of the generated scripts.
    fn frames(&self) -> Vec<Bar> {
        let mut bars = Vec::new();
        for (part, limits) in FRAMES {
            for (game, limit) in frames::GAMES.into_iter().zip(limits) {
                let own = [(REFERENCE, ""), (VEC_POOL, "VecPool, ")];
                let own = own
                    .into_iter()
                    .filter(|(pool, _)| *pool == REFERENCE || VEC_POOL_TOO.contains(&part));
                for (pool, prefix) in own {
                    let name = game.trim_start_matches("freedoom2-");
                    let text = format!("{prefix}{name}, {part}: {STABLE_PEER}");
                    let peer = |group| self.best_loop(game, part, group, STABLE_GENERATIONAL);
                    let work = frames::work(game, part);
                    bars.push(self.compare(text, limit, &work, pool, &[], &peer));
                }
            }
        }
        let games = frames::GAMES.map(String::from).to_vec();
        let generated = frames::generated().to_vec();
        for form in WALKS {
            let text = format!("generated frames, {form}: {STABLE_PEER}");
            bars.push(self.merged(text, 0.9, &generated, |script| {
                let peer = |group| self.best_loop(script, form, group, STABLE_GENERATIONAL);
                let work = frames::work(script, form);
                self.compare(String::new(), 0.9, &work, REFERENCE, &[], &peer)
            }));
        }
        let works: Vec<String> =
            generated.iter().map(|script| frames::work(script, frames::EVENTS)).collect();
        let text = format!("generated frames, births and deaths only: {STABLE_PEER}");
        bars.push(self.merged(text, 1.0, &works, |work| {
            self.against_kinds(String::new(), 1.0, work, STABLE_GENERATIONAL, &[])
        }));
        for (what, scripts) in [("whole frames", games), ("generated frames", generated)] {
            // By `for` and by `for_each`, each against the same loop.
            let loops: Vec<String> = scripts
                .iter()
                .flat_map(|script| LOOPS.map(|form| frames::work(script, form)))
                .collect();
            let text = format!("PackedPool, {what}: slotmap dense");
            bars.push(self.merged(text, 0.75, &loops, |work| {
                let other = |group| self.0.cell(work, group, SLOTMAP_DENSE);
                self.compare(String::new(), 0.75, work, PACKED, &[], &other)
            }));
        }
        bars
    }

    /// The fastest of some kinds at a walk in whole frames.
    fn best_loop(&self, script: &str, form: &str, group: Group, kinds: &[Kind]) -> Option<&Cell> {
        self.0.best_loop(&frames::work(script, form), group, kinds)
    }

    /// One bar of several, each named after what it was made from.
    fn merged(&self, text: String, limit: f64, of: &[String], bar: impl Fn(&str) -> Bar) -> Bar {
        let ratios = of.iter().flat_map(|name| {
            let ratios = bar(name).ratios.into_iter();
            let name = name.trim_start_matches(frames::PREFIX);
            ratios.map(move |(ratio, place)| (ratio, format!("{place}, {name}")))
        });
        Bar { text, limit, ratios: ratios.collect() }
    }

    /// The reference against the best generational peer, or against an array of which the same two cache lines are
    /// touched, if that is slower: no faster is possible.
    fn peer_or_memory(&self, work: &str) -> Bar {
        let other = |group| {
            let peer = self.0.best(work, group, ANY_GENERATIONAL)?;
            let memory = self.0.cell(work, group, TWO_LINES);
            Some(memory.filter(|memory| memory.median > peer.median).unwrap_or(peer))
        };
        let text = format!("{work}: best generational peer, or the limit of two cache lines");
        self.compare(text, 1.0, work, REFERENCE, &[], &other)
    }

    /// The reference against the best of some kinds.
    fn against_kinds(
        &self,
        text: String,
        limit: f64,
        work: &str,
        kinds: &[Kind],
        slots: &[usize],
    ) -> Bar {
        let other = |group| self.0.best(work, group, kinds);
        self.compare(text, limit, work, REFERENCE, slots, &other)
    }

    /// The reference against one contender.
    fn against(
        &self,
        text: String,
        limit: f64,
        work: &str,
        contender: &str,
        slots: &[usize],
    ) -> Bar {
        let other = |group| self.0.cell(work, group, contender);
        self.compare(text, limit, work, REFERENCE, slots, &other)
    }

    /// The ratios of `contender` to `other` in all groups, or in those with so many `slots`.
    fn compare<'a>(
        &'a self,
        text: String,
        limit: f64,
        work: &str,
        contender: &str,
        slots: &[usize],
        other: &dyn Fn(Group) -> Option<&'a Cell>,
    ) -> Bar {
        let groups = self.0.groups(|name| name == work).into_iter();
        let groups = groups.filter(|group| slots.is_empty() || slots.contains(&group.slots));
        let ratios = groups.filter_map(|group| {
            let own = self.0.cell(work, group, contender)?;
            let other = other(group)?;
            let place = format!(
                "{:.2} against {:.2} ns ({}), {} bytes, {} slots",
                own.median, other.median, other.contender, group.object_bytes, group.slots
            );
            Some((own.ratio(other), place))
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
                let bar = self.compare(text.into(), limit, &work, contender, &[], &to_other);
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

    fn small_stores(&self) -> Bar {
        let bytes = |name: &str| {
            self.0.bytes_per_slot.iter().find(|bytes| bytes.contender == name)?.small_store
        };
        let ratio = bytes(REFERENCE).zip(bytes(SLOTMAP));
        let ratio =
            ratio.map(|(own, other)| (own / other, format!("{own:.0} against {other:.0} bytes")));
        Bar {
            text: "memory of 4,000 pools of one object: slotmap".into(),
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
            contender: contender.into(),
            kind,
            median,
            spread_percent: Some(0.0),
            rounds: 1,
            processes: Vec::new(),
        }
    }

    fn bar(cells: &[Cell], text: &str) -> Option<Verdict> {
        let mut results = Results::new(crate::report::this_run(1, 1, 1));
        results.cells = cells.to_vec();
        let mut found = bars(&results).into_iter().filter(|bar| bar.text.starts_with(text));
        let bar = found.next().expect("a bar of this name");
        assert!(found.next().is_none(), "{text} is not one bar");
        bar.verdict()
    }

    #[test]
    fn a_bar_is_missed_when_one_place_is_above_its_limit() {
        let work = |work: &str, cells: Vec<Cell>| -> Vec<Cell> {
            cells.into_iter().map(|cell| Cell { work: work.into(), ..cell }).collect()
        };
        let mut cells = work(
            "get",
            vec![
                cell(REFERENCE, Kind::Millpond, 1_000, 2.0),
                cell("slower", Kind::Generational, 1_000, 9.0),
                cell("best", Kind::Generational, 1_000, 4.0),
                cell("no generations", Kind::Index, 1_000, 1.0),
            ],
        );
        let get = |cells: &[Cell]| bar(cells, "get:");
        let now = get(&cells).unwrap();
        assert_eq!((now.is_met(), now.worst), (true, 0.5));
        cells.extend(work(
            "get",
            vec![
                cell(REFERENCE, Kind::Millpond, 10_000, 6.0),
                cell("best", Kind::Generational, 10_000, 4.0),
            ],
        ));
        let now = get(&cells).unwrap();
        assert_eq!((now.is_met(), now.worst, now.met, now.measured), (false, 1.5, 1, 2));
        assert_eq!(bar(&cells, "map01-8bots, for:"), None);
    }

    #[test]
    fn a_bar_of_one_size_looks_at_no_other() {
        let opaque = |slots, own| {
            let both = [
                cell(REFERENCE, Kind::Millpond, slots, own),
                cell("best", Kind::Generational, slots, 1.0),
            ];
            both.map(|cell| Cell { work: churn::OPAQUE.into(), ..cell })
        };
        let cells = [opaque(1_000, 1.05), opaque(10_000, 9.0), opaque(100_000, 1.05)].concat();
        assert!(bar(&cells, "churn, opaque, 1,000 slots:").unwrap().is_met());
        assert!(!bar(&cells, "churn, opaque, 100,000 slots:").unwrap().is_met());
    }

    /// Cells of one script, by part: (part, contender, kind, median).
    fn frame_cells(script: &str, rows: &[(&str, &'static str, Kind, f64)]) -> Vec<Cell> {
        let cells = rows.iter().map(|&(part, contender, kind, median)| Cell {
            work: frames::work(script, part),
            ..cell(contender, kind, 500, median)
        });
        cells.collect()
    }

    #[test]
    fn whole_frames_compare_with_stable_peers_by_the_same_loop_and_runs_with_the_better_one() {
        use Kind::{Generational, GenerationalDense, Millpond};
        let rows = [
            ("for", REFERENCE, Millpond, 1.7),
            ("for", "stable", Generational, 2.0),
            ("for", SLOTMAP_DENSE, GenerationalDense, 1.0),
            ("for", PACKED, Millpond, 0.7),
            ("for_each", REFERENCE, Millpond, 1.2),
            ("for_each", "stable", Generational, 1.0),
            ("for_each", SLOTMAP_DENSE, GenerationalDense, 1.0),
            ("for_each", PACKED, Millpond, 0.8),
            ("runs", REFERENCE, Millpond, 0.5),
            (frames::EVENTS, REFERENCE, Millpond, 3.0),
            (frames::EVENTS, "stable", Generational, 4.0),
            (frames::EVENTS, SLOTMAP_DENSE, GenerationalDense, 2.0),
        ];
        let mut cells = frame_cells(frames::GAMES[0], &rows);
        let outcome = |cells: &[Cell], text: &str| {
            let bar = bar(cells, text).unwrap();
            (bar.worst, bar.is_met())
        };
        assert_eq!(outcome(&cells, "map01-8bots, for:"), (0.85, true));
        assert_eq!(outcome(&cells, "map01-8bots, for_each:"), (1.2, false));
        assert_eq!(outcome(&cells, "map01-8bots, runs:"), (0.5, true));
        assert_eq!(outcome(&cells, "PackedPool, whole frames:"), (0.8, false));
        assert_eq!(outcome(&cells, "map01-8bots, births and deaths:"), (0.75, true));
        // Each game has a limit of its own.
        cells.extend(frame_cells(
            frames::GAMES[1],
            &[("for", REFERENCE, Millpond, 0.9), ("for", "stable", Generational, 1.0)],
        ));
        assert_eq!(outcome(&cells, "map15-solo, for:"), (0.9, false));
        assert_eq!(bar(&cells, "generated frames, for:"), None);
    }

    #[test]
    fn the_limit_of_two_cache_lines_counts_where_it_is_above_the_best_peer() {
        let work = |median, contender, kind| Cell {
            work: "get".into(),
            ..cell(contender, kind, 1_000, median)
        };
        let mut cells =
            vec![work(3.0, REFERENCE, Kind::Millpond), work(2.0, "peer", Kind::Generational)];
        assert_eq!(bar(&cells, "get:").unwrap().worst, 1.5);
        cells.push(work(1.0, TWO_LINES, Kind::Limit));
        assert_eq!(bar(&cells, "get:").unwrap().worst, 1.5);
        cells.last_mut().unwrap().median = 3.0;
        let now = bar(&cells, "get:").unwrap();
        assert_eq!((now.is_met(), now.worst), (true, 1.0));
    }

    #[test]
    fn frames_come_first() {
        let bars = bars(&Results::new(crate::report::this_run(1, 1, 1)));
        assert!(bars[0].text.starts_with("map01-8bots, for: "), "{}", bars[0].text);
        let alone = bars.iter().position(|bar| bar.text.starts_with("churn, opaque"));
        assert!(bars[..alone.unwrap()].iter().all(|bar| !bar.text.starts_with("burst")));
    }
}
