//! The page of figures: the main tables of the recorded runs, and where the rest is.

use std::collections::BTreeSet;

use super::designs;
use super::table::{Table, thousands};
use super::threads::Row;
use crate::cell::Group;
use crate::contender::Kind;
use crate::contenders::harness;
use crate::frames;
use crate::memory;
use crate::plan::OCCUPANCIES;
use crate::results::{Beside, FILES, REFERENCE, Results, SLOTMAP, VEC_POOL};
use crate::sizes::WEIGHED_SLOTS;
use crate::verdict::STABLE_PEER;
use crate::work::{churn, duplicate, growth, snapshot, sparse, worst};

/// The objects of all tables of the page.
const BYTES: usize = 64;

/// Of the pools that play frames, the one that has no values to walk over.
const RECYCLER: &str = "Recycler";

/// The whole page, in Markdown.
pub(crate) fn page(results: &Results, threads: &[Row], designs: &[designs::Row]) -> String {
    let page = Page { results };
    let mut text = page.head();
    text += &page.beside();
    text += &page.frames();
    text += &page.iteration();
    text += &page.operations();
    text += &page.growth();
    text += &page.worst();
    text += &page.memory();
    text += &page.snapshots();
    text += &threads_section(threads);
    text += &designs::section(designs);
    text += &page.losses();
    text + &page.files(!threads.is_empty(), !designs.is_empty())
}

struct Page<'a> {
    results: &'a Results,
}

/// A row: what it is called, and the contender and the loops whose fastest counts.
struct Store {
    title: String,
    contender: String,
    loops: &'static [&'static str],
    is_limit: bool,
}

const LOOPS: &[&str] = &["for", "for_each"];

impl Store {
    fn of(contender: &str, kind: Kind) -> Self {
        let name = if contender == REFERENCE { "Pool" } else { contender };
        let title = match kind {
            Kind::Millpond => format!("`{name}`"),
            _ => name.trim_start_matches("limit: ").to_owned(),
        };
        let is_limit = kind == Kind::Limit;
        Self { title, contender: contender.to_owned(), loops: LOOPS, is_limit }
    }

    fn by(self, loops: &'static [&'static str]) -> Self {
        Self { title: format!("{} by `{}`", self.title, loops[0]), loops, ..self }
    }
}

/// A column: a heading, and the figure of a store in nanoseconds, or in what else the section says.
struct Column<'a> {
    heading: String,
    figure: Box<Figure<'a>>,
}

type Figure<'a> = dyn Fn(&Store) -> Option<f64> + 'a;

