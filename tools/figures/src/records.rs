//! The records: what was measured or counted, in the files that the measuring commands write.

use std::collections::BTreeMap;
use std::path::Path;

use crate::c_pools::CPools;
use crate::ports::Ports;

/// What the benchmark calls a pool in the order that is the default.
const POOL: &str = "Pool, Lifo";

/// Of the pools of C and C++.
const C_POOLS: &str = "docs/benchmark/c.csv";

/// Of crates that were moved to millpond.
const PORTS: &str = "ports/record.md";

/// A cell of the benchmark: the work, bytes of an object, slots, contender.
type Cell = (String, usize, usize, String);

#[derive(Debug)]
pub(crate) struct Records {
    /// The build that games are shipped with.
    pub shipped: Bench,
    pub c_pools: CPools,
    pub ports: Ports,
    gates: BTreeMap<String, f64>,
    worst: BTreeMap<(String, String), f64>,
    functions: BTreeMap<String, usize>,
    /// Of an entity in Bevy, by what it has and how it begins and ends: instructions, and parts of plain Bevy's.
    lives: BTreeMap<(String, String), (f64, f64)>,
    /// Of each crate, the processor time of a cold build that depends on it alone: seconds.
    pub build: Rows,
    /// Of each pool, a program with 48 of them: seconds of a debug and of a release build, KiB, functions for each type.
    pub pools: Rows,
    /// Of each pool, a million insertions: the longest and all in milliseconds, MiB when empty and when filled.
    pub untouched: Rows,
}

/// The lines of a record whose first column is a name, and whose others are numbers.
pub(crate) type Rows = Vec<(String, Vec<f64>)>;

/// The records of one build of the benchmark.
#[derive(Debug, Default)]
pub(crate) struct Bench {
    medians: BTreeMap<Cell, f64>,
    bytes_beyond: BTreeMap<String, f64>,
    /// All bytes of one of many stores that were created for one object and have it.
    small_stores: BTreeMap<String, f64>,
    /// The most memory of one replay of a recorded heap: bytes.
    peaks: BTreeMap<String, f64>,
    pub beside: Vec<Beside>,
    pub processor: String,
}

/// A pool at one work beside the best peer that refuses stale keys and keeps its values in place.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Beside {
    pub work: String,
    pub bytes: usize,
    pub slots: usize,
    pub contender: String,
    pub peer: String,
    pub peer_ns: f64,
    pub ratio: f64,
}

impl Records {
    /// Those of this repository, the benchmark's from a folder such as `docs/benchmark`.
    pub(crate) fn read(repository: &Path, benchmark: &Path) -> Result<Self, String> {
        let file = |name: &str| {
            std::fs::read_to_string(repository.join(name))
                .map_err(|error| format!("{name}: {error}"))
        };
        let gates = numbers(&file("ci/gates/recorded.txt")?)
            .map(|(words, number)| (words.join(" "), number))
            .collect();
        let worst = numbers(&file("ci/gates/worst.txt")?)
            .filter_map(|(words, number)| {
                Some(((words.first()?.clone(), words[1..].join(" ")), number))
            })
            .collect();
        let lives = numbers(&file("ci/gates/bevy.txt")?)
            .filter_map(|(words, part)| {
                let [row, way, instructions] = &words[..] else { return None };
                Some(((row.clone(), way.clone()), (instructions.parse().ok()?, part)))
            })
            .collect();
        let mut functions = BTreeMap::new();
        for line in file("ci/functions.txt")?.lines().filter(|line| !line.starts_with('#')) {
            *functions
                .entry(line.split_whitespace().next().unwrap_or("").to_owned())
                .or_default() += 1;
        }
        let shipped = Bench::read(&benchmark.join("shipped"))?;
        let c_pools = CPools::of(&file(C_POOLS)?).map_err(|why| format!("{C_POOLS}: {why}"))?;
        let ports = Ports::of(&file(PORTS)?).map_err(|why| format!("{PORTS}: {why}"))?;
        let rows = |name: &str| {
            let name = format!("docs/benchmark/{name}.csv");
            rows(&file(&name)?).map_err(|why| format!("{name}: {why}"))
        };
        let (build, pools, untouched) = (rows("build")?, rows("pools")?, rows("untouched")?);
        Ok(Self {
            shipped,
            c_pools,
            ports,
            gates,
            worst,
            functions,
            lives,
            build,
            pools,
            untouched,
        })
    }

