//! The pools of C and C++ beside those of others: their record, and the tables and single figures that are taken of it.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::numbers::short;

/// What `crates/millpond-c/bench/run --record` wrote.
#[derive(Debug, Default)]
pub(crate) struct CPools {
    /// By work and contender: nanoseconds by slots.
    ns: BTreeMap<(String, String), BTreeMap<usize, f64>>,
    /// The lines at the top: what each names, and what it says.
    head: Vec<(String, String)>,
}

/// A work, and the slots, unless the work has only one number of them.
type Cell = (&'static str, Option<usize>);

const GET: &[Cell] = &[("get", Some(1_000)), ("get", Some(100_000))];
const PAIR: &[Cell] = &[("remove + insert", Some(1_000)), ("remove + insert", Some(100_000))];
const DENSE: &[Cell] = &[
    ("walk, 90 % live, for each value", Some(1_000)),
    ("walk, 90 % live, for each value", Some(100_000)),
];
const SPARSE: &[Cell] = &[
    ("walk, 10 % live, for each value", Some(1_000)),
    ("walk, 10 % live, for each value", Some(100_000)),
];
const PMR: &[Cell] = &[("pmr pair", Some(1_000)), ("pmr pair", Some(100_000))];
const VISIT: &[Cell] = &[
    ("freedoom2-map01-8bots, whole frames, for each visit", None),
    ("freedoom2-map15-solo, whole frames, for each visit", None),
];
const EVENT: &[Cell] = &[
    ("freedoom2-map01-8bots, births and deaths alone, for each event", None),
    ("freedoom2-map15-solo, births and deaths alone, for each event", None),
];

/// Our pools, which the record calls differently for each way to walk over them.
const C_POOL: &[&str] = &["millpond.h, runs", "millpond.h, one by one"];
const CPP_POOL: &[&str] = &["millpond.hpp, runs", "millpond.hpp, for", "millpond.hpp, for_each"];
const C_PACKED: &[&str] = &["millpond.h, packed"];
const CPP_PACKED: &[&str] = &["millpond.hpp, packed"];

/// The pools of one file, peers, and the works at which the page on that file compares them.
const SMALL_POOLS: &[&str] = &["mps::pool", "mps::growing_pool", "mps::packed_pool"];
const SMALL_PEERS: &[(&str, &str)] =
    &[("vector of slots", "vector slot map"), ("EnTT's registry", "EnTT's registry")];
/// Of these works, which other programs of the record do with other numbers of slots.
const SMALL_SLOTS: usize = 2_000;
const SMALL_WORKS: &[(&str, &str)] = &[
    ("a lookup", "get"),
    ("a removal and an insertion", "remove and insert"),
    ("a loop, 90 % live, a value", "walk, 90 % live"),
    ("a loop, 10 % live, a value", "walk, 10 % live"),
];

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Ours,
    /// Refuses the handle of a value that is gone.
    Peer,
    WithoutHandles,
}

/// What the pages call a contender, and what the record calls it, in the order of the pages.
const CONTENDERS: &[(&str, &str, Kind)] = &[
    ("`mp_pool`, by runs", "millpond.h, runs", Kind::Ours),
    ("`mp_pool`, one by one", "millpond.h, one by one", Kind::Ours),
    ("`pool<T>`, `runs()`", "millpond.hpp, runs", Kind::Ours),
    ("`pool<T>`, `for`", "millpond.hpp, for", Kind::Ours),
    ("`pool<T>`, `for_each`", "millpond.hpp, for_each", Kind::Ours),
    ("`mp_packed` (values move)", "millpond.h, packed", Kind::Ours),
    ("`packed_pool<T>` (values move)", "millpond.hpp, packed", Kind::Ours),
    ("sokol's scheme", "sokol's scheme", Kind::Peer),
    ("EnTT's registry (values move)", "EnTT's registry", Kind::Peer),
    ("EnTT's storage (values move)", "EnTT's storage", Kind::Peer),
    ("EnTT's storage, `in_place_delete`", "EnTT's storage, in_place_delete", Kind::Peer),
    ("`plf::colony` (no handles)", "plf::colony", Kind::WithoutHandles),
    ("Boost.Pool (no handles)", "Boost.Pool", Kind::WithoutHandles),
    ("an array (no handles, values move)", "an array without holes", Kind::WithoutHandles),
];

