//! The table of how long the busiest slot of each pool lasts, and the handles that follow.

use super::figures::duration;
use super::table::{Table, name_cell};
use crate::plan::{Layout, PaceBetween, lifetimes_of};

/// The widths of a generation, in bits, that the table shows; `plan --json` has all.
const TABLE_BITS: [u32; 2] = [12, 24];

/// The table's entries for a class.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lasting<'p> {
    pub(super) class: &'p str,
    pub(super) pace: PaceBetween,
    pub(super) layout: Option<Layout>,
}

/// A line for each class.
pub(super) fn handles_table<'p>(
    class_heading: &'static str,
    classes: impl IntoIterator<Item = Lasting<'p>>,
) -> Table {
    let headings =
        [class_heading, "Lifo 12 bit", "24 bit", "Fifo 12 bit", "24 bit", "<handle", "<reuse"];
    let mut table = Table::new(&headings);
    for Lasting { class, pace, layout } in classes {
        let mut row = vec![name_cell(class)];
        let PaceBetween { fastest, slowest } = pace;
        for (fast, slow) in [(fastest.lifo, slowest.lifo), (fastest.fifo, slowest.fifo)] {
            for bits in TABLE_BITS {
                let lasts = |seconds: Option<f64>| match seconds {
                    Some(seconds) => duration(seconds * lifetimes_of(bits) as f64),
                    None => "–".to_owned(),
                };
                row.push(match (lasts(fast), lasts(slow)) {
                    (one, other) if one == other => one,
                    (one, other) => format!("{one}–{other}"),
                });
            }
        }
        if let Some(layout) = layout {
            row.push(layout.handle.to_owned());
            let retires = if layout.lasts { "" } else { " (retires)" };
            row.push(format!("{}{retires}", layout.reuse.name()));
        }
        table.row(row);
    }
    table
}