impl Page<'_> {
    fn head(&self) -> String {
        let run = &self.results.run;
        let note = if run.note.is_empty() { String::new() } else { format!(" {}", run.note) };
        format!(
            "# Benchmark\n\n\
             The main figures of millpond beside its peers. Less is better everywhere; the best of each column is bold. \
             [Where the time goes](performance.md) explains the differences; [all figures](#all-figures) are tables.\n\n\
             ## How it was measured\n\n\
             `ci/benchmark` makes this page, in the build that games are shipped with: fat link-time optimisation and one \
             codegen unit. Figures are nanoseconds unless the table says otherwise: medians of {} processes, as ratios are. \
             They include what the harness itself takes (random numbers, keys, making the object). In a process, all \
             contenders take turns ({} rounds of whole frames and {} of everything else). A lap is timed in chunks of some ten \
             microseconds, whose medians over the rounds are added. A run fails unless all contenders of a work end with \
             the same checksum. Objects have {BYTES} bytes. Of the stores, slab and `Vec of Option` accept stale keys. \
             Differences of less than a tenth are [noise](performance.md#how-reliable-the-figures-are).\n\n\
             Commit {}, {}, {} seconds.{note} Processor: {}. Versions: {}.\n\n",
            run.processes,
            run.frame_rounds,
            run.rounds,
            run.commit,
            run.date,
            run.seconds,
            run.processor,
            run.versions
        )
    }

    /// The works of the tables as ratios.
    fn beside(&self) -> String {
        let find = |work: &str, slots: Option<usize>, contender: &str| {
            self.results.beside.iter().find(|row| {
                row.work == work
                    && row.object_bytes == BYTES
                    && slots.is_none_or(|slots| slots == row.slots)
                    && row.contender == contender
            })
        };
        let rows = compared().into_iter().filter_map(|(title, work, slots)| {
            let pool = find(&work, slots, REFERENCE);
            let vec_pool = find(&work, slots, VEC_POOL);
            let ratio =
                |row: Option<&Beside>| row.map_or("–".into(), |row| format!("{:.2}", row.ratio));
            let peer = pool.or(vec_pool)?;
            let ns = if peer.peer_ns < 1e3 {
                format!("{} ns", shown(peer.peer_ns))
            } else {
                format!("{} µs", shown(peer.peer_ns / 1e3))
            };
            Some(vec![title, ratio(pool), ratio(vec_pool), format!("{}, {ns}", peer.peer)])
        });
        let headings = ["`Pool`", "`VecPool`", "best peer"].map(str::to_owned);
        let table = Table::new(headings, rows);
        if table.rows.is_empty() {
            return String::new();
        }
        format!(
            "## Beside the best peer\n\n\
             How many times the time of the best peer: of those whose values keep their addresses and that refuse stale keys, \
             the fastest at this work; for `runs`, by the better one of its loops. Below 1, millpond is faster. [What is \
             done](#whole-frames) in each row is below:\n\n{}\n",
            table.render()
        )
    }

    /// What has a row in the tables: the pools that play frames, and every peer.
    fn stores(&self) -> Vec<Store> {
        let work = frames::work(frames::GAMES[0], LOOPS[0]);
        let mut seen = BTreeSet::new();
        let cells = self.results.cells.iter().filter(|cell| cell.work == work);
        let cells = cells.filter(|cell| cell.kind != Kind::Limit && cell.contender != RECYCLER);
        let cells = cells.filter(|cell| seen.insert(cell.contender.clone()));
        cells.map(|cell| Store::of(&cell.contender, cell.kind)).collect()
    }

    /// The record, if it has `work`.
    fn with(&self, work: &str) -> Option<&Results> {
        self.results.cells.iter().any(|cell| cell.work == work).then_some(self.results)
    }

    fn frames(&self) -> String {
        if self.stores().is_empty() {
            return String::new();
        }
        let harness = || Store::of(harness::NAME, Kind::Limit);
        let column = |game: &'static str, heading: &str, parts: Parts| Column {
            heading: format!("{}{heading}", game.trim_start_matches("freedoom2-")),
            figure: Box::new(move |store| {
                let works = parts(store).iter().map(|part| frames::work(game, part));
                let group =
                    |work: &str| group(self.results, work, |group| group.object_bytes == BYTES);
                let cells = works
                    .filter_map(|work| self.results.cell(&work, group(&work)?, &store.contender));
                cells.map(|cell| cell.median).min_by(f64::total_cmp)
            }),
        };
        let columns = |heading: &'static str, parts: Parts| {
            frames::GAMES.map(|game| column(game, heading, parts))
        };
        let mut walks = vec![Store::of(REFERENCE, Kind::Millpond).by(&["for"])];
        walks.push(Store::of(REFERENCE, Kind::Millpond).by(&["runs"]));
        walks.push(Store::of(VEC_POOL, Kind::Millpond).by(&["for"]));
        walks.splice(0..0, self.stores());
        walks.push(harness());
        let by_loops = columns("", |store| store.loops).into_iter();
        let events = columns(", births and deaths", |store| {
            if store.loops == LOOPS { &[frames::EVENTS] } else { &[] }
        });
        let walks = table(&walks, by_loops.chain(events));
        let shared = columns("", |_| &[frames::SHARED]).into_iter();
        let lookups = columns(", lookups", |_| &[frames::LOOKUPS]);
        let shared = table(&self.stores(), shared.chain(lookups));
        format!(
            "## Whole frames\n\n\
             Two recorded games of Freedoom 2 (map 1 with eight bots, and map 15): one pool for each class of objects, \
             insertions and removals as recorded, and in each tick one iteration over every pool, which moves each object by \
             eight steps. Per visited object, by the faster of `for` and `for_each` unless the row names the loop; in the \
             last two columns the insertions and removals alone, per one of them:\n\n{walks}\n\
             ### Shared loops\n\n\
             The same by `for value in &pool`, which reads two fields of each object; in the last two columns, it looks up \
             another object by its handle, too:\n\n{shared}\n"
        )
    }

    fn iteration(&self) -> String {
        let Some(results) = self.with("iterate 100%, for") else { return String::new() };
        let columns = [1_000, 100_000].into_iter().flat_map(|slots| {
            [100, 90, 50, 10].map(|percent| Column {
                heading: format!("{}, {percent} %", thousands(slots)),
                figure: Box::new(move |store| {
                    let loops = if store.contender == REFERENCE { store.loops } else { &["for"] };
                    let works = loops.iter().map(|form| format!("iterate {percent}%, {form}"));
                    let cells = works.filter_map(|work| at(results, &work, slots, store));
                    cells.min_by(f64::total_cmp)
                }),
            })
        });
        let mut stores = self.stores();
        stores.retain(|store| store.contender != REFERENCE);
        let own = |form| Store::of(REFERENCE, Kind::Millpond).by(form);
        stores.splice(0..0, [own(&["for"]), own(&["for_each"]), own(&["runs"])]);
        stores.push(Store::of("Vec, swap_remove", Kind::Array));
        let iteration = table(&stores, columns);
        let text = format!(
            "## Iteration\n\n\
             By `for` unless the row names another loop, over 1,000 and 100,000 slots, of which this part is live, at random \
             places. Each object moves by two steps. Per live object:\n\n{iteration}\n"
        );
        let work = format!("{}, for", sparse::PREFIX);
        let Some(results) = self.with(&work) else { return text };
        let work = &work;
        let columns = by_slots(results, work, 1e3);
        format!(
            "{text}One walk by `for` over {} live objects at random places, the other slots dead, in microseconds:\
             \n\n{}\n",
            sparse::LIVE,
            table(&self.stores(), columns)
        )
    }

    fn operations(&self) -> String {
        let Some(results) = self.with("get") else { return String::new() };
        let column = |work: &'static str, heading: &str, slots: usize| Column {
            heading: format!("{heading}, {}", thousands(slots)),
            figure: Box::new(move |store: &Store| at(results, work, slots, store)),
        };
        let sizes = [1_000, 100_000, 1_000_000];
        let limits = ["limit: object's line, no checks", "limit: two lines, no checks"];
        let stores = || {
            let limits = limits.iter().map(|limit| Store::of(limit, Kind::Limit));
            self.stores().into_iter().chain(limits).collect::<Vec<_>>()
        };
        let lookups = sizes.map(|slots| column("get", "lookup", slots)).into_iter();
        let opaque = sizes.map(|slots| column(churn::OPAQUE, "pair", slots));
        let folded = [1_000, 100_000].map(|slots| column("churn", "folded", slots));
        let burst = [1_000, 100_000].map(|slots| column("burst", "burst", slots));
        let pairs = table(&stores(), opaque.into_iter().chain(folded).chain(burst));
        let clones = [1_000, 10_000, 1_000_000];
        let clones = clones.map(|slots| column(duplicate::NAME, "clone", slots));
        let singles = table(&stores(), lookups.chain(clones));
        format!(
            "## Lookups, copies, removals and insertions\n\n\
             Lookups by random keys, and a copy of a full pool by `clone`, with its end, per object. The last two rows are \
             bare accesses to the same memory, without any check:\n\n{singles}\n\
             A *pair* is a removal at random and an insertion, 90 % live, with `black_box(&mut pool)` between the two. \
             *Folded*: nothing comes there, so that compilers fold the two of some maps into one another: no program has \
             that. A *burst* removes a sixteenth of the slots and inserts as many; per pair:\n\n{pairs}\n"
        )
    }

    fn growth(&self) -> String {
        let Some(results) = self.with(growth::NAME) else { return String::new() };
        format!(
            "## Growth\n\n\
             The longest single insertion of as many as there are slots, in milliseconds. `Pool` and `PackedPool` have \
             taken their memory before; the other stores start with room for 16 objects:\n\n{}\n",
            table(&self.stores(), by_slots(results, growth::NAME, 1e6))
        )
    }

    fn worst(&self) -> String {
        let results = self.results;
        if results.latencies.is_empty() {
            return String::new();
        }
        type Part = fn(&worst::Latency) -> f64;
        let figures: [(&str, Part); 4] = [
            ("median", |latency| latency.median),
            ("p99", |latency| latency.p99),
            ("p99.99", |latency| latency.p9999),
            ("worst", |latency| latency.worst_median),
        ];
        let columns = figures.into_iter().map(|(heading, figure)| Column {
            heading: heading.to_owned(),
            figure: Box::new(move |store| {
                let latencies = results.latencies.iter();
                latencies.filter(|one| one.contender == store.contender).map(figure).next()
            }),
        });
        let mut stores = self.stores();
        stores.push(Store::of(worst::PLAIN, Kind::Limit));
        format!(
            "## The worst single operation\n\n\
             {} slots with room for everything from the beginning; {} insertions and removals, each timed, with 20 to 40 ns of \
             the clock, in one process. *Worst* is the median of the rounds' longest operations. Interrupts are in every row: \
             compare with plain accesses to memory.\n\n{}\n",
            thousands(worst::SLOTS),
            thousands(results.latencies[0].operations),
            table(&stores, columns)
        )
    }

    fn memory(&self) -> String {
        let results = self.results;
        if results.bytes_per_slot.is_empty() {
            return String::new();
        }
        let mut stores = self.stores();
        for order in ["Pool, LowestFirst", "Pool, Lifo, Handle32<16>"] {
            stores.push(Store::of(order, Kind::Millpond));
        }
        let bytes = results.bytes_per_slot.iter();
        let small = bytes.clone().find(|bytes| bytes.contender == SLOTMAP);
        let small = small.and_then(|bytes| bytes.small_store).unwrap_or(f64::NAN);
        type Part = Box<dyn Fn(&memory::BytesPerSlot) -> Option<f64>>;
        let figures: [(&str, Part); 4] = [
            ("bytes per slot beyond the object", Box::new(|bytes| Some(bytes.beyond_object))),
            ("bytes of a key", Box::new(|bytes| Some(bytes.key as f64))),
            ("bytes of a pool of one object", Box::new(|bytes| bytes.small_store)),
            ("of slotmap's", Box::new(move |bytes| Some(bytes.small_store? / small))),
        ];
        let columns = figures.into_iter().map(|(heading, figure)| Column {
            heading: heading.to_owned(),
            figure: Box::new(move |store| {
                let rows = results.bytes_per_slot.iter();
                rows.filter(|one| one.contender == store.contender).find_map(&figure)
            }),
        });
        format!(
            "## Memory\n\n\
             Of {} slots, created with room for them and filled. The last two columns are of {} pools of one object each: \
             all memory of one of them, its object included:\n\n{}\n",
            thousands(WEIGHED_SLOTS),
            thousands(memory::SMALL_STORES),
            table(&stores, columns)
        )
    }

    fn snapshots(&self) -> String {
        let work = format!("{} 100%", snapshot::PREFIX);
        let Some(results) = self.with(&work) else { return String::new() };
        let work = &work;
        let columns = results.groups(|name| name == work).into_iter().map(|group| Column {
            heading: format!("{} slots of {} bytes", thousands(group.slots), group.object_bytes),
            figure: Box::new(move |store| {
                results.cell(work, group, &store.contender).map(|cell| cell.median)
            }),
        });
        let mut stores: Vec<Store> = Vec::new();
        for cell in results.cells.iter().filter(|cell| &cell.work == work) {
            if stores.iter().all(|store| store.contender != cell.contender) {
                // All rows are named in words.
                let is_limit = cell.kind == Kind::Limit;
                stores.push(Store { is_limit, ..Store::of(&cell.contender, Kind::Array) });
            }
        }
        let (mut stores, limits): (Vec<_>, Vec<_>) =
            stores.into_iter().partition(|store| !store.is_limit);
        // Less work than the others: a part of the changes only.
        stores.retain(|store| ![snapshot::COMPARE, snapshot::CHANGED].contains(&&*store.contender));
        stores.extend(limits);
        format!(
            "## Save and restore\n\n\
             All slots live, 1 % of the objects changed between two saves. Per slot:\n\n{}\n",
            table(&stores, columns)
        )
    }

    fn losses(&self) -> String {
        let verdicts = &self.results.verdicts;
        let missed = verdicts.iter().filter(|verdict| !verdict.is_met());
        let rows = missed.clone().map(|verdict| {
            vec![
                verdict.bar.replace(STABLE_PEER, "best peer"),
                format!("{:.2}", verdict.limit),
                format!("{:.2} ({} of {})", verdict.worst, verdict.met, verdict.measured),
            ]
        });
        let table = Table::new(["goal", "worst"].map(str::to_owned), rows);
        format!(
            "## Where millpond misses its goals\n\n\
             A goal is a ratio to the time (or memory) of whoever follows the colon, for `Pool` unless another pool is named. \
             {} goals are met in all cells; these {} are missed, with the worst ratio, and in how many cells the goal is \
             met:\n\n{}\n",
            verdicts.len() - missed.clone().count(),
            missed.count(),
            table.render()
        )
    }

    fn files(&self, has_threads: bool, has_designs: bool) -> String {
        let mut text = "## All figures\n\nEvery contender at every size, with objects of 16, 64 and 256 bytes:\n\n"
            .to_owned();
        let more = [
            ("beside", "`Pool` and `VecPool` beside the best peer: every cell as a ratio"),
            ("verdicts", "Every goal, and the cell in which it is worst"),
            ("worst", "Nanoseconds of single operations"),
            ("memory", "Bytes per slot and per key"),
            ("heap-peaks", "Memory that the system provides for one replay of OpenTTD's heap"),
        ];
        for (name, what) in FILES.into_iter().chain(more) {
            let profile = &self.results.run.profile;
            text += &format!("- [{what}](benchmark/{profile}/{name}.csv)\n");
        }
        if has_threads {
            text += "- [Threads](benchmark/threads.csv)\n";
        }
        if has_designs {
            text += "- [The published designs](benchmark/designs.csv)\n";
        }
        text
    }
}

