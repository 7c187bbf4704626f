//! The text of a run: verdict, tables, how to read them.

use super::environment;
use super::table::Table;
use crate::contender::Kind;
use crate::contenders::{harness, peers};
use crate::frames;
use crate::heap;
use crate::measure::Cell;
use crate::memory;
use crate::plan::OCCUPANCIES;
use crate::results::{Group, REFERENCE, Results};
use crate::verdict;
use crate::work::{growth, quadtree, snapshot, sparse, worst};

/// Operations on single objects, a column each.
const OPERATIONS: [&str; 7] = ["create", "fill", "get", "churn", "burst", "clear+refill", "retain"];

/// The whole document, in Markdown: whole frames and verdict of every build, then the tables of each.
pub(crate) fn document(builds: &[Results]) -> String {
    let mut text = head(builds);
    text += &per_build(builds, "Whole frames", FRAMES_NOTE, frames_summary);
    text += &per_build(
        builds,
        "Verdict",
        &format!(
            "The pool is `{REFERENCE}` unless another is named, and the ratio is the worst of all cells. Both \
             contenders run in each round; a ratio is the median of the rounds' ratios. Beside it are the medians \
             of the two times."
        ),
        verdict_table,
    );
    for results in builds {
        if builds.len() > 1 {
            text += &format!("# All tables, {}\n\n", environment::build(results.profile));
        }
        text += &tables(results);
    }
    text
}

fn tables(results: &Results) -> String {
    let mut text = frames_sections(results);
    text += &operations_sections(results);
    text += &iteration_sections(results);
    text += &sparse_section(results);
    text += &growth_section(results);
    text += &program_sections(results);
    text += &snapshot_sections(results);
    text += &heap_section(results);
    text += &worst_section(results);
    text += &memory_section(results);
    text
}

fn head(builds: &[Results]) -> String {
    let runs: Vec<String> = builds
        .iter()
        .map(|results| {
            let build = environment::build(results.profile);
            let is_frames = |cell: &&Cell| cell.work.starts_with(frames::PREFIX);
            let frames = results.cells.iter().find(is_frames).map_or(0, |cell| cell.rounds);
            format!(
                "{build}: {} seconds, {frames} rounds of whole frames, {} of all else",
                results.seconds, results.rounds
            )
        })
        .collect();
    let command = match builds {
        [results] if results.profile == "release" => "cargo run --release -p millpond-bench",
        [_] => "cargo run --profile shipped -p millpond-bench",
        _ => "ci/benchmark",
    };
    let names = |wanted: fn(Kind) -> bool| peers(wanted).join("; ");
    format!(
        "# Benchmark\n\n\
         {}, {}. {}.\n\n\
         Made by `{command}`; {}. All contenders run in one process, in turns. Each cell has the median in \
         nanoseconds per operation, then half the interquartile range in percent, then the ratio to the time of \
         `{REFERENCE}`: above 1 is slower. A dash means that the contender has no such operation, or not at this \
         size. The run fails unless all contenders of a column end with the same checksum. Every row includes the \
         harness's own cost (random numbers, the program's array of keys, making the object); the rows named *limit* \
         have only that and the bare memory accesses, without checks.\n\n\
         Peers with generational handles and stable addresses (a live value moves only when its store grows): {}. \
         Generational and dense (values move to stay adjacent): {}. Stable addresses, but plain indices without \
         generations: {}.\n\n",
        environment::date(),
        environment::processor(),
        environment::versions(),
        runs.join("; "),
        names(|kind| kind.is_generational() && kind.is_stable()),
        names(|kind| kind.is_generational() && !kind.is_stable()),
        names(|kind| !kind.is_generational() && kind.is_stable()),
    )
}

/// A section with a part for each build.
fn per_build(
    builds: &[Results],
    title: &str,
    note: &str,
    body: impl Fn(&Results) -> Option<String>,
) -> String {
    let tables = builds.iter().filter_map(|results| Some((results, body(results)?)));
    let tables: Vec<String> = tables
        .map(|(results, body)| {
            let build = environment::build(results.profile);
            format!("{}{}:\n\n{}\n", build[..1].to_uppercase(), &build[1..], body)
        })
        .collect();
    if tables.is_empty() {
        String::new()
    } else {
        format!("## {title}\n\n{note}\n\n{}", tables.concat())
    }
}