    /// The instructions of a gate.
    pub(crate) fn gate(&self, name: &str) -> Result<f64, String> {
        self.gates
            .get(name)
            .copied()
            .ok_or_else(|| format!("no gate '{name}' in ci/gates/recorded.txt"))
    }

    /// The instructions of the worst single operation of an order, in a pool of 1,000 slots.
    pub(crate) fn worst(&self, order: &str, operation: &str) -> Result<f64, String> {
        let key = (order.to_owned(), operation.to_owned());
        self.worst
            .get(&key)
            .copied()
            .ok_or_else(|| format!("no '{order} {operation}' in ci/gates/worst.txt"))
    }

    /// The instructions of an entity's life in Bevy, and of plain Bevy's: none for a way that this entity cannot go.
    pub(crate) fn life(&self, row: &str, way: &str) -> Option<(f64, f64)> {
        self.lives.get(&(row.to_owned(), way.to_owned())).copied()
    }

    /// The functions that a program compiles for one more pool.
    pub(crate) fn functions(&self, pool: &str) -> Result<usize, String> {
        self.functions.get(pool).copied().ok_or_else(|| format!("no '{pool}' in ci/functions.txt"))
    }
}

fn rows(text: &str) -> Result<Rows, String> {
    let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text.as_bytes());
    reader.deserialize().map(|row| row.map_err(|error| error.to_string())).collect()
}

/// The lines that end with a number: the words before it, and the number.
fn numbers(text: &str) -> impl Iterator<Item = (Vec<String>, f64)> {
    text.lines().filter_map(|line| {
        let mut words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let number = words.pop()?.parse().ok()?;
        (!words.is_empty() && words[0] != "#").then_some((words, number))
    })
}

impl Bench {
    fn read(directory: &Path) -> Result<Self, String> {
        let mut bench = Self::default();
        for entry in std::fs::read_dir(directory)
            .map_err(|error| format!("{}: {error}", directory.display()))?
        {
            let path = entry.map_err(|error| error.to_string())?.path();
            let fault = |error: csv::Error| format!("{}: {error}", path.display());
            let mut reader = csv::Reader::from_path(&path).map_err(fault)?;
            let head = reader.headers().map_err(fault)?.clone();
            let column = |name: &str| head.iter().position(|column| column == name);
            for row in reader.records() {
                let row = row.map_err(fault)?;
                let at = |name: &str| column(name).and_then(|n| row.get(n));
                let number = |name: &str| at(name).and_then(|text| text.parse::<f64>().ok());
                if let (Some(work), Some(bytes), Some(slots), Some(contender)) =
                    (at("work"), number("object_bytes"), number("slots"), at("contender"))
                {
                    let (work, contender) = (work.to_owned(), contender.to_owned());
                    let (bytes, slots) = (bytes as usize, slots as usize);
                    if let (Some(peer), Some(peer_ns), Some(ratio)) =
                        (at("peer"), number("peer_ns"), number("ratio"))
                    {
                        let peer = peer.to_owned();
                        let row = Beside { work, bytes, slots, contender, peer, peer_ns, ratio };
                        bench.beside.push(row);
                    } else if let Some(median) = number("median_ns") {
                        bench.medians.insert((work, bytes, slots, contender), median);
                    }
                } else if let (Some(contender), Some(beyond)) =
                    (at("contender"), number("beyond_object"))
                {
                    bench.bytes_beyond.insert(contender.to_owned(), beyond);
                    if let Some(bytes) = number("small_store") {
                        bench.small_stores.insert(contender.to_owned(), bytes);
                    }
                } else if let (Some(allocator), Some(bytes)) = (at("allocator"), number("bytes")) {
                    bench.peaks.insert(allocator.to_owned(), bytes);
                } else if let Some(processor) = at("processor") {
                    bench.processor = processor.to_owned();
                }
            }
        }
        Ok(bench)
    }