/// The most that the time of our pools was to be of theirs: of the fastest way to walk, and of the best of theirs.
struct Goal {
    work: &'static str,
    cells: &'static [Cell],
    ours: &'static [(&'static str, &'static [&'static str])],
    to: &'static str,
    theirs: &'static [&'static str],
    most: f64,
}

const POOLS: &[(&str, &[&str])] = &[("`mp_pool`", C_POOL), ("`pool<T>`", CPP_POOL)];
const ALL_POOLS: &[(&str, &[&str])] = &[
    ("`mp_pool`", C_POOL),
    ("`pool<T>`", CPP_POOL),
    ("`mp_packed`", C_PACKED),
    ("`packed_pool<T>`", CPP_PACKED),
];
const SOKOL: (&str, &[&str]) = ("sokol's scheme", &["sokol's scheme"]);
const REGISTRY: (&str, &[&str]) = ("EnTT's registry", &["EnTT's registry"]);
const COLONY: (&str, &[&str]) = ("`plf::colony`", &["plf::colony"]);
const PMR_POOL: (&str, &[&str]) =
    ("`unsynchronized_pool_resource`", &["unsynchronized_pool_resource"]);
const BEST: (&str, &[&str]) = (
    "the best peer",
    &["sokol's scheme", "plf::colony", "EnTT's storage", "EnTT's storage, in_place_delete"],
);