/// What is done in a column of frames, by what the store has.
type Parts = fn(&Store) -> &'static [&'static str];

/// The rows of the table of ratios: (title, work, slots).
fn compared() -> Vec<(String, String, Option<usize>)> {
    let mut rows = Vec::new();
    for part in ["for", "for_each", "runs", frames::SHARED, frames::LOOKUPS, frames::EVENTS] {
        for game in frames::GAMES {
            let title = match part {
                frames::SHARED => "shared loop".to_owned(),
                frames::LOOKUPS => "shared loop with lookups".to_owned(),
                frames::EVENTS => part.to_owned(),
                form => format!("frames by `{form}`"),
            };
            let name = game.trim_start_matches("freedoom2-");
            rows.push((format!("{title}, {name}"), frames::work(game, part), None));
        }
    }
    let mut sizes = |title: &str, work: &str, sizes: &[usize]| {
        for &slots in sizes {
            let title = format!("{title}, {}", thousands(slots));
            rows.push((title, work.to_owned(), Some(slots)));
        }
    };
    for percent in OCCUPANCIES {
        sizes(
            &format!("`for`, {percent} % live"),
            &format!("iterate {percent}%, for"),
            &[1_000, 100_000],
        );
    }
    sizes("`for`, 100 live", &format!("{}, for", sparse::PREFIX), &[100_000, 1_000_000]);
    sizes("lookup", "get", &[1_000, 100_000, 1_000_000]);
    sizes("removal and insertion", churn::OPAQUE, &[1_000, 100_000, 1_000_000]);
    sizes("the same, folded", "churn", &[1_000, 100_000]);
    sizes("burst", "burst", &[1_000, 100_000]);
    sizes("clone", duplicate::NAME, &[1_000, 10_000, 1_000_000]);
    rows
}

