//! Pools or lenders as a list with a row for each, printed as text or drawn on a terminal.

use std::cmp::Ordering;

use millpond_plan::output::paint::Paint;
use millpond_plan::output::table::{Table, name_cell};

/// A list of pools or lenders.
pub(super) struct List {
    /// A heading that begins with `<` is aligned to the left, as in [`Table`]. The first column is the name.
    pub(super) headings: &'static [&'static str],
    pub(super) rows: Vec<Row>,
}

/// One pool or lender.
pub(super) struct Row {
    pub(super) name: String,
    /// The columns after the name.
    pub(super) cells: Vec<Cell>,
    /// Whether the row is red, because the pool is nearly full or has refused something.
    pub(super) is_alarming: bool,
}

/// A number as text, with the value to sort by.
#[derive(Clone)]
pub(super) struct Cell {
    pub(super) text: String,
    value: f64,
}

/// The column by which a list is sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sort {
    pub(super) column: usize,
    pub(super) is_descending: bool,
}

impl Cell {
    pub(super) fn new(text: String, value: f64) -> Self {
        Self { text, value }
    }

    /// A count; zero is empty.
    pub(super) fn count_or_empty(number: u64) -> Self {
        match number {
            0 => Self::new(String::new(), 0.0),
            _ => Self::count(number),
        }
    }

    pub(super) fn count(number: u64) -> Self {
        Self::new(millpond_plan::output::figures::count(number), number as f64)
    }

    /// A value that may be unknown.
    pub(super) fn known(value: Option<f64>, text: impl Fn(f64) -> String) -> Self {
        Self::new(value.map_or_else(String::new, text), value.unwrap_or(0.0))
    }
}

impl List {
    /// Sorts the rows; rows that are equal in this column keep their order.
    pub(super) fn sort(&mut self, by: Sort) {
        let in_column = |a: &Row, b: &Row| match by.column.checked_sub(1) {
            None => a.name.cmp(&b.name),
            Some(column) => {
                let value = |row: &Row| row.cells.get(column).map_or(0.0, |cell| cell.value);
                value(a).partial_cmp(&value(b)).unwrap_or(Ordering::Equal)
            }
        };
        self.rows.sort_by(|a, b| if by.is_descending { in_column(b, a) } else { in_column(a, b) });
    }

    /// The columns to show: all except those that are empty in every row.
    pub(super) fn columns_shown(&self) -> Vec<usize> {
        let is_shown = |&column: &usize| {
            let cells =
                |row: &Row| row.cells.get(column - 1).is_some_and(|cell| !cell.text.is_empty());
            column == 0 || self.rows.iter().any(cells)
        };
        (0..self.headings.len()).filter(is_shown).collect()
    }

    /// The table of the columns that are shown.
    pub(super) fn table(&self) -> Table {
        let shown = self.columns_shown();
        let headings: Vec<&str> = shown.iter().map(|&column| self.headings[column]).collect();
        let mut table = Table::new(&headings);
        for row in &self.rows {
            table.row(shown.iter().map(|&column| row.text(column)).collect());
        }
        table
    }

    /// The list as lines of text.
    pub(super) fn text(&self, paint: Paint) -> String {
        let table = self.table().render(paint);
        let mut lines = table.lines();
        let mut text = lines.next().unwrap_or_default().to_owned() + "\n";
        for (line, row) in lines.zip(&self.rows) {
            text += &if row.is_alarming { paint.bad(line) } else { line.to_owned() };
            text.push('\n');
        }
        text
    }
}

impl Row {
    /// The text of a column; column 0 is the name.
    pub(super) fn text(&self, column: usize) -> String {
        match column.checked_sub(1) {
            None => name_cell(&self.name),
            Some(column) => {
                self.cells.get(column).map_or_else(String::new, |cell| cell.text.clone())
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Pools with these numbers of live objects and of refusals.
    pub(in super::super) fn list(rows: &[(&str, u64, u64)]) -> List {
        let row = |&(name, live, refused): &(&str, u64, u64)| Row {
            name: name.to_owned(),
            cells: vec![Cell::count(live), Cell::count_or_empty(refused)],
            is_alarming: refused > 0,
        };
        List { headings: &["<pool", "live", "refused"], rows: rows.iter().map(row).collect() }
    }

    fn names(list: &List) -> String {
        list.rows.iter().map(|row| row.name.as_str()).collect()
    }

    #[test]
    fn rows_are_sorted_by_name_or_number_in_both_directions() {
        let mut list = list(&[("b", 9, 0), ("c", 10, 0), ("a", 9, 3)]);
        for (column, is_descending, expected) in [
            (0, false, "abc"),
            (0, true, "cba"),
            (1, true, "cba"),
            (1, false, "bac"),
            (2, true, "abc"),
        ] {
            list.sort(Sort { column, is_descending });
            assert_eq!(names(&list), expected, "column {column}, descending: {is_descending}");
        }
    }

    #[test]
    fn columns_without_a_number_are_left_out() {
        let text = list(&[("a", 1, 0), ("b", 2, 0)]).text(Paint::new(false));
        assert_eq!(text, "pool  live\na        1\nb        2\n");
        let text = list(&[("a", 1, 0), ("b", 2, 7)]).text(Paint::new(false));
        assert_eq!(text, "pool  live  refused\na        1\nb        2        7\n");
    }
}