const fn goal(
    work: &'static str,
    cells: &'static [Cell],
    (to, theirs): (&'static str, &'static [&'static str]),
    most: f64,
) -> Goal {
    Goal { work, cells, ours: POOLS, to, theirs, most }
}

const GOALS: &[Goal] = &[
    goal("get", GET, SOKOL, 1.3),
    goal("remove and insert", PAIR, SOKOL, 1.3),
    goal("remove and insert", PAIR, REGISTRY, 0.2),
    goal("remove and insert", PAIR, COLONY, 0.6),
    goal("walk, 90 % live", DENSE, REGISTRY, 1.1),
    goal("walk, 10 % live", SPARSE.split_at(1).1, SOKOL, 0.35),
    goal("walk, 10 % live", SPARSE, COLONY, 0.9),
    Goal {
        ours: &[("size classes", &["size classes"])],
        ..goal("a pair of `std::pmr`", PMR, PMR_POOL, 0.3)
    },
    Goal { ours: ALL_POOLS, ..goal("a visit", VISIT, BEST, 0.9) },
];

impl CPools {
    pub(crate) fn of(text: &str) -> Result<Self, String> {
        let mut record = Self::default();
        let head = text.lines().map_while(|line| line.strip_prefix("# "));
        record.head = head
            .filter_map(|line| line.split_once(": "))
            .map(|(what, says)| (what.to_owned(), says.trim().to_owned()))
            .collect();
        let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text.as_bytes());
        for row in reader.deserialize() {
            let (_, work, slots, contender, ns): (String, String, usize, String, f64) =
                row.map_err(|error| error.to_string())?;
            let (of, by) = (format!("{work}, {slots} slots"), contender.clone());
            if record.ns.entry((work, contender)).or_default().insert(slots, ns).is_some() {
                return Err(format!("'{of}' of '{by}' twice"));
            }
        }
        Ok(record)
    }

    fn ns(&self, (work, slots): Cell, contender: &str) -> Option<f64> {
        let by_slots = self.ns.get(&(work.to_owned(), contender.to_owned()))?;
        match slots {
            Some(slots) => by_slots.get(&slots),
            None => by_slots.values().next(),
        }
        .copied()
    }

    /// The least of several contenders, those that were not there left out.
    fn least(&self, cell: Cell, contenders: &[&str]) -> Result<f64, String> {
        let all = contenders.iter().filter_map(|contender| self.ns(cell, contender));
        all.min_by(f64::total_cmp).ok_or_else(|| format!("no '{}' of {contenders:?}", cell.0))
    }

    /// The table or the single figure of this name.
    pub(crate) fn figure(&self, name: &str) -> Result<String, String> {
        let words: Vec<&str> = name.split(' ').collect();
        match words[..] {
            ["operations"] => self.table(
                "ns, at 1,000 / 100,000 slots",
                &[
                    ("get", GET),
                    ("remove and insert", PAIR),
                    ("walk, 90 % live", DENSE),
                    ("walk, 10 % live", SPARSE),
                ],
            ),
            ["frames"] => self.table(
                "ns, map01 with 8 bots / map15 solo",
                &[("a visit in whole frames", VISIT), ("a birth or death alone", EVENT)],
            ),
            ["goals"] => self.goals(),
            ["small"] => self.small(),
            ["small", "each"] => self.each(),
            ["run"] => self.run(),
            ["library"] => {
                let bytes = self.said("library")?.strip_suffix(" bytes").map(str::parse::<f64>);
                let bytes = bytes.and_then(Result::ok).ok_or("no bytes of the library")?;
                Ok(format!("{:.0} KiB", bytes / 1024.0))
            }
            ["pmr", ..] => {
                let of = &name["pmr ".len()..];
                let figures = PMR.iter().map(|&cell| Ok(short(self.least(cell, &[of])?)));
                Ok(figures.collect::<Result<Vec<_>, String>>()?.join(" / "))
            }
            ["visit", pool] => {
                let figures = VISIT.iter().map(|&cell| Ok(short(self.least(cell, &both(pool)?)?)));
                Ok(figures.collect::<Result<Vec<_>, String>>()?.join(" and "))
            }
            ["get", pool] => self.between(GET, &both(pool)?),
            ["pair", pool] => self.between(PAIR, &both(pool)?),
            _ => Err(format!("no figure 'c {name}'")),
        }
    }

    /// Those contenders that have figures at one of the works. Bold is what every peer with handles takes longer for.
    fn table(&self, what: &str, columns: &[(&str, &[Cell])]) -> Result<String, String> {
        let headings: Vec<&str> = columns.iter().map(|(heading, _)| *heading).collect();
        let mut text = format!("| {what} | {} |\n| ---", headings.join(" | "));
        columns.iter().for_each(|_| text += " | ---:");
        text += " |\n";
        for &(title, who, kind) in CONTENDERS {
            if !self.ns.keys().any(|(_, contender)| contender == who) {
                return Err(format!("no record of '{who}'"));
            }
            let written = |&cell: &Cell| {
                let figure = self.ns(cell, who)?;
                let peers = CONTENDERS.iter().filter(|(_, _, kind)| *kind == Kind::Peer);
                let mut peers = peers.filter_map(|(_, peer, _)| self.ns(cell, peer));
                let wins = kind == Kind::Ours && peers.all(|peer| figure < peer);
                Some(if wins { format!("**{}**", short(figure)) } else { short(figure) })
            };
            let cells: Vec<String> = columns
                .iter()
                .map(|(_, cells)| {
                    let figures: Option<Vec<String>> = cells.iter().map(written).collect();
                    figures.map_or_else(|| "–".to_owned(), |figures| figures.join(" / "))
                })
                .collect();
            if cells.iter().any(|cell| cell != "–") {
                _ = writeln!(text, "| {title} | {} |", cells.join(" | "));
            }
        }
        Ok(text)
    }

    /// The pools of one file beside peers.
    fn small(&self) -> Result<String, String> {
        let ours = SMALL_POOLS.iter().map(|pool| (format!("`{pool}`"), *pool));
        let peers = SMALL_PEERS.iter().map(|(title, peer)| ((*title).to_owned(), *peer));
        let (titles, contenders): (Vec<String>, Vec<&str>) = ours.chain(peers).unzip();
        let mut text = format!("| ns | {} |\n| ---", titles.join(" | "));
        titles.iter().for_each(|_| text += " | ---:");
        text += " |\n";
        for (title, work) in SMALL_WORKS {
            let of = |who| self.least((work, Some(SMALL_SLOTS)), &[who]);
            let figures = contenders.iter().map(|who| Ok(short(of(who)?)));
            let figures = figures.collect::<Result<Vec<_>, String>>()?;
            _ = writeln!(text, "| {title} | {} |", figures.join(" | "));
        }
        Ok(text)
    }

    /// How much longer their loops take with handles than without: the least and the most.
    fn each(&self) -> Result<String, String> {
        let mut ratios = Vec::new();
        for (with, without) in [
            ("walk with handles, 90 %", "walk without, 90 %"),
            ("walk with handles, 10 %", "walk without, 10 %"),
        ] {
            for &pool in SMALL_POOLS {
                let of = |work| self.least((work, Some(SMALL_SLOTS)), &[pool]);
                ratios.push(of(with)? / of(without)?);
            }
        }
        ratios.sort_by(f64::total_cmp);
        Ok(format!("{:.1} to {:.1}", ratios[0], ratios[ratios.len() - 1]))
    }

    /// The goals that are missed in one of their cells.
    fn goals(&self) -> Result<String, String> {
        let mut text = String::from(
            "| goal that is missed | by | at most | is |\n| --- | --- | ---: | ---: |\n",
        );
        let head = text.len();
        for goal in GOALS {
            for (pool, ours) in goal.ours {
                let ratios = goal
                    .cells
                    .iter()
                    .map(|&cell| Ok(self.least(cell, ours)? / self.least(cell, goal.theirs)?));
                let ratios = ratios.collect::<Result<Vec<f64>, String>>()?;
                // As it is written: 1.304 is 1.30.
                let misses = |ratio: &f64| (100.0 * ratio).round() > (100.0 * goal.most).round();
                if ratios.iter().any(misses) {
                    let ratios: Vec<_> = ratios.iter().map(|ratio| format!("{ratio:.2}")).collect();
                    let ratios = ratios.join(" / ");
                    let Goal { work, to, most, .. } = goal;
                    _ = writeln!(text, "| {work}, to {to} | {pool} | {most} | {ratios} |");
                }
            }
        }
        Ok(if text.len() == head { "No goal is missed.\n".to_owned() } else { text })
    }

    /// On what, when, and beside which versions of those peers that the pages have.
    fn run(&self) -> Result<String, String> {
        let processor = self.said("processor")?.split(" (family").next().unwrap_or_default();
        let mut text = format!("{}, {processor}, {}", self.said("compiler")?, self.said("date")?);
        for (_, peer) in self.head.iter().filter(|(what, _)| what == "peer") {
            let name = peer.split(' ').next().unwrap_or_default();
            if CONTENDERS.iter().any(|(_, contender, _)| contender.starts_with(name)) {
                _ = write!(text, ", {}", peer.replace('_', "."));
            }
        }
        Ok(text)
    }

    /// What a line at the top says.
    fn said(&self, of: &str) -> Result<&str, String> {
        let line = self.head.iter().find(|(what, _)| what == of);
        line.map(|(_, says)| says.as_str()).ok_or_else(|| format!("no '# {of}: '"))
    }

    /// The least and the most.
    fn between(&self, cells: &[Cell], contenders: &[&str]) -> Result<String, String> {
        let all = cells.iter().flat_map(|&cell| {
            contenders.iter().filter_map(move |contender| self.ns(cell, contender))
        });
        let least = all.clone().min_by(f64::total_cmp);
        let most = all.max_by(f64::total_cmp);
        let (least, most) =
            least.zip(most).ok_or_else(|| format!("no '{}' of {contenders:?}", cells[0].0))?;
        Ok(format!("{} to {}", short(least), short(most)))
    }
}

/// A pool of both languages.
fn both(pool: &str) -> Result<Vec<&'static str>, String> {
    match pool {
        "pool" => Ok([C_POOL, CPP_POOL].concat()),
        "packed" => Ok([C_PACKED, CPP_PACKED].concat()),
        _ => Err(format!("no pool '{pool}' of C and C++")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "# library: 20000 bytes\n# compiler: gcc 12.2.0\n# peer: EnTT 3.16.0\n# peer: Boost 1_74\n\
                        # peer: plf::hive \n\
                        # processor: Some Processor (family 1, model 2)\n# date: 2026-01-02\n\
                        bench,work,slots,contender,ns\n";

    /// A record in which our pools take so many nanoseconds for everything, and all others 2.
    fn record(ours: f64) -> CPools {
        let mut text = HEAD.to_owned();
        for &(work, slots) in [GET, PAIR, DENSE, SPARSE, VISIT, EVENT].concat().iter() {
            for (_, who, kind) in CONTENDERS {
                let ns = if *kind == Kind::Ours { ours } else { 2.0 };
                _ = writeln!(text, "a,\"{work}\",{},\"{who}\",{ns}", slots.unwrap_or(7));
            }
        }
        for pool in SMALL_POOLS {
            for (_, work) in SMALL_WORKS {
                _ = writeln!(text, "b,\"{work}\",2000,{pool},{ours}");
            }
            for live in ["90 %", "10 %"] {
                _ = writeln!(text, "b,\"walk without, {live}\",2000,{pool},{ours}");
                _ = writeln!(text, "b,\"walk with handles, {live}\",2000,{pool},{}", 1.5 * ours);
            }
        }
        for (_, peer) in SMALL_PEERS {
            for (_, work) in SMALL_WORKS {
                _ = writeln!(text, "b,\"{work}\",2000,{peer},2");
            }
        }
        for slots in [1_000, 100_000] {
            _ = writeln!(text, "a,pmr pair,{slots},size classes,{ours}");
            _ = writeln!(text, "a,pmr pair,{slots},unsynchronized_pool_resource,2");
        }
        CPools::of(&text).unwrap()
    }

    /// The figure of a contender in a cell, to be another.
    fn at<'a>(record: &'a mut CPools, cell: &Cell, contender: &str) -> &'a mut f64 {
        let by_slots = record.ns.get_mut(&(cell.0.into(), contender.into())).unwrap();
        by_slots.get_mut(&cell.1.unwrap_or(7)).unwrap()
    }

    #[test]
    fn the_pools_of_one_file() {
        let mut record = record(1.0);
        let by = |work: &str, pool: &str| (work.to_owned(), pool.to_owned());
        let figure = record.ns.get_mut(&by("get", "mps::growing_pool")).unwrap();
        *figure.get_mut(&2000).unwrap() = 1.25;
        let figure = record.ns.get_mut(&by("walk with handles, 10 %", "mps::packed_pool")).unwrap();
        *figure.get_mut(&2000).unwrap() = 1.1;
        let text = record.figure("small").unwrap();
        assert!(text.contains("| a lookup | 1.00 | 1.25 | 1.00 | 2.00 | 2.00 |\n"), "{text}");
        assert_eq!(record.figure("small each").unwrap(), "1.1 to 1.5");
        let without = without(record, "walk without", "mps::pool");
        assert!(without.figure("small each").unwrap_err().contains("walk without, 90 %"));
    }

    fn without(mut record: CPools, work: &str, contender: &str) -> CPools {
        record.ns.retain(|(of, who), _| !(of.contains(work) && who == contender));
        record
    }

    #[test]
    fn a_table_has_a_row_for_each_contender_and_bold_is_what_wins() {
        let text = record(1.0).figure("operations").unwrap();
        let both = "**1.00** / **1.00**";
        let all = format!("| `mp_packed` (values move) | {both} | {both} | {both} | {both} |\n");
        assert!(text.contains(&all), "{text}");
        assert!(text.contains("| sokol's scheme | 2.00 / 2.00 | "), "{text}");
        assert_eq!(text.lines().count(), 2 + CONTENDERS.len(), "{text}");
        // No win is one that a single peer with handles denies, and those without them do not count.
        let mut even = record(1.0);
        *at(&mut even, &GET[0], "EnTT's registry") = 1.0;
        *at(&mut even, &GET[1], "Boost.Pool") = 0.5;
        let text = even.figure("operations").unwrap();
        assert!(text.contains("| `mp_packed` (values move) | 1.00 / **1.00** | "), "{text}");
        assert!(text.contains("| Boost.Pool (no handles) | 2.00 / 0.50 | "), "{text}");
        // What is missing at a work, at all works of a table, and everywhere.
        let text = without(record(1.0), "walk", "Boost.Pool").figure("operations").unwrap();
        assert!(text.contains("| Boost.Pool (no handles) | 2.00 / 2.00 | 2.00 / 2.00 | – | – |\n"));
        let text = without(record(1.0), "freedoom2", "Boost.Pool").figure("frames").unwrap();
        assert!(!text.contains("Boost") && text.contains("| `plf::colony` (no handles) | 2.00"));
        let none = without(record(1.0), "", "Boost.Pool").figure("frames");
        assert_eq!(none.unwrap_err(), "no record of 'Boost.Pool'");
    }

    #[test]
    fn goals_are_told_while_they_are_missed() {
        assert_eq!(record(0.4).figure("goals").unwrap(), "No goal is missed.\n");
        let mut once = record(0.4);
        *at(&mut once, &PAIR[0], "EnTT's registry") = 1.0;
        let text = once.figure("goals").unwrap();
        assert!(text.contains("| `mp_pool` | 0.2 | 0.40 / 0.20 |\n"), "{text}");
        let text = record(0.42).figure("goals").unwrap();
        let row = "| remove and insert, to EnTT's registry | `mp_pool` | 0.2 | 0.21 / 0.21 |";
        assert!(text.contains(row), "{text}");
        assert_eq!(text.lines().count(), 2 + 2, "{text}");
        let text = record(1.81).figure("goals").unwrap();
        for pool in ["`mp_pool`", "`packed_pool<T>`"] {
            let row = format!("| {pool} | 0.9 | 0.91 / 0.91 |\n");
            assert!(text.contains(&format!("| a visit, to the best peer {row}")), "{text}");
        }
        let row = "| walk, 10 % live, to sokol's scheme | `pool<T>` | 0.35 | 0.91 |\n";
        assert!(text.contains(row), "{text}");
        assert!(text.contains("unsynchronized_pool_resource` | size classes | 0.3 |"), "{text}");
        // The fastest way to walk counts.
        let mut by_for = record(1.0);
        *at(&mut by_for, &VISIT[0], "millpond.hpp, runs") = 3.0;
        assert!(!by_for.figure("goals").unwrap().contains("a visit"));
        let none = without(record(1.0), "pmr", "size classes").figure("goals");
        assert_eq!(none.unwrap_err(), "no 'pmr pair' of [\"size classes\"]");
    }

    #[test]
    fn single_figures_and_what_it_ran_on() {
        let mut record = record(1.0);
        *at(&mut record, &GET[1], "millpond.hpp, for") = 12.34;
        assert_eq!(record.figure("get pool").unwrap(), "1.00 to 12.3");
        assert_eq!(record.figure("pair packed").unwrap(), "1.00 to 1.00");
        assert_eq!(record.figure("visit pool").unwrap(), "1.00 and 1.00");
        assert_eq!(record.figure("pmr unsynchronized_pool_resource").unwrap(), "2.00 / 2.00");
        assert_eq!(
            record.figure("run").unwrap(),
            "gcc 12.2.0, Some Processor, 2026-01-02, EnTT 3.16.0, Boost 1.74"
        );
        assert_eq!(record.figure("library").unwrap(), "20 KiB");
        assert_eq!(record.figure("get").unwrap_err(), "no figure 'c get'");
        assert_eq!(record.figure("get any").unwrap_err(), "no pool 'any' of C and C++");
    }

    #[test]
    fn a_record_has_each_figure_once() {
        let twice = format!("{HEAD}a,get,7,x,1\nb,get,7,x,2\n");
        assert_eq!(CPools::of(&twice).unwrap_err(), "'get, 7 slots' of 'x' twice");
        assert!(CPools::of(&format!("{HEAD}a,get,many,x,1\n")).is_err());
    }
}