    /// The most memory of an allocator in one replay of a recorded heap: bytes.
    pub(crate) fn peak(&self, allocator: &str) -> Option<f64> {
        self.peaks.get(allocator).copied()
    }

    /// The median of a work with objects of 64 bytes, in nanoseconds. Without a number of slots, the one that the work has.
    pub(crate) fn ns(&self, work: &str, slots: Option<usize>, contender: &str) -> Option<f64> {
        let contender = if contender == "Pool" { POOL } else { contender };
        let mut cells = self.medians.iter().filter(|((of, bytes, size, who), _)| {
            of == work
                && *bytes == 64
                && slots.is_none_or(|slots| slots == *size)
                && who == contender
        });
        cells.next().map(|(_, &median)| median)
    }

    /// The least of several works: a loop may be written in several ways.
    pub(crate) fn ns_of_fastest(
        &self,
        works: &[&str],
        slots: Option<usize>,
        contender: &str,
    ) -> Option<f64> {
        works.iter().filter_map(|work| self.ns(work, slots, contender)).min_by(f64::total_cmp)
    }

    /// The medians of a work with objects of so many bytes, by slots.
    pub(crate) fn by_slots(&self, work: &str, bytes: usize, contender: &str) -> Vec<(usize, f64)> {
        let contender = if contender == "Pool" { POOL } else { contender };
        let cells = self
            .medians
            .iter()
            .filter(|((of, size, _, who), _)| of == work && *size == bytes && who == contender);
        cells.map(|((_, _, slots, _), &median)| (*slots, median)).collect()
    }

    /// A pool's row of a work with objects of 64 bytes, beside the best peer. Without a number of slots, the one that the
    /// work has.
    pub(crate) fn beside(
        &self,
        work: &str,
        slots: Option<usize>,
        contender: &str,
    ) -> Result<&Beside, String> {
        let name = if contender == "Pool" { POOL } else { contender };
        let mut rows = self.beside.iter().filter(|row| {
            row.work == work
                && row.bytes == 64
                && slots.is_none_or(|slots| slots == row.slots)
                && row.contender == name
        });
        rows.next().ok_or_else(|| format!("no '{work}' of '{contender}' beside a peer"))
    }

    /// All bytes of a small store.
    pub(crate) fn small_store(&self, contender: &str) -> Result<f64, String> {
        let name = if contender == "Pool" { POOL } else { contender };
        let bytes = self.small_stores.get(name).copied();
        bytes.ok_or_else(|| format!("no memory of a small store of '{contender}'"))
    }

    #[cfg(test)]
    pub(crate) fn weigh(&mut self, small_stores: &[(&str, f64)]) {
        self.small_stores = small_stores.iter().map(|&(who, bytes)| (who.into(), bytes)).collect();
    }

    /// Bytes that a slot takes beyond its object of 64 bytes.
    pub(crate) fn bytes_beyond(&self, contender: &str) -> Option<f64> {
        self.bytes_beyond.get(if contender == "Pool" { POOL } else { contender }).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_with_a_number() {
        let lines: Vec<_> =
            numbers("# rustc 1.95\ninsert 35.0\nlifo claim 177\nno number\n7\n").collect();
        let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
        assert_eq!(lines, [(words(&["insert"]), 35.0), (words(&["lifo", "claim"]), 177.0)]);
    }
}