fn verdict_table(results: &Results) -> Option<String> {
    let bars = verdict::bars(results);
    let rows = bars.iter().filter_map(|bar| {
        let (ratio, place) = bar.worst()?;
        Some(vec![
            bar.text.clone(),
            format!("{:.2}", bar.limit),
            format!("{ratio:.2}"),
            bar.word().into(),
            format!("{}/{}", bar.met(), bar.ratios.len()),
            place.clone(),
        ])
    });
    let count = |word| bars.iter().filter(|bar| bar.word() == word).count();
    let headings = ["bar", "limit", "worst", "verdict", "met at", "where it is worst"];
    let table = Table { headings: headings.map(String::from).to_vec(), rows: rows.collect() };
    let missing: Vec<&str> =
        bars.iter().filter(|bar| bar.word() == "-").map(|bar| bar.text.as_str()).collect();
    let missing = match missing.as_slice() {
        [] => String::new(),
        some => format!("\nNot measured in this run: {}.\n", some.join("; ")),
    };
    let (met, missed) = (count("met"), count("missed"));
    Some(format!("{met} bars met, {missed} missed.\n\n{}{missing}", table.render()))
}

const FRAMES_NOTE: &str = "Two recorded games: insertions and removals (births and deaths) as recorded, one pool for each \
    class of objects, as large as the peak of the class, and one iteration over every pool in each tick. Objects have \
    64 bytes. Each cell has the nanoseconds per visit of one object in one tick, or, for births and deaths without \
    the iterations, per event. Then follows the ratio to the best stable-address generational peer, by its better \
    loop: below 1 is faster. For a peer, the better of `for` and `for_each` is shown.";

/// Whole frames of the recorded games, in one table.
fn frames_summary(results: &Results) -> Option<String> {
    let group = |work: &str| {
        results.groups(|name| name == work).into_iter().find(|group| group.object_bytes == 64)
    };
    let fastest = |works: &[String], wanted: &dyn Fn(&Cell) -> bool| {
        let cells = works.iter().filter_map(|work| Some((work, group(work)?)));
        let cells = cells.flat_map(|(work, group)| results.column(work, group));
        let cells = cells.filter(|cell| wanted(cell));
        cells.map(|cell| cell.median).min_by(f64::total_cmp)
    };
    let figure = |script: &str, parts: &[&str], contender: &str, peer_parts: &[&str]| {
        let works = |parts: &[&str]| -> Vec<String> {
            parts.iter().map(|part| frames::work(script, part)).collect()
        };
        let own = fastest(&works(parts), &|cell| cell.contender == contender);
        let stable = |cell: &Cell| cell.kind == Kind::Generational;
        let Some(own) = own else { return "-".into() };
        let peer = fastest(&works(peer_parts), &stable);
        let ratio = peer.map(|peer| format!(" ×{:.2}", own / peer));
        format!("{own:.2}{}", ratio.unwrap_or_default())
    };
    const LOOPS: &[&str] = &["for", "for_each"];
    let mut rows = vec![
        ("`Pool`, `for`", REFERENCE, &LOOPS[..1]),
        ("`Pool`, `for_each`", REFERENCE, &LOOPS[1..]),
    ];
    rows.push(("`Pool`, `runs_mut`", REFERENCE, &["runs"]));
    rows.push(("`PackedPool`", "PackedPool", LOOPS));
    rows.push(("`BlockPool`", "BlockPool", LOOPS));
    rows.extend(
        peers(|kind| kind.is_generational() || kind.is_stable())
            .into_iter()
            .map(|name| (name, name, LOOPS)),
    );
    rows.push(("the harness alone", harness::NAME, LOOPS));
    let rows = rows.into_iter().map(|(title, contender, parts)| {
        let walks = frames::GAMES.map(|script| figure(script, parts, contender, LOOPS));
        // Births and deaths do not depend on the loop: once for each contender.
        let once = parts != ["for_each"] && parts != ["runs"];
        let events = frames::GAMES.map(|script| match once {
            true => figure(script, &[frames::EVENTS], contender, &[frames::EVENTS]),
            false => String::new(),
        });
        std::iter::once(title.to_owned()).chain(walks).chain(events).collect::<Vec<_>>()
    });
    let rows: Vec<_> =
        rows.filter(|row| row[1..].iter().any(|cell| !cell.is_empty() && cell != "-")).collect();
    let walks = frames::GAMES.map(|script| format!("{script}, per visit"));
    let events = frames::GAMES.map(|script| format!("{script}, births and deaths, per event"));
    let headings = std::iter::once(String::new()).chain(walks).chain(events).collect();
    (!rows.is_empty()).then(|| Table { headings, rows }.render())
}

