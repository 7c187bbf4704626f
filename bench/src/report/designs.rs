//! The record of the program `designs`.

use std::path::Path;

use serde::Deserialize;

use super::table::Table;
use crate::csv;

/// One contender of one design; millpond's is the first of each design.
#[derive(Debug, Deserialize)]
pub(crate) struct Row {
    design: String,
    bar: f64,
    contender: String,
    /// With 1,000 slots. This and the times are missing if they were not measured.
    instructions: Option<f64>,
    ns_1000: Option<f64>,
    ns_100000: Option<f64>,
    /// On which all were measured.
    processor: String,
    /// How else it was measured.
    note: String,
}

pub(crate) fn load(path: &Path) -> Result<Vec<Row>, String> {
    csv::read(path)
}

pub(crate) fn section(rows: &[Row]) -> String {
    let Some(Row { processor, note, .. }) = rows.first() else { return String::new() };
    let note = if note.is_empty() { String::new() } else { format!(" ({note})") };
    let mut lines = Vec::new();
    for design in rows.chunk_by(|one, other| one.design == other.design) {
        let ours = &design[0];
        for (at, row) in design.iter().enumerate() {
            let cell = |own: Option<f64>, of_row: Option<f64>| match own.zip(of_row) {
                Some((own, of_row)) if at > 0 => format!("{of_row:.1} (× {:.2})", own / of_row),
                Some((own, _)) => format!("{own:.1}"),
                None => "–".to_owned(),
            };
            let name = match at {
                0 => format!("{}: `{}` (goal: × {})", row.design, row.contender, row.bar),
                _ => row.contender.clone(),
            };
            lines.push(vec![
                name,
                cell(ours.instructions, row.instructions),
                cell(ours.ns_1000, row.ns_1000),
                cell(ours.ns_100000, row.ns_100000),
            ]);
        }
    }
    let headings = ["instructions, 1,000 slots", "ns, 1,000 slots", "ns, 100,000 slots"];
    let table = Table::new(headings.map(str::to_owned), lines).render();
    format!(
        "## The published designs\n\n\
         The [classic pools](classic.md) beside the code of their own texts, which checks nothing but what its name says. A \
         pair frees an object and allocates one. In brackets: ours divided by it, so that less than 1 means that ours is \
         faster. Shipped build, medians of rounds in which the contenders of a design take turns{note}. \
         Processor: {processor}.\n\n{table}\n"
    )
}
