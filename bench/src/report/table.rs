//! Tables that read the same on a terminal and as Markdown.

/// A heading for each column, and the rows.
#[derive(Debug, Default)]
pub(crate) struct Table {
    pub(crate) headings: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
}

impl Table {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn render_aligns_columns_and_is_markdown() {
        let table = Table {
            headings: vec!["name".into(), "ns".into()],
            rows: vec![vec!["a".into(), "1.25".into()], vec!["longer".into(), "-".into()]],
        };
        let expected =
            "| name   |   ns |\n| ------ | ---: |\n| a      | 1.25 |\n| longer |    - |\n";
        assert_eq!(table.render(), expected);
    }
}