/// All parts of all scripts, a table for each script and size of objects.
fn frames_sections(results: &Results) -> String {
    let mut text = String::new();
    let scripts = frames::GAMES.map(String::from).into_iter().chain(frames::generated());
    for script in scripts {
        let parts = frames::WALKS.into_iter().chain([frames::EVENTS, frames::LOOKUPS]);
        let works: Vec<_> =
            parts.map(|part| (frames::work(&script, part), part.to_owned())).collect();
        for group in results.groups(|name| works.iter().any(|(work, _)| work == name)) {
            let title = format!(
                "Frames of {script}: {} slots in all, objects of {} bytes",
                thousands(group.slots),
                group.object_bytes
            );
            let note = "Per visit; births and deaths per event. With lookups, each object reads another one by a handle \
                        that may be stale.";
            text += &section(&title, note, &grid(results, group, &works));
        }
    }
    text
}

fn operations_sections(results: &Results) -> String {
    let works: Vec<_> = OPERATIONS.map(|work| (work.to_owned(), work.to_owned())).to_vec();
    let groups = results.groups(|work| OPERATIONS.contains(&work));
    let sections = groups.into_iter().map(|group| {
        let title = format!("{} slots of {} bytes", thousands(group.slots), group.object_bytes);
        section(
            &title,
            "Per slot, object or pair of removal and insertion.",
            &grid(results, group, &works),
        )
    });
    sections.collect()
}

fn iteration_sections(results: &Results) -> String {
    let mut text = String::new();
    for group in results.groups(|work| work.starts_with("iterate")) {
        for form in ["for", "for_each", "runs"] {
            let works = OCCUPANCIES
                .map(|percent| (format!("iterate {percent}%, {form}"), format!("{percent} %")));
            let title = format!(
                "Iterate by `{form}`: {} slots of {} bytes",
                thousands(group.slots),
                group.object_bytes
            );
            let note = "Per live object; dead slots at random places. The rows of `Vec, swap_remove` are the plain loop over \
                        a dense array.";
            let table = grid(results, group, &works);
            if !table.rows.is_empty() {
                text += &section(&title, note, &table);
            }
        }
    }
    text
}

/// Walks over few live objects, both loops at all sizes.
fn sparse_section(results: &Results) -> String {
    let columns = columns_by_slots(
        results,
        |work| work.starts_with(sparse::PREFIX),
        |work| {
            let form = work.trim_start_matches(sparse::PREFIX).trim_start_matches(", ");
            format!(", {form}")
        },
    );
    let note =
        format!("Per walk over {} live objects, the others dead, at random places.", sparse::LIVE);
    section_unless_empty("Sparse walks", &note, &table_of(results, &columns))
}

fn growth_section(results: &Results) -> String {
    let columns = columns_by_slots(results, |work| work == growth::NAME, |_| String::new());
    let note = "The longest single insertion, in the median over the rounds, of as many as there are slots. Pools of a \
                fixed capacity have taken their memory before; all other stores start with room for 16 objects.";
    section_unless_empty(
        "The longest insertion while a store grows",
        note,
        &table_of(results, &columns),
    )
}

/// A column for each work that is `wanted` and each number of slots, headed by that number and what `heading` adds.
fn columns_by_slots(
    results: &Results,
    wanted: impl Fn(&str) -> bool,
    heading: impl Fn(&str) -> String,
) -> Vec<(String, Group, String)> {
    let mut columns: Vec<(String, Group, String)> = Vec::new();
    for cell in results.cells.iter().filter(|cell| wanted(&cell.work)) {
        let group = Group { object_bytes: cell.object_bytes, slots: cell.slots };
        if columns.iter().all(|(work, other, _)| (work, *other) != (&cell.work, group)) {
            let heading = format!("{} slots{}", thousands(group.slots), heading(&cell.work));
            columns.push((cell.work.clone(), group, heading));
        }
    }
    columns
}

