//! Tables that read the same on a terminal and as Markdown.

/// A heading for each column, and the rows.
#[derive(Debug)]
pub(crate) struct Table {
    headings: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
}

impl Table {
    /// The first column, which names the rows, has no heading.
    pub(crate) fn new(
        headings: impl IntoIterator<Item = String>,
        rows: impl IntoIterator<Item = Vec<String>>,
    ) -> Self {
        let headings = std::iter::once(String::new()).chain(headings).collect();
        Self { headings, rows: rows.into_iter().collect() }
    }

    /// The first column to the left, the others to the right.
    pub(crate) fn render(&self) -> String {
        let widths: Vec<usize> = (0..self.headings.len())
            .map(|column| {
                let cells = self.rows.iter().map(|row| row[column].chars().count());
                cells.chain([self.headings[column].chars().count(), 3]).max().unwrap_or(3)
            })
            .collect();
        let mut text = line(&self.headings, &widths);
        let rules = widths.iter().enumerate().map(|(column, &width)| match column {
            0 => "-".repeat(width),
            _ => "-".repeat(width - 1) + ":",
        });
        text += &line(&rules.collect::<Vec<_>>(), &widths);
        self.rows.iter().for_each(|row| text += &line(row, &widths));
        text
    }
}

fn line(cells: &[String], widths: &[usize]) -> String {
    let mut text = String::new();
    for (column, (cell, &width)) in cells.iter().zip(widths).enumerate() {
        text += &match column {
            0 => format!("| {cell:<width$} "),
            _ => format!("| {cell:>width$} "),
        };
    }
    text + "|\n"
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

    #[test]
    fn render_aligns_columns_and_is_markdown() {
        let rows = [["a", "1.25"], ["longer", "-"]].map(|row| row.map(str::to_owned).to_vec());
        let table = Table::new(["ns".to_owned()], rows);
        let expected =
            "|        |   ns |\n| ------ | ---: |\n| a      | 1.25 |\n| longer |    - |\n";
        assert_eq!(table.render(), expected);
    }
}
