//! Tables as CSV.

use super::foreign::for_csv;

/// A table of CSV, each of whose fields is [fit to be shown](for_csv).
#[derive(Debug, Default)]
pub struct CsvTable(String);

impl CsvTable {
    /// A table without a line.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a line.
    pub fn line<F: AsRef<str>>(&mut self, fields: impl IntoIterator<Item = F>) {
        for (at, field) in fields.into_iter().enumerate() {
            if at > 0 {
                self.0.push(',');
            }
            self.field(&for_csv(field.as_ref()));
        }
        self.0.push('\n');
    }

    fn field(&mut self, field: &str) {
        if field.contains([',', '"', '\n', '\r']) {
            self.0.push('"');
            self.0.push_str(&field.replace('"', "\"\""));
            self.0.push('"');
        } else {
            self.0.push_str(field);
        }
    }

    /// The finished table.
    #[must_use]
    pub fn text(self) -> String {
        self.0
    }
}

/// A field; empty if the value is unknown.
pub fn csv_field(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_end_a_field_is_in_quotes() {
        let mut table = CsvTable::new();
        table.line(["a", "", "b c"]);
        table.line(["a,b", "\"", "\u{e9}"]);
        assert_eq!(table.text(), "a,,b c\n\"a,b\",\"\"\"\",\u{e9}\n");
    }
}