/// Particles by number, and the real programs, as one table: they differ in size, not in group.
fn program_sections(results: &Results) -> String {
    let mut columns = Vec::new();
    for group in results.groups(|work| work == "particles") {
        columns.push((
            "particles".to_owned(),
            group,
            format!("{} particles", thousands(group.slots)),
        ));
    }
    let is_program = |work: &str| work == quadtree::NAME || work.starts_with("replay");
    for cell in results.cells.iter().filter(|cell| is_program(&cell.work)) {
        let group = Group { object_bytes: cell.object_bytes, slots: cell.slots };
        let heading = cell.work.replace("replay ", "");
        if columns.iter().all(|(work, ..)| *work != cell.work) {
            columns.push((cell.work.clone(), group, heading));
        }
    }
    if columns.is_empty() {
        return String::new();
    }
    let note = "Particles: per particle and frame. Quadtree: per actor and frame of Freedoom 2 MAP15. The others: replay \
                of a trace, per event.";
    section("Whole programs", note, &table_of(results, &columns))
}

/// A table for each size, in comparison with a plain copy.
fn snapshot_sections(results: &Results) -> String {
    let mut text = String::new();
    let groups = results.groups(|work| work.starts_with(snapshot::PREFIX));
    for group in groups {
        let works = [100, 90].map(|percent| format!("{} {percent}%", snapshot::PREFIX));
        let works: Vec<_> =
            works.iter().filter(|work| results.column(work, group).next().is_some()).collect();
        let mut contenders: Vec<&str> = Vec::new();
        for cell in works.iter().flat_map(|work| results.column(work, group)) {
            if !contenders.contains(&cell.contender) {
                contenders.push(cell.contender);
            }
        }
        let rows = contenders.iter().map(|contender| {
            let cells = works.iter().map(|work| {
                let copy = results.cell(work, group, snapshot::MEMCPY);
                results.cell(work, group, contender).map_or("-".into(), |cell| figure(cell, copy))
            });
            std::iter::once((*contender).to_owned()).chain(cells).collect()
        });
        let live = works.iter().map(|work| work.replace(snapshot::PREFIX, "live:"));
        let table = Table {
            headings: std::iter::once(String::new()).chain(live).collect(),
            rows: rows.collect(),
        };
        let title = format!(
            "Save and restore: {} slots of {} bytes",
            thousands(group.slots),
            group.object_bytes
        );
        let note = "Per slot. Here the ratio is to the memcpy of the same bytes: values, generations, bitmap, reuse order. \
                    1 % of the objects change between the saves. The last two rows are for a save of the changes alone: \
                    finding them, and copying known ones.";
        text += &section(&title, note, &table);
    }
    text
}

fn heap_section(results: &Results) -> String {
    let cells: Vec<&Cell> = results.cells.iter().filter(|cell| cell.work == heap::WORK).collect();
    if cells.is_empty() {
        return String::new();
    }
    let own = cells.iter().find(|cell| cell.contender == heap::OWN).copied();
    let peak =
        |name: &str| results.heap_peaks.iter().find(|peak| peak.allocator == name).map(|p| p.bytes);
    let own_peak = peak(heap::OWN);
    let rows = cells.iter().map(|cell| {
        let bytes = peak(cell.contender).map_or("-".into(), |bytes| {
            let ratio = own_peak.map(|own| format!(" ×{:.2}", bytes as f64 / own as f64));
            format!("{} KiB{}", thousands(bytes / 1024), ratio.unwrap_or_default())
        });
        vec![cell.contender.to_owned(), figure(cell, own), bytes]
    });
    let headings = ["", "ns per allocation or free", "peak"].map(String::from).to_vec();
    let note = format!(
        "All 256,915 allocations of OpenTTD's 600 ticks, of up to 2 MiB, in their order, on one thread: the \
         median in nanoseconds per allocation or free. The peak is the memory that the system provides for one \
         such replay, each in a separate process, with every byte written. Ratios are to `{}`. bumpalo frees \
         nothing before the end.",
        heap::OWN
    );
    section(
        "Allocators: the whole heap of a program",
        &note,
        &Table { headings, rows: rows.collect() },
    )
}