fn group(results: &Results, work: &str, wanted: impl Fn(&Group) -> bool) -> Option<Group> {
    results.groups(|name| name == work).into_iter().find(wanted)
}

/// The figure of a store at so many slots.
fn at(results: &Results, work: &str, slots: usize, store: &Store) -> Option<f64> {
    let group = Group { object_bytes: BYTES, slots };
    results.cell(work, group, &store.contender).map(|cell| cell.median)
}

/// A column for each number of slots, in units of so many nanoseconds.
fn by_slots<'a>(
    results: &'a Results,
    work: &'a str,
    unit: f64,
) -> impl Iterator<Item = Column<'a>> {
    results.groups(|name| name == work).into_iter().map(move |group| Column {
        heading: format!("{} slots", thousands(group.slots)),
        figure: Box::new(move |store| {
            results.cell(work, group, &store.contender).map(|cell| cell.median / unit)
        }),
    })
}

/// The figures of all stores that have any, the best of each column bold.
fn table<'a>(stores: &[Store], columns: impl IntoIterator<Item = Column<'a>>) -> String {
    let columns: Vec<_> = columns.into_iter().collect();
    let best = |column: &Column<'_>| {
        let figures = stores.iter().filter(|store| !store.is_limit).filter_map(&column.figure);
        figures.map(shown).min_by(|one, other| value(one).total_cmp(&value(other)))
    };
    let best: Vec<_> = columns.iter().map(best).collect();
    let rows = stores.iter().filter_map(|store| {
        let figures: Vec<_> = columns.iter().map(|column| (column.figure)(store)).collect();
        figures.iter().any(Option::is_some).then(|| {
            let cells = figures.into_iter().zip(&best).map(|(figure, best)| {
                let text = figure.map_or("–".into(), shown);
                if best.as_ref() == Some(&text) && !store.is_limit {
                    format!("**{text}**")
                } else {
                    text
                }
            });
            std::iter::once(store.title.clone()).chain(cells).collect()
        })
    });
    Table::new(columns.iter().map(|column| column.heading.clone()), rows).render()
}

