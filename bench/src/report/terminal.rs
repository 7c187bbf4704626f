//! What a run prints: the verdict, and every figure.

use super::table::{Table, thousands};
use crate::cell::{Cell, Group};
use crate::results::{FILES, REFERENCE, Results, file_of};
use crate::work::snapshot;

/// Columns of figures that fit a terminal.
const COLUMNS: usize = 6;

/// Everything of one run, as tables. A ratio is to [`REFERENCE`], or, of snapshots, to a plain copy: above 1 is slower.
pub(crate) fn text(results: &Results) -> String {
    let mut text = format!(
        "Build: {}. Nanoseconds, half the distance of the processes' quartiles, and the ratio to {REFERENCE} (snapshots: to memcpy).\n\n",
        results.run.profile
    );
    text += &verdicts(results);
    text += &beside(results);
    for (file, heading) in FILES {
        for group in results.groups(|work| file_of(work) == file) {
            let (slots, bytes) = (thousands(group.slots), group.object_bytes);
            let works = works(results, group, file);
            for works in works.chunks(COLUMNS) {
                let table = figures(results, group, works).render();
                text += &format!("{heading}. {slots} slots of {bytes} bytes:\n\n{table}\n");
            }
        }
    }
    text + &worst(results) + &memory(results) + &heap_peaks(results)
}

fn works<'a>(results: &'a Results, group: Group, file: &str) -> Vec<&'a str> {
    let mut works: Vec<&str> = Vec::new();
    for cell in results.cells.iter().filter(|cell| cell.group() == group) {
        if file_of(&cell.work) == file && !works.contains(&cell.work.as_str()) {
            works.push(&cell.work);
        }
    }
    works
}

fn figures(results: &Results, group: Group, works: &[&str]) -> Table {
    let mut contenders: Vec<&str> = Vec::new();
    for cell in works.iter().flat_map(|work| results.column(work, group)) {
        if !contenders.contains(&cell.contender.as_str()) {
            contenders.push(&cell.contender);
        }
    }
    let rows = contenders.iter().map(|contender| {
        let cells = works.iter().map(|work| {
            let cell = results.cell(work, group, contender);
            cell.map_or("-".into(), |cell| figure(cell, reference(results, work, group)))
        });
        std::iter::once((*contender).to_owned()).chain(cells).collect()
    });
    Table::new(works.iter().map(|work| (*work).to_owned()), rows)
}

fn reference<'a>(results: &'a Results, work: &str, group: Group) -> Option<&'a Cell> {
    let to = if work.starts_with(snapshot::PREFIX) { snapshot::MEMCPY } else { REFERENCE };
    results.cell(work, group, to)
}

/// Median, spread, ratio.
fn figure(cell: &Cell, reference: Option<&Cell>) -> String {
    let digits = if cell.median < 10.0 { 2 } else { 1 };
    let spread = cell.spread_percent.map_or(String::new(), |spread| format!(" ±{spread:.0}%"));
    let ratio = reference.map(|reference| format!(" ×{:.2}", cell.median / reference.median));
    format!("{:.digits$}{spread}{}", cell.median, ratio.unwrap_or_default())
}

fn verdicts(results: &Results) -> String {
    let rows = results.verdicts.iter().map(|verdict| {
        vec![
            verdict.bar.clone(),
            format!("{:.2}", verdict.limit),
            format!("{:.2}", verdict.worst),
            if verdict.is_met() { "met" } else { "missed" }.into(),
            format!("{}/{}", verdict.met, verdict.measured),
            verdict.at.clone(),
        ]
    });
    section("Bars", &["limit", "worst", "verdict", "met at", "where it is worst"], rows)
}

fn beside(results: &Results) -> String {
    let rows = results.beside.iter().map(|row| {
        vec![
            format!("{}, {} bytes, {} slots", row.work, row.object_bytes, thousands(row.slots)),
            row.contender.clone(),
            format!("{:.2}", row.ratio),
            format!("{} {:.2}", row.peer, row.peer_ns),
        ]
    });
    let headings = ["pool", "ratio", "peer, ns"];
    section("Beside the best stable-address generational peer", &headings, rows)
}

fn worst(results: &Results) -> String {
    let rows = results.latencies.iter().map(|latency| {
        let figures =
            [latency.median, latency.p99, latency.p9999, latency.worst_median, latency.worst];
        let figures = figures.iter().map(|figure| format!("{figure:.0}"));
        std::iter::once(latency.contender.clone()).chain(figures).collect()
    });
    let headings = ["median", "p99", "p99.99", "worst, median of rounds", "worst"];
    section("The worst single operation, in nanoseconds", &headings, rows)
}

fn memory(results: &Results) -> String {
    let rows = results.bytes_per_slot.iter().map(|bytes| {
        vec![bytes.contender.clone(), format!("{:.2}", bytes.beyond_object), bytes.key.to_string()]
    });
    section("Memory", &["bytes per slot beyond the object", "bytes of a key"], rows)
}

fn heap_peaks(results: &Results) -> String {
    let rows = results
        .heap_peaks
        .iter()
        .map(|peak| vec![peak.allocator.clone(), thousands(peak.bytes / 1024)]);
    section("Peak of the heap replay", &["KiB"], rows)
}

fn section(title: &str, headings: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let table = Table::new(headings.iter().map(|&heading| heading.to_owned()), rows);
    if table.rows.is_empty() { String::new() } else { format!("{title}:\n\n{}\n", table.render()) }
}