fn worst_section(results: &Results) -> String {
    if results.latencies.is_empty() {
        return String::new();
    }
    let headings = ["", "median", "p99", "p99.99", "worst, median of rounds", "worst"]
        .map(String::from)
        .to_vec();
    let rows = results.latencies.iter().map(|latency| {
        let figures =
            [latency.median, latency.p99, latency.p9999, latency.worst_median, latency.worst];
        let figures = figures.iter().map(|figure| format!("{figure:.0}"));
        std::iter::once(latency.contender.to_owned()).chain(figures).collect()
    });
    let table = Table { headings, rows: rows.collect() };
    let note = format!(
        "Nanoseconds, including the clock's own cost (some 20 to 40), of {} insertions and removals each, including the \
         fill, at {} slots of 64 bytes. An interrupt can affect any row: compare with the row of plain accesses.",
        thousands(results.latencies[0].operations),
        thousands(worst::SLOTS)
    );
    section("The worst single operation", &note, &table)
}

fn memory_section(results: &Results) -> String {
    if results.bytes_per_slot.is_empty() {
        return String::new();
    }
    let rows = results.bytes_per_slot.iter().map(|bytes| {
        vec![
            bytes.contender.to_owned(),
            format!("{:.2}", bytes.beyond_object),
            bytes.key.to_string(),
        ]
    });
    let headings =
        ["", "bytes per slot beyond the object", "bytes of a key"].map(String::from).to_vec();
    let note = format!(
        "{} slots of 64 bytes, created with room for them, then filled.",
        thousands(memory::SLOTS)
    );
    section("Memory", &note, &Table { headings, rows: rows.collect() })
}

/// A table of some works of one group, as (name, heading).
fn grid(results: &Results, group: Group, works: &[(String, String)]) -> Table {
    let columns: Vec<_> =
        works.iter().map(|(work, heading)| (work.clone(), group, heading.clone())).collect();
    table_of(results, &columns)
}

/// Contenders down, columns of (work, group, heading) across; nothing that is all dashes.
fn table_of(results: &Results, columns: &[(String, Group, String)]) -> Table {
    let columns: Vec<_> = columns
        .iter()
        .filter(|(work, group, _)| results.column(work, *group).next().is_some())
        .collect();
    let mut contenders: Vec<&str> = Vec::new();
    for cell in &results.cells {
        let shown = columns.iter().any(|(work, group, _)| {
            *work == cell.work
                && *group == Group { object_bytes: cell.object_bytes, slots: cell.slots }
        });
        if shown && !contenders.contains(&cell.contender) {
            contenders.push(cell.contender);
        }
    }
    contenders.sort_by_key(|name| crate::contenders::place(name));
    let headings =
        std::iter::once(String::new()).chain(columns.iter().map(|(.., heading)| heading.clone()));
    let rows = contenders.iter().map(|contender| {
        let cells = columns.iter().map(|(work, group, _)| {
            let reference = results.cell(work, *group, REFERENCE);
            results.cell(work, *group, contender).map_or("-".into(), |cell| figure(cell, reference))
        });
        std::iter::once((*contender).to_owned()).chain(cells).collect()
    });
    Table { headings: headings.collect(), rows: rows.collect() }
}

/// Median, spread, ratio.
fn figure(cell: &Cell, reference: Option<&Cell>) -> String {
    let digits = if cell.median < 10.0 { 2 } else { 1 };
    let ratio = reference.map(|reference| format!(" ×{:.2}", cell.median / reference.median));
    format!("{:.digits$} ±{:.0}%{}", cell.median, cell.spread_percent(), ratio.unwrap_or_default())
}

fn section(title: &str, note: &str, table: &Table) -> String {
    format!("## {title}\n\n{note}\n\n{}\n", table.render())
}

fn section_unless_empty(title: &str, note: &str, table: &Table) -> String {
    if table.rows.is_empty() { String::new() } else { section(title, note, table) }
}

/// 1234567 as 1,234,567.
pub(crate) fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(1_000), "1,000");
        assert_eq!(thousands(12_345_678), "12,345,678");
    }
}