/// With about three digits.
fn shown(figure: f64) -> String {
    match figure {
        ..10.0 => format!("{figure:.2}"),
        ..100.0 => format!("{figure:.1}"),
        _ => thousands(figure.round() as usize),
    }
}

/// What [`shown`] shows.
fn value(text: &str) -> f64 {
    text.replace(',', "").parse().unwrap_or(f64::MAX)
}

/// The first contender of each comparison, and the best of the others.
fn threads_section(rows: &[Row]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let mut own: Vec<(&str, &str)> = Vec::new();
    for row in rows {
        if own.iter().all(|(comparison, _)| *comparison != row.comparison) {
            own.push((&row.comparison, &row.contender));
        }
    }
    let numbers: BTreeSet<usize> = rows.iter().map(|row| row.threads).collect();
    let numbers = numbers.first().into_iter().chain(numbers.last());
    let lines = own.iter().map(|&(comparison, contender)| {
        let mut line = vec![format!("{comparison}: `{contender}`")];
        for &number in numbers.clone() {
            let of = |row: &&Row| row.comparison == comparison && row.threads == number;
            let (own, others): (Vec<_>, Vec<_>) =
                rows.iter().filter(of).partition(|row| row.contender == contender);
            let others = others.iter().filter_map(|row| Some((row.ns?, &row.contender)));
            let best = others.min_by(|one, other| one.0.total_cmp(&other.0));
            line.push(own.first().and_then(|row| row.ns).map_or("–".into(), shown));
            line.push(best.map_or("–".into(), |(ns, name)| format!("{} (`{name}`)", shown(ns))));
        }
        line
    });
    let headings = numbers.clone().flat_map(|number| {
        let threads = if *number == 1 { "1 thread".into() } else { format!("{number} threads") };
        [threads, "best other".to_owned()]
    });
    let table = Table::new(headings, lines).render();
    format!(
        "## Threads\n\n\
         Nanoseconds per operation of a thread, beside the best of [the others](benchmark/threads.csv): on one thread the best \
         of the rounds, on several the median. The machine has two processors, the halves of one core, so the figures of \
         more threads only show the order of magnitude ([what was counted for more](performance.md#threads)).\n\n{table}\n"
    )
}
